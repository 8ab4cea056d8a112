// Scenes in which people act: they travel, give, hide, find and pay, and the story remembers.
#include "data/made/tales/tales.h"

#include <stdio.h>

static bool held(const Story *story, const Thing *thing) {
    (void)story;
    return thing->holder != NOBODY;
}

static bool held_by_a(const Story *story, const Thing *thing) {
    return thing->holder == role(story, 'A');
}

static bool hidden(const Story *story, const Thing *thing) {
    (void)story;
    return thing->holder == NOBODY;
}

static bool hidden_at_q(const Story *story, const Thing *thing) {
    return thing->holder == NOBODY && thing->place == role(story, 'Q') && thing->hider != role(story, 'A');
}

// P and S become the hiding place of thing X, C the one who hid it.
static void cast_hiding(Story *story) {
    cast(story, 'P', thing(story, 'X')->place);
    cast(story, 'S', thing(story, 'X')->spot);
    cast(story, 'C', thing(story, 'X')->hider);
}

static const char *const travels[] = {
    "{Later}, {A} left {the P} and <walked|went|hurried|rode|wandered> to {the Q}.",
    "{A} grew tired of {the P} and <set off for|made for> {the Q}, where {he A} <sat down|rested|waited> a while.",
    "It was {weather}, so {the A} went from {the P} to {the Q}.",
    "{A} walked {manner} from {the P} to {the Q}, past {a colour} {animal}.",
    "{Later}, {A} went to {the Q}, {manner}, because {the P} made {him A} {feeling}.",
    "\"I have seen enough of {the P},\" said {A}, and {he A} <left|departed> for {the Q} {manner}.",
    "{The A} followed {a colour} {animal} from {the P} to {the Q}.",
    "{The Q} was far from {the P}, but {A} <was there by nightfall|made the journey {manner}>.",
    "{A feeling} {trade} <gave {A} a ride|drove {A}> from {the P} to {the Q}.",
};

static const char *const travels_carrying[] = {
    "{Later}, {A} <took|carried|brought> {the X} from {the P} to {the Q}.",
    "{A} put {the X} in {his A} <pocket|bag|basket|coat>, said goodbye to {the P}, and went to {the Q}.",
    "With {the X} under {his A} <arm|cloak|hat>, {A} <walked|crept|ran> {manner} from {the P} to {the Q}.",
    "{Later}, {the A} was on the way to {the Q}, and {the X} went with {him A}.",
};

static const char *const company[] = {
    " {B} was <already|still> there.",
    " There {he A} met {B}, {the B}.",
    " There {B} greeted {him A} with a <nod|smile|song|bow|shout>.",
    " {The B} was there too and looked {feeling}.",
};

static const char *const passing_by[] = {
    " Little did {he A} know that {the X} lay {the S}.",
    " {He A} sat down close to {the X}, which {C} had hidden {the S}, and never saw it.",
};

bool scene_travel(Story *story) {
    cast_person(story, 'A', "");
    cast(story, 'P', person(story, 'A')->place);
    cast(story, 'Q', (role(story, 'P') + between(story, 1, story->place_count - 1)) % story->place_count);
    if (cast_thing(story, 'X', held_by_a) && pick(story, 3) > 0) {
        TELL(story, travels_carrying);
    } else {
        TELL(story, travels);
    }
    person(story, 'A')->place = role(story, 'Q');
    if (cast_thing(story, 'X', hidden_at_q) && pick(story, 3) > 0) {
        cast_hiding(story);
        TELL(story, passing_by);
    } else if (cast_person(story, 'B', "A") && person(story, 'B')->place == role(story, 'Q')) {
        TELL(story, company);
    }
    return true;
}

static const char *const visits[] = {
    "{Later}, {A} went to {the P} to see {B}. ",
    "{A} looked for {B} and found {him B} {at P}. ",
    "{A} knew that {B} was {at P}, and went there {manner}. ",
};

static const char *const gifts[] = {
    "{A} gave {the X} to {B}<|, who was {feeling} for the rest of the day|, and both of them were {feeling}>.",
    "\"<Take this|This is for you|Keep it safe>,\" said {A}, and <handed|gave> {the X} to {B}.",
    "{B} <begged|asked> for {the X}, and {A} <gave it up|handed it over> {manner}.",
    "There {A} <gambled away|lost> {the X} to {B} in a game of <chess|dice|cards>.",
    "{A} had promised {the X} to {B}, and {he A} kept {his A} word.",
};

bool scene_give(Story *story) {
    if (!cast_thing(story, 'X', held)) return false;
    Thing *gift = thing(story, 'X');
    cast(story, 'A', gift->holder);
    if (!cast_person(story, 'B', "A")) return false;
    if (person(story, 'A')->place != person(story, 'B')->place) {
        person(story, 'A')->place = person(story, 'B')->place;
        cast(story, 'P', person(story, 'B')->place);
        TELL(story, visits);
    }
    TELL(story, gifts);
    gift->giver = gift->holder;
    gift->holder = role(story, 'B');
    return true;
}

static const char *const hidings[] = {
    "{Later}, {A} hid {the X} {a S} {at P}.",
    "{A} was {feeling}, and so {he A} <put|hid> {the X} {a S} {at P}, where <nobody would look|it was dry>.",
    "{At P}, {a S}, {A} <hid|left|concealed> {the X}.",
    "While {a animal} <looked on|slept>, {the A} hid {the X} {at P}, {a S}.",
};

bool scene_hide(Story *story) {
    if (!cast_thing(story, 'X', held)) return false;
    Thing *treasure = thing(story, 'X');
    cast(story, 'A', treasure->holder);
    treasure->hider = treasure->holder;
    treasure->holder = treasure->giver = NOBODY;
    treasure->place = person(story, 'A')->place;
    treasure->spot = pick(story, tales_spots.count);
    cast_hiding(story);
    TELL(story, hidings);
    treasure->open = true;
    return true;
}

