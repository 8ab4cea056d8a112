// `bitter extend` at work: its options, the run that is extended, and what its methods share. The methods themselves
// are in methods.c (formulas and the list of all), yarn.c, longrope.c and gradient.c.
#ifndef BITTER_EXTENSION_H
#define BITTER_EXTENSION_H

#include "lab/extend/scorer.h"
#include "lab/run/run.h"
#include "posenc/stretch/search.h"

// Where the attention factor applies: everywhere, as in Hugging Face's longrope; in long windows only; or in long
// windows except at their unscaled tokens, as in LongRoPE's released code.
typedef enum { ATTENTION_ALL, ATTENTION_LONG, ATTENTION_STRETCHED } AttentionFactor;

typedef struct {
    char out[TEXT_CAPACITY], data[TEXT_CAPACITY];
    int method; // a Method
    double factor;
    FormulaOptions formula;
    int growth;    // of the dynamic method: 0 = 1, as in the paper; 1 = the factor, as in Hugging Face
    int attention; // an AttentionFactor
    bool keep_short, short_only, tune, resume;
    SearchOptions search;
    long long steps, tokens, threads;
    double lr;
} ExtendOptions;

typedef struct Extension Extension;

// A method of extension.
typedef struct {
    // Tables over ExtendOptions, up to the first NULL: the method's own, which begins with a heading that says what it
    // does, and those shared with other methods.
    const Option *options[5];
    // Find the stretch of long windows or, with --short, of short ones. Fails (input, run, interrupted).
    bool (*find)(Stretch *result, Extension *x, Error *error);
} ExtendMethod;

extern const Option short_window_options[], text_options[], evolution_options[];
extern const ExtendMethod method_yarn, method_longrope, method_gradient;

enum { METHOD_COUNT = METHOD_GRADIENT + 1 };
extern const ExtendMethod *const extend_methods[METHOD_COUNT]; // by Method

// Does the method have an option of this name, besides those that every method has?
bool method_takes(Method method, const char *name);

struct Extension {
    const ExtendOptions *options;
    const ExtendMethod *method;
    const char *directory; // of the run that is extended
    Run run;
    RunPaths paths;   // of the new run
    int pairs;        // of a head
    double base;      // of the frequencies
    int window;       // the stretched length
    double factor;    // window / original length, 1 with --short
    int original;     // the length that the frequencies were trained at
    RunStretch found; // what the new run will have
    Corpus corpus;
    Scorer scorer; // on the corpus' training text, if the method looks at text
};

// Let the method find the factors, and fill x->found with what the new run's rotations are stretched by.
bool extension_find(Extension *x, Error *error);

// Open the text that factors are chosen on, for at most `workers` threads that score windows of it side by side.
bool extension_open_text(Extension *x, int workers, Error *error);

// Close what an extension has opened; x->scorer and x->corpus may be {0}.
void extension_close(Extension *x);

// The stretch of a method that is a formula, for this extension.
Stretch extension_formula(const Extension *x, Method method);

// What search and descent start from: PI, NTK, YaRN, and the stretch that the run already has, stretched further.
// Returns how many there are.
enum { SEEDS_MOST = 4 };
int extension_seeds(Stretch seeds[SEEDS_MOST], const Extension *x);

// The space that search and descent look for factors in.
SearchSpace extension_space(const Extension *x);

// Give a stretch that search or descent tries its attention factor: LongRoPE's for the new length; with --short, the
// one that short windows already have.
void extension_attention(Stretch *stretch, const Extension *x);

#endif
