// The module in single precision.
#include "lab/eval/attended.h"
#include "train/evaluate.h"
#include "lab/eval/generate.h"
#include "lab/lesson/picture.h"
#include "train/trainer.h"
#include "lesson/shared.h"
#include "posenc/rotation/rotate.h"

#include <stdlib.h>

#define ATTENTION_WINDOWS 8

static struct {
    bool started;
    TrainOptions options;
    char broken[TEXT_CAPACITY]; // name of the planted mistake; "" = none
    Corpus corpus;
    Trainer trainer;
    StretchRule stretch;
    double *array; // returned last by lesson_shape, lesson_attention or lesson_frequencies
} lesson;

// An array of zeros that stays valid until the next call.
static double *new_array(size_t size, Error *error) {
    free(lesson.array);
    lesson.array = calloc(size ? size : 1, sizeof *lesson.array);
    if (!lesson.array) fail_run(error, "no memory for %zu numbers", size);
    return lesson.array ? lesson_array(lesson.array, (int)size) : NULL;
}

// A model is there, or the sentence that says what to do is.
static bool has_model(Error *error) {
    return lesson.started || fail_input(error, "there is no model; call lesson_start first");
}

// --- options ---

// The next word of the line, which is cut there; NULL at its end.
static char *next_word(char **line) {
    *line += strspn(*line, " \n\t");
    if (!**line) return NULL;
    char *word = *line;
    *line += strcspn(*line, " \n\t");
    if (**line) *(*line)++ = 0;
    return word;
}

// Set the option of `word`, "--name" or "--name=value"; its value may be the next word of the line.
static bool parse_option(char *word, char **line, Error *error) {
    static const Option broken = TEXT_ROW("broken", 0, NULL, "MISTAKE", "");
    const char *value = strchr(word, '=');
    word[strcspn(word, "=")] = 0;
    const bool breaks = strcmp(word, "--broken") == 0;
    const Option *option = breaks ? &broken : strncmp(word, "--", 2) == 0 ? option_find(train_options, word + 2) : NULL;
    if (!option) return fail_input(error, "'%s' is no option of `bitter train`", word);
    value = value ? value + 1 : option->type == OPTION_FLAG ? "true" : next_word(line);
    if (!value) return fail_input(error, "%s needs a value", word);
    return option_set(breaks ? (void *)lesson.broken : &lesson.options, option, value, word, error);
}

// Options that are not given get their defaults, as in `bitter train`.
static bool parse_options(char *line, Error *error) {
    TrainOptions *o = &lesson.options;
    bool min_lr = false;
    *o = (TrainOptions){0};
    options_default(o, train_options);
    *lesson.broken = 0;
    for (char *word; (word = next_word(&line));) {
        if (!parse_option(word, &line, error)) return false;
        min_lr = min_lr || strcmp(word, "--min-lr") == 0;
    }
    if (!min_lr && o->min_lr > o->lr) o->min_lr = o->lr;
    if (*o->init || o->resume || *o->out)
        return fail_input(error, "--init, --resume and --out need files, and there are none here; leave them out");
    return is_builtin(o->data) || fail_input(error, "--data %s: there are no files here; use builtin:NAME", o->data);
}

static void end(void) {
    if (lesson.started) trainer_free(&lesson.trainer);
    lesson.started = false;
    lesson.stretch = (StretchRule){0};
}

// The corpus of the options: the one that is there, if its name is the same.
static bool open_data(Error *error) {
    if (strcmp(lesson.corpus.name, lesson.options.data) == 0) return true;
    corpus_close(&lesson.corpus);
    return corpus_open_builtin(&lesson.corpus, lesson.options.data, error);
}

int lesson_start(void) {
    Error error;
    Mix pos;
    end();
    lesson.started = parse_options(lesson_text(), &error) && open_data(&error) &&
                     trainer_check(&pos, &lesson.options, lesson.corpus.tokenizer.vocab_size, &error) &&
                     (!*lesson.broken || lesson_break(&pos, lesson.broken, &error)) &&
                     trainer_create_with(&lesson.trainer, &pos, &lesson.options, &lesson.corpus, &error);
    return lesson.started ? 0 : lesson_failed(&error);
}

