#include "check.h"

#include <math.h>

// in: dy0, dy1, angle, and then a point x, on which nothing depends
static void yours(double *dx, const double *in) {
    turn_back(dx, in, in[2]);
}

static void yours_in_place(double *dx, const double *in) {
    dx[0] = in[0];
    dx[1] = in[1];
    turn_back(dx, dx, in[2]);
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

static void invent(double *in, int test) {
    invent_numbers(in, 5, test);
}

// What mistakes give. dy0 and dy1 are taken `a` and `b` times for dx0, and `c` and `d` times for dx1.
static void matrix(double *dx, const double *in, double a, double b, double c, double d) {
    dx[0] = a * in[0] + b * in[1];
    dx[1] = c * in[0] + d * in[1];
}

static void forwards(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), -sin(in[2]), sin(in[2]), cos(in[2]));
}

static void first_sign(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), -sin(in[2]), -sin(in[2]), cos(in[2]));
}

static void second_sign(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), sin(in[2]), sin(in[2]), cos(in[2]));
}

static void sine_for_cosine(double *dx, const double *in) {
    matrix(dx, in, sin(in[2]), cos(in[2]), -cos(in[2]), sin(in[2]));
}

static void degrees(double *dx, const double *in) {
    const double angle = in[2] * acos(-1.0) / 180;
    matrix(dx, in, cos(angle), sin(angle), -sin(angle), cos(angle));
}

static void new_dx0(double *dx, const double *in) {
    dx[0] = in[0] * cos(in[2]) + in[1] * sin(in[2]);
    dx[1] = -dx[0] * sin(in[2]) + in[1] * cos(in[2]);
}

static void exchanged(double *dx, const double *in) {
    matrix(dx, in, -sin(in[2]), cos(in[2]), cos(in[2]), sin(in[2]));
}

static void unturned(double *dx, const double *in) {
    matrix(dx, in, 1, 0, 0, 1);
}

static void only_cosine(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), 0, 0, cos(in[2]));
}

static void first_without_0(double *dx, const double *in) {
    matrix(dx, in, 0, sin(in[2]), -sin(in[2]), cos(in[2]));
}

static void first_without_1(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), 0, -sin(in[2]), cos(in[2]));
}

static void second_without_0(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), sin(in[2]), 0, cos(in[2]));
}

static void second_without_1(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), sin(in[2]), -sin(in[2]), 0);
}

static void first_exchanged(double *dx, const double *in) {
    matrix(dx, in, sin(in[2]), cos(in[2]), -sin(in[2]), cos(in[2]));
}

static void second_exchanged(double *dx, const double *in) {
    matrix(dx, in, cos(in[2]), sin(in[2]), -cos(in[2]), sin(in[2]));
}

static const Mistake mistakes[] = {
    {"Your dx is dy turned forwards: the sign of the sine is wrong, in both lines. x0 stands in y1 with plus s, so dy1 "
     "comes to dx[0] with plus s.",
     forwards},
    {"The sine in dx[0] has the wrong sign: x0 stands in y1 with plus s.", first_sign},
    {"The sine in dx[1] has the wrong sign: x1 stands in y0 with minus s.", second_sign},
    {"Sine and cosine are exchanged: x0 stands in y0 with c, so dy0 comes to dx[0] with c.", sine_for_cosine},
    {"You take the angle as degrees. It is in radians, as cos() and sin() want it: no factor is needed.", degrees},
    {"dx[1] is computed from the new dx[0]. It needs the old dy[0], which is still in dy0.", new_dx0},
    {"dx[0] and dx[1] are exchanged: one line has what belongs in the other.", exchanged},
    {"You return dy as it was. But a gradient with respect to y is not yet one with respect to x: turn it.", unturned},
    {"Only half of the chain rule: x0 stands in y0 and in y1, so dx[0] has two terms, and so has dx[1].", only_cosine},
    {"A term is missing in dx[0]: x0 stands in y0 as well, so dy0 has a part in dx[0].", first_without_0},
    {"A term is missing in dx[0]: x0 stands in y1 as well, so dy1 has a part in dx[0].", first_without_1},
    {"A term is missing in dx[1]: x1 stands in y0 as well, so dy0 has a part in dx[1].", second_without_0},
    {"A term is missing in dx[1]: x1 stands in y1 as well, so dy1 has a part in dx[1].", second_without_1},
    {"Sine and cosine are exchanged in dx[0]: x0 stands in y0 with c, so dy0 comes to dx[0] with c.", first_exchanged},
    {"Sine and cosine are exchanged in dx[1]: x1 stands in y1 with c, so dy1 comes to dx[1] with c.", second_exchanged},
    {0},
};

static const Mistake mistakes_in_place[] = {
    {"Right, but not when dx and dy are the same array: writing dx[0] then changes dy[0], which dx[1] still needs. Use "
     "the copies dy0 and dy1.",
     NULL},
    {0},
};

static const char none_right[] =
    "Neither line is right. Try dy = (1, 0) by hand: dx[0] must be how much y0 grows with x0, and dx[1] how much y0 "
    "grows with x1.";

int main(void) {
    const Check checks[] = {
        {"turn_back()", {{"dy", 2}, {"angle", 1}}, {{"dx", 2}}, invent, yours, right, mistakes, 0, 2, 2, none_right},
        {"turn_back()",
         {{"dy", 2}, {"angle", 1}},
         {{"dx", 2}},
         invent,
         yours_in_place,
         right,
         mistakes_in_place,
         0,
         2,
         2},
    };
    return check_exercise("2_turn_back.c", checks, 2);
}
