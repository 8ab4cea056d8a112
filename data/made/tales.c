// builtin:tales, little stories whose later sentences depend on what was said early.
//
//     document    = title opening paragraph... [again]... ending
//     title       = a phrase of the document's kind: tale, letter, inquiry, ...
//     opening     = setting, then for each person: name, trade, town, place, and what he or she owns
//     paragraph   = [heading] scene [scene]
//     scene       = a plain one, or one that brings in something to be learnt, or one that says it again
//     ending      = where the things are in the end, a closing phrase of the kind
//
// Words, phrases and scenes are in tales.txt. The next scene is drawn, with the weights of the kind of document, from
// the scenes for which the target length leaves room. What a story brings in to be learnt (a list, a song, a password,
// a recipe, a purse, a thing somebody owns) is due until it comes back. Room for that is kept, and whatever is still
// due when the other room is used up comes back then. Target lengths are log-uniform in 200 to 4000 bytes; the shortest
// documents have one person and neither setting nor closing.
#include "data/made/builtin.h"
#include "data/made/tales/story.h"

#include <math.h>

enum {
    SMALLEST = 200,
    LARGEST_AIM = 3700,
    LARGEST = 4000,
    TINY_AIM = 250,    // below it a document may end with its only scene
    WHOLE_AIM = 330,   // from here on a document has a setting and a closing,
    PEOPLE_AIM = 430,  // more than one person,
    LONG_AIM = 900,    // chapters, something new at the beginning, and something said again at the end
    AGAIN_ROOM = 170,  // bytes typically needed, at most twice that: to say any one thing again,
    CLOSING_ROOM = 60, // the closing phrase,
    THING_ROOM = 60,   // to say where a thing is
    FIRST_ROOM = 140,  // for the one scene that every document has
    SCENES_PER_CHAPTER = 4,
};

// The longer the story, the more people, things and places.
static void invent(Story *story, int aim) {
    const int larger = (aim > 700) + (aim > 1400) + (aim > 2400);
    story->count[PLACES] = 2 + larger;
    story->count[PEOPLE] = aim < PEOPLE_AIM ? 1 : 2 + larger;
    story->count[SONGS] = story->count[PASSWORDS] = story->count[RECIPES] = 1;
    script_world(story);
}

static void tell_opening(Story *story, int kind, int aim) {
    story->A = story->X = 0;
    tell(story, &list_story_title, kind);
    if (aim >= WHOLE_AIM) {
        add(story, "\n\n");
        tell(story, &list_story_setting, kind);
    }
    add(story, "\n\n");
    script_introductions(story);
}

// How many things the ending mentions.
static int ending_things(Story *story, int aim) {
    const int due = count_due(story, THINGS), least = aim < TINY_AIM ? 0 : aim < LONG_AIM ? 1 : 3;
    const int wanted = due > least ? due : least;
    return wanted < story->count[THINGS] ? wanted : story->count[THINGS];
}

// The room to keep for what the document must still contain.
static int reserve(Story *story, int aim) {
    int room = ending_things(story, aim) * THING_ROOM;
    if (aim >= WHOLE_AIM) room += CLOSING_ROOM;
    if (aim >= LONG_AIM) room += AGAIN_ROOM;
    for (int i = 0; i < tales_scene_count; i++) room += count_due(story, tales_scenes[i].back) * tales_scenes[i].room;
    return room;
}

// How scenes are drawn: the part they must play, the room there is, and the scenes that have turned out to be
// impossible in this story (one bit each).
typedef struct {
    int kind;
    Part part;
    int room;
    uint64_t refused;
} Choice;

static int weight(Story *story, const Choice *choice, int index) {
    const Scene *scene = &tales_scenes[index];
    const bool due = count_due(story, scene->back) > 0;
    const Part part = choice->part;
    if (choice->refused >> index & 1 || (part == WHAT_IS_DUE && !due)) return 0;
    if ((part == NEW || part == AGAIN) && part != scene->part) return 0;
    // Room for what is due has been kept.
    return due || scene->room <= choice->room ? scene->weights[choice->kind] : 0;
}

