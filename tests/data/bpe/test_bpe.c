// Words, merges and their training, compared with slow versions that recount everything in every step.
#include "base/interrupt.h"
#include "data/bpe/bpe.h"
#include "tests/support/support.h"

#include <signal.h>

// --- words ---

static bool add_bar(void *context, const char *word, size_t size, Error *error) {
    text_add(context, word, size);
    text_add(context, "|", 1);
    return true;
}

static void text_is_split_as_gpt2_does(void **state) {
    static const char *const cases[][2] = {
        {"", ""},
        {"Hello world", "Hello| world|"},
        {"it's we'll I'D 'sx", "it|'s| we|'ll| I|'|D| '|sx|"},
        {"  two   three", " | two|  | three|"},
        {"end  ", "end|  |"},
        {"a\n\n b", "a|\n\n| b|"},
        {"a \n b", "a| \n| b|"},
        {"x1y22 3", "x|1|y|22| 3|"},
        {"(a) == b!?", "(|a|)| ==| b|!?|"},
        {"\xC3\xA9t\xC3\xA9 \xD7\xA9", "\xC3\xA9t\xC3\xA9| \xD7\xA9|"},
        {"a\xC2\xA0"
         "b\xE1\xA0\x8E"
         "c",
         "a|\xC2\xA0|b|\xE1\xA0\x8E|c|"}, // U+00A0 is a space, U+180E is none
        {"e\xCC\x81", "e|\xCC\x81|"},     // a combining mark is no letter
        {"a\xFF\xFE b", "a|\xFF\xFE| b|"},
        {"\xC3", "\xC3|"},
    };
    Error error;
    Splitter *splitter = splitter_create(&error);
    assert_non_null(splitter);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Text words = {0};
        must(split(splitter, cases[i][0], strlen(cases[i][0]), add_bar, &words, &error), &error);
        text_add(&words, "", 1);
        assert_string_equal(words.bytes, cases[i][1]);
        text_free(&words);
    }
    splitter_free(splitter);
}

static void symbols_stand_for_bytes(void **state) {
    char bytes[256];
    Text text = {0}, again = {0};
    for (int i = 0; i < 256; i++) bytes[i] = (char)i;
    bpe_add_symbols(&text, bytes, sizeof bytes);
    assert_true(bpe_read_symbols(&again, text.bytes, text.size));
    assert_int_equal(again.size, 256);
    assert_memory_equal(again.bytes, bytes, 256);
    text.size = 0;
    bpe_add_symbols(&text, "a \x7F\xA0\xAD\xFF", 6);
    assert_int_equal(text.size, 11);
    assert_memory_equal(text.bytes, "a\xC4\xA0\xC4\xA1\xC5\x82\xC5\x83\xC3\xBF", 11); // U+0120, 0121, 0142, 0143
    static const char *const bad[] = {" ", "\xC4", "\xC5\x84", "\xC2\xA0", "\xE2\x82\xAC"};
    for (size_t i = 0; i < COUNT(bad); i++) assert_false(bpe_read_symbols(&again, bad[i], strlen(bad[i])));
    text_free(&text);
    text_free(&again);
}

// --- training ---

// Words of 1 to 12 letters of a small alphabet, so that pairs overlap and the same token can be made in two ways.
static char *random_text(size_t size, int letters, const char *name) {
    char *text = malloc(size);
    Random random = {.key = random_key(1, name)};
    int left = 0;
    for (size_t i = 0; i < size; i++) {
        if (left-- == 0) left = 1 + random_below(&random, 12);
        text[i] = (char)(left == 0 ? ' ' : 'a' + random_below(&random, 1 + random_below(&random, letters)));
    }
    return text;
}

static Bpe train(const char *text, size_t size, int vocab_size) {
    BpeWords words = {0};
    Bpe bpe;
    Error error;
    must(bpe_words_add(&words, text, size / 2, &error), &error);
    must(bpe_words_add(&words, text + size / 2, size - size / 2, &error), &error);
    must(bpe_begin(&bpe, &error) && bpe_train(&bpe, &words, vocab_size, &error), &error);
    bpe_words_free(&words);
    return bpe;
}

// The example of Sennrich et al. (2016), in the order of Hugging Face's BpeTrainer: of equally frequent pairs, the one
// with the lower ids comes first, and pairs that occur once are not joined.
static void training_joins_the_most_frequent_pair(void **state) {
    static const char text[] =
        "low low low low low lower lower newest newest newest newest newest newest widest widest "
        "widest";
    static const char expected[] = "es,est,lo,low,ew,new, low, new, newest,dest,idest,widest, widest,er, lower,";
    for (int vocab_size = 400; vocab_size > 0; vocab_size -= 200) {
        BpeWords words = {0};
        Bpe bpe;
        Text joined = {0};
        Error error;
        must(bpe_words_add(&words, text, sizeof text - 1, &error) && bpe_begin(&bpe, &error), &error);
        must(bpe_train(&bpe, &words, vocab_size > 257 ? vocab_size : 259, &error), &error);
        for (int m = 0; m < bpe.merge_count; m++) {
            const BpeToken token = bpe.tokens[bpe.merges[m].joined];
            text_add(&joined, bpe.text.bytes + token.start, token.size);
            text_print(&joined, ",");
        }
        text_add(&joined, "", 1);
        assert_string_equal(joined.bytes, vocab_size > 257 ? expected : "es,est,");
        assert_int_equal(bpe.vocab_size, 257 + bpe.merge_count);
        assert_int_equal(bpe.end, bpe.vocab_size - 1);
        text_free(&joined);
        bpe_words_free(&words);
        bpe_free(&bpe);
    }
}

