// Sandwich: the product of the sinusoidal codes of two positions, without token embeddings, as a bias on the score.
#include "posenc/bias/bias.h"

typedef struct {
    long long width;
    int gate;
} SandwichOptions;

static const Option sandwich_options[] = {
    {"width", OPTION_INTEGER, offsetof(SandwichOptions, width), "128", 2, 65536, NULL, "D",
     "channels of the sinusoidal code whose products are taken"},
    GATE_OPTION_ROW(SandwichOptions, gate),
    {0},
};

// sin(a) sin(b) + cos(a) cos(b) = cos(a - b): the product of two codes is a sum of cosines of the distance.
static double curve(const Position *pos, int set, int head, int distance) {
    const double width = (double)scheme_options(pos, SandwichOptions)->width;
    double sum = 0;
    for (int c = 0; c < (int)width / 2; c++) sum += cos(distance * pow(10000, -2 * c / width));
    return sum / (8.0 * (head + 1) / pos->shape.heads);
}

const Scheme scheme_sandwich = {
    .name = "sandwich",
    .formula = "S_ij += (H / 8h) sum over c < D/2 of cos((i - j) 10000^(-2c/D)), h = 1..H",
    .paper = "Chi et al. 2023 (ACL)",
    .help = "What is left of sinusoidal embeddings when only their products with each other are kept: a bias that "
            "falls roughly like the logarithm of the distance, with small waves, flatter in later heads.",
    .options = sandwich_options,
    BIAS_SCHEME(.curve = curve),
};
