// What the first screen of a report says about given measurements.
#include "tests/lab/report/sections.h"

// A contrast has one interval and one verdict on the whole page, in words, in the plot's table and among all pairs.
static void a_difference_has_one_verdict(void **state) {
    static const struct {
        double gap, spread;
        const char *sentence, *row, *pair;
    } cases[] = {
        {-0.3, 0.01, "learned is better than sinusoidal by 0.300 nats a token (0.275 to 0.325).", "| better |",
         "-0.300 (-0.325 to -0.275) *"},
        {0.3, 0.01, "sinusoidal is better than learned by 0.300 nats a token (0.275 to 0.325).", "| worse |",
         "+0.300 (+0.275 to +0.325) *"},
        {0.001, 0.01,
         "learned or sinusoidal: not resolved, learned - sinusoidal is +0.001 (-0.024 to +0.026) nats a token.",
         "| not resolved |", "+0.001 (-0.024 to +0.026) |"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        char row[512];
        make_plan("sinusoidal;learned", "", "", "");
        put_gaps(&cases[n].gap, cases[n].spread);
        read_all(&outcome);
        char *answer = section(report_answer, &outcome), *pairs = section_html(report_pairs, &outcome);
        expect_text(answer, cases[n].sentence);
        expect_text(row_of(answer, "| learned - sinusoidal |", row), cases[n].row);
        expect_text(pairs, cases[n].pair);
        free(answer);
        free(pairs);
        outcome_free(&outcome);
    }
}

// With more contrasts, each has a longer interval; pairs that are no contrasts have another correction.
static void intervals_hold_all_at_once(void **state) {
    Outcome outcome;
    make_plan("sinusoidal;learned;rope;rope-learned;none", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 - 0.3 * (job.variant % 2) + 0.01 * (job.variant % 2) * (job.seed - 1), 0);
    }
    read_all(&outcome);
    Facts facts;
    char *text = section(report_answer, &outcome);
    gather(&facts, &outcome);
    assert_int_equal(report_contrasts(&facts), 2);
    expect_text(text, "learned is better than sinusoidal by 0.300 nats a token (0.264 to 0.336).");
    const Finding pair = report_pair(&facts, 1, 2, 0), contrast = report_contrast(&facts, 0, 0);
    const Interval of_ten = paired_interval(&pair.gap, 10), of_two = paired_interval(&contrast.gap, 2);
    assert_true(fabs(pair.interval.low - of_ten.low) < 1e-12 && contrast.interval.low == of_two.low);
    // A contrast seen from its other side has the same interval with the other sign.
    const Finding other = report_pair(&facts, 0, 1, 0);
    assert_true(other.interval.low == -contrast.interval.high);
    facts_free(&facts);
    free(text);
    outcome_free(&outcome);
}

// A contrast that was named when there were results is exploratory in every place.
static void late_contrasts_are_marked(void **state) {
    for (int after = 0; after <= 6; after += 6) {
        Outcome outcome;
        Error error;
        make_plan("none;rope;alibi", "", "", "");
        must(plan_contrast(plan, "rope - alibi", "2026-01-31T23:59:59Z", after, &error), &error);
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + 0.3 * job.variant + 0.001 * job.variant * job.seed, 0);
        }
        read_all(&outcome);
        char *text = section(report_answer, &outcome), *html = section_html(report_answer, &outcome);
        expect_text(text, after ? "- Exploratory: rope is better than alibi" : "- rope is better than alibi");
        expect_text(text, after ? "| better (exploratory) |" : "| better |");
        assert_int_equal(strstr(html, " hollow\"") != NULL, after > 0);
        assert_int_equal(strstr(html, "hollow: exploratory") != NULL, after > 0);
        expect_no_text(text, "none is");
        free(text);
        free(html);
        outcome_free(&outcome);
    }
}

