// builtin:tales, little stories in which what was said early decides what is said later.
//
//     document    = title opening paragraph... ending
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
// Which scene comes next is drawn with the weights of the kind; the words come from templates (see tell() in tales.h)
// and the lists of tales_words.c. Names are composed of syllables. A document is 200 to 4000 bytes long, log-uniformly
// aimed at.
#include "data/tales.h"
#include "data/builtin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum {
    SMALLEST_AIM = 200,
    LARGEST_AIM = 3700,
    LARGEST = 4000,
    ENDING_ROOM = 850, // more than the longest scene that says something again and the longest ending
    LONG_AIM = 900,    // from here on a document begins with something new and ends with saying it again
    SCENES_PER_CHAPTER = 4,
};

typedef struct {
    const char *title, *setting, *heading, *ending; // no heading: no chapters
} DocumentKind;

static const DocumentKind kinds[] = {
    // tale
    {"<The tale of {A} and {the X}|{The X} of {T}|{A}, {B}, and {the X}>",
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

// The part a scene plays in learning by heart.
typedef enum { PLAIN, NEW, AGAIN, ANY } Part;

typedef struct {
    Scene *scene;
    Part part;
    bool block;                          // has lines of its own, so that nothing may follow in its paragraph
    unsigned char weights[COUNT(kinds)]; // how often it comes in a document of each kind
} SceneKind;

// One row per scene and one column per kind of document.
// clang-format off
static const SceneKind scenes[] = {
    //                                 tale letter inquiry journey kitchen market songs
    {scene_travel,       PLAIN, false, {  8,     6,      5,     16,      5,     6,    6}},
    {scene_give,         PLAIN, false, {  8,     6,      5,      6,      4,     8,    5}},
    {scene_hide,         PLAIN, false, {  8,     6,      7,      5,      4,     3,    5}},
    {scene_fetch,        PLAIN, false, { 12,    10,      9,      8,      6,     7,    8}},
    {scene_purse,        PLAIN, false, {  3,     4,      4,      3,      2,     9,    2}},
    {scene_spend,        PLAIN, false, {  5,     6,      5,      4,      4,    14,    3}},
    {scene_mood,         PLAIN, false, {  4,     5,      2,      4,      3,     3,    5}},
    {scene_talk,         PLAIN, true,  {  7,     5,     16,      5,      5,     5,    4}},
    {scene_remember,     PLAIN, false, {  5,     5,      6,      4,      3,     3,    4}},
    {scene_gossip,       PLAIN, false, {  4,     7,      8,      4,      3,     3,    5}},
    {scene_day,          PLAIN, false, {  3,     4,      3,      6,      2,     2,    3}},
    {scene_count,        PLAIN, false, {  2,     3,      1,      3,      4,     7,    2}},
    {scene_list,         NEW,   false, {  4,     4,      3,      7,      4,     8,    4}},
    {scene_list_again,   AGAIN, false, {  7,     8,      6,     12,      8,    12,    7}},
    {scene_song,         NEW,   true,  {  2,     2,      1,      2,      1,     2,   14}},
    {scene_song_again,   AGAIN, true,  {  5,     5,      2,      5,      3,     4,   20}},
    {scene_secret,       NEW,   false, {  2,     2,      3,      3,      1,     1,    5}},
    {scene_secret_again, AGAIN, false, {  5,     4,      6,      6,      3,     2,    9}},
    {scene_recipe,       NEW,   true,  {  1,     1,      1,      1,     12,     1,    1}},
    {scene_recipe_again, AGAIN, false, {  2,     3,      1,      3,     16,     2,    2}},
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
static void invent(Story *story, double aim) {
    const int larger = (aim > 700) + (aim > 1400) + (aim > 2400);
    story->day = 1;
    story->singer = story->secret_place = story->cook = NOBODY;
    words_town(story->town, NAME_SIZE, &story->random);
    words_person(story->teller, NAME_SIZE, pick(story, 2), &story->random);
    words_person(story->friend, NAME_SIZE, pick(story, 2), &story->random);
    story->place_count = 2 + larger;
    for (int i = 0; i < story->place_count; i++) story->places[i] = distinct(story, "place", i, tales_places.count);
    for (int i = 0; i < 2 + larger; i++) invent_person(story);
    for (int i = pick(story, 2); i < 2 + larger; i++) invent_thing(story);
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
        more = true;
    }
}

static void tell_opening(Story *story, const DocumentKind *kind) {
    cast(story, 'A', 0);
    cast(story, 'B', 1);
    cast(story, 'X', 0);
    tell(story, kind->title);
    tell(story, "\n\n");
    tell(story, kind->setting);
    tell(story, "\n\n");
    for (int who = 0; who < story->people_count; who++) {
        if (who > 0) tell(story, pick(story, 3) ? " " : "\n\n");
        introduce(story, who);
    }
}

static int weight(const SceneKind *scene, int kind, Part part) {
    return part == ANY || part == scene->part ? scene->weights[kind] : 0;
}

static const SceneKind *choose_scene(Story *story, int kind, Part part) {
    int total = 0;
    for (int i = 0; i < COUNT(scenes); i++) total += weight(&scenes[i], kind, part);
    const SceneKind *chosen = scenes;
    for (int rest = pick(story, total); rest >= weight(chosen, kind, part); chosen++)
        rest -= weight(chosen, kind, part);
    return chosen;
}

// Scene number `index`, after a block or not; returns whether it is a block itself.
static bool tell_scene(Story *story, int kind, Part part, int index, bool after_block) {
    const bool chapter = kinds[kind].heading && index % SCENES_PER_CHAPTER == 0;
    if (chapter) {
        cast(story, 'K', index / SCENES_PER_CHAPTER + 1);
        tell(story, "\n\n");
        tell(story, kinds[kind].heading);
    }
    const size_t start = story->text->size;
    for (;;) { // ends: a journey is always possible, something new at the start, and then something again
        const SceneKind *chosen = choose_scene(story, kind, part);
        const bool joined = !chapter && !after_block && index > 0 && !chosen->block && pick(story, 2);
        tell(story, joined ? " " : "\n\n");
        if (chosen->scene(story)) return chosen->block;
        story->text->size = start;
    }
}

static void tell_ending(Story *story, const DocumentKind *kind, double aim) {
    const int most = aim < 400 ? 0 : aim < 1000 ? 1 : 3;
    const int first = pick(story, story->thing_count);
    for (int i = 0; i < most && i < story->thing_count; i++) {
        cast(story, 'X', (first + i) % story->thing_count);
        tell(story, i == 0 ? "\n\n" : " ");
        tell_whereabouts(story);
    }
    tell(story, "\n\n");
    tell(story, kind->ending);
    tell(story, "\n");
}

static void tales_document(Text *text, uint64_t seed, uint64_t index) {
    const size_t start = text->size;
    Story story = {.text = text, .random = {random_bits(random_key(seed, "tales"), index), 0}};
    const double aim = SMALLEST_AIM * pow((double)LARGEST_AIM / SMALLEST_AIM, random_next(&story.random));
    const int kind = pick(&story, COUNT(kinds));
    invent(&story, aim);
    tell_opening(&story, &kinds[kind]);
    bool block = true;
    for (int i = 0; i == 0 || (double)(text->size - start) < aim; i++) {
        const Story before = story;
        const size_t end = text->size;
        block = tell_scene(&story, kind, i == 0 && aim >= LONG_AIM ? NEW : ANY, i, block);
        if (text->failed) return;
        if (text->size - start <= LARGEST - ENDING_ROOM) continue;
        story = before; // this scene would be too much: as if it had not been
        text->size = end;
        break;
    }
    if (aim >= LONG_AIM) tell_scene(&story, kind, AGAIN, 1, true);
    tell_ending(&story, &kinds[kind], aim);
}

const Builtin builtin_tales = {
    .name = "tales",
    .help = "little stories in which what was said early decides what is said later",
    .document = tales_document,
};
