// The tables of losses and contrasts in LaTeX: plain tabular, without packages.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

// Text that LaTeX prints as it is.
static void latex_text(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^')
            fprintf(out, "\\textascii%s{}", *text == '~' ? "tilde" : "circum");
        else
            fprintf(out, "%s%c", strchr("&%$#_{}", *text) ? "\\" : "",
                    (unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : *text);
}

// A table with a column for each setting. row: write the head and the cells of row i.
static void table(FILE *out, const Facts *facts, const char *heading, int rows,
                  void (*row)(FILE *, const Facts *, int)) {
    const Plan *plan = facts->plan;
    fputs("\\begin{tabular}{l", out);
    for (int s = 0; s < plan->setting_count; s++) fputc('r', out);
    fprintf(out, "}\n%s", heading);
    for (int s = 0; s < plan->setting_count; s++) {
        fputs(" & ", out);
        latex_text(out, *facts->settings[s].name ? facts->settings[s].name : "loss");
    }
    fputs(" \\\\ \\hline\n", out);
    for (int i = 0; i < rows; i++) {
        row(out, facts, i);
        fputs(" \\\\\n", out);
    }
    fputs("\\end{tabular}\n", out);
}

static void losses_row(FILE *out, const Facts *facts, int variant) {
    const Plan *plan = facts->plan;
    latex_text(out, plan->variants[variant].name);
    for (int s = 0; s < plan->setting_count; s++) {
        const double loss = report_loss(facts, s, variant).mean, sd = report_loss(facts, s, variant).sd;
        fprintf(out, isnan(loss) ? " & --" : isnan(sd) ? " & $%.4f$" : " & $%.4f \\pm %.4f$", loss, sd);
    }
}

static void contrast_row(FILE *out, const Facts *facts, int i) {
    latex_text(out, report_contrast(facts, i, 0).variant);
    fputs(" $-$ ", out);
    latex_text(out, report_contrast(facts, i, 0).other);
    char family[FAMILY_WORDS];
    report_family(family, report_named(facts, i));
    if (facts->outcome->seeds > 1) fprintf(out, " (%s)", family);
    for (int s = 0; s < facts->plan->setting_count; s++) {
        const Finding f = report_contrast(facts, i, s);
        fprintf(out,
                isnan(f.gap.mean)       ? " & --"
                : isnan(f.interval.low) ? " & $%+.4f$"
                                        : " & $%+.4f$ [$%+.4f$, $%+.4f$]",
                f.gap.mean, f.interval.low, f.interval.high);
    }
}

bool report_latex(const Facts *facts, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile file;
    if (!path_format(path, error, "%s/report.tex", facts->outcome->comparison->directory) ||
        !atomic_open(&file, path, error))
        return false;
    fprintf(file.stream, "%s%d seed%s.\n", REPORT_LATEX_HEAD, facts->outcome->seeds,
            facts->outcome->seeds == 1 ? "" : "s");
    table(file.stream, facts, "scheme", facts->plan->variant_count, losses_row);
    fprintf(file.stream, "\n%% Differences of the losses, first minus second%s.\n",
            facts->outcome->seeds > 1 ? ", with 95% intervals, each corrected (Bonferroni) as its row says" : "");
    table(file.stream, facts, "contrast", report_contrasts(facts), contrast_row);
    return atomic_commit(&file, error);
}
