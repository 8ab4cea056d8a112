#include "train/trainer.h"

#include "base/file/crc.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/evaluate.h"
#include "train/config.h"
#include "num/blas.h"
#include "num/gemm.h"
#include "num/product.h"
#include "num/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_EXERCISES 500 // at most

int processors_allowed(void) {
    const int all = omp_get_num_procs();
    const double quota = cpu_quota("");
    if (!(quota < all)) return all;
    const int allowed = quota < 2 ? 1 : (int)quota; // more threads would wait for each other once the quota is used up
    fprintf(stderr, "bitter: the control group's CPU quota is %.3g of %d processors, so %d %s used by default\n", quota,
            all, allowed, allowed == 1 ? "is" : "are");
    return allowed;
}

int threads_use(long long threads) {
    int count = threads > 0 ? (int)threads : omp_get_max_threads();
    if (threads == 0 && count > 1 && !getenv("OMP_NUM_THREADS")) count = least(count, processors_allowed());
    const int most = gemm_uses_blas() ? blas_threads_most() : THREADS_MOST;
    if (count > most) count = most;
    if (count > omp_get_thread_limit()) count = omp_get_thread_limit(); // OpenBLAS would wait for the missing ones
    int reason;
    const int started = 1 + threads_startable(count - 1, &reason); // if a thread cannot start, libgomp ends the program
    if (started < count)
        fprintf(stderr, "bitter: only %d of %d threads are used, as no more can be started: %s; see ulimit -u and -v\n",
                started, count, strerror(reason));
    count = started;
    omp_set_dynamic(0);
    omp_set_num_threads(count);
    return count;
}

PlaceRule place_rule(const Tokenizer *tokenizer) {
    return (PlaceRule){tokenizer_newline(tokenizer), tokenizer_end(tokenizer)};
}

bool trainer_check(Mix *pos, const TrainOptions *options, int vocab, Error *error) {
    Shape shape;
    if (options->stretch.original > 0 && options->random_positions > 0)
        return fail_input(error, "--random-positions %lld: the rotations are stretched; leave it out",
                          options->random_positions);
    // The shape before the scheme, which looks at the head width.
    return train_options_check(options, error) && shape_of(&shape, options, vocab, error) &&
           shape_check(&shape, error) && mix_create(pos, options->pos, &shape, error) &&
           stretch_apply(pos, &options->stretch, options->resume ? options->out : options->init, error);
}

static bool start_text(Trainer *trainer, int T, Error *error) {
    const Corpus *corpus = trainer->corpus;
    if (corpus->val.count < (uint64_t)T + 1)
        return fail_input(
            error, "%s has %llu validation tokens, but one window needs %d; give more text or a smaller --context",
            corpus->name, (unsigned long long)corpus->val.count, T + 1);
    const TrainOptions *o = trainer->options;
    BuiltinCorpus documents;
    if (!batches_start(&trainer->batches, &corpus->train, corpus->name, T, (uint64_t)o->seed, error)) return false;
    if (!*o->documents) return true;
    return builtin_choose(&documents, o->documents, error) &&
           (is_passkey(&documents) ||
            fail_input(error, "--documents %s: there are only those of builtin:passkey", o->documents)) &&
           (o->resume || builtin_check_unused(&documents, "bytes", o->documents,
                                              "share=X says how many windows begin with a document", error)) &&
           batches_documents(&trainer->batches, &documents, &corpus->tokenizer, error);
}

static bool start_task(Trainer *trainer, int T, Error *error) {
    if (*trainer->options->documents)
        return fail_input(error, "--documents %s: there is no room in a task; leave it out",
                          trainer->options->documents);
    const BuiltinCorpus *task = &trainer->corpus->builtin;
    const int longest = task_tokens(task, (int)task->max);
    if (longest > T)
        return fail_input(error, "%s: exercises of %lld %s need --context %d, not %d; give that, or a smaller max",
                          trainer->corpus->name, task->max, task->builtin->counts, longest, T);
    const uint64_t stream = random_bits(task_stream(task, "train"), (uint64_t)trainer->options->seed);
    return batches_start_task(&trainer->batches, task, stream, tokenizer_end(&trainer->corpus->tokenizer), error);
}

static bool start_batches(Trainer *trainer, int T, Error *error) {
    return is_task(&trainer->corpus->builtin) ? start_task(trainer, T, error) : start_text(trainer, T, error);
}

bool trainer_check_data(const TrainOptions *options, const Corpus *corpus, Error *error) {
    Trainer trainer = {.options = options, .corpus = corpus};
    const bool ok = start_batches(&trainer, (int)options->context, error);
    batches_end(&trainer.batches);
    return ok;
}

bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error) {
    Mix pos;
    *trainer = (Trainer){0};
    return trainer_check(&pos, options, corpus->tokenizer.vocab_size, error) &&
           trainer_create_with(trainer, &pos, options, corpus, error);
}

// The checksum of all tokens.
static uint32_t data_crc(const Corpus *corpus) {
    const Split *const splits[] = {&corpus->train, &corpus->val};
    uint32_t crc = 0;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < splits[s]->shard_count; i++)
            crc = crc_bytes(crc, &splits[s]->shards[i].crc, sizeof splits[s]->shards[i].crc);
    return crc;
}