double *lesson_shape(void) {
    Error error;
    double *numbers = has_model(&error) ? new_array(9, &error) : NULL;
    if (!numbers) return lesson_no_array(&error);
    const Gpt *gpt = &lesson.trainer.gpt;
    const TrainOptions *o = &lesson.options;
    const double values[9] = {(double)o->layers,
                              (double)o->heads,
                              (double)o->width,
                              (double)o->context,
                              (double)o->batch,
                              (double)o->steps,
                              (double)tensor_numbers(&gpt->tensors, false),
                              (double)tensor_numbers(&gpt->tensors, true),
                              (double)lesson.trainer.progress.step};
    memcpy(numbers, values, sizeof values);
    return numbers;
}

// --- training and validation ---

double lesson_step(void) {
    Error error;
    StepReport report;
    if (has_model(&error) && train_step(&report, &lesson.trainer, &error)) return report.loss;
    return lesson_no_number(&error);
}

double lesson_validate(void) {
    Error error;
    Validation validation;
    if (has_model(&error) && trainer_validate(&validation, &lesson.trainer, &error)) return validation.loss;
    return lesson_no_number(&error);
}

// --- past the trained length ---

// Training never sees the stretch: it is in the model only between these two calls.
static const Gpt *stretched(void) {
    lesson.trainer.gpt.pos.part[0].stretch = lesson.stretch;
    return &lesson.trainer.gpt;
}

static void unstretched(void) {
    lesson.trainer.gpt.pos.part[0].stretch = (StretchRule){0};
}

double lesson_loss_at(int length) {
    Error error;
    const long long tokens = lesson.options.eval_tokens;
    Evaluation e = {.window = length, .stride = length, .limit = (uint64_t)tokens};
    if (e.limit > 0 && e.limit < (uint64_t)length + 1) e.limit = (uint64_t)length + 1;
    bool ok = has_model(&error) && (length > 0 || fail_input(&error, "a window has at least 1 token, not %d", length));
    ok = ok && evaluate(&e, stretched(), &lesson.corpus.val, "the validation text", NULL, NULL, &error);
    unstretched();
    return ok ? e.nll / (double)e.tokens : lesson_no_number(&error);
}

// The rule of "METHOD FACTOR"; of "none", a rule that stretches nothing.
static bool parse_stretch(StretchRule *rule, char *line, Error *error) {
    static const Option method = {"stretch", OPTION_CHOICE, 0, NULL, 0, 0, METHOD_NAMES, NULL, ""},
                        factor = {"factor", OPTION_NUMBER, offsetof(StretchRule, factor), NULL, 1, 1e6, NULL, "X", ""};
    const Position *pos = &lesson.trainer.gpt.pos.part[0];
    const char *name = next_word(&line), *number = next_word(&line);
    *rule = (StretchRule){0};
    if (!name || strcmp(name, "none") == 0) return true;
    if (!position_stretches(pos))
        return fail_input(error, "the scheme %s has no designed rotations that could be stretched", pos->scheme->name);
    if (!option_set(&rule->method, &method, name, "the stretch", error) ||
        !option_set(rule, &factor, number ? number : "", "the factor of the stretch", error))
        return false;
    if (rule->method == METHOD_LONGROPE || rule->method == METHOD_GRADIENT || rule->method == METHOD_GIVEN)
        return fail_input(error, "%s is no formula; use `bitter extend`", name);
    if (rotary_pairs(pos) < 2 || rotary_pairs(pos) > PAIRS_MOST)
        return fail_input(error, "a head has %d pairs; 2 to %d can be stretched", rotary_pairs(pos), PAIRS_MOST);
    rule->original = pos->shape.context;
    rule->pairs = rotary_pairs(pos);
    if (rule->method == METHOD_DYNAMIC)
        rule->growth = 1;
    else
        rule->long_stretch.attention = picture_factors(rule->long_stretch.factors, (Method)rule->method, rule->factor,
                                                       rule->original, rotary_of(pos)->base, rule->pairs);
    return true;
}

