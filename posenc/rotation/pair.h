// RoPE for one pair of channels of one token, in double, defined and explained in rope.c. rotate.c does the same for
// all pairs, heads and tokens, fast; tests/posenc/double_rope.c compares the two.
#ifndef BITTER_PAIR_H
#define BITTER_PAIR_H

// Radians a token by which pair 0 .. d/2-1 of the d channels that turn is turned: base^(-2 pair / d).
double rope_theta(double base, int pair, int d);

// y = R(angle) x. y may be x.
void rope_pair_forward(double y[2], const double x[2], double angle);

// dx = R(-angle) dy. dx may be dy.
void rope_pair_backward(double dx[2], const double dy[2], double angle);

// The gradient of the loss by the angle, from y = R(angle) x and dy.
double rope_pair_torque(const double dy[2], const double y[2]);

#endif
