// The module in single precision.
#include "lab/eval/attended.h"
#include "train/evaluate.h"
#include "lab/eval/generate.h"
#include "lab/lesson/pair.h"
#include "train/trainer.h"
#include "lesson/shared.h"
#include "posenc/rotation/angles.h"

#include <stdlib.h>

#define ATTENTION_WINDOWS 8

static struct {
    bool started;
    TrainOptions options;
    char broken[TEXT_CAPACITY]; // name of the planted mistake; "" = none
    Corpus corpus;
    Trainer trainer;
    StretchRule stretch;
    double *array; // (count) returned last by lesson_shape, lesson_attention or lesson_frequencies
    int count;
    Error error; // of the function that is running
} lesson;
static Error *const error = &lesson.error;

// What functions return: 0, the number or the array; after a failure 1, NaN or NULL, with the error's message in the
// text.
static int status(bool ok) {
    return ok ? 0 : lesson_failed(error);
}

static double number(bool ok, double x) {
    return status(ok) ? NAN : x;
}

static double *array(bool ok) {
    return status(ok) ? NULL : lesson.array;
}

int lesson_count(void) {
    return lesson.count;
}

// Make lesson.array an array of zeros.
static bool new_array(size_t size) {
    free(lesson.array);
    lesson.count = (int)size;
    lesson.array = calloc(size ? size : 1, sizeof *lesson.array);
    return lesson.array || fail_run(error, "no memory for %zu numbers", size);
}

// Is there a model? If not, sets the error to say what to do.
static bool has_model(void) {
    return lesson.started || fail_input(error, "there is no model; call lesson_start first");
}

// --- options ---

// The next word of the line, which is cut there; NULL at its end. A formula in braces belongs to one word.
static char *next_word(char **line) {
    *line += strspn(*line, " \n\t");
    if (!**line) return NULL;
    char *word = *line;
    for (bool braces = false; **line && (braces || !strchr(" \n\t", **line)); ++*line)
        braces = **line == '{' || (braces && **line != '}');
    if (**line) *(*line)++ = 0;
    return word;
}

