#include "check.h"

#include <math.h>

// in: dy0, dy1, angle, and then a point x, on which nothing depends
static void yours(double *dx, const double *in) {
    turn_back(dx, in, in[2]);
}

// A loss whose gradient with respect to y is dy: dy0 y0 + dy1 y1.
static double loss(const double *in) {
    const double c = cos(in[2]), s = sin(in[2]), x0 = in[3], x1 = in[4];
    return in[0] * (x0 * c - x1 * s) + in[1] * (x0 * s + x1 * c);
}

static void right(double *dx, const double *in) {
    dx[0] = slope(loss, in, 3);
    dx[1] = slope(loss, in, 4);
}

static void mistakes(Guess *guess, const double *in) {
    const double dy0 = in[0], dy1 = in[1], c = cos(in[2]), s = sin(in[2]), degrees = in[2] * acos(-1.0) / 180;
    const double dx0 = c * dy0 + s * dy1, dx1 = -s * dy0 + c * dy1;
    mistake(guess, GIVES(c * dy0 - s * dy1, s * dy0 + c * dy1),
            "Your dx is dy turned forwards: the sign of the sine is wrong, in both lines. x0 stands in y1 with plus s, "
            "so dy1 comes to dx[0] with plus s.");
    mistake(guess, GIVES(c * dy0 - s * dy1, dx1), "The sine in dx[0] has the wrong sign: x0 stands in y1 with plus s.");
    mistake(guess, GIVES(dx0, s * dy0 + c * dy1),
            "The sine in dx[1] has the wrong sign: x1 stands in y0 with minus s.");
    mistake(guess, GIVES(s * dy0 + c * dy1, -c * dy0 + s * dy1),
            "Sine and cosine are exchanged: x0 stands in y0 with c, so dy0 comes to dx[0] with c.");
    mistake(guess, GIVES(cos(degrees) * dy0 + sin(degrees) * dy1, -sin(degrees) * dy0 + cos(degrees) * dy1),
            "You take the angle as degrees. It is in radians, as cos() and sin() expect: no factor is needed.");
    mistake(guess, GIVES(dx0, -s * dx0 + c * dy1),
            "dx[1] is computed from the new dx[0]. It needs the old dy[0], which is still in dy0.");
    mistake(guess, GIVES(dx1, dx0), "dx[0] and dx[1] are exchanged: one line has what belongs in the other.");
    mistake(guess, GIVES(dy0, dy1),
            "You return dy as it was. But a gradient with respect to y is not yet one with respect to x: turn it.");
    mistake(guess, GIVES(c * dy0, c * dy1),
            "Only half of the chain rule: x0 stands in y0 and in y1, so dx[0] has two terms, and so has dx[1].");
    mistake(guess, GIVES(s * dy1, dx1),
            "A term is missing in dx[0]: x0 stands in y0 as well, so dx[0] has a term with dy0.");
    mistake(guess, GIVES(c * dy0, dx1),
            "A term is missing in dx[0]: x0 stands in y1 as well, so dx[0] has a term with dy1.");
    mistake(guess, GIVES(dx0, c * dy1),
            "A term is missing in dx[1]: x1 stands in y0 as well, so dx[1] has a term with dy0.");
    mistake(guess, GIVES(dx0, -s * dy0),
            "A term is missing in dx[1]: x1 stands in y1 as well, so dx[1] has a term with dy1.");
    mistake(guess, GIVES(s * dy0 + c * dy1, dx1),
            "Sine and cosine are exchanged in dx[0]: x0 stands in y0 with c, so dy0 comes to dx[0] with c.");
    mistake(guess, GIVES(dx0, -c * dy0 + s * dy1),
            "Sine and cosine are exchanged in dx[1]: x1 stands in y1 with c, so dy1 comes to dx[1] with c.");
}

static const char none_right[] =
    "Neither line is right. Try dy = (1, 0) by hand: dx[0] must be how much y0 grows with x0, and dx[1] how much y0 "
    "grows with x1.";

static const char in_place[] =
    "Right, but not when dx and dy are the same array: writing dx[0] then changes dy[0], which dx[1] still "
    "needs. Use the copies dy0 and dy1.";

int main(void) {
    const Check check = {.name = "turn_back()",
                         .in = {{"dy", 2, 1}, {"angle", 1, 0.5}},
                         .out = {{"dx", 2}},
                         .random = 5,
                         .yours = yours,
                         .right = right,
                         .mistakes = mistakes,
                         .none_right = none_right,
                         .in_place = in_place};
    return check_exercise("2_turn_back", &check, 1);
}
