// The position written in binary, one digit a channel: every place has its own code, and no number is large.
#include "posenc/embedding/code.h"

typedef struct {
    long long bits;
    double amplitude;
    int gate;
} BinaryOptions;

static const Option binary_options[] = {
    {"bits", OPTION_INTEGER, offsetof(BinaryOptions, bits), "0", 0, 30, NULL, "N",
     "number of binary digits; 0 = as many as the trained positions need"},
    {"amplitude", OPTION_NUMBER, offsetof(BinaryOptions, amplitude), "0.02", 0, 100, NULL, "RMS",
     "RMS of the code where half of the digits are 1; 0.02 is that of the token embeddings at the start"},
    GATE_OPTION_ROW(BinaryOptions, gate),
    {0},
};

static int bits_of(const Position *pos) {
    const long long given = scheme_options(pos, BinaryOptions)->bits;
    int bits = 1;
    while (bits < 30 && 1 << bits < position_span(pos)) bits++;
    return given ? (int)given : bits;
}

static const char *check(const Position *pos) {
    return bits_of(pos) > pos->shape.width
               ? "there are more binary digits than channels; give a larger --width or fewer bits"
               : NULL;
}

static int max_length(const Position *pos) {
    return 1 << bits_of(pos);
}

// Digits from the lowest on, repeated until all channels have one.
static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const double one = sqrt(2) * scheme_options(pos, BinaryOptions)->amplitude;
    for (int c = 0; c < pos->shape.width; c++) code[c] = (real)(one * (t >> c % bits_of(pos) & 1));
}

const Scheme scheme_binary = {
    .name = "binary",
    .formula = "x_t[c] += a sqrt(2) bit_(c mod bits)(t), a = amplitude",
    .paper = "the textbooks' third attempt",
    .help = "The binary digits of the position, lowest first, repeated over the channels. Small and unique, but "
            "discontinuous: from 127 to 128 eight digits change at once, so positions close to each other can have "
            "very different codes. The sinusoidal code is a smooth version of these square waves.",
    .options = binary_options,
    .enters = ENTERS_EMBEDDING,
    .check = check,
    .max_length = max_length,
    CODE_SCHEME(.code = code_at),
};
