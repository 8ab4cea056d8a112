// Perplexity: every target is scored exactly once, however the text is cut into windows, and with as much context as
// the cut promises.
#include "posenc/registry.h"
#include "train/evaluate.h"
#include "model/train_pass.h"
#include "tests/support/little_model.h"

enum { VOCAB = 31, STREAM = 5000 };

// A stream of `count` random ids in shards of 7, 100 and the rest.
typedef struct {
    Split split;
    Shard shards[3];
    uint16_t ids[STREAM];
} Stream;

static void stream_make(Stream *stream, int count, int vocab) {
    int ids[STREAM];
    assert_true(count <= STREAM);
    ids_make(ids, count, vocab, 11);
    for (int i = 0; i < count; i++) stream->ids[i] = (uint16_t)ids[i];
    const int ends[] = {count < 7 ? count : 7, count < 107 ? count : 107, count};
    stream->split = (Split){.shards = stream->shards, .shard_count = 3, .count = (uint64_t)count};
    for (int i = 0, at = 0; i < 3; at = ends[i++])
        stream->shards[i] = (Shard){.tokens = stream->ids + at, .count = (size_t)(ends[i] - at)};
}

static Evaluation run(const Gpt *gpt, const Stream *stream, Evaluation evaluation) {
    Error error;
    must(evaluate(&evaluation, gpt, &stream->split, "the stream", &error), &error);
    return evaluation;
}

// A model that sees only the token itself: the loss of a target does not depend on its window, so only one sum is
// right.
static void make_blind(Gpt *gpt, const Shape *shape) {
    model_make(gpt, "none", shape, true);
    for (int l = 0; l < shape->layers; l++) {
        memset(gpt->w.layers[l].projw, 0, (size_t)shape->width * (size_t)shape->width * sizeof(real));
        memset(gpt->w.layers[l].projb, 0, (size_t)shape->width * sizeof(real));
    }
}

// nll of every target of the stream, `T` of them, from the training pass.
static void stream_nll(double *nll, Gpt *gpt, const uint16_t *ids, int T) {
    TrainPass pass;
    Error error;
    int *inputs = malloc((size_t)T * sizeof *inputs), *targets = malloc((size_t)T * sizeof *targets);
    must(train_pass_create(&pass, gpt, 1, T, &error), &error);
    for (int t = 0; t < T; t++) {
        inputs[t] = ids[t];
        targets[t] = ids[t + 1];
    }
    train_pass_embed(&pass, gpt, inputs);
    train_pass_forward(&pass, gpt);
    train_pass_loss(&pass, gpt, targets);
    memcpy(nll, pass.nll, (size_t)T * sizeof *nll);
    train_pass_free(&pass);
    free(inputs);
    free(targets);
}

static double sum_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum;
}

static void every_target_is_scored_once(void **state) {
    static const int windows[] = {1, 2, 3, 8, 64, 97}, extra[] = {1, 2, 3, 7, 8, 63, 64, 65, 200, 399};
    const Shape shape = {.vocab = VOCAB, .context = 16, .layers = 1, .heads = 1, .width = 8};
    static Stream stream;
    double nll[600];
    Gpt gpt;
    make_blind(&gpt, &shape);
    for (size_t w = 0; w < COUNT(windows); w++) {
        const int window = windows[w];
        for (size_t x = 0; x < COUNT(extra); x++) {
            const int count = window + extra[x];
            stream_make(&stream, count, VOCAB);
            stream_nll(nll, &gpt, stream.ids, count - 1);
            const double expected = sum_of(nll, count - 1);
            for (int stride = 1; stride <= window; stride = stride < 4 ? stride + 1 : 2 * stride - 1) {
                const Evaluation e = run(&gpt, &stream, (Evaluation){.window = window, .stride = stride});
                assert_int_equal(e.tokens, count - 1);
                if (!(fabs(e.nll - expected) <= 1e-5 * expected))
                    fail_msg("window %d, stride %d, %d tokens: %.9g, not %.9g", window, stride, count, e.nll, expected);
            }
        }
    }
    gpt_free(&gpt);
}

// Evaluate as the header describes, one window after another, each by its own training pass.
static void evaluate_directly(Evaluation *e, Gpt *gpt, const Stream *stream) {
    const int targets = (int)stream->split.count - 1, window = e->window;
    double *nll = malloc((size_t)window * sizeof *nll);
    for (int done = (int)e->from; done < targets;) {
        int end = done + e->stride > window ? done + e->stride : window; // targets scored after this window
        if (end > targets) end = targets;
        stream_nll(nll, gpt, stream->ids + end - window, window);
        for (; done < end; done++) {
            const int position = window - (end - done);
            e->nll += nll[position];
            e->tokens++;
            e->position_nll[position] += nll[position];
            e->position_tokens[position]++;
        }
    }
    free(nll);
}

