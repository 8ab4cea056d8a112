#include "cmd/eval/eval.h"

#include "train/answers.h"
#include "train/evaluate.h"
#include "train/result.h"
#include "lab/stats/statistics.h"

#include <inttypes.h>

enum { USUAL_SAMPLES = 200, ROWS_MOST = 20 }; // rows for the trained lengths, and as many for longer ones

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

static AnswerPart part_of(const char *title, const char *name, int first, int last) {
    AnswerPart part = {.title = title, .name = name, .first = first, .last = last};
    part.count = task_lengths(part.lengths, ROWS_MOST, first, last);
    return part;
}

// Why there are no answers at this length; NULL if there are.
static const char *objection(char text[256], const AnswerTable *table, int length) {
    const Builtin *builtin = table->task.builtin;
    const char *reason = builtin->check ? builtin->check(&table->task, length) : NULL;
    return reason ? reason : length_complaint(text, &table->run->gpt, task_tokens(&table->task, length));
}

static bool answer(Answers *answers, const AnswerTable *table, int length, Error *error) {
    Examination examination = {.task = table->task,
                               .stream = task_stream(&table->task, "test"),
                               .count = table->samples,
                               .end = tokenizer_end(&table->run->tokenizer)};
    examination.task.min = examination.task.max = length;
    if (!examine(answers, &table->run->gpt, &examination, error)) return false;
    const real loss = (real)(answers->nll / (double)answers->tokens);
    return finite_check(&loss, 1, error);
}

static void print_share(uint64_t right, uint64_t count) {
    const Interval interval = wilson((double)right, (double)count);
    printf(" %9.2f%%  (%.2f%% to %.2f%%)", 100 * (double)right / (double)count, 100 * interval.low,
           100 * interval.high);
}

static void print_row(const Answers *a, int length) {
    printf("%8d %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10.4f", length, a->exercises, a->perfect,
           a->questions, a->right, a->nll / (double)a->tokens);
    print_share(a->right, a->questions);
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
    const char *reason = objection(text, table, length);
    progress_show(&table->line, table->done++, "length %d", length);
    if (!reason && !answer(&answers, table, length, error)) return false;
    progress_clear(&table->line);
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
    char title[64];
    snprintf(title, sizeof title, "%s %d to %d", part->title, part->first, part->last);
    printf("%-30s", title);
    if (part->answered == 0) {
        printf("%10s\n", "-");
        return;
    }
    printf("%10" PRIu64 " of %" PRIu64 " right", part->sum.right, part->sum.questions);
    print_share(part->sum.right, part->sum.questions);
    if (part->answered < part->count) printf(", at %d of %d lengths", part->answered, part->count);
    printf("\n");
}

static bool print_table(AnswerTable *table, bool as_trained, Error *error) {
    const int min = (int)table->task.min, max = (int)table->task.max;
    AnswerPart parts[] = {
        part_of(as_trained ? "trained lengths," : "lengths", as_trained ? "trained" : "given", min, max),
        part_of(as_trained ? "beyond," : "lengths", "beyond", max + 1, 2 * max)};
    printf("%8s %10s %10s %10s %10s %10s %10s  %s\n", "length", "exercises", "perfect", "questions", "right", "nats",
           "accuracy", "95% interval");
    progress_start(&table->line, "eval", 0, parts[0].count + parts[1].count);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < parts[p].count; i++)
            if (!one_length(&parts[p], table, parts[p].lengths[i], error)) return false;
    for (int p = 0; p < 2; p++) print_part(&parts[p]);
    return true;
}

static void fail_no_task(const char *data, const char *trained_run, Error *error) {
    char names[TEXT_CAPACITY] = "";
    for (const Builtin *b = builtins; b->name; b++)
        if (b->counts)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", b->name);
    if (trained_run)
        fail_input(error, "%s was trained on %.200s, which is no task; give --data builtin:NAME (%s)", trained_run,
                   data, names);
    else
        fail_input(error, "%.200s is no task; give builtin:NAME (%s)", data, names);
}

// The task to evaluate on, and whether its lengths are those that the run was trained on.
static bool choose(AnswerTable *table, bool *as_trained, const char *data, const char *directory, Error *error) {
    const char *trained_on = table->run->options.data, *trained_run = data == trained_on ? directory : NULL;
    BuiltinCorpus trained = {0}, *task = &table->task;
    if (is_builtin(trained_on) && !builtin_choose(&trained, trained_on, error)) return false;
    if (is_builtin(data) && !builtin_choose(task, data, error)) return false;
    if (!is_task(task) && !is_passkey(task)) {
        fail_no_task(data, trained_run, error);
        return false;
    }
    *as_trained = trained.builtin == task->builtin && trained.min == task->min && trained.max == task->max;
    return true;
}

bool evaluate_task(const Run *run, const char *directory, const EvalOptions *options, Error *error) {
    AnswerTable table = {.run = run, .samples = options->samples ? (int)options->samples : USUAL_SAMPLES};
    static const char header[] = "length,part,exercises,perfect,questions,right,accuracy,low,high,nats\n";
    AtomicFile csv = {0};
    bool as_trained = false;
    const char *data = *options->data ? options->data : run->options.data;
    if (!choose(&table, &as_trained, data, directory, error)) return false;
    if (!is_task(&table.task)) return evaluate_passkey(run, directory, options, (uint64_t)table.task.seed, error);
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
    if (!result_open(&csv, "--csv", options->csv, header, error)) return false;
    table.csv = csv.stream;
    printf("%s: %s; lengths are numbers of %s\n", data, table.task.builtin->help, table.task.builtin->counts);
    return result_close(&csv, print_table(&table, as_trained, error), error);
}
