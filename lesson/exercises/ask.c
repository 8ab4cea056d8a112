// The functions of the exercises for check.py. Instead of computing, each asks for its numbers on standard output, such
// as "? turn 2 1 0 0.5" for two numbers, and reads them from standard input. "blank LINE" is the answer where FILL_IN
// still stands.
#include "exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_numbers(const double *numbers, int count) {
    for (int i = 0; i < count; i++) printf(" %.17g", numbers[i]);
}

// Fill answers (count) with what `function` gives for the numbers a (a_count) and b (b_count).
static void ask(const char *function, double *answers, int count, const double *a, int a_count, const double *b,
                int b_count) {
    int line;
    printf("? %s %d", function, count);
    print_numbers(a, a_count);
    print_numbers(b, b_count);
    printf("\n");
    fflush(stdout);
    memset(answers, 0, (size_t)count * sizeof *answers);
    if (scanf(" blank %d", &line) == 1) {
        blank(line);
        return;
    }
    for (int i = 0; i < count; i++)
        if (scanf("%lf", &answers[i]) != 1) exit(2); // check.py has ended
}

static double ask_one(const char *function, const double *a, int a_count, const double *b, int b_count) {
    double answer;
    ask(function, &answer, 1, a, a_count, b, b_count);
    return answer;
}

void turn(double y[2], const double x[2], double angle) {
    ask("turn", y, 2, (double[]){x[0], x[1]}, 2, &angle, 1);
}

void turn_back(double dx[2], const double dy[2], double angle) {
    ask("turn_back", dx, 2, (double[]){dy[0], dy[1]}, 2, &angle, 1);
}

double torque(const double dy[2], const double y[2]) {
    return ask_one("torque", dy, 2, y, 2);
}

double theta_gradient(const double dy[][2], const double y[][2], int T) {
    return ask_one("theta_gradient", dy[0], 2 * T, y[0], 2 * T);
}

double slope_gradient(const double *dS, int T) {
    return ask_one("slope_gradient", dS, T * T, NULL, 0);
}

double sigma_gradient(double dm, double m) {
    return ask_one("sigma_gradient", &dm, 1, &m, 1);
}

int bucket(int distance, int buckets, int last) {
    return (int)ask_one("bucket", (double[]){distance, buckets, last}, 3, NULL, 0);
}

void softmax_backward(double *dS, const double *dP, const double *P, int n) {
    ask("softmax_backward", dS, n, dP, n, P, n);
}

double own_score(const double q[2], const double k[2], int i, int j, double w) {
    return ask_one("own_score", (double[]){q[0], q[1], k[0], k[1]}, 4, (double[]){i, j, w}, 3);
}

void own_backward(double *dw, double dq[2], double dk[2], double dscore, const double q[2], const double k[2], int i,
                  int j, double w) {
    double answers[5];
    ask("own_backward", answers, 5, (double[]){dscore, q[0], q[1], k[0], k[1]}, 5, (double[]){i, j, w}, 3);
    *dw += answers[0];
    memcpy(dq, answers + 1, 2 * sizeof *dq);
    memcpy(dk, answers + 3, 2 * sizeof *dk);
}
