// A code that the user has written: channel c of x_t += code(t, c).
#include "posenc/embedding/code.h"
#include "posenc/written.h"

static void code(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    double reads[READS_COUNT], params[FORMULA_PARAMS];
    written_reads(reads, pos, 0);
    written_values(params, pos, 0, 0);
    reads[READS_TOKEN] = t;
    for (int c = 0; c < pos->shape.width; c++) {
        reads[READS_CHANNEL] = c;
        code[c] = (real)formula_value(pos->written, reads, params);
    }
}

// Every channel passes its gradient on through the formula.
static void code_backward(const Tables *tables, const real *dcode, int t) {
    const Position *pos = tables->pos;
    double reads[READS_COUNT], params[FORMULA_PARAMS], gradients[FORMULA_PARAMS] = {0};
    written_reads(reads, pos, 0);
    written_values(params, pos, 0, 0);
    reads[READS_TOKEN] = t;
    for (int c = 0; c < pos->shape.width; c++) {
        reads[READS_CHANNEL] = c;
        formula_backward(gradients, pos->written, (double)dcode[c], reads, params);
    }
    written_gradients(pos, 0, 0, gradients);
}

const Scheme scheme_written_code = {
    .name = "formula",
    .formula = "x_t[c] += code(t, c)",
    .paper = "",
    .help = "",
    .enters = ENTERS_EMBEDDING,
    .params = written_params,
    .init = written_init,
    .project = written_project,
    CODE_SCHEME(.code = code, .code_backward = code_backward),
};
