#include "lab/extend/extension.h"

static bool find_by_formula(Stretch *result, Extension *x, Error *error) {
    *result = extension_formula(x, (Method)x->options->method);
    return true;
}

static const Option pi_options[] = {HEADING_ROW("Method pi (divide every frequency by the factor)"), {0}};

static const Option ntk_options[] = {
    HEADING_ROW("Method ntk (divide the slowest frequency by the factor, faster ones by less)"), {0}};

static const Option llama3_options[] = {
    HEADING_ROW("Method llama3 (as yarn, with Meta's ramp and no attention factor)"),
    NUMBER_ROW(
        "high-freq", offsetof(ExtendOptions, formula.high_freq), "4", 0.001, 1e6, "X",
        "keep the frequency of pairs that make more turns than this in the original context (Meta's high_freq_factor)"),
    NUMBER_ROW("low-freq", offsetof(ExtendOptions, formula.low_freq), "1", 0.001, 1e6, "X",
               "divide the frequency of pairs with fewer turns than this by the whole factor (Meta's low_freq_factor)"),
    {0},
};

static const Option dynamic_options[] = {
    HEADING_ROW("Method dynamic (ntk, with a factor that follows the length of each window)"),
    CHOICE_ROW("growth", offsetof(ExtendOptions, growth), "paper", "paper|factor", "HOW",
               "ntk's factor for a window w times as long as the original context: paper = w; factor = S w - S + 1, as "
               "in Hugging Face"),
    {0},
};

// The factors follow the window, so the result stays empty.
static bool find_dynamic(Stretch *result, Extension *x, Error *error) {
    x->found.rule.growth = x->options->growth == 0 ? 1 : x->factor;
    return true;
}

static const Option given_options[] = {
    HEADING_ROW("Method given (factors that you list with --factors)"),
    NUMBER_ROW("attention-factor", offsetof(ExtendOptions, attention_factor), "0", 0, 1e3, "X",
               "what cosines and sines are multiplied by; 0 = sqrt(1 + ln s / ln L) as in LongRoPE"),
    {0},
};

static bool find_given(Stretch *result, Extension *x, Error *error) {
    if (!extension_listed(result, x, error)) return false;
    if (x->options->attention_factor > 0) result->attention = x->options->attention_factor;
    return true;
}

const ExtendMethod *const extend_methods[METHOD_COUNT] = {
    [METHOD_PI] = &(const ExtendMethod){{pi_options, short_window_options}, find_by_formula},
    [METHOD_NTK] = &(const ExtendMethod){{ntk_options, short_window_options}, find_by_formula},
    [METHOD_DYNAMIC] = &(const ExtendMethod){{dynamic_options}, find_dynamic},
    [METHOD_YARN] = &method_yarn,
    [METHOD_LLAMA3] = &(const ExtendMethod){{llama3_options, short_window_options}, find_by_formula},
    [METHOD_LONGROPE] = &method_longrope,
    [METHOD_GRADIENT] = &method_gradient,
    [METHOD_GIVEN] = &(const ExtendMethod){{given_options, listed_options, short_window_options}, find_given},
};

bool method_takes(Method method, const char *name) {
    for (const Option *const *table = extend_methods[method]->options; *table; table++)
        if (option_find(*table, name)) return true;
    return false;
}
