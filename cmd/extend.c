// `bitter extend`: the weights of a run with other rotations, for contexts longer than it was trained at.
#include "lab/extend/extend.h"

#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/kernels.h"
#include "lab/run/config.h"
#include "lab/run/stretch_json.h"
#include "posenc/rotation/rotate.h"

#include <unistd.h>

#define FIELD(name) offsetof(ExtendOptions, name)

static const Option extend_options[] = {
    {"method", OPTION_CHOICE, FIELD(method), "yarn", 0, 0, METHOD_NAMES, NULL, "how the factors are found"},
    {"factor", OPTION_NUMBER, FIELD(factor), "8", 1, 1e5, NULL, "S", "the new context, times the run's own"},
    {"out", OPTION_TEXT, FIELD(out), NULL, 0, 0, NULL, "RUN2", "by default RUN-METHOD"},
    {"keep-short", OPTION_FLAG, FIELD(keep_short), NULL, 0, 0, NULL, NULL,
     "leave the frequencies of windows up to the original length as they are (the default when the run has separate "
     "short factors already)"},
    {"attention", OPTION_CHOICE, FIELD(attention), "all", 0, 0, "all|long|stretched", "WHERE",
     "attention factor: at all lengths and positions, as in Hugging Face (all); not in windows that --keep-short "
     "leaves as they are (long); nor at LongRoPE's unscaled first tokens, as in its code (stretched)"},
    {"short", OPTION_FLAG, FIELD(short_only), NULL, 0, 0, NULL, NULL,
     "find new factors for those short windows, keep the long ones"},
    {"ramp", OPTION_CHOICE, FIELD(formula.ramp), "code", 0, 0, RAMP_NAMES, "HOW",
     "yarn: as in its authors' code (code), without that code's rounding (exact), or as in their paper (paper)"},
    {"beta-fast", OPTION_NUMBER, FIELD(formula.beta_fast), "32", 0.001, 1e6, NULL, "X",
     "yarn: pairs with more turns in the original length keep their speed"},
    {"beta-slow", OPTION_NUMBER, FIELD(formula.beta_slow), "1", 0.001, 1e6, NULL, "X",
     "yarn: pairs with fewer are slowed by the factor"},
    {"tune", OPTION_FLAG, FIELD(tune), NULL, 0, 0, NULL, NULL, "yarn: choose ramp and betas on the text"},
    {"high-freq", OPTION_NUMBER, FIELD(formula.high_freq), "4", 0.001, 1e6, NULL, "X", "llama3: as beta-fast"},
    {"low-freq", OPTION_NUMBER, FIELD(formula.low_freq), "1", 0.001, 1e6, NULL, "X", "llama3: as beta-slow"},
    {"growth", OPTION_CHOICE, FIELD(growth), "paper", 0, 0, "paper|factor", "HOW",
     "dynamic: a window of w original lengths is stretched w times (paper), or S w - (S - 1) times (factor, as "
     "Hugging Face does)"},
    {"data", OPTION_TEXT, FIELD(data), NULL, 0, 0, NULL, "DIR", "its training text is searched on; default: the run's"},
    {"windows", OPTION_INTEGER, FIELD(windows), "6", 1, SEARCH_WINDOWS_MOST, NULL, "N",
     "of that text, each of the new length"},
    {"population", OPTION_INTEGER, FIELD(population), "64", 4, 1e5, NULL, "N", "longrope: candidates to begin with"},
    {"parents", OPTION_INTEGER, FIELD(parents), "32", 2, 1e5, NULL, "N", "longrope: the best, which have children"},
    {"mutations", OPTION_INTEGER, FIELD(mutations), "16", 0, 1e5, NULL, "N", "longrope: children of one, a generation"},
    {"crossovers", OPTION_INTEGER, FIELD(crossovers), "16", 0, 1e5, NULL, "N", "longrope: children of two"},
    {"generations", OPTION_INTEGER, FIELD(generations), "40", 0, 1e6, NULL, "N", "longrope: of children"},
    {"probability", OPTION_NUMBER, FIELD(probability), "0.3", 0.001, 1, NULL, "P", "longrope: that a pair changes"},
    {"far", OPTION_NUMBER, FIELD(far), "0.3", 0, 1, NULL, "P", "longrope: that a mutation leaps"},
    {"abandon", OPTION_NUMBER, FIELD(abandon), "0.03", 0, 100, NULL, "X",
     "longrope: give up who is worse by X nats / sqrt(windows); 0 = nobody"},
    {"forget", OPTION_FLAG, FIELD(forget), NULL, 0, 0, NULL, NULL, "longrope: score known candidates again"},
    {"one-by-one", OPTION_FLAG, FIELD(one_by_one), NULL, 0, 0, NULL, NULL,
     "longrope: all cores on one candidate, not one each"},
    {"seed", OPTION_INTEGER, FIELD(seed), "1337", 0, HUGE_VAL, NULL, "N", "longrope: of its dice"},
    {"resume", OPTION_FLAG, FIELD(resume), NULL, 0, 0, NULL, NULL, "longrope: go on with the search in --out"},
    {"steps", OPTION_INTEGER, FIELD(steps), "0", 0, 1e9, NULL, "N",
     "gradient: of descent; 0 = as many as --tokens allow"},
    {"tokens", OPTION_INTEGER, FIELD(tokens), "0", 0, HUGE_VAL, NULL, "N",
     "gradient: to read in all, three a step's token; 0 = as many as longrope may read"},
    {"lr", OPTION_NUMBER, FIELD(lr), "0.03", 0, 10, NULL, "X", "gradient: how far a step changes a factor's logarithm"},
    THREADS_OPTION_ROW(ExtendOptions),
    {0},
};

