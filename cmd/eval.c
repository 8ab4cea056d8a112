// `bitter eval`: perplexity by context length and by position in the window; of a task, right answers by length.
#include "base/interrupt.h"
#include "base/progress.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/train.h"
#include "train/evaluate.h"
#include "train/config.h"
#include "train/result.h"
#include "data/made/builtin.h"
#include "lab/eval/passkey.h"
#include "lab/stats/statistics.h"
#include "model/sample.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAGIC  "\x93NUMPY" // what every array file of NumPy begins with
#define CSV_HEADER "context,stride,position,tokens,nats,perplexity,bits_per_byte\n"

enum {
    EXERCISES = 200, // of each length
    DOCUMENTS = 20,  // with a passkey, of each length and depth
    DEPTHS = 5,      // of a passkey
    ROWS_MOST = 20,  // of a table of lengths
    CHUNK = 512,     // tokens fed at a time
};

#define WINDOWS_MOST 32
#define DEPTHS_MOST  101

typedef struct {
    char data[TEXT_CAPACITY], context[TEXT_CAPACITY], csv[TEXT_CAPACITY], logits[TEXT_CAPACITY], past[TEXT_CAPACITY];
    long long stride, eval_tokens, samples, depths, threads;
    bool by_position, train_split, task;
    int positions_as; // NumberFormat
    // Not an option: the lengths in --context, or the trained one.
    int windows[WINDOWS_MOST], window_count;
} EvalOptions;

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
    INTEGER_ROW(
        "samples", FIELD(samples), NULL, 1, 1e6,
        "exercises per length (200 by default), or documents with a passkey per length and depth (20 by default)"),
    INTEGER_ROW("depths", FIELD(depths), NULL, 1, DEPTHS_MOST,
                "depths of a passkey between 0% and 100% (5 by default); 1 = only 50%"),
    HEADING_ROW("Text and tasks"),
    TEXT_ROW(
        "past", FIELD(past), NULL, "clamp|interpolate",
        "how learned positions go on beyond the trained length: clamp = use the last one, interpolate = squeeze all "
        "positions into the trained ones; by default as the run says"),
    CHOICE_ROW("positions-as", FIELD(positions_as), "float", NUMBER_FORMATS, NULL,
               "round what the scheme computes from positions, such as angles, codes and biases; float = leave it"),
    TEXT_ROW("csv", FIELD(csv), NULL, "FILE", "write the table to FILE; with --by-position, a row per position"),
    THREADS_OPTION_ROW(EvalOptions),
    {0},
};

// Fails (input) on options for text together with --task, and on options for tasks without it.
static bool check_given(const bool *given, const EvalOptions *options, Error *error) {
    static const char *const names[] = {"stride", "eval-tokens", "by-position", "train-split",
                                        "logits", "samples",     "depths"};
    enum { OF_TEXT = 5 };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (option_given(eval_options, given, names[i]) && options->task == (i < OF_TEXT))
            return fail_input(error, "--%s applies only %s --task; leave it out", names[i],
                              i < OF_TEXT ? "without" : "with");
    return true;
}

