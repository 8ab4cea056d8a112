// Integers squeezed into 0..1, so that they do not explode; but by what length?
#include "posenc/embedding/code.h"

typedef enum { BY_TRAINED, BY_WINDOW } Length;

typedef struct {
    double scale;
    int length;
} NormalizedOptions;

static const Option normalized_options[] = {
    {"scale", OPTION_NUMBER, offsetof(NormalizedOptions, scale), "1", -1e6, 1e6, NULL, "X",
     "what the last position adds to every channel"},
    {"length", OPTION_CHOICE, offsetof(NormalizedOptions, length), "trained", 0, 0, "trained|window", "WHICH",
     "divide by the trained length, or by that of the window at work"},
    {0},
};

static void fill(real *code, const Position *pos, int t) {
    const NormalizedOptions *o = (const NormalizedOptions *)pos->options;
    const int length = o->length == BY_TRAINED ? position_span(pos) : pos->window;
    for (int c = 0; c < pos->shape.width; c++) code[c] = (real)(o->scale * t / length);
}

static int form(const Position *pos, int length) {
    return ((const NormalizedOptions *)pos->options)->length == BY_WINDOW ? length : 0;
}

static void prepare(Position *pos) {
    code_prepare(pos, fill);
}

const Scheme scheme_normalized = {
    .name = "normalized",
    .formula = "x_t[c] += scale t / N",
    .paper = "the textbooks' second attempt",
    .help = "The position as a share of the length N. It stays small, but neighbours differ by 1/N only, and if N is "
            "the length at hand (length=window) the same word at the same place gets another code as soon as text is "
            "appended. With the trained length the code is stable and simply grows past 1.",
    .options = normalized_options,
    .enters = ENTERS_EMBEDDING,
    .layout = code_layout,
    .form = form,
    .prepare = prepare,
    .embed_forward = code_forward,
};
