// `bitter gradcheck`: evidence that the hand-written gradients are right, and that the check would notice wrong ones.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/run/train_options.h"
#include "model/gradcheck.h"

#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 1e-6
#define ATTEMPTS  4 // random models to try for a scheme whose loss has kinks: a wrong gradient fails in all of them

typedef struct {
    TrainOptions train;
    bool controls;
} GradcheckOptions;

#define FIELD(name) offsetof(GradcheckOptions, name)

static const Option gradcheck_options[] = {
    TEXT_ROW("pos", FIELD(train.pos), "all", "SCHEME", "one scheme with its options; all = every scheme"),
    INTEGER_ROW("layers", FIELD(train.layers), "2", 1, 8, "transformer blocks"),
    INTEGER_ROW("heads", FIELD(train.heads), "2", 1, 8, "attention heads"),
    INTEGER_ROW("width", FIELD(train.width), "8", 1, 64, "channels of the residual stream"),
    INTEGER_ROW("context", FIELD(train.context), "20", 1, 200, "tokens in a sequence"),
    INTEGER_ROW("batch", FIELD(train.batch), "2", 1, 8, "sequences in the batch"),
    NUMBER_ROW("dropout", FIELD(train.dropout), "0", 0, 0.9, "X",
               "dropout of the model; every pass drops the same elements"),
    INTEGER_ROW("seed", FIELD(train.seed), "1", 0, HUGE_VAL, "random seed of model and text"),
    FLAG_ROW("controls", FIELD(controls), "also check two wrong gradients, which must fail"),
    {0},
};

// Negative control: the gradient of a rotation is rotated in the wrong direction.
static void wrong_sign(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                       const Place *at, int rows) {
    scheme_rope.qk_forward(tables, layer, dq, dk, stride, at, rows);
}

// Negative control: the last term of a sum over tokens is missing.
static void dropped_term(const Tables *tables, const real *dx, const Place *at, int rows) {
    scheme_learned.embed_backward(tables, dx, at, rows - 1);
}

static bool check(double *worst, const Position *pos, const GradcheckOptions *options, long long seed, bool verbose,
                  Error *error) {
    const GradcheckSettings settings = {.B = (int)options->train.batch,
                                        .T = (int)options->train.context,
                                        .dropout = options->train.dropout,
                                        .seed = (uint64_t)seed};
    GradientError *errors;
    int count;
    if (!gradcheck(&errors, &count, pos, &settings, error)) return false;
    *worst = gradcheck_worst(errors, count);
    if (verbose) printf("  %-22s largest relative error\n", "tensor");
    for (int i = 0; verbose && i < count; i++) {
        const GradientError *e = &errors[i];
        printf("  %-22s %9.2e  %s\n", e->name, e->worst, e->worst <= TOLERANCE ? "ok" : "FAILED");
        if (e->worst <= TOLERANCE) continue;
        char place[64];
        number_place(place, e->at, e->columns);
        printf("    at %s: analytic %.9g, numeric %.9g\n", place, e->analytic, e->numeric);
    }
    free(errors);
    return true;
}

// Print the error of every tensor, then a verdict. *failures counts schemes above the tolerance.
static bool check_scheme(int *failures, const Position *pos, const GradcheckOptions *options, Error *error) {
    char text[TEXT_CAPACITY];
    position_print(pos, text);
    printf("%s\n", text);
    double worst = NAN;
    bool good = false;
    for (int attempt = 0; !good && attempt < (pos->scheme->has_corners ? ATTEMPTS : 1); attempt++) {
        if (attempt > 0)
            printf("  perhaps a difference across a kink of the loss; trying again with seed %lld\n",
                   options->train.seed + attempt);
        if (!check(&worst, pos, options, options->train.seed + attempt, true, error)) return false;
        good = worst <= TOLERANCE;
    }
    printf("  worst relative error %.2e: %s\n", worst, good ? "ok" : "FAILED (tolerance 1e-6)");
    *failures += !good;
    return true;
}

static bool check_controls(int *failures, const Shape *shape, const GradcheckOptions *options, Error *error) {
    Scheme turned = scheme_rope, dropped = scheme_learned;
    turned.name = "control: rope, gradient turned by the wrong sign";
    turned.qk_backward = wrong_sign;
    dropped.name = "control: learned, gradient without the last token's term";
    dropped.embed_backward = dropped_term;
    const Scheme *controls[] = {&turned, &dropped};
    for (int i = 0; i < 2; i++) {
        Position pos;
        double worst;
        if (!position_parse_options(&pos, controls[i], NULL, error) || !position_fit(&pos, shape, error)) return false;
        if (!check(&worst, &pos, options, options->train.seed, false, error)) return false;
        const bool caught = !(worst <= TOLERANCE);
        printf("%s\n  worst relative error %.2e: %s\n", controls[i]->name, worst,
               caught ? "fails, as it must" : "NOT NOTICED: this check proves nothing");
        *failures += !caught;
    }
    return true;
}

bool command_gradcheck(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "gradcheck",
        "Compare every gradient (analytic) with central differences (numeric), in double precision. The exit code "
        "is 1 if a relative error exceeds 1e-6.",
        "", gradcheck_options, "  bitter gradcheck --pos rope:pairing=interleaved\n  bitter gradcheck --controls\n"};
    GradcheckOptions options = {0};
    arguments_parse(&options, NULL, &usage, argc, argv);
    omp_set_num_threads(1); // the models are tiny
    const Shape shape = shape_of(&options.train, 11);
    bool ok = shape_check(&shape, error);
    int failures = 0;
    Position pos;
    if (strcmp(options.train.pos, "all") == 0) {
        for (const Scheme *const *scheme = schemes; ok && *scheme; scheme++)
            if (position_create(&pos, (*scheme)->name, &shape, error))
                ok = check_scheme(&failures, &pos, &options, error);
            else
                printf("%s\n  left out: %s\n", (*scheme)->name, error->message);
    } else {
        ok = ok && position_create(&pos, options.train.pos, &shape, error) &&
             check_scheme(&failures, &pos, &options, error);
    }
    if (ok && options.controls) ok = check_controls(&failures, &shape, &options, error);
    if (ok && failures > 0) *error = (Error){.kind = ERROR_RUN}; // what failed is printed
    return ok && failures == 0;
}
