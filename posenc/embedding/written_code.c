// A code that the user has written: channel c of x_t += code(t, c).
#include "posenc/embedding/code.h"
#include "posenc/written.h"

static void code(real *code, const Tables *tables, int t) {
    Written at = written_begin(tables->pos, 0, 0);
    at.reads[READS_TOKEN] = t;
    for (int c = 0; c < tables->pos->shape.width; c++) {
        at.reads[READS_CHANNEL] = c;
        code[c] = (real)written_value(&at);
    }
}

// Every channel passes its gradient on through the formula.
static void code_backward(const Tables *tables, const real *dcode, int t) {
    Written at = written_begin(tables->pos, 0, 0);
    at.reads[READS_TOKEN] = t;
    for (int c = 0; c < tables->pos->shape.width; c++) {
        at.reads[READS_CHANNEL] = c;
        written_backward(&at, (double)dcode[c]);
    }
    written_end(&at);
}

const Scheme scheme_written_code = {
    WRITTEN_SCHEME,
    .formula = "x_t[c] += code(t, c)",
    .enters = ENTERS_EMBEDDING,
    CODE_SCHEME(.code = code, .code_backward = code_backward),
};
