#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// in: q (2), k (2), w, dscore, i, j
enum { Q = 0, K = 2, W = 4, DSCORE = 5, I = 6, J = 7, INPUTS = 8 };
enum { DW, DQ, DK = DQ + 2, GRADIENTS = DK + 2 };

static const Group inputs[] = {{"q", 2}, {"k", 2}, {"w", 1}, {"dscore", 1}, {"i", 1}, {"j", 1}, {0}};
static const char *const names[] = {"dw", "dq[0]", "dq[1]", "dk[0]", "dk[1]"};

static void invent(double *in, int test) {
    static const int places[TESTS][2] = {{3, 1}, {5, 0}, {7, 6}, {4, 4}, {9, 2}, {2, 0}, {12, 5}, {8, 5}};
    memset(in, 0, MOST * sizeof *in);
    invent_numbers(in, INPUTS, test);
    in[W] = 0.2 + 1.3 * ((test * 3) % TESTS) / (TESTS - 1);
    in[I] = places[test][0];
    in[J] = places[test][1];
}

static double score(const double *in) {
    return own_score(in + Q, in + K, (int)in[I], (int)in[J], in[W]);
}

static double moved_score(const double *in, int tokens) {
    return own_score(in + Q, in + K, (int)in[I] + tokens, (int)in[J] + tokens, in[W]);
}

static void yours(double *gradients, const double *in, double dw) {
    gradients[DW] = dw;
    own_backward(&gradients[DW], gradients + DQ, gradients + DK, in[DSCORE], in + Q, in + K, (int)in[I], (int)in[J],
                 in[W]);
}

static void right(double *gradients, const double *in) {
    gradients[DW] = in[DSCORE] * slope(score, in, W);
    for (int i = 0; i < 2; i++) {
        gradients[DQ + i] = in[DSCORE] * slope(score, in, Q + i);
        gradients[DK + i] = in[DSCORE] * slope(score, in, K + i);
    }
}

static void say_gradient(const char *label, int index, double gradient) {
    say_numbers(label, (Group[]){{names[index], 1}, {0}}, &gradient);
}

// --- does the scheme do anything? ---
static bool changes(const double *in, int index, double by) {
    double other[MOST];
    memcpy(other, in, sizeof other);
    other[index] += by;
    return !close_to(score(in), score(other));
}

// Why there is nothing to check; NULL if there is.
static const char *idle(void) {
    bool position = false, parameter = false;
    for (int test = 0; test < TESTS; test++) {
        double in[MOST];
        invent(in, test);
        if (!isfinite(score(in)))
            return "The score is not a finite number. Do you divide by 0, or take the logarithm of 0? i~-~j may be 0.";
        position = position || changes(in, I, 2) || changes(in, J, in[I] - in[J]);
        parameter = parameter || changes(in, W, 0.3);
    }
    if (!position) return "Your score is the same at all positions, so it tells the model nothing about them.";
    return parameter ? NULL : "Your score does not change with w, so there is nothing to learn.";
}

// --- gradients ---
typedef struct {
    double in[TESTS][MOST], yours[TESTS][GRADIENTS], right[TESTS][GRADIENTS];
} Tried;

// Is gradient `index`, times what factor() says, right in all tests?
static bool right_but_for(const Tried *tried, int index, double (*factor)(const double *in)) {
    for (int test = 0; test < TESTS; test++)
        if (!close_to(tried->yours[test][index] * factor(tried->in[test]), tried->right[test][index])) return false;
    return true;
}

static double one(const double *in) {
    return 1;
}

static double minus_one(const double *in) {
    return -1;
}

static double dscore(const double *in) {
    return in[DSCORE];
}

static double minus_dscore(const double *in) {
    return -in[DSCORE];
}

static double distance(const double *in) {
    return in[I] - in[J];
}

static double minus_distance(const double *in) {
    return in[J] - in[I];
}

