// One pair of channels and two tokens: the smallest model in which a gradient goes through a rotation. Everything here
// is doubles in, doubles out, so that the lesson's page can call it with numbers in memory.
#ifndef BITTER_PAIR_H
#define BITTER_PAIR_H

#include "posenc/registry.h"

// What the loss depends on: the query of the token at position m, the key of the token at position n, and theta, the
// radians by which the next token turns further. Gradients and slopes of the loss have the same layout.
typedef struct {
    double q[2], k[2], m, n, theta;
} Pair;

enum { PAIR_NUMBERS = 7 }; // q0 q1 k0 k1 m n theta, in this order in memory

// The query, turned by m theta, meets the key, turned by n theta. Attention chooses between this key and another one
// whose score is 0, and should choose this one.
typedef struct {
    double turned_q[2], turned_k[2]; // R(m theta) q, R(n theta) k
    double score;                    // turned_q . turned_k
    double chance;                   // 1 / (1 + e^-score): the attention weight of the key, a softmax over two scores
    double loss;                     // -log chance, in nats
} PairForward;                       // 7 doubles

// The gradients of the loss, from the loss back to what it depends on.
typedef struct {
    double dscore;                     // chance - 1
    double dturned_q[2], dturned_k[2]; // with respect to the turned query and key
    double torque_q, torque_k;         // with respect to their angles m theta and n theta
    Pair d;                            // with respect to the numbers of the pair
} PairBackward;                        // 14 doubles

// Fill *forward.
void pair_forward(PairForward *forward, const Pair *pair);

// Fill *backward from what pair_forward left. `direction` is -1: gradients are turned back, by the negative angle. With
// +1 they are turned in the wrong direction, a mistake for the reader to see: d.q and d.k are then wrong.
void pair_backward(PairBackward *backward, const PairForward *forward, const Pair *pair, int direction);

// Number `which` (0 .. PAIR_NUMBERS-1) of the pair.
double pair_number(const Pair *pair, int which);

// The slope of the loss along that number, by a central difference: (loss(x + h) - loss(x - h)) / 2h. It knows nothing
// of pair_backward, and agrees with it to some nine digits.
double pair_slope(const Pair *pair, int which);

// The score without either token's position: q . R((n - m) theta) k.
double pair_score_by_distance(const Pair *pair);

// lengths (times + 1): the length of a gradient d after 0, 1, 2 ... steps back through y = M x: each multiplies it by
// M^T. `matrix` is M row by row: for a rotation all lengths are the same, for other matrices they grow or fade.
void pair_lengths(double *lengths, const double d[2], const double matrix[4], int times);

// --- a task for a frequency: attend to the token `ago` positions back ---
//
// All tokens have the same query (strength, 0) and the same key R(phase) (1, 0), so the score at distance j is
// strength cos(j theta - phase), and theta alone decides where the last of `tokens` tokens looks. The loss is -log of
// its attention weight at distance `ago`. A key `ago` tokens back has the highest score where ago theta = phase, and
// also where ago theta = phase + 2 pi, phase + 4 pi ...: descent from another start may come to rest at one of these.
typedef struct {
    double ago, tokens, phase, strength; // whole numbers 0 <= ago < tokens <= PAIR_TASK_TOKENS; radians; any
} PairTask;

enum { PAIR_TASK_TOKENS = 512 };

// Return the loss in nats; *dtheta = its slope along theta, from the torques of the query and all keys, each times its
// position; attention (tokens), unless NULL: the weights by distance, attention[0] of the token itself. NaN, and
// nothing written, if the task is not valid.
double pair_task(double *dtheta, double *attention, double theta, const PairTask *task);

// One step of gradient descent on log theta, as rope-learned does it: returns theta e^(-rate theta dtheta), where a
// step changes theta by at most a tenth.
double pair_task_step(double theta, double rate, const PairTask *task);

// --- the numbers in the pictures of the page that one pair does not give ---

// A loss for a single arrow, dy . R(angle) x: its gradient with respect to y = R(angle) x is dy, wherever x points.
double picture_loss(const double x[2], const double dy[2], double angle);

// The slope of that loss by a central difference, when the angle moves by `nudge` both ways.
double picture_angle_slope(const double x[2], const double dy[2], double angle, double nudge);

// lengths (positions): a gradient of length 1 arrives at pair `pair` of a query, or of a key if `keys`, at each
// position; how long it is after the backward pass of rope or xpos, "NAME[:key=value,...]", with 16 channels a head in
// pairs (i, i+8). Fails (input) when the scheme is unknown or does not turn the pair, (run) without memory.
bool picture_lengths(double *lengths, const char *scheme, bool keys, int pair, int positions, Error *error);

// factors (pairs): what the frequencies are divided by, with the defaults of `bitter extend`; all 1 for METHOD_PI with
// factor 1. At least 2 pairs. Returns the factor of cosines and sines. Method: METHOD_PI, METHOD_NTK, METHOD_YARN or
// METHOD_LLAMA3.
double picture_factors(double *factors, Method method, double factor, int original, double base, int pairs);

// q . k with the query at m and the key at n, both turned: q and k (pairs, 2); pair i turns by base^(-i/pairs) /
// factors[i] radians per token.
double picture_score(const double *q, const double *k, const double *factors, double base, int pairs, int m, int n);

#endif
