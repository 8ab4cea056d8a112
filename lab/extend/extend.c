#include "lab/extend/extend.h"

#include "base/interrupt.h"
#include "base/progress.h"
#include "posenc/rotation/angles.h"
#include "train/config.h"
#include "train/evaluate.h"
#include "train/result.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

// --- can the run be extended? ---

// Does a layer with rotations see larger distances in a longer text? One with a window below the context does not.
static bool meets_longer(const Shape *shape, const Position *pos) {
    for (int layer = 0; layer < shape->layers; layer++) {
        const int window = window_of(shape, layer);
        if (position_layer(pos, layer) >= 0 && (window == 0 || window >= shape->context)) return true;
    }
    return false;
}

// Set x->part. Fails (input) when the run has no rotations that can be stretched.
static bool find_rotations(Extension *x, Error *error) {
    const Mix *mix = &x->run.gpt.pos;
    x->part = mix_stretchable(mix);
    return x->part >= 0 ||
           fail_input(error, "%s (%s) cannot be stretched: it has %s", x->directory, mix->text,
                      x->part == STRETCH_SEVERAL ? "rotations of several kinds; train it with one of them"
                      : x->part == STRETCH_GATED
                          ? "rotations with gates; train it without gate=trained"
                          : "no rotations by token position with fixed frequencies that all heads share; train it with "
                            "rope, partial, prope or a formula of that kind");
}

bool extension_settle(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    if (!find_rotations(x, error)) return false;
    const Mix *mix = &x->run.gpt.pos;
    const Position *pos = &mix->part[x->part];
    if (!meets_longer(&mix->shape, pos))
        return fail_input(error,
                          "%s has windows shorter than its context in all layers with rotations, so a longer text "
                          "brings no new distances; use it as it is",
                          x->directory);
    if (pos->shape.random_positions)
        return fail_input(error, "%s was trained at random positions, so there is no single length to stretch",
                          x->directory);
    const bool stretched = pos->stretch.original > 0;
    x->pairs = rotary_pairs(pos);
    x->base = rotary_base(pos);
    if (x->base == 0 && (o->method == METHOD_YARN || o->method == METHOD_LLAMA3 || o->method == METHOD_LONGROPE ||
                         o->method == METHOD_GRADIENT))
        return fail_input(error,
                          "%s: this method reads RoPE's base, and the formula's angles are not base^(-i/n); choose pi, "
                          "ntk or dynamic",
                          x->directory);
    x->original = stretched ? pos->stretch.original : pos->shape.context;
    const double window = round(o->factor * pos->shape.context);
    if (x->pairs > PAIRS_MOST)
        return fail_input(error, "%s has heads of %d pairs, but at most %d can be stretched", x->directory, x->pairs,
                          PAIRS_MOST);
    if (x->original < 2 || window > 1e7)
        return fail_input(error, "%s: a context of %d times %g is %.0f, but lengths are 2 to 10000000", x->directory,
                          pos->shape.context, o->factor, window);
    if (o->method == METHOD_DYNAMIC && pos->stretch.has_short)
        return fail_input(error,
                          "%s has factors of its own for short windows, which --method dynamic cannot keep; choose "
                          "another method",
                          x->directory);
    if (window < x->original)
        return fail_input(error, "--factor %g: %.0f is less than the original length %d; give a larger --factor",
                          o->factor, window, x->original);
    char complaint[256];
    if (length_complaint(complaint, &x->run.gpt, (int)window))
        return fail_input(error, "%s: %s, so its context cannot become %.0f, however its rotations are stretched",
                          x->directory, complaint, window);
    for (const Position *part = mix->part; part < mix->part + mix->parts; part++)
        if (window != pos->shape.context && part->scheme->reads_context && part->scheme->reads_context(part))
            return fail_input(error,
                              "%s: the scheme %s depends on the length that the model was trained at, which the "
                              "stretch would change; train one without it, or use this one as it is",
                              x->directory, part->scheme->name);
    x->window = (int)window;
    x->factor = window / x->original;
    return true;
}

// --- what methods share ---

// The stretch that windows of the original length have so far.
static Stretch short_stretch(const Extension *x) {
    Stretch made, plain = {.attention = 1};
    for (int i = 0; i < x->pairs; i++) plain.factors[i] = 1;
    const Stretch *stretch = stretch_of_window(&made, &x->run.gpt.pos.part[x->part].stretch, x->original, x->pairs);
    return stretch ? *stretch : plain;
}

static Stretch formula(const Extension *x, Method method) {
    Stretch stretch;
    stretch_formula(&stretch, method, &x->options->formula, x->factor, x->original, x->base, x->pairs);
    return stretch;
}