static void print_stretch(const Stretch *stretch, int pairs) {
    printf("factors ");
    for (int i = 0; i < pairs; i++) printf(" %.4g", stretch->factors[i]);
    printf("\nunscaled %d tokens%s, attention factor %.4f\n", stretch->unscaled,
           stretch->bare_start ? " without attention factor" : "", stretch->attention);
}

Stretch extension_formula(const Extension *x, Method method) {
    Stretch stretch;
    stretch_formula(&stretch, method, &x->options->formula, x->factor, x->original, x->base, x->pairs);
    return stretch;
}

int extension_seeds(Stretch seeds[SEEDS_MOST], const Extension *x) {
    static const Method methods[] = {METHOD_PI, METHOD_NTK, METHOD_YARN};
    const StretchRule *before = &x->run.gpt.pos.stretch;
    const int context = x->run.gpt.shape.context;
    int count = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) seeds[count++] = extension_formula(x, methods[i]);
    if (before->original == 0) return count;
    if (x->options->short_only) {
        seeds[count++] = extension_short(x);
    } else {
        Stretch made;
        stretch_further(&seeds[count++], stretch_of_window(&made, before, context, x->pairs), &x->options->formula,
                        x->options->factor, context, x->base, x->pairs);
    }
    return count;
}

Stretch extension_short(const Extension *x) {
    Stretch made, plain = {.attention = 1};
    for (int i = 0; i < x->pairs; i++) plain.factors[i] = 1;
    const Stretch *stretch = stretch_of_window(&made, &x->run.gpt.pos.stretch, x->original, x->pairs);
    return stretch ? *stretch : plain;
}

double extension_bound(const Extension *x) {
    return x->options->short_only ? x->run.gpt.pos.stretch.factor : x->factor;
}

void extension_attention(Stretch *stretch, const Extension *x) {
    const Stretch brief = extension_short(x);
    const bool short_only = x->options->short_only;
    stretch->attention = short_only ? brief.attention : longrope_attention(x->factor, x->original);
    stretch->bare_start = short_only ? brief.bare_start : x->options->attention == ATTENTION_STRETCHED;
}

SearchOptions extension_search(const Extension *x) {
    const ExtendOptions *o = x->options;
    return (SearchOptions){.population = (int)o->population,
                           .parents = (int)o->parents,
                           .mutations = (int)o->mutations,
                           .crossovers = (int)o->crossovers,
                           .generations = (int)o->generations,
                           .probability = o->probability,
                           .far = o->far,
                           .windows = (int)o->windows,
                           .abandon = o->abandon,
                           .remember = !o->forget,
                           .side_by_side = !o->one_by_one,
                           .seed = (uint64_t)o->seed};
}

// For as many workers as score at a time, each with a window's keys and values.
static bool open_text(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const int threads = threads_use(o->threads);
    const int most = o->method == METHOD_LONGROPE ? (o->one_by_one ? 1 : threads) : (int)o->windows;
    const int workers = threads < most ? threads : most;
    const char *data = *o->data ? o->data : x->run.options.data;
    if (!corpus_open(&x->corpus, data, error)) return false;
    if (!run_check_tokenizer(&x->run, x->directory, &x->corpus, error)) return false;
    char name[PATH_CAPACITY + 32];
    snprintf(name, sizeof name, "%s (training)", data);
    return scorer_create(&x->scorer, &x->run.gpt, x->original, x->window, (int)o->windows, workers, &x->corpus.train,
                         name, error);
}

