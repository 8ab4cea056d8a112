// `bitter extend`: the weights of a run with other rotations, for contexts longer than it was trained at.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/shared/kernels.h"
#include "train/evaluate.h"
#include "lab/extend/extend.h"
#include "train/config.h"
#include "posenc/rotation/rotate.h"

#include <assert.h>
#include <unistd.h>

// What every method takes.
static const Option extend_options[] = {
    CHOICE_ROW("method", offsetof(ExtendOptions, method), "yarn", METHOD_NAMES, "METHOD",
               "pi, ntk, dynamic, yarn, llama3, longrope, gradient or given, as described below"),
    NUMBER_ROW("factor", offsetof(ExtendOptions, factor), "8", 1, 1e5, "S",
               "new context, as a multiple of the run's own"),
    TEXT_ROW("out", offsetof(ExtendOptions, out), NULL, "RUN2", "the new run; default: RUN-METHOD"),
    THREADS_OPTION_ROW(ExtendOptions),
    {0},
};

static const ExtendMethod *const methods[] = {
    [METHOD_PI] = &method_pi,
    [METHOD_NTK] = &method_ntk,
    [METHOD_DYNAMIC] = &method_dynamic,
    [METHOD_YARN] = &method_yarn,
    [METHOD_LLAMA3] = &method_llama3,
    [METHOD_LONGROPE] = &method_longrope,
    [METHOD_GRADIENT] = &method_gradient,
    [METHOD_GIVEN] = &method_given,
};

// Does the method have an option of this name, besides those that every method has?
static bool method_takes(const ExtendMethod *method, const char *name) {
    for (const Option *const *table = method->options; *table; table++)
        if (option_find(*table, name)) return true;
    return false;
}

// The options of all methods in one table, for the parser and --help.
typedef struct {
    Option rows[ARGUMENTS_MOST]; // the last is {0}
    bool given[ARGUMENTS_MOST];
    int count;
} OptionTable;

static void add_rows(OptionTable *table, const Option *rows) {
    for (; rows->name; rows++) {
        assert(table->count + 1 < ARGUMENTS_MOST);
        table->rows[table->count++] = *rows;
    }
}

static void gather_options(OptionTable *table) {
    add_rows(table, extend_options);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) add_rows(table, methods[m]->options[0]);
    add_rows(table, listed_options);
    add_rows(table, short_window_options);
    add_rows(table, text_options);
    add_rows(table, short_options);
}

static void print_stretch(const Stretch *stretch, int pairs) {
    printf("factors ");
    for (int i = 0; i < pairs; i++) printf(" %.4g", stretch->factors[i]);
    printf("\nunscaled %d tokens%s, attention factor %.4f\n", stretch->unscaled,
           stretch->bare_start ? " without attention factor" : "", stretch->attention);
}

// The longest window of the layers in which a scheme works; 0 = one of these sees all keys of the context.
static int longest_window(const Position *pos) {
    int longest = 0;
    for (int layer = 0, counted = 0; counted < pos->shape.layers; layer++) {
        const int window = window_of(&pos->shape, layer);
        if (position_layer(pos, layer) < 0) continue;
        if (window == 0 || window >= pos->shape.context) return 0;
        longest = window > longest ? window : longest;
        counted++;
    }
    return longest;
}

// Windows keep rotations from ever meeting longer distances.
static bool check_windows(const Extension *x, const Position *pos, Error *error) {
    const int longest = longest_window(pos);
    return longest == 0 ||
           fail_input(error,
                      "%s has windows of at most %d keys where it has rotations, so in no longer text do these meet "
                      "other distances than in training; use it as it is",
                      x->directory, longest);
}

// The part whose rotations are to be stretched.
static bool find_rotations(Extension *x, Error *error) {
    const Mix *mix = &x->run.gpt.pos;
    const char *reason;
    x->part = mix_stretchable(mix);
    if (x->part == STRETCH_SEVERAL)
        reason = "rotations of several kinds; train it with one of them";
    else if (x->part == STRETCH_GATED)
        reason = "rotations with gates, so that each layer turns by angles of its own; train it without gate=trained";
    else
        reason = "no rotations of fixed frequencies; train it with rope, partial or prope";
    return x->part >= 0 || fail_input(error, "%s (%s) cannot be stretched: it has %s", x->directory, mix->text, reason);
}

// Fails (input) when there is nothing that --attention could keep the attention factor from.
static bool check_attention(const Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const bool unscaled = o->method == METHOD_LONGROPE || o->method == METHOD_GRADIENT || o->unscaled > 0;
    return o->attention == ATTENTION_ALL || o->keep_short || x->run.gpt.pos.part[x->part].stretch.has_short ||
           (o->attention == ATTENTION_STRETCHED && unscaled) ||
           fail_input(error, "--attention has no effect without --keep-short; add it, or leave out --attention");
}

