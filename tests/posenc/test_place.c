// Coordinates of tokens: lines and columns of a text, and coordinates drawn at random.
#include "posenc/mix.h"
#include "tests/support/little_model.h"

enum { NEWLINE = 10, END = 256, OTHER = 97 };

// `text` spells tokens: '/' a newline, '#' the end of a document, anything else a word. `places` spells what is
// expected, line and column of each; `pages`, document and page.
static void expect_places(const char *text, PlaceRule rule, const char *places) {
    Place cursor = {0};
    for (int i = 0; text[i]; i++) {
        const int id = text[i] == '/' ? NEWLINE : text[i] == '#' ? END : OTHER;
        const Place place = place_next(&cursor, id, rule);
        assert_int_equal(place.t, i);
        if (place.line != places[3 * i] - '0' || place.column != places[3 * i + 1] - '0')
            fail_msg("%s: token %d is at line %d, column %d, not %.2s", text, i, place.line, place.column,
                     places + 3 * i);
    }
    assert_int_equal(strlen(places) + 1, 3 * strlen(text));
}

static void lines_and_columns_are_counted(void **state) {
    const PlaceRule rule = {NEWLINE, END};
    expect_places("abcd", rule, "00 01 02 03");
    expect_places("ab/cd/e", rule, "00 01 02 10 11 12 20"); // a newline stands at the end of its own line
    expect_places("a/b/c/d", rule, "00 01 10 11 20 21 30");
}

static void expect_pages(const char *text, PlaceRule rule, const char *pages) {
    Place cursor = {0};
    for (int i = 0; text[i]; i++) {
        const Place place = place_next(&cursor, text[i] == '/' ? NEWLINE : text[i] == '#' ? END : OTHER, rule);
        if (place.document != pages[3 * i] - '0' || place.page != pages[3 * i + 1] - '0')
            fail_msg("%s: token %d is in document %d, page %d, not %.2s", text, i, place.document, place.page,
                     pages + 3 * i);
    }
    assert_int_equal(strlen(pages) + 1, 3 * strlen(text));
}

// Several empty lines end a page once; a page is counted in its document.
static void pages_and_documents_are_counted(void **state) {
    const PlaceRule rule = {NEWLINE, END};
    expect_pages("ab/c//de/f", rule, "00 00 00 00 00 00 01 01 01 01");
    expect_pages("//a/b", rule, "00 00 00 00 00");
    expect_pages("a////b//c", rule, "00 00 00 01 01 01 01 01 02");
    expect_pages("a//b#c//d##e", rule, "00 00 00 01 01 10 10 10 11 11 20 30");
    expect_pages("a//b#c", (PlaceRule){-1, -1}, "00 00 00 00 00 00");
}

static void an_empty_line_begins_a_page(void **state) {
    const PlaceRule rule = {NEWLINE, END};
    expect_places("ab/c//de/f", rule, "00 01 02 10 11 20 00 01 02 10");
    expect_places("/a", rule, "00 00");
    expect_places("//a/b", rule, "00 00 00 01 10");
    expect_places("a////b", rule, "00 01 10 00 00 00");
}

static void an_end_begins_a_page(void **state) {
    const PlaceRule rule = {NEWLINE, END};
    expect_places("ab/c#d/e", rule, "00 01 02 10 11 00 01 10");
    expect_places("#a", rule, "00 00");
    expect_places("a##/b", rule, "00 01 00 00 00");
    expect_places("a/#b", rule, "00 01 10 00");
}

static void without_newlines_all_is_one_line(void **state) {
    expect_places("ab/c//d", (PlaceRule){-1, END}, "00 01 02 03 04 05 06");
    expect_places("ab/c#d/", (PlaceRule){-1, END}, "00 01 02 03 04 00 01");
    expect_places("ab#/c", (PlaceRule){NEWLINE, -1}, "00 01 02 03 10");
    expect_places("ab#/c", (PlaceRule){-1, -1}, "00 01 02 03 04");
    Place cursor = {0};
    place_next(&cursor, -1, (PlaceRule){-1, -1}); // an unknown token is neither
    assert_int_equal(cursor.column, 1);
}

// --- randomised positions ---
static void drawn_numbers_are_sorted_and_distinct(void **state) {
    enum { SPAN = 60 };
    for (int span = 1; span <= SPAN; span += 7)
        for (int count = 0; count <= span; count++)
            for (uint64_t key = 0; key < 20; key++) {
                int drawn[SPAN + 1];
                drawn[count] = -7;
                places_draw(drawn, count, span, random_bits(5, key));
                for (int i = 0; i < count; i++) assert_true(drawn[i] < span && drawn[i] > (i ? drawn[i - 1] : -1));
                assert_int_equal(drawn[count], -7);
                for (int i = 0; count == span && i < count; i++) assert_int_equal(drawn[i], i);
            }
}

