// builtin:tales, little stories in which what was said early decides what is said later.
//
//     document    = title opening paragraph... [again]... ending
//     title       = a template of the document's kind: tale, letter, inquiry, journey, kitchen, market, songbook
//     opening     = setting, then for each person: name, trade, town, place, and what he or she owns
//     paragraph   = [heading] scene [scene]
//     scene       = deed | talk | remember | gossip | day | count | new | again
//     deed        = travel | give | hide | fetch | purse | spend | mood         changes who is where and who holds what
//     talk        = meeting (question answer)... parting                        answers come from the state
//     gossip      = rumour aside;  aside = "(" clause [link aside] ")"          every second bracket is square
//     new         = list ("in this order: ...") | song | password | recipe
//     again       = list ("from first to last: ...", "from last to first: ...", "the third stop was ...")
//                 | song or one line of it | password, spelled or backwards | one step of the recipe
//     recipe      = step...;  step = number "." (ingredient | work on "the pears from step 1")
//     ending      = where the things are in the end, a closing template of the kind
//
// Which scene comes next is drawn with the weights of the kind, among those that the length aimed at leaves room for;
// the words come from templates (see tell() in tales.h) and the lists of tales_words.c. Names are composed of
// syllables. What a story brings in to be learnt (a list, a song, a password, a recipe, a purse, a thing somebody owns)
// is open until it comes back; room for that is kept, and what is still open when the rest is used up comes back then.
// A document is 200 to 4000 bytes long, log-uniformly aimed at; the shortest have one person and neither setting nor
// closing.
#include "data/made/builtin.h"
#include "data/made/tales/tales.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum {
    SMALLEST = 200,
    LARGEST_AIM = 3700,
    LARGEST = 4000,
    TINY_AIM = 250,    // below it a document may end with its only scene
    WHOLE_AIM = 330,   // from here on a document has a setting and a closing,
    PEOPLE_AIM = 430,  // more than one person,
    LONG_AIM = 900,    // chapters, something new at the beginning, and something said again at the end
    AGAIN_ROOM = 170,  // what it typically takes, and at most twice that: to say any one thing again,
    CLOSING_ROOM = 60, // the closing template,
    THING_ROOM = 60,   // to say where a thing is
    FIRST_ROOM = 140,  // of the one scene that every document has
    SCENES_PER_CHAPTER = 4,
};

typedef struct {
    const char *title, *setting, *heading, *ending; // no heading: no chapters
} DocumentKind;

static const DocumentKind kinds[] = {
    // tale
    {"<The tale of {A} and {the X}|{The X} of {T}|{A} and {the X}>",
     "<Once upon a time|Long ago|Many years ago|In the time of our grandmothers>, <there was no quieter town "
     "than|nobody had heard of|every road led to> {T}.<| So {Z} tells it.>",
     NULL, "<And that is the end.|There the tale ends, says {Z}.|{Z} of {T} told it, and it is true.>"},
    // letter
    {"<A letter|News|A report> from {T}",
     "My dear {F}, you asked <for news of|what had happened in|about> {T}. It is {weather} here<| and I am {feeling}>.",
     NULL, "<Write soon, dear|Do not forget me, dear|All my love to you,> {F}.\n\nYour {Z}"},
    // inquiry
    {"The inquiry <at|of> {T}: {the X}",
     "The judge, {Z}, <opened|began> the inquiry in {T}. \"Who knows anything of {the X}?\"", "Part {# K}",
     "{Z} closed the book. <The inquiry was over.|Nobody was punished.>"},
    // journey
    {"<A journey|Travels> from {T}, by {Z}", "A small company set out from {T}<|, and it was {weather}>.",
     "Chapter {# K}", "Here the travels of {Z} end, far from {T}."},
    // kitchen
    {"The kitchen book of {T}", "<Good food|Supper|The kitchen> was never far from anybody's mind in {T}.", NULL,
     "<Then they sat down to eat.|The table was cleared, and {Z} put out the lamp.>"},
    // market
    {"Market day in {T}", "<It was market day|The market opened early> in {T}, and it was {weather}.", NULL,
     "<The market closed.|{Z} rang the bell, and the stalls of {T} were packed away.>"},
    // songbook
    {"The songs of {T}", "In {T} everybody sings<|, even when it is {weather}|, and {Z} wrote it all down>.",
     "Song {# K}", "So ends the songbook of {T}, which {Z} copied out by hand."},
};

static int open_lists(const Story *story) {
    int count = 0;
    for (int i = 0; i < story->list_count; i++) count += story->lists[i].open;
    return count;
}

static int open_song(const Story *story) {
    return story->song_open;
}

static int open_secret(const Story *story) {
    return story->secret_open;
}

static int open_recipe(const Story *story) {
    return story->recipe_open;
}