static double parameter(const double *in) {
    return in[W];
}

static double inverse_parameter(const double *in) {
    return 1 / in[W];
}

static double doubled(const double *in) {
    return 2;
}

static double doubled_parameter(const double *in) {
    return 2 * in[W];
}

static const struct {
    const char *sentence;
    double (*factor)(const double *in);
} missing[] = {
    {"It has the wrong sign.", minus_one},
    {"The factor dscore is missing: this is how much the score grows, and the chain rule multiplies it by dscore.",
     dscore},
    {"The factor -dscore is missing: you have how much the score falls, and the chain rule multiplies by dscore.",
     minus_dscore},
    {"The factor i~-~j is missing: where the distance multiplies w, it is the chain rule's inner factor.", distance},
    {"The factor j~-~i is missing: where the distance multiplies w, it is the chain rule's inner factor.",
     minus_distance},
    {"The factor w is missing.", parameter},
    {"There is a factor w too many. A bias w f(i~-~j) grows by f(i~-~j) when w grows by 1.", inverse_parameter},
    {"The factor 2 is missing: the derivative of w w is 2 w.", doubled},
    {"The factor 2 w is missing: the derivative of w w is 2 w.", doubled_parameter},
};
enum { MISSING = sizeof missing / sizeof *missing };

// Has the scheme a gradient of q or k that differs from a bias's, and has the program that of a bias?
static bool has_bias_gradients(const Tried *tried) {
    bool differs = false;
    for (int test = 0; test < TESTS; test++)
        for (int i = 0; i < 2; i++) {
            const double *in = tried->in[test];
            const double dq = in[DSCORE] * in[K + i], dk = in[DSCORE] * in[Q + i];
            if (!close_to(tried->yours[test][DQ + i], dq) || !close_to(tried->yours[test][DK + i], dk)) return false;
            differs = differs || !close_to(tried->right[test][DQ + i], dq);
        }
    return differs;
}

// Is the gradient of q (first = DQ) or k (first = DK) the right one, but turned further by `times` its token's position
// times w?
static bool turned_further(const Tried *tried, int first, double times, double (*position)(const double *in)) {
    for (int test = 0; test < TESTS; test++) {
        const double *in = tried->in[test], *should = tried->right[test] + first, *is = tried->yours[test] + first;
        const double angle = times * position(in) * in[W], c = cos(angle), s = sin(angle);
        if (!close_to(is[0], c * should[0] - s * should[1]) || !close_to(is[1], s * should[0] + c * should[1]))
            return false;
    }
    return true;
}

static double position_q(const double *in) {
    return in[I];
}

static double position_k(const double *in) {
    return in[J];
}

// What a scheme that turns has done wrong with the gradient of q or k; NULL if it is not known.
static const char *turn_mistake(const Tried *tried, int first) {
    double (*const position)(const double *) = first == DQ ? position_q : position_k;
    for (int sign = -1; sign <= 1; sign += 2) {
        if (turned_further(tried, first, 2 * sign, distance) || turned_further(tried, first, 2 * sign, position))
            return "It is turned the wrong way: what was turned forward by an angle has a gradient that is turned "
                   "back, "
                   "by the negative angle. Change the sign of the sine in both lines.";
        if (turned_further(tried, first, sign, position))
            return "It is the gradient of the turned point. Turn it back, by the negative angle.";
    }
    return NULL;
}

// What is wrong if a gradient is infinite or not a number; NULL if none is.
static const char *not_finite(const Tried *tried, int index) {
    bool apart = false, together = false; // is it so for two tokens, for a token and itself?
    for (int test = 0; test < TESTS; test++) {
        const bool finite = isfinite(tried->yours[test][index]);
        apart = apart || (!finite && distance(tried->in[test]) > 0);
        together = together || (!finite && distance(tried->in[test]) == 0);
    }
    if (apart) return "It is infinite or not a number (nan). Do you divide by 0?";
    return together
               ? "It is infinite or not a number (nan) for i = j only. There i~-~j is 0: do you divide by it, or by "
                 "its root? Return a gradient of its own for i = j; it must be the slope of your score there."
               : NULL;
}

