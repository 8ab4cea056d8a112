// Scenes that bring in something to be learnt by heart (a list, a song, a password) and scenes that say it again.
#include "data/made/tales/tales.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

struct ListKind {
    const char *what, *one;
    const char *intro; // who made it, and how
    const char *item;  // template; {W} is what prepare() put there
    void (*prepare)(Story *story, int i);
};

static void prepare_goods(Story *story, int i) {
    char number[32];
    const int which = distinct(story, "goods", i + MAX_ITEMS * story->list_count, tales_goods.count);
    const WordPair *goods = &tales_goods.pairs[which];
    const int amount = between(story, 1, 12);
    const char *article = strchr("aeiou", goods->first[0]) ? "an" : "a";
    snprintf(story->word, sizeof story->word, "%s %s", amount == 1 ? article : number_word(amount, number),
             amount == 1 ? goods->first : goods->second);
}

static void prepare_town(Story *story, int i) {
    (void)i;
    words_town(story->word, sizeof story->word, &story->random);
}

static void prepare_name(Story *story, int i) {
    (void)i;
    words_person(story->word, sizeof story->word, pick(story, 2), &story->random);
}

static void prepare_nothing(Story *story, int i) {
    (void)story, (void)i;
}

static const ListKind list_kinds[] = {
    {"shopping list", "thing", "{Later}, {A} wrote a shopping list", "{W}", prepare_goods},
    {"debt", "part", "{A} owed {B} a debt, to be paid", "{W}", prepare_goods},
    {"will", "gift", "{The A} made a will and left to {B}", "{W}", prepare_goods},
    {"road", "stop", "{A} drew the road from {town A} to {town B}, with its stops", "{W}", prepare_town},
    {"map", "village", "{A} showed {B} a map with villages", "{W}", prepare_town},
    {"queue", "name", "A queue stood before {A}", "{W}", prepare_name},
    {"guest list", "guest", "{A} <invited|asked> guests to {the P}", "{W}", prepare_name},
    {"family tree", "ancestor", "{A} named the ancestors of {his A} family", "{W}", prepare_name},
    {"dream", "animal", "In a dream, animals came to {A}", "{a colour} {animal}", prepare_nothing},
    {"row of flags", "flag", "{A} hung flags from the trees {at P}", "<|pale |dark |bright |deep >{colour}",
     prepare_nothing},
};

const char *list_what(const List *list) {
    return list->kind->what;
}

const char *list_one(const List *list) {
    return list->kind->one;
}

// ", " between items and ", and " before the last.
static void tell_comma(Story *story, int i, int count) {
    if (i > 0) tell(story, i == count - 1 ? ", and " : ", ");
}

bool scene_list(Story *story) {
    if (story->list_count == MAX_LISTS) return false;
    const ListKind *kind = &list_kinds[pick(story, COUNT(list_kinds))];
    for (int i = 0; i < story->list_count; i++) {
        if (story->lists[i].kind == kind) return false;
    }
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    cast(story, 'P', person(story, 'A')->place);
    List *list = &story->lists[story->list_count];
    *list = (List){.kind = kind, .owner = role(story, 'A'), .count = between(story, 3, MAX_ITEMS)};
    tell(story, kind->intro);
    tell(story, ", in this order: ");
    for (int i = 0; i < list->count; i++) {
        tell_comma(story, i, list->count);
        const size_t start = story->text->size;
        kind->prepare(story, i);
        tell(story, kind->item);
        list->items[i] = span_since(story, start, 0);
    }
    tell(story, ".");
    list->open = true;
    story->list_count++;
    return true;
}

static const char *const recitals[] = {
    "{Later}, {B} <asked for|wanted to hear> {A}'s {L} again. {C} knew it",
    "\"Who remembers {A}'s {L}?\" asked {B}. {C} <did|remembered it> and said it",
    "{C} could say {A}'s {L}",
    "It was {weather}, and to pass the time {C} said {A}'s {L}",
};

static const char *const places_in_list[] = {
    "{C} <remembered|had not forgotten>: the {first K} {one L} of {A}'s {L} was ",
    "\"What was the {first K} {one L} of {A}'s {L}?\" asked {B}, and {C} said: the {first K} {one L} was ",
    "Of {A}'s {L}, {C} <knew|recalled> only one {one L}: the {first K} {one L} was ",
};

static void tell_list(Story *story, const List *list, bool backwards) {
    tell(story, backwards ? " from last to first: " : " from first to last: ");
    for (int i = 0; i < list->count; i++) {
        tell_comma(story, i, list->count);
        tell_again(story, list->items[backwards ? list->count - 1 - i : i]);
    }
}

bool scene_list_again(Story *story) {
    if (story->list_count == 0) return false;
    cast(story, 'L', pick(story, story->list_count));
    for (int i = 0; i < story->list_count && !story->lists[role(story, 'L')].open; i++)
        cast(story, 'L', (role(story, 'L') + 1) % story->list_count);
    List *list = &story->lists[role(story, 'L')];
    cast(story, 'A', list->owner);
    if (!cast_person(story, 'B', "A")) return false;
    if (!cast_person(story, 'C', "AB")) cast(story, 'C', list->owner);
    if (pick(story, 3)) {
        TELL(story, recitals);
        tell_list(story, list, pick(story, 2));
    } else {
        cast(story, 'K', between(story, 1, list->count));
        TELL(story, places_in_list);
        tell_again(story, list->items[role(story, 'K') - 1]);
    }
    list->open = false;
    tell(story, ".");
    return true;
}

