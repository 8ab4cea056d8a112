// The first screen of a report, for given measurements.
#include "tests/lab/report/sections.h"

// A contrast has one interval and one verdict on the whole page, in words, in the plot's table and among all pairs.
static void a_difference_has_one_verdict(void **state) {
    static const struct {
        double gap;
        const char *sentence, *row, *pair;
    } cases[] = {
        {-0.3, "learned is better than sinusoidal by 0.300 nats a token (0.275 to 0.325).", "| better |",
         "-0.300 (-0.325 to -0.275) *"},
        {0.3, "sinusoidal is better than learned by 0.300 nats a token (0.275 to 0.325).", "| worse |",
         "+0.300 (+0.275 to +0.325) *"},
        {0.001, "learned vs sinusoidal: not resolved; learned - sinusoidal: +0.001 (-0.024 to +0.026) nats a token.",
         "| not resolved |", "+0.001 (-0.024 to +0.026) |"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        make_plan("sinusoidal;learned", "", "", "");
        put_gaps(cases[n].gap, 0.01);
        const char *answer = section(report_answer);
        expect_text(answer, cases[n].sentence);
        expect_no_text(answer, "Lowest loss"); // the contrast says it
        expect_text(row_of(answer, "| learned - sinusoidal |"), cases[n].row);
        expect_text(section_as(report_pairs, "html"), cases[n].pair);
    }
}

// With more contrasts, each has a longer interval; pairs that are not contrasts have another correction.
static void intervals_hold_all_at_once(void **state) {
    Error error;
    make_plan("sinusoidal;learned;rope;rope-learned;none", "", "", "");
    must(plan_contrast(plan, "learned - sinusoidal", "2026-01-31T23:59:59Z", 0, &error) &&
             plan_contrast(plan, "rope-learned - rope", "2026-01-31T23:59:59Z", 0, &error),
         &error);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 - 0.3 * (job.variant % 2) + 0.01 * (job.variant % 2) * (job.seed - 1), 0);
    }
    expect_text(section(report_answer), "learned is better than sinusoidal by 0.300 nats a token (0.264 to 0.336).");
    gather();
    assert_int_equal(facts.contrasts, 2);
    const Difference pair = outcome_difference(&outcome, 1, 2, 0, 1), *contrast = report_contrast(&facts, 0);
    const Interval of_ten = paired_interval(&pair.gap, 10), of_two = paired_interval(&contrast->gap, 2);
    assert_true(fabs(pair.interval.low - of_ten.low) < 1e-12 && contrast->interval.low == of_two.low);
    // A contrast seen from its other side has the same interval with the other sign.
    assert_true(outcome_difference(&outcome, 0, 1, 0, 1).interval.low == -contrast->interval.high);
    forget();
}

// A contrast that was named after there were results is exploratory everywhere.
static void late_contrasts_are_marked(void **state) {
    for (int after = 0; after <= 6; after += 6) {
        Error error;
        make_plan("none;rope;alibi", "", "", "");
        must(plan_contrast(plan, "rope - alibi", "2026-01-31T23:59:59Z", after, &error), &error);
        put_gaps(0.3, 0.001);
        const char *text = section(report_answer);
        expect_text(text, after ? "- Exploratory: rope is better than alibi" : "- rope is better than alibi");
        expect_text(text, after ? "| better (exploratory) |" : "| better |");
        expect_no_text(text, "none is");
        const char *html = section_as(report_answer, "html");
        expect_if(after, html, "<g class=\"interval h1 d1\"");
        expect_if(after, html, "hollow: not planned (exploratory)");
    }
}

// In all tables, each interval is labelled: one of the primary ones, a single one, one of all pairs.
static void an_interval_says_what_it_is(void **state) {
    static const char *const forms[] = {"md", "html", "tex"}, *const contrasts[] = {"rope - none", "alibi - none",
                                                                                    "alibi - rope"};
    static const char *const first[] = {"exploratory, corrected for 3 pairs", "primary, single",
                                        "primary, corrected for 2"};
    for (int primary = 0; primary < 3; primary++) {
        Error error;
        make_plan("none;rope;alibi", "", "", "");
        plan->contrast_count = 0;
        for (int i = 0; i < 3; i++)
            must(plan_contrast(plan, contrasts[i], "2026-01-31T23:59:59Z", i < primary ? 0 : 6, &error), &error);
        put_gaps(-0.3, 0.01);
        for (size_t form = 0; form < COUNT(forms); form++) {
            const char *text = section_as(report_answer, forms[form]);
            const bool latex = form == 2;
            expect_text(row_of(text, latex ? "rope - none &" : "| rope - none |"), first[primary]);
            expect_text(row_of(text, latex ? "alibi - rope &" : "| alibi - rope |"), first[0]);
        }
    }
}

