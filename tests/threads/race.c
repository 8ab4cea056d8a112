// Is a race reported, and nothing else? Without an argument this program has no race: OpenMP's barriers and its sum
// order all reads after the writes. With an argument, its threads count in one variable.
#include <stdio.h>

static double numbers[64];

int main(int argc, char **argv) {
    const int race = argc > 1;
    double sum = 0;
    int count = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < 64; i++) numbers[i] = i;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 64; i++) sum += numbers[63 - i];
        if (race) count++;
    }
    printf("%g %d\n", sum, count);
    return 0;
}
