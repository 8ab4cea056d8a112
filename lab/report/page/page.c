#include "lab/report/page/page.h"

#include "base/file/text.h"
#include "lab/report/page/gnuplot.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const char style[] =
    ":root{color-scheme:light dark;--line:#8888}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}\n"
    "h1{line-height:1.2}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem}caption{text-align:left;padding:.3rem 0}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}\n"
    "figure{margin:1rem "
    "0}figcaption{font-weight:600}svg{display:block;width:100%;height:auto;min-width:36rem;max-width:52rem}\n"
    "pre{overflow-x:auto;padding:.6rem;border:1px solid var(--line)}summary{cursor:pointer}\n"
    "@media print{:root{color-scheme:light}body{max-width:none}details{display:none}.wide{overflow:visible}"
    "svg{min-width:0}table{font-size:.6rem}figure,tr{break-inside:avoid}}\n";

// Control characters become spaces, because a newline in a name would end the line.
static char printable(char c) {
    return (unsigned char)c < 0x20 || c == 0x7F ? ' ' : c;
}

void html_text(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(printable(*text), out);
    }
}

void markdown_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_|<>[]", *text)) fputc('\\', out);
        fputc(printable(*text), out);
    }
}

void page_both(Page *page, const char *html, const char *html_end, const char *markdown, const char *markdown_end,
               const char *text) {
    fputs(html, page->html.stream);
    html_text(page->html.stream, text);
    fputs(html_end, page->html.stream);
    fputs(markdown, page->markdown.stream);
    markdown_text(page->markdown.stream, text);
    fputs(markdown_end, page->markdown.stream);
}

bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error) {
    char path[PATH_CAPACITY];
    *page = (Page){.directory = directory};
    page->plots = gnuplot_exists();
    if (!path_format(path, error, "%s/%s.md", directory, name) || !atomic_open(&page->markdown, path, error))
        return false;
    if (!path_format(path, error, "%s/%s.html", directory, name) || !atomic_open(&page->html, path, error)) {
        atomic_abandon(&page->markdown);
        return false;
    }
    FILE *html = page->html.stream;
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          html);
    html_text(html, title);
    fprintf(html, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    page_both(page, "", "</h1>\n", "# ", "\n", title);
    if (!page->plots)
        page_paragraph(page,
                       "There is no gnuplot on this machine, so plots are left out; \"make deps\" installs it, and "
                       "\"bitter report\" writes this page again.");
    return true;
}

// Remove plots that an earlier report with more plots has left.
static void remove_others(const Page *page) {
    char path[PATH_CAPACITY];
    Error ignored;
    for (int number = page->charts + 1; path_format(path, &ignored, "%s/plot-%d.svg", page->directory, number);
         number++)
        if (unlink(path) != 0) return;
}

bool page_close(Page *page, Error *error) {
    fputs("</body>\n</html>\n", page->html.stream);
    if (!atomic_commit(&page->html, error)) {
        atomic_abandon(&page->markdown);
        return false;
    }
    if (!atomic_commit(&page->markdown, error)) return false;
    remove_others(page);
    return true;
}

void page_abandon(Page *page) {
    atomic_abandon(&page->markdown);
    atomic_abandon(&page->html);
}

void page_heading(Page *page, const char *text) {
    page_both(page, "<h2>", "</h2>\n", "\n## ", "\n", text);
}

// The text that a format prints, terminated; it belongs to `text`.
static char *printed(Text *text, const char *format, va_list arguments) {
    static char none[] = "(no memory for this text)";
    text_print_list(text, format, arguments);
    text_print(text, "%c", '\0');
    return text->failed ? none : text->bytes;
}

void page_paragraph(Page *page, const char *format, ...) {
    Text text = {0};
    va_list arguments;
    va_start(arguments, format);
    page_both(page, "<p>", "</p>\n", "\n", "\n", printed(&text, format, arguments));
    va_end(arguments);
    text_free(&text);
}

void page_code(Page *page, const char *text) {
    fputs("<pre>", page->html.stream);
    html_text(page->html.stream, text);
    fputs("</pre>\n", page->html.stream);
    // The fence is longer than any run of backticks in the text, which would end it.
    size_t fence = 3;
    for (const char *at = text; (at = strchr(at, '`')); at += strspn(at, "`"))
        if (strspn(at, "`") >= fence) fence = strspn(at, "`") + 1;
    FILE *markdown = page->markdown.stream;
    for (int end = 0; end < 2; end++) {
        fputc('\n', markdown);
        for (size_t i = 0; i < fence; i++) fputc('`', markdown);
        fputc('\n', markdown);
        for (const char *at = text; !end && *at; at++) fputc(printable(*at), markdown);
    }
}

void page_table(Page *page, const char *caption, ...) {
    Text text = {0};
    va_list arguments;
    va_start(arguments, caption);
    const char *words = printed(&text, caption, arguments);
    va_end(arguments);
    fputs("<div class=\"wide\" tabindex=\"0\"><table>\n", page->html.stream);
    fputs("\n", page->markdown.stream);
    if (*words) page_both(page, "<caption>", "</caption>\n", "", "\n\n", words);
    text_free(&text);
}

// In Markdown, a line of dashes follows the headings.
static void end_row(Page *page) {
    if (page->cells == 0) return;
    fputs("</tr>\n", page->html.stream);
    fputs(page->heading ? "\n|" : "\n", page->markdown.stream);
    for (int i = 0; page->heading && i < page->cells; i++) fputs(i == 0 ? "---|" : "---:|", page->markdown.stream);
    if (page->heading) fputs("\n", page->markdown.stream);
    page->cells = 0;
}

static void cell_text(Page *page, const char *text) {
    page_both(page, page->heading ? "<th>" : "<td>", page->heading ? "</th>" : "</td>", " ", " |", text);
    page->cells++;
}

void page_row(Page *page, bool heading, const char *format, ...) {
    Text text = {0};
    va_list arguments;
    end_row(page);
    page->heading = heading;
    fputs("<tr>", page->html.stream);
    fputs("|", page->markdown.stream);
    va_start(arguments, format);
    char *at = printed(&text, format, arguments);
    va_end(arguments);
    while (at) {
        char *next = strchr(at, '|');
        if (next) *next++ = '\0';
        cell_text(page, at);
        at = next;
    }
    text_free(&text);
}

void page_cell(Page *page, const char *format, ...) {
    Text text = {0};
    va_list arguments;
    va_start(arguments, format);
    cell_text(page, printed(&text, format, arguments));
    va_end(arguments);
    text_free(&text);
}

void page_number(Page *page, int digits, double value) {
    if (isnan(value))
        cell_text(page, "-");
    else
        page_cell(page, "%.*f", digits, value);
}

void page_table_end(Page *page) {
    end_row(page);
    fputs("</table></div>\n", page->html.stream);
}
