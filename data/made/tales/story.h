// One story of builtin:tales: its state, and the functions that tell it. The scenes of tales.txt, which scripts/tales
// translates to C when bitter is built, call these functions.
#ifndef BITTER_TALES_STORY_H
#define BITTER_TALES_STORY_H

#include "base/random.h"
#include "base/file/text.h"

enum { NAME_SIZE = 40, MOST_OF_A_KIND = 6, MOST_LEARNT = 13, MOST_SCENES = 64 };

// What stories are about. NAMES are the names of the variables T, Z, F and W.
typedef enum { NOTHING, PEOPLE, THINGS, PLACES, LISTS, PRODUCTS, SONGS, PASSWORDS, RECIPES, NAMES, KINDS } Kind;

// Words told before, by their place in the story, so that they can be told again.
typedef struct {
    unsigned short start, size;
} Span;

// Values of tales.txt.
enum { yes = true, no = false, nobody = -1, unknown = -1 };

// Somebody or something. People, places, ... are known by their index among those of the same kind.
typedef struct {
    char name[NAME_SIZE], town[NAME_SIZE];
    int woman;  // yes or no
    int due;    // brought in by the story, and not come back yet
    int trade;  // number of a word
    int kind;   // number of a word: the name of a place, the kind of a list
    int place;  // where a person is, where a thing is hidden, or where a password is asked for
    int coins;  // -1 until the story has told how many
    int owner;  // who had it when the story began, or who made it; -1 before it is made
    int holder; // who has it now; -1 when it is hidden
    int giver;  // who gave it to its holder; -1 if it was not a gift
    int hider;  // who hid it,
    int spot;   // and where in its place: number of a phrase
    int count;  // items of a list, or steps of a recipe
    int step;   // number of the recipe's step that left this product
    Span learnt[MOST_LEARNT];
} Entity;

typedef struct {
    Text *text;
    size_t start; // of the story in the text
    Random random;
    bool article, capital; // the next word gets "a" or "an" in front; a capital letter
    Entity entities[KINDS][MOST_OF_A_KIND];
    Span *learning; // what is being told, to be told again later
    int count[KINDS];
    int A, B, C, D, E, G, H, I, J, K, L, M, N, P, Q, R, S, U, V, X, Y, day; // the variables of tales.txt
} Story;

// A scene, script, question or phrase of tales.txt; returns false when the story so far does not allow it.
typedef bool Script(Story *story);

typedef struct {
    const char *name;
    int count;
    const char *const *words; // (count); NULL in a list of phrases
    Script *const *phrases;   // (count), each may be NULL; NULL in a list of words
} List;

// The part a scene plays in learning by heart. ANY_PART and WHAT_IS_DUE are only requested, no scene has them: any
// scene, or any that brings back what is due.
typedef enum { PLAIN, NEW, AGAIN, ANY_PART, WHAT_IS_DUE } Part;

typedef struct {
    Script *script;
    Part part;
    bool block;                   // has lines of its own, so nothing may follow in its paragraph
    int room;                     // bytes that must be left for it and for the return of what it brings in
    Kind back;                    // what it brings back
    const unsigned char *weights; // how often it occurs in a story of each kind
} Scene;

// --- What tales.txt contains ---

extern const Scene tales_scenes[];
extern Script *const tales_questions[];
extern const int tales_scene_count, tales_question_count;
extern const List list_story_title, list_story_setting, list_story_heading, list_story_ending;
extern const List list_number; // "three", from 0
Script script_world, script_introductions, script_whereabouts;

// --- What a story remembers ---

Entity *entity(Story *story, Kind kind, int index);

// How many of a kind are due?
int count_due(Story *story, Kind kind);

// Does another entity of the kind have the same name?
bool has_namesake(Story *story, Kind kind, int index);

// Move what the story has told from byte `start` of the text into a name.
void take_name(Story *story, char name[NAME_SIZE], size_t start);

// What is told between the first two calls is item `number` of a list, song or recipe; recite tells it again.
void begin_learning(Story *story, Entity *list, int number);
void end_learning(Story *story);
void recite(Story *story, Entity *list, int number);

// --- Chance ---

// A random number in 0..n-1; in low..high; true in n of `of` cases.
int pick(Story *story, int n);
int random_between(Story *story, int low, int high);
bool chance(Story *story, int n, int of);

// The number of a random entry of a list. Entry i of a random order of the list, which is the same throughout a story.
int any(Story *story, const List *list);
int numbered(const Story *story, const List *list, int i);

// Set *index to a random entity of the kind that passes the test (NULL: any). If none does: with `if_possible`, set it
// to any other one; otherwise leave it and return false.
typedef bool Test(Story *story, int it);
bool cast(Story *story, Kind kind, int *index, Test *passes, bool if_possible);

// --- Telling ---

void add(Story *story, const char *words);
void add_coins(Story *story, int number);
void add_spelled(Story *story, const char *name); // with hyphens between its letters
void add_backwards(Story *story, const char *name);

// Tell an entry of a list.
void tell(Story *story, const List *list, int which);

// Tell `count` different questions; the variable I is the number of the question.
void ask(Story *story, int count);

#endif
