// `bitter gradcheck`: evidence that the hand-written gradients are right, and that the check would notice wrong ones.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/lesson/mistakes.h"
#include "posenc/registry.h"
#include "train/train_options.h"
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
    INTEGER_ROW("kv-heads", FIELD(train.kv_heads), "0", 0, 8, "heads of keys and values; 0 = as many as --heads"),
    BLOCK_OPTION_ROW(TrainOptions),
    SCALE_LOGITS_OPTION_ROW(TrainOptions),
    INTEGER_ROW("width", FIELD(train.width), "8", 4, 64, "channels of the residual stream"),
    INTEGER_ROW("context", FIELD(train.context), "20", 1, 200, "tokens in a sequence"),
    WINDOW_OPTION_ROW(TrainOptions),
    INTEGER_ROW("batch", FIELD(train.batch), "2", 1, 8, "sequences in the batch"),
    NUMBER_ROW("dropout", FIELD(train.dropout), "0", 0, 0.9, "X",
               "dropout of the model; every pass drops the same elements"),
    INTEGER_ROW("seed", FIELD(train.seed), "1", 0, HUGE_VAL, "random seed of model and text"),
    FLAG_ROW("controls", FIELD(controls),
             "also check a wrong gradient of rope and one of learned, in which tensors must fail"),
    {0},
};

// Print the error of every tensor. *wrong counts those above the tolerance.
static bool check(double *worst, int *wrong, const Mix *pos, const GradcheckOptions *options, long long seed,
                  Error *error) {
    const GradcheckSettings settings = {.B = (int)options->train.batch,
                                        .T = (int)options->train.context,
                                        .dropout = options->train.dropout,
                                        .seed = (uint64_t)seed};
    GradientError *errors;
    int count;
    if (!gradcheck(&errors, &count, pos, &settings, error)) {
        *worst = NAN;
        *wrong = 1;
        if (error->kind == ERROR_NONFINITE) printf("  %s\n", error->message);
        return error->kind == ERROR_NONFINITE;
    }
    *worst = gradcheck_worst(errors, count);
    *wrong = 0;
    printf("  %-22s largest relative error\n", "tensor");
    for (int i = 0; i < count; i++) {
        const GradientError *e = &errors[i];
        printf("  %-22s %9.2e  %s\n", e->name, e->worst, e->worst <= TOLERANCE ? "ok" : "FAILED");
        if (e->worst <= TOLERANCE) continue;
        ++*wrong;
        char place[64];
        number_place(place, e->at, e->columns);
        printf("    at %s: analytic %.9g, numeric %.9g\n", place, e->analytic, e->numeric);
    }
    free(errors);
    return true;
}

// Print the error of every tensor, then a verdict.
static bool check_scheme(double *worst, const Mix *pos, const GradcheckOptions *options, Error *error) {
    char text[TEXT_CAPACITY];
    mix_print(pos, text);
    printf("%s\n", text);
    bool corners = false;
    int wrong = 1;
    for (int p = 0; p < pos->parts; p++) corners |= pos->part[p].scheme->has_corners;
    for (int attempt = 0; wrong && attempt < (corners ? ATTEMPTS : 1); attempt++) {
        const long long seed = options->train.seed + attempt;
        if (attempt > 0)
            printf("  perhaps a difference across a kink of the loss; trying again with seed %lld\n", seed);
        if (!check(worst, &wrong, pos, options, seed, error)) return false;
    }
    printf("  worst relative error %.2e: %s\n", *worst, wrong ? "FAILED (tolerance 1e-6)" : "ok");
    if (wrong && corners)
        printf("  with fewer numbers there are fewer kinks: try a smaller --context and --batch before you doubt the "
               "gradient\n");
    return true;
}

// Check every scheme of the registry, and print a table of their errors. Add to *failures.
static bool check_all(int *failures, const Shape *shape, const GradcheckOptions *options, Error *error) {
    enum { LEFT_OUT = -1 };
    double worst[64];
    for (int i = 0; schemes[i]; i++) {
        Mix pos;
        worst[i] = LEFT_OUT;
        if (!mix_create(&pos, schemes[i]->name, shape, error))
            printf("%s\n  left out: %s\n", schemes[i]->name, error->message);
        else if (!check_scheme(&worst[i], &pos, options, error))
            return false;
    }
    printf("\n%-15s largest relative error\n", "scheme");
    for (int i = 0; schemes[i]; i++) {
        if (worst[i] == LEFT_OUT) {
            printf("%-15s left out\n", schemes[i]->name);
            continue;
        }
        const bool good = worst[i] <= TOLERANCE;
        printf("%-15s %9.2e  %s\n", schemes[i]->name, worst[i], good ? "ok" : "FAILED");
        *failures += !good;
    }
    return true;
}

static const char *const controls[] = {"sign", "dropped"}; // mistakes, of rope and of learned
enum { CONTROLS = sizeof controls / sizeof *controls };

// A model's scheme with the mistake planted. Fails (input) when the scheme does not fit its shape.
static bool control_create(Mix *pos, Planted *planted, const Mistake *mistake, const Shape *shape, Error *error) {
    Error reason;
    mistake_plant(planted, mistake);
    if (!mix_create(pos, planted->scheme.name, shape, &reason))
        return fail_input(error, "--controls need %s: %s", planted->scheme.name, reason.message);
    pos->part[0].scheme = &planted->scheme;
    return true;
}

// Gradients with a mistake planted, in which at least one tensor must fail.
static bool check_controls(int *failures, const Shape *shape, const GradcheckOptions *options, Error *error) {
    puts("Whatever --pos is, the controls are rope and learned with a mistake: does this check notice a wrong "
         "gradient?");
    for (int i = 0; i < CONTROLS; i++) {
        const Mistake *mistake = mistake_find(controls[i], error);
        Planted planted;
        Mix pos;
        double worst;
        int wrong;
        if (!control_create(&pos, &planted, mistake, shape, error)) return false;
        printf("control: %s, with a mistake: %s\n", planted.scheme.name, mistake->sentence);
        if (!check(&worst, &wrong, &pos, options, options->train.seed, error)) return false;
        printf("  %d tensor%s wrong; worst relative error %.2e: %s\n", wrong, wrong == 1 ? "" : "s", worst,
               wrong ? "fails, as it must" : "NOT NOTICED: this check proves nothing");
        *failures += wrong == 0;
    }
    puts("How to read it: go through the tensors from the loss back to the embeddings; the mistake lies where the "
         "first one\n"
         "fails, because a wrong gradient spoils all that it reaches on its way back, and nothing else.");
    puts("lesson/lesson.html shows mistakes that leave every gradient right, and what notices them.");
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
    Shape shape;
    bool ok = shape_of(&shape, &options.train, 11, error) && shape_check(&shape, error);
    int failures = 0;
    Mix pos;
    Planted planted;
    for (int i = 0; ok && options.controls && i < CONTROLS; i++) // before the first table
        ok = control_create(&pos, &planted, mistake_find(controls[i], error), &shape, error);
    if (ok && strcmp(options.train.pos, "all") == 0) {
        ok = check_all(&failures, &shape, &options, error);
    } else if (ok) {
        double worst;
        ok = mix_create(&pos, options.train.pos, &shape, error) && check_scheme(&worst, &pos, &options, error);
        failures += ok && !(worst <= TOLERANCE);
    }
    if (ok && options.controls) ok = check_controls(&failures, &shape, &options, error);
    if (ok && failures > 0) *error = (Error){.kind = ERROR_RUN}; // what failed is printed
    return ok && failures == 0;
}
