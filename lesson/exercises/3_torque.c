// Exercise 3: the torque on the hand of the clock.
//
// What for: RoPE's angles are chosen by its inventors: the word at position t is turned by t theta, with a fixed theta.
// The scheme rope-learned lets training choose theta. For that we need the gradient of the angle, and then of theta.
//
// Formula, first part: Turn y = (y0, y1) a tiny bit further, by a (radians). It moves at right angles to the hand, to
//
//     (y0 - a y1,  y1 + a y0).
//
// So y0 grows by -y1 for each radian, and y1 grows by y0. Multiply each by its gradient and add: how much the loss
// grows for each radian. In physics, y is a lever, dy is a force at its end, and this number is the torque.
//
// Formula, second part: The token at position t was turned by t theta. When theta grows by 1, its angle grows by t. All
// tokens share one theta, so theta's gradient is a sum over all tokens.
//
// Fill in: torque() for one point; then what one token adds to the gradient of theta.
//
// Hint: torque() has two products, and one of them has a minus. In theta_gradient, call torque(dy[t], y[t]).
#include "exercise.h"

double torque(const double dy[2], const double y[2]) {
    return FILL_IN;
}

// dy and y: (T, 2), the points of the tokens at positions 0, 1, ... T-1, after the turn, and their gradients.
double theta_gradient(const double dy[][2], const double y[][2], int T) {
    double dtheta = 0;
    for (int t = 0; t < T; t++) {
        dtheta += FILL_IN;
    }
    return dtheta;
}
