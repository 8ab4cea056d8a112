#include "lab/report/page/page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

// Control characters become spaces, because a newline in a name would end the line.
static char printable(char c) {
    return (unsigned char)c < 0x20 || c == 0x7F ? ' ' : c;
}

void markdown_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_|<>[]", *text)) fputc('\\', out);
        fputc(printable(*text), out);
    }
}

// Markdown that only outlines the text between it; nothing within folds.
static void mark(Page *page, const char *marks) {
    if (page->folded == 0) fputs(marks, page->markdown.stream);
}

// Write `text`, escaped for each file: html text html_end into the HTML, markdown text markdown_end into the Markdown.
static void both(Page *page, const char *html, const char *html_end, const char *markdown, const char *markdown_end,
                 const char *text) {
    fputs(html, page->html.stream);
    xml_text(page->html.stream, text);
    fputs(html_end, page->html.stream);
    if (page->folded > 0) return;
    fputs(markdown, page->markdown.stream);
    markdown_text(page->markdown.stream, text);
    fputs(markdown_end, page->markdown.stream);
}

bool page_open(Page *page, const char *directory, const char *name, const char *title, Error *error) {
    char path[PATH_CAPACITY];
    *page = (Page){.directory = directory};
    if (!path_format(path, error, "%s/%s.md", directory, name) || !atomic_open(&page->markdown, path, error))
        return false;
    if (!path_format(path, error, "%s/%s.html", directory, name) || !atomic_open(&page->html, path, error)) {
        atomic_abandon(&page->markdown);
        return false;
    }
    FILE *html = page->html.stream;
    fputs(PAGE_HTML_HEAD, html);
    fputs(PAGE_MARKDOWN_HEAD, page->markdown.stream);
    xml_text(html, title);
    fputs("</title>\n<style>\n", html);
    page_file_write(html, "plot.css");
    page_file_write(html, "page.css");
    fputs("</style>\n</head>\n<body>\n<h1>", html);
    both(page, "", "</h1>\n", "# ", "\n", title);
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
    if (page->failed) {
        page_abandon(page);
        return fail_run(error, "no memory for a page of %s", page->directory);
    }
    if (page->charts > 0) {
        fputs("<script>\n", page->html.stream);
        page_file_write(page->html.stream, "report.js");
        fputs("</script>\n", page->html.stream);
    }
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
    both(page, page->folded ? "<h3>" : "<h2>", page->folded ? "</h3>\n" : "</h2>\n", "\n## ", "\n", text);
}

void page_fold(Page *page, const char *heading) {
    page->folded++;
    both(page, "<details class=\"fold\"><summary>", "</summary>\n", "", "", heading);
}

void page_columns(Page *page, int part) {
    static const char *const marks[] = {"<div class=\"columns\"><div>\n", "</div><div>\n", "</div></div>\n"};
    fputs(marks[part], page->html.stream);
}

void page_numbers(Page *page) {
    page->folded++;
    both(page, "<details><summary>", "</summary>\n", "", "", "The numbers");
    page_table(page, "%s", "");
}

void page_fold_end(Page *page) {
    fputs("</details>\n", page->html.stream);
    page->folded--;
}

void page_numbers_end(Page *page) {
    page_table_end(page);
    page_fold_end(page);
}

// The text that a format prints, terminated; it belongs to `text`.
static char *printed(Text *text, const char *format, va_list arguments) {
    static char none[] = "";
    text_print_list(text, format, arguments);
    text_print(text, "%c", '\0');
    return text->failed ? none : text->bytes;
}

void page_text_free(Page *page, Text *text) {
    page->failed |= text->failed;
    text_free(text);
}

static void paragraph(Page *page, const char *html, const char *markdown, const char *format, va_list arguments) {
    Text text = {0};
    both(page, html, "</p>\n", markdown, "\n", printed(&text, format, arguments));
    page_text_free(page, &text);
}

void page_paragraph(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    paragraph(page, "<p>", "\n", format, arguments);
    va_end(arguments);
}

void page_lead(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    paragraph(page, "<p class=\"lead\">", "\n- ", format, arguments);
    va_end(arguments);
}

void page_code(Page *page, const char *text) {
    fputs("<pre>", page->html.stream);
    xml_text(page->html.stream, text);
    fputs("</pre>\n", page->html.stream);
    if (page->folded > 0) return;
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
    fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", page->html.stream);
    mark(page, "\n");
    if (*words) both(page, "<caption>", "</caption>\n", "", "\n\n", words);
    page_text_free(page, &text);
}

// In Markdown, a line of dashes follows the headings.
static void end_row(Page *page) {
    if (page->cells == 0) return;
    fputs("</tr>\n", page->html.stream);
    mark(page, page->heading ? "\n|" : "\n");
    for (int i = 0; page->heading && i < page->cells; i++) mark(page, i == 0 ? "---|" : "---:|");
    if (page->heading) mark(page, "\n");
    page->cells = 0;
}

static void cell_text(Page *page, const char *text) {
    both(page, page->heading ? "<th>" : "<td>", page->heading ? "</th>" : "</td>", " ", " |", text);
    page->cells++;
}

void page_row(Page *page, bool heading, const char *format, ...) {
    Text text = {0};
    va_list arguments;
    end_row(page);
    page->heading = heading;
    fputs("<tr>", page->html.stream);
    mark(page, "|");
    va_start(arguments, format);
    char *at = printed(&text, format, arguments);
    va_end(arguments);
    while (at) {
        char *next = strchr(at, '|');
        if (next) *next++ = '\0';
        cell_text(page, at);
        at = next;
    }
    page_text_free(page, &text);
}

void page_cell(Page *page, const char *format, ...) {
    Text text = {0};
    va_list arguments;
    va_start(arguments, format);
    cell_text(page, printed(&text, format, arguments));
    va_end(arguments);
    page_text_free(page, &text);
}

void page_number(Page *page, int digits, double value) {
    page_cell(page, isfinite(value) ? "%.*f" : "-", digits, value);
}

void page_signed(Page *page, double value) {
    page_cell(page, isfinite(value) ? "%+.4f" : "-", value);
}

void page_table_end(Page *page) {
    end_row(page);
    fputs("</table></div>\n", page->html.stream);
}

static bool write_plot(const Page *page, Draw *draw, const void *what, const char *label, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile file;
    if (!path_format(path, error, "%s/plot-%d.svg", page->directory, page->charts) || !atomic_open(&file, path, error))
        return false;
    draw(file.stream, what, label, WIDE, true);
    return atomic_commit(&file, error);
}

bool page_figure(Page *page, const char *title, const char *label, Draw *draw, const void *what, Error *error) {
    FILE *html = page->html.stream, *markdown = page->markdown.stream;
    page->charts++;
    fputs("<figure>\n<figcaption>", html);
    xml_text(html, title);
    fprintf(html, " <a href=\"plot-%d.svg\">SVG</a></figcaption>\n<div class=\"wide\">\n", page->charts);
    draw(html, what, label, WIDE, false);
    fputs("</div>\n<div class=\"narrow\">\n", html);
    draw(html, what, label, NARROW, false);
    fputs("</div>\n</figure>\n", html);
    if (page->folded == 0) {
        fputs("\n![", markdown);
        markdown_text(markdown, title);
        fprintf(markdown, "](plot-%d.svg)\n", page->charts);
    }
    return write_plot(page, draw, what, label, error);
}
