#include "data/made/tales/story.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { SLOT_SIZE = 5 }; // characters between the braces, see tables.h

// --- What a story remembers ---

// Where the entities of each kind begin.
static const int first_entity[KINDS + 1] = {
    [PEOPLE] = 0, [THINGS] = 5,     [PLACES] = 11,  [LISTS] = 16, [PRODUCTS] = 19,
    [SONGS] = 23, [PASSWORDS] = 24, [RECIPES] = 25, [WORDS] = 26, [KINDS] = ENTITIES};

static Entity *entity_of(Story *story, Kind kind, int index) {
    assert(kind < KINDS && index >= 0 && first_entity[kind] + index < first_entity[kind + 1]);
    return &story->entities[first_entity[kind] + index];
}

static Entity *entity(Story *story, int role) {
    return entity_of(story, tales_kinds[role], story->role[role]);
}

static int *variable(Story *story, Operand operand) {
    if (operand.where == ROLE) return &story->role[operand.of];
    if (operand.where == HOW_MANY) return &story->count[operand.of];
    assert(operand.where < ATTRIBUTES);
    return &entity(story, operand.of)->value[operand.where];
}

static int value(Story *story, Operand operand) {
    return operand.where == LITERAL ? operand.of : *variable(story, operand);
}

bool is_due(Story *story, Kind kind, int index) {
    return entity_of(story, kind, index)->value[DUE];
}

int count_due(Story *story, Kind kind) {
    int due = 0;
    for (int i = 0; i < story->count[kind]; i++) due += is_due(story, kind, i);
    return due;
}

int pick(Story *story, int n) {
    return random_below(&story->random, n);
}

// --- Phrases ---

static void add(Story *story, const char *word) {
    text_add(story->text, word, strlen(word));
}

static void add_article(Story *story, char form, const char *noun) {
    if (form == 't') add(story, "the ");
    if (form == 'a') add(story, strchr("aeiou", noun[0]) ? "an " : "a ");
}

static int pick_phrase(Story *story, const Phrases *phrases) {
    return phrases->count > 1 ? pick(story, phrases->count) : 0;
}

static void tell_phrase(Story *story, const Phrases *phrases, int which) {
    (phrases->plain ? add : tell)(story, phrases->phrases[which]);
}

static const char *phrase_number(const Phrases *phrases, int number) {
    assert(number >= 0 && number < phrases->count);
    return phrases->phrases[number];
}

static void add_number(Story *story, char form, int number) {
    if (form == '#') {
        text_print(story->text, "%d", number);
    } else {
        add(story, phrase_number(form == 'f' ? &phrases_ordinal : &phrases_number, number));
    }
    if (form == 'c') add(story, number == 1 ? " coin" : " coins");
}

// A name as it is, with hyphens between its letters, or backwards.
static void add_name(Story *story, char form, const char *name) {
    const size_t length = strlen(name);
    if (form != 'l' && form != 'r') add(story, name);
    for (size_t i = 0; form == 'l' && i < length; i++) text_print(story->text, i ? "-%c" : "%c", name[i]);
    for (size_t i = length; form == 'r' && i > 0; i--) text_add(story->text, &name[i - 1], 1);
}

// What a role stands for.
static void add_role(Story *story, char form, int role) {
    static const char *const pronouns[][2] = {
        ['h'] = {"he", "she"}, ['m'] = {"him", "her"}, ['s'] = {"his", "her"}, ['w'] = {"man", "woman"}};
    if (tales_kinds[role] == NUMBERS) {
        add_number(story, form, story->role[role]);
        return;
    }
    Entity *whom = entity(story, role);
    switch (form) {
    case 'h':
    case 'm':
    case 's':
    case 'w':
        add(story, pronouns[(unsigned char)form][whom->value[WOMAN]]);
        break;
    case 'o':
        add(story, whom->town);
        break;
    case 'c':
        add_number(story, form, whom->value[COINS]);
        break;
    case 'p':
        add_number(story, '#', whom->value[STEP]);
        break;
    default:
        add_article(story, form, whom->name);
        add_name(story, form, whom->name);
        if (tales_kinds[role] == THINGS) whom->value[DUE] = false;
    }
}

// What a script tells, or a phrase of a list: a random one, number N, or the one that is the kind of A.
static void tell_named(Story *story, const char *slot, int role) {
    const Slot *named = &tales_slots[(slot[3] - '0') * 10 + slot[4] - '0'];
    if (named->script) {
        run(story, named->script);
        return;
    }
    const int which = slot[2] == '-'                 ? pick_phrase(story, named->phrases)
                      : tales_kinds[role] == NUMBERS ? story->role[role]
                                                     : entity(story, role)->value[KIND];
    add_article(story, slot[1], phrase_number(named->phrases, which));
    tell_phrase(story, named->phrases, which);
}

static void tell_slot(Story *story, const char slot[SLOT_SIZE]) {
    const size_t start = story->text->size;
    const int role = slot[2] >= 'a' ? slot[2] - 'a' + ROLE_SONG : slot[2] - 'A';
    if (slot[3] == '-') {
        add_role(story, slot[1], role);
    } else {
        tell_named(story, slot, role);
    }
    if (slot[0] == '^' && story->text->size > start) {
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
        if (*begin == '{') {
            tell_slot(story, begin + 1);
            begin += SLOT_SIZE + 2;
        } else {
            const char *close = strchr(begin, '>');
            tell_alternative(story, begin + 1, close);
            begin = close + 1;
        }
    }
}

void tell(Story *story, const char *phrase) {
    tell_range(story, phrase, phrase + strlen(phrase));
}

