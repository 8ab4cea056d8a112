#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// in: q (2), k (2), w, dscore, i, j
enum { Q = 0, K = 2, W = 4, DSCORE = 5, I = 6, J = 7, INPUTS = 8 };
enum { DW, DQ, DK = DQ + 2, GRADIENTS = DK + 2 };

static void place(double *in, int test) {
    static const int places[TESTS][2] = {{3, 1}, {5, 0}, {7, 6}, {4, 4}, {9, 2}, {2, 0}, {12, 5}, {8, 5}};
    in[W] = 0.2 + 1.3 * ((test * 3) % TESTS) / (TESTS - 1);
    in[I] = places[test][0];
    in[J] = places[test][1];
}

static double score(const double *in) {
    return own_score(in + Q, in + K, (int)in[I], (int)in[J], in[W]);
}

static void add_gradients(double *out, const double *in) {
    own_backward(&out[DW], out + DQ, out + DK, in[DSCORE], in + Q, in + K, (int)in[I], (int)in[J], in[W]);
}

static void yours(double *out, const double *in) {
    out[DW] = 0;
    add_gradients(out, in);
}

static void right(double *out, const double *in) {
    out[DW] = in[DSCORE] * slope(score, in, W);
    for (int i = 0; i < 2; i++) {
        out[DQ + i] = in[DSCORE] * slope(score, in, Q + i);
        out[DK + i] = in[DSCORE] * slope(score, in, K + i);
    }
}

// --- does the scheme do anything? ---
static bool changes(const double *in, int index, double by) {
    double other[NUMBERS_MOST];
    memcpy(other, in, sizeof other);
    other[index] += by;
    return !close_to(score(in), score(other));
}

// Why it cannot be checked, or has nothing to check; NULL if it can and has.
static const char *idle(const Tried *tried) {
    bool position = false, parameter = false;
    for (int test = 0; test < TESTS; test++) {
        const double *in = tried->in[test];
        if (!isfinite(score(in)))
            return "The score is not a finite number. Do you divide by 0, or take the logarithm of 0? i~-~j may be 0.";
        if (fabs(score(in)) > 1000)
            return "A score is beyond 1000 or -1000, where its slopes cannot be measured accurately. Choose smaller "
                   "numbers: to hide a key, -100 is enough.";
        position = position || changes(in, I, 1) || changes(in, I, 2) || changes(in, J, in[I] - in[J]);
        parameter = parameter || changes(in, W, 0.3);
    }
    if (!position)
        return "Your score is the same at all positions, so it tells the model nothing about them. (In C, 1~/~3 is 0, "
               "because whole numbers divide to whole numbers: write 1.0~/~3.)";
    return parameter ? NULL : "Your score does not change with w, so there is nothing to learn.";
}

// --- gradients ---
// The gradient is right but for a factor that is missing.
static void missing(Guess *guess, double factor, const char *sentence) {
    mistake_if(guess, close_to(guess->yours[guess->at] * factor, guess->right[guess->at]), sentence);
}

// The gradient of q or k is the right one, turned further by this angle.
static void turned(Guess *guess, double angle, const char *sentence) {
    const int first = guess->at < DK ? DQ : DK;
    const double *should = guess->right + first, *is = guess->yours + first, c = cos(angle), s = sin(angle);
    mistake_if(guess,
               guess->at >= DQ && close_to(is[0], c * should[0] - s * should[1]) &&
                   close_to(is[1], s * should[0] + c * should[1]),
               sentence);
}

static void mistakes(Guess *guess, const double *in) {
    static const char wrong_way[] =
        "It is turned the wrong way: forward turns q or k by an angle, so backward turns its gradient back, by the "
        "negative angle. Change the sign of the sine in both lines.";
    static const char not_back[] = "It is the gradient of the turned point. Turn it back, by the negative angle.";
    const double w = in[W], dscore = in[DSCORE], distance = in[I] - in[J];
    const double bias[] = {dscore * in[K], dscore * in[K + 1], dscore * in[Q], dscore * in[Q + 1]}; // dq, dk of a bias
    bool of_bias = guess->at >= DQ;
    for (int i = 0; i < 4; i++) of_bias = of_bias && close_to(guess->yours[DQ + i], bias[i]);
    mistake_if(guess, of_bias,
               "It is still the gradient for a bias. Your scheme turns or scales q and k: change this line.");
    missing(guess, -1, "It has the wrong sign.");
    missing(guess, dscore,
            "The factor dscore is missing: this is how much the score grows, and the chain rule multiplies it by "
            "dscore.");
    missing(guess, -dscore,
            "The factor -dscore is missing: you have how much the score falls, and the chain rule multiplies by "
            "dscore.");
    missing(guess, distance,
            "The factor i~-~j is missing: where the distance multiplies w, it is the chain rule's inner factor.");
    missing(guess, -distance,
            "The factor j~-~i is missing: where the distance multiplies w, it is the chain rule's inner factor.");
    missing(guess, w, "The factor w is missing.");
    missing(guess, 1 / w, "There is a factor w too many. A bias w f(i~-~j) grows by f(i~-~j) when w grows by 1.");
    missing(guess, 2, "The factor 2 is missing: the derivative of w w is 2 w.");
    missing(guess, 2 * w, "The factor 2 w is missing: the derivative of w w is 2 w.");
    for (int sign = -1; sign <= 1; sign += 2) {
        const double angle = sign * w * in[guess->at < DK ? I : J];
        turned(guess, 2 * sign * w * distance, wrong_way);
        turned(guess, 2 * angle, wrong_way);
        turned(guess, angle, not_back);
    }
}