int lesson_stretch(void) {
    Error error;
    StretchRule rule;
    if (!has_model(&error) || !parse_stretch(&rule, lesson_text(), &error)) return lesson_failed(&error);
    lesson.stretch = rule;
    return 0;
}

// --- what the model does ---

int lesson_sample(int tokens) {
    Error error;
    char *text = lesson_text(), *written = NULL;
    size_t size = 0;
    if (!has_model(&error)) return lesson_failed(&error);
    FILE *out = open_memstream(&written, &size);
    if (!out) {
        fail_run(&error, "no memory for %d tokens", tokens);
        return lesson_failed(&error);
    }
    Generation generation = {.prompt = text,
                             .tokens = tokens,
                             .sampling.temperature = 0.8,
                             .sampling.top_k = 50,
                             .context = (int)lesson.options.context,
                             .random = {random_key((uint64_t)lesson.options.seed, "sample"), 0}};
    const bool ok = generate(out, stretched(), &lesson.corpus.tokenizer, &generation, &error);
    unstretched();
    fclose(out);
    const size_t prompt = strlen(text); // generate repeats it
    if (ok)
        snprintf(text, LESSON_TEXT, "%s", written + prompt);
    else
        lesson_failed(&error);
    free(written);
    return !ok;
}

static bool measure(Attended *attended, Error *error) {
    const int T = (int)lesson.options.context;
    const uint64_t count = lesson.corpus.val.count, fit = count / (uint64_t)T;
    const int windows = fit < ATTENTION_WINDOWS ? (int)fit : ATTENTION_WINDOWS;
    if (windows == 0)
        return fail_input(
            error,
            "attention is measured in windows of %d tokens, but the validation text has %llu; choose a smaller "
            "--context",
            T, (unsigned long long)count);
    int *ids = malloc((size_t)windows * (size_t)T * sizeof *ids);
    const bool ok = (ids || fail_run(error, "no memory for %d windows of %d tokens", windows, T)) &&
                    split_read(ids, &lesson.corpus.val, 0, (size_t)windows * (size_t)T, error) &&
                    attended_measure(attended, stretched(), ids, windows, T, error);
    unstretched();
    free(ids);
    return ok;
}

double *lesson_attention(void) {
    Error error;
    Attended attended = {0};
    double *array = NULL;
    if (has_model(&error) && measure(&attended, &error)) {
        const size_t size = (size_t)attended.layers * (size_t)attended.heads * (size_t)attended.T;
        array = new_array(size, &error);
        if (array) memcpy(array, attended.by_distance, size * sizeof *array);
        attended_free(&attended);
    }
    return array ? array : lesson_no_array(&error);
}

static bool has_frequencies(const Position *pos, int layer, Error *error) {
    if (pos->scheme->enters != ENTERS_ROTATION)
        return fail_input(error, "the scheme %s has no frequencies", pos->scheme->name);
    return (layer >= 0 && layer < pos->shape.layers) ||
           fail_input(error, "there is no layer %d; layers are 0 to %d", layer, pos->shape.layers - 1);
}

// Radians a token of pair n % pairs in head n / pairs of a layer.
static double frequency(const Position *pos, int layer, int n) {
    const int pairs = rotary_pairs(pos), pair = n % pairs;
    if (rotary_skips(pos, layer)) return 0;
    // rope2d has pairs for the lines, then as many for the columns.
    const int of_axis = pos->scheme->two_axes ? pair % (pairs / 2) : pair;
    return pos->scheme->theta(pos, position_set(pos, layer), n / pairs, of_axis);
}

double *lesson_frequencies(int layer) {
    Error error;
    const Position *pos = &lesson.trainer.gpt.pos.part[0];
    if (!has_model(&error) || !has_frequencies(pos, layer, &error)) return lesson_no_array(&error);
    const int count = pos->shape.heads * rotary_pairs(pos);
    double *array = new_array((size_t)count, &error);
    if (!array) return lesson_no_array(&error);
    for (int n = 0; n < count; n++) array[n] = frequency(pos, layer, n);
    return array;
}