// "64,128" -> options->windows, each checked like an option.
static bool parse_windows(EvalOptions *options, int trained, Error *error) {
    static const Option row = INTEGER_ROW("context", 0, NULL, 1, 1e8, "");
    char word[TEXT_CAPACITY];
    long long length;
    for (const char *list = options->context; list_word(word, &list, LIST_SEPARATORS);) {
        if (options->window_count == WINDOWS_MOST)
            return fail_input(error, "--context takes at most %d lengths", WINDOWS_MOST);
        if (!option_set(&length, &row, word, "--context", error)) return false;
        options->windows[options->window_count++] = (int)length;
    }
    if (options->window_count == 0 && *options->context)
        return fail_input(error, "--context: '%.100s' has no number", options->context);
    if (options->window_count == 0) options->windows[options->window_count++] = trained;
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
        snprintf(range, sizeof range, to - from == 1 ? "%d" : "%d-%d", from, to - 1);
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
                         double *lowest, FILE *csv, Error *error) {
    Evaluation e = evaluation_of(run, options, window);
    e.position_nll = calloc((size_t)window, sizeof *e.position_nll);
    e.position_tokens = calloc((size_t)window, sizeof *e.position_tokens);
    ProgressLine line;
    bool ok = (e.position_nll && e.position_tokens) || fail_run(error, "no memory for %d positions", window);
    progress_start(&line, "eval", 0, 1);
    e.show = show_share;
    e.context = &line;
    ok = ok && evaluate(&e, &run->gpt, split, name, error);
    progress_clear(&line);
    const real loss = (real)(e.nll / (double)e.tokens);
    ok = ok && finite_check(&loss, 1, error);
    if (ok) {
        print_result(&e);
        *lowest = fmin(*lowest, perplexity(e.nll, e.tokens));
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
    enum { LENGTH = 118 }; // of the description; with magic, version and this length, 128 bytes
    char description[LENGTH], header[129];
    snprintf(description, LENGTH, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }", rows, columns);
    const int size = snprintf(header, sizeof header, NPY_MAGIC "\1%c%c%c%-117s\n", 0, LENGTH, 0, description);
    return atomic_open(file, path, error) && atomic_write(file, header, (size_t)size, error);
}

// The logits of the split's first window, fed chunk by chunk.
static bool write_logits(AtomicFile *file, const Gpt *gpt, const Split *split, int window, Error *error) {
    const size_t row = (size_t)gpt->shape.vocab * sizeof(real);
    Inference inference;
    assert(sizeof(real) == sizeof(float)); // `eval` is run in float alone
    if (!inference_create(&inference, gpt, 1, window, CHUNK, error)) return false;
    real *logits = malloc(CHUNK * row);
    bool ok = logits || fail_run(error, "no memory for the logits");
    for (int at = 0; ok && at < window; at += CHUNK) {
        int ids[CHUNK];
        const int n = window - at < CHUNK ? window - at : CHUNK;
        split_read(ids, split, (uint64_t)at, (size_t)n);
        inference_feed(&inference, gpt, ids, n);
        inference_logits(logits, &inference, gpt, n);
        ok = atomic_write(file, logits, (size_t)n * row, error) && stop_check(&stop_at_signal, error);
    }
    free(logits);
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
    double lowest = INFINITY; // perplexity
    const StretchRule *stretch = &run->options.stretch;
    if (stretch->original > 0)
        printf("%s, context %d, stretched %g times from %d\n", name, run->gpt.shape.context, stretch->factor,
               stretch->original);
    else
        printf("%s, trained with context %d\n", name, run->gpt.shape.context);
    if (is_task(&corpus->builtin))
        printf("exercises as plain text, questions and answers alike; --task counts right answers\n");
    printf("%10s %10s %12s %10s %12s%s\n", "context", "stride", "tokens", "nats", "perplexity",
           bytes ? "  bits per byte" : "");
    for (int i = 0; ok && i < options->window_count; i++)
        ok = evaluate_one(run, split, name, options, options->windows[i], &lowest, csv.stream, error);
    if (ok && !options->train_split)
        print_perplexities("compare", corpus, options->eval_tokens, options->windows[0], lowest);
    // --csv may have been another spelling of --logits.
    ok = result_close(&csv, ok, error) &&
         (!*options->logits || (result_check("--logits", options->logits, NPY_MAGIC, strlen(NPY_MAGIC), error) &&
                                write_logits(&logits, &run->gpt, split, options->windows[0], error)));
    return result_close(&logits, ok, error);
}

// Without --data, the user expects numbers for the text that the run was trained with, so a change of it is reported.
static bool note_change(const Corpus *corpus, const char *directory, Error *error) {
    RunPaths paths;
    bool same;
    if (!run_paths(&paths, directory, error) || !config_same_data(&same, paths.config, corpus, error)) return false;
    if (!same)
        fprintf(stderr,
                "bitter eval: %s has changed since %s was trained on it (the CRC-32s of its tokens differ); these "
                "numbers are of the text as it is now\n",
                corpus->name, directory);
    return true;
}

static bool evaluate_text(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    Corpus corpus = {0};
    const char *data = *options->data ? options->data : run->options.data;
    if (!corpus_open(&corpus, data, error)) return false;
    const bool ok = (!*options->data || builtin_check_text(&corpus.builtin, data, error)) &&
                    run_check_tokenizer(run, directory, &corpus, error) &&
                    (*options->data || note_change(&corpus, directory, error)) &&
                    evaluate_all(run, &corpus, options, error);
    corpus_close(&corpus);
    return ok;
}

// --- tasks ---

// " 95.00%  (91.04% to 97.26%)"
static void print_share(double right, double count) {
    const Interval interval = wilson(right, count);
    printf(" %9.2f%%  (%.2f%% to %.2f%%)", 100 * right / count, 100 * interval.low, 100 * interval.high);
}

// --- passkeys ---

typedef struct {
    const Run *run;
    long long samples; // documents of each length and depth
    int depths;
    uint64_t seed;
    ProgressLine line;
} PasskeyTable;

static void passkey_row(FILE *csv, const int *right, const PasskeyTable *table, int window) {
    const double samples = (double)table->samples;
    int least = right[0];
    printf("%8d", window);
    for (int d = 0; d < table->depths; d++) {
        const Interval interval = wilson(right[d], samples);
        printf(" %6.1f%%", 100.0 * right[d] / samples);
        if (right[d] < least) least = right[d];
        if (csv)
            fprintf(csv, "%d,%.9g,%lld,%d,%.9g,%.9g,%.9g\n", window, passkey_depth(d, table->depths), table->samples,
                    right[d], right[d] / samples, interval.low, interval.high);
    }
    const Interval interval = wilson(least, samples);
    printf(" %7.1f%%  (%.1f%% to %.1f%%)\n", 100.0 * least / samples, 100 * interval.low, 100 * interval.high);
    fflush(stdout);
}

static bool passkey_table(PasskeyTable *table, const EvalOptions *options, FILE *csv, Error *error) {
    int right[DEPTHS_MOST];
    double total = 0, done = 0; // work
    for (int i = 0; i < options->window_count; i++)
        total += (double)table->samples * table->depths * window_work(&table->run->gpt, options->windows[i]);
    printf("%8s", "length");
    for (int d = 0; d < table->depths; d++) printf(" %6.4g%%", 100 * passkey_depth(d, table->depths));
    printf(" %8s  %s\n", "minimum", "95% interval of that depth alone");
    progress_start(&table->line, "eval", 0, total);
    for (int i = 0; i < options->window_count; i++) {
        const bool ok = passkey_find(right, table->run, options->windows[i], table->depths, table->samples, table->seed,
                                     &table->line, &done, error);
        progress_clear(&table->line);
        if (!ok) return false;
        passkey_row(csv, right, table, options->windows[i]);
    }
    return true;
}

// How often a model repeats a number that it read somewhere in a long text: a row for each window length, a column for
// each of options->depths places of the number; options->samples documents each, the same for every run.
static bool evaluate_passkey(const Run *run, const char *directory, const EvalOptions *options, uint64_t seed,
                             Error *error) {
    AtomicFile csv = {0};
    PasskeyTable table = {.run = run,
                          .samples = options->samples ? options->samples : DOCUMENTS,
                          .depths = options->depths ? (int)options->depths : DEPTHS,
                          .seed = seed};
    static const char header[] = "length,depth,samples,right,accuracy,low,high\n";
    if (!passkey_check(run, directory, options->windows, options->window_count, error)) return false;
    interrupt_catch();
    if (!result_open(&csv, "--csv", options->csv, header, error)) return false;
    printf("%s: passkeys found, %lld documents of each length and depth\n", directory, table.samples);
    return result_close(&csv, passkey_table(&table, options, csv.stream, error), error);
}

// --- other tasks ---

// The rows of a table: lengths first..last, or some of them, evenly spaced.
typedef struct {
    const char *title, *name; // in the printed table, and in the CSV file
    int first, last, count;
    int lengths[ROWS_MOST];
    int answered; // lengths for which the scheme is defined
    Answers sum;
} AnswerPart;

typedef struct {
    const Run *run;
    BuiltinCorpus task;
    FILE *csv; // NULL = none
    ProgressLine line;
    int samples; // exercises of each length
    int done;    // rows printed
} AnswerTable;

static bool answer(Answers *answers, const AnswerTable *table, int length, Error *error) {
    Examination examination = {.task = table->task,
                               .stream = task_stream(&table->task, "test"),
                               .count = table->samples,
                               .stop = &stop_at_signal,
                               .end = tokenizer_end(&table->run->tokenizer)};
    examination.task.min = examination.task.max = length;
    if (!examine(answers, &table->run->gpt, &examination, error)) return false;
    const real loss = (real)(answers->nll / (double)answers->tokens);
    return finite_check(&loss, 1, error);
}

static void print_row(const Answers *a, int length) {
    printf("%8d %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10.4f", length, a->exercises, a->perfect,
           a->questions, a->right, a->nll / (double)a->tokens);
    print_share((double)a->right, (double)a->questions);
    printf("\n");
    fflush(stdout);
}

static void write_row(FILE *csv, const Answers *a, const char *part, int length) {
    fprintf(csv, "%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", length, part, a->exercises, a->perfect,
            a->questions, a->right);
    const Interval interval = wilson((double)a->right, (double)a->questions);
    if (a->questions > 0)
        fprintf(csv, "%.9g,%.9g,%.9g,%.9g\n", (double)a->right / (double)a->questions, interval.low, interval.high,
                a->nll / (double)a->tokens);
    else
        fprintf(csv, ",,,\n");
}

static bool one_length(AnswerPart *part, AnswerTable *table, int length, Error *error) {
    char text[256];
    Answers answers = {0};
    const char *reason = task_objection(&table->task, length); // why there are no answers
    if (!reason) reason = length_complaint(text, &table->run->gpt, task_tokens(&table->task, length));
    progress_show(&table->line, table->done++, "length %d", length);
    const bool ok = reason || answer(&answers, table, length, error);
    progress_clear(&table->line);
    if (!ok) return false;
    if (reason)
        printf("%8d %10s  %s\n", length, "-", reason);
    else
        print_row(&answers, length);
    answers_add(&part->sum, &answers);
    part->answered += !reason;
    if (table->csv) write_row(table->csv, &answers, part->name, length);
    return true;
}

static void print_part(const AnswerPart *part) {
    const int width = printf("%s %d to %d", part->title, part->first, part->last);
    printf("%*s", width < 30 ? 30 - width : 0, "");
    if (part->answered == 0) {
        printf("%10s\n", "-");
        return;
    }
    printf("%10" PRIu64 " of %" PRIu64 " right", part->sum.right, part->sum.questions);
    print_share((double)part->sum.right, (double)part->sum.questions);
    if (part->answered < part->count) printf(", at %d of %d lengths", part->answered, part->count);
    printf("\n");
}

static bool print_table(AnswerTable *table, bool as_trained, Error *error) {
    const int min = (int)table->task.min, max = (int)table->task.max;
    AnswerPart parts[] = {
        {as_trained ? "trained lengths," : "lengths", as_trained ? "trained" : "given", .first = min, .last = max},
        {as_trained ? "beyond," : "lengths", "beyond", .first = max + 1, .last = 2 * max}};
    for (AnswerPart *part = parts; part < parts + 2; part++)
        part->count = task_lengths(part->lengths, ROWS_MOST, part->first, part->last);
    printf("%8s %10s %10s %10s %10s %10s %10s  %s\n", "length", "exercises", "perfect", "questions", "right", "nats",
           "accuracy", "95% interval");
    progress_start(&table->line, "eval", 0, parts[0].count + parts[1].count);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < parts[p].count; i++)
            if (!one_length(&parts[p], table, parts[p].lengths[i], error)) return false;
    for (int p = 0; p < 2; p++) print_part(&parts[p]);
    return true;
}

