// builtin:tales: whatever a story introduces is mentioned again before it ends, in short stories as in long ones.
#include "data/made/builtin.h"
#include "data/made/tales/story.h"
#include "tests/support/support.h"

enum { SEED = 3, MANY = 4000, WORD_SIZE = 64 };

// How many things a kind of scene has brought in, and how many of them never came back.
typedef struct {
    int all, lost;
} Share;

typedef void Counter(Share *share, const char *document);

static Share share_of(Counter *count) {
    Share share = {0, 0};
    for (uint64_t index = 0; index < MANY; index++) {
        Text text = {0};
        builtin_document(&text, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = SEED}, index);
        text_add(&text, "", 1);
        assert_false(text.failed);
        count(&share, text.bytes);
        text_free(&text);
    }
    return share;
}

static void expect_share(Counter *count, int least, double most_lost) {
    const Share share = share_of(count);
    if (share.all < least) fail_msg("only %d were brought in, expected %d", share.all, least);
    if (!(share.lost <= most_lost * share.all)) fail_msg("%d of %d did not come back", share.lost, share.all);
}

static Share share_in(Counter *count, const char *document) {
    Share share = {0, 0};
    count(&share, document);
    return share;
}

static void expect_counted(Counter *count, const char *document, int all, int lost) {
    const Share share = share_in(count, document);
    assert_int_equal(share.all, all);
    assert_int_equal(share.lost, lost);
}

// One of the list's items stands in a later sentence.
static void count_lists(Share *share, const char *document) {
    static const char order[] = " in this order: ";
    for (const char *list = document; (list = strstr(list, order));) {
        list += strlen(order);
        const char *end = list + strcspn(list, ".");
        bool again = false;
        for (const char *item = list; item < end; item += strspn(item, ", ")) {
            char copy[WORD_SIZE];
            if (strncmp(item, "and ", 4) == 0) item += 4;
            const size_t length = strcspn(item, ",.");
            snprintf(copy, sizeof copy, "%.*s", (int)length, item);
            again |= strstr(end, copy) != NULL;
            item += length;
        }
        share->all++;
        share->lost += !again;
    }
}

static void lists_come_back(void **state) {
    expect_counted(count_lists, "A map, in this order: Elmby, Ashton, and Dunby. The first stop was Elmby.\n", 1, 0);
    expect_counted(count_lists, "A map, in this order: Elmby, Ashton, and Dunby. The first stop was Holm.\n", 1, 1);
    expect_share(count_lists, MANY / 4, 0.005);
}

// The first word in quotation marks after the first mention of a password is said again, forwards.
static void count_passwords(Share *share, const char *document) {
    char password[WORD_SIZE];
    const char *quote = strstr(document, "password");
    quote = quote ? strchr(quote, '"') : NULL;
    if (!quote) return;
    const size_t length = strspn(quote + 1, "abcdefghijklmnopqrstuvwxyz");
    snprintf(password, sizeof password, "%.*s", (int)length, quote + 1);
    share->all++;
    share->lost += !strstr(quote + 1 + length, password);
}

static void passwords_come_back(void **state) {
    expect_counted(count_passwords, "The password is \"badi.\" \"Yes?\" \"badi.\"\n", 1, 0);
    expect_counted(count_passwords, "The password is \"badi.\" \"Yes?\" \"bado.\"\n", 1, 1);
    expect_share(count_passwords, MANY / 10, 0.005);
}

// The title of a recipe, as in "how to make plum pie", or the number of one of its steps is named again.
static void count_recipes(Share *share, const char *document) {
    const char *recipe = strstr(document, "\n1. ");
    if (!recipe) return;
    const char *end = strstr(recipe, "\n\n");
    share->all++;
    share->lost += !end || !strstr(end, "step ");
}

static void recipes_come_back(void **state) {
    expect_counted(count_recipes, "Pie:\n1. Cut it.\n\n\"What is step 1?\" \"Cut it.\"\n", 1, 0);
    expect_counted(count_recipes, "Pie:\n1. Cut it.\n2. Stir the pears from step 1.\n\nThe end.\n", 1, 1);
    expect_share(count_recipes, MANY / 40, 0.005);
}

// The first of a song's four lines that comes back is enough.
static void count_songs(Share *share, const char *document) {
    const char *song = strstr(document, ":\n    ");
    if (!song) return;
    const char *lines[4], *end = song + 1;
    for (int i = 0; i < 4 && end; i++) {
        lines[i] = end + 5;
        end = strchr(lines[i], '\n');
    }
    bool again = false;
    for (int i = 0; i < 4 && end; i++) {
        char copy[2 * WORD_SIZE];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(lines[i], "\n"), lines[i]);
        again |= strstr(end, copy) != NULL;
    }
    share->all++;
    share->lost += !again;
}

static void songs_come_back(void **state) {
    expect_counted(count_songs, "He sang:\n    one\n    two\n    six\n    ten\n\nThe line was \"six.\"\n", 1, 0);
    expect_counted(count_songs, "He sang:\n    one\n    two\n    six\n    ten\n\nThe line was \"five.\"\n", 1, 1);
    expect_share(count_songs, MANY / 20, 0.005);
}

extern const List list_material, list_noun; // of tales.txt

static size_t word_at(const char *text, const List *list) {
    for (int i = 0; i < list->count; i++) {
        const size_t length = strlen(list->words[i]);
        if (strncmp(text, list->words[i], length) == 0 && strchr(" .,", text[length])) return length;
    }
    return 0;
}

