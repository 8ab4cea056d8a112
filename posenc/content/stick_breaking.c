// Stick-breaking attention: no softmax, and no positions. A query breaks a stick into pieces, one for each key, from
// the nearest key back to the first. Each takes its share of what the nearer ones have left.
#include "posenc/content/gates.h"

#include "posenc/attention_op.h"

#define PART         64    // keys whose shares are computed together
#define LEAST_WEIGHT 1e-26 // smaller weights are 0, as those of a softmax are (weight_of)

typedef struct {
    int own;
} StickOptions;

static const Option stick_options[] = {
    {"own", OPTION_CHOICE, offsetof(StickOptions, own), "no", 0, 0, "no|yes", "WHETHER",
     "yes: the first piece goes to the query's own token; no: to the one before it, as in the paper"},
    {0},
};

// P_j = sigmoid(S_j) rest_j, where rest_j is the product of 1 - sigmoid(S_k) over all nearer keys k > j. Returns the
// rest of the stick after the last key. Both factors are computed without a difference, so they are as exact as their
// logarithms, however large S is; and a product too small for a double belongs to weights that are 0.
static double break_stick(real *S, int n) {
    double rest = 1;
    int end = n;
    for (int begin; end > 0 && !(rest < LEAST_WEIGHT); end = begin) {
        begin = end > PART ? end - PART : 0;
        real *P = S + begin, left[PART]; // left: 1 - sigmoid
#pragma omp simd
        for (int j = 0; j < end - begin; j++) {
            const real e = real_exp(P[j] > 0 ? -P[j] : P[j]), larger = 1 / (1 + e), smaller = e * larger;
            left[j] = P[j] > 0 ? smaller : larger;
            P[j] = P[j] > 0 ? larger : smaller;
        }
        for (int j = end - begin - 1; j >= 0; j--) {
            const double weight = (double)P[j] * rest;
            P[j] = weight < LEAST_WEIGHT ? 0 : (real)weight;
            rest *= (double)left[j];
        }
    }
    memset(S, 0, (size_t)end * sizeof(real));
    return rest;
}

static void weights_forward(real *S, int n) {
    break_stick(S, n);
}

// With g_j = dP_j P_j, dS_j = g_j (1 - sigmoid(S_j)) - sigmoid(S_j) * sum of g_k over k < j: what key j takes, all
// farther keys lose. From the farthest key on, the stick is put together again: before key j took its piece it was
// rest_j = rest_{j-1} + P_j long, so sigmoid(S_j) = P_j / rest_j and 1 - sigmoid(S_j) = rest_{j-1} / rest_j.
static void weights_backward(real *S, real *dP, int n) {
    double rest = break_stick(S, n), farther = 0;
    for (int j = 0; j < n; j++) {
        const double P = (double)S[j], g = P * (double)dP[j], before = rest + P;
        dP[j] = before == 0 ? 0 : (real)((g * rest - P * farther) / before);
        farther += g;
        rest = before;
    }
}

// log P_j = log sigmoid(S_j) + sum of log sigmoid(-S_k) over k > j; and log sigmoid(S) = S + log sigmoid(-S).
static void weights_logs(real *S, int n) {
    double sum = 0;
    for (int j = n - 1; j >= 0; j--) {
        sum += (double)log_sigmoid(-S[j]);
        S[j] += (real)sum;
    }
}

static const WeightsOp *weights(const Position *pos) {
    static const WeightsOp ops[] = {{false, weights_forward, weights_backward, weights_logs},
                                    {true, weights_forward, weights_backward, weights_logs}};
    return &ops[scheme_options(pos, StickOptions)->own];
}

// For each key that a query sees 7 forward (5 a share, 2 the piece) and 7 backward, in place of a softmax's 7.
static double operations(const Position *pos, int T) {
    return all_heads(pos) * 7 * keys_seen(pos, T);
}

static const Family family = {0}; // no hooks: all it does is done by its weights

const Scheme scheme_stick_breaking = {
    .name = "stick-breaking",
    .formula = "P_ij = sigmoid(S_ij) prod of 1 - sigmoid(S_ik) over k = j+1..i-1 (own=yes: ..i), in place of a softmax",
    .paper = "Tan et al. 2024 (2410.17980)",
    .help =
        "A query has a stick, from which its keys break pieces, the nearest first: each takes the share sigmoid(S) of "
        "what is left. So of two keys with equal scores the nearer one counts more, and positions are needed no "
        "more. What is left behind the first token goes to nobody, so a query can also attend to nothing. Nothing "
        "depends on the length.",
    .options = stick_options,
    .enters = ENTERS_CONTENT,
    .position_free = true,
    .relative = true,
    .operations = operations,
    .family = &family,
    .weights = weights,
};