// The stretch that the run already has, stretched further by YaRN's formula with the paper's ramp, and with YaRN's
// attention factor for both together.
static Stretch further(const Extension *x) {
    const int context = x->run.gpt.shape.context;
    Stretch made, stretch;
    stretch_further(&stretch, stretch_of_window(&made, &x->run.gpt.pos.part[x->part].stretch, context, x->pairs),
                    &x->options->formula, x->options->factor, context, x->base, x->pairs);
    stretch.attention = formula(x, METHOD_YARN).attention;
    return stretch;
}

// The stretch given by --factors and --unscaled. Fails (input) unless there is one factor for each pair.
static bool listed(Stretch *stretch, const Extension *x, Error *error) {
    const TextList *lists = &x->options->factors;
    int count = 0;
    const double attention = x->options->attention_factor;
    *stretch = (Stretch){.unscaled = (int)x->options->unscaled,
                         .attention = attention > 0 ? attention : longrope_attention(x->factor, x->original)};
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
    return count == x->pairs ||
           fail_input(error, "--factors has %d numbers, but %s has heads of %d pairs; give one for each pair", count,
                      x->directory, x->pairs);
}

int extension_starts(Stretch starts[STARTS_MOST], const Extension *x) {
    const bool stretched = x->run.gpt.pos.part[x->part].stretch.original > 0;
    starts[0] = formula(x, METHOD_PI);
    starts[1] = formula(x, METHOD_NTK);
    starts[2] = formula(x, METHOD_YARN);
    if (stretched) starts[3] = further(x);
    for (int i = 0; i < 3 + stretched; i++) starts[i].attention = longrope_attention(x->factor, x->original);
    return 3 + stretched;
}

void extension_close(Extension *x) {
    for (int i = 0; i < x->scorer.worker_count; i++) inference_free(&x->scorer.workers[i].inference);
    free(x->scorer.workers);
    free(x->scorer.ids);
    corpus_close(&x->corpus);
    run_close(&x->run);
}

// --- what was scored ---

bool record_open(AtomicFile *record, const Extension *x, const char *name, const char *head, Error *error) {
    char path[PATH_CAPACITY];
    if (!path_format(path, error, "%s/%s", x->options->out, name) || !result_open(record, "--out", path, head, error))
        return false;
    fputs(",unscaled", record->stream);
    for (int i = 0; i < x->pairs; i++) fprintf(record->stream, ",factor_%d", i);
    fputc('\n', record->stream);
    return true;
}

void record_row(const AtomicFile *record, const Stretch *stretch, int pairs) {
    fprintf(record->stream, ",%d", stretch->unscaled);
    for (int i = 0; i < pairs; i++) fprintf(record->stream, ",%.6g", stretch->factors[i]);
    fputc('\n', record->stream);
}

// --- the loss on windows of text ---

// Divide the training text into equal parts and read a window from the middle of each. So none begins at the start of
// the text, where a book has its table of contents.
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
        split_read(x->scorer.ids + (size_t)w * tokens, text, start, tokens);
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
    tables->prepared = false; // the tables still hold the previous stretch
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

// --- the methods ---

// The grid of --tune: fast betas in steps of about half an octave, slow ones in octaves. They go far below the usual 32
// and 1, because the pairs of a small model make few turns in its short context; the smallest give a ramp that ends at
// the last pair.
static const double fast_choices[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64},
                    slow_choices[] = {0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4};
enum {
    FAST = sizeof fast_choices / sizeof *fast_choices,
    SLOW = sizeof slow_choices / sizeof *slow_choices,
    TRIES = (RAMP_PAPER + 1) * FAST * SLOW
};

static FormulaOptions formula_at(int n) {
    return (FormulaOptions){
        .ramp = n / (FAST * SLOW), .beta_fast = fast_choices[n / SLOW % FAST], .beta_slow = slow_choices[n % SLOW]};
}

// Many betas give the same stretch, because the ramp is rounded to whole pairs.
static bool is_new(const Stretch *tried, int count, const Stretch *stretch, int pairs) {
    for (int i = 0; i < count; i++)
        if (memcmp(tried[i].factors, stretch->factors, (size_t)pairs * sizeof *stretch->factors) == 0) return false;
    return true;
}