// The stretch that the method finds.
static bool find(Stretch *result, Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    switch ((Method)o->method) {
    case METHOD_LONGROPE:
        return open_text(x, error) && extend_by_search(result, x, error);
    case METHOD_GRADIENT:
        return open_text(x, error) && extend_by_descent(result, x, error);
    case METHOD_DYNAMIC:
        x->found.rule.growth = o->growth == 0 ? 1 : x->factor;
        return true;
    case METHOD_YARN:
        if (o->tune) return open_text(x, error) && extend_by_tuning(result, x, error);
        break;
    case METHOD_PI:
    case METHOD_NTK:
    case METHOD_LLAMA3:
        break;
    }
    *result = extension_formula(x, (Method)o->method);
    return true;
}

static bool extend(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const StretchRule *before = &x->run.gpt.pos.stretch;
    StretchRule *rule = &x->found.rule;
    Stretch found = {0};
    x->found = (RunStretch){.rule = o->short_only ? *before : (StretchRule){.method = o->method}};
    if (!find(&found, x, error)) return false;
    if (o->short_only) {
        rule->short_stretch = found;
        rule->has_short = true;
        return true;
    }
    rule->factor = x->factor;
    rule->original = x->original;
    rule->pairs = x->pairs;
    rule->long_stretch = found;
    rule->has_short = o->keep_short || before->has_short;
    if (rule->has_short) rule->short_stretch = extension_short(x);
    if (rule->has_short && o->attention == ATTENTION_ALL) {
        rule->short_stretch.attention = found.attention;
        rule->short_stretch.bare_start = false;
    }
    return true;
}

// The run can be extended, and how long it will be then.
static bool settle(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const Position *pos = &x->run.gpt.pos;
    if (!pos->scheme->theta)
        return fail_input(error,
                          "%s has positions of the scheme %s, whose frequencies cannot be stretched; train it with "
                          "rope, partial or prope",
                          x->directory, pos->scheme->name);
    if (pos->shape.random_positions)
        return fail_input(error,
                          "%s was trained at random positions below %d, so it has no one length to stretch; train it "
                          "without --random-positions",
                          x->directory, pos->shape.random_positions);
    const bool stretched = pos->stretch.original > 0;
    x->pairs = rotary_pairs(pos);
    x->base = rotary_of(pos)->base;
    x->original = stretched ? pos->stretch.original : pos->shape.context;
    const double window = o->short_only ? x->original : round(o->factor * pos->shape.context);
    if (x->pairs > PAIRS_MOST)
        return fail_input(error, "%s has heads of %d pairs; %d are the most", x->directory, x->pairs, PAIRS_MOST);
    if (x->original < 2 || window > 1e6)
        return fail_input(error, "%s: a context of %d times %g is %.0f; lengths are 2 to 1000000", x->directory,
                          pos->shape.context, o->factor, window);
    if (o->short_only && (!stretched || pos->stretch.method == METHOD_DYNAMIC))
        return fail_input(
            error,
            "--short: %s is %s, so short windows have no factors of their own; extend it by another method first",
            x->directory, stretched ? "stretched by the dynamic method" : "not stretched");
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
    x->window = (int)window;
    x->factor = window / x->original;
    return true;
}

static bool is_given(const bool *given, const char *name) {
    return given[option_find(extend_options, name) - extend_options];
}

static bool check_options(const ExtendOptions *o, const bool *given, Error *error) {
    static const struct {
        const char *name;
        unsigned methods; // that it belongs to
    } special[] = {
        {"ramp", 1u << METHOD_YARN | 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"beta-fast", 1u << METHOD_YARN | 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"beta-slow", 1u << METHOD_YARN | 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"tune", 1u << METHOD_YARN},
        {"high-freq", 1u << METHOD_LLAMA3},
        {"low-freq", 1u << METHOD_LLAMA3},
        {"growth", 1u << METHOD_DYNAMIC},
        {"data", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT | 1u << METHOD_YARN},
        {"windows", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT | 1u << METHOD_YARN},
        {"population", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"parents", 1u << METHOD_LONGROPE},
        {"mutations", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"crossovers", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"generations", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"probability", 1u << METHOD_LONGROPE},
        {"far", 1u << METHOD_LONGROPE},
        {"abandon", 1u << METHOD_LONGROPE},
        {"forget", 1u << METHOD_LONGROPE},
        {"one-by-one", 1u << METHOD_LONGROPE},
        {"seed", 1u << METHOD_LONGROPE},
        {"resume", 1u << METHOD_LONGROPE},
        {"keep-short", ~(1u << METHOD_DYNAMIC)},
        {"attention", ~(1u << METHOD_DYNAMIC)},
        {"short", 1u << METHOD_LONGROPE | 1u << METHOD_GRADIENT},
        {"steps", 1u << METHOD_GRADIENT},
        {"tokens", 1u << METHOD_GRADIENT},
        {"lr", 1u << METHOD_GRADIENT},
    };
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, o->method, method);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (is_given(given, special[i].name) && !(special[i].methods >> o->method & 1))
            return fail_input(error, "--%s means nothing to --method %s; leave it out", special[i].name, method);
    if (!o->tune && o->method == METHOD_YARN && (is_given(given, "data") || is_given(given, "windows")))
        return fail_input(error, "yarn reads text with --tune only; add it, or leave out --data and --windows");
    if (o->tune && (is_given(given, "beta-fast") || is_given(given, "beta-slow") || is_given(given, "ramp")))
        return fail_input(error, "--tune chooses --ramp, --beta-fast and --beta-slow; leave them out, or --tune");
    if (o->short_only && (o->keep_short || is_given(given, "factor") || is_given(given, "attention")))
        return fail_input(error,
                          "--short keeps the length, the long factors and the attention factor; leave out --factor, "
                          "--keep-short and --attention");
    if (o->steps > 0 && o->tokens > 0)
        return fail_input(error, "--steps %lld or --tokens %lld: leave one of them out", o->steps, o->tokens);
    if (o->formula.beta_fast <= o->formula.beta_slow)
        return fail_input(error, "--beta-fast %g must be above --beta-slow %g", o->formula.beta_fast,
                          o->formula.beta_slow);
    if (o->formula.high_freq <= o->formula.low_freq)
        return fail_input(error, "--high-freq %g must be above --low-freq %g", o->formula.high_freq,
                          o->formula.low_freq);
    if (o->mutations + o->crossovers < 1)
        return fail_input(error, "--mutations 0 and --crossovers 0 leave no children; give some");
    return !(o->resume && o->forget) ||
           fail_input(error, "--forget would score again what --resume remembers; leave one of them out");
}

