// What the exercises and their checker share. You need not change anything here.
#ifndef EXERCISE_H
#define EXERCISE_H

// FILL_IN stands where an expression of yours belongs. It compiles, so that you can do one exercise after the other;
// the checker says in which line it still stands.
#define FILL_IN blank(__LINE__)
double blank(int line);

void turn(double y[2], const double x[2], double angle);
void turn_back(double dx[2], const double dy[2], double angle);
double torque(const double dy[2], const double y[2]);
double theta_gradient(const double dy[][2], const double y[][2], int T);
double slope_gradient(const double *dS, int T);
double sigma_gradient(double dm, double m);
int bucket(int distance, int buckets, int last);
void softmax_backward(double *dS, const double *dP, const double *P, int n);
double own_score(const double q[2], const double k[2], int i, int j, double w);
void own_backward(double *dw, double dq[2], double dk[2], double dscore, const double q[2], const double k[2], int i,
                  int j, double w);

#endif