enum { WINDOW_MOST = 128 };

// `direct` has the weights of `gpt`.
static void compare_with_direct(const Gpt *gpt, Gpt *direct, const Stream *stream, int window, int stride,
                                uint64_t from) {
    double direct_nll[WINDOW_MOST] = {0}, position_nll[WINDOW_MOST] = {0};
    uint64_t direct_tokens[WINDOW_MOST] = {0}, position_tokens[WINDOW_MOST] = {0};
    Evaluation expected = {.window = window, .stride = stride, .from = from}, asked = expected;
    expected.position_nll = direct_nll;
    expected.position_tokens = direct_tokens;
    asked.position_nll = position_nll;
    asked.position_tokens = position_tokens;
    evaluate_directly(&expected, direct, stream);
    const Evaluation e = run(gpt, stream, asked);
    double sum = 0;
    uint64_t tokens = 0;
    assert_int_equal(e.tokens, stream->split.count - 1 - from);
    expect_near("total", 0, e.nll, expected.nll, 1e-5 * expected.nll);
    for (int t = 0; t < window; t++) {
        assert_int_equal(position_tokens[t], direct_tokens[t]);
        expect_near("position", (size_t)t, position_nll[t], direct_nll[t], 1e-4 * (1 + direct_nll[t]));
        sum += position_nll[t];
        tokens += position_tokens[t];
    }
    expect_near("sum by position", 0, sum, e.nll, 1e-9 * e.nll);
    assert_int_equal(tokens, e.tokens);
}

static void windows_have_the_context_they_promise(void **state) {
    static const struct { int window, stride; } cuts[] = {{16, 16}, {16, 8}, {16, 5}, {16, 1}, {128, 128}, {128, 50}};
    const Shape shape = {.vocab = VOCAB, .context = WINDOW_MOST, .layers = 2, .heads = 2, .width = 16};
    static Stream stream;
    for (int s = 0; schemes[s]; s++) {
        Gpt gpt;
        model_make(&gpt, schemes[s]->name, &shape, true);
        for (size_t c = 0; c < COUNT(cuts); c++) {
            stream_make(&stream, 300, VOCAB);
            compare_with_direct(&gpt, &gpt, &stream, cuts[c].window, cuts[c].stride, 0);
            compare_with_direct(&gpt, &gpt, &stream, cuts[c].window, cuts[c].stride,
                                150);                                                    // more than a window before it
            compare_with_direct(&gpt, &gpt, &stream, cuts[c].window, cuts[c].stride, 5); // less
        }
        stream_make(&stream, WINDOW_MOST + 1, VOCAB); // one window is all
        compare_with_direct(&gpt, &gpt, &stream, WINDOW_MOST, 1, 0);
        gpt_free(&gpt);
    }
}

// Past the trained length, losses equal those of a training pass of a longer model with the same weights, for every
// scheme whose numbers do not depend on the trained length.
static void windows_past_the_trained_length_agree_with_training_there(void **state) {
    static const char *const specifications[] = {
        "none",         "sinusoidal", "random",   "rope",          "partial", "prope",  "xpos",     "rope:axes=2",
        "rope-learned", "alibi",      "sandwich", "alibi-learned", "t5",      "kerple", "fire",     "transformer-xl",
        "shaw",         "cope",       "fox",      "cable",         "path",    "pope",   "selective"};
    Shape shape = {.vocab = VOCAB, .context = WINDOW_MOST / 2, .layers = 2, .heads = 2, .width = 16}, longer = shape;
    longer.context = WINDOW_MOST;
    static Stream stream;
    stream_make(&stream, 2 * WINDOW_MOST, VOCAB);
    for (size_t s = 0; s < COUNT(specifications); s++) {
        Gpt gpt, direct;
        model_make(&gpt, specifications[s], &shape, true);
        model_make(&direct, specifications[s], &longer, true);
        assert_int_equal(gpt.tensors.total, direct.tensors.total);
        memcpy(direct.params, gpt.params, gpt.tensors.total * sizeof(real));
        compare_with_direct(&gpt, &direct, &stream, WINDOW_MOST, WINDOW_MOST, 0);
        compare_with_direct(&gpt, &direct, &stream, WINDOW_MOST, 50, 0);
        gpt_free(&gpt);
        gpt_free(&direct);
    }
}