// Adding seeds costs certainty only if results had been seen; leaving out seeds that were seen is reported.
static void peeking_is_told(void **state) {
    make_plan("none;rope", "", "", "");
    put_gaps(-0.3, 0.01);
    for (int looks = 0; looks < 2; looks++) {
        plan->look_count = looks;
        plan->looks[0] = 2;
        const char *text = section(report_answer);
        expect_if(looks, text, "Seeds were added after results had been seen. ");
        expect_no_text(text, "their results seen");
        plan->looks[0] = 5;
        text = section(report_answer);
        expect_if(looks, text, "5 seeds were trained and their results seen; this page has the first 3.");
        expect_no_text(text, "Seeds were added");
    }
    plan->look_count = 0;
    plan->most_seeds = 9;
    expect_text(section(report_answer), "9 seeds were planned, and runs of that plan done");
    plan->most_seeds = 3;
    expect_no_text(section(report_answer), "were planned");
    expect_no_text(section(report_answer), "rates were changed");
    plan->rates_after = 4;
    expect_text(section(report_answer), "The learning rates were changed after 4 runs");
    plan->rates_after = 0;
}

// Without named contrasts, every scheme is compared with the reference.
static void without_names_the_reference_is_compared(void **state) {
    make_plan("none;rope;learned;sinusoidal", "", "", "");
    put_gaps(-0.3, 0.01);
    const char *text = section(report_answer);
    expect_text(text, "rope is better than none by 0.300");
    expect_text(text, "sinusoidal is better than none by 0.90");
    expect_no_text(text, "learned - sinusoidal");
    const char *html = section_as(report_answer, "html"); // the plot says which side is whose
    expect_text(html, ">better than none<");
    expect_text(html, ">worse than none<");
}

// All schemes in the order of their losses, with both intervals against the reference.
static void schemes_are_ranked(void **state) {
    static const char *const forms[] = {"md", "html", "tex"};
    make_plan("none;rope;alibi", "", "", "copy:max=5");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.task < 0) put_rising(&job, 3 + job.variant * (-0.3 + 0.01 * (job.seed - 1)), 0.5);
        if (job.task >= 0) put(&job, MEASURED_HEADER "right,5,0.75,100\nright,6,0.5,100\nbatches,0,7,1\n");
    }
    for (size_t form = 0; form < COUNT(forms); form++) {
        const char *text = section_as(report_answer, forms[form]);
        const char *first = strstr(text, form == 2 ? "alibi & " : "| alibi | "),
                   *last = strstr(text, form == 2 ? "\nnone & " : "| none | ");
        if (!(first && last && first < last)) fail_msg("%s: %s", forms[form], text);
        if (form == 2) continue;
        const char *row = row_of(text, "| rope | ");
        // Alone 4.30 * 0.01 / sqrt(3), and 6.21 instead of 4.30 for one of two.
        expect_text(row, "| 2.7000 | better | 3.2000 | -0.300 | -0.325 to -0.275 | -0.336 to -0.264 | 75 / 50 |");
        expect_text(row_of(text, "| none | "), "| 3.0000 | reference | 3.5000 | - | - | - |");
    }
}