// --- Scripts ---

// Entry number i of a random order of 0..n-1; each list of phrases has one of its own.
static int numbered(const Story *story, const Phrases *phrases, int i) {
    const uint64_t key = random_key(story->random.key, phrases->name);
    return (int)random_permute((uint64_t)i, (uint64_t)phrases->count, key);
}

static int new_value(Story *story, const Step *step) {
    switch (step->how) {
    case ANY:
        return pick_phrase(story, step->phrases);
    case NUMBER:
        return numbered(story, step->phrases, value(story, step->low));
    case RANDOM: {
        const int low = value(story, step->low);
        return low + pick(story, value(story, step->high) - low + 1);
    }
    default:
        return value(story, step->low);
    }
}

static bool passes(Story *story, Kind kind, int candidate, const Step *tests) {
    for (const Step *test = tests; test->op == TEST; test++) {
        const Where where = test->low.where;
        const int found = where == SELF ? candidate : entity_of(story, kind, candidate)->value[where];
        if ((found == value(story, test->high)) != (test->how == IS)) return false;
    }
    return true;
}

// Give a role to a random one of its kind that passes the tests behind; false when none does.
static bool cast(Story *story, const Step *step) {
    const Kind kind = tales_kinds[step->to.of];
    const int count = story->count[kind], first = pick(story, count);
    for (int i = 0; i < count; i++) {
        const int candidate = (first + i) % count;
        if (!passes(story, kind, candidate, step + 1)) continue;
        story->role[step->to.of] = candidate;
        return true;
    }
    if (step->how == RATHER) story->role[step->to.of] = first;
    return step->how == RATHER;
}

static bool holds(Story *story, const Step *step) {
    switch (step->op) {
    case IS:
        return value(story, step->low) == value(story, step->high);
    case IS_NOT:
        return value(story, step->low) != value(story, step->high);
    case IS_OVER:
        return value(story, step->low) > value(story, step->high);
    case IS_UNDER:
        return value(story, step->low) < value(story, step->high);
    case CHANCE:
        return pick(story, step->high.of) >= step->high.of - step->low.of;
    case CAST:
        return cast(story, step);
    default:
        return false;
    }
}

static int calculated(Op op, int left, int right) {
    switch (op) {
    case ADD:
        return left + right;
    case SUBTRACT:
        return left - right;
    case MULTIPLY:
        return left * right;
    case MODULO:
        return left % right;
    default:
        return right;
    }
}

// The name is told, taken from the text, and told anew as long as another of its kind has it but must not.
static void call(Story *story, const Step *step) {
    const Kind kind = tales_kinds[step->to.of];
    Entity *whom = entity(story, step->to.of);
    char *name = step->to.where == TOWN ? whom->town : whom->name;
    bool taken;
    do {
        const size_t start = story->text->size;
        tell_phrase(story, step->phrases, pick_phrase(story, step->phrases));
        const size_t size = story->text->size - start;
        assert(size < NAME_SIZE);
        if (size > 0) memcpy(name, story->text->bytes + start, size);
        name[size] = '\0';
        story->text->size = start;
        taken = false;
        for (int i = 0; i < story->count[kind]; i++) {
            const Entity *other = entity_of(story, kind, i);
            taken |= other != whom && strcmp(other->name, name) == 0;
        }
    } while (taken && step->how == UNIQUE && !story->text->failed);
}

// I counts the questions. It ends, because tales.txt has enough questions that are always possible.
static void ask(Story *story, int count) {
    uint32_t asked = 0;
    for (int i = 0; i < count; i++) {
        story->role['I' - 'A'] = i;
        int which;
        do {
            which = pick(story, tales_question_count);
        } while (asked >> which & 1 || !run(story, tales_questions[which]));
        asked |= UINT32_C(1) << which;
    }
}

static void recite(Story *story, const Span *span) {
    // With its room reserved, the text does not move while it is read.
    if (text_reserve(story->text, span->size)) text_add(story->text, story->text->bytes + span->start, span->size);
}

static Span *shelf(Story *story, const Step *step) {
    const int row = value(story, step->low), column = value(story, step->high);
    assert(row >= 0 && row < SHELVES && column >= 0 && column < SHELF_SIZE);
    return &story->learnt[row][column];
}

// Carry out a step that is no condition; false when it is another script that is not possible.
static bool act(Story *story, const Step *step, Span **learning) {
    switch (step->op) {
    case TEST: // belongs to the CAST before
        break;
    case TELL:
        tell_phrase(story, step->phrases, pick_phrase(story, step->phrases));
        break;
    case CALL:
        call(story, step);
        break;
    case LEARN:
        *learning = shelf(story, step);
        (*learning)->start = story->text->size;
        break;
    case LEARNT:
        assert(*learning);
        (*learning)->size = story->text->size - (*learning)->start;
        break;
    case RECITE:
        recite(story, shelf(story, step));
        break;
    case DO:
        return run(story, step->script);
    case ASK:
        ask(story, value(story, step->low));
        break;
    default: {
        const int right = new_value(story, step);
        int *to = variable(story, step->to);
        *to = calculated(step->op, *to, right);
    }
    }
    return true;
}

bool run(Story *story, const Step *script) {
    Span *learning = NULL; // what is being told, to be recited later
    for (const Step *step = script; step->op != END;) {
        const bool on = step->op <= LAST_CONDITION ? holds(story, step) : act(story, step, &learning);
        if (!on && (step->op > LAST_CONDITION || step->skip == REFUSE)) return false;
        step = on ? step + 1 : script + step->skip;
    }
    return true;
}
