// `bitter eval`: perplexity by context length and by position in the window; of a task, right answers by length.
#include "base/interrupt.h"
#include "base/progress.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/eval/eval.h"
#include "cmd/shared/describe.h"
#include "train/evaluate.h"
#include "train/config.h"
#include "train/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAGIC  "\x93NUMPY" // what every array file of NumPy begins with
#define CSV_HEADER "context,stride,position,tokens,nats,perplexity,bits_per_byte\n"

#define FIELD(name) offsetof(EvalOptions, name)

static const Option eval_options[] = {
    HEADING_ROW("Text"),
    TEXT_ROW("data", FIELD(data), NULL, "DIR", "text to score, or task; by default what the run was trained on"),
    TEXT_ROW("context", FIELD(context), NULL, "N,N,...", "lengths of the windows; by default the trained context"),
    INTEGER_ROW("stride", FIELD(stride), "0", 0, 1e9,
                "score only the last N tokens of each window, so that windows overlap; 0 = no overlap"),
    INTEGER_ROW("eval-tokens", FIELD(eval_tokens), "0", 0, HUGE_VAL,
                "score only the first N tokens of the split; 0 = all"),
    FLAG_ROW("train-split", FIELD(train_split), "score the training text instead of the validation text"),
    FLAG_ROW("by-position", FIELD(by_position), "also print the loss by position in the window"),
    TEXT_ROW("logits", FIELD(logits), NULL, "FILE.npy",
             "write the logits of the first window of the first --context, float32 (N, V)"),
    HEADING_ROW("Tasks"),
    FLAG_ROW("task", FIELD(task),
             "count right answers to a task, at lengths up to twice the trained one; of builtin:passkey, numbers found "
             "in long texts, by --context and depth"),
    INTEGER_ROW("samples", FIELD(samples), NULL, 1, 1e6,
                "exercises per length (200 by default); of passkey, documents per length and depth (20 by default)"),
    INTEGER_ROW("depths", FIELD(depths), "5", 1, DEPTHS_MOST, "of passkey, depths between 0% and 100%; 1 = only 50%"),
    HEADING_ROW("Text and tasks"),
    TEXT_ROW("past", FIELD(past), NULL, "clamp|interpolate",
             "for --pos learned, beyond the trained length: clamp = use the last position, interpolate = squeeze all "
             "positions into the trained ones"),
    {"positions-as", OPTION_CHOICE, FIELD(positions_as), "float", 0, 0, NUMBER_FORMATS, "FORMAT",
     "round what the scheme computes from positions, such as angles, codes and biases; float = leave it as it is"},
    TEXT_ROW("csv", FIELD(csv), NULL, "FILE", "write the table to FILE; with --by-position, a row per position"),
    THREADS_OPTION_ROW(EvalOptions),
    {0},
};

// Options of text alone do not go with --task, and those of tasks do not go without.
static bool check_given(const bool *given, const EvalOptions *options, Error *error) {
    static const char *const names[] = {"stride", "eval-tokens", "by-position", "train-split",
                                        "logits", "samples",     "depths"};
    enum { OF_TEXT = 5 };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (given[option_find(eval_options, names[i]) - eval_options] && options->task == (i < OF_TEXT))
            return fail_input(error, "--%s applies only %s --task; leave it out", names[i],
                              i < OF_TEXT ? "without" : "with");
    return true;
}

// "64,128" -> options->windows, each checked like an option.
static bool parse_windows(EvalOptions *options, int trained, Error *error) {
    static const Option row = INTEGER_ROW("context", 0, NULL, 1, 1e8, "");
    options->windows[0] = trained;
    options->window_count = !*options->context;
    for (const char *at = options->context; *options->context; at++) {
        char number[TEXT_CAPACITY];
        const int length = (int)strcspn(at, ",");
        long long value;
        snprintf(number, sizeof number, "%.*s", length, at);
        if (options->window_count == WINDOWS_MOST)
            return fail_input(error, "--context takes at most %d lengths", WINDOWS_MOST);
        if (!option_set(&value, &row, number, "--context", error)) return false;
        options->windows[options->window_count++] = (int)value;
        at += length;
        if (*at == 0) break;
    }
    return true;
}

static void show_share(void *line, double share) {
    progress_show(line, share, "scoring");
}

// Positions in groups that double in size: 0, 1, 2-3, 4-7, ...
static void print_by_position(const Evaluation *e) {
    printf("%12s %12s %10s %12s\n", "position", "tokens", "nats", "perplexity");
    for (int from = 0, to; from < e->window; from = to) {
        to = from == 0 ? 1 : 2 * from;
        if (to > e->window) to = e->window;
        double nll = 0;
        uint64_t tokens = 0;
        for (int t = from; t < to; t++) {
            nll += e->position_nll[t];
            tokens += e->position_tokens[t];
        }
        char range[32];
        if (to - from == 1)
            snprintf(range, sizeof range, "%d", from);
        else
            snprintf(range, sizeof range, "%d-%d", from, to - 1);
        if (tokens > 0) // with a stride, none of the first positions is scored
            printf("%12s %12" PRIu64 " %10.4f %12.3f\n", range, tokens, nll / (double)tokens, perplexity(nll, tokens));
    }
}