// Fails (input) when there are files that only a run has. Weights alone were left by an `extend` that was killed before
// it wrote config.json, and may be replaced.
static bool is_new(const Extension *x, Error *error) {
    const char *const files[] = {x->paths.config, x->paths.state, x->paths.log};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (path_exists(files[i]))
            return fail_input(error, "%s already holds a run (there is %s); choose another --out", x->options->out,
                              files[i]);
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
        model_save(x->paths.model, &x->run.gpt, error) && config_derive(x->paths.config, from.config, &options, error))
        return true;
    unlink(x->paths.model);
    unlink(x->paths.tokenizer);
    return false;
}

static void describe(const Extension *x) {
    const int fast = rotary_fast_pairs(&x->run.gpt.pos, x->original);
    printf("run      %s: %d fast and %d slow pairs at the original %d tokens, ", x->directory, fast, x->pairs - fast,
           x->original);
    if (x->options->short_only)
        printf("factors for windows up to those\n");
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
        return fail_input(error, "%s has no name to make another from; give --out", directory);
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, options->method, method);
    snprintf(options->out, sizeof options->out, "%.*s-%.100s", length < 400 ? length : 400, directory, method);
    return true;
}

// A new directory, or one that a search was stopped in, for the search.
static bool check_place(const Extension *x, Error *error) {
    char search[PATH_CAPACITY];
    const char *out = x->options->out;
    if (!is_new(x, error) || !path_format(search, error, "%s/search.csv", out)) return false;
    if (x->options->method != METHOD_LONGROPE && path_exists(search))
        return fail_input(error,
                          "%s already holds a search, which --method longrope goes on with; choose another --out", out);
    return corpus_absent(out, error);
}

int command_extend(int argc, char **argv) {
    static const Usage usage = {"extend",
                                "A run with the same weights and other rotations, for contexts longer than it was "
                                "trained at: by formula, searched or learned.",
                                "RUN", extend_options,
                                "  bitter extend runs/rope --method yarn --factor 8 --tune\n"
                                "  bitter extend runs/rope --method longrope --factor 8 --out runs/long\n"};
    ExtendOptions options;
    bool given[ARGUMENTS_MOST];
    Error error;
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    Extension x = {.options = &options, .directory = arguments_single(&usage, first, argc, argv)};
    bool ok = check_options(&options, given, &error) && (*options.out || default_name(&options, x.directory, &error)) &&
              name_check("--out", options.out, &error) && name_check("the run", x.directory, &error) &&
              run_paths(&x.paths, options.out, &error) && run_open(&x.run, x.directory, "", &error);
    if (!ok) die("extend", &error);
    RunLock lock = {0};
    ok = check_place(&x, &error) && settle(&x, &error) && run_enter(&lock, options.out, &error) == LOCK_MINE &&
         check_place(&x, &error); // again, now that nobody else can change it
    if (ok) {
        kernels_report(stdout, "extend");
        describe(&x);
    }
    ok = ok && extend(&x, &error) && write_run(&x, &error);
    if (ok) print_result(&x);
    run_leave(&lock);
    scorer_free(&x.scorer);
    corpus_close(&x.corpus);
    run_close(&x.run);
    if (!ok) die("extend", &error);
    return 0;
}