// The task to evaluate on, and whether its lengths are those that the run was trained on.
static bool choose(AnswerTable *table, bool *as_trained, const char *data, Error *error) {
    const char *trained_on = table->run->options.data;
    BuiltinCorpus trained = {0}, *task = &table->task;
    if (is_builtin(trained_on) && !builtin_choose(&trained, trained_on, error)) return false;
    if (is_builtin(data) && !builtin_choose(task, data, error)) return false;
    *as_trained = trained.builtin == task->builtin && trained.min == task->min && trained.max == task->max;
    return is_task(task) || is_passkey(task) || fail_no_task("--data", data, error);
}

// Print a table of right answers at the task's training lengths and at lengths up to twice as long, from
// options->samples exercises of each length. All runs get the same exercises; none of them was trained on. For
// builtin:passkey, calls evaluate_passkey. Fails (input) when there is no task, or the run's tokens are not bytes.
static bool evaluate_task(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    AnswerTable table = {.run = run, .samples = options->samples ? (int)options->samples : EXERCISES};
    static const char header[] = "length,part,exercises,perfect,questions,right,accuracy,low,high,nats\n";
    AtomicFile csv = {0};
    bool as_trained = false;
    const char *data = *options->data ? options->data : run->options.data;
    if (!choose(&table, &as_trained, data, error)) return false;
    if (is_passkey(&table.task))
        return (!*options->data ||
                builtin_check_unused(&table.task, "bytes,share,min,max", data,
                                     "--context, --samples and --depths say which documents there are", error)) &&
               evaluate_passkey(run, directory, options, (uint64_t)table.task.seed, error);
    if (options->depths) return fail_input(error, "--depths is for builtin:passkey; leave it out");
    if (*options->context)
        return fail_input(error,
                          "--context is for text and builtin:passkey; lengths of %s are its own: give min=N and "
                          "max=N with --data builtin:%s:...",
                          data, table.task.builtin->name);
    if (run->tokenizer.kind != TOKENIZER_BYTES)
        return fail_input(error,
                          "tasks are made of bytes, but the tokens of %s are %s; give a run that was trained on "
                          "one",
                          directory, tokenizer_kind_name(run->tokenizer.kind));
    interrupt_catch();
    if (!result_open(&csv, "--csv", options->csv, header, error)) return false;
    table.csv = csv.stream;
    printf("%s: %s; lengths are numbers of %s\n", data, table.task.builtin->help, table.task.builtin->counts);
    return result_close(&csv, print_table(&table, as_trained, error), error);
}

// --- the command ---

// Let the schemes round what they compute from coordinates to this format, and print what that is.
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

// What the schemes do where they have no trained position, if it is not an error.
static void print_past(const Mix *mix) {
    char past[TEXT_CAPACITY];
    for (const Position *pos = mix->part; pos < mix->part + mix->parts; pos++) {
        if (!pos->scheme->past) continue;
        option_print(pos->options, pos->scheme->past, past);
        if (strcmp(past, "error") != 0)
            printf("past the %d trained positions, %s: %s\n", mix_span(mix), pos->scheme->name, past);
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
    EvalOptions options = {0};
    bool given[ARGUMENTS_MOST];
    const char *directory = argv[arguments_parse(&options, given, &usage, argc, argv)];
    Run run;
    threads_use(options.threads);
    if (!check_given(given, &options, error) || !run_open(&run, directory, options.past, error)) return false;
    kernels_report("eval");
    hold_positions(&run.gpt.pos, &options);
    print_past(&run.gpt.pos);
    const bool ok = parse_windows(&options, run.gpt.shape.context, error) &&
                    (options.task ? evaluate_task : evaluate_text)(&run, directory, &options, error);
    run_close(&run);
    return ok;
}
