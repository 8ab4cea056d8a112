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

static void torque_mistakes(Guess *guess, const double *in) {
    static const char products[] = "You multiply dy0 by y0 and dy1 by y1. But when the hand turns, y0 grows by -y1, "
                                   "and y1 grows by y0: multiply dy0 and dy1 by these.";
    const double dy0 = in[0], dy1 = in[1], y0 = in[2], y1 = in[3];
    mistake(guess, GIVES(dy0 * y1 - dy1 * y0),
            "The torque has the wrong sign: y0 grows by -y1 for each radian, so the product with dy0 has the "
            "minus.");
    mistake(guess, GIVES(dy1 * y0 + dy0 * y1),
            "The minus is missing: y0 shrinks by y1 for each radian, so the product with dy0 is subtracted.");
    mistake(guess, GIVES(dy0 * y0 + dy1 * y1),
            "You multiply dy0 by y0 and dy1 by y1. That is the force along the hand: it would make the hand longer, "
            "but does not turn it. When the hand turns, y0 grows by -y1, and y1 grows by y0.");
    mistake(guess, GIVES(dy1 * y1 - dy0 * y0), products);
    mistake(guess, GIVES(dy0 * y0 - dy1 * y1), products);
    mistake(guess, GIVES(dy1 * y0), "Half of it: y0 changes as well when the hand turns, by -y1 for each radian.");
    mistake(guess, GIVES(-dy0 * y1), "Half of it: y1 changes as well when the hand turns, by y0 for each radian.");
}

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

static void theta_mistakes(Guess *guess, const double *in) {
    double torques[T]; // of the tokens
    for (int t = 0; t < T; t++) {
        const double *dy = in + 2 * t, *y = in + 2 * T + 2 * t;
        torques[t] = dy[1] * y[0] - dy[0] * y[1];
    }
    const double t0 = torques[0], t1 = torques[1], t2 = torques[2];
    mistake(guess, GIVES(t0 + t1 + t2),
            "The factor t is missing. The token at position t is turned by t theta: if theta grows by 1, its angle "
            "grows by t.");
    mistake(guess, GIVES(t0 + 2 * t1 + 3 * t2),
            "The torque of each token is multiplied by t + 1. Positions begin at 0: the first token is never turned, "
            "so it adds nothing to the gradient of theta.");
    mistake(guess, GIVES(2 * t0 + t1),
            "You count positions from the end. The token at position t is turned by t theta.");
    mistake(guess, GIVES(-t1 - 2 * t2), "The wrong sign: angle = t theta grows when theta grows.");
    mistake(guess, GIVES((t1 + 2 * t2) / T),
            "You divide by the number of tokens. But the gradient is the sum: each token's part of the loss changes "
            "with theta.");
    mistake(guess, GIVES(2 * t2), "Only the last token is left. Add up with +=, because all tokens share theta.");
    // With the factor t and without it: 0 + 1 + 2 = 1 + 1 + 1.
    mistake(guess, GIVES(3 * t0),
            "You take the torque of the first token for all of them: pass the points of token t, torque(dy[t], y[t]).");
    mistake(guess, GIVES(2 * t1 + 2 * t2),
            "dtheta stands on both sides: += adds to it already, so write only what this one token adds.");
    mistake(guess, GIVES(t2), "You take the torque of token t + 1 for token t. Its points are dy[t] and y[t].");
    mistake(guess, GIVES(t0 + 2 * t1),
            "You take the torque of token t - 1 for token t. Its points are dy[t] and y[t].");
    mistake(guess, GIVES(t1 + 4 * t2),
            "The factor t stands there twice. The token is turned by t theta, which grows by t when theta grows by 1.");
}

int main(void) {
    const Check checks[] = {
        {.name = "torque()",
         .in = {{"dy", 2, 1}, {"y", 2, 1}},
         .out = {{"torque", 1}},
         .random = 4,
         .yours = your_torque,
         .right = right_torque,
         .mistakes = torque_mistakes},
        {.name = "theta_gradient()",
         .in = {{"dy[0]", 2, 1}, {"dy[1]", 2, 1}, {"dy[2]", 2, 1}, {"y[0]", 2, 1}, {"y[1]", 2, 1}, {"y[2]", 2, 1}},
         .out = {{"dtheta", 1}},
         .random = 4 * T,
         .yours = your_theta,
         .right = right_theta,
         .mistakes = theta_mistakes},
    };
    return check_exercise("3_torque", checks, 2);
}
