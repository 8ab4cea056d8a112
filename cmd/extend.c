// `bitter extend`: the weights of a run with other rotations, for contexts longer than it was trained at.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/extend/extend.h"
#include "train/config.h"
#include "posenc/rotation/angles.h"

#include <unistd.h>

#define FIELD(name) offsetof(ExtendOptions, name)

// Below a heading are the options of the methods that it names outside of brackets.
static const Option extend_options[] = {
    CHOICE_ROW("method", FIELD(method), "yarn", METHOD_NAMES, "METHOD",
               "pi, ntk, dynamic, yarn, llama3, longrope, gradient or given, as described below"),
    FACTOR_ROW,
    TEXT_ROW("out", FIELD(out), NULL, "RUN2", "the new run; default: RUN-METHOD"),
    THREADS_OPTION_ROW(ExtendOptions),
    HEADING_ROW("Method pi (divide every frequency by the factor)"),
    HEADING_ROW("Method ntk (divide the slowest frequency by the factor, faster ones by less)"),
    HEADING_ROW("Method dynamic (ntk, with a factor that follows the length of each window)"),
    HEADING_ROW("Method yarn (divide slow frequencies by the factor and keep fast ones)"),
    FLAG_ROW("further", FIELD(further),
             "multiply the factors that the run already has, by what the formula gives for its present context (always "
             "with --ramp paper), instead of replacing them"),
    FLAG_ROW("tune", FIELD(tune), "choose --ramp, --beta-fast and --beta-slow by their loss on text"),
    HEADING_ROW("Method llama3 (as yarn, with Meta's ramp and no attention factor)"),
    HEADING_ROW("Method longrope (search factors by evolution, scored on text)"),
    INTEGER_ROW("population", FIELD(search.population), "64", 4, 1e5,
                "candidates in the first generation; half as many become parents, and each later generation has half "
                "as many children"),
    INTEGER_ROW("generations", FIELD(search.generations), "40", 0, 1e6, "generations after the first"),
    INTEGER_ROW("seed", FIELD(search.seed), "1337", 0, HUGE_VAL, "random seed"),
    HEADING_ROW("Method gradient (find factors by gradient descent on text)"),
    INTEGER_ROW("steps", FIELD(steps), "0", 0, 1e9, "steps of gradient descent; 0 = as many as --tokens allows"),
    INTEGER_ROW("tokens", FIELD(tokens), "0", 0, HUGE_VAL,
                "token budget for descent, counting each training token three times (forward and backward); 0 = the "
                "same budget as longrope"),
    NUMBER_ROW("lr", FIELD(lr), "0.03", 0, 10, "X", "learning rate of the factors' logarithms"),
    HEADING_ROW("Method given (factors that you list with --factors)"),
    NUMBER_ROW("attention-factor", FIELD(attention_factor), "0", 0, ATTENTION_MOST, "X",
               "what cosines and sines are multiplied by; 0 = sqrt(1 + ln s / ln L) as in LongRoPE"),
    TEXTS_ROW("factors", FIELD(factors), "X,X,...",
              "what the frequency of each pair is divided by, the fastest pair first; a long list goes on in another "
              "--factors"),
    INTEGER_ROW("unscaled", FIELD(unscaled), "0", 0, 1e6,
                "tokens at the start whose frequencies are not divided (LongRoPE's n_hat)"),
    HEADING_ROW("Methods pi, ntk, yarn, llama3, longrope, gradient and given"),
    FLAG_ROW("keep-short", FIELD(keep_short),
             "leave the frequencies of windows no longer than the original context as they are (the default when the "
             "run already has separate short factors)"),
    HEADING_ROW("Methods yarn, longrope and gradient (the last two also try yarn's factors)"),
    CHOICE_ROW(
        "ramp", FIELD(formula.ramp), "code", RAMP_NAMES, "HOW",
        "YaRN's ramp from kept to divided frequencies: code = as in its authors' code; exact = without that code's "
        "rounding; paper = as in their paper"),
    NUMBER_ROW("beta-fast", FIELD(formula.beta_fast), "32", 0.001, 1e6, "X",
               "YaRN keeps the frequency of pairs with more turns than this in the original context"),
    NUMBER_ROW("beta-slow", FIELD(formula.beta_slow), "1", 0.001, 1e6, "X",
               "YaRN divides the frequency of pairs with fewer turns than this by the whole factor"),
    TEXT_ROW("data", FIELD(data), NULL, "DIR",
             "choose factors on the training text of this data; default: the run's data"),
    INTEGER_ROW("windows", FIELD(search.windows), "6", 1, SEARCH_WINDOWS_MOST,
                "windows of that text, each of the new context"),
    {0},
};

static bool names_method(const char *heading, const char *method) {
    while (*heading) {
        const size_t length = strcspn(heading, " ,(");
        if (length == strlen(method) && strncmp(heading, method, length) == 0) return true;
        heading += length;
        heading += *heading == '(' ? strcspn(heading, ")") : strspn(heading, " ,");
    }
    return false;
}