static int open_purses(const Story *story) {
    int count = 0;
    for (int i = 0; i < story->people_count; i++) count += story->people[i].purse_open;
    return count;
}

static int open_things(const Story *story) {
    int count = 0;
    for (int i = 0; i < story->thing_count; i++) count += story->things[i].open;
    return count;
}

// The part a scene plays in learning by heart. OPEN is asked for, never had: whatever brings back what is still open.
typedef enum { PLAIN, NEW, AGAIN, ANY, OPEN } Part;

typedef struct {
    Scene *scene;
    Part part;
    bool block;                          // has lines of its own, so that nothing may follow in its paragraph
    short room;                          // bytes that must be left for it, and for what it brings in to come back
    int (*open)(const Story *);          // how many things are open that it brings back
    unsigned char weights[COUNT(kinds)]; // how often it comes in a document of each kind
} SceneKind;

// One row per scene and one column per kind of document. Scenes without consequences wait for a story with much room.
// clang-format off
static const SceneKind scenes[] = {
    //                                  room  brings back    tale letter inquiry journey kitchen market songs
    {scene_travel,       PLAIN, false,  110, NULL,        {  8,     6,      5,     16,      5,     6,    6}},
    {scene_give,         PLAIN, false,  130, NULL,        {  8,     6,      5,      6,      4,     8,    5}},
    {scene_hide,         PLAIN, false,  130, NULL,        {  8,     6,      7,      5,      4,     3,    5}},
    {scene_fetch,        PLAIN, false,  110, NULL,        { 12,    10,      9,      8,      6,     7,    8}},
    {scene_purse,        PLAIN, false,  170, NULL,        {  3,     4,      4,      3,      2,     9,    2}},
    {scene_spend,        PLAIN, false,  100, open_purses, {  5,     6,      5,      4,      4,    14,    3}},
    {scene_mood,         PLAIN, false,  600, NULL,        {  4,     5,      2,      4,      3,     3,    5}},
    {scene_talk,         PLAIN, true,   320, NULL,        {  7,     5,     16,      5,      5,     5,    4}},
    {scene_remember,     PLAIN, false,   80, NULL,        {  5,     5,      6,      4,      3,     3,    4}},
    {scene_gossip,       PLAIN, false,  200, NULL,        {  4,     7,      8,      4,      3,     3,    5}},
    {scene_day,          PLAIN, false,  600, NULL,        {  3,     4,      3,      6,      2,     2,    3}},
    {scene_count,        PLAIN, false,  600, NULL,        {  2,     3,      1,      3,      4,     7,    2}},
    {scene_list,         NEW,   false,  330, NULL,        {  4,     4,      3,      7,      4,     8,    4}},
    {scene_list_again,   AGAIN, false,  170, open_lists,  {  7,     8,      6,     12,      8,    12,    7}},
    {scene_song,         NEW,   true,   400, NULL,        {  2,     2,      1,      2,      1,     2,   14}},
    {scene_song_again,   AGAIN, true,   160, open_song,   {  5,     5,      2,      5,      3,     4,   20}},
    {scene_secret,       NEW,   false,  220, NULL,        {  2,     2,      3,      3,      1,     1,    5}},
    {scene_secret_again, AGAIN, false,  120, open_secret, {  5,     4,      6,      6,      3,     2,    9}},
    {scene_recipe,       NEW,   true,   700, NULL,        {  1,     1,      1,      1,     12,     1,    1}},
    {scene_recipe_again, AGAIN, false,  120, open_recipe, {  2,     3,      1,      3,     16,     2,    2}},
};
// clang-format on

static bool name_taken(const Story *story, const char *name) {
    for (int i = 0; i < story->people_count; i++) {
        if (strcmp(story->people[i].name, name) == 0) return true;
    }
    return false;
}

static void invent_person(Story *story) {
    const int i = story->people_count;
    Person new_person = {.woman = pick(story, 2), .place = pick(story, story->place_count), .coins = -1};
    do {
        words_person(new_person.name, NAME_SIZE, new_person.woman, &story->random);
    } while (name_taken(story, new_person.name));
    words_town(new_person.town, NAME_SIZE, &story->random);
    const WordList *trades = words_find("trade", strlen("trade"));
    new_person.trade = trades->words[distinct(story, "trade", i, trades->count)];
    story->people[story->people_count++] = new_person;
}

static void invent_thing(Story *story) {
    const int i = story->thing_count++;
    const int owner = i < story->people_count ? i : pick(story, story->people_count);
    Thing *new_thing = &story->things[i];
    *new_thing = (Thing){.owner = owner, .holder = owner, .giver = NOBODY};
    const WordList *nouns = words_find("noun", strlen("noun"));
    snprintf(new_thing->name, NAME_SIZE, "%s %s", words_pick("material", &story->random),
             nouns->words[distinct(story, "noun", i, nouns->count)]);
}

