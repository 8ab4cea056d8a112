// Exercise 3: the torque on the hand of the clock.
//
// What it is for: RoPE turns the token at position t by the angle t theta. Its inventors chose theta, and it stays
// fixed. The scheme rope-learned lets training choose theta instead. For that we need the gradient of the angle, and
// then the gradient of theta.
//
// Formula, first part: Turn the point y = (y0, y1) a tiny bit further, by the angle a (in radians). It moves at right
// angles to the hand of the clock, to
//
//     (y0 - a y1,  y1 + a y0).
//
// So y0 grows by -y1 for each radian, and y1 grows by y0. Multiply each by its gradient, dy0 or dy1, and add the two:
// this is how much the loss grows for each radian. In physics, y is a lever, dy is a force at its end, and this number
// is the torque.
//
// Formula, second part: The token at position t was turned by t theta. When theta grows by 1, its angle grows by t. All
// tokens share one theta, so theta's gradient is a sum over all tokens.
//
// Fill in: torque() for one point; then what one token adds to the gradient of theta.
//
// Hint: torque() has two products, and one of them has a minus. In theta_gradient, pass the points of token t:
// torque(dy[t], y[t]).
#include "exercise.h"

#include <math.h>

double torque(const double dy[2], const double y[2]) {
    return FILL_IN;
}

// y: (T, 2), the turned points of the tokens at positions 0, 1, ... T-1. dy: (T, 2), the gradients of these points.
double theta_gradient(const double dy[][2], const double y[][2], int T) {
    double dtheta = 0;
    for (int t = 0; t < T; t++) {
        dtheta += FILL_IN;
    }
    return dtheta;
}