// In windows of 2, 4 and 8 times the trained length, all schemes that have a loss there are one family.
static void longer_windows_are_compared(void **state) {
    static const char *const forms[] = {"md", "html", "tex"};
    make_plan("rope;y=rope --stretch yarn:factor=4;alibi;learned", "", "", "");
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const double loss = 3 + (job.variant == 2 ? 0.3 : 0), rise = job.variant == 1 ? 0.1 + 0.01 * job.seed : 1;
        char file[512], rows[128] = "";
        if (job.variant < 3)
            snprintf(rows, sizeof rows, "loss,%d,%.10g,999\nloss,%d,%.10g,999\nloss,%d,%.10g,999\n", 2 * T, loss + rise,
                     4 * T, loss + 2 * rise, 8 * T, loss + 3 * rise);
        snprintf(file, sizeof file, MEASURED_HEADER "loss,%d,%.10g,999\n%sbatches,0,7,1\n", T, loss, rows);
        put(&job, file);
    }
    for (size_t form = 0; form < COUNT(forms); form++) {
        const char *text = section_as(report_answer, forms[form]);
        if (form == 2) {
            expect_text(text, "y - rope & $");
            continue;
        }
        char row[64];
        expect_text(text, "all 6 of them hold at once");
        expect_text(text, ", 8 times as long as in training, better than rope (exploratory): y.");
        expect_text(text, ", 8 times as long as in training, worse than rope (exploratory): alibi.");
        for (int times = 2; times <= 8; times *= 2) {
            snprintf(row, sizeof row, "| y - rope | %d |", times * T);
            expect_text(row_of(text, row), times == 2   ? "| -0.890 | -0.915 to -0.865 | -0.95"
                                           : times == 4 ? "| -1.78"
                                                        : "| -2.67");
            expect_text(row_of(text, row), "| better |");
            snprintf(row, sizeof row, "| alibi - rope | %d |", times * T);
            expect_text(row_of(text, row), "| +0.30 | +0.30 to +0.30 | +0.30 to +0.30 | worse |");
            snprintf(row, sizeof row, "| learned - rope | %d |", times * T);
            expect_no_text(text, row);
        }
    }
}

// The first lines name the scheme that is better in the longest windows, in whichever direction its contrast is.
static void the_longest_windows_are_told(void **state) {
    static const char *const contrasts[] = {NULL, "alibi - rope", "rope - alibi"};
    for (size_t n = 0; n < COUNT(contrasts); n++) {
        Error error;
        make_plan("rope;alibi;t5", "", "", "");
        if (contrasts[n]) must(plan_contrast(plan, contrasts[n], "2026-01-31T23:59:59Z", 0, &error), &error);
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + 0.001 * job.seed, job.variant == 1 ? 0.1 : 1); // t5 as rope: not resolved, not named
        }
        const char *text = section(report_answer);
        expect_text(text, ", 8 times as long as in training, better than rope (exploratory): alibi.");
        expect_no_text(text, "as in training, worse than");
    }
    make_plan("rope;none;t5", "", "", ""); // "none" alone would read as "nothing"
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + 0.001 * job.seed, job.variant == 1 ? 0.1 : 1);
    }
    expect_text(section(report_answer), "better than rope (exploratory): none (no positions).");
}