// Check that the run can be extended, and compute the new length.
static bool settle(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    if (!find_rotations(x, error)) return false;
    const Mix *mix = &x->run.gpt.pos;
    const Position *pos = &mix->part[x->part];
    if (!check_windows(x, pos, error)) return false;
    if (pos->shape.random_positions)
        return fail_input(
            error,
            "%s was trained at random positions below %d, so there is no single length to stretch; train it "
            "without --random-positions",
            x->directory, pos->shape.random_positions);
    const bool stretched = pos->stretch.original > 0;
    x->pairs = rotary_pairs(pos);
    x->base = rotary_of(pos)->base;
    x->original = stretched ? pos->stretch.original : pos->shape.context;
    const double window = o->short_only ? x->original : round(o->factor * pos->shape.context);
    if (x->pairs > PAIRS_MOST)
        return fail_input(error, "%s has heads of %d pairs, but at most %d can be stretched", x->directory, x->pairs,
                          PAIRS_MOST);
    if (x->original < 2 || window > 1e7)
        return fail_input(error, "%s: a context of %d times %g is %.0f; lengths are 2 to 10000000", x->directory,
                          pos->shape.context, o->factor, window);
    if (o->short_only && (!stretched || pos->stretch.method == METHOD_DYNAMIC))
        return fail_input(
            error,
            "--short: %s is %s, so short windows have no factors of their own; extend it by another method first",
            x->directory, stretched ? "stretched by the dynamic method" : "not stretched");
    if (!check_attention(x, error)) return false;
    if (o->method == METHOD_DYNAMIC && pos->stretch.has_short)
        return fail_input(error,
                          "%s has factors of its own for short windows, which --method dynamic cannot keep; choose "
                          "another method",
                          x->directory);
    if (window < x->original)
        return fail_input(
            error,
            "--factor %g: %g times the context of %d is %.0f, less than the original length %d; give a larger --factor",
            o->factor, o->factor, pos->shape.context, window, x->original);
    char complaint[256];
    if (length_complaint(complaint, &x->run.gpt, (int)window))
        return fail_input(error, "%s: %s, so its context cannot become %.0f, however its rotations are stretched",
                          x->directory, complaint, window);
    x->window = (int)window;
    x->factor = window / x->original;
    return true;
}

static bool is_given(const OptionTable *table, const char *name) {
    return table->given[option_find(table->rows, name) - table->rows];
}

// Fails (input) on options that have no effect or contradict each other.
static bool check_options(const ExtendOptions *o, const OptionTable *given, Error *error) {
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, o->method, method);
    for (int i = 0; i < given->count; i++) {
        const char *name = given->rows[i].name;
        if (given->given[i] && !option_find(extend_options, name) && !method_takes(methods[o->method], name))
            return fail_input(error, "--%s has no effect with --method %s; leave it out", name, method);
    }
    if (is_given(given, "attention") &&
        (o->method == METHOD_PI || o->method == METHOD_NTK || o->method == METHOD_LLAMA3))
        return fail_input(
            error, "--attention has no effect with --method %s, which has no attention factor; leave it out", method);
    if (o->formula.beta_fast <= o->formula.beta_slow)
        return fail_input(error, "--beta-fast %g must be above --beta-slow %g", o->formula.beta_fast,
                          o->formula.beta_slow);
    if (o->formula.high_freq <= o->formula.low_freq)
        return fail_input(error, "--high-freq %g must be above --low-freq %g", o->formula.high_freq,
                          o->formula.low_freq);
    const bool yarn = o->method == METHOD_YARN, ramp = is_given(given, "ramp"),
               ramps = ramp || is_given(given, "beta-fast") || is_given(given, "beta-slow"),
               texts = is_given(given, "data") || is_given(given, "windows"),
               lengths = is_given(given, "factor") || is_given(given, "attention");
    const struct {
        bool found;
        const char *complaint;
    } conflicts[] = {
        {yarn && !o->tune && texts, "yarn reads text with --tune only; add it, or leave out --data and --windows"},
        {o->tune && o->further, "--tune chooses factors that replace those of the run; leave it or --further out"},
        {o->tune && ramps, "--tune chooses --ramp, --beta-fast and --beta-slow; leave them out, or --tune"},
        {o->further && ramp && o->formula.ramp != RAMP_PAPER,
         "--further always has the ramp of YaRN's paper; leave out --ramp, or give --ramp paper"},
        {!yarn && o->short_only && ramps,
         "with --short, nothing starts from YaRN's factors; leave out --ramp, --beta-fast and --beta-slow"},
        {!yarn && o->factors.count && ramps,
         "with --factors, nothing starts from YaRN's factors; leave out --ramp, --beta-fast and --beta-slow"},
        {o->short_only && (o->keep_short || lengths),
         "--short keeps the length, the long factors and the attention factor; leave out --factor, --keep-short and "
         "--attention"},
        {o->method == METHOD_GIVEN && !o->factors.count,
         "--method given takes the factors from --factors X,X,...; give one for each pair"},
        {is_given(given, "unscaled") && !o->factors.count, "--unscaled goes with --factors; give both, or neither"},
        {o->steps > 0 && o->tokens > 0, "--steps and --tokens both say how long to descend; leave one of them out"},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (conflicts[i].found) return fail_input(error, "%s", conflicts[i].complaint);
    return true;
}

