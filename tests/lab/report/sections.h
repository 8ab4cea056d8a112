// Sections of a report about hand-made measurements, for tests.
#ifndef BITTER_REPORT_PAGES_H
#define BITTER_REPORT_PAGES_H

#include "lab/report/sections.h"
#include "tests/lab/compare/run_files.h"

enum { SEEDS = 3 };

// A run on text whose loss is `loss` in windows of the trained length, and `rise` more in windows eight times as long.
static inline void put_rising(const Job *job, double loss, double rise) {
    char text[512];
    snprintf(text, sizeof text,
             MEASURED_HEADER "choose,%d,1,1000\nloss,%d,%.10g,999\nloss,%d,%.10g,999\nparameters,0,100000,1\n"
                             "positions,0,10,1\ntokens,0,2000000,1\nseconds,0,%d,1\nbatches,0,7,1\n",
             T, T, loss, 8 * T, loss + rise, 2 + job->variant);
    put(job, text);
}

static inline void put_diverged(const Job *job) {
    put(job, MEASURED_HEADER "diverged,8,nan,1\n");
}

// Runs whose losses are those of variant 0, in this setting, and `gap` more for each variant after it, with differences
// that are `spread` apart between the seeds.
static inline void put_gap(int setting, double gap, double spread) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (job.task < 0 && job.setting == setting)
            put_rising(&job, 3 + job.variant * (gap + spread * (job.seed - 1)), 0);
    }
}

static inline void put_gaps(double gap, double spread) {
    for (int s = 0; s < plan->setting_count; s++) put_gap(s, gap, spread);
}

// The runs' measurements, and their contrasts: those of the plan, named beforehand unless the test has named some.
static Outcome outcome;
static Facts facts;

static inline void gather(void) {
    Error error;
    read_all(&outcome);
    if (plan->contrast_count == 0) must(plan_default_contrasts(plan, "2026-01-31T23:59:59Z", 0, &error), &error);
    must(facts_gather(&facts, &outcome, &error), &error);
}

static inline void forget(void) {
    facts_free(&facts);
    outcome_free(&outcome);
}

static char *written; // of the section that was written last

static inline int end_sections(void **state) {
    free(written);
    written = NULL;
    return remove_directory(state);
}

typedef bool WriteSection(Page *, const Facts *, Error *);

// A section in one of its forms, valid until the next call. A row of a table in HTML is a line "| a | b |", as in
// Markdown.
static inline char *section_as(WriteSection *write, const char *form) {
    static const char *const marks[][2] = {{"<tr><td>", "| "},   {"<tr><th>", "| "},   {"</td><td>", " | "},
                                           {"</th><th>", " | "}, {"</td></tr>", " |"}, {"</th></tr>", " |"}};
    char path[PATH_CAPACITY];
    Page page;
    Buffer file;
    Error error;
    gather();
    must(page_open(&page, comparison.directory, "section", "Title", true, &error) && write(&page, &facts, &error) &&
             page_close(&page, &error) && path_format(path, &error, "%s/section.%s", comparison.directory, form) &&
             file_read(&file, path, &error),
         &error);
    forget();
    free(written);
    written = (char *)file.bytes;
    for (size_t i = 0; i < COUNT(marks); i++)
        for (char *at = written; (at = strstr(at, marks[i][0])); at += strlen(marks[i][1])) {
            char *rest = at + strlen(marks[i][0]);
            memcpy(at, marks[i][1], strlen(marks[i][1]));
            memmove(at + strlen(marks[i][1]), rest, strlen(rest) + 1);
        }
    return written;
}

static inline char *section(WriteSection *write) {
    return section_as(write, "md");
}

static inline void expect_no_text(const char *text, const char *part) {
    if (strstr(text, part)) fail_msg("there is\n%s\nin\n%s", part, text);
}

static inline void expect_if(bool there, const char *text, const char *part) {
    (there ? expect_text : expect_no_text)(text, part);
}

// The row of a table that begins with these words.
static inline const char *row_of(const char *text, const char *words) {
    static char row[512];
    const char *at = strstr(text, words), *end = at ? strchr(at, '\n') : NULL;
    if (!end) fail_msg("there is no\n%s\nin\n%s", words, text);
    snprintf(row, sizeof row, "%.*s", (int)(end - at), at);
    return row;
}

#define section_test(test) cmocka_unit_test_setup_teardown(test, begin_directory, end_sections)

#endif
