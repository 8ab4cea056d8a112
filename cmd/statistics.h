// How sure a measured number is.
#ifndef BITTER_STATISTICS_H
#define BITTER_STATISTICS_H

typedef struct {
    double low, high;
} Interval;

// 95% interval for a probability of which `right` of `count` trials are known (Wilson 1927): the probabilities p whose
// own standard error reaches right/count, |right/count - p| <= z sqrt(p (1 - p) / count). 0 to 1 without trials.
Interval wilson(double right, double count);

#endif
