// What tales.txt becomes when bitter is built: lists of phrases, and scripts, the statements of its scenes.
// scripts/tales.sh writes these tables.
#ifndef BITTER_TALES_TABLES_H
#define BITTER_TALES_TABLES_H

#include <stdbool.h>

// Words or phrases. In a phrase `<this|that>` is one of its alternatives, and `{^tA07}` a slot of five characters: ^
// for a capital; the form; whose (a role, - for nobody's); the number of an entry of tales_slots, or -- for none.
// Forms: - name, t the, a a, h he, m him, s his, w man, o town, c coins, f first, # digits, l spelled, r backwards, p
// step.
typedef struct {
    const char *name;
    const char *const *phrases; // (count)
    int count;
    bool plain; // none of them has alternatives or slots
} Phrases;

// What stories speak of.
typedef enum {
    PEOPLE,
    THINGS,
    PLACES,
    LISTS,
    PRODUCTS,
    SONGS,
    PASSWORDS,
    RECIPES,
    WORDS,
    KINDS,
    NUMBERS = KINDS,
    SPOTS = KINDS,
} Kind;

// What a letter of a script stands for at the moment: the index of one of its kind, or a number. 'A'..'Z' are 0..25.
enum { ROLE_SONG = 26, ROLE_PASSWORD, ROLE_RECIPE, ROLE_DAY, ROLES, NOTHING_BACK = ROLES };

// Where a value is: in one of the things that stories remember of the role `of`, or somewhere else.
typedef enum {
    WOMAN,  // yes or no
    PLACE,  // index of a place of the story
    COINS,  // -1 until the story has told how many
    DUE,    // what the story has brought in has not come back yet
    OWNER,  // who had it when the story began, or who made it
    HOLDER, // who has it now; -1 when it is hidden
    GIVER,  // who gave it to its holder; -1 if it was not a gift
    SPOT,   // where in its place it is hidden, and who hid it there
    HIDER,
    KIND, // of a list, and which phrase of `trade` a person's trade is, of `place` a place's name
    COUNT,
    STEP,
    ATTRIBUTES,
    LITERAL = ATTRIBUTES, // `of` itself
    ROLE,                 // what the role `of` stands for
    HOW_MANY,             // there are of the kind `of`
    SELF,                 // the index of the one that a TEST looks at
    NAME,                 // not numbers: the name and the town of the role `of`
    TOWN,
} Where;

// Small types keep the scripts in the processor's cache.
typedef struct {
    unsigned char where; // a Where
    short of;
} Operand;

typedef enum {
    // Conditions: when false, go on at `skip`.
    IS, // low and high
    IS_NOT,
    IS_OVER,
    IS_UNDER,
    CHANCE, // low in high
    CAST,   // the role `to` becomes a random one of its kind that passes the TEST steps behind
    JUMP,   // always to `skip`
    LAST_CONDITION = JUMP,
    TEST, // its value low, of the candidate, `how` (IS, IS_NOT) high
    // to = (+= -= *= %=) a value, which `how` says how to find
    SET,
    ADD,
    SUBTRACT,
    MULTIPLY,
    MODULO,
    // Text.
    TELL,  // one of the phrases
    CALL,  // `to` gets one of the phrases as its name or town
    LEARN, // keep what is told up to LEARNT, on shelf low as number high
    LEARNT,
    RECITE, // say again what was learnt
    DO,     // another script
    ASK,    // low different questions
    END,
} Op;

typedef enum { VALUE, RANDOM, ANY, NUMBER, UNIQUE, RATHER } How;

enum {
    REFUSE = -1, // as `skip`: the script is not possible
    SHELF_SONG = 3,
    SHELF_RECIPE,
    SHELVES, // shelves 0, 1, 2 are those of the lists
    SHELF_SIZE = 13,
};

typedef struct Step Step;
struct Step {
    unsigned char op;  // an Op
    unsigned char how; // VALUE low, RANDOM from low to high, ANY index of the phrases, NUMBER low of the phrases in a
                       // random order; UNIQUE name; RATHER one that passes the tests, but any other if none does; of a
                       // TEST, an Op
    short skip;        // number of a step of the same script
    Operand to, low, high;
    const Phrases *phrases;
    const Step *script;
};

// What stands in braces: a list or a script.
typedef struct {
    const Phrases *phrases;
    const Step *script;
} Slot;

// The part a scene plays in learning by heart. ANY_PART and WHAT_IS_DUE are asked for, never had: whatever brings back
// what is due.
typedef enum { PLAIN, NEW, AGAIN, ANY_PART, WHAT_IS_DUE } Part;

typedef struct {
    const Step *script;
    Part part;
    bool block;                   // has lines of its own, so that nothing may follow in its paragraph
    int room;                     // bytes that must be left for it, and for what it brings in to come back
    int back;                     // a role of the kind that it brings back, or NOTHING_BACK
    const unsigned char *weights; // how often it comes in a story of each kind
} Scene;

extern const Kind tales_kinds[ROLES]; // what each role stands for
extern const Slot tales_slots[];
extern const Scene tales_scenes[];
extern const Step *const tales_questions[];
extern const int tales_scene_count, tales_question_count;
extern const Step script_world[], script_introductions[], script_whereabouts[];

extern const Phrases phrases_number, phrases_ordinal; // "three", "third", from 0
extern const Phrases phrases_material, phrases_noun;
extern const Phrases phrases_story_title, phrases_story_setting, phrases_story_heading, phrases_story_ending;

#endif
