#include "check.h"

#include <math.h>

enum { T = 3 };

// --- torque: in: dy0, dy1, y0, y1, and 0, the angle by which y is turned further ---
static void your_torque(double *dangle, const double *in) {
    *dangle = torque(in, in + 2);
}

// A loss whose gradient with respect to the point is dy.
static double loss_of(const double *dy, const double *y, double angle) {
    const double c = cos(angle), s = sin(angle);
    return dy[0] * (y[0] * c - y[1] * s) + dy[1] * (y[0] * s + y[1] * c);
}

static double loss(const double *in) {
    return loss_of(in, in + 2, in[4]);
}

static void right_torque(double *dangle, const double *in) {
    *dangle = slope(loss, in, 4);
}

static void invent(double *in, int test) {
    invent_numbers(in, 4, test);
    in[4] = 0;
}

static void other_way(double *dangle, const double *in) {
    *dangle = in[0] * in[3] - in[1] * in[2];
}

static void plus(double *dangle, const double *in) {
    *dangle = in[1] * in[2] + in[0] * in[3];
}

static void along(double *dangle, const double *in) {
    *dangle = in[0] * in[2] + in[1] * in[3];
}

static void along_minus(double *dangle, const double *in) {
    *dangle = in[1] * in[3] - in[0] * in[2];
}

static void along_other_minus(double *dangle, const double *in) {
    *dangle = in[0] * in[2] - in[1] * in[3];
}

static void first_only(double *dangle, const double *in) {
    *dangle = in[1] * in[2];
}

static void second_only(double *dangle, const double *in) {
    *dangle = -in[0] * in[3];
}

static const Mistake torque_mistakes[] = {
    {"The torque has the wrong sign: y0 grows by -y1 for each radian, so the product with dy0 has the minus.",
     other_way},
    {"The minus is missing: y0 shrinks by y1 for each radian, so the product with dy0 is subtracted.", plus},
    {"You multiply dy0 by y0 and dy1 by y1. That is the force along the hand: it would make the hand longer, but does "
     "not turn it. When the hand turns, y0 grows by -y1, and y1 grows by y0.",
     along},
    {"You multiply dy0 by y0 and dy1 by y1. But when the hand turns, y0 grows by -y1, and y1 grows by y0: multiply dy0 "
     "and dy1 by these.",
     along_minus},
    {"You multiply dy0 by y0 and dy1 by y1. But when the hand turns, y0 grows by -y1, and y1 grows by y0: multiply dy0 "
     "and dy1 by these.",
     along_other_minus},
    {"Half of it: y0 changes as well when the hand turns, by -y1 for each radian.", first_only},
    {"Half of it: y1 changes as well when the hand turns, by y0 for each radian.", second_only},
    {0},
};

// --- theta: in: dy (T, 2), y (T, 2), and 0, by which theta grows ---
// Zeros stand before the first token and after the last, for a mistake that reads them.
static void your_theta(double *dtheta, const double *in) {
    double dy[T + 2][2] = {0}, y[T + 2][2] = {0};
    for (int t = 0; t < T; t++)
        for (int i = 0; i < 2; i++) dy[t + 1][i] = in[2 * t + i], y[t + 1][i] = in[2 * T + 2 * t + i];
    *dtheta = theta_gradient((const double(*)[2])dy + 1, (const double(*)[2])y + 1, T);
}

static double loss_of_theta(const double *in) {
    double sum = 0;
    for (int t = 0; t < T; t++) sum += loss_of(in + 2 * t, in + 2 * T + 2 * t, t * in[4 * T]);
    return sum;
}

static void right_theta(double *dtheta, const double *in) {
    *dtheta = slope(loss_of_theta, in, 4 * T);
}

static void invent_theta(double *in, int test) {
    invent_numbers(in, 4 * T, test);
    in[4 * T] = 0;
}

static double torque_at(const double *in, int t) {
    const double *dy = in + 2 * t, *y = in + 2 * T + 2 * t;
    return dy[1] * y[0] - dy[0] * y[1];
}

// The sum over all tokens of (before + by t) times the torque.
static double weighted(const double *in, double before, double by) {
    double sum = 0;
    for (int t = 0; t < T; t++) sum += (before + by * t) * torque_at(in, t);
    return sum;
}

static void without_t(double *dtheta, const double *in) {
    *dtheta = weighted(in, 1, 0);
}

static void from_1(double *dtheta, const double *in) {
    *dtheta = weighted(in, 1, 1);
}

static void backwards(double *dtheta, const double *in) {
    *dtheta = weighted(in, T - 1, -1);
}

static void minus(double *dtheta, const double *in) {
    *dtheta = weighted(in, 0, -1);
}

static void mean(double *dtheta, const double *in) {
    *dtheta = weighted(in, 0, 1.0 / T);
}

// With the factor t and without it: 0 + 1 + 2 = 1 + 1 + 1.
static void first_point(double *dtheta, const double *in) {
    *dtheta = T * torque_at(in, 0);
}

static void last_only(double *dtheta, const double *in) {
    *dtheta = (T - 1) * torque_at(in, T - 1);
}

static void added_twice(double *dtheta, const double *in) {
    *dtheta = 0;
    for (int t = 0; t < T; t++) *dtheta += *dtheta + t * torque_at(in, t);
}

static void next_point(double *dtheta, const double *in) {
    *dtheta = weighted(in, -1, 1) + torque_at(in, 0); // nothing comes after the last
}

static void point_before(double *dtheta, const double *in) {
    *dtheta = weighted(in, 1, 1) - T * torque_at(in, T - 1); // the last is before none
}

static void squared(double *dtheta, const double *in) {
    *dtheta = 0;
    for (int t = 0; t < T; t++) *dtheta += t * t * torque_at(in, t);
}

static const Mistake theta_mistakes[] = {
    {"The factor t is missing. The token at position t is turned by t theta: if theta grows by 1, its angle grows by "
     "t.",
     without_t},
    {"The torque of each token is multiplied by t + 1. Positions begin at 0: the first token is never turned, so it "
     "does not pull at theta.",
     from_1},
    {"You count positions from the end. The token at position t is turned by t theta.", backwards},
    {"The wrong sign: angle = t theta grows when theta grows.", minus},
    {"You divide by the number of tokens. But the gradient is the sum: each token's part of the loss changes with "
     "theta.",
     mean},
    {"Only the last token is left. Add up with +=, because all tokens share theta.", last_only},
    {"You take the torque of the first token for all of them: pass the points of token t, torque(dy[t], y[t]).",
     first_point},
    {"dtheta stands on both sides: += adds to it already, so write only what this one token adds.", added_twice},
    {"You take the torque of token t + 1 for token t. Its points are dy[t] and y[t].", next_point},
    {"You take the torque of token t - 1 for token t. Its points are dy[t] and y[t].", point_before},
    {"The factor t stands there twice. The token is turned by t theta, which grows by t when theta grows by 1.",
     squared},
    {0},
};

int main(void) {
    const Check checks[] = {
        {"torque()", {{"dy", 2}, {"y", 2}}, {{"torque", 1}}, invent, your_torque, right_torque, torque_mistakes, 0, 4},
        {"theta_gradient()",
         {{"dy[0]", 2}, {"dy[1]", 2}, {"dy[2]", 2}, {"y[0]", 2}, {"y[1]", 2}, {"y[2]", 2}},
         {{"dtheta", 1}},
         invent_theta,
         your_theta,
         right_theta,
         theta_mistakes,
         0,
         4 * T},
    };
    return check_exercise("3_torque.c", checks, 2);
}