// Weights, tokenizer and, last, the config that makes it a run.
static bool write_run(const Extension *x, Error *error) {
    RunPaths from;
    TrainOptions options = x->run.options;
    options.stretch = x->found;
    if (!x->options->short_only) options.context = x->window;
    snprintf(options.out, sizeof options.out, "%s", x->options->out);
    snprintf(options.init, sizeof options.init, "%s", x->directory);
    if (run_paths(&from, x->directory, error) && tokenizer_write(&x->run.tokenizer, x->paths.tokenizer, error) &&
        model_save(x->paths.model, &x->run.gpt, NULL, error) &&
        config_derive(x->paths.config, from.config, &options, error))
        return true;
    unlink(x->paths.config); // it may be there already, and its directory not be on the disk
    unlink(x->paths.model);
    unlink(x->paths.tokenizer);
    return false;
}

static void describe(const Extension *x) {
    const int fast = rotary_fast_pairs(&x->run.gpt.pos.part[x->part], x->original);
    printf("run      %s: %d fast and %d slow pairs at the original %d tokens, ", x->directory, fast, x->pairs - fast,
           x->original);
    if (x->options->short_only)
        printf("new factors for windows of up to %d tokens\n", x->original);
    else
        printf("stretched to %d (%g times)\n", x->window, x->factor);
    fflush(stdout);
}

static void print_result(const Extension *x) {
    const RunStretch *s = &x->found;
    if (s->rule.method == METHOD_DYNAMIC)
        printf("factors  follow the window's length\n");
    else
        print_stretch(x->options->short_only ? &s->rule.short_stretch : &s->rule.long_stretch, x->pairs);
    if (s->evaluations > 0)
        printf("spent    %lld evaluations, %lld tokens; loss on the text that was searched on: %.4f\n", s->evaluations,
               s->tokens, s->loss);
    char quoted[QUOTED_CAPACITY];
    printf("next     bitter eval %s --context %d\n", shell_quoted(quoted, x->options->out), x->window);
}

// RUN-METHOD, beside RUN.
static bool default_name(ExtendOptions *options, const char *directory, Error *error) {
    int length = (int)strlen(directory);
    while (length > 1 && directory[length - 1] == '/') length--;
    int name = length;
    while (name > 0 && directory[name - 1] != '/') name--;
    if (strspn(directory + name, ".") >= (size_t)(length - name))
        return fail_input(error, "%s has no name from which to name the new run; give --out", directory);
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, options->method, method);
    snprintf(options->out, sizeof options->out, "%.*s-%.100s", length < 400 ? length : 400, directory, method);
    return true;
}

// Check that --out can be written: a new directory, or, to continue a search, the one that it was stopped in. Weights
// alone were left by an `extend` that was killed before it wrote config.json, and may be replaced.
static bool check_place(const Extension *x, Error *error) {
    const char *const files[] = {x->paths.config, x->paths.state, x->paths.log}, *out = x->options->out;
    char search[PATH_CAPACITY];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!path_missing(files[i]))
            return fail_input(error, "%s already holds a run (there is %s); choose another --out", out, files[i]);
    if (!path_format(search, error, "%s/search.csv", out)) return false;
    if (x->options->method != METHOD_LONGROPE && !path_missing(search))
        return fail_input(
            error, "%s already holds a search, which only --method longrope can continue; choose another --out", out);
    return corpus_absent(out, error);
}

bool command_extend(int argc, char **argv, Error *error) {
    OptionTable table = {.count = 0};
    gather_options(&table);
    const Usage usage = {"extend",
                         "Write a run with the same weights and other rotation frequencies, for contexts longer than "
                         "RUN was trained at. The frequencies come from a formula or are chosen on text.",
                         "RUN", table.rows,
                         "  bitter extend runs/rope --method yarn --factor 8 --tune\n"
                         "  bitter extend runs/rope --method longrope --factor 8 --out runs/long\n"};
    ExtendOptions options;
    Extension x = {.options = &options, .directory = argv[arguments_parse(&options, table.given, &usage, argc, argv)]};
    x.method = methods[options.method];
    if (!check_options(&options, &table, error) || (!*options.out && !default_name(&options, x.directory, error)) ||
        !name_check("--out", options.out, error) || !name_check("the run", x.directory, error) ||
        !run_paths(&x.paths, options.out, error) || !run_open(&x.run, x.directory, "", error))
        return false;
    RunLock lock = {0};
    bool ok = settle(&x, error) && run_lock(&lock, options.out, error) == LOCK_MINE && check_place(&x, error);
    if (ok) {
        kernels_report("extend");
        describe(&x);
    }
    ok = ok && extension_find(&x, error) && lock_keep(&lock.lock, error) && write_run(&x, error);
    if (ok) print_result(&x);
    run_unlock(&lock);
    extension_close(&x);
    return ok;
}
