// The functions that the lesson's page calls: the interface of the two WebAssembly modules that scripts/lesson.sh
// builds. The module in single precision trains one model (train.c). The one in double precision checks gradients and
// computes single pairs (check.c); it also exports the functions of posenc/rotation/rotate.h and lab/lesson/pair.h that
// take numbers and pointers to numbers. JavaScript calls them through lesson/page/wasm.js.
//
// A module holds at most one model. A function that fails writes one sentence to the text and returns 1 (if it returns
// an int), NaN (a double) or NULL (a pointer).
#ifndef BITTER_LESSON_MODULE_H
#define BITTER_LESSON_MODULE_H

enum {
    LESSON_TEXT = 1 << 16, // bytes of the text, with its final 0
    LESSON_NUMBERS = 4096  // numbers of the scratch array
};

// --- both modules ---

// The text (LESSON_TEXT), UTF-8, through which strings go in and out.
char *lesson_text(void);

// An array (LESSON_NUMBERS) for the caller's own use, such as the operands of rope_pair_forward.
double *lesson_numbers(void);

// --- single precision: train one model ---

// The length of the array that a function returned last.
int lesson_count(void);

// Text in: options as `bitter train` takes them, "--pos rope --layers 2", and "--broken MISTAKE", a mistake of
// lab/lesson/mistakes.h to plant in the scheme. Create the model, replacing the previous one.
int lesson_start(void);

// (9): layers, heads, width, context, batch, steps, parameters, parameters of the scheme, steps done.
double *lesson_shape(void);

// One optimiser step; returns its loss in nats a token.
double lesson_step(void);

// The loss in nats a token that `bitter train` calls the validation loss.
double lesson_validate(void);

// The same loss in windows of `length` tokens, with the stretch of lesson_stretch.
double lesson_loss_at(int length);

// Text in: "none", or "METHOD FACTOR" with a method of `bitter extend` that is a formula: "yarn 4". From now on
// lesson_loss_at, lesson_sample and lesson_attention use this stretch; training and lesson_validate never do.
int lesson_stretch(void);

// Text in: a prompt. Text out: its continuation by so many tokens, sampled as `bitter sample` does; it need not be
// UTF-8.
int lesson_sample(int tokens);

// (L, H, T) mean attention weight by distance over 8 validation windows of the trained length T; see
// lab/eval/attended.h.
double *lesson_attention(void);

// (H, d/2) radians per token by which each head and pair turns, without any stretch, in a layer of the first scheme;
// `layer` counts only that scheme's layers. With rope:axes=2, the first half turns by lines, the second by columns.
// NULL if the scheme turns nothing or has no such layer.
double *lesson_frequencies(int layer);

// --- double precision: check gradients ---

// Text in: a scheme as --pos takes it, "rope:base=500", optionally followed by " broken=MISTAKE". Text out: for each
// tensor a line with its name, its largest relative error, and "ok" or "FAILED", separated by tabs. The model and its
// tokens are those of `bitter gradcheck` with its default options.
int lesson_gradcheck(void);

// Text in: a formula. Text out: a line with the number of its Form (posenc/formula/formula.h) and its text in one line;
// then for each trained parameter a line with its name, bounds, and start in each of 4 heads; all separated by tabs.
// Fails with line and column, or if its values in the model that the page trains are not all finite.
int lesson_formula(void);

// Evaluate that formula with these params (P) at distances, pairs or positions 0 to count-1: values (count, 1 + 2P) has
// each value, and then for each parameter the derivative and the same by central differences.
void lesson_formula_at(double *values, const double *params, int head, int channel, int count);

// Text in: a scheme. One layer with it runs on tokens (6), ids below 5; the loss is the fifth token's, whose target is
// the sixth. Fills places with Places of lesson/layer.c, the loss's gradients with respect to them, and the loss.
int lesson_layer(double *places, const double *tokens);

// Text out: for each mistake of lab/lesson/mistakes.h a line with its name, what is wrong, and the scheme in which it
// is planted, separated by tabs.
int lesson_mistakes(void);

// Text in: the name of a mistake. Text out: for each check of lab/lesson/checks.h a line with its name, what it
// compares, the error that it found ("-" where it does not apply), its tolerance, and "ok" or "NOTICED", separated by
// tabs.
int lesson_checks(void);

// picture_lengths of lab/lesson/pair.h. Text in: the scheme.
int lesson_lengths(double *lengths, int keys, int pair, int positions);

#endif
