// One story of builtin:tales: what it remembers, and how it is told from the phrases and scripts of tables.h.
#ifndef BITTER_TALES_STORY_H
#define BITTER_TALES_STORY_H

#include "base/random.h"
#include "base/file/text.h"
#include "data/made/tales/tables.h"

enum { NAME_SIZE = 40, ENTITIES = 30 };

// Somebody or something with a name; tables.h says what the values are.
typedef struct {
    char name[NAME_SIZE], town[NAME_SIZE];
    int value[ATTRIBUTES];
} Entity;

// Something the story has said, by its place in the text: what it takes to say it again.
typedef struct {
    size_t start, size;
} Span;

typedef struct {
    Text *text;
    Random random;
    Entity entities[ENTITIES]; // of all kinds, one kind behind the other
    int count[KINDS];
    int role[ROLES]; // what the letters of phrases and scripts stand for
    Span learnt[SHELVES][SHELF_SIZE];
} Story;

// A random number in 0..n-1.
int pick(Story *story, int n);

// Is number `index` of a kind due, that is, has it still to come back? How many of the kind are?
bool is_due(Story *story, Kind kind, int index);
int count_due(Story *story, Kind kind);

// Append a phrase to the story.
void tell(Story *story, const char *phrase);

// Carry out a script; false when it finds that the story so far does not allow it.
bool run(Story *story, const Step *script);

#endif