// Long windows are fed in pieces, short ones many at a time: both past the sizes where that begins.
static void long_windows_and_long_streams_agree(void **state) {
    enum { LONG = 2100 };
    const Shape shape = {.vocab = VOCAB, .context = LONG, .layers = 1, .heads = 1, .width = 8};
    static Stream stream;
    static double nll[STREAM];
    Gpt gpt;
    model_make(&gpt, "alibi", &shape, true);
    stream_make(&stream, LONG + 1, VOCAB);
    stream_nll(nll, &gpt, stream.ids, LONG);
    const double expected = sum_of(nll, LONG);
    const Evaluation e = run(&gpt, &stream, (Evaluation){.window = LONG, .stride = LONG});
    assert_int_equal(e.tokens, LONG);
    expect_near("long window", 0, e.nll, expected, 1e-5 * expected);
    gpt_free(&gpt);

    make_blind(&gpt, &shape);
    stream_make(&stream, STREAM, VOCAB);
    stream_nll(nll, &gpt, stream.ids, STREAM - 1);
    const double all = sum_of(nll, STREAM - 1);
    for (int stride = 1; stride <= 3; stride++)
        expect_near("long stream", (size_t)stride, run(&gpt, &stream, (Evaluation){.window = 3, .stride = stride}).nll,
                    all, 1e-5 * all);
    gpt_free(&gpt);
}

static void bytes_are_those_of_the_scored_text(void **state) {
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 b"; // characters of 1, 2, 3, 4, 1 and 1 bytes
    const Shape shape = {.vocab = 257, .context = 16, .layers = 1, .heads = 1, .width = 8};
    static Stream stream;
    Tokenizer chars, bytes;
    Gpt gpt;
    Error error;
    must(tokenizer_create(&chars, TOKENIZER_CHARS, &error) &&
             tokenizer_extend(&chars, text, strlen(text), "text", &error),
         &error);
    must(tokenizer_create(&bytes, TOKENIZER_BYTES, &error), &error);
    model_make(&gpt, "none", &shape, false);
    stream_make(&stream, 50, chars.vocab_size);
    uint64_t expected = 0;
    const char *decoded;
    for (int i = 1; i < 50; i++) expected += tokenizer_decode(&decoded, &chars, stream.ids[i]);
    assert_true(expected > 60 && expected < 200);
    assert_int_equal(run(&gpt, &stream, (Evaluation){.window = 7, .stride = 3, .tokenizer = &chars}).bytes, expected);
    assert_int_equal(run(&gpt, &stream, (Evaluation){.window = 7, .stride = 3}).bytes, 0);
    // The mark between documents is a target like any other, but no byte of text.
    stream.ids[0] = stream.ids[10] = stream.ids[49] = 256;
    const Evaluation e = run(&gpt, &stream, (Evaluation){.window = 7, .stride = 7, .tokenizer = &bytes});
    assert_int_equal(e.tokens, 49);
    assert_int_equal(e.bytes, 47);
    tokenizer_free(&chars);
    tokenizer_free(&bytes);
    gpt_free(&gpt);
}

static void expect_refusal(const Gpt *gpt, const Stream *stream, Evaluation evaluation, const char *part) {
    Error error = {0};
    expect_refused(evaluate(&evaluation, gpt, &stream->split, "the stream", &error), &error, part);
}

static void what_cannot_be_scored_is_refused(void **state) {
    const Shape shape = {.vocab = VOCAB, .context = 16, .layers = 1, .heads = 1, .width = 8};
    static Stream stream;
    char text[256];
    Gpt gpt;
    model_make(&gpt, "learned", &shape, false);
    stream_make(&stream, 16, VOCAB);
    expect_refusal(&gpt, &stream, (Evaluation){.window = 16, .stride = 16},
                   "the stream: a window of 16 tokens needs 17");
    run(&gpt, &stream, (Evaluation){.window = 15, .stride = 15});
    stream_make(&stream, 100, VOCAB);
    expect_refusal(&gpt, &stream, (Evaluation){.window = 16, .stride = 16, .limit = 16}, "there are 16");
    expect_refusal(&gpt, &stream, (Evaluation){.window = 17, .stride = 17}, "learned is not defined past 16 positions");
    assert_null(length_complaint(text, &gpt, 16));
    assert_non_null(strstr(length_complaint(text, &gpt, 17), "not defined past 16 positions"));
    expect_refusal(&gpt, &stream, (Evaluation){.window = 99, .stride = 99}, "--past clamp, --past interpolate");
    gpt_free(&gpt);
    static const char *const lasting[] = {"learned:past=clamp", "learned:past=interpolate", "rope"};
    for (size_t i = 0; i < COUNT(lasting); i++) {
        model_make(&gpt, lasting[i], &shape, false);
        assert_null(length_complaint(text, &gpt, 99));
        assert_true(isfinite(run(&gpt, &stream, (Evaluation){.window = 99, .stride = 99}).nll));
        gpt_free(&gpt);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_target_is_scored_once),
        cmocka_unit_test(windows_have_the_context_they_promise),
        cmocka_unit_test(windows_past_the_trained_length_agree_with_training_there),
        cmocka_unit_test(long_windows_and_long_streams_agree),
        cmocka_unit_test(bytes_are_those_of_the_scored_text),
        cmocka_unit_test(what_cannot_be_scored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