static const char *const findings[] = {
    "{Later}, {A} <searched|came to> {the P}, looked {the S}, and found {the X} that {C} had hidden there.",
    "{A} had guessed it: {the X} that {C} had hidden {at P} was {the S}. {He A} took it.",
    "{Later}, {A} went {manner} to {the P}. {The X} which {the C} had put {the S} was still there, and {he A} kept it.",
};

static const char *const returns[] = {
    "{Later}, {A} went back to {the P} and took {the X} from where {he A} had hidden it, {the S}.",
    "{A} remembered {the X}. {He A} looked {the S} {at P}, and there it was.",
};

bool scene_fetch(Story *story) {
    if (!cast_thing(story, 'X', hidden)) return false;
    cast_hiding(story);
    cast_person(story, 'A', "");
    Thing *treasure = thing(story, 'X');
    if (role(story, 'A') == role(story, 'C')) {
        TELL(story, returns);
    } else {
        TELL(story, findings);
    }
    person(story, 'A')->place = treasure->place;
    treasure->holder = role(story, 'A');
    return true;
}

static const char *const kept[] = {
    "{The X} <stayed with|is with|remained with> {C}, {the C}.",
    "{C}, who is {at P}, <kept|still has> {the X}.",
};

static const char *const lost[] = {
    "{The X} is still {the S} {at P}, where {C} hid it.",
    "Nobody has touched {the X} that {C} hid {the S} {at P}.",
};

void tell_whereabouts(Story *story) {
    if (thing(story, 'X')->holder == NOBODY) {
        cast_hiding(story);
        TELL(story, lost);
    } else {
        cast(story, 'C', thing(story, 'X')->holder);
        cast(story, 'P', person(story, 'C')->place);
        TELL(story, kept);
    }
}

static const char *const purses[] = {
    "{A} counted {his A} money: {coins N}<| in all|, no more and no less>.",
    "In {his A} <purse|pocket|left shoe|hat>, {A} had {coins N}.",
    "{Later}, {A} <found|won|was paid> some money, and now {he A} had {coins N}.",
};

bool scene_purse(Story *story) {
    cast_person(story, 'A', "");
    if (person(story, 'A')->coins >= 0) return false;
    cast(story, 'N', between(story, 4, 40));
    person(story, 'A')->coins = role(story, 'N');
    person(story, 'A')->purse_open = true;
    TELL(story, purses);
    return true;
}

static const char *const bargains[] = {
    "{A} had {coins A}. {He A} bought {W} for {coins M}, which left {him A} {coins N}.",
    "{Later}, {A} <bought|paid for> {W}. {His A} {coins A} shrank to {coins N}, for the price was {coins M}.",
    "\"{Coins M} for {W},\" said the trader. {A}, who had {coins A}, paid and kept {coins N}.",
};

static const char *const payments[] = {
    "{A} owed {B} {coins M} and paid. Now {A} had {coins N} and {B} had {coins K}.",
    "{B} lent a hand, and {A} paid {him B} {coins M}, so that {A} had {coins N} and {B} had {coins K}.",
};

bool scene_spend(Story *story) {
    cast_person(story, 'A', "");
    for (int i = 0; i < story->people_count && !person(story, 'A')->purse_open; i++)
        cast(story, 'A', (role(story, 'A') + 1) % story->people_count);
    Person *payer = person(story, 'A');
    if (payer->coins < 2) return false;
    cast(story, 'M', between(story, 2, payer->coins));
    cast(story, 'N', payer->coins - role(story, 'M'));
    if (!cast_person(story, 'B', "A")) return false;
    Person *paid = person(story, 'B');
    if (paid->coins >= 0 && paid->coins + role(story, 'M') < 100) {
        paid->purse_open = false;
        paid->coins += role(story, 'M');
        cast(story, 'K', paid->coins);
        TELL(story, payments);
    } else {
        char number[32];
        const WordPair *goods = &tales_goods.pairs[pick(story, tales_goods.count)];
        snprintf(story->word, sizeof story->word, "%s %s", number_word(between(story, 2, 30), number), goods->second);
        TELL(story, bargains);
    }
    payer->coins = role(story, 'N');
    payer->purse_open = false;
    return true;
}

static const char *const moods[] = {
    "{A} was {feeling}, for {he A} had dreamt of {a colour} {animal} and {a material} {noun}.",
    "{At P} {a colour} {animal} <slept|waited|sang|played|lay ill> all day, and {A} <watched|fed|painted> it.",
    "{The A} <dropped|broke|mended|polished|drew> {a material} {noun} and felt {feeling}.",
    "They say that {a animal} from {town A} is worth two from {T}; {A} <always said so|did not agree>.",
    "{Later}, {A} thought of {town A}, where {he A} had once been <a child|in love|in prison|the mayor>.",
    "Somebody had painted {a colour} {animal} on the door, which made {A} {feeling}.",
    "{A} wore {a colour} coat that day and carried {a noun}, as {a trade} would.",
    "{Later}, {A} sold {a material} {noun} to {a trade} and bought {a colour} {animal}.",
    "{A} told a long story about {a animal} and {a trade}; it made everybody {feeling}.",
    "There was a knock, but it was only {a colour} {animal} with {a noun}.",
    "{A} <needed|wished for> a new {noun}, {a colour} one, like the one in {town A}.",
};

bool scene_mood(Story *story) {
    cast_person(story, 'A', "");
    cast(story, 'P', person(story, 'A')->place);
    TELL(story, moods);
    return true;
}
