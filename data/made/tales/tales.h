// Inside of builtin:tales: the state of one story, the sentences told from it, and the scenes that change it. The
// grammar of a story is in tales.c.
#ifndef BITTER_TALES_H
#define BITTER_TALES_H

#include "base/text.h"
#include "data/made/tales/tales_words.h"

#include <stdbool.h>

enum {
    NAME_SIZE = 32,
    MAX_PEOPLE = 5,
    MAX_THINGS = 6,
    MAX_PLACES = 5,
    MAX_LISTS = 3,
    MAX_ITEMS = 7,
    MAX_STEPS = 12,
    VERSE_LINES = 4,
    NOBODY = -1,
};

// `open` says of whatever a story brings in that it has not come back yet.
typedef struct {
    char name[NAME_SIZE], town[NAME_SIZE];
    const char *trade; // no two people of a story share one, so that "the weaver" is enough
    bool woman;
    int place; // index into Story.places
    int coins; // -1 until the story has told how many
    bool purse_open;
} Person;

typedef struct {
    char name[NAME_SIZE];
    int owner;              // who had it when the story began
    int holder;             // who has it now; NOBODY when it is hidden
    int giver;              // who gave it to its holder; NOBODY if it was not a gift
    int place, spot, hider; // where, and by whom, while it is hidden
    bool open;
} Thing;

// Something the story has said, by its place in the text: what it takes to say it again.
typedef struct {
    size_t start, size;
} Span;

typedef struct ListKind ListKind;

typedef struct {
    const ListKind *kind;
    int owner, count;
    Span items[MAX_ITEMS];
    bool open;
} List;

typedef struct {
    Text *text;
    Random random;
    char town[NAME_SIZE], teller[NAME_SIZE], friend[NAME_SIZE]; // where the story plays, who tells it, to whom
    Person people[MAX_PEOPLE];
    Thing things[MAX_THINGS];
    int places[MAX_PLACES]; // indices into tales_places
    List lists[MAX_LISTS];
    Span verse[VERSE_LINES], steps[MAX_STEPS];
    char secret[NAME_SIZE], dish[2 * NAME_SIZE];
    int people_count, thing_count, place_count, list_count, step_count;
    int singer, secret_place, cook; // NOBODY until there is a song, a password, a recipe
    bool song_open, secret_open, recipe_open;
    int day;
    int role[26];             // what the capital letters of a template stand for
    char word[2 * NAME_SIZE]; // what {W} stands for
} Story;

// Append `template` to the story: `<this|that>` is one of its alternatives, `{animal}` a random word of that list,
// `{A}` the name of whoever plays role A, and `{form A}` that role in another form; a capital form starts a sentence.
//   A..E people  {A} Mirela  {the A} the weaver  {a A} a weaver  {he A} {him A} {his A} {man A}  {town A}  {coins A}
//   X Y  things  {X} brass key  {the X}  {a X}
//   P Q  places  {P} mill  {the P}  {at P} in the mill
//   S    spots   {a S} under a flat stone  {the S} under the flat stone
//   K N M numbers {N} three  {first N} third  {coins N} three coins  {# N} 3
//   L    lists   {L} shopping list  {one L} thing
//   T W          the story's town, a word set by the scene
//   Z F          the one who tells the story, the one who reads it
void tell(Story *story, const char *template);

// One of `count` templates.
void tell_one_of(Story *story, const char *const *templates, int count);
#define TELL(story, table) tell_one_of(story, table, (int)(sizeof(table) / sizeof *(table)))

// Say again what was said.
void tell_again(Story *story, Span span);

// From `start` to the end of the text, without its last `drop` bytes.
Span span_since(const Story *story, size_t start, size_t drop);

// Roles.
void cast(Story *story, char letter, int who);
int role(const Story *story, char letter);
Person *person(Story *story, char letter);
Thing *thing(Story *story, char letter);

int pick(Story *story, int n); // 0..n-1
int between(Story *story, int low, int high);

// Index number i of a random selection without repetition from 0..n-1; `salt` tells selections apart.
int distinct(const Story *story, const char *salt, int i, int n);

// Give `letter` to a random person who has none of the roles in `besides`; false when there is nobody.
bool cast_person(Story *story, char letter, const char *besides);

// Give `letter` to a random thing that fits; false when none does.
bool cast_thing(Story *story, char letter, bool (*fits)(const Story *story, const Thing *thing));

// A scene tells a few sentences and returns true, or finds that the story so far does not allow it and returns false.
typedef bool Scene(Story *story);

Scene scene_travel, scene_give, scene_hide, scene_fetch, scene_purse, scene_spend, scene_mood;      // tales_deeds.c
Scene scene_talk, scene_remember, scene_gossip, scene_day, scene_count;                             // tales_talk.c
Scene scene_list, scene_list_again, scene_song, scene_song_again, scene_secret, scene_secret_again; // tales_recite.c
Scene scene_recipe, scene_recipe_again;                                                             // tales_recipe.c

// One sentence saying where thing X is now.
void tell_whereabouts(Story *story);

const char *list_what(const List *list); // "shopping list"
const char *list_one(const List *list);  // "thing"

#endif
