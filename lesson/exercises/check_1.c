#include "check.h"

#include <math.h>

// in: x0, x1, angle
static void yours(double *y, const double *in) {
    turn(y, in, in[2]);
}

static void yours_in_place(double *y, const double *in) {
    y[0] = in[0];
    y[1] = in[1];
    turn(y, y, in[2]);
}

// The definition of a turn: the length stays, the direction grows by the angle.
static void right(double *y, const double *in) {
    const double length = hypot(in[0], in[1]), direction = atan2(in[1], in[0]);
    y[0] = length * cos(direction + in[2]);
    y[1] = length * sin(direction + in[2]);
}

static void invent(double *in, int test) {
    invent_numbers(in, 3, test);
}

// What mistakes give. x0 and x1 are taken `a` and `b` times for y0, and `c` and `d` times for y1.
static void matrix(double *y, const double *in, double a, double b, double c, double d) {
    y[0] = a * in[0] + b * in[1];
    y[1] = c * in[0] + d * in[1];
}

static void clockwise(double *y, const double *in) {
    matrix(y, in, cos(in[2]), sin(in[2]), -sin(in[2]), cos(in[2]));
}

static void first_sign(double *y, const double *in) {
    matrix(y, in, cos(in[2]), sin(in[2]), sin(in[2]), cos(in[2]));
}

static void second_sign(double *y, const double *in) {
    matrix(y, in, cos(in[2]), -sin(in[2]), -sin(in[2]), cos(in[2]));
}

static void cosine_sign(double *y, const double *in) {
    matrix(y, in, cos(in[2]), -sin(in[2]), sin(in[2]), -cos(in[2]));
}

static void sine_for_cosine(double *y, const double *in) {
    matrix(y, in, sin(in[2]), -cos(in[2]), cos(in[2]), sin(in[2]));
}

static void degrees(double *y, const double *in) {
    const double angle = in[2] * acos(-1.0) / 180;
    matrix(y, in, cos(angle), -sin(angle), sin(angle), cos(angle));
}

static void new_y0(double *y, const double *in) {
    y[0] = in[0] * cos(in[2]) - in[1] * sin(in[2]);
    y[1] = y[0] * sin(in[2]) + in[1] * cos(in[2]);
}

static void exchanged(double *y, const double *in) {
    matrix(y, in, -sin(in[2]), cos(in[2]), cos(in[2]), sin(in[2]));
}

static void exchanged_lines(double *y, const double *in) {
    matrix(y, in, sin(in[2]), cos(in[2]), cos(in[2]), -sin(in[2]));
}

static void unturned(double *y, const double *in) {
    matrix(y, in, 1, 0, 0, 1);
}

static void nothing(double *y, const double *in) {
    matrix(y, in, 0, 0, 0, 0);
}

static void first_without_0(double *y, const double *in) {
    matrix(y, in, 0, -sin(in[2]), sin(in[2]), cos(in[2]));
}

static void first_without_1(double *y, const double *in) {
    matrix(y, in, cos(in[2]), 0, sin(in[2]), cos(in[2]));
}

static void second_without_0(double *y, const double *in) {
    matrix(y, in, cos(in[2]), -sin(in[2]), 0, cos(in[2]));
}

static void second_without_1(double *y, const double *in) {
    matrix(y, in, cos(in[2]), -sin(in[2]), sin(in[2]), 0);
}

static void first_exchanged(double *y, const double *in) {
    matrix(y, in, sin(in[2]), -cos(in[2]), sin(in[2]), cos(in[2]));
}

static void second_exchanged(double *y, const double *in) {
    matrix(y, in, cos(in[2]), -sin(in[2]), cos(in[2]), sin(in[2]));
}

static const Mistake mistakes[] = {
    {"You turn clockwise: the minus belongs to the sine of the first line, y[0], and not to that of the second.",
     clockwise},
    {"The sine in y[0] has the wrong sign: it needs a minus, because (0, 1) goes to (-sin, cos). As it is, (0, 1) "
     "turns "
     "clockwise, while (1, 0) turns counterclockwise.",
     first_sign},
    {"The sine in y[1] has the wrong sign: (1, 0) goes to (cos, sin), so x0 comes with plus s.", second_sign},
    {"The cosine in y[1] has the wrong sign: (0, 1) goes to (-sin, cos). As it is, an angle of 0 turns (0, 1) upside "
     "down.",
     cosine_sign},
    {"Sine and cosine are exchanged. Try the angle 0, where c = 1 and s = 0: the point must stay where it is.",
     sine_for_cosine},
    {"You take the angle as degrees. It is in radians, as cos() and sin() want it: no factor is needed.", degrees},
    {"y[1] is computed from the new y[0]. It needs the old x[0], which is still in x0.", new_y0},
    {"x0 and x1 are exchanged in both lines.", exchanged},
    {"y[0] and y[1] are exchanged: one line has what belongs in the other.", exchanged_lines},
    {"You return x as it was: the point is not turned.", unturned},
    {"You get (0, 0) for every point. Do y[0] and y[1] stand where x0 and x1 belong? They have no value yet.", nothing},
    {"A term is missing in y[0]: x0 times what (1, 0) gets as its first number.", first_without_0},
    {"A term is missing in y[0]: x1 times what (0, 1) gets as its first number.", first_without_1},
    {"A term is missing in y[1]: x0 times what (1, 0) gets as its second number.", second_without_0},
    {"A term is missing in y[1]: x1 times what (0, 1) gets as its second number.", second_without_1},
    {"Sine and cosine are exchanged in y[0]: (1, 0) goes to (cos, sin), so x0 comes with c in y[0].", first_exchanged},
    {"Sine and cosine are exchanged in y[1]: (1, 0) goes to (cos, sin), so x0 comes with s in y[1].", second_exchanged},
    {0},
};

static const Mistake mistakes_in_place[] = {
    {"Right, but not when y and x are the same array: writing y[0] then changes x[0], which y[1] still needs. Use the "
     "copies x0 and x1.",
     NULL},
    {0},
};

static const char none_right[] =
    "Neither line is right. Try x = (1, 0) by hand: y must be (cos, sin). Then try (0, 1), which goes to (-sin, cos).";

int main(void) {
    const Check checks[] = {
        {"turn()", {{"x", 2}, {"angle", 1}}, {{"y", 2}}, invent, yours, right, mistakes, 0, 2, 2, none_right},
        {"turn()", {{"x", 2}, {"angle", 1}}, {{"y", 2}}, invent, yours_in_place, right, mistakes_in_place, 0, 2, 2},
    };
    return check_exercise("1_turn.c", checks, 2);
}
