#include "check.h"

#include <math.h>

enum { DISTANCES = 301, SETTINGS = 5 }; // of each setting, distances 0 to 300 are tested

// T5's published code gives these: the first distance of each bucket of the second half. With the last two settings,
// for which the formula has to do, last / exact is no whole number, or the halves are unequal.
static const struct {
    int buckets, last, first[17];
} settings[SETTINGS] = {
    {32, 128, {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}},
    {16, 64, {8, 11, 14, 18, 23, 30, 39, 50}},
    {8, 32, {4, 7, 12, 20}},
    {12, 100, {0}},
    {9, 50, {0}},
};

// in: distance, buckets, last, setting
static void choose(double *in, int test) {
    in[3] = test / DISTANCES;
    in[0] = test % DISTANCES;
    in[1] = settings[test / DISTANCES].buckets;
    in[2] = settings[test / DISTANCES].last;
}

static void yours(double *number, const double *in) {
    *number = bucket((int)in[0], (int)in[1], (int)in[2]);
}

// The formula, with `part` of the way and so many buckets for all of it, and without an end.
static double endless(const double *in, double part, int pieces) {
    const int exact = (int)in[1] / 2;
    return in[0] < exact ? in[0] : exact + (int)(part * pieces);
}

static double formula(const double *in, double part, int pieces) {
    return fmin(endless(in, part, pieces), in[1] - 1);
}

static double logarithm(const double *in) {
    const int exact = (int)in[1] / 2;
    return log(in[0] / exact) / log(in[2] / exact);
}

static void right(double *number, const double *in) {
    const int buckets = (int)in[1], exact = buckets / 2, *first = settings[(int)in[3]].first;
    if (first[0] == 0) {
        *number = formula(in, logarithm(in), buckets - exact);
        return;
    }
    *number = fmin(in[0], exact);
    for (int n = 1; n < buckets - exact; n++) *number += in[0] >= first[n];
}

static void mistakes(Guess *guess, const double *in) {
    const int distance = (int)in[0], buckets = (int)in[1], last = (int)in[2], exact = buckets / 2,
              pieces = buckets - exact;
    const bool near = distance < exact;
    const double part = logarithm(in), should = guess->right[0], from_exact = log((double)distance / exact),
                 whole = log(distance / exact), to_last = log((double)last / exact), whole_last = log(last / exact);
    mistake(
        guess, GIVES(formula(in, whole / to_last, pieces)),
        "distance / exact drops the fraction, so 17 / 16 is 1. For whole numbers, write (double)distance / exact in C, "
        "and / instead of // in Python.");
    mistake(
        guess, GIVES(formula(in, from_exact / whole_last, pieces)),
        "last / exact drops the fraction, so 100 / 6 is 16. For whole numbers, write (double)last / exact in C, and / "
        "instead of // in Python.");
    mistake(guess, GIVES(formula(in, whole / whole_last, pieces)),
            "distance / exact and last / exact drop the fraction, so 17 / 16 is 1. For whole numbers, write "
            "(double)distance / exact and (double)last / exact in C, and / instead of // in Python.");
    mistake(guess, GIVES(endless(in, part, pieces)),
            "The end is missing: there are only buckets 0 to buckets~-~1, but `number` can be larger. Then return "
            "buckets~-~1.");
    mistake(guess, GIVES(fmin(endless(in, part, pieces), buckets)),
            "The last bucket has the number buckets~-~1, because the first has the number 0. You go as far as "
            "`buckets`.");
    mistake(guess, GIVES(near ? distance : fmin(should, buckets - 2)),
            "Your last bucket is buckets~-~2. Buckets are counted from 0, so the last one is buckets~-~1.");
    mistake(guess, GIVES(near ? distance : fmin(endless(in, part, pieces) - exact, buckets - 1)),
            "`number` starts again at 0. The first `exact` buckets are taken already: add exact.");
    mistake(guess, GIVES(formula(in, part, buckets)),
            "You divide the range into `buckets` pieces. But `exact` of the buckets are taken already: buckets~-~exact "
            "are left.");
    mistake(guess, GIVES(formula(in, part, exact)),
            "You divide the range into `exact` pieces. buckets~-~exact are left, which is not the same when `buckets` "
            "is odd.");
    mistake(guess, GIVES(formula(in, round(part * pieces), 1)),
            "You round to the nearest bucket. Round down what part * (buckets - exact) gives.");
    mistake(guess, GIVES(formula(in, ceil(part * pieces), 1)),
            "You round up. Round down what part * (buckets - exact) gives.");
    mistake(
        guess, GIVES(near ? distance : formula(in, floor(part), pieces)),
        "You round `part` down to a whole number before you multiply, so it is 0 until the end. Multiply first, and "
        "put the product in brackets: (part * (buckets - exact)).");
    mistake(guess, GIVES(formula(in, (double)(distance - exact) / (last - exact), pieces)),
            "Your buckets are equally wide. Take logarithms, so that they get wider with the distance.");
    mistake(guess, GIVES(formula(in, from_exact / log(last), pieces)),
            "You divide by log(last). The logarithm must be 1 at distance = last, so divide by log(last / exact).");
    mistake(guess, GIVES(formula(in, log(distance) / log(last), pieces)),
            "You divide log(distance) by log(last). Both distances are measured from exact: log(distance / exact) / "
            "log(last / exact).");
    mistake(guess, GIVES(fmin(distance, buckets - 1)),
            "You give every distance its own bucket until they run out. Only the first half of the buckets is for one "
            "distance each.");
    mistake(guess, GIVES(near ? 0 : should),
            "Near distances must not share: below exact, the bucket is the distance itself.");
    mistake(guess, GIVES(near ? distance + 1 : should),
            "Near distances are counted from 0: below exact, the bucket is the distance itself.");
}