// What the opening says that somebody owns, as in "owned a brass key", is named in a later sentence.
static void count_belongings(Share *share, const char *document) {
    static const char *const owning[] = {" owned a",     " treasure was a",  " took a",    " had won a",
                                         " had found a", " had inherited a", " without a", " carried a",
                                         " by his",      " by her"};
    for (size_t i = 0; i < COUNT(owning); i++) {
        for (const char *at = document; (at = strstr(at, owning[i]));) {
            at += strlen(owning[i]);
            const char *name = at + (*at == 'n') + 1;
            const size_t material = word_at(name, &list_material),
                         noun = material ? word_at(name + material + 1, &list_noun) : 0;
            if (noun == 0) continue;
            char copy[WORD_SIZE];
            snprintf(copy, sizeof copy, "%.*s", (int)(material + 1 + noun), name);
            share->all++;
            share->lost += !strstr(name + material + 1 + noun, copy);
        }
    }
}

static void belongings_come_back(void **state) {
    expect_counted(count_belongings, "She owned an oak dice cup, made in Elmby. Mia kept the oak dice cup.\n", 1, 0);
    expect_counted(count_belongings, "She owned an oak dice cup, made in Elmby. Mia kept the oak key.\n", 1, 1);
    expect_share(count_belongings, MANY, 0.005);
}

// Who counts money will have it asked for, or spend it.
static void count_purses(Share *share, const char *document) {
    const char *coins = strstr(document, " coins");
    if (!coins) return;
    share->all++;
    share->lost += !strstr(coins + 1, " coin");
}

static void money_comes_back(void **state) {
    expect_counted(count_purses, "Mia had ten coins. She paid one coin.\n", 1, 0);
    expect_counted(count_purses, "Mia had ten coins. She slept.\n", 1, 1);
    expect_share(count_purses, MANY / 10, 0.005);
}

// "Where is Mia today?" "Mia is in the mill," when those who talk have not just met in the mill.
static void count_questions(Share *share, const char *document) {
    static const char where[] = "\n\"Where is ";
    for (const char *question = document; (question = strstr(question, where));) {
        question += strlen(where);
        const char *answer = strchr(question, '\n'), *meeting = question;
        if (strncmp(question, "the ", 4) == 0 || !answer) continue; // a thing
        while (meeting > document && strncmp(meeting, "\n\n", 2) != 0) meeting--;
        const char *place = strstr(answer, " the "), *met = strstr(meeting, " the ");
        char copy[WORD_SIZE];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(place, ",.\""), place);
        while (met && strncmp(met, copy, strlen(copy)) != 0) met = strstr(met + 1, " the ");
        share->all++;
        share->lost += met && met < strchr(meeting + 2, '\n');
    }
}

static void nobody_asks_what_is_before_their_eyes(void **state) {
    expect_counted(count_questions, "A\n\nMia met Ole in the mill.\n\"Where is Bea now?\"\n\"Bea is in the inn.\"\n", 1,
                   0);
    expect_counted(count_questions, "A\n\nMia met Ole in the inn.\n\"Where is Bea now?\"\n\"Bea is in the inn.\"\n", 1,
                   1);
    expect_share(count_questions, MANY / 80, 0);
}

// What happens in a short story has consequences: nobody in it dreams, counts spoons or has a mood for its own sake.
static void count_idle_scenes(Share *share, const char *document) {
    static const char *const idle[] = {"had dreamt of", "is worth two from", "Somebody had painted a",
                                       " thought of ",  "There was a knock", " counted "};
    if (strlen(document) > 600) return;
    share->all++;
    for (size_t i = 0; i < COUNT(idle); i++) {
        if (!strstr(document, idle[i]) || strstr(document, " coins")) continue;
        share->lost++;
        return;
    }
}

static void short_stories_keep_to_what_matters(void **state) {
    expect_counted(count_idle_scenes, "Ole thought of Elmby.\n", 1, 1);
    expect_share(count_idle_scenes, MANY / 10, 0.001);
}

static void short_stories_are_there(void **state) {
    int shortest = 0, below_400 = 0;
    for (uint64_t index = 0; index < MANY; index++) {
        Text text = {0};
        builtin_document(&text, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = SEED}, index);
        shortest += text.size < 250;
        below_400 += text.size < 400;
        text_free(&text);
    }
    assert_in_range(shortest, MANY / 50, MANY / 8);
    assert_in_range(below_400, MANY / 7, MANY / 3); // log-uniform: 0.24
}

// What everybody can follow: "Without a word, Mia won some money" is out, as is what only repeats could make true.
static void count_odd_beginnings(Share *share, const char *document) {
    static const char *const odd[] = {"Without a word,", "To the surprise of all,", "As so often,"};
    share->all++;
    for (size_t i = 0; i < COUNT(odd); i++) share->lost += strstr(document, odd[i]) != NULL;
}

static void sentences_begin_with_times(void **state) {
    expect_counted(count_odd_beginnings, "Without a word, Mia won some money.\n", 1, 1);
    expect_share(count_odd_beginnings, MANY, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_come_back),
        cmocka_unit_test(passwords_come_back),
        cmocka_unit_test(recipes_come_back),
        cmocka_unit_test(songs_come_back),
        cmocka_unit_test(belongings_come_back),
        cmocka_unit_test(money_comes_back),
        cmocka_unit_test(nobody_asks_what_is_before_their_eyes),
        cmocka_unit_test(short_stories_keep_to_what_matters),
        cmocka_unit_test(short_stories_are_there),
        cmocka_unit_test(sentences_begin_with_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
