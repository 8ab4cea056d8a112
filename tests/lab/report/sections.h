// Sections of a report about measurements that are made by hand, for tests.
#ifndef BITTER_REPORT_PAGES_H
#define BITTER_REPORT_PAGES_H

#include "lab/report/sections.h"
#include "tests/lab/compare/run_files.h"

enum { SEEDS = 3 };

// A run on text whose loss is `loss` in trained windows, and `rise` more in windows of eight times that.
static inline void put_rising(const Job *job, double loss, double rise) {
    char text[512];
    snprintf(text, sizeof text,
             MEASURED_HEADER "choose,%d,1,1000\nloss,%d,%.10g,999\nloss,%d,%.10g,999\nparameters,0,100000,1\n"
                             "positions,0,10,1\ntokens,0,2000000,1\nseconds,0,%d,1\nbatches,0,7,1\n",
             T, T, loss, 8 * T, loss + rise, 2 + job->variant);
    put(job, text);
}

// The contrasts of the plan, named beforehand unless the test has named some.
static inline void gather(Facts *facts, const Outcome *outcome) {
    Error error;
    if (plan->contrast_count == 0) must(plan_default_contrasts(plan, "2026-01-31T23:59:59Z", 0, &error), &error);
    must(facts_gather(facts, outcome, &error), &error);
}

// The Markdown of one section.
static inline char *section(bool (*write)(Page *, const Facts *, Error *), const Outcome *outcome) {
    char path[PATH_CAPACITY];
    Page page;
    Buffer file;
    Facts facts;
    Error error;
    gather(&facts, outcome);
    must(page_open(&page, comparison.directory, "section", "Title", &error) && write(&page, &facts, &error) &&
             page_close(&page, &error) && path_format(path, &error, "%s/section.md", comparison.directory) &&
             file_read(&file, path, &error),
         &error);
    facts_free(&facts);
    return (char *)file.bytes;
}

// The HTML of one section; a row of a table in it is a line "| a | b |", as in Markdown.
static inline char *section_html(bool (*write)(Page *, const Facts *, Error *), const Outcome *outcome) {
    static const char *const marks[][2] = {{"<tr><td>", "| "},   {"<tr><th>", "| "},   {"</td><td>", " | "},
                                           {"</th><th>", " | "}, {"</td></tr>", " |"}, {"</th></tr>", " |"}};
    char path[PATH_CAPACITY];
    Buffer file;
    Error error;
    free(section(write, outcome));
    must(path_format(path, &error, "%s/section.html", comparison.directory) && file_read(&file, path, &error), &error);
    char *text = (char *)file.bytes;
    for (size_t i = 0; i < COUNT(marks); i++)
        for (char *at = text; (at = strstr(at, marks[i][0])); at += strlen(marks[i][1])) {
            char *rest = at + strlen(marks[i][0]);
            memcpy(at, marks[i][1], strlen(marks[i][1]));
            memmove(at + strlen(marks[i][1]), rest, strlen(rest) + 1);
        }
    return text;
}

static inline void expect_no_text(const char *text, const char *part) {
    if (strstr(text, part)) fail_msg("there is\n%s\nin\n%s", part, text);
}

static inline char *row_of(const char *text, const char *words, char row[512]) {
    const char *at = strstr(text, words), *end = at ? strchr(at, '\n') : NULL;
    if (!end) fail_msg("there is no\n%s\nin\n%s", words, text);
    snprintf(row, 512, "%.*s", (int)(end - at), at);
    return row;
}

// Runs whose losses differ from those of variant 0 by gaps (settings), with differences that are `spread` apart between
// the seeds.
static inline void put_gaps(const double *gaps, double spread) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        put_rising(&job, 3 + job.variant * (gaps[job.setting] + spread * (job.seed - 1)), 0);
    }
}

#endif