// What every sorting into buckets has, whatever its formula: `is` (DISTANCES) are the buckets of one setting.
static void say_general(double is[][NUMBERS_MOST], int buckets, int last) {
    for (int distance = 1; distance < DISTANCES; distance++) {
        const int before = (int)is[distance - 1][0], now = (int)is[distance][0];
        if (now < 0 || now >= buckets) {
            say("Distance %d is put into bucket %d, but there are only buckets 0 to %d.", distance, now, buckets - 1);
            return;
        }
        if (now < before) {
            say("The bucket must never fall when the distance grows. Yours falls from %d at distance %d to %d at %d.",
                before, distance - 1, now, distance);
            return;
        }
    }
    for (int distance = last; distance < DISTANCES; distance++)
        if (is[distance][0] != buckets - 1) {
            say("From `last` on, everything belongs in the last bucket, %d.", buckets - 1);
            return;
        }
    say("No mistake that this checker knows gives these buckets. Follow this example by hand:");
}

static int report(Tried *tried, int test) {
    const int setting = test / DISTANCES, first = test % DISTANCES;
    int wrong = 0; // distances of this setting
    for (int n = test; n < (setting + 1) * DISTANCES; n++) wrong += tried->yours[n][0] != tried->right[n][0];
    if (first > 0 && wrong == DISTANCES - first)
        say("Right for distances below %d, wrong from %d on.", first, first);
    else if (first > 0)
        say("Right for distances below %d, but of those from %d to %d, %d are wrong.", first, first, DISTANCES - 1,
            wrong);
    const char *sentence = recognise(tried, 0, 1);
    if (sentence)
        say("%s", sentence);
    else
        say_general(tried->yours + setting * DISTANCES, settings[setting].buckets, settings[setting].last);
    say_example(tried, test);
    return end(tried->check->name);
}

int main(void) {
    static const Check check = {.name = "bucket()",
                                .in = {{"distance", 1}, {"buckets", 1}, {"last", 1}},
                                .out = {{"bucket", 1}},
                                .tests = SETTINGS * DISTANCES,
                                .adapt = choose,
                                .yours = yours,
                                .right = right,
                                .mistakes = mistakes,
                                .report = report};
    return check_exercise("5_buckets", &check, 1);
}