// Fails (input) on options that have no effect or contradict each other.
static bool check_options(const ExtendOptions *o, const bool *given, Error *error) {
    char method[TEXT_CAPACITY];
    bool takes = true;
    choice_word(METHOD_NAMES, o->method, method);
    for (const Option *option = extend_options; option->name; option++) {
        if (option->type == OPTION_HEADING)
            takes = names_method(option->name, method);
        else if (given[option - extend_options] && !takes)
            return fail_input(error, "--%s has no effect with --method %s; leave it out", option->name, method);
    }
    const bool yarn = o->method == METHOD_YARN, ramp = option_given(extend_options, given, "ramp"),
               ramps = ramp || option_given(extend_options, given, "beta-fast") ||
                       option_given(extend_options, given, "beta-slow"),
               texts = option_given(extend_options, given, "data") || option_given(extend_options, given, "windows");
    const struct {
        bool found;
        const char *complaint;
    } conflicts[] = {
        {o->attention_factor > 0 && o->attention_factor < ATTENTION_LEAST,
         "--attention-factor must be 0, or at least 0.001"},
        {o->formula.beta_fast <= o->formula.beta_slow, "--beta-fast must be above --beta-slow"},
        {yarn && !o->tune && texts, "yarn reads text with --tune only; add it, or leave out --data and --windows"},
        {o->tune && (o->further || ramps),
         "--tune chooses the factors; leave out --further, --ramp, --beta-fast and --beta-slow, or --tune"},
        {o->further && ramp && o->formula.ramp != RAMP_PAPER,
         "--further always has the ramp of YaRN's paper; leave out --ramp, or give --ramp paper"},
        {o->method == METHOD_GIVEN && !o->factors.count,
         "--method given takes the factors from --factors X,X,...; give one for each pair"},
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
    options.context = x->window;
    snprintf(options.out, sizeof options.out, "%s", x->options->out);
    snprintf(options.init, sizeof options.init, "%s", x->directory);
    if (run_paths(&from, x->directory, error) && tokenizer_write(&x->run.tokenizer, x->paths.tokenizer, error) &&
        model_save(x->paths.model, &x->run.gpt, NULL, error) &&
        config_derive(x->paths.config, from.config, &options, error))
        return true;
    unlink(x->paths.config); // it may have been written, although its directory could not be synced
    unlink(x->paths.model);
    unlink(x->paths.tokenizer);
    return false;
}

static void print_result(const Extension *x) {
    const Stretch *stretch = &x->found.long_stretch;
    const bool dynamic = x->found.method == METHOD_DYNAMIC;
    printf("factors ");
    for (int i = 0; !dynamic && i < x->pairs; i++) printf(" %.4g", stretch->factors[i]);
    if (dynamic)
        printf(" follow the window's length\n");
    else
        printf("\nunscaled %d tokens, attention factor %.4f\n", stretch->unscaled, stretch->attention);
    if (x->evaluations > 0)
        printf("spent    %lld evaluations, %lld tokens; loss on the text that was searched on: %.4f\n", x->evaluations,
               x->tokens, x->loss);
    char quoted[QUOTED_CAPACITY];
    printf("next     %s eval %s --context %d\n", called_as, shell_quoted(quoted, x->options->out), x->window);
}

// RUN-METHOD, beside RUN.
static bool default_name(ExtendOptions *options, const char *directory, Error *error) {
    char run[PATH_CAPACITY];
    if (!path_format(run, error, "%s", directory)) return false;
    path_trim(run);
    const char *name = path_name(run);
    if (!name[strspn(name, ".")])
        return fail_input(error, "%s has no name from which to name the new run; give --out", directory);
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, options->method, method);
    return snprintf(options->out, sizeof options->out, "%s-%s", run, method) < (int)sizeof options->out ||
           fail_input(error, "%.100s... is too long to name the new run after it; give --out", directory);
}

// Check that --out can be written: it must hold no run. Weights with this run's tokenizer, and what a search or descent
// has recorded, were left by an `extend` that was stopped before it wrote config.json, and may be replaced.
static bool check_place(const Extension *x, Error *error) {
    const char *const files[] = {x->paths.config, x->paths.state, x->paths.log, x->paths.best};
    const char *out = x->options->out;
    const char *const records[] = {"search.csv", "descent.csv"};
    char path[PATH_CAPACITY];
    for (int i = 0; i < 2 && path_format(path, error, "%s/%s", out, records[i]); i++)
        temporary_clear(path, TEMPORARY_FILE);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!path_missing(files[i]))
            return fail_input(error, "%s already holds a run (there is %s); choose another --out", out, files[i]);
    return run_check_leftover(&x->paths, x->paths.model, &x->run.tokenizer, error) && corpus_absent(out, error);
}

bool command_extend(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "extend",
        "Write a run with the same weights and other rotation frequencies, for contexts longer than "
        "RUN was trained at. The frequencies come from a formula or are chosen on text.",
        "RUN", extend_options,
        "  bitter extend runs/rope --method yarn --factor 8 --tune\n"
        "  bitter extend runs/rope --method longrope --factor 8 --out runs/long\n"};
    ExtendOptions options = {.formula = formula_defaults};
    bool given[ARGUMENTS_MOST];
    Extension x = {.options = &options, .directory = argv[arguments_parse(&options, given, &usage, argc, argv)]};
    if (!check_options(&options, given, error) || (!*options.out && !default_name(&options, x.directory, error)) ||
        !name_check("--out", options.out, error) || !name_check("the run", x.directory, error) ||
        !run_paths(&x.paths, options.out, error) || !run_open(&x.run, x.directory, "", error))
        return false;
    RunLock lock = {0};
    bool ok = extension_settle(&x, error) && run_lock(&lock, options.out, error) == LOCK_MINE && check_place(&x, error);
    if (ok) {
        const int fast = rotary_fast_pairs(&x.run.gpt.pos.part[x.part], x.original);
        kernels_report("extend");
        printf("run      %s: %d fast and %d slow pairs at the original %d tokens, stretched to %d (%g times)\n",
               x.directory, fast, x.pairs - fast, x.original, x.window, x.factor);
        fflush(stdout);
    }
    ok = ok && extension_find(&x, error) && lock_keep(&lock.lock, error) && write_run(&x, error);
    if (ok) print_result(&x);
    run_unlock(&lock);
    extension_close(&x);
    return ok;
}
