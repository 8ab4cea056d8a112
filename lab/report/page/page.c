#include "lab/report/page/page.h"

#include "base/utf8.h"
#include "lab/report/page/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

// --- text ---
static const char *entity(uint32_t character) {
    return character == '&' ? "&amp;" : character == '<' ? "&lt;" : character == '>' ? "&gt;" : "&quot;";
}

void xml_text(FILE *out, const char *text) {
    const char *end = text + strlen(text);
    for (int size; text<end; text += size> 0 ? size : 1) {
        uint32_t character;
        size = utf8_decode(&character, text, (size_t)(end - text));
        if (size == 0)
            fputs("\xEF\xBF\xBD", out);
        else if (character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0xFFFE ||
                 character == 0xFFFF)
            fputc(' ', out); // a newline in a name would end a line, and XML allows none of the others
        else if (strchr("&<>\"", (int)character) && character < 0x80)
            fputs(entity(character), out);
        else
            fwrite(text, 1, (size_t)size, out);
    }
}

// Control characters become spaces, because a newline in a name would end the line.
static char printable(char c) {
    return (unsigned char)c < 0x20 || c == 0x7F ? ' ' : c;
}

void markdown_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_|<>[]&~$", *text)) fputc('\\', out);
        fputc(printable(*text), out);
    }
}

// Escapes text for LaTeX. A number is set in math mode, with its ± and its minus, and so is a minus in words.
void latex_text(FILE *out, const char *text) {
    const char *begin = text;
    const bool number = strpbrk(text, "0123456789") && text[strspn(text, "+-.0123456789 ±")] == '\0';
    if (number) fputc('$', out);
    for (; *text; text++)
        if (number && (unsigned char)*text >= 0x80)
            fputs((unsigned char)*text == 0xC2 ? "\\pm" : "", out); // the first of the two bytes of ±
        else if (!number && *text == '-' && isdigit((unsigned char)text[1]) && (text == begin || text[-1] == ' '))
            fputs("$-$", out);
        else if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^')
            fprintf(out, "\\textascii%s{}", *text == '~' ? "tilde" : "circum");
        else
            fprintf(out, "%s%c", strchr("&%$#_{}", *text) ? "\\" : "", printable(*text));
    if (number) fputc('$', out);
}

void page_file_write(FILE *out, const char *name) {
    const EmbeddedFile *file = page_files;
    while (strcmp(file->name, name) != 0) file++;
    for (const char *const *line = file->lines; *line; line++) fprintf(out, "%s\n", *line);
}

// Write markup of the Markdown; nothing within folds.
static void mark(Page *page, const char *marks) {
    if (page->folded == 0) fputs(marks, page->markdown);
}

// Write `text`, escaped for each file: html text html_end into the HTML, markdown text markdown_end into the Markdown.
static void both(Page *page, const char *html, const char *html_end, const char *markdown, const char *markdown_end,
                 const char *text) {
    fputs(html, page->html);
    xml_text(page->html, text);
    fputs(html_end, page->html);
    if (page->folded > 0) return;
    fputs(markdown, page->markdown);
    markdown_text(page->markdown, text);
    fputs(markdown_end, page->markdown);
}

// All of page->text, terminated. It is valid until the next addition.
static char *taken(Page *page) {
    static char none[1];
    text_add(&page->text, "", 1);
    page->text.size = 0;
    page->failed |= page->text.failed;
    return page->text.failed ? none : page->text.bytes;
}

// The same, after the format has been printed to it.
static char *printed(Page *page, const char *format, va_list arguments) {
    text_print_list(&page->text, format, arguments);
    return taken(page);
}

// --- the files ---
bool page_open(Page *page, const char *directory, const char *name, const char *title, bool latex, Error *error) {
    static const char *const ends[] = {"md", "html", "tex"};
    FILE **const streams[] = {&page->markdown, &page->html, &page->latex};
    char path[PATH_CAPACITY];
    *page = (Page){.directory = directory};
    for (int i = 0; i < (latex ? 3 : 2); i++) {
        if (!path_format(path, error, "%s/%s.%s", directory, name, ends[i]) ||
            !atomic_open(&page->files[i], path, error)) {
            page_abandon(page);
            return false;
        }
        *streams[i] = page->files[i].stream;
    }
    if (latex) fputs(PAGE_LATEX_HEAD, page->latex);
    fputs(PAGE_HTML_HEAD, page->html);
    fputs(PAGE_MARKDOWN_HEAD, page->markdown);
    xml_text(page->html, title);
    fputs("</title>\n<style>\n", page->html);
    page_file_write(page->html, "plot.css");
    page_file_write(page->html, "page.css");
    fputs("</style>\n</head>\n<body>\n<h1>", page->html);
    both(page, "", "</h1>\n", "# ", "\n", title);
    return true;
}

// Remove plots that an earlier report with more plots has left.
static void remove_others(const Page *page) {
    char path[PATH_CAPACITY];
    Error ignored;
    for (int number = page->charts + 1; path_format(path, &ignored, "%s/plot-%d.svg", page->directory, number);
         number++) {
        if (unlink(path) != 0) return;
        if (page->latex && path_format(path, &ignored, "%s/plot-%d.tex", page->directory, number)) unlink(path);
    }
}

bool page_close(Page *page, Error *error) {
    bool ok = !(page->failed || page->text.failed) || fail_run(error, "no memory for a page of %s", page->directory);
    if (page->charts > 0) {
        fputs("<script>\n", page->html);
        page_file_write(page->html, "report.js");
        fputs("</script>\n", page->html);
    }
    fputs("</body>\n</html>\n", page->html);
    for (int i = 2; ok && i >= 0; i--) ok = !page->files[i].stream || atomic_commit(&page->files[i], error);
    if (ok) remove_others(page);
    page_abandon(page); // what is left
    return ok;
}

