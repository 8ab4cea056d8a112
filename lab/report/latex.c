// The tables of losses and contrasts in LaTeX: plain tabular, without packages.
#include "lab/report/sections.h"

#include <math.h>
#include <string.h>

// Text that LaTeX prints as it is.
static void latex_text(FILE *out, const char *text) {
    for (; *text; text++) switch (*text) {
        case '\\':
            fputs("\\textbackslash{}", out);
            break;
        case '~':
            fputs("\\textasciitilde{}", out);
            break;
        case '^':
            fputs("\\textasciicircum{}", out);
            break;
        case '&':
        case '%':
        case '$':
        case '#':
        case '_':
        case '{':
        case '}':
            fprintf(out, "\\%c", *text);
            break;
        default:
            fputc((unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : *text, out);
        }
}

static void setting_heads(FILE *out, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    for (int s = 0; s < plan->setting_count; s++) {
        fputs(" & ", out);
        latex_text(out, plan->setting_count > 1 ? facts->settings[s] : "loss");
    }
    fputs(" \\\\ \\hline\n", out);
}

static void losses(FILE *out, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    fprintf(out, "%% Loss in nats a token: mean and standard deviation of %d seeds.\n\\begin{tabular}{l",
            facts->outcome->seeds);
    for (int s = 0; s < plan->setting_count; s++) fputc('r', out);
    fputs("}\nscheme", out);
    setting_heads(out, facts);
    for (int arm = 0; arm < plan->arm_count; arm++) {
        latex_text(out, plan->arms[arm].name);
        for (int s = 0; s < plan->setting_count; s++) {
            const double T = report_context(facts, s), loss = report_mean(facts, s, arm, "loss", T);
            const double sd = report_deviation(facts, s, arm, "loss", T);
            if (isnan(loss))
                fputs(" & --", out);
            else if (isnan(sd))
                fprintf(out, " & $%.4f$", loss);
            else
                fprintf(out, " & $%.4f \\pm %.4f$", loss, sd);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\end{tabular}\n", out);
}

static void contrasts(FILE *out, const Facts *facts) {
    const Plan *plan = &facts->outcome->comparison->plan;
    fprintf(out, "\n%% Differences of the losses, first minus second, with simultaneous 95%% intervals (Bonferroni).\n"
                 "\\begin{tabular}{l");
    for (int s = 0; s < plan->setting_count; s++) fputc('r', out);
    fputs("}\ncontrast", out);
    setting_heads(out, facts);
    for (int i = 0; i < report_contrasts(facts); i++) {
        latex_text(out, plan->arms[report_arm(facts, i)].name);
        fputs(" $-$ ", out);
        latex_text(out, plan->arms[report_other(facts, i)].name);
        for (int s = 0; s < plan->setting_count; s++) {
            const Finding f = report_contrast(facts, i, s);
            if (isnan(f.gap.mean))
                fputs(" & --", out);
            else if (isnan(f.interval.low))
                fprintf(out, " & $%+.4f$", f.gap.mean);
            else
                fprintf(out, " & $%+.4f$ [$%+.4f$, $%+.4f$]", f.gap.mean, f.interval.low, f.interval.high);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\end{tabular}\n", out);
}

bool report_latex(const Facts *facts, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile file;
    if (!path_format(path, error, "%s/report.tex", facts->outcome->comparison->directory) ||
        !atomic_open(&file, path, error))
        return false;
    losses(file.stream, facts);
    contrasts(file.stream, facts);
    return atomic_commit(&file, error);
}
