// `bitter bench`: the speed of a training step, beside that of a large matrix product on the same machine.
#include "base/progress.h"
#include "base/random.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/stats/statistics.h"
#include "train/trainer.h"
#include "num/blas.h"
#include "num/gemm.h"
#include "num/team.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define WARM_UP   3    // steps that are not timed: they touch memory pages and start threads
#define GEMM_SIZE 2048 // rows and columns of the large matrix product
#define GEMM_RUNS 5    // timed products before the steps, and again after them

typedef struct {
    TrainOptions train; // first, so that its fields have the same offsets in both
    long long vocab, steps;
} BenchOptions;

static const Option bench_options[] = {
    MODEL_OPTION_ROWS(TrainOptions),
    INTEGER_ROW("vocab", offsetof(BenchOptions, vocab), "257", 1, 65536, "size of the vocabulary"),
    NUMBER_ROW("dropout", offsetof(TrainOptions, dropout), "0", 0, 0.99, "X",
               "fraction of activations to set to 0, as in `bitter train`"),
    INTEGER_ROW("steps", offsetof(BenchOptions, steps), "40", 1, 1e9, "steps to time, after 3 steps of warm-up"),
    INTEGER_ROW("seed", offsetof(TrainOptions, seed), "1337", 0, HUGE_VAL, "random seed of weights and tokens"),
    PRECISION_OPTION_ROW(TrainOptions),
    THREADS_OPTION_ROW(TrainOptions),
    {0},
};

static double median(double *values, int count) {
    sort_rising(values, count);
    return values[(count - 1) / 2];
}

// Time a large square product, to which every thread contributes its share of the rows: seconds (GEMM_RUNS), after one
// product that is not timed. Called before and after the steps, because the speed of a machine drifts.
static bool time_gemm(double *seconds, Error *error) {
    const int n = GEMM_SIZE;
    const size_t count = (size_t)n * n;
    real *A = calloc(3 * count, sizeof *A);
    if (!A) return fail_run(error, "no memory for matrices of %d x %d", n, n);
    real *B = A + count, *C = B + count;
    for (size_t i = 0; i < count; i++) A[i] = B[i] = (real)((double)(i % 7) - 3);
    for (int run = -1; run < GEMM_RUNS; run++) {
        const double start = clock_seconds();
#pragma omp parallel
        {
            const Share own = share_rows(n);
            const size_t first = (size_t)own.begin * n;
            gemm(C + first, n, 0, 1, rows_of(A + first, n), rows_of(B, n), own.end - own.begin, n, n);
        }
        if (run >= 0) seconds[run] = clock_seconds() - start;
    }
    free(A);
    return true;
}

// The largest amount of memory that the process had so far, in MB.
static double resident_megabytes(void) {
#ifdef __APPLE__
    enum { UNIT = 1 }; // bytes
#else
    enum { UNIT = 1024 };
#endif
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1e-6 * UNIT * (double)usage.ru_maxrss : NAN;
}

// One shard of random tokens.
static bool random_split(Split *split, const char *name, size_t count, const BenchOptions *o, Error *error) {
    uint16_t *tokens = malloc(count * sizeof *tokens);
    Random random = {random_key((uint64_t)o->train.seed, name), 0};
    split->shards = calloc(1, sizeof *split->shards);
    bool ok = tokens && split->shards;
    if (!ok) fail_run(error, "no memory for %zu random tokens", count);
    for (size_t i = 0; ok && i < count; i++) tokens[i] = (uint16_t)random_below(&random, (int)o->vocab);
    ok = ok && shard_from_tokens(split->shards, name, tokens, count, error);
    split->shard_count = ok;
    split->count = count;
    if (ok)
        split->shards->memory = tokens;
    else
        free(tokens);
    return ok;
}

// The median of the steps' times, in seconds.
static bool time_steps(double *seconds, Trainer *trainer, long long steps, Error *error) {
    double *times = malloc((size_t)steps * sizeof *times);
    bool ok = times || fail_run(error, "no memory for the times of %lld steps", steps);
    for (long long step = -WARM_UP; ok && step < steps; step++) {
        StepReport report;
        ok = train_step(&report, trainer, error);
        if (step >= 0) times[step] = report.seconds;
    }
    if (ok) *seconds = median(times, (int)steps);
    free(times);
    return ok;
}

// Multiplications and additions for one token, forward and backward: 6N + 12LCT, with N the parameters that multiply
// (position tables only add) and attention counted in full, although causality needs only half of it; a layer with a
// window counts the keys of its window.
static double flops_per_token(const Gpt *gpt) {
    const Shape *s = &gpt->shape;
    const size_t parameters = tensor_numbers(&gpt->tensors, false) - tensor_numbers(&gpt->tensors, true);
    double keys = 0;
    for (int l = 0; l < s->layers; l++) {
        const int window = window_of(s, l);
        keys += window && window < s->context ? window : s->context;
    }
    return 6.0 * (double)parameters + 12.0 * keys * s->width;
}

// The options, then what was measured.
static void print_line(const BenchOptions *options, const Trainer *trainer, double seconds, double gemm_seconds) {
    const double tokens = (double)(options->train.batch * options->train.context);
    const double gflops = 1e-9 * flops_per_token(&trainer->gpt) * tokens / seconds;
    const double gemm_gflops = 2e-9 * pow(GEMM_SIZE, 3) / gemm_seconds;
    for (const Option *option = bench_options; option->name; option++) {
        char value[TEXT_CAPACITY] = "";
        if (option->type != OPTION_HEADING) option_print(options, option, value);
        if (*value) printf("%s=%s ", option->name, value);
    }
    printf("core=%s kernels=%s ms_per_step=%.2f tokens_per_second=%.0f gflops=%.1f sgemm_gflops=%.1f "
           "percent_of_sgemm=%.1f rss_mb=%.0f\n",
           blas_core(), gemm_kernels(), 1e3 * seconds, tokens / seconds, gflops, gemm_gflops,
           100 * gflops / gemm_gflops, resident_megabytes());
}

bool command_bench(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "bench",
        "Time training steps on random tokens and print one line of key=value: the median time of a step, and its "
        "speed compared with one large matrix product. The numbers mean something only on an idle machine.",
        "", bench_options, "  bitter bench --layers 6 --heads 6 --width 384 --batch 16 --vocab 65\n"};
    BenchOptions options = {0};
    options_default(&options.train, train_options);
    arguments_parse(&options, NULL, &usage, argc, argv);
    options.train.threads = threads_use(options.train.threads);
    Corpus corpus = {.name = "random tokens", .tokenizer = {.kind = TOKENIZER_NONE, .vocab_size = (int)options.vocab}};
    Trainer trainer = {0};
    double seconds = 0, gemm_times[2 * GEMM_RUNS];
    const size_t window = (size_t)options.train.context + 1;
    Mix pos;
    bool ok = trainer_check(&pos, &options.train, (int)options.vocab, error);
    if (ok) kernels_report("bench");
    ok = ok && random_split(&corpus.train, "train", window * (size_t)(4 * options.train.batch), &options, error) &&
         random_split(&corpus.val, "val", window, &options, error) && time_gemm(gemm_times, error) &&
         trainer_create(&trainer, &options.train, &corpus, error) &&
         time_steps(&seconds, &trainer, options.steps, error) && time_gemm(gemm_times + GEMM_RUNS, error);
    if (ok) print_line(&options, &trainer, seconds, median(gemm_times, 2 * GEMM_RUNS));
    trainer_free(&trainer);
    corpus_close(&corpus);
    return ok;
}
