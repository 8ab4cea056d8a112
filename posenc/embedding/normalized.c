// Integers squeezed into 0..1, so that they do not explode; but by what length?
#include "posenc/embedding/code.h"

typedef enum { BY_TRAINED, BY_WINDOW } Length;

typedef struct {
    double scale;
    int length;
    int gate;
} NormalizedOptions;

static const Option normalized_options[] = {
    {"scale", OPTION_NUMBER, offsetof(NormalizedOptions, scale), "1", -1e6, 1e6, NULL, "X",
     "what position N, one past the last, would add to every channel"},
    {"length", OPTION_CHOICE, offsetof(NormalizedOptions, length), "trained", 0, 0, "trained|window", "WHICH",
     "divide by the trained length, or by that of the window at work"},
    GATE_OPTION_ROW(NormalizedOptions, gate),
    {0},
};

static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const NormalizedOptions *o = scheme_options(pos, NormalizedOptions);
    const int length = o->length == BY_TRAINED ? position_span(pos) : tables->window;
    for (int c = 0; c < pos->shape.width; c++) code[c] = (real)(o->scale * t / length);
}

static bool reads_context(const Position *pos) {
    return scheme_options(pos, NormalizedOptions)->length == BY_TRAINED;
}

static int length_class(const Tables *tables, int length) {
    return scheme_options(tables->pos, NormalizedOptions)->length == BY_WINDOW ? length : 0;
}

const Scheme scheme_normalized = {
    .name = "normalized",
    .formula = "x_t[c] += scale t / N",
    .paper = "the textbooks' second attempt",
    .help = "The position as a fraction of a length N. It stays small, but neighbours differ by only 1/N, and if N is "
            "the length of the current window (length=window), the same word at the same place gets another code as "
            "soon as text is appended. With the trained length the code is stable and grows past 1 in longer texts.",
    .options = normalized_options,
    .enters = ENTERS_EMBEDDING,
    .reads_context = reads_context,
    .length_class = length_class,
    CODE_SCHEME(.code = code_at),
};