// The longer the story, the more people, things and places.
static void invent(Story *story, int aim) {
    const int larger = (aim > 700) + (aim > 1400) + (aim > 2400);
    story->day = 1;
    story->singer = story->secret_place = story->cook = NOBODY;
    words_town(story->town, NAME_SIZE, &story->random);
    words_person(story->teller, NAME_SIZE, pick(story, 2), &story->random);
    words_person(story->friend, NAME_SIZE, pick(story, 2), &story->random);
    story->place_count = 2 + larger;
    for (int i = 0; i < story->place_count; i++) story->places[i] = distinct(story, "place", i, tales_places.count);
    const int people = aim < PEOPLE_AIM ? 1 : 2 + larger;
    for (int i = 0; i < people; i++) invent_person(story);
    for (int i = aim < PEOPLE_AIM ? people : 1 + pick(story, 2); i <= people; i++) invent_thing(story);
}

static const char *const introductions[] = {
    "{A} was {a A} from {town A} who <lived|worked> {at P}.",
    "There was {a A} called {A}, who came from {town A} and was {at P} that day.",
    "{The A}, {A} from {town A}, <was waiting|lived> {at P}.",
    "{At P} lived {A}, {a A} from {town A}.",
    "{A}, {a A}, had come from {town A} <last year|as a child|in search of work> and was {at P}.",
    "Years ago {a A} called {A} had left {town A}, and now {he A} <lived|slept|worked> {at P}.",
    "If you had gone to {the P}, you would have met {A} from {town A}, {a A} and {a feeling} {man A}.",
    "{Town A} is the home of {A}, {the A}, a {man A} who could be found {at P}.",
};

static const char *const belongings[] = {
    " {He A} owned {a X}<|, made in {town A}>.",
    " {His A} <greatest|only|dearest> treasure was {a X}.",
    " Wherever {he A} went, {he A} took {a X} along.",
    " {He A} had <won|found|inherited> {a X}.",
    " People knew {him A} by {his A} {X}.",
    " {He A} never slept without {a X} by {his A} side.",
    " In {his A} <bag|basket|coat> {he A} carried {a X}.",
};

static void introduce(Story *story, int who) {
    cast(story, 'A', who);
    cast(story, 'P', person(story, 'A')->place);
    TELL(story, introductions);
    bool more = false;
    for (int i = 0; i < story->thing_count; i++) {
        if (story->things[i].owner != who) continue;
        cast(story, 'X', i);
        if (more) {
            tell(story, " {He A} also had {a X}.");
        } else {
            TELL(story, belongings);
        }
        story->things[i].open = true;
        more = true;
    }
}

static void tell_opening(Story *story, const DocumentKind *kind, int aim) {
    cast(story, 'A', 0);
    cast(story, 'X', 0);
    tell(story, kind->title);
    if (aim >= WHOLE_AIM) {
        tell(story, "\n\n");
        tell(story, kind->setting);
    }
    tell(story, "\n\n");
    for (int who = 0; who < story->people_count; who++) {
        if (who > 0) tell(story, pick(story, 3) ? " " : "\n\n");
        introduce(story, who);
    }
}

// How many things the ending speaks of.
static int ending_things(const Story *story, int aim) {
    const int open = open_things(story), least = aim < TINY_AIM ? 0 : aim < LONG_AIM ? 1 : 3;
    const int wanted = open > least ? open : least;
    return wanted < story->thing_count ? wanted : story->thing_count;
}

// Room to keep for what must still come.
static int reserve(const Story *story, int aim) {
    int room = ending_things(story, aim) * THING_ROOM;
    if (aim >= WHOLE_AIM) room += CLOSING_ROOM;
    if (aim >= LONG_AIM) room += AGAIN_ROOM;
    for (int i = 0; i < COUNT(scenes); i++)
        if (scenes[i].open) room += scenes[i].open(story) * scenes[i].room;
    return room;
}

// What scenes are drawn by: the part they must play, the room there is, and those of which the story has shown that it
// does not allow them (one bit each).
typedef struct {
    int kind;
    Part part;
    int room;
    unsigned long refused;
} Choice;

static int weight(const Story *story, const Choice *choice, int index) {
    const SceneKind *scene = &scenes[index];
    const bool open = scene->open && scene->open(story) > 0;
    const Part part = choice->part;
    if (choice->refused >> index & 1 || (part == OPEN && !open)) return 0;
    if ((part == NEW || part == AGAIN) && part != scene->part) return 0;
    // The room of what is open has been kept.
    return open || scene->room <= choice->room ? scene->weights[choice->kind] : 0;
}