// Each interval says what it is, in sentence, tables and LaTeX: one of the primary ones, a single one, one of all
// pairs.
static void an_interval_says_what_it_is(void **state) {
    static const double gap = -0.3;
    static const struct {
        int primary;
        const char *first;
    } cases[] = {{2, "primary, corrected for 2"}, {1, "primary, single"}, {0, "exploratory, corrected for 3 pairs"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        static const char *const contrasts[] = {"rope - none", "alibi - none", "alibi - rope"};
        Outcome outcome;
        Facts facts;
        Error error;
        Buffer tex;
        char path[PATH_CAPACITY], row[512];
        make_plan("none;rope;alibi", "", "", "");
        plan->contrast_count = 0;
        for (int i = 0; i < 3; i++)
            must(plan_contrast(plan, contrasts[i], "2026-01-31T23:59:59Z", i < cases[n].primary ? 0 : 6, &error),
                 &error);
        put_gaps(&gap, 0.01);
        read_all(&outcome);
        char *text = section(report_answer, &outcome), *html = section_html(report_answer, &outcome);
        gather(&facts, &outcome);
        must(report_latex(&facts, &error) && path_format(path, &error, "%s/report.tex", comparison.directory) &&
                 file_read(&tex, path, &error),
             &error);
        expect_text(row_of(text, "| rope - none |", row), cases[n].first);
        expect_text(row_of(html, "| rope - none |", row), cases[n].first);
        expect_text(row_of((char *)tex.bytes, "rope $-$ none", row), cases[n].first);
        expect_text(row_of(text, "| alibi - rope |", row), "exploratory, corrected for 3 pairs");
        expect_text(row_of(html, "| alibi - rope |", row), "exploratory, corrected for 3 pairs");
        expect_text(row_of((char *)tex.bytes, "alibi $-$ rope", row), "exploratory, corrected for 3 pairs");
        facts_free(&facts);
        free(tex.bytes);
        free(text);
        free(html);
        outcome_free(&outcome);
    }
}

// Adding seeds costs certainty only if results had been seen; leaving seeds out that were seen is told.
static void peeking_is_told(void **state) {
    for (int looks = 0; looks < 2; looks++) {
        static const double gap = -0.3;
        Outcome outcome;
        make_plan("none;rope", "", "", "");
        plan->look_count = looks;
        plan->looks[0] = 2;
        put_gaps(&gap, 0.01);
        read_all(&outcome);
        char *text = section(report_answer, &outcome);
        if (looks)
            expect_text(text, "Seeds were added after results had been seen. ");
        else
            expect_no_text(text, "Seeds were added");
        expect_no_text(text, "their results seen");
        free(text);
        plan->looks[0] = 5;
        text = section(report_answer, &outcome);
        if (looks)
            expect_text(text, "5 seeds were trained and their results seen; this page has the first 3.");
        else
            expect_no_text(text, "their results seen");
        expect_no_text(text, "Seeds were added");
        free(text);
        outcome_free(&outcome);
    }
}

// Without learned schemes, every scheme is compared with the reference.
static void without_pairs_the_reference_is_compared(void **state) {
    static const double gap = -0.3;
    Outcome outcome;
    make_plan("none;rope", "", "", "");
    put_gaps(&gap, 0.01);
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_text(text, "rope is better than none by 0.300");
    expect_no_text(text, "Lowest loss"); // the contrast says it
    free(text);
    outcome_free(&outcome);
}

// The scheme with the lowest loss comes first, and how many it is better than; what is not resolved is named.
static void the_winner_is_told(void **state) {
    static const struct {
        const char *scale;
        double losses[3]; // of none, alibi, rope, by chance around it
        double spread;
        const char *sentence;
    } cases[] = {{"",
                  {3, 2.9, 2.7},
                  0.001,
                  "- Lowest loss: rope, 2.7000 nats a token; by corrected 95% intervals better than 2 of 2 others."},
                 {"", {3, 2.7001, 2.7}, 0.01, "better than 1 of 2 others; not resolved: alibi."},
                 {"",
                  {3, 2.9, 2.8},
                  1,
                  "- Lowest loss: rope, 2.8000 nats a token; no difference from another scheme is resolved."},
                 {"", {NAN, 2.9, 2.7}, 0.001, "better than 1 of 2 others; not resolved: none (diverged)."},
                 {"0.1M,1M", {3, 2.9, 2.7}, 0.001, "- Lowest loss at 1M: rope, 2.7000 nats a token; by"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("none;alibi;rope", "", cases[n].scale, "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            const double chance = cases[n].spread * (job.variant + 1) * (job.seed - 1);
            put_rising(&job, cases[n].losses[job.variant] + chance, 0);
            if (isnan(cases[n].losses[job.variant])) put(&job, MEASURED_HEADER "diverged,8,nan,1\n");
        }
        read_all(&outcome);
        char *text = section(report_answer, &outcome);
        expect_text(text, cases[n].sentence);
        free(text);
        outcome_free(&outcome);
    }
}

// Each setting has a row of what was trained in it.
static void settings_are_told(void **state) {
    const SettingLists lists = {"0.1M,0.3M", "5,20", "64,256", .layers = true};
    Outcome outcome;
    Error error;
    make_plan("none;rope", "", "", "");
    must(plan_settings(plan, &lists, &error), &error);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.variant, 0);
    }
    read_all(&outcome);
    char *text = section(report_answer, &outcome), row[512];
    expect_text(text, "each scheme from 3 seeds, in each of these settings");
    expect_text(row_of(text, "| 0.3M-20tpp-256 | tales | ", row), " | 4 | 5 | 80 | 256 | ");
    expect_text(row, " | 20 | ");
    free(text);
    outcome_free(&outcome);
}

