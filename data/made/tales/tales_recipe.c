// A recipe: numbered steps, each of which may take up what an earlier step, named by its number, has left; and a scene
// that asks for one of its steps.
#include "data/made/tales/tales.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PRODUCTS = 4 };

// What the steps so far have left to work with.
typedef struct {
    const char *name[MAX_PRODUCTS];
    int step[MAX_PRODUCTS]; // that made it
    int count;
} Products;

// Begin the next numbered line.
static size_t step_begin(Story *story) {
    cast(story, 'K', story->step_count + 1);
    tell(story, "\n{# K}. ");
    return story->text->size;
}

static void step_end(Story *story, size_t start) {
    story->steps[story->step_count++] = span_since(story, start, 0);
    tell(story, ".");
}

// N and W become the step and the name of product i.
static void cast_product(Story *story, const Products *products, int i) {
    cast(story, 'N', products->step[i]);
    strcpy(story->word, products->name[i]);
}

static const char *const warmings[] = {
    "Warm a cup of {W} in {a vessel}",
    "Pour the {W} into {a colour} {vessel}",
    "Put {N} spoons of {W} into {a vessel}",
};

// A step that needs no earlier one.
static void tell_ingredient(Story *story, Products *products) {
    const size_t start = step_begin(story);
    const int i = products->count++;
    cast(story, 'N', between(story, 2, 12));
    if (i == 1) {
        products->name[i] = words_pick("liquid", &story->random);
        strcpy(story->word, products->name[i]);
        TELL(story, warmings);
    } else {
        const int fruit = distinct(story, "fruit", i, tales_fruits.count);
        products->name[i] = tales_fruits.pairs[fruit].second;
        strcpy(story->word, products->name[i]);
        tell(story, "{Cut} {N} {W}");
    }
    products->step[i] = story->step_count + 1;
    step_end(story, start);
}

static const char *const treatments[] = {
    "Leave the {W} from step {# N} alone for {M} minutes",
    "Add <a pinch|a spoonful|a handful> of {powder} to the {W} from step {# N}",
    "Stir the {W} from step {# N} {M} times",
    "Taste the {W} from step {# N} and add {powder}",
};

static void tell_treatment(Story *story, Products *products) {
    const size_t start = step_begin(story);
    const int i = pick(story, products->count);
    cast_product(story, products, i);
    cast(story, 'M', between(story, 2, 40));
    TELL(story, treatments);
    products->step[i] = story->step_count + 1;
    step_end(story, start);
}

static const char *const into[] = {
    "Stir the {W} from step {# N} into the ",
    "Pour the {W} from step {# N} over the ",
    "Mix the {W} from step {# N} with the ",
};

// Two products become one mixture; the last product takes the free place.
static void tell_union(Story *story, Products *products) {
    const size_t start = step_begin(story);
    const int i = pick(story, products->count);
    const int j = (i + between(story, 1, products->count - 1)) % products->count;
    cast_product(story, products, i);
    TELL(story, into);
    cast_product(story, products, j);
    tell(story, "{W} from step {# N}");
    products->name[j] = "mixture";
    products->step[j] = story->step_count + 1;
    products->count--;
    products->name[i] = products->name[products->count];
    products->step[i] = products->step[products->count];
    step_end(story, start);
}

static const char *const recipes[] = {
    "{A} wrote down how to make {W}, as they do in {town A}:",
    "\"This is how we make {W} in {town A},\" said {A}, and took a pencil.",
    "{B} wanted to learn how to make {W}. {A} had the recipe:",
};

static const char *const servings[] = {
    "Serve the {W} from step {# N} <hot|warm|cold> on {a colour} plate",
    "Let the {W} from step {# N} cool and share it among {M}",
    "Bake the {W} from step {# N} until it is {colour}",
};

bool scene_recipe(Story *story) {
    if (story->cook != NOBODY) return false;
    cast_person(story, 'A', "");
    if (!cast_person(story, 'B', "A")) return false;
    story->cook = role(story, 'A');
    story->recipe_open = true;
    const int fruit = distinct(story, "fruit", 0, tales_fruits.count); // the first ingredient gives the dish its name
    snprintf(story->dish, sizeof story->dish, "%s %s", tales_fruits.pairs[fruit].first,
             words_pick("dish", &story->random));
    strcpy(story->word, story->dish);
    TELL(story, recipes);
    Products products = {.count = 0};
    const int ingredients = between(story, 2, MAX_PRODUCTS);
    do tell_ingredient(story, &products);
    while (products.count < ingredients);
    while (products.count > 1) {
        if (pick(story, 2) && story->step_count < MAX_STEPS - MAX_PRODUCTS) tell_treatment(story, &products);
        tell_union(story, &products);
    }
    const size_t start = step_begin(story);
    cast_product(story, &products, 0);
    cast(story, 'M', between(story, 2, 12));
    TELL(story, servings);
    step_end(story, start);
    return true;
}

static const char *const questions[] = {
    "\"What is step {# K} of the {W}?\" asked {B}. {C} <knew|remembered>: \"",
    "{B} was cooking the {W} that {A} had taught them, and came to step {# K}: \"",
    "{Later}, {B} had forgotten step {# K} of {A}'s {W}. {C} had not: \"",
    "Somebody had torn step {# K} out of {A}'s recipe. {B} wrote it anew: \"",
};

bool scene_recipe_again(Story *story) {
    if (story->cook == NOBODY) return false;
    cast(story, 'A', story->cook);
    story->recipe_open = false;
    if (!cast_person(story, 'B', "A")) return false;
    cast_person(story, 'C', "B");
    cast(story, 'K', between(story, 1, story->step_count));
    strcpy(story->word, story->dish);
    TELL(story, questions);
    tell_again(story, story->steps[role(story, 'K') - 1]);
    tell(story, ".\"");
    return true;
}