// The index of a scene, or -1 when there is none.
static int choose_scene(Story *story, const Choice *choice) {
    int weights[COUNT(scenes)], total = 0;
    for (int i = 0; i < COUNT(scenes); i++) total += weights[i] = weight(story, choice, i);
    if (total == 0) return -1;
    int chosen = 0;
    for (int rest = pick(story, total); rest >= weights[chosen]; chosen++) rest -= weights[chosen];
    return chosen;
}

// Tell a scene; false when none is possible. `chapter` numbers a chapter that it begins, 0 for none; *block is whether
// the scene before was a block, then whether this one is.
static bool tell_scene(Story *story, Choice choice, int chapter, bool *block) {
    const size_t before = story->text->size;
    if (chapter > 0) {
        cast(story, 'K', chapter);
        tell(story, "\n\n");
        tell(story, kinds[choice.kind].heading);
    }
    const size_t start = story->text->size;
    for (int index; (index = choose_scene(story, &choice)) >= 0; choice.refused |= 1ul << index) {
        const SceneKind *chosen = &scenes[index];
        const bool joined = chapter == 0 && !*block && !chosen->block && pick(story, 2);
        tell(story, joined ? " " : "\n\n");
        if (chosen->scene(story)) {
            *block = chosen->block;
            return true;
        }
        story->text->size = start;
    }
    story->text->size = before;
    return false;
}

// Scenes until the length aimed at, less what is still to come, is reached; returns whether the last was a block.
static bool tell_scenes(Story *story, size_t start, int kind, int aim) {
    bool block = true;
    for (int i = 0;; i++) {
        const int size = (int)(story->text->size - start);
        Choice choice = {
            .kind = kind, .part = i == 0 && aim >= LONG_AIM ? NEW : ANY, .room = aim - size - reserve(story, aim)};
        if (choice.room < FIRST_ROOM && (i == 0 || size < SMALLEST)) choice.room = FIRST_ROOM;
        const bool chapters = kinds[kind].heading && aim >= LONG_AIM && i % SCENES_PER_CHAPTER == 0;
        const Story before = *story;
        const size_t end = story->text->size;
        if (!tell_scene(story, choice, chapters ? i / SCENES_PER_CHAPTER + 1 : 0, &block)) return block;
        if (story->text->size - start + 2 * (size_t)reserve(story, aim) <= LARGEST) continue;
        *story = before; // this scene would be too much: as if it had not been
        story->text->size = end;
        return true;
    }
}

static void tell_ending(Story *story, const DocumentKind *kind, int aim) {
    const int wanted = ending_things(story, aim), first = pick(story, story->thing_count);
    bool told[MAX_THINGS] = {false};
    for (int count = 0, round = 0; round < 2; round++) { // first what is open, then others
        for (int i = 0; i < story->thing_count && count < wanted; i++) {
            const int which = (first + i) % story->thing_count;
            if (told[which] || (round == 0 && !story->things[which].open)) continue;
            cast(story, 'X', which);
            tell(story, count++ > 0 ? " " : "\n\n");
            tell_whereabouts(story);
            told[which] = true;
        }
    }
    if (aim >= WHOLE_AIM) {
        tell(story, "\n\n");
        tell(story, kind->ending);
    }
    tell(story, "\n");
}

// ratio^exponent for an exponent in [0, 1): the root of each of its bits. Square roots, unlike pow(), are the same on
// every machine.
static double power(double ratio, double exponent) {
    double product = 1;
    for (int bit = 0; bit < 16; bit++) {
        ratio = sqrt(ratio);
        exponent *= 2;
        if (exponent < 1) continue;
        exponent -= 1;
        product *= ratio;
    }
    return product;
}

static void tales_document(Text *text, const BuiltinCorpus *corpus, uint64_t index) {
    const size_t start = text->size;
    const uint64_t key = random_key((uint64_t)corpus->seed, "tales");
    Story story = {.text = text, .random = {random_bits(key, index), 0}};
    const int aim = (int)(SMALLEST * power((double)LARGEST_AIM / SMALLEST, random_next(&story.random)));
    const int kind = pick(&story, COUNT(kinds));
    invent(&story, aim);
    tell_opening(&story, &kinds[kind], aim);
    bool block = tell_scenes(&story, start, kind, aim);
    while (tell_scene(&story, (Choice){.kind = kind, .part = OPEN}, 0, &block)) continue;
    if (aim >= LONG_AIM) tell_scene(&story, (Choice){.kind = kind, .part = AGAIN, .room = AGAIN_ROOM}, 0, &block);
    tell_ending(&story, &kinds[kind], aim);
}

const Builtin builtin_tales = {
    .name = "tales",
    .help = "little stories in which what was said early decides what is said later",
    .document = tales_document,
};
