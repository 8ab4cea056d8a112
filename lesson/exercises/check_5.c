#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { FARTHEST = 300 };

typedef struct {
    int buckets, last;
} Setting;

typedef int Bucket(int distance, Setting setting);

// --- what is right ---
// T5's published code gives these: the first distance of each bucket of the second half.
typedef struct {
    Setting setting;
    int first[17];
} Published;

static const Published published[] = {
    {{32, 128}, {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}},
    {{16, 64}, {8, 11, 14, 18, 23, 30, 39, 50}},
    {{8, 32}, {4, 7, 12, 20}},
};
enum { PUBLISHED = 3, SETTINGS = 5 };

// With these, last / exact is no whole number, and the halves are unequal.
static const Setting more_settings[] = {{12, 100}, {9, 50}};

static int yours(int distance, Setting at) {
    return bucket(distance, at.buckets, at.last);
}

static double logarithm(int distance, Setting at) {
    const double exact = at.buckets / 2;
    return log(distance / exact) / log(at.last / exact);
}

static int at_most(int number, int most) {
    return number < most ? number : most;
}

// The formula, with `part` of the way and so many buckets for all of it.
static int formula(int distance, Setting at, double part, int pieces) {
    const int exact = at.buckets / 2;
    return distance < exact ? distance : at_most(exact + (int)(part * pieces), at.buckets - 1);
}

static int right(int distance, Setting at) {
    for (int i = 0; i < PUBLISHED; i++) {
        if (published[i].setting.buckets != at.buckets || published[i].setting.last != at.last) continue;
        int number = at.buckets / 2;
        if (distance < number) return distance;
        for (int n = 1; n < at.buckets - at.buckets / 2; n++) number += distance >= published[i].first[n];
        return number;
    }
    return formula(distance, at, logarithm(distance, at), at.buckets - at.buckets / 2);
}

// --- what mistakes give ---
static int whole_division(int distance, Setting at) {
    const int exact = at.buckets / 2;
    const double part = distance < exact ? 0 : log(distance / exact) / log((double)at.last / exact);
    return formula(distance, at, part, at.buckets - exact);
}

static int whole_division_of_last(int distance, Setting at) {
    const int exact = at.buckets / 2;
    const double part = distance < exact ? 0 : log((double)distance / exact) / log(at.last / exact);
    return formula(distance, at, part, at.buckets - exact);
}

static int whole_divisions(int distance, Setting at) {
    const int exact = at.buckets / 2;
    const double part = distance < exact ? 0 : log(distance / exact) / log(at.last / exact);
    return formula(distance, at, part, at.buckets - exact);
}

static int no_end(int distance, Setting at) {
    const int exact = at.buckets / 2;
    return distance < exact ? distance : exact + (int)(logarithm(distance, at) * (at.buckets - exact));
}

static int one_too_many(int distance, Setting at) {
    return at_most(no_end(distance, at), at.buckets);
}

static int one_too_few(int distance, Setting at) {
    return distance < at.buckets / 2 ? distance : at_most(right(distance, at), at.buckets - 2);
}

static int not_after_exact(int distance, Setting at) {
    const int exact = at.buckets / 2;
    return distance < exact ? distance : at_most(no_end(distance, at) - exact, at.buckets - 1);
}

static int all_pieces(int distance, Setting at) {
    return formula(distance, at, logarithm(distance, at), at.buckets);
}

static int exact_pieces(int distance, Setting at) {
    return formula(distance, at, logarithm(distance, at), at.buckets / 2);
}

static int rounded(int distance, Setting at) {
    const int pieces = at.buckets - at.buckets / 2;
    return formula(distance, at, round(logarithm(distance, at) * pieces) / pieces + 1e-9, pieces);
}

static int rounded_up(int distance, Setting at) {
    const int pieces = at.buckets - at.buckets / 2;
    return formula(distance, at, ceil(logarithm(distance, at) * pieces) / pieces + 1e-9, pieces);
}

static int part_rounded(int distance, Setting at) {
    return formula(distance, at, (int)logarithm(distance, at), at.buckets - at.buckets / 2);
}

static int straight(int distance, Setting at) {
    const double exact = at.buckets / 2;
    return formula(distance, at, (distance - exact) / (at.last - exact), at.buckets - at.buckets / 2);
}

static int of_last(int distance, Setting at) {
    const double exact = at.buckets / 2;
    return formula(distance, at, log(distance / exact) / log(at.last), at.buckets - at.buckets / 2);
}

static int without_exact(int distance, Setting at) {
    return formula(distance, at, log(distance) / log(at.last), at.buckets - at.buckets / 2);
}

static int one_each(int distance, Setting at) {
    return at_most(distance, at.buckets - 1);
}

static int no_near(int distance, Setting at) {
    return distance < at.buckets / 2 ? 0 : right(distance, at);
}

static int near_from_1(int distance, Setting at) {
    return distance < at.buckets / 2 ? distance + 1 : right(distance, at);
}

typedef struct {
    const char *sentence;
    Bucket *gives;
} BucketMistake;