static void diverged_runs_are_named(void **state) {
    Outcome outcome;
    make_plan("none;alibi;alibi-learned;learned", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.1 * job.variant + 0.001 * job.variant * job.seed, 0);
    }
    const Job none = {.task = -1, .variant = 0, .seed = 1}, designed = {.task = -1, .variant = 1, .seed = 1};
    put(&none, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    char *text = section(report_losses, &outcome);
    expect_text(text, "| none | diverged | - |");
    expect_text(text, "| alibi | 3.1010 ± 0.0010 |");
    free(text);
    text = section(report_answer, &outcome);
    expect_text(text, "alibi is better than alibi-learned by 0.1010 nats a token");
    free(text);
    outcome_free(&outcome);
    put_rising(&none, 3, 0);
    put(&designed, MEASURED_HEADER "diverged,8,nan,1\n");
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "alibi-learned or alibi: not known, because a run diverged.");
    expect_no_text(text, "nan");
    free(text);
    outcome_free(&outcome);
}

static void a_page_says_that_runs_are_missing(void **state) {
    Outcome outcome;
    char path[PATH_CAPACITY];
    make_plan("none;alibi", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.variant, 0);
    }
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_no_text(text, "Not finished");
    free(text);
    outcome_free(&outcome);
    const Job last = {.task = -1, .variant = 1, .seed = SEEDS - 1};
    path_of(path, &last, "measured.csv");
    unlink(path);
    read_all(&outcome);
    text = section(report_answer, &outcome);
    expect_text(text, "Not finished: 5 of 6 runs are done, and this page has 2 of 3 seeds.");
    free(text);
    outcome_free(&outcome);
}

// With several texts the answer is that over the texts: texts that disagree leave open what each of them resolves.
static void texts_are_the_units(void **state) {
    for (int agree = 0; agree < 2; agree++) {
        Outcome outcome;
        Error error;
        begin(plan);
        must(plan_text(plan, "book", VOCAB, 1e6, &error) && plan_text(plan, "code", VOCAB, 1e6, &error) &&
                 set_variants(plan, "sinusoidal;learned", "", &error) && plan_rates(plan, "", &error) &&
                 set_sizes(plan, "", "", &error) && plan_tasks(plan, "", &error),
             &error);
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            const double gap = agree ? -0.3 - 0.001 * job.setting : 0.3 - 0.3 * job.setting;
            put_rising(&job, 3 + job.variant * (gap + 0.0001 * job.seed), 0);
        }
        read_all(&outcome);
        char *text = section(report_answer, &outcome);
        if (agree) {
            expect_text(text, "- Over the 3 texts: learned is better than sinusoidal by 0.30");
            expect_text(text, "learned is better than sinusoidal in all 3 settings by about 0.30 nats a token.");
        } else {
            expect_text(text, "- Over the 3 texts: learned or sinusoidal: not resolved, learned - sinusoidal is +0.0");
            expect_text(text, "learned is better than sinusoidal on code by 0.29");
            expect_text(text, "; sinusoidal is better than learned on tales by 0.30");
            expect_text(text, "; not resolved on book.");
            expect_no_text(text, "Over the 3 texts: sinusoidal is better");
        }
        expect_text(text, "and over the texts also the choice of text");
        free(text);
        outcome_free(&outcome);
    }
}

// With several sizes there is an answer for each of them.
static void over_the_texts_settings_are_told_apart(void **state) {
    Outcome outcome;
    Error error;
    begin(plan);
    must(plan_text(plan, "book", VOCAB, 1e6, &error) && set_variants(plan, "sinusoidal;learned", "", &error) &&
             plan_rates(plan, "", &error) && set_sizes(plan, "0.1M,0.3M", "", &error) && plan_tasks(plan, "", &error),
         &error);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const double gap = plan->settings[job.setting].parameters < 200000 ? -0.3 : 0.3;
        put_rising(&job, 3 + job.variant * (gap + 0.0001 * (job.seed + job.setting / 2)), 0);
    }
    read_all(&outcome);
    char *text = section(report_answer, &outcome);
    expect_text(text, "- Over the 2 texts: learned is better than sinusoidal at 0.1M by 0.2998 nats");
    expect_text(text, "; sinusoidal is better than learned at 0.3M by 0.30");
    expect_text(text, "over the texts (0.1M)");
    expect_text(text, "over the texts (0.3M)");
    free(text);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_difference_has_one_verdict, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(intervals_hold_all_at_once, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(late_contrasts_are_marked, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(the_winner_is_told, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(an_interval_says_what_it_is, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(peeking_is_told, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(without_pairs_the_reference_is_compared, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(settings_are_told, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(diverged_runs_are_named, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_page_says_that_runs_are_missing, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(texts_are_the_units, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(over_the_texts_settings_are_told_apart, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
