// From template to sentence: the slots of tales.h filled from the state of the story.
#include "data/made/tales/tales.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FORM_SIZE = 16 };

void cast(Story *story, char letter, int who) {
    story->role[letter - 'A'] = who;
}

int role(const Story *story, char letter) {
    return story->role[letter - 'A'];
}

Person *person(Story *story, char letter) {
    return &story->people[role(story, letter)];
}

Thing *thing(Story *story, char letter) {
    return &story->things[role(story, letter)];
}

int pick(Story *story, int n) {
    return random_below(&story->random, n);
}

int between(Story *story, int low, int high) {
    return low + pick(story, high - low + 1);
}

int distinct(const Story *story, const char *salt, int i, int n) {
    return (int)random_permute((uint64_t)i, (uint64_t)n, random_key(story->random.key, salt));
}

bool cast_person(Story *story, char letter, const char *besides) {
    const int first = pick(story, story->people_count);
    for (int i = 0; i < story->people_count; i++) {
        const int who = (first + i) % story->people_count;
        bool taken = false;
        for (const char *other = besides; *other; other++) taken |= role(story, *other) == who;
        if (taken) continue;
        cast(story, letter, who);
        return true;
    }
    return false;
}

bool cast_thing(Story *story, char letter, bool (*fits)(const Story *story, const Thing *thing)) {
    const int first = pick(story, story->thing_count);
    for (int i = 0; i < story->thing_count; i++) {
        const int which = (first + i) % story->thing_count;
        if (!fits(story, &story->things[which])) continue;
        cast(story, letter, which);
        return true;
    }
    return false;
}

static void add(Story *story, const char *word) {
    text_add(story->text, word, strlen(word));
}

static void add_noun(Story *story, const char *form, const char *noun) {
    if (strcmp(form, "the") == 0) add(story, "the ");
    if (strcmp(form, "a") == 0) add(story, strchr("aeiou", noun[0]) ? "an " : "a ");
    add(story, noun);
}

static void add_number(Story *story, const char *form, int number) {
    char word[32];
    if (strcmp(form, "first") == 0) {
        add(story, ordinal_word(number));
    } else if (strcmp(form, "#") == 0) {
        text_print(story->text, "%d", number);
    } else {
        add(story, number_word(number, word));
        if (strcmp(form, "coins") == 0) add(story, number == 1 ? " coin" : " coins");
    }
}

static void add_person(Story *story, const char *form, const Person *someone) {
    static const char *const pronouns[][3] = {
        {"he", "he", "she"}, {"him", "him", "her"}, {"his", "his", "her"}, {"man", "man", "woman"}};
    for (size_t i = 0; i < sizeof pronouns / sizeof *pronouns; i++) {
        if (strcmp(form, pronouns[i][0]) == 0) {
            add(story, pronouns[i][someone->woman ? 2 : 1]);
            return;
        }
    }
    if (form[0] == '\0') {
        add(story, someone->name);
    } else if (strcmp(form, "town") == 0) {
        add(story, someone->town);
    } else if (strcmp(form, "coins") == 0) {
        add_number(story, form, someone->coins);
    } else {
        add_noun(story, form, someone->trade);
    }
}

static void add_place(Story *story, const char *form, const WordPair *place) {
    const bool at = strcmp(form, "at") == 0;
    if (at) {
        add(story, place->first);
        add(story, " ");
    }
    add_noun(story, at ? "the" : form, place->second);
}

static void add_spot(Story *story, const char *form, const WordPair *spot) {
    add(story, spot->first);
    add(story, " ");
    add_noun(story, form, spot->second);
}

static void add_role(Story *story, const char *form, char letter) {
    const int who = role(story, letter);
    switch (letter) {
    case 'F':
        add(story, story->friend);
        break;
    case 'K':
    case 'M':
    case 'N':
        add_number(story, form, who);
        break;
    case 'L':
        add(story, (*form ? list_one : list_what)(&story->lists[who]));
        break;
    case 'P':
    case 'Q':
        add_place(story, form, &tales_places.pairs[story->places[who]]);
        break;
    case 'S':
        add_spot(story, form, &tales_spots.pairs[who]);
        break;
    case 'T':
        add(story, story->town);
        break;
    case 'W':
        add(story, story->word);
        break;
    case 'X':
    case 'Y':
        add_noun(story, form, story->things[who].name);
        story->things[who].open = false;
        break;
    case 'Z':
        add(story, story->teller);
        break;
    default:
        add_person(story, form, &story->people[who]);
        break;
    }
}

// The slot between braces: an optional form, a space, and a role or the name of a word list.
static void tell_slot(Story *story, const char *slot, size_t length) {
    assert(length < FORM_SIZE);
    char form[FORM_SIZE] = "";
    const char *space = memchr(slot, ' ', length);
    const char *name = space ? space + 1 : slot;
    const size_t name_length = length - (size_t)(name - slot);
    if (space) memcpy(form, slot, (size_t)(space - slot));
    const bool role_letter = name_length == 1;
    const bool capital = isupper((unsigned char)slot[0]) && !(role_letter && !space);
    char list[FORM_SIZE] = "";
    memcpy(list, name, name_length);
    form[0] = (char)tolower((unsigned char)form[0]);
    if (!role_letter) list[0] = (char)tolower((unsigned char)list[0]);

    const size_t start = story->text->size;
    if (role_letter) {
        add_role(story, form, name[0]);
    } else {
        add_noun(story, form, words_pick(list, &story->random));
    }
    if (capital && story->text->size > start) {
        char *first = story->text->bytes + start;
        *first = (char)toupper((unsigned char)*first);
    }
}

static void tell_range(Story *story, const char *begin, const char *end);

// One of the alternatives "this|that" between begin and end.
static void tell_alternative(Story *story, const char *begin, const char *end) {
    int count = 1;
    for (const char *c = begin; c < end; c++) count += *c == '|';
    for (int skip = pick(story, count); skip > 0; skip--) begin = strchr(begin, '|') + 1;
    const char *stop = memchr(begin, '|', (size_t)(end - begin));
    tell_range(story, begin, stop ? stop : end);
}

static void tell_range(Story *story, const char *begin, const char *end) {
    while (begin < end) {
        const char *plain = begin;
        while (begin < end && *begin != '{' && *begin != '<') begin++;
        text_add(story->text, plain, (size_t)(begin - plain));
        if (begin == end) return;
        const bool slot = *begin == '{';
        const char *close = strchr(begin, slot ? '}' : '>');
        if (slot) {
            tell_slot(story, begin + 1, (size_t)(close - begin - 1));
        } else {
            tell_alternative(story, begin + 1, close);
        }
        begin = close + 1;
    }
}

void tell(Story *story, const char *template) {
    tell_range(story, template, template + strlen(template));
}

void tell_one_of(Story *story, const char *const *templates, int count) {
    tell(story, templates[pick(story, count)]);
}

void tell_again(Story *story, Span span) {
    char copy[256]; // text_add may move the text it would be reading from
    if (story->text->failed || span.size > sizeof copy) return;
    memcpy(copy, story->text->bytes + span.start, span.size);
    text_add(story->text, copy, span.size);
}

Span span_since(const Story *story, size_t start, size_t drop) {
    return (Span){start, story->text->size - start - drop};
}
