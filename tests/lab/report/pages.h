// Pages in a temporary directory, and charts, for tests.
#ifndef BITTER_PAGES_H
#define BITTER_PAGES_H

#include "base/utf8.h"
#include "lab/report/page/chart.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

#include <math.h>
#include <string.h>

static inline char *contents(const char *name) {
    char path[PATH_CAPACITY];
    Buffer file;
    Error error;
    must(path_format(path, &error, "%s/%s", directory, name) && file_read(&file, path, &error), &error);
    return (char *)file.bytes;
}

static inline bool exists(const char *name) {
    char path[PATH_CAPACITY];
    Error error;
    must(path_format(path, &error, "%s/%s", directory, name), &error);
    return path_exists(path);
}

static inline int files(void) {
    int count = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    for (const struct dirent *e; (e = readdir(entries));) count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(entries);
    return count;
}

static inline int times(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

// Every element that is opened is closed, in order; elements without an end tag are listed.
static inline void expect_balanced(const char *html) {
    static const char *const empty[] = {"!doctype", "meta", "link", "?xml"};
    static char open[64][32];
    int depth = 0;
    for (const char *at = strchr(html, '<'); at; at = strchr(at + 1, '<')) {
        char name[32] = "";
        if (strncmp(at, "<script>", 8) == 0 && !(at = strstr(at, "</script>"))) fail_msg("a script has no end");
        if (strncmp(at, "</script>", 9) == 0) continue;
        const char *close = strchr(at, '>');
        if (strncmp(at, "<!--", 4) == 0) continue;
        if (!close || sscanf(at, "<%31[^ \t\n/>]", name) + sscanf(at, "</%31[^ \t\n>]", name) < 1)
            fail_msg("what is this? %.60s", at);
        bool alone = close[-1] == '/';
        for (size_t i = 0; i < COUNT(empty); i++) alone = alone || strcmp(name, empty[i]) == 0;
        if (alone) continue;
        if (at[1] != '/') {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        } else if (depth == 0 || strcmp(open[--depth], name) != 0) {
            fail_msg("</%s> closes <%s>", name, open[depth]);
        }
    }
    assert_int_equal(depth, 0);
}

// The drawing is XML: its elements are balanced, and it has no character that XML does not allow. If xmllint is
// installed, it must accept the drawing, too.
static inline void expect_xml(const char *svg, const char *name) {
    char command[SCRATCH_PATH + 128];
    expect_balanced(svg);
    assert_true(is_utf8(svg));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    for (const char *at = svg; *at; at++)
        if ((unsigned char)*at < 0x20 && *at != '\n') fail_msg("control character %d", *at);
    snprintf(command, sizeof command, "! command -v xmllint >/dev/null 2>&1 || xmllint --noout '%s/%s' 2>/dev/null",
             directory, name);
    if (system(command) != 0) fail_msg("xmllint does not read %s", name);
}

static inline void open_page(Page *page, const char *title) {
    Error error;
    must(page_open(page, directory, "page", title, false, &error), &error);
}

static inline void close_page(Page *page) {
    Error error;
    must(page_close(page, &error), &error);
}

static const double xs[] = {16, 32, 64, 128}, ys[] = {2.5, 1, 0.125, NAN}, more[] = {3, 4, 5, 6},
                    lows[] = {2, 3.25, 4, 5}, highs[] = {3.5, 4.5, 6, 7};
// A chart of the first `count` lines; the first line is not drawn to its end.
static inline Chart usual_chart(int count) {
    Chart chart = {.x_label = "tokens",
                   .y_label = "nats",
                   .bands = count > 1,
                   .log_x = true,
                   .log_y = true,
                   .mark = 32,
                   .mark_label = "it's trained"};
    chart_line(&chart, "it's <a> & \"b\"");
    for (int i = 0; i < 4; i++) chart_interval(&chart, xs[i], ys[i], lows[i], highs[i]);
    if (count > 1) chart_line(&chart, "bands");
    for (int i = 0; count > 1 && i < 4; i++) chart_interval(&chart, xs[i], more[i], lows[i], highs[i]);
    return chart;
}

static inline bool draw_usual(Page *page, Error *error) {
    Chart chart = usual_chart(2);
    return page_chart(page, &chart, error, "Losses");
}

#endif