// Bits per byte are left out where the bytes were not counted (bytes = 0).
static void csv_row(FILE *csv, const Evaluation *e, const char *position, double nll, uint64_t tokens, uint64_t bytes) {
    fprintf(csv, "%d,%d,%s,%" PRIu64 ",%.9g,%.9g,", e->window, e->stride, position, tokens, nll / (double)tokens,
            perplexity(nll, tokens));
    if (bytes > 0) fprintf(csv, "%.9g", nll / (log(2) * (double)bytes));
    fputc('\n', csv);
}

static void print_result(const Evaluation *e) {
    printf("%10d %10d %12" PRIu64 " %10.4f %12.3f", e->window, e->stride, e->tokens, e->nll / (double)e->tokens,
           perplexity(e->nll, e->tokens));
    if (e->bytes > 0) printf(" %14.4f", bits_per_byte(e));
    printf("\n");
    fflush(stdout);
}

static Evaluation evaluation_of(const Run *run, const EvalOptions *options, int window) {
    return (Evaluation){.window = window,
                        .stride = options->stride > 0 ? (int)options->stride : window,
                        .limit = (uint64_t)options->eval_tokens,
                        .stop = &stop_at_signal,
                        .tokenizer = run->tokenizer.kind == TOKENIZER_NONE ? NULL : &run->tokenizer};
}

static bool evaluate_one(const Run *run, const Split *split, const char *name, const EvalOptions *options, int window,
                         FILE *csv, Error *error) {
    Evaluation e = evaluation_of(run, options, window);
    e.position_nll = calloc((size_t)window, sizeof *e.position_nll);
    e.position_tokens = calloc((size_t)window, sizeof *e.position_tokens);
    ProgressLine line;
    bool ok = (e.position_nll && e.position_tokens) || fail_run(error, "no memory for %d positions", window);
    progress_start(&line, "eval", 0, 1);
    ok = ok && evaluate(&e, &run->gpt, split, name, show_share, &line, error);
    progress_clear(&line);
    const real loss = (real)(e.nll / (double)e.tokens);
    ok = ok && finite_check(&loss, 1, error);
    if (ok) {
        print_result(&e);
        if (options->by_position) print_by_position(&e);
        if (csv) csv_row(csv, &e, "all", e.nll, e.tokens, e.bytes);
        for (int t = 0; csv && options->by_position && t < window; t++) {
            char position[16];
            snprintf(position, sizeof position, "%d", t);
            if (e.position_tokens[t] > 0) csv_row(csv, &e, position, e.position_nll[t], e.position_tokens[t], 0);
        }
    }
    free(e.position_nll);
    free(e.position_tokens);
    return ok;
}