static const BucketMistake mistakes[] = {
    {"distance / exact divides two whole numbers, and C drops the fraction: 17 / 16 is 1. Write (double)distance / "
     "exact.",
     whole_division},
    {"last / exact divides two whole numbers, and C drops the fraction: 100 / 6 is 16. Write (double)last / exact.",
     whole_division_of_last},
    {"distance / exact and last / exact divide whole numbers, and C drops the fraction: 17 / 16 is 1. Write "
     "(double)distance / exact and (double)last / exact.",
     whole_divisions},
    {"The end is missing: there are buckets 0 to buckets~-~1, and you count on. If `number` is larger, return "
     "buckets~-~1.",
     no_end},
    {"The last bucket has the number buckets~-~1, because the first has the number 0. You go as far as `buckets`.",
     one_too_many},
    {"Your last bucket is buckets~-~2. Buckets are counted from 0, so the last one is buckets~-~1.", one_too_few},
    {"`number` starts again at 0. The first `exact` buckets are taken already: add exact.", not_after_exact},
    {"You divide the range into `buckets` pieces. But `exact` of the buckets are taken already: buckets~-~exact are "
     "left.",
     all_pieces},
    {"You divide the range into `exact` pieces. buckets~-~exact are left, which is not the same when `buckets` is odd.",
     exact_pieces},
    {"You round to the nearest bucket. Round down: (int)(part * (buckets - exact)).", rounded},
    {"You round up. Round down: (int)(part * (buckets - exact)).", rounded_up},
    {"You round `part` down to a whole number before you multiply, so it is 0 until the end. Multiply first, and put "
     "brackets: (int)(part * (buckets - exact)).",
     part_rounded},
    {"Your buckets are equally wide. Take logarithms, so that they get wider with the distance.", straight},
    {"You divide by log(last). The logarithm must be 1 at distance = last, so divide by log(last / exact).", of_last},
    {"You divide log(distance) by log(last). Both distances are measured from exact: log(distance / exact) / log(last "
     "/ exact).",
     without_exact},
    {"You give every distance its own bucket until they run out. Only the first half of the buckets is for one "
     "distance each.",
     one_each},
    {"Near distances must not share: below exact, the bucket is the distance itself.", no_near},
    {"Near distances are counted from 0: below exact, the bucket is the distance itself.", near_from_1},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

// --- the comparison ---
static Setting setting_of(int i) {
    return i < PUBLISHED ? published[i].setting : more_settings[i - PUBLISHED];
}

static bool gives(Bucket *other) {
    for (int i = 0; i < SETTINGS; i++)
        for (int distance = 0; distance <= FARTHEST; distance++)
            if (yours(distance, setting_of(i)) != other(distance, setting_of(i))) return false;
    return true;
}

// Properties that every sorting into buckets has, whatever its formula.
static void say_general(Setting at) {
    for (int distance = 1; distance <= FARTHEST; distance++) {
        const int before = yours(distance - 1, at), now = yours(distance, at);
        if (now < 0 || now >= at.buckets) {
            say("Distance %d is put into bucket %d, but there are only buckets 0 to %d.", distance, now,
                at.buckets - 1);
            return;
        }
        if (now < before) {
            say("The bucket must never fall when the distance grows. Yours falls from %d at distance %d to %d at %d.",
                before, distance - 1, now, distance);
            return;
        }
    }
    for (int distance = at.last; distance <= FARTHEST; distance++)
        if (yours(distance, at) != at.buckets - 1) {
            say("From `last` on, everything belongs in the last bucket, %d.", at.buckets - 1);
            return;
        }
    say("No mistake that this checker knows gives these buckets. Follow this example by hand:");
}

static int report(Setting at) {
    int first = 0, wrong = 0;
    while (yours(first, at) == right(first, at)) first++;
    for (int distance = first; distance <= FARTHEST; distance++) wrong += yours(distance, at) != right(distance, at);
    if (first > 0 && wrong == FARTHEST + 1 - first)
        say("Right for distances below %d, wrong from %d on.", first, first);
    else if (first > 0)
        say("Right for distances below %d, but of those from %d to %d, %d are wrong.", first, first, FARTHEST, wrong);
    int i = 0;
    while (i < MISTAKES && !gives(mistakes[i].gives)) i++;
    if (i < MISTAKES)
        say("%s", mistakes[i].sentence);
    else
        say_general(at);
    say_numbers("input", (Group[]){{"distance", 1}, {"buckets", 1}, {"last", 1}, {0}},
                (double[]){first, at.buckets, at.last});
    say_numbers("expected", (Group[]){{"bucket", 1}, {0}}, (double[]){right(first, at)});
    say_numbers("found", (Group[]){{"bucket", 1}, {0}}, (double[]){yours(first, at)});
    return end("bucket()");
}

int main(void) {
    begin("5_buckets.c");
    for (int distance = 0; distance <= FARTHEST; distance++) yours(distance, setting_of(0));
    if (!filled_in("")) return EXIT_FAILURE;
    for (int i = 0; i < SETTINGS; i++)
        for (int distance = 0; distance <= FARTHEST; distance++)
            if (yours(distance, setting_of(i)) != right(distance, setting_of(i))) return report(setting_of(i));
    return end(NULL);
}
