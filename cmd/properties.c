// `bitter properties`: properties that position schemes are said to have, measured on each scheme.
#include "base/random.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/eval/scheme_probe.h"
#include "posenc/registry.h"
#include "train/run.h"

#include <stdio.h>

#define FIELD(name) offsetof(TrainOptions, name)
#define NAME_WIDTH  15

static const Option properties_options[] = {
    TEXT_ROW("pos", FIELD(pos), "all", "SCHEME", "one scheme with its options; all = every scheme"),
    INTEGER_ROW("context", FIELD(context), "256", PROBE_CONTEXT_LEAST, 4096, "trained context in tokens"),
    INTEGER_ROW("heads", FIELD(heads), "4", 1, 64, "attention heads"),
    INTEGER_ROW("width", FIELD(width), "64", 4, 1024, "channels of the residual stream"),
    INTEGER_ROW("seed", FIELD(seed), "1", 0, HUGE_VAL, "random seed of weights and contents"),
    {0},
};

// Printed with the first row, because until then the command may still fail.
static void print_header(void) {
    static bool printed;
    if (!printed) printf("%-*s %8s %8s %8s %8s\n", NAME_WIDTH, "scheme", "distinct", "absolute", "trend", "longest");
    printed = true;
}

static void print_row(const char *name, const SchemeProperties *p) {
    const double numbers[] = {p->distinct, p->absolute, p->trend};
    char longest[32] = "any";
    print_header();
    if (p->longest > 0) snprintf(longest, sizeof longest, "%d", p->longest);
    if (strlen(name) > NAME_WIDTH) { // the numbers come on a line of their own
        puts(name);
        name = "";
    }
    printf("%-*s", NAME_WIDTH, name);
    for (int i = 0; i < 3; i++)
        if (isnan(numbers[i]))
            printf(" %8s", "-");
        else
            printf(" %8.3f", numbers[i]);
    printf(" %8s\n", longest);
}

static void print_legend(void) {
    puts("");
    puts("Measured over all trained positions, on one line of equal tokens. A dash: does not apply.");
    puts("distinct   distance of the two most similar codes / root mean square of all; 0 = two positions share a code");
    puts("absolute   spread of scores at equal distances / spread of all scores; 0 = scores depend on distance alone");
    puts("trend      rank correlation of the mean score with distance; -1 = always falls, 1 = always rises\n"
         "           (stick-breaking: of the mean logarithm of the weight)");
    puts("longest    longest input that has a code, also past the trained context; any = no limit");
}

// A row for each layer whose schemes differ from those of all layers before it.
static bool print_scheme(const char *name, const Gpt *gpt, const TrainOptions *options, Error *error) {
    bool several = false;
    for (int l = 1; l < gpt->shape.layers; l++) several |= mix_like(&gpt->pos, l) == l;
    for (int l = 0; l < gpt->shape.layers; l++) {
        SchemeProperties properties;
        char label[TEXT_CAPACITY + 32];
        if (mix_like(&gpt->pos, l) < l) continue;
        if (!scheme_probe(&properties, gpt, l, (uint64_t)options->seed, error)) return false;
        snprintf(label, sizeof label, several ? "%s layer %d" : "%s", name, l);
        print_row(label, &properties);
    }
    return true;
}

// Position tables that start from zero would show nothing, so they get random numbers.
static void fill_zeros(Gpt *gpt, uint64_t seed) {
    const Tensor *tensor;
    for (int i = 0; (tensor = gpt_position_tensor(gpt, i)); i++) {
        real *values = gpt->params + tensor->offset;
        bool zeros = true;
        for (size_t n = 0; n < tensor->count; n++) zeros = zeros && values[n] == 0;
        const uint64_t key = random_key(seed, tensor->name);
        for (size_t n = 0; zeros && n < tensor->count; n++) values[n] = (real)random_normal(key, n);
    }
}

// An untrained model with this scheme.
static bool print_untrained(const char *specification, const TrainOptions *options, Error *error) {
    Shape shape;
    Mix pos;
    Gpt gpt = {0};
    bool ok = shape_of(&shape, options, 8, error) && mix_parse(&pos, specification, error);
    if (ok) shape.layers = mix_layers(&pos);
    ok = ok && shape_check(&shape, error) && mix_fit(&pos, &shape, error) &&
         gpt_create(&gpt, &shape, &pos, false, error);
    if (ok) {
        gpt_init(&gpt, (uint64_t)options->seed);
        fill_zeros(&gpt, (uint64_t)options->seed);
        ok = print_scheme(specification, &gpt, options, error);
    }
    gpt_free(&gpt);
    return ok;
}

static bool print_run(const char *directory, const TrainOptions *options, Error *error) {
    Run run;
    if (!run_open(&run, directory, "", error)) return false;
    const bool ok = print_scheme(directory, &run.gpt, options, error);
    run_close(&run);
    return ok;
}

// Every scheme. One that cannot work with such a model gets a row with the reason.
static bool print_all(const TrainOptions *options, Error *error) {
    Shape shape; // wrong sizes are not the fault of a scheme
    if (!shape_of(&shape, options, 8, error) || !shape_check(&shape, error)) return false;
    for (const Scheme *const *scheme = schemes; *scheme; scheme++)
        if (!print_untrained((*scheme)->name, options, error)) {
            if (error->kind != ERROR_INPUT) return false;
            print_header();
            printf("%-*s %s\n", NAME_WIDTH, (*scheme)->name, error->message);
        }
    return true;
}

static bool check_given(const bool *given, Error *error) {
    for (const Option *o = properties_options; o->name; o++)
        if (given[o - properties_options] && strcmp(o->name, "seed") != 0)
            return fail_input(
                error, "--%s describes an untrained model, but a run has its own; leave out the option or the runs",
                o->name);
    return true;
}

bool command_properties(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "properties",
        "Measure properties that position schemes are said to have. Without RUN: of every scheme, or that of --pos, in "
        "an untrained model. With RUN: of the scheme of each run. Where layers have different schemes, there is a row "
        "for each kind of layer. Windows are left out.",
        "[RUN...]", properties_options,
        "  bitter properties\n  bitter properties --pos rope:base=100\n"
        "  bitter properties runs/learned runs/t5\n"};
    TrainOptions options = {.layers = 1};
    bool given[ARGUMENTS_MOST];
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    threads_use(0);
    bool ok = first == argc || check_given(given, error);
    for (int i = first; ok && i < argc; i++) ok = print_run(argv[i], &options, error);
    if (first == argc)
        ok = strcmp(options.pos, "all") == 0 ? print_all(&options, error)
                                             : print_untrained(options.pos, &options, error);
    if (!ok) return false;
    print_legend();
    if (first == argc) puts("Untrained models; tables that start from zero are filled with random numbers.");
    return true;
}
