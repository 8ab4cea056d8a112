// Sandwich: the products of sinusoidal codes, without the words between them, as a bias on the scores.
#include "posenc/bias/bias.h"

typedef struct {
    long long width;
} SandwichOptions;

static const Option sandwich_options[] = {
    {"width", OPTION_INTEGER, offsetof(SandwichOptions, width), "128", 2, 65536, NULL, "D",
     "channels of the sinusoidal code whose products are taken"},
    {0},
};

// sin(a) sin(b) + cos(a) cos(b) = cos(a - b): the product of two codes is a sum of cosines of the distance.
static double curve(const Position *pos, int set, int head, int distance) {
    const double width = (double)scheme_options(pos, SandwichOptions)->width;
    double sum = 0;
    for (int i = 0; i < (int)width / 2; i++) sum += cos(distance * pow(10000, -2 * i / width));
    return sum / (8.0 * (head + 1) / pos->shape.heads);
}

const Scheme scheme_sandwich = {
    .name = "sandwich",
    .formula = "S_ij += (H / 8h) sum over i < D/2 of cos((i - j) 10000^(-2i/D))",
    .paper = "Chi et al. 2023 (ACL)",
    .help = "What is left of sinusoidal embeddings when only their products with each other are kept: a bias that "
            "falls roughly like the logarithm of the distance, with small waves, flatter in later heads.",
    .options = sandwich_options,
    CURVE_HOOKS,
    .curve = curve,
};
