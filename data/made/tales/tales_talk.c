// Scenes in which people say what the story has told before.
#include "data/made/tales/tales.h"

#include <string.h>

enum { MAX_TURNS = 4 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// A question that A may put to B: `possible` casts the other roles.
typedef struct {
    bool (*possible)(Story *story);
    const char *question, *answer;
} Exchange;

static bool present(const Story *story, int who) {
    return who == role(story, 'A') || who == role(story, 'B');
}

static bool third_holds(const Story *story, const Thing *thing) {
    return thing->holder != NOBODY && !present(story, thing->holder);
}

static bool hearer_holds(const Story *story, const Thing *thing) {
    return thing->holder == role(story, 'B');
}

static bool third_hid(const Story *story, const Thing *thing) {
    return thing->holder == NOBODY && !present(story, thing->hider);
}

static bool hearer_hid(const Story *story, const Thing *thing) {
    return thing->holder == NOBODY && thing->hider == role(story, 'B');
}

static bool third_owned(const Story *story, const Thing *thing) {
    return !present(story, thing->owner);
}

static bool third_gave(const Story *story, const Thing *thing) {
    return hearer_holds(story, thing) && thing->giver != NOBODY && !present(story, thing->giver);
}

static bool ask_holder(Story *story) {
    if (!cast_thing(story, 'X', third_holds)) return false;
    cast(story, 'C', thing(story, 'X')->holder);
    return true;
}

static bool ask_hearer(Story *story) {
    return cast_thing(story, 'X', hearer_holds);
}

static bool ask_hidden(Story *story) {
    if (!cast_thing(story, 'X', third_hid) && !cast_thing(story, 'X', hearer_hid)) return false;
    cast(story, 'P', thing(story, 'X')->place);
    cast(story, 'S', thing(story, 'X')->spot);
    return true;
}

static bool ask_hider(Story *story) {
    if (!cast_thing(story, 'X', third_hid)) return false;
    cast(story, 'C', thing(story, 'X')->hider);
    return true;
}

static bool ask_owner(Story *story) {
    if (!cast_thing(story, 'X', third_owned)) return false;
    cast(story, 'C', thing(story, 'X')->owner);
    return true;
}

static bool ask_giver(Story *story) {
    if (!cast_thing(story, 'X', third_gave)) return false;
    cast(story, 'C', thing(story, 'X')->giver);
    return true;
}

static bool ask_absent(Story *story) {
    if (!cast_person(story, 'C', "AB") || person(story, 'C')->place == person(story, 'B')->place) return false;
    cast(story, 'P', person(story, 'C')->place);
    return true;
}

static bool ask_third(Story *story) {
    return cast_person(story, 'C', "AB");
}

static bool ask_wealth(Story *story) {
    if (!cast_person(story, 'C', "AB") || person(story, 'C')->coins < 0) return false;
    person(story, 'C')->purse_open = false;
    return true;
}

static bool ask_own_wealth(Story *story) {
    if (person(story, 'B')->coins < 0) return false;
    person(story, 'B')->purse_open = false;
    return true;
}

static bool ask_self(Story *story) {
    (void)story;
    return true;
}

static const Exchange exchanges[] = {
    {ask_holder, "Who has {the X} <now|these days>?", "{C} has it"},
    {ask_holder, "Do you know who has {the X}?", "You must ask {C}, {the C}"},
    {ask_hearer, "Where is {the X}?", "<I have it|I have it here|I am holding it in my hand>"},
    {ask_hearer, "Who took {the X}?", "I have {the X}, and I will keep it"},
    {ask_hidden, "Where is {the X}?", "It lies {the S} {at P}"},
    {ask_hidden, "In what place should I look for {the X}?", "{At P}, {the S}"},
    {ask_hider, "Who hid {the X}?", "That was {C}"},
    {ask_owner, "Whose was {the X}, before all this?", "It belonged to {C}, {the C}"},
    {ask_owner, "Who brought {the X} to {T}?", "{C} from {town C}"},
    {ask_giver, "Who gave you {the X}?", "{C} did"},
    {ask_absent, "Where is {C} <today|now>?", "{C} is {at P}"},
    {ask_third, "What is the trade of {C}?", "{He C} is {a C}"},
    {ask_third, "Where does {C} come from?", "From {town C}"},
    {ask_third, "What is the name of {the C}?", "{C}"},
    {ask_third, "Who is from {town C}?", "{C}, {the C}"},
    {ask_wealth, "How much money has {C}?", "{He C} has {coins C}"},
    {ask_own_wealth, "How many coins do you have?", "I have {coins B}"},
    {ask_self, "Where were you born?", "In {town B}, where <it is always {weather}|{a animal} is the mayor>"},
    {ask_self, "What is your trade?", "I am {a B}"},
    {ask_self, "What is this town called?", "<It is|This is|You are in> {T}"},
    {ask_self, "Do you remember me?", "You are {A}, {the A} from {town A}"},
};

static const char *const meetings[] = {
    "{Later}, {A} met {B} {at P}.",
    "{B} saw {A} coming and waited {at P}.",
    "{A} sat down beside {B} {at P}.",
    "<\"Good day,\"|\"Is it you?\"|\"Sit down,\"> said {B} when {A} came to {the P}.",
    "{A} came to {the P}, where {B} was <waiting|resting|eating|reading>.",
    "{At P}, {A} and {B} fell to talking.",
    "{Later}, {A} found {B} {at P} and had <some|many|a few> questions for {him B}.",
};

static const char *const partings[] = {
    "{A} thanked {B}<| {manner}> and said no more.",
    "Then the two of them were <silent|quiet> for a while.",
    "That was all that {A} wanted to know.",
    "\"Thank you, {B},\" said {A}.",
};

// A question and its answer; the first pair names the speakers, later ones leave it to the turns.
static void exchange(Story *story, bool named, bool asked[COUNT(exchanges)]) {
    int which;
    do {
        which = pick(story, COUNT(exchanges));
    } while (asked[which] || !exchanges[which].possible(story)); // ends, because MAX_TURNS of them are always possible
    const Exchange *chosen = &exchanges[which];
    asked[which] = true;
    tell(story, "\n\"");
    tell(story, chosen->question);
    tell(story, named ? "\" <asked|said> {A}.\n\"" : "\"\n\"");
    tell(story, chosen->answer);
    tell(story, named ? ",\" <answered|said|replied> {B}." : ".\"");
}

bool scene_talk(Story *story) {
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    cast(story, 'P', person(story, 'B')->place);
    person(story, 'A')->place = role(story, 'P');
    TELL(story, meetings);
    const int turns = between(story, 1, MAX_TURNS);
    bool asked[COUNT(exchanges)] = {false};
    for (int turn = 0; turn < turns; turn++) exchange(story, turn == 0, asked);
    tell(story, "\n");
    TELL(story, partings);
    return true;
}

static const char *const clauses[] = {
    "{the C} from {town C}",
    "a {man C} from {town C}, <now|today> {at P}",
    "{the C}, who was {at P} that day",
    "always {feeling} since leaving {town C}",
};

static const char *const links[] = {
    ", a friend of {D}",
    ", who <owed|feared|envied|loved|taught> {D}",
    ", never seen without {D}",
    ", a pupil of {D}",
};

// A bracket about person C, and inside it one about somebody that C brings to mind.
static void aside(Story *story, int level, int depth) {
    const char *brackets = level % 2 ? "[]" : "()";
    text_add(story->text, &brackets[0], 1);
    cast(story, 'P', person(story, 'C')->place);
    TELL(story, clauses);
    if (level + 1 < depth) {
        cast(story, 'D', (role(story, 'C') + 1) % story->people_count);
        TELL(story, links);
        cast(story, 'C', role(story, 'D'));
        tell(story, " ");
        aside(story, level + 1, depth);
    }
    text_add(story->text, &brackets[1], 1);
}

static bool any_thing(const Story *story, const Thing *thing) {
    (void)story, (void)thing;
    return true;
}

static const char *const rumours[] = {
    "{The X}, <people|the old women|the children of {T}> said, had come to {T} with {C} ",
    "Before all this, {the X} had belonged to {C} ",
    "The first owner of {the X} was {C} ",
    "{The X} had not been made in {T}, it came with {C} ",
    "{The X}, they say, was once the pride of {C} ",
    "<Some|Many> in {T} still called {the X} the treasure of {C} ",
};

static const char *const doubts[] = {
    ", and nobody doubted it.", ".", ", which is true.", ", as you may remember.", ", but who cared now?",
};

bool scene_gossip(Story *story) {
    cast_thing(story, 'X', any_thing);
    cast(story, 'C', thing(story, 'X')->owner);
    TELL(story, rumours);
    const int most = story->people_count < 4 ? story->people_count : 4;
    aside(story, 0, between(story, 1, most));
    TELL(story, doubts);
    return true;
}

static const char *const remembered_hidden[] = {
    "{C} often thought of {the X}, {the S} {at P}.",
    "Only {C} knew what lay {the S} {at P}: it was {the X}.",
    "Whoever looked {the S} {at P} would find {the X}; {C} hoped that nobody did.",
    "{The C} who had hidden {the X} {the S} was {feeling}.",
};

static const char *const remembered_abroad[] = {
    "{The X} of {D} was now in the hands of {C}.",
    "{D} missed {the X}, but {C} would not give it back.",
    "{C} <polished|looked at|dropped> {the X} that had once belonged to {D}, {the D}.",
    "{The D} dreamt of {the X}, which {the C} had <now|by now>.",
};

static const char *const remembered_at_home[] = {
    "{C} <polished|looked at|dropped|played with> {the X} {manner}.",
    "{C} would not have sold {the X} for all the gold of {T}.",
    "{A} envied {C}, and all because of {the X}.", // the last, because it takes a second person
};

bool scene_remember(Story *story) {
    cast_thing(story, 'X', any_thing);
    const Thing *remembered = thing(story, 'X');
    cast(story, 'C', remembered->holder == NOBODY ? remembered->hider : remembered->holder);
    cast(story, 'D', remembered->owner);
    const bool alone = !cast_person(story, 'A', "C");
    if (remembered->holder == NOBODY) {
        cast(story, 'P', remembered->place);
        cast(story, 'S', remembered->spot);
        TELL(story, remembered_hidden);
    } else if (remembered->holder != remembered->owner) {
        TELL(story, remembered_abroad);
    } else {
        tell_one_of(story, remembered_at_home, COUNT(remembered_at_home) - alone);
    }
    return true;
}

static const char *const days[] = {
    "The {first N} day was a <long|short|good|strange> one, for it was {weather}.",
    "The {first N} day in {T} began, and it was {weather}.",
    "So passed another night, and the {first N} day came. {A} felt {feeling}.",
    "Then came the {first N} day. {A} said that it felt like the {first N} year.",
    "{A trade} rang the bells on the {first N} day.",
    "On the {first N} day it was {weather}, and {A} was {feeling}.",
};

bool scene_day(Story *story) {
    if (story->day == 20) return false;
    cast_person(story, 'A', "");
    cast(story, 'N', ++story->day);
    TELL(story, days);
    return true;
}

static const char *const counts[] = {
    "{A} counted the {W} {at P}: ",
    "To stay awake, {A} counted {W}: ",
    "{Later}, {the A} <lined up|dreamt of> {W} and counted them: ",
};

bool scene_count(Story *story) {
    cast_person(story, 'A', "");
    cast(story, 'P', person(story, 'A')->place);
    strcpy(story->word, tales_goods.pairs[pick(story, tales_goods.count)].second);
    TELL(story, counts);
    const int terms = between(story, 4, 7), size = between(story, 1, 9);
    const bool down = pick(story, 3) == 0;
    const int first = between(story, 1, 20) + (down ? terms * size : 0);
    for (int term = 0; term < terms; term++) {
        cast(story, 'N', first + (down ? -term : term) * size);
        tell(story, term == terms - 1 ? " and {N}." : "{N},");
        if (term < terms - 2) tell(story, " ");
    }
    return true;
}