bool trainer_create_with(Trainer *trainer, Mix *pos, const TrainOptions *options, const Corpus *corpus, Error *error) {
    *trainer = (Trainer){
        .options = options, .corpus = corpus, .progress = {.seed = options->seed, .data_crc = data_crc(corpus)}};
    const Shape shape = pos->shape;
    pos->rule = place_rule(&corpus->tokenizer);
    const int B = (int)options->batch, T = shape.context;
    bool ok = start_batches(trainer, T, error) && gpt_create(&trainer->gpt, &shape, pos, true, error) &&
              train_pass_create(&trainer->pass, &trainer->gpt, B, T, error);
    if (ok) {
        trainer->inputs = malloc((size_t)B * (size_t)T * sizeof(int));
        trainer->targets = malloc((size_t)B * (size_t)T * sizeof(int));
        trainer->scored = malloc((size_t)B * (size_t)T * sizeof(bool));
        ok = (trainer->inputs && trainer->targets && trainer->scored) ||
             fail_run(error, "no memory for a batch of %d x %d tokens", B, T);
    }
    if (!ok) {
        trainer_free(trainer);
        return false;
    }
    gemm_linear_in_bf16(options->precision == PRECISION_BF16);
    gpt_init(&trainer->gpt, (uint64_t)options->seed);
    trainer->pass.dropout_rate = options->dropout;
    return true;
}

void trainer_free(Trainer *trainer) {
    batches_end(&trainer->batches);
    train_pass_free(&trainer->pass);
    gpt_free(&trainer->gpt);
    free(trainer->inputs);
    free(trainer->targets);
    free(trainer->scored);
    *trainer = (Trainer){0};
}

static bool validate_text(Validation *validation, const Trainer *trainer, Error *error) {
    const int T = trainer->gpt.shape.context;
    const Tokenizer *tokenizer = &trainer->corpus->tokenizer;
    Evaluation evaluation = {.window = T,
                             .stride = T,
                             .limit = (uint64_t)trainer->options->eval_tokens,
                             .tokenizer = tokenizer->kind == TOKENIZER_NONE ? NULL : tokenizer};
    if (evaluation.limit > 0 && evaluation.limit < (uint64_t)T + 1) evaluation.limit = (uint64_t)T + 1;
    char name[PATH_CAPACITY + 32];
    snprintf(name, sizeof name, "%s (validation)", trainer->corpus->name);
    if (!evaluate(&evaluation, &trainer->gpt, &trainer->corpus->val, name, error)) return false;
    *validation = (Validation){evaluation.nll / (double)evaluation.tokens, NAN, bits_per_byte(&evaluation)};
    return true;
}

// As many exercises as are sure to fit into --eval-tokens, but few enough not to hold up training.
static bool validate_task(Validation *validation, const Trainer *trainer, Error *error) {
    const BuiltinCorpus *task = &trainer->corpus->builtin;
    const long long wanted = trainer->options->eval_tokens / task_tokens(task, (int)task->max);
    const bool all = trainer->options->eval_tokens == 0 || wanted > VALIDATION_EXERCISES;
    const Examination examination = {.task = *task,
                                     .stream = task_stream(task, "validation"),
                                     .count = all          ? VALIDATION_EXERCISES
                                              : wanted > 0 ? (int)wanted
                                                           : 1,
                                     .end = tokenizer_end(&trainer->corpus->tokenizer)};
    Answers answers = {0};
    if (!examine(&answers, &trainer->gpt, &examination, error)) return false;
    *validation =
        (Validation){answers.nll / (double)answers.tokens, (double)answers.right / (double)answers.questions, NAN};
    return true;
}

bool trainer_validate(Validation *validation, const Trainer *trainer, Error *error) {
    const bool task = is_task(&trainer->corpus->builtin);
    if (!(task ? validate_task(validation, trainer, error) : validate_text(validation, trainer, error))) return false;
    return isfinite(validation->loss) ||
           fail_nonfinite(error, "step %lld: the validation loss is not finite; start a new run with a smaller --lr",
                          (long long)trainer->progress.step);
}

bool trainer_load_state(Trainer *trainer, const char *path, Error *error) {
    const TrainOptions *o = trainer->options;
    const Progress *p = &trainer->progress, own = *p;
    if (!state_load(path, &trainer->gpt, &trainer->progress, error)) return false;
    const int64_t rows = (int64_t)(o->batch * o->accumulate); // of a step
    if (p->step > o->steps || p->rows % rows != 0 || p->rows / rows != p->step)
        return fail_input(error, "%s is at step %lld and row %lld, but the run has %lld steps of %lld rows", path,
                          (long long)p->step, (long long)p->rows, o->steps, (long long)rows);
    if (p->step < o->cosine_from)
        return fail_input(error,
                          "%s is at step %lld, but the run's cosine began at step %lld; put its newer state there",
                          path, (long long)p->step, o->cosine_from);
    if (p->seed != own.seed || p->data_crc != own.data_crc)
        return fail_input(
            error,
            "%s is of a run with seed %lld and data of CRC-32 %08llx, but this run has seed %lld and data "
            "of %08llx; put the run's own state there",
            path, (long long)p->seed, (long long)p->data_crc, (long long)own.seed, (long long)own.data_crc);
    batches_resume(&trainer->batches, (uint64_t)trainer->progress.rows, (uint32_t)trainer->progress.batch_crc);
    return true;
}

bool trainer_out_of_patience(const Trainer *trainer) {
    return trainer->options->patience > 0 && trainer->stale >= trainer->options->patience;
}