// The index of a scene, or -1 when there is none.
static int choose_scene(Story *story, const Choice *choice) {
    int weights[MOST_SCENES] = {0}, total = 0;
    for (int i = 0; i < tales_scene_count; i++) total += weights[i] = weight(story, choice, i);
    if (total == 0) return -1;
    int chosen = 0;
    for (int rest = pick(story, total); rest >= weights[chosen]; chosen++) rest -= weights[chosen];
    return chosen;
}

// Tell a scene; false when none is possible. `chapter` is the number of the chapter that it begins, or 0. *block: in,
// whether the scene before was a block; out, whether this one is.
static bool tell_scene(Story *story, Choice choice, int chapter, bool *block) {
    const size_t before = story->text->size;
    if (chapter > 0) {
        story->K = chapter;
        add(story, "\n\n");
        tell(story, &list_story_heading, choice.kind);
    }
    const size_t start = story->text->size;
    for (int index; (index = choose_scene(story, &choice)) >= 0; choice.refused |= UINT64_C(1) << index) {
        const Scene *chosen = &tales_scenes[index];
        const bool joined = chapter == 0 && !*block && !chosen->block && pick(story, 2);
        add(story, joined ? " " : "\n\n");
        if (chosen->script(story)) {
            *block = chosen->block;
            return true;
        }
        story->text->size = start;
    }
    story->text->size = before;
    return false;
}

// Tell scenes up to the target length, less the room for what is still to come. Returns whether the last was a block.
static bool tell_scenes(Story *story, int kind, int aim) {
    const bool has_chapters = list_story_heading.phrases[kind] && aim >= LONG_AIM;
    bool block = true;
    for (int i = 0; !story->text->failed; i++) {
        const int size = (int)(story->text->size - story->start);
        Choice choice = {
            .kind = kind, .part = i == 0 && aim >= LONG_AIM ? NEW : ANY_PART, .room = aim - size - reserve(story, aim)};
        if (choice.room < FIRST_ROOM && (i == 0 || size < SMALLEST)) choice.room = FIRST_ROOM;
        const bool begins_chapter = has_chapters && i % SCENES_PER_CHAPTER == 0;
        const Story before = *story;
        const size_t end = story->text->size;
        if (!tell_scene(story, choice, begins_chapter ? i / SCENES_PER_CHAPTER + 1 : 0, &block)) return block;
        if (story->text->size - story->start + 2 * (size_t)reserve(story, aim) <= LARGEST) continue;
        *story = before; // this scene would be too long: undo it
        story->text->size = end;
        return true;
    }
    return block;
}

static void tell_ending(Story *story, int kind, int aim) {
    const int count = story->count[THINGS], wanted = ending_things(story, aim), first = pick(story, count);
    uint64_t told = 0;                               // one bit for each thing
    for (int n = 0, round = 0; round < 2; round++) { // first things that are due, then others
        for (int i = 0; i < count && n < wanted; i++) {
            const int which = (first + i) % count;
            if (told >> which & 1 || (round == 0 && !entity(story, THINGS, which)->due)) continue;
            story->X = which;
            add(story, n++ > 0 ? " " : "\n\n");
            script_whereabouts(story);
            told |= UINT64_C(1) << which;
        }
    }
    if (aim >= WHOLE_AIM) {
        add(story, "\n\n");
        tell(story, &list_story_ending, kind);
    }
    add(story, "\n");
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

void tales_document(Text *text, const BuiltinCorpus *corpus, uint64_t index) {
    const uint64_t key = random_key((uint64_t)corpus->seed, "tales");
    Story story = {.text = text, .start = text->size, .random = {random_bits(key, index), 0}};
    const int aim = (int)(SMALLEST * power((double)LARGEST_AIM / SMALLEST, random_next(&story.random)));
    const int kind = pick(&story, list_story_title.count);
    invent(&story, aim);
    tell_opening(&story, kind, aim);
    bool block = tell_scenes(&story, kind, aim);
    while (tell_scene(&story, (Choice){.kind = kind, .part = WHAT_IS_DUE}, 0, &block)) continue;
    if (aim >= LONG_AIM) tell_scene(&story, (Choice){.kind = kind, .part = AGAIN, .room = AGAIN_ROOM}, 0, &block);
    tell_ending(&story, kind, aim);
}