// --- encoding ---

static size_t encode_slowly(uint16_t *ids, const Bpe *bpe, const char *word, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) ids[count++] = bpe->bytes[(unsigned char)word[i]];
    for (;;) {
        int first = bpe->merge_count;
        size_t at = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            const int merge = bpe_merge_of(bpe, ids[i], ids[i + 1]);
            if (merge < 0 || merge >= first) continue;
            first = merge;
            at = i;
        }
        if (first == bpe->merge_count) return count;
        ids[at] = bpe->merges[first].joined;
        memmove(ids + at + 1, ids + at + 2, (--count - at - 1) * sizeof *ids);
    }
}

typedef struct {
    uint16_t *ids;
    size_t count;
    const Bpe *bpe;
} SlowText;

static bool encode_word_slowly(void *context, const char *word, size_t size, Error *error) {
    SlowText *slow = context;
    slow->count += encode_slowly(slow->ids + slow->count, slow->bpe, word, size);
    return true;
}

static void expect_slow_ids(const Bpe *bpe, const char *text, size_t size) {
    Error error;
    Splitter *splitter = splitter_create(&error);
    uint16_t *ids = malloc(2 * size * sizeof *ids);
    for (int round = 0; round < 2; round++) { // the second time, words come from memory
        size_t count = 0;
        SlowText slow = {ids + size, 0, bpe};
        must(bpe_encode(ids, &count, bpe, text, size, &error), &error);
        must(split(splitter, text, size, encode_word_slowly, &slow, &error), &error);
        assert_int_equal(count, slow.count);
        assert_memory_equal(ids, slow.ids, count * sizeof *ids);
        size_t at = 0;
        for (size_t i = 0; i < count; i++) { // decoded, it is the text
            const BpeToken token = bpe->tokens[ids[i]];
            assert_true(token.size <= size - at);
            assert_memory_equal(bpe->text.bytes + token.start, text + at, token.size);
            at += token.size;
        }
        assert_int_equal(at, size);
    }
    free(ids);
    splitter_free(splitter);
}

static void the_first_merge_is_applied_first(void **state) {
    for (int letters = 1; letters <= 5; letters++) {
        char *text = random_text(4000, letters, "training"), *other = random_text(4000, letters, "other");
        Bpe bpe = train(text, 4000, 320);
        for (size_t size = 1; size <= 4000; size += size / 2 + 1) expect_slow_ids(&bpe, other, size);
        memset(other, 'a', 4000); // one long word
        expect_slow_ids(&bpe, other, 4000);
        for (int i = 0; i < 4000; i++) other[i] = (char)random_bits(3, (uint64_t)i); // mostly not UTF-8
        expect_slow_ids(&bpe, other, 4000);
        bpe_free(&bpe);
        free(text);
        free(other);
    }
}

static void the_same_vocabulary_is_recognised(void **state) {
    char *text = random_text(2000, 4, "training");
    Bpe a = train(text, 2000, 300), b = train(text, 2000, 300), c = train(text, 2000, 299), d = train(text, 1000, 300);
    assert_true(bpe_same(&a, &b));
    assert_false(bpe_same(&a, &c));
    assert_false(bpe_same(&a, &d));
    assert_int_equal(bpe_find(&a, "a", 1), a.bytes['a']);
    assert_int_equal(bpe_find(&a, "no such token", 13), -1);
    assert_int_equal(bpe_find(&a, BPE_END, strlen(BPE_END)), -1);
    bpe_free(&a);
    bpe_free(&b);
    bpe_free(&c);
    bpe_free(&d);
    free(text);
}

static void long_words_hear_a_signal(void **state) {
    enum { SIZE = 1 << 22 };
    char *word = malloc(SIZE);
    Error error;
    Bpe bpe = train("aa aa", 5, 258), none;
    BpeWords words = {0};
    uint16_t *ids = malloc(SIZE * sizeof *ids);
    size_t count = 0;
    memset(word, 'a', SIZE);
    must(bpe_words_add(&words, word, SIZE, &error), &error);
    assert_int_equal(words.longest, SIZE);
    interrupt_catch();
    raise(SIGINT);
    assert_false(bpe_encode(ids, &count, &bpe, word, SIZE, &error));
    assert_int_equal(error.kind, ERROR_INTERRUPTED);
    must(bpe_begin(&none, &error), &error);
    assert_false(bpe_train(&none, &words, 258, &error));
    bpe_free(&none);
    assert_int_equal(error.kind, ERROR_INTERRUPTED);
    assert_true(interrupt_forget());
    bpe_words_free(&words);
    bpe_free(&bpe);
    free(ids);
    free(word);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_split_as_gpt2_does),
        cmocka_unit_test(symbols_stand_for_bytes),
        cmocka_unit_test(training_joins_the_most_frequent_pair),
        cmocka_unit_test(the_first_merge_is_applied_first),
        cmocka_unit_test(the_same_vocabulary_is_recognised),
        cmocka_unit_test(long_words_hear_a_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