// What is wrong with a gradient, as far as it is known; or NULL.
static const char *recognise(const Tried *tried, int index) {
    const char *sentence = not_finite(tried, index);
    if (sentence) return sentence;
    if (index >= DQ && has_bias_gradients(tried))
        return "It is still the gradient for a bias. Your scheme turns or scales q and k: change this line.";
    for (int i = 0; i < MISSING; i++)
        if (right_but_for(tried, index, missing[i].factor)) return missing[i].sentence;
    return index >= DQ ? turn_mistake(tried, index < DK ? DQ : DK) : NULL;
}

static bool check_gradient(const Tried *tried, int index) {
    if (right_but_for(tried, index, one)) return true;
    int test = 0;
    const char *sentence = recognise(tried, index);
    while (close_to(tried->yours[test][index], tried->right[test][index])) test++;
    if (sentence)
        say("gradient: %s is wrong. %s", names[index], sentence);
    else
        say("gradient: %s is wrong. It must be dscore times how much your score grows when %s grows by 1.",
            names[index], names[index] + 1);
    say_numbers("input", inputs, tried->in[test]);
    say_gradient("expected", index, tried->right[test][index]);
    say_gradient("found", index, tried->yours[test][index]);
    return false;
}

static bool check_gradients(void) {
    static Tried tried;
    for (int test = 0; test < TESTS; test++) {
        invent(tried.in[test], test);
        right(tried.right[test], tried.in[test]);
        yours(tried.yours[test], tried.in[test], 0);
    }
    for (int index = 0; index < GRADIENTS; index++)
        if (!check_gradient(&tried, index)) return false;
    double again[GRADIENTS];
    yours(again, tried.in[0], 10);
    if (close_to(again[DW], 10 + tried.right[0][DW])) {
        say("gradient: right; dw, dq and dk agree with the slopes of your score");
        return true;
    }
    say("gradient: *dw is overwritten. Add to it with +=, because all queries and keys share one w.");
    say_numbers("before", (Group[]){{"*dw", 1}, {0}}, (double[]){10});
    say_numbers("expected", (Group[]){{"*dw", 1}, {0}}, (double[]){10 + tried.right[0][DW]});
    say_numbers("found", (Group[]){{"*dw", 1}, {0}}, again);
    return false;
}

// --- shift ---
static bool check_shift(void) {
    for (int test = 0; test < TESTS; test++)
        for (int tokens = 1; tokens < 1000; tokens *= 5) {
            double in[MOST];
            invent(in, test);
            const double before = score(in), after = moved_score(in, tokens);
            if (close_to(after, before)) continue;
            say("shift: not only the distance matters. Use i and j only together, as i~-~j.");
            say_numbers("input", inputs, in);
            say_numbers("found", (Group[]){{"score", 1}, {0}}, &before);
            say_numbers("moved", (Group[]){{"i", 1}, {"j", 1}, {"score", 1}, {0}},
                        (double[]){in[I] + tokens, in[J] + tokens, after});
            return false;
        }
    say("shift: right; when query and key both move, the score stays the same");
    return true;
}

static bool called_all(void) {
    double in[MOST], gradients[GRADIENTS];
    invent(in, 0);
    score(in);
    yours(gradients, in, 0);
    return filled_in("");
}

int main(void) {
    begin("7_own_scheme.c");
    if (!called_all()) return EXIT_FAILURE;
    const char *why = idle();
    if (why) {
        say("%s", why);
        return end("own_score()");
    }
    const bool gradients = check_gradients(), shift = check_shift();
    return end(gradients ? shift ? NULL : "own_score()" : shift ? "own_backward()" : "own_score() and own_backward()");
}