// Begin NumPy's file, version 1.0, of an array of float32 (rows, columns); its numbers follow.
static bool npy_open(AtomicFile *file, const char *path, long long rows, long long columns, Error *error) {
    enum { PREFIX = 10, HEADER = 128 }; // magic, version and length; all of it with the description
    char header[HEADER + 1];
    const int written = snprintf(header + PREFIX, sizeof header - PREFIX,
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", rows, columns);
    memset(header + PREFIX + written, ' ', (size_t)(HEADER - PREFIX - written));
    memcpy(header, NPY_MAGIC "\x01\x00", 8);
    header[8] = HEADER - PREFIX;
    header[9] = 0;
    header[HEADER - 1] = '\n';
    return atomic_open(file, path, error) && atomic_write(file, header, HEADER, error);
}

// The logits of the split's first window, fed chunk by chunk.
static bool write_logits(AtomicFile *file, const Gpt *gpt, const Split *split, int window, Error *error) {
    enum { CHUNK = 256 };
    const size_t V = (size_t)gpt->shape.vocab;
    Inference inference;
    if (!inference_create(&inference, gpt, 1, window, CHUNK, error)) return false;
    float *logits = malloc(CHUNK * V * sizeof *logits);
    real *values = malloc(CHUNK * V * sizeof *values);
    bool ok = (logits && values) || fail_run(error, "no memory for the logits");
    for (int at = 0; ok && at < window; at += CHUNK) {
        int ids[CHUNK];
        const int n = window - at < CHUNK ? window - at : CHUNK;
        ok = split_read(ids, split, (uint64_t)at, (size_t)n, error);
        if (!ok) break;
        inference_feed(&inference, gpt, ids, n);
        inference_logits(values, &inference, gpt, n);
        for (size_t i = 0; i < (size_t)n * V; i++) logits[i] = (float)values[i];
        ok = atomic_write(file, logits, (size_t)n * V * sizeof *logits, error) && stop_check(&stop_at_signal, error);
    }
    free(logits);
    free(values);
    inference_free(&inference);
    return ok;
}

// Find mistakes before minutes of scoring.
static bool check_all(const Run *run, const Split *split, const char *name, const EvalOptions *options, Error *error) {
    for (int i = 0; i < options->window_count; i++) {
        const Evaluation e = evaluation_of(run, options, options->windows[i]);
        if (!evaluation_check(&e, &run->gpt, split, name, error)) return false;
    }
    if (*options->csv && strcmp(options->csv, options->logits) == 0)
        return fail_input(error, "--csv and --logits both name %s; give each its own file", options->csv);
    return true;
}

static bool evaluate_all(const Run *run, const Corpus *corpus, const EvalOptions *options, Error *error) {
    const Split *split = options->train_split ? &corpus->train : &corpus->val;
    char name[PATH_CAPACITY + 32];
    snprintf(name, sizeof name, "%s (%s)", corpus->name, options->train_split ? "training" : "validation");
    AtomicFile csv = {0}, logits = {0};
    if (!check_all(run, split, name, options, error)) return false;
    interrupt_catch();
    bool ok =
        result_open(&csv, "--csv", options->csv, CSV_HEADER, error) &&
        (!*options->logits || (result_check("--logits", options->logits, NPY_MAGIC, strlen(NPY_MAGIC), error) &&
                               npy_open(&logits, options->logits, options->windows[0], run->gpt.shape.vocab, error)));
    if (!ok) return result_close(&csv, false, error);
    const bool bytes = run->tokenizer.kind != TOKENIZER_NONE;
    printf("%s, trained with context %d\n", name, run->gpt.shape.context);
    if (is_task(&corpus->builtin))
        printf("exercises as plain text, what is given and what is asked alike; --task counts right answers\n");
    printf("%10s %10s %12s %10s %12s%s\n", "context", "stride", "tokens", "nats", "perplexity",
           bytes ? "  bits per byte" : "");
    for (int i = 0; ok && i < options->window_count; i++)
        ok = evaluate_one(run, split, name, options, options->windows[i], csv.stream, error);
    ok = result_close(&csv, ok, error) &&
         (!*options->logits || write_logits(&logits, &run->gpt, split, options->windows[0], error));
    return result_close(&logits, ok, error);
}

// Without --data, the user expects numbers for the text that the run was trained with, so a change of it is reported.
static bool note_change(const Corpus *corpus, const char *directory, Error *error) {
    RunPaths paths;
    if (!run_paths(&paths, directory, error)) return false;
    json_t *recorded = config_data(paths.config, error);
    if (!recorded) return false;
    if (!data_is(recorded, corpus))
        fprintf(stderr,
                "bitter eval: %s has changed since %s was trained on it (the CRC-32s of its tokens differ); these "
                "numbers are of the text as it is now\n",
                corpus->name, directory);
    json_decref(recorded);
    return true;
}

static bool evaluate_text(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    Corpus corpus = {0};
    const char *data = *options->data ? options->data : run->options.data;
    if (!corpus_open(&corpus, data, error)) return false;
    const bool ok = run_check_tokenizer(run, directory, &corpus, error) &&
                    (*options->data || note_change(&corpus, directory, error)) &&
                    evaluate_all(run, &corpus, options, error);
    corpus_close(&corpus);
    return ok;
}

// Let the schemes hold what they compute from coordinates in this format, and say what that is.
static void hold_positions(Mix *mix, const EvalOptions *options) {
    char format[TEXT_CAPACITY];
    if (options->positions_as == FORMAT_FLOAT) return;
    option_print(options, option_find(eval_options, "positions-as"), format);
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++) {
        const Family *family = pos->scheme->family;
        pos->held_as = (NumberFormat)options->positions_as;
        printf("rounded to %s, %s: %s\n", format, pos->scheme->name,
               family && family->rounds ? family->rounds : "nothing, as it computes no numbers from positions");
    }
}

bool command_eval(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "eval",
        "Measure the perplexity of a run on its validation text, where every token is scored once. With --task, count "
        "right answers instead.",
        "RUN", eval_options,
        "  bitter eval runs/alibi --context 256,512,1024\n  bitter eval runs/rope --context "
        "1024 --stride 256 --by-position\n  bitter eval runs/copy --task --samples 1000\n"
        "  bitter eval runs/rope --task --data builtin:passkey --context 512,2048\n"};
    EvalOptions options;
    bool given[ARGUMENTS_MOST];
    const char *directory = argv[arguments_parse(&options, given, &usage, argc, argv)];
    Run run;
    threads_use(options.threads);
    if (!check_given(given, &options, error) || !run_open(&run, directory, options.past, error)) return false;
    kernels_report("eval");
    hold_positions(&run.gpt.pos, &options);
    const bool ok = parse_windows(&options, run.gpt.shape.context, error) &&
                    (options.task ? evaluate_task : evaluate_text)(&run, directory, &options, error);
    run_close(&run);
    return ok;
}