// The sides left and right of 0 in the plot are labelled with names that are always the same.
static void sides_are_told(void **state) {
    static const struct {
        const char *contrasts[2], *left, *right;
    } cases[] = {{{"rope - none", "rope - alibi"}, ">rope better<", ">rope worse<"},
                 {{"rope - none", NULL}, ">rope better<", ">none better<"},
                 {{"rope - none", "alibi - rope"}, ">named first: better<", ">named second: better<"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        Error error;
        make_plan("none;rope;alibi", "", "", "");
        for (int i = 0; i < 2 && cases[n].contrasts[i]; i++)
            must(plan_contrast(plan, cases[n].contrasts[i], "2026-01-31T23:59:59Z", 0, &error), &error);
        put_gaps(-0.3, 0.01);
        const char *html = section_as(report_answer, "html");
        expect_text(html, cases[n].left);
        expect_text(html, cases[n].right);
    }
}

// A scheme that is not better than no positions is named.
static void who_is_not_better_than_none_is_told(void **state) {
    static const struct {
        double gap;
        const char *schemes, *sentence;
    } cases[] = {{-0.3, "none;rope;alibi", NULL},
                 {0.0001, "none;rope;alibi", "Not shown to be better than no positions at all: rope, alibi. They"},
                 {0.3, "rope;none;alibi", "Not shown to be better than no positions at all: alibi. It"},
                 {0.3, "rope;alibi", NULL}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        make_plan(cases[n].schemes, "", "", "");
        put_gaps(cases[n].gap, 0.01);
        const char *text = section(report_answer);
        if (cases[n].sentence)
            expect_text(text, cases[n].sentence);
        else
            expect_no_text(text, "no positions at all");
    }
}

// If no run has left the plateau, this is said once, instead of naming the schemes that are not better than none.
static void a_plateau_is_told_once(void **state) {
    for (int leaves = 0; leaves < 2; leaves++) {
        make_plan("none;rope;alibi", "", "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            char text[256];
            snprintf(text, sizeof text, MEASURED_HEADER "loss,%d,3,999\ncurve,%lld,3,1\n%sbatches,0,7,1\n", T,
                     plan->settings[0].steps, leaves && i == 4 ? "left,0,20,1\n" : "");
            put(&job, text);
        }
        const char *text = section(report_answer),
                   *told = strstr(text, "- In no run does the curve have a plateau that ends");
        assert_true((told != NULL) == !leaves);
        expect_if(leaves, text, "no positions at all");
        if (told) expect_no_text(told + 4, "In no run does the curve");
    }
}

// The scheme with the lowest loss comes first, with the number of schemes that it beats; unresolved ones are named.
static void the_winner_is_told(void **state) {
    static const struct {
        const char *scale;
        double losses[3]; // of none, alibi, rope, by chance around it
        double spread;
        const char *sentence;
    } cases[] = {
        {"",
         {3, 2.9, 2.7},
         0.001,
         "- Lowest loss: rope, 2.7000 nats a token; by corrected 95% intervals better than 2 of 2 others (1 of these "
         "tests exploratory: not planned)."},
        {"",
         {3, 2.7001, 2.7},
         0.01,
         "- No clear winner. Lowest loss: rope, 2.7000 nats a token; by corrected 95% intervals better than 1 of 2 "
         "others; not shown to be better than alibi."},
        {"",
         {9, 8.9, 8.8},
         1,
         "- No clear winner. Lowest loss: rope, 8.8000 nats a token; not shown to be better than none (no positions), "
         "alibi."},
        {"",
         {NAN, 2.9, 2.7},
         0.001,
         "- No clear winner. Lowest loss: rope, 2.7000 nats a token; by corrected 95% intervals better than 1 of 2 "
         "others (1 of these tests exploratory: not planned); not shown to be better than none (no positions) "
         "(diverged)."},
        {"0.1M,1M", {3, 2.9, 2.7}, 0.001, "- Lowest loss at 1.02M: rope, 2.7000 nats a token; by"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        make_plan("none;alibi;rope", "", cases[n].scale, "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            const double chance = cases[n].spread * (job.variant + 1) * (job.seed - 1);
            if (isnan(cases[n].losses[job.variant]))
                put_diverged(&job);
            else
                put_rising(&job, cases[n].losses[job.variant] + chance, 0);
        }
        expect_text(section(report_answer), cases[n].sentence);
    }
}

// Each setting has a row that describes its training, and a column of losses.
static void settings_are_told(void **state) {
    const SettingLists lists = {"0.1M,0.3M", "5,20", "64,256", .layers = true};
    Error error;
    make_plan("none;rope", "", "", "");
    must(plan_settings(plan, &lists, &error), &error);
    put_gaps(1, 0);
    const char *text = section(report_answer);
    expect_text(text, "each scheme from 3 seeds, in each of these settings");
    expect_text(row_of(text, "| 332k-20tpp-256 | tales | "), " | 4 | 5 | 80 | 256 | ");
    expect_text(row_of(text, "| 332k-20tpp-256 | tales | "), " | 20 | ");
    expect_text(strstr(text, "| rope | diverged |"), "| 4.0000 ± 0.0000 | 4.0000 ± 0.0000 |");
    expect_text(text, "in each of these settings (tpp: training tokens per parameter).");
    const SettingLists lengths = {"0.1M", "5,20", "", .layers = true};
    make_plan("none;rope;alibi", "", "", "");
    must(plan_settings(plan, &lengths, &error), &error);
    put_gaps(1, 0);
    expect_text(section(report_answer), " (tpp: training tokens per parameter): none, 3.0000 nats a token");
}

static void diverged_runs_are_named(void **state) {
    const Job none = {.task = -1, .variant = 0, .seed = 1}, designed = {.task = -1, .variant = 1, .seed = 1};
    Error error;
    make_plan("none;alibi;alibi-learned;learned", "", "", "");
    must(plan_contrast(plan, "alibi-learned - alibi", "2026-01-31T23:59:59Z", 0, &error), &error);
    put_gaps(0.1, 0.001);
    put_diverged(&none);
    const char *text = section(report_answer);
    expect_text(text, "| none | diverged |");
    expect_text(text, "| alibi | 3.1000 ± 0.0010 |");
    expect_text(text, "alibi is better than alibi-learned by 0.1000 nats a token");
    expect_text(text, "| alibi | 3.1000 | not known | "); // because the reference diverged
    expect_no_text(text, "no positions at all");          // likewise
    put_diverged(&designed);
    text = section(report_answer);
    expect_text(text, "alibi-learned vs alibi: not known, because a run diverged.");
    expect_no_text(text, "nan");
}

static void a_page_says_that_runs_are_missing(void **state) {
    const Job last = {.task = -1, .variant = 1, .seed = SEEDS - 1};
    char path[PATH_CAPACITY];
    make_plan("none;alibi", "", "", "");
    put_gaps(1, 0);
    expect_no_text(section(report_answer), "Not finished");
    path_of(path, &last, "measured.csv");
    unlink(path);
    expect_text(section(report_answer), "Not finished: 5 of 6 runs are done, and this page has 2 of 3 seeds.");
}

// A plan with sinusoidal and learned, on tales and other texts.
static void plan_texts(const char *other, const char *scale) {
    Error error;
    begin(plan);
    must((!*other || plan_text(plan, other, VOCAB, 1e6, &error)) && plan_text(plan, "book", VOCAB, 1e6, &error) &&
             set_variants(plan, "sinusoidal;learned", "", &error) && plan_rates(plan, "", &error) &&
             set_sizes(plan, scale, "", &error) && plan_tasks(plan, "", &error),
         &error);
}

// With several texts the answer is over all texts: if they disagree, it is open although each text resolves it.
static void texts_are_the_units(void **state) {
    for (int agree = 0; agree < 2; agree++) {
        plan_texts("code", "");
        for (int s = 0; s < 3; s++) put_gap(s, agree ? -0.3 - 0.001 * s : 0.3 - 0.3 * s, 0.0001);
        const char *text = section(report_answer);
        if (agree) {
            expect_text(text, "- Over the 3 texts: learned is better than sinusoidal by 0.30");
            expect_text(text,
                        "learned is better than sinusoidal in all 3 settings by medians of 0.30 to 0.30 nats a token.");
        } else {
            expect_text(text, "- Over the 3 texts: learned vs sinusoidal: not resolved; learned - sinusoidal: +0.0");
            expect_text(text, "learned is better than sinusoidal on book by 0.3");
            expect_text(text, "; sinusoidal is better than learned on tales by 0.30");
            expect_text(text, "; not resolved on code.");
            expect_no_text(text, "Over the 3 texts: sinusoidal is better");
        }
        expect_text(text, "and over the texts also the choice of text");
    }
}

// With several sizes there is an answer for each of them.
static void over_the_texts_settings_are_told_apart(void **state) {
    plan_texts("", "0.1M,0.3M");
    for (int s = 0; s < plan->setting_count; s++)
        put_gap(s, (plan->settings[s].parameters < 200000 ? -0.3 : 0.3) + 0.0001 * (s / 2), 0.0001);
    const char *text = section(report_answer);
    expect_text(text, "- Over the 2 texts: learned is better than sinusoidal at 97.2k by 0.2999");
    expect_text(text, "; sinusoidal is better than learned at 332k by 0.30");
    expect_text(text, "| over the texts 97.2k |");
    expect_text(text, "| over the texts 332k |");
}

// A ladder is described by the changes between its settings, not by one slope.
static void a_ladder_is_told_step_by_step(void **state) {
    static const struct {
        double gaps[3];
        const char *rows[3];
    } cases[] = {{{0.1, -0.4, -0.2}, {"| 97.2k | 332k | -0.499", "| 332k | 1.02M | +0.19", "| 97.2k | 1.02M | -0.30"}},
                 {{0.1, 0.1, 0.1}, {"| 97.2k | 332k | +0.00", "| 332k | 1.02M | -0.00", "| 97.2k | 1.02M | +0.00"}}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
        for (int s = 0; s < 3; s++) put_gap(s, cases[n].gaps[s] + 0.001 * (s % 2), 0.001 * (1 + s % 2));
        const char *scale = section(report_scale);
        expect_text(scale, "the intervals are corrected for all 3 changes");
        for (int i = 0; i < 3; i++)
            expect_text(row_of(scale, cases[n].rows[i]), n            ? "| not resolved |"
                                                         : i % 2 == 0 ? "| in favour of learned |"
                                                                      : "| in favour of sinusoidal |");
    }
}

// A ladder's page begins with losses against compute, and names smaller sizes where a scheme is not better than none.
static void a_ladder_begins_with_its_figure(void **state) {
    make_plan("none;rope", "", "0.1M,0.3M", "");
    put_gap(0, 0, 0.01);
    put_gap(1, -0.3, 0.01);
    const char *text = section(report_answer), *figure = strstr(text, "Losses against compute"),
               *table = strstr(text, "Schemes by loss at 332k");
    assert_non_null(figure);
    assert_non_null(table);
    assert_true(figure < table);
    expect_text(text, "Not shown to be better than no positions at all: rope at 97.2k. It");
    expect_no_text(text, "no positions at all: rope at 332k");
}

// The sentence about contrasts in several settings: a crossing is not hidden.
static void a_difference_in_several_settings(void **state) {
    static const struct {
        double gaps[3];
        const char *sentence;
    } cases[] = {
        {{0.001, -0.15, -0.3},
         "learned is better than sinusoidal at 332k, 1.02M by medians of 0.15 to 0.30 nats a token; not resolved at "
         "97.2k."},
        {{0.5, -0.15, -0.3},
         "learned is better than sinusoidal at 332k, 1.02M by medians of 0.15 to 0.30 nats a token; sinusoidal is "
         "better than "
         "learned at 97.2k by 0.500 nats a token (0.4"},
        {{NAN, -0.15, 0.001}, "learned is better than sinusoidal at 332k by 0.150 nats a token (0.1"},
        {{NAN, -0.15, 0.001}, "; not resolved at 1.02M; not known, because a run diverged at 97.2k."},
        {{0, 0, 0}, "learned vs sinusoidal: not resolved in all 3 settings."},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
        for (int s = 0; s < 3; s++) put_gap(s, cases[n].gaps[s], 0.005);
        const Job first = {.task = -1, .variant = 1};
        if (isnan(cases[n].gaps[0])) put_diverged(&first);
        for (int seed = 1; isnan(cases[n].gaps[0]) && seed < SEEDS; seed++)
            put_diverged(&(Job){.task = -1, .variant = 1, .seed = seed});
        expect_text(section(report_answer), cases[n].sentence);
    }
}

static void one_seed_cannot_tell(void **state) {
    Error error;
    make_plan("sinusoidal;learned", "", "", "");
    must(plan_seeds(plan, 1, &error), &error);
    put_gaps(-0.5, 0);
    const char *text = section(report_answer);
    expect_text(text, "one seed cannot tell; learned - sinusoidal: -0.50 nats a token.");
    expect_text(text, "| -0.50 | - | - | one seed cannot tell | - |");

    make_plan("sinusoidal;learned;rope", "", "", "");
    must(plan_seeds(plan, 1, &error), &error);
    put_gaps(-0.5, 0);
    text = section(report_answer);
    expect_text(text, "- Lowest loss: rope, 2.0000 nats a token; one seed cannot tell");
    expect_no_text(text, "winner");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        section_test(a_difference_has_one_verdict),
        section_test(intervals_hold_all_at_once),
        section_test(longer_windows_are_compared),
        section_test(the_longest_windows_are_told),
        section_test(sides_are_told),
        section_test(a_plateau_is_told_once),
        section_test(late_contrasts_are_marked),
        section_test(an_interval_says_what_it_is),
        section_test(peeking_is_told),
        section_test(without_names_the_reference_is_compared),
        section_test(schemes_are_ranked),
        section_test(who_is_not_better_than_none_is_told),
        section_test(the_winner_is_told),
        section_test(settings_are_told),
        section_test(diverged_runs_are_named),
        section_test(a_page_says_that_runs_are_missing),
        section_test(texts_are_the_units),
        section_test(over_the_texts_settings_are_told_apart),
        section_test(a_ladder_is_told_step_by_step),
        section_test(a_ladder_begins_with_its_figure),
        section_test(a_difference_in_several_settings),
        section_test(one_seed_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
