#include "lab/report/page/svg.h"

#include "base/utf8.h"
#include "lab/report/page/files.h"

#include <string.h>

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

void svg_open(FILE *out, double width, double height, const char *label, const char *extra, bool alone) {
    fprintf(out, "%s0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\"%s aria-label=\"",
            alone ? SVG_HEAD : SVG_ROOT, width, height, width, height, alone ? "" : extra);
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

void svg_text(FILE *out, double x, double y, const char *class, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    xml_text(out, text);
    fputs("</text>\n", out);
}

double svg_text_width(const char *text) {
    double width = 0;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) == 0x80) continue; // inside a character
        width += strchr("il.,:;|'! ()-", *text) ? 0.39
                 : strchr("mwMW%+", *text)      ? 0.92
                 : *text >= 'A' && *text <= 'Z' ? 0.7
                                                : 0.63;
    }
    return width * TEXT_SIZE;
}

const char *svg_cut(char *cut, size_t capacity, const char *text, double width) {
    static const char dots[] = "…";
    snprintf(cut, capacity, "%s", text);
    size_t size = strlen(cut);
    if (size == strlen(text) && svg_text_width(cut) <= width) return cut;
    while (size > 0 && (size + sizeof dots > capacity || svg_text_width(cut) > width - TEXT_SIZE)) {
        do size--;
        while (size > 0 && ((unsigned char)cut[size] & 0xC0) == 0x80);
        cut[size] = '\0';
    }
    memcpy(cut + size, dots, sizeof dots);
    return cut;
}

int svg_wrapped(FILE *out, double x, double y, double width, const char *class, const char *text) {
    enum { LINES = 3, CAPACITY = 1024 };
    char line[CAPACITY], shown[CAPACITY];
    int lines = 0;
    while (*text && lines < LINES) {
        size_t taken = strlen(text);
        if (lines < LINES - 1)
            for (;;) {
                snprintf(line, sizeof line, "%.*s", (int)(taken < CAPACITY ? taken : CAPACITY - 1), text);
                if (svg_text_width(line) <= width) break;
                size_t shorter = taken;
                while (shorter > 0 && text[shorter - 1] != ' ') shorter--;
                if (shorter == 0) break; // one long word
                taken = shorter - 1;
            }
        else
            snprintf(line, sizeof line, "%s", text);
        if (out) svg_text(out, x, y + lines * LINE_HEIGHT, class, svg_cut(shown, sizeof shown, line, width));
        lines++;
        text += taken;
        while (*text == ' ') text++;
    }
    return lines;
}

void svg_spread(double *places, int count, double gap, double low, double high) {
    enum { MOST = 128 };
    double means[MOST];
    int sizes[MOST], groups = 0;
    if (count < 1 || count > MOST) return;
    if ((count - 1) * gap > high - low) gap = count > 1 ? (high - low) / (count - 1) : 0;
    // Without the gaps, neighbours that are too close are in the wrong order; the pool-adjacent-violators algorithm
    // gives the nearest places that are not.
    for (int i = 0; i < count; i++) {
        means[groups] = places[i] - i * gap;
        sizes[groups++] = 1;
        for (; groups > 1 && means[groups - 1] < means[groups - 2]; groups--) {
            const int both = sizes[groups - 1] + sizes[groups - 2];
            means[groups - 2] = (means[groups - 1] * sizes[groups - 1] + means[groups - 2] * sizes[groups - 2]) / both;
            sizes[groups - 2] = both;
        }
    }
    const double last = high - (count - 1) * gap;
    for (int g = 0, i = 0; g < groups; g++)
        for (int k = 0; k < sizes[g]; k++, i++) {
            const double mean = means[g] < low ? low : means[g] > last ? last : means[g];
            places[i] = mean + i * gap;
        }
}
