// A second solution of exercise 7: query and key are turned by i w and j w. With a = (j - i) w, the score is then q .
// R(a) k, the gradient of q is the key turned by a, and that of k is the query turned back.
#include "exercise.h"

#include <math.h>

double own_score(const double q[2], const double k[2], int i, int j, double w) {
    const double c = cos((j - i) * w), s = sin((j - i) * w);
    return c * (q[0] * k[0] + q[1] * k[1]) + s * (q[1] * k[0] - q[0] * k[1]);
}

void own_backward(double *dw, double dq[2], double dk[2], double dscore, const double q[2], const double k[2], int i,
                  int j, double w) {
    const double c = cos((j - i) * w), s = sin((j - i) * w);
    dq[0] = dscore * (c * k[0] - s * k[1]);
    dq[1] = dscore * (s * k[0] + c * k[1]);
    dk[0] = dscore * (c * q[0] + s * q[1]);
    dk[1] = dscore * (-s * q[0] + c * q[1]);
    const double da = dscore * (c * (q[1] * k[0] - q[0] * k[1]) - s * (q[0] * k[0] + q[1] * k[1]));
    *dw += (j - i) * da;
}
