#include "check.h"

#include <math.h>

// in: x0, x1, angle
static void yours(double *y, const double *in) {
    turn(y, in, in[2]);
}

// The definition of a turn: the length stays, the direction grows by the angle.
static void right(double *y, const double *in) {
    const double length = hypot(in[0], in[1]), direction = atan2(in[1], in[0]);
    y[0] = length * cos(direction + in[2]);
    y[1] = length * sin(direction + in[2]);
}

static void mistakes(Guess *guess, const double *in) {
    const double x0 = in[0], x1 = in[1], c = cos(in[2]), s = sin(in[2]), degrees = in[2] * acos(-1.0) / 180;
    const double y0 = c * x0 - s * x1, y1 = s * x0 + c * x1;
    mistake(
        guess, GIVES(c * x0 + s * x1, -s * x0 + c * x1),
        "You turn clockwise: the minus belongs to the sine of the first line, y[0], and not to that of the second.");
    mistake(guess, GIVES(c * x0 + s * x1, y1),
            "The sine in y[0] has the wrong sign: it needs a minus, because (0, 1) goes to (-sin, cos). As it is, "
            "(0, 1) turns clockwise, while (1, 0) turns counterclockwise.");
    mistake(guess, GIVES(y0, -s * x0 + c * x1),
            "The sine in y[1] has the wrong sign: (1, 0) goes to (cos, sin), so x0 comes with plus s.");
    mistake(guess, GIVES(y0, s * x0 - c * x1),
            "The cosine in y[1] has the wrong sign: (0, 1) goes to (-sin, cos). As it is, an angle of 0 turns (0, 1) "
            "upside down.");
    mistake(guess, GIVES(s * x0 - c * x1, c * x0 + s * x1),
            "Sine and cosine are exchanged. Try the angle 0, where c = 1 and s = 0: the point must stay where it is.");
    mistake(guess, GIVES(cos(degrees) * x0 - sin(degrees) * x1, sin(degrees) * x0 + cos(degrees) * x1),
            "You take the angle as degrees. It is in radians, as cos() and sin() expect: no factor is needed.");
    mistake(guess, GIVES(y0, s * y0 + c * x1),
            "y[1] is computed from the new y[0]. It needs the old x[0], which is still in x0.");
    mistake(guess, GIVES(c * x1 - s * x0, s * x1 + c * x0), "x0 and x1 are exchanged in both lines.");
    mistake(guess, GIVES(y1, y0), "y[0] and y[1] are exchanged: one line has what belongs in the other.");
    mistake(guess, GIVES(x0, x1), "You return x as it was: the point is not turned.");
    mistake(guess, GIVES(0, 0),
            "You get (0, 0) for every point. Did you write y[0] and y[1] instead of x0 and x1? y has no values yet.");
    mistake(guess, GIVES(-s * x1, y1), "A term is missing in y[0]: x0 times what (1, 0) gets as its first number.");
    mistake(guess, GIVES(c * x0, y1), "A term is missing in y[0]: x1 times what (0, 1) gets as its first number.");
    mistake(guess, GIVES(y0, c * x1), "A term is missing in y[1]: x0 times what (1, 0) gets as its second number.");
    mistake(guess, GIVES(y0, s * x0), "A term is missing in y[1]: x1 times what (0, 1) gets as its second number.");
    mistake(guess, GIVES(s * x0 - c * x1, y1),
            "Sine and cosine are exchanged in y[0]: (1, 0) goes to (cos, sin), so x0 comes with c in y[0].");
    mistake(guess, GIVES(y0, c * x0 + s * x1),
            "Sine and cosine are exchanged in y[1]: (1, 0) goes to (cos, sin), so x0 comes with s in y[1].");
}

static const char none_right[] =
    "Neither line is right. Try x = (1, 0) by hand: y must be (cos, sin). Then try (0, 1), which goes to (-sin, cos).";

static const char in_place[] =
    "Right, but not when y and x are the same array: writing y[0] then changes x[0], which y[1] still "
    "needs. Use the copies x0 and x1.";

int main(void) {
    const Check check = {.name = "turn()",
                         .in = {{"x", 2, 1}, {"angle", 1, 0.5}},
                         .out = {{"y", 2}},
                         .random = 3,
                         .yours = yours,
                         .right = right,
                         .mistakes = mistakes,
                         .none_right = none_right,
                         .in_place = in_place};
    return check_exercise("1_turn", &check, 1);
}
