// Charts for LaTeX, in the fonts of the document. Intervals are error bars.
#include "lab/report/page/chart.h"
#include "lab/report/page/numbers.h"

#include <math.h>

static void write_line(FILE *out, const Chart *chart, int l) {
    const Line *line = &chart->lines[l];
    const bool rows = chart->sides[0];
    fprintf(out, "\\addplot%s%s] coordinates {",
            rows && line->dash ? "[only marks, mark=o, error bars/.cd, x dir=both, x explicit"
            : rows             ? "[only marks, mark=*, error bars/.cd, x dir=both, x explicit"
            : line->dash       ? "+[densely dashed, mark options=solid"
                               : "+[solid",
            !rows && chart->bands ? ", error bars/.cd, y dir=both, y explicit" : "");
    for (const Point *p = line->points; p < line->points + line->count; p++) {
        const double up = isfinite(p->high) ? p->high - p->y : 0, down = isfinite(p->low) ? p->y - p->low : 0;
        if (!isfinite(p->y)) continue;
        if (rows) fprintf(out, " (%.6g,%d) += (%.6g,0) -= (%.6g,0)", p->y, l, up, down);
        if (!rows) fprintf(out, " (%.6g,%.6g) += (0,%.6g) -= (0,%.6g)", p->x, p->y, up, down);
    }
    fputs("};\n", out);
    if (rows) fprintf(out, "\\node[left] at ({rel axis cs:0,0}|-{axis cs:0,%d}) {", l);
    if (!rows) fputs("\\addlegendentry{", out);
    latex_text(out, line->name);
    fputs(rows ? "};\n" : "}\n", out);
}

// Ticks where the longest line has points, if there are few: powers of 10 say little of windows and of compute.
static void write_x_ticks(FILE *out, const Line *line) {
    enum { FEW = 8 };
    char words[NUMBER_WORDS];
    if (line->count > FEW) return;
    fputs(",\nxtick={", out);
    for (int i = 0; i < line->count; i++) fprintf(out, "%s%.6g", i ? ", " : "", line->points[i].x);
    fputs("}, xticklabels={", out);
    for (int i = 0; i < line->count; i++) fprintf(out, "%s%s", i ? ", " : "", number_words(words, line->points[i].x));
    fputs("}", out);
}

void chart_pgfplots(FILE *out, const Chart *chart, const char *title) {
    const bool rows = chart->sides[0];
    fprintf(out, "%s%% %s\n\\begin{tikzpicture}\n\\begin{axis}[grid=major, ", PGFPLOTS_HEAD, title);
    if (rows)
        fprintf(out,
                "clip=false, width=0.7\\linewidth, height=%.1fcm, y dir=reverse, ytick=\\empty, ymin=-1, ymax=%d, "
                "scaled x ticks=false, xticklabel style={/pgf/number format/fixed, /pgf/number format/precision=4}",
                2.5 + 0.6 * chart->count, chart->count);
    else
        fprintf(out,
                "width=\\linewidth, height=0.6\\linewidth, legend columns=2, "
                "legend style={at={(0.5,0)}, yshift=-3.4em, anchor=north}%s%s", // below the label of x
                chart->log_x ? ", xmode=log" : "", chart_log_y(chart) ? ", ymode=log" : "");
    if (!rows && chart->log_x && chart->count > 0) write_x_ticks(out, chart_longest(chart));
    if (chart->mark_label)
        fprintf(out, ",\nextra x ticks={%.6g}, extra x tick labels={%s}, extra x tick style={xticklabel pos=upper}",
                chart->mark, chart->mark_label);
    fputs(",\nxlabel={", out);
    latex_text(out, chart->x_label);
    fputs("}, ylabel={", out);
    latex_text(out, rows ? "" : chart->y_label);
    fputs("}]\n", out);
    for (int l = 0; l < chart->count; l++) write_line(out, chart, l);
    fputs("\\end{axis}\n\\end{tikzpicture}\n", out);
}
