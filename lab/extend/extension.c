#include "lab/extend/extension.h"

const Option short_window_options[] = {
    HEADING_ROW("Methods pi, ntk, yarn, llama3, longrope, gradient and given"),
    FLAG_ROW("keep-short", offsetof(ExtendOptions, keep_short),
             "leave windows no longer than the original context unscaled (the default when the run already has "
             "separate short factors)"),
    CHOICE_ROW("attention", offsetof(ExtendOptions, attention), "all", "all|long|stretched", "WHERE",
               "where the attention factor of YaRN or LongRoPE scales queries and keys: all = everywhere, as in "
               "Hugging Face; long = not in windows that --keep-short leaves unscaled; stretched = as long, and not at "
               "LongRoPE's unscaled first tokens, as in its code"),
    {0},
};

const Option listed_options[] = {
    HEADING_ROW("Methods given (uses these factors) and gradient (starts from them)"),
    TEXTS_ROW("factors", offsetof(ExtendOptions, factors), "X,X,...",
              "what the frequency of each pair is divided by, the fastest pair first; a long list goes on in another "
              "--factors"),
    INTEGER_ROW("unscaled", offsetof(ExtendOptions, unscaled), "0", 0, 1e6,
                "tokens at the start whose frequencies are not divided (LongRoPE's n_hat)"),
    {0},
};

const Option text_options[] = {
    HEADING_ROW("Methods yarn, longrope and gradient (the last two also try yarn's factors)"),
    CHOICE_ROW(
        "ramp", offsetof(ExtendOptions, formula.ramp), "code", RAMP_NAMES, "HOW",
        "YaRN's ramp from kept to divided frequencies: code = as in its authors' code; exact = without that code's "
        "rounding; paper = as in their paper"),
    NUMBER_ROW("beta-fast", offsetof(ExtendOptions, formula.beta_fast), "32", 0.001, 1e6, "X",
               "YaRN keeps the frequency of pairs with more turns than this in the original context"),
    NUMBER_ROW("beta-slow", offsetof(ExtendOptions, formula.beta_slow), "1", 0.001, 1e6, "X",
               "YaRN divides the frequency of pairs with fewer turns than this by the whole factor"),
    TEXT_ROW("data", offsetof(ExtendOptions, data), NULL, "DIR",
             "choose factors on the training text of this data; default: the run's data"),
    INTEGER_ROW("windows", offsetof(ExtendOptions, search.windows), "6", 1, SEARCH_WINDOWS_MOST,
                "windows of that text, each of the new context"),
    {0},
};

const Option evolution_options[] = {
    HEADING_ROW("Methods longrope and gradient"),
    FLAG_ROW("short", offsetof(ExtendOptions, short_only),
             "search factors only for windows no longer than the original context; keep the factors of longer windows"),
    INTEGER_ROW("population", offsetof(ExtendOptions, search.population), "64", 4, 1e5,
                "candidates in the first generation"),
    INTEGER_ROW("mutations", offsetof(ExtendOptions, search.mutations), "16", 0, 1e5,
                "children of one parent in each generation"),
    INTEGER_ROW("crossovers", offsetof(ExtendOptions, search.crossovers), "16", 0, 1e5,
                "children of two parents in each generation"),
    INTEGER_ROW("generations", offsetof(ExtendOptions, search.generations), "40", 0, 1e6,
                "generations of the search; they also set the default token budget of gradient"),
    {0},
};

// What windows of the original length are stretched by so far.
static Stretch short_stretch(const Extension *x) {
    Stretch made, plain = {.attention = 1};
    for (int i = 0; i < x->pairs; i++) plain.factors[i] = 1;
    const Stretch *stretch = stretch_of_window(&made, &x->run.gpt.pos.part[x->part].stretch, x->original, x->pairs);
    return stretch ? *stretch : plain;
}

bool extension_find(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const StretchRule *before = &x->run.gpt.pos.part[x->part].stretch;
    StretchRule *rule = &x->found.rule;
    Stretch found = {0};
    x->found = (RunStretch){.rule = {.method = o->method, .factor = x->factor, .original = x->original}};
    if (o->short_only) *rule = *before;
    if (!x->method->find(&found, x, error)) return false;
    rule->has_short = o->short_only || o->keep_short || before->has_short;
    if (o->short_only) {
        rule->short_stretch = found;
        return true;
    }
    rule->pairs = x->pairs;
    rule->long_stretch = found;
    if (!rule->has_short) return true;
    rule->short_stretch = short_stretch(x);
    if (o->attention == ATTENTION_ALL) {
        rule->short_stretch.attention = found.attention;
        rule->short_stretch.bare_start = false;
    }
    return true;
}

Stretch extension_formula(const Extension *x, Method method) {
    Stretch stretch;
    stretch_formula(&stretch, method, &x->options->formula, x->factor, x->original, x->base, x->pairs);
    return stretch;
}

Stretch extension_further(const Extension *x) {
    const int context = x->run.gpt.shape.context;
    Stretch made, stretch;
    stretch_further(&stretch, stretch_of_window(&made, &x->run.gpt.pos.part[x->part].stretch, context, x->pairs),
                    &x->options->formula, x->options->factor, context, x->base, x->pairs);
    extension_attention(&stretch, x);
    stretch.attention = extension_formula(x, METHOD_YARN).attention;
    return stretch;
}

int extension_starts(Stretch starts[STARTS_MOST], const Extension *x) {
    starts[0] = extension_formula(x, METHOD_PI);
    starts[1] = extension_formula(x, METHOD_NTK);
    starts[2] = extension_formula(x, METHOD_YARN);
    if (x->run.gpt.pos.part[x->part].stretch.original == 0) return 3;
    starts[3] = x->options->short_only ? short_stretch(x) : extension_further(x);
    return 4;
}

// The numbers of one --factors, as those from *count on.
static bool more_factors(Stretch *stretch, int *count, const Extension *x, const char *list, Error *error) {
    static const Option row = NUMBER_ROW("factors", 0, NULL, 1e-6, 1e9, "X", "");
    for (const char *at = list; *at; ++*count) {
        char number[TEXT_CAPACITY];
        const int length = (int)strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", length, at);
        if (*count < x->pairs && !option_set(&stretch->factors[*count], &row, number, "--factors", error)) return false;
        at += length + (at[length] == ',');
    }
    return true;
}

bool extension_listed(Stretch *stretch, const Extension *x, Error *error) {
    const TextList *lists = &x->options->factors;
    int count = 0;
    *stretch = (Stretch){.unscaled = (int)x->options->unscaled};
    for (int i = 0; i < lists->count; i++)
        if (!more_factors(stretch, &count, x, lists->items[i], error)) return false;
    extension_attention(stretch, x);
    return count == x->pairs ||
           fail_input(error, "--factors has %d numbers, but %s has heads of %d pairs; give one for each pair", count,
                      x->directory, x->pairs);
}

SearchSpace extension_space(const Extension *x) {
    SearchSpace space = search_space(
        x->pairs, x->options->short_only ? x->run.gpt.pos.part[x->part].stretch.factor : x->factor, x->original);
    space.free = x->options->free;
    return space;
}

void extension_attention(Stretch *stretch, const Extension *x) {
    const Stretch before = short_stretch(x);
    const bool short_only = x->options->short_only;
    stretch->attention = short_only ? before.attention : longrope_attention(x->factor, x->original);
    stretch->bare_start = short_only ? before.bare_start : x->options->attention == ATTENTION_STRETCHED;
}