void page_abandon(Page *page) {
    text_free(&page->text);
    for (int i = 0; i < 3; i++) atomic_abandon(&page->files[i]);
}

// --- paragraphs ---
void page_heading(Page *page, const char *text) {
    both(page, page->folded ? "<h3>" : "<h2>", page->folded ? "</h3>\n" : "</h2>\n", "\n## ", "\n", text);
}

void page_paragraph(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    both(page, "<p>", "</p>\n", "\n", "\n", printed(page, format, arguments));
    va_end(arguments);
}

void page_lead(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    both(page, "<p class=\"lead\">", "</p>\n", "\n- ", "\n", printed(page, format, arguments));
    va_end(arguments);
}

void page_code(Page *page, const char *text) {
    fputs("<pre>", page->html);
    mark(page, "\n");
    for (const char *end; *text; text = end + (*end != '\0')) { // line by line
        end = text + strcspn(text, "\n");
        text_add(&page->text, text, (size_t)(end - text));
        const char *line = taken(page);
        mark(page, "    "); // four spaces make a block
        for (const char *c = line; *c && page->folded == 0; c++) fputc(printable(*c), page->markdown);
        mark(page, "\n");
        xml_text(page->html, line);
        fputs(*end ? "\n" : "", page->html);
    }
    fputs("</pre>\n", page->html);
}

void page_fold(Page *page, const char *heading) {
    page->folded++;
    both(page, "<details><summary>", "</summary>\n", "", "", heading);
}

void page_fold_end(Page *page) {
    fputs("</details>\n", page->html);
    page->folded--;
}

// --- tables ---
static void table_begin(Page *page, const char *caption) {
    fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", page->html);
    mark(page, "\n");
    if (*caption) both(page, "<caption>", "</caption>\n", "", "\n\n", caption);
}

void page_table(Page *page, const char *caption, ...) {
    va_list arguments;
    va_start(arguments, caption);
    table_begin(page, printed(page, caption, arguments));
    va_end(arguments);
}

void page_table_latex(Page *page, int columns, const char *label, const char *setting, const char *caption, ...) {
    va_list arguments;
    va_start(arguments, caption);
    const char *words = printed(page, caption, arguments);
    va_end(arguments);
    table_begin(page, words);
    if (!page->latex) return;
    page->in_latex = columns > 5 ? "table*" : "table"; // over both columns of a page, or one
    fprintf(page->latex, "\n\\begin{%s}\n\\centering\n\\caption{", page->in_latex);
    latex_text(page->latex, words);
    fprintf(page->latex, "}\n\\label{tab:%s%s%s}\n\\sbox0{\\begin{tabular}{l", label, *setting ? "-" : "", setting);
    for (int i = 1; i < columns; i++) fputc('r', page->latex);
    fputs("}\n", page->latex);
}

// In Markdown, a line of dashes follows the headings.
static void end_row(Page *page) {
    if (page->cells == 0) return;
    fputs("</tr>\n", page->html);
    mark(page, page->heading ? "\n|" : "\n");
    for (int i = 0; page->heading && i < page->cells; i++) mark(page, i == 0 ? "---|" : "---:|");
    if (page->heading) mark(page, "\n");
    if (page->in_latex) fputs(page->heading ? " \\\\ \\hline\n" : " \\\\\n", page->latex);
    page->cells = 0;
}

// Write cells that are separated by '|'. If they are numbers, those that are not finite become "-".
static void write_cells(Page *page, char *cells, bool numbers) {
    for (char *next; cells; cells = next) {
        next = strchr(cells, '|');
        if (next) *next++ = '\0';
        const char *digits = cells + strspn(cells, "+-");
        if (numbers && (strncmp(digits, "nan", 3) == 0 || strncmp(digits, "inf", 3) == 0) &&
            (digits[3] == '\0' || digits[3] == '%'))
            strcpy(cells, "-");
        both(page, page->heading ? "<th>" : "<td>", page->heading ? "</th>" : "</td>", " ", " |", cells);
        if (page->in_latex) {
            fputs(page->cells > 0 ? " & " : "", page->latex);
            latex_text(page->latex, cells);
        }
        page->cells++;
    }
}

void page_row(Page *page, bool heading, const char *format, ...) {
    va_list arguments;
    end_row(page);
    page->heading = heading;
    fputs("<tr>", page->html);
    mark(page, "|");
    va_start(arguments, format);
    write_cells(page, printed(page, format, arguments), false);
    va_end(arguments);
}

void page_cells(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_cells(page, printed(page, format, arguments), !page->heading);
    va_end(arguments);
}

void page_difference(Page *page, double difference, int digits) {
    page_cells(page, "%+.*f", digits, unsigned_zero(difference, digits));
}

void page_interval(Page *page, double low, double high, int digits) {
    page_cells(page, isfinite(low) && isfinite(high) ? "%+.*f to %+.*f" : "-", digits, unsigned_zero(low, digits),
               digits, unsigned_zero(high, digits));
}

void page_gap(Page *page, double estimate, double low, double high) {
    const int digits = digits_of(estimate, low, high);
    page_difference(page, estimate, digits);
    page_difference(page, low, digits);
    page_difference(page, high, digits);
}

void page_table_end(Page *page) {
    end_row(page);
    fputs("</table></div>\n", page->html);
    if (page->in_latex) // at its own width, or scaled down to fit
        fprintf(page->latex,
                "\\end{tabular}}\n\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n"
                "\\end{%s}\n",
                page->in_latex);
    page->in_latex = NULL;
}