static const char *const verses[] = {
    "the {colour} {animal} {verb} by the {W}", "{a material} {noun} lies under the {W}",
    "oh, carry my {noun} to the {W}",          "and {a animal} {verb} without the {W}",
    "{a trade} {verb} and thinks of the {W}",  "but who will remember the {colour} {W}",
    "my {material} {noun} for the {W}",        "and the {animal} {verb} where I left the {W}",
};

static const char *const songs[] = {
    "{Later}, {A} sang a song that {he A} had made in {town A}:",
    "{A} taught {B} <a song|an old song|the favourite song> of {town A}:",
    "Then {the A} began to sing:",
};

bool scene_song(Story *story) {
    if (story->singer != NOBODY) return false;
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    story->singer = role(story, 'A');
    story->song_open = true;
    TELL(story, songs);
    const WordPair *rhyme = tales_rhymes.pairs;
    for (int line = 0; line < VERSE_LINES; line++) {
        if (line % 2 == 0) rhyme = &tales_rhymes.pairs[distinct(story, "rhyme", line, tales_rhymes.count)];
        strcpy(story->word, line % 2 == 0 ? rhyme->first : rhyme->second);
        tell(story, "\n    ");
        const size_t start = story->text->size;
        tell(story, verses[distinct(story, "verse", line, COUNT(verses))]);
        story->verse[line] = span_since(story, start, 0);
    }
    return true;
}

static const char *const songs_again[] = {
    "{Later}, they all sang {A}'s song again:",
    "{B} <whistled|hummed> the song of {A}, and then came the words:",
    "From far away one could hear the song that {A} had sung:",
};

static const char *const lines_again[] = {
    "{B} could not forget the {first K} line of {A}'s song, \"",
    "\"What was the {first K} line of {A}'s song?\" asked somebody. {B} knew it: \"",
    "On a wall {at P} somebody had painted the {first K} line of {A}'s song, \"",
};

bool scene_song_again(Story *story) {
    if (story->singer == NOBODY) return false;
    cast(story, 'A', story->singer);
    story->song_open = false;
    if (!cast_person(story, 'B', "A")) return false;
    cast(story, 'P', person(story, 'B')->place);
    if (pick(story, 2)) {
        TELL(story, songs_again);
        for (int line = 0; line < VERSE_LINES; line++) {
            tell(story, "\n    ");
            tell_again(story, story->verse[line]);
        }
    } else {
        cast(story, 'K', between(story, 1, VERSE_LINES));
        TELL(story, lines_again);
        tell_again(story, story->verse[role(story, 'K') - 1]);
        tell(story, ".\"");
    }
    return true;
}

static const char *const secrets[] = {
    "{A} <told|whispered to> {B} the password of {the P}: \"{W}.\"",
    "Nobody was let through to {the P} without the password, which was \"{W}.\"",
    "{Later}, {A} chose a new password for {the P}. It was \"{W},\" and nothing else would do.",
};

bool scene_secret(Story *story) {
    if (story->secret_place != NOBODY) return false;
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    words_secret(story->secret, sizeof story->secret, &story->random);
    strcpy(story->word, story->secret);
    story->secret_place = pick(story, story->place_count);
    cast(story, 'P', story->secret_place);
    story->secret_open = true;
    TELL(story, secrets);
    return true;
}

static const char *const challenges[] = {
    "{Later}, a guard stopped {A} before {the P}. \"<The password|Your password>?\" \"{W},\" said {A}.",
    "{Later}, {A} came to {the P} and said the password, \"{W},\" <and all was well|and was let through>.",
    "\"What is the password of {the P}?\" asked {B}. {A} said \"{W}\" {manner}.",
};

static const char *const letters[] = {
    " \"Spell it.\" \"",
    " {He A} even had to spell it: \"",
    " {A} wrote it down, letter by letter: \"",
};

static const char *const backwards[] = {
    " Read backwards, it was \"{W}.\"",
    " \"And backwards?\" \"{W}.\"",
    " In a mirror the last letter comes first: \"{W}.\"",
};

static void spell(Story *story) {
    TELL(story, letters);
    for (const char *letter = story->secret; *letter; letter++) {
        text_add(story->text, letter, 1);
        tell(story, letter[1] ? "-" : ".\"");
    }
}

bool scene_secret_again(Story *story) {
    if (story->secret_place == NOBODY) return false;
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    cast(story, 'P', story->secret_place);
    person(story, 'A')->place = story->secret_place;
    strcpy(story->word, story->secret);
    story->secret_open = false;
    TELL(story, challenges);
    const int more = pick(story, 3);
    if (more == 1) spell(story);
    if (more == 2) {
        const size_t length = strlen(story->secret);
        for (size_t i = 0; i < length; i++) story->word[i] = story->secret[length - 1 - i];
        TELL(story, backwards);
    }
    return true;
}
