#include "lab/extend/extend.h"

#include "base/interrupt.h"

#include <omp.h>
#include <stdlib.h>

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

const Option short_options[] = {
    HEADING_ROW("Methods longrope and gradient"),
    FLAG_ROW("short", offsetof(ExtendOptions, short_only),
             "search factors only for windows no longer than the original context; keep the factors of longer windows"),
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

bool extension_listed(Stretch *stretch, const Extension *x, Error *error) {
    const TextList *lists = &x->options->factors;
    int count = 0;
    *stretch = (Stretch){.unscaled = (int)x->options->unscaled};
    for (int i = 0; i < lists->count; i++) {
        char *end;
        for (const char *at = lists->items[i]; *at; at = end + (*end == ','), count++) {
            const double factor = strtod(at, &end);
            if (end == at || (*end && *end != ',') || !(factor >= 1e-6 && factor <= 1e9))
                return fail_input(error, "--factors: '%.40s' does not begin with a number from 1e-6 to 1e9 and a comma",
                                  at);
            if (count < x->pairs) stretch->factors[count] = factor;
        }
    }
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

void extension_close(Extension *x) {
    for (int i = 0; i < x->scorer.worker_count; i++) inference_free(&x->scorer.workers[i].inference);
    free(x->scorer.workers);
    free(x->scorer.ids);
    corpus_close(&x->corpus);
    run_close(&x->run);
}

// --- the loss on windows of text ---

// Read the windows: the training text has as many equal parts, and a window stands in the middle of each. The first one
// does not begin with the text, where a book has its contents.
static bool read_windows(Extension *x, const char *data, Error *error) {
    const Split *text = &x->corpus.train;
    const int windows = (int)x->options->search.windows;
    const size_t tokens = (size_t)x->window + 1;
    if (text->count < tokens)
        return fail_input(error,
                          "%s (training): a window of %d tokens needs %zu, but there are %llu; give more text with "
                          "--data, or a smaller --factor",
                          data, x->window, tokens, (unsigned long long)text->count);
    x->scorer.ids = malloc((size_t)windows * tokens * sizeof *x->scorer.ids);
    if (!x->scorer.ids)
        return fail_run(error, "no memory for %d windows of %d tokens; try fewer --windows", windows, x->window);
    for (int w = 0; w < windows; w++) {
        const uint64_t last = text->count - tokens, start = last * (2 * (uint64_t)w + 1) / (2 * (uint64_t)windows);
        if (!split_read(x->scorer.ids + (size_t)w * tokens, text, start, tokens, error)) return false;
    }
    return true;
}

bool extension_open_text(Extension *x, int workers, Error *error) {
    const ExtendOptions *o = x->options;
    const int threads = threads_use(o->threads), count = threads < workers ? threads : workers;
    const char *data = *o->data ? o->data : x->run.options.data;
    Scorer *scorer = &x->scorer;
    if (!corpus_open(&x->corpus, data, error) || !run_check_tokenizer(&x->run, x->directory, &x->corpus, error) ||
        !read_windows(x, data, error))
        return false;
    scorer->workers = calloc((size_t)count, sizeof *scorer->workers);
    if (!scorer->workers) return fail_run(error, "no memory for %d threads that score windows", count);
    for (; scorer->worker_count < count; scorer->worker_count++) {
        Inference *inference = &scorer->workers[scorer->worker_count].inference;
        if (!inference_create(inference, &x->run.gpt, 1, x->window, SCORER_CHUNK, error)) return false;
    }
    return true;
}

double score_window(Extension *x, int worker, const Stretch *stretch, int window) {
    ScorerWorker *w = &x->scorer.workers[worker];
    Inference *inference = &w->inference;
    const int T = x->window, *ids = x->scorer.ids + (size_t)window * ((size_t)T + 1);
    double sum = 0;
    w->tried = (StretchRule){.method = METHOD_LONGROPE,
                             .factor = (double)T / x->original,
                             .original = x->original,
                             .long_stretch = *stretch};
    Tables *tables = &inference->tables.part[x->part];
    tables->stretch = &w->tried;
    tables->prepared = false; // the tables are those of the stretch before
    inference_restart(inference);
    for (int at = 0; at < T; at += SCORER_CHUNK) {
        if (interrupt_came()) return NAN;
        const int n = T - at < SCORER_CHUNK ? T - at : SCORER_CHUNK;
        inference_feed(inference, &x->run.gpt, ids + at, n);
        inference_nll(w->nll, inference, &x->run.gpt, ids + at + 1, n);
        for (int t = 0; t < n; t++) sum += w->nll[t];
    }
#pragma omp atomic
    x->scorer.tokens += T;
    return sum / T;
}

double score_all(Extension *x, const Stretch *stretch) {
    const int windows = (int)x->options->search.windows;
    double scores[SEARCH_WINDOWS_MOST] = {0}, sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(x->scorer.worker_count)
    for (int w = 0; w < windows; w++) scores[w] = score_window(x, omp_get_thread_num(), stretch, w);
    for (int w = 0; w < windows; w++) sum += scores[w]; // in the same order whichever worker finished first
    return sum / windows;
}