// Set the option of `word`, "--name" or "--name=value"; its value may be the next word of the line.
static bool parse_option(char *word, char **line) {
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
static bool parse_options(char *line) {
    TrainOptions *o = &lesson.options;
    bool min_lr = false;
    *o = (TrainOptions){0};
    options_default(o, train_options);
    *lesson.broken = 0;
    for (char *word; (word = next_word(&line));) {
        if (!parse_option(word, &line)) return false;
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

// Open the corpus of the options, unless the open corpus has this name.
static bool open_data(void) {
    if (strcmp(lesson.corpus.name, lesson.options.data) == 0) return true;
    corpus_close(&lesson.corpus);
    return corpus_open_builtin(&lesson.corpus, lesson.options.data, error);
}

int lesson_start(void) {
    Mix pos;
    end();
    lesson.started = parse_options(lesson_text()) && open_data() &&
                     trainer_check(&pos, &lesson.options, lesson.corpus.tokenizer.vocab_size, error) &&
                     (!*lesson.broken || lesson_break(&pos, lesson.broken, error)) &&
                     trainer_create_with(&lesson.trainer, &pos, &lesson.options, &lesson.corpus, error);
    return status(lesson.started);
}

double *lesson_shape(void) {
    const TensorTable *tensors = &lesson.trainer.gpt.tensors;
    const TrainOptions *o = &lesson.options;
    const bool ok = has_model() && new_array(9);
    const long long values[9] = {o->layers, o->heads, o->width, o->context, o->batch, o->steps};
    for (int i = 0; ok && i < 6; i++) lesson.array[i] = (double)values[i];
    if (ok) {
        lesson.array[6] = (double)tensor_numbers(tensors, false);
        lesson.array[7] = (double)tensor_numbers(tensors, true);
        lesson.array[8] = (double)lesson.trainer.progress.step;
    }
    return array(ok);
}

// --- training and validation ---

double lesson_step(void) {
    StepReport report = {0};
    const bool ok = has_model() && train_step(&report, &lesson.trainer, error);
    return number(ok, report.loss);
}

double lesson_validate(void) {
    Validation validation = {0};
    const bool ok = has_model() && trainer_validate(&validation, &lesson.trainer, error);
    return number(ok, validation.loss);
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
    const long long tokens = lesson.options.eval_tokens;
    Evaluation e = {.window = length, .stride = length, .limit = (uint64_t)tokens};
    if (e.limit > 0 && e.limit < (uint64_t)length + 1) e.limit = (uint64_t)length + 1;
    const bool ok = has_model() && (length > 0 || fail_input(error, "a window has at least 1 token, not %d", length)) &&
                    evaluate(&e, stretched(), &lesson.corpus.val, "the validation text", error);
    unstretched();
    return number(ok, e.nll / (double)e.tokens);
}

// The stretch rule of "METHOD FACTOR"; for "none", a rule that stretches nothing.
static bool parse_stretch(StretchRule *rule, char *line) {
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
    const double base = rotary_base(pos);
    if (base == 0 && (rule->method == METHOD_YARN || rule->method == METHOD_LLAMA3))
        return fail_input(error, "%s reads RoPE's base, and the formula's angles are not base^(-i/n); choose another",
                          name);
    rule->original = pos->shape.context;
    rule->pairs = rotary_pairs(pos);
    if (rule->method == METHOD_DYNAMIC)
        rule->growth = 1;
    else
        rule->long_stretch.attention = picture_factors(rule->long_stretch.factors, (Method)rule->method, rule->factor,
                                                       rule->original, base, rule->pairs);
    return true;
}

int lesson_stretch(void) {
    StretchRule rule;
    const bool ok = has_model() && parse_stretch(&rule, lesson_text());
    if (ok) lesson.stretch = rule;
    return status(ok);
}

// --- what the model does ---

int lesson_sample(int tokens) {
    char *text = lesson_text(), *written = NULL;
    size_t size = 0;
    if (!has_model()) return status(false);
    FILE *out = open_memstream(&written, &size);
    if (!out) return status(fail_run(error, "no memory for %d tokens", tokens));
    Generation generation = generation_usual(text, tokens, (int)lesson.options.context, lesson.options.seed);
    const bool ok = generate(out, stretched(), &lesson.corpus.tokenizer, &generation, error);
    unstretched();
    fclose(out);
    const size_t prompt = strlen(text); // the output begins with it
    if (ok) snprintf(text, LESSON_TEXT, "%s", written + prompt);
    free(written);
    return status(ok);
}

static bool measure(Attended *attended) {
    const size_t T = (size_t)lesson.options.context, fit = lesson.corpus.val.count / T,
                 windows = fit < ATTENTION_WINDOWS ? fit : ATTENTION_WINDOWS;
    if (windows == 0) return fail_input(error, "the validation text has no %zu tokens; choose a smaller --context", T);
    int *ids = malloc(windows * T * sizeof *ids);
    if (ids) split_read(ids, &lesson.corpus.val, 0, windows * T);
    const bool ok = ids ? attended_measure(attended, stretched(), ids, (int)windows, (int)T, error)
                        : fail_run(error, "no memory for %zu windows of %zu tokens", windows, T);
    unstretched();
    free(ids);
    return ok;
}

double *lesson_attention(void) {
    Attended attended = {0};
    bool ok = has_model() && measure(&attended);
    const size_t size = (size_t)attended.layers * (size_t)attended.heads * (size_t)attended.T;
    ok = ok && new_array(size);
    if (ok) memcpy(lesson.array, attended.by_distance, size * sizeof *lesson.array);
    attended_free(&attended);
    return array(ok);
}

static bool has_frequencies(const Position *pos, int layer) {
    if (pos->scheme->enters != ENTERS_ROTATION)
        return fail_input(error, "the scheme %s has no frequencies", pos->scheme->name);
    return (layer >= 0 && layer < pos->shape.layers) ||
           fail_input(error, "there is no layer %d; layers are 0 to %d", layer, pos->shape.layers - 1);
}

double *lesson_frequencies(int layer) {
    const Position *pos = &lesson.trainer.gpt.pos.part[0];
    const bool has = has_model() && has_frequencies(pos, layer);
    const int pairs = has ? rotary_pairs(pos) : 0, set = position_set(pos, layer);
    const bool ok = has && new_array((size_t)pos->shape.heads * (size_t)pairs);
    for (int n = 0; ok && n < lesson.count; n++) lesson.array[n] = theta_of(pos, set, n / pairs, n % pairs);
    return array(ok);
}
