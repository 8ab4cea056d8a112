#include "lab/report/page/svg.h"

#include "base/option.h"
#include "base/utf8.h"

#include <string.h>

void page_file_write(FILE *out, const char *name) {
    const EmbeddedFile *file = page_files;
    while (strcmp(file->name, name) != 0) file++;
    for (const char *const *line = file->lines; *line; line++) fprintf(out, "%s\n", *line);
}

void xml_text(FILE *out, const char *text) {
    const char *end = text + strlen(text);
    while (text < end) {
        uint32_t character;
        const int size = utf8_decode(&character, text, (size_t)(end - text));
        if (size == 0)
            fputs("\xEF\xBF\xBD", out);
        else if (character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0xFFFE ||
                 character == 0xFFFF)
            fputc(' ', out); // a newline in a name would end a line, and XML allows none of the others
        else if (character == '&')
            fputs("&amp;", out);
        else if (character == '<')
            fputs("&lt;", out);
        else if (character == '>')
            fputs("&gt;", out);
        else if (character == '"')
            fputs("&quot;", out);
        else
            fwrite(text, 1, (size_t)size, out);
        text += size > 0 ? size : 1;
    }
}

void svg_open(FILE *out, double width, double height, const char *label, bool alone) {
    fprintf(out, "%s0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"",
            alone ? SVG_HEAD : SVG_ROOT, width, height, width, height);
    xml_text(out, label);
    fputs("\">\n", out);
    if (!alone) return;
    fputs("<style>\n", out);
    page_file_write(out, "plot.css");
    fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", out);
}

void svg_close(FILE *out) {
    fputs("</svg>\n", out);
}

static double character_width(char c) {
    return TEXT_SIZE * (((unsigned char)c & 0xC0) == 0x80 ? 0 // inside a character
                        : c && strchr("il.,:;|'! ()-", c) ? 0.39
                        : c && strchr("mwMW%+", c)        ? 0.92
                        : c >= 'A' && c <= 'Z'            ? 0.7
                                                          : 0.63);
}

double svg_text_width(const char *text) {
    double width = 0;
    for (; *text; text++) width += character_width(*text);
    return width;
}

void svg_text(FILE *out, double x, double y, double width, const char *class, const char *text) {
    char cut[2 * TEXT_CAPACITY];
    size_t size = 0;
    const bool whole = svg_text_width(text) <= width && strlen(text) < sizeof cut;
    const double room = whole ? width : width - TEXT_SIZE; // for the dots
    double used = 0;
    while (text[size] && size + 1 < sizeof cut && (used += character_width(text[size])) <= room) size++;
    while (text[size] && size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) size--;
    snprintf(cut, sizeof cut, "%.*s", (int)size, text);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    xml_text(out, cut);
    fputs(whole ? "</text>\n" : "…</text>\n", out);
}
