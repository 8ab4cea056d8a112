#include "data/made/tales/story.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// --- What a story remembers ---

Entity *entity(Story *story, Kind kind, int index) {
    assert(index >= 0 && index < MOST_OF_A_KIND);
    return &story->entities[kind][index];
}

int count_due(Story *story, Kind kind) {
    int due = 0;
    for (int i = 0; i < story->count[kind]; i++) due += entity(story, kind, i)->due;
    return due;
}

// Without memory for the text all names are empty; then nobody has a namesake, and the search for a name ends.
bool has_namesake(Story *story, Kind kind, int index) {
    const char *name = entity(story, kind, index)->name;
    for (int i = 0; i < story->count[kind]; i++)
        if (i != index && strcmp(entity(story, kind, i)->name, name) == 0) return !story->text->failed;
    return false;
}

void take_name(Story *story, char name[NAME_SIZE], size_t start) {
    const size_t size = story->text->size - start;
    assert(size < NAME_SIZE);
    if (size > 0) memcpy(name, story->text->bytes + start, size);
    name[size] = '\0';
    story->text->size = start;
}

static Span *learnt(Entity *list, int number) {
    assert(number >= 0 && number < MOST_LEARNT);
    return &list->learnt[number];
}

void begin_learning(Story *story, Entity *list, int number) {
    story->learning = learnt(list, number);
    story->learning->start = (unsigned short)(story->text->size - story->start);
}

void end_learning(Story *story) {
    story->learning->size = (unsigned short)(story->text->size - story->start - story->learning->start);
    story->learning = NULL;
}

void recite(Story *story, Entity *list, int number) {
    const Span *span = learnt(list, number);
    // With its room reserved, the text does not move while it is read.
    if (text_reserve(story->text, span->size))
        text_add(story->text, story->text->bytes + story->start + span->start, span->size);
}

// --- Chance ---

int pick(Story *story, int n) {
    return random_below(&story->random, n);
}

int random_between(Story *story, int low, int high) {
    return low + pick(story, high - low + 1);
}

bool chance(Story *story, int n, int of) {
    return pick(story, of) >= of - n;
}

int any(Story *story, const List *list) {
    return list->count > 1 ? pick(story, list->count) : 0;
}

int numbered(const Story *story, const List *list, int i) {
    const uint64_t key = random_key(story->random.key, list->name);
    return (int)random_permute((uint64_t)i, (uint64_t)list->count, key);
}

bool cast(Story *story, Kind kind, int *index, Test *passes, bool if_possible) {
    const int count = story->count[kind], first = pick(story, count);
    for (int i = 0; i < count; i++) {
        const int candidate = (first + i) % count;
        if (passes && !passes(story, candidate)) continue;
        *index = candidate;
        return true;
    }
    if (if_possible) *index = first;
    return if_possible;
}

// --- Telling ---

void add(Story *story, const char *words) {
    if (!*words) return;
    if (story->article) {
        story->article = false;
        add(story, strchr("aeiou", tolower((unsigned char)*words)) ? "an " : "a ");
    }
    const size_t start = story->text->size;
    text_add(story->text, words, strlen(words));
    if (story->capital && !story->text->failed) {
        char *first = story->text->bytes + start;
        *first = (char)toupper((unsigned char)*first);
        story->capital = false;
    }
}

void add_coins(Story *story, int number) {
    tell(story, &list_number, number);
    add(story, number == 1 ? " coin" : " coins");
}

void add_spelled(Story *story, const char *name) {
    for (const char *letter = name; *letter; letter++) text_print(story->text, letter > name ? "-%c" : "%c", *letter);
}

void add_backwards(Story *story, const char *name) {
    for (size_t i = strlen(name); i > 0; i--) text_add(story->text, &name[i - 1], 1);
}

void tell(Story *story, const List *list, int which) {
    assert(which >= 0 && which < list->count);
    if (list->words) {
        add(story, list->words[which]);
    } else {
        list->phrases[which](story);
    }
}

// The search for a question ends because tales.txt has enough that are always possible.
void ask(Story *story, int count) {
    uint32_t asked = 0;
    for (int i = 0; i < count; i++) {
        story->I = i;
        int which;
        do {
            which = pick(story, tales_question_count);
        } while (asked >> which & 1 || !tales_questions[which](story));
        asked |= UINT32_C(1) << which;
    }
}