// What is wrong if a gradient is infinite or not a number; NULL if none is.
static const char *not_finite(const Tried *tried, int index) {
    bool apart = false, together = false; // is it so for two tokens, for a token and itself?
    for (int test = 0; test < TESTS; test++) {
        const bool finite = isfinite(tried->yours[test][index]), same = tried->in[test][I] == tried->in[test][J];
        apart = apart || (!finite && !same);
        together = together || (!finite && same);
    }
    if (apart) return "It is infinite or not a number (nan). Do you divide by 0, or take the logarithm of 0 or less?";
    return together
               ? "It is infinite or not a number (nan) for i = j only. There i~-~j is 0: do you divide by it or by its "
                 "root, or take its logarithm? Return a separate gradient for i = j; it must be the slope of your "
                 "score there."
               : NULL;
}

static bool check_gradient(const Tried *tried, int index) {
    const int test = first_wrong(tried, index, 1);
    const Group group[] = {tried->check->out[index], {0}};
    if (test < 0) return true;
    const char *sentence = not_finite(tried, index);
    if (!sentence) sentence = recognise(tried, index, 1);
    if (sentence)
        say("gradient: %s is wrong. %s", group->name, sentence);
    else
        say("gradient: %s is wrong. It must be dscore times how much your score grows when %s grows by 1.", group->name,
            group->name + 1);
    say_numbers("input", tried->check->in, tried->in[test]);
    say_numbers("expected", group, &tried->right[test][index]);
    say_numbers("found", group, &tried->yours[test][index]);
    return false;
}

static bool check_gradients(const Tried *tried) {
    for (int index = 0; index < GRADIENTS; index++)
        if (!check_gradient(tried, index)) return false;
    const double before = 10, expected = before + tried->right[0][DW];
    double found[GRADIENTS] = {before};
    add_gradients(found, tried->in[0]);
    if (close_to(found[DW], expected)) {
        say("gradient: right; dw, dq and dk agree with the slopes of your score");
        return true;
    }
    const Group group[] = {{"*dw", 1}, {0}};
    say("gradient: *dw is overwritten. Add to it with +=, because all queries and keys share one w.");
    say_numbers("before", group, &before);
    say_numbers("expected", group, &expected);
    say_numbers("found", group, found);
    return false;
}

// --- shift ---
static bool check_shift(const Tried *tried) {
    for (int test = 0; test < TESTS; test++)
        for (int tokens = 1; tokens < 1000; tokens *= 5) {
            const double *in = tried->in[test];
            double moved[NUMBERS_MOST];
            memcpy(moved, in, sizeof moved);
            moved[I] += tokens;
            moved[J] += tokens;
            if (close_to(score(moved), score(in))) continue;
            say("shift: not only the distance matters. Use i and j only together, as i~-~j.");
            say_numbers("input", tried->check->in, in);
            say_numbers("found", (Group[]){{"score", 1}, {0}}, GIVES(score(in)));
            say_numbers("moved", (Group[]){{"i", 1}, {"j", 1}, {"score", 1}, {0}},
                        GIVES(moved[I], moved[J], score(moved)));
            return false;
        }
    say("shift: right; when query and key both move, the score stays the same");
    return true;
}

int main(void) {
    static const Check check = {.name = "own_backward()",
                                .in = {{"q", 2}, {"k", 2}, {"w", 1}, {"dscore", 1}, {"i", 1}, {"j", 1}},
                                .out = {{"dw", 1}, {"dq[0]", 1}, {"dq[1]", 1}, {"dk[0]", 1}, {"dk[1]", 1}},
                                .random = INPUTS,
                                .adapt = place,
                                .yours = yours,
                                .right = right,
                                .mistakes = mistakes};
    static Tried tried; // large
    begin("7_own_scheme");
    try_all(&tried, &check);
    if (!filled_in("")) return EXIT_FAILURE;
    const char *why = idle(&tried);
    if (why) {
        say("%s", why);
        return end("own_score()");
    }
    const bool gradients = check_gradients(&tried), shift = check_shift(&tried);
    return end(gradients ? shift ? NULL : "own_score()" : shift ? "own_backward()" : "own_score() and own_backward()");
}