static void a_key_decides_the_draw(void **state) {
    enum { COUNT_DRAWN = 100, SPAN = 1000 };
    int first[COUNT_DRAWN], again[COUNT_DRAWN], other[COUNT_DRAWN], same = 0;
    places_draw(first, COUNT_DRAWN, SPAN, 77);
    places_draw(again, COUNT_DRAWN, SPAN, 77);
    places_draw(other, COUNT_DRAWN, SPAN, 78);
    assert_memory_equal(first, again, sizeof first);
    for (int i = 0, j = 0; i < COUNT_DRAWN; i++) {
        while (j < COUNT_DRAWN - 1 && other[j] < first[i]) j++;
        same += other[j] == first[i];
    }
    assert_in_range(same, 1, 30); // 10 of the 100 are expected in both
}

// All 126 choices of 4 out of 9 are equally likely. Pearson's chi-square has 125 degrees of freedom, whose
// one-in-a-million quantile is 215.
static void every_choice_is_equally_likely(void **state) {
    enum { SPAN = 9, CHOSEN = 4, CHOICES = 126, DRAWS = 126000 };
    int counts[1 << SPAN] = {0}, choices = 0;
    double chi_square = 0;
    for (uint64_t n = 0; n < DRAWS; n++) {
        int drawn[CHOSEN], set = 0;
        places_draw(drawn, CHOSEN, SPAN, random_bits(9, n));
        for (int i = 0; i < CHOSEN; i++) set |= 1 << drawn[i];
        counts[set]++;
    }
    const double expected = (double)DRAWS / CHOICES;
    for (int set = 0; set < 1 << SPAN; set++) {
        choices += counts[set] > 0;
        if (counts[set]) chi_square += (counts[set] - expected) * (counts[set] - expected) / expected;
    }
    assert_int_equal(choices, CHOICES);
    if (!(chi_square <= 215)) fail_msg("chi-square %g", chi_square);
}

// --- the coordinates in training ---
enum { B = 3, T = 12, SPAN = 40, ROWS = B * T };

static void embed(Place at[ROWS], const int *ids, int random_positions, uint64_t key) {
    const Shape shape = {
        .vocab = 9, .context = T, .layers = 1, .heads = 1, .width = 4, .random_positions = random_positions};
    Gpt gpt;
    TrainPass pass;
    training_make(&gpt, &pass, "rope", &shape, B, T);
    gpt.pos.rule = text_rule;
    pass.places_key = key;
    train_pass_embed(&pass, &gpt, ids);
    memcpy(at, pass.at, ROWS * sizeof *at);
    training_free(&gpt, &pass);
}

static void each_sequence_begins_at_0(void **state) {
    int ids[ROWS];
    Place at[ROWS];
    text_make(ids, ROWS, 9, 3);
    embed(at, ids, 0, 1);
    for (int b = 0; b < B; b++) {
        Place cursor = {0};
        for (int r = b * T; r < (b + 1) * T; r++) {
            const Place expected = place_next(&cursor, ids[r], text_rule);
            assert_memory_equal(&at[r], &expected, sizeof expected);
        }
    }
}

// The coordinate that stands for n is the same on all axes of a sequence.
static void expect_drawn(const Place *at, const Place *plain) {
    int drawn[T];
    for (int t = 0; t < T; t++) {
        drawn[t] = at[t].t;
        assert_true(drawn[t] < SPAN && drawn[t] > (t ? drawn[t - 1] : -1));
    }
    for (int t = 0; t < T; t++) {
        const Place expected = place_drawn(&plain[t], drawn);
        assert_memory_equal(&at[t], &expected, sizeof expected);
    }
}

static void each_pass_and_sequence_draws_anew(void **state) {
    int ids[ROWS];
    Place plain[ROWS], first[ROWS], again[ROWS], other[ROWS];
    text_make(ids, ROWS, 9, 3);
    embed(plain, ids, 0, 1);
    embed(first, ids, SPAN, 1);
    embed(again, ids, SPAN, 1);
    embed(other, ids, SPAN, 2);
    assert_memory_equal(first, again, sizeof first);
    for (int b = 0; b < B; b++) {
        expect_drawn(first + b * T, plain + b * T);
        expect_drawn(other + b * T, plain + b * T);
        int moved_by_key = 0, moved_by_sequence = 0;
        for (int t = 0; t < T; t++) {
            moved_by_key += first[b * T + t].t != other[b * T + t].t;
            moved_by_sequence += first[b * T + t].t != first[(b + 1) % B * T + t].t;
        }
        assert_true(moved_by_key > 0 && moved_by_sequence > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_columns_are_counted),    cmocka_unit_test(pages_and_documents_are_counted),
        cmocka_unit_test(an_empty_line_begins_a_page),      cmocka_unit_test(an_end_begins_a_page),
        cmocka_unit_test(without_newlines_all_is_one_line), cmocka_unit_test(drawn_numbers_are_sorted_and_distinct),
        cmocka_unit_test(a_key_decides_the_draw),           cmocka_unit_test(every_choice_is_equally_likely),
        cmocka_unit_test(each_sequence_begins_at_0),        cmocka_unit_test(each_pass_and_sequence_draws_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