static bool tune(Stretch *result, Stretch *tried, Extension *x, Error *error) {
    char ramp[TEXT_CAPACITY];
    double loss = INFINITY;
    int count = 0;
    FormulaOptions best = {0};
    ProgressLine line;
    interrupt_catch();
    progress_start(&line, "extend", 0, TRIES);
    for (int n = 0; n < TRIES && !interrupt_came(); n++) {
        const FormulaOptions now = formula_at(n);
        Stretch *stretch = &tried[count];
        stretch_formula(stretch, METHOD_YARN, &now, x->factor, x->original, x->base, x->pairs);
        if (now.beta_slow >= now.beta_fast || !is_new(tried, count, stretch, x->pairs)) continue;
        choice_word(RAMP_NAMES, now.ramp, ramp);
        count++;
        const double mean = score_all(x, stretch);
        if (mean < loss) {
            loss = mean;
            *result = *stretch;
            best = now;
        }
        progress_show(&line, n + 1, "%s ramp, betas %g and %g  best %.4f", ramp, now.beta_fast, now.beta_slow, loss);
    }
    progress_clear(&line);
    if (!stop_check(&stop_at_signal, error)) return false;
    if (!isfinite(loss)) return fail_nonfinite(error, "no choice of betas has a finite loss; is the model trained?");
    x->loss = loss;
    x->evaluations = count;
    x->tokens = x->scorer.tokens;
    choice_word(RAMP_NAMES, best.ramp, ramp);
    printf("betas    %g and %g with the %s ramp: the best of %d on %s\n", best.beta_fast, best.beta_slow, ramp, count,
           x->corpus.name);
    return true;
}

static bool find_yarn(Stretch *result, Extension *x, Error *error) {
    if (x->options->further && x->run.gpt.pos.part[x->part].stretch.original == 0)
        return fail_input(error, "--further: %s is not stretched yet; leave out --further", x->directory);
    if (!x->options->tune) {
        *result = x->options->further ? further(x) : formula(x, METHOD_YARN);
        return true;
    }
    if (!extension_open_text(x, (int)x->options->search.windows, error)) return false;
    Stretch *tried = calloc(TRIES, sizeof *tried);
    const bool ok = tried ? tune(result, tried, x, error) : fail_run(error, "no memory for %d stretches", TRIES);
    free(tried);
    return ok;
}

static bool find(Stretch *result, Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    switch (o->method) {
    case METHOD_DYNAMIC:     // its factors follow the window, so the result stays empty
        x->found.growth = 1; // as in the paper
        return true;
    case METHOD_YARN:
        return find_yarn(result, x, error);
    case METHOD_LONGROPE:
        return longrope_find(result, x, error);
    case METHOD_GRADIENT:
        return gradient_find(result, x, error);
    case METHOD_GIVEN:
        return listed(result, x, error);
    default:
        *result = formula(x, (Method)o->method);
        return true;
    }
}

bool extension_find(Extension *x, Error *error) {
    const ExtendOptions *o = x->options;
    const StretchRule *before = &x->run.gpt.pos.part[x->part].stretch;
    StretchRule *rule = &x->found;
    Stretch found = {0};
    x->found = (StretchRule){.method = o->method, .factor = x->factor, .original = x->original};
    x->space = search_space(x->pairs, x->factor, x->original);
    if (!find(&found, x, error)) return false;
    rule->has_short = o->keep_short || before->has_short;
    rule->pairs = x->pairs;
    rule->long_stretch = found;
    if (!rule->has_short) return true;
    rule->short_stretch = short_stretch(x);
    rule->short_stretch.attention = found.attention; // the same at all lengths, as in Hugging Face
    return true;
}

bool extension_formula(Mix *mix, const char *text, Error *error) {
    static const Option method = {"", OPTION_CHOICE, offsetof(ExtendOptions, method), NULL, 0, 0, FORMULA_NAMES, "",
                                  ""},
                        options[] = {FACTOR_ROW, {0}};
    ExtendOptions o = {.formula = formula_defaults};
    Extension x = {.options = &o, .directory = "the scheme", .run.gpt = {.shape = mix->shape, .pos = *mix}};
    char name[TEXT_CAPACITY];
    if (!*text) return true;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    options_default(&o, options);
    if (!option_set(&o, &method, name, "--stretch", error)) return false;
    const char *list = strchr(text, ':');
    const bool follows = o.method == METHOD_DYNAMIC; // its factors follow the window, so it takes no factor
    if (!options_parse_list(&o, options + follows, list ? list + 1 : NULL, name, error) || !extension_settle(&x, error))
        return false;
    StretchRule rule = {.method = o.method, .factor = x.factor, .original = x.original, .pairs = x.pairs};
    rule.has_short = true; // windows no longer than in training stay as they are
    rule.short_stretch = short_stretch(&x);
    rule.growth = follows;
    if (!follows) rule.long_stretch = formula(&x, (Method)o.method);
    return stretch_apply(mix, &rule, "", error);
}
