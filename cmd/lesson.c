// `bitter lesson`: how a gradient flows through a rotation, on one pair of channels and two tokens, in numbers. `bitter
// lesson exercises DIR` writes exercises for students.
#include "cmd/commands.h"
#include "base/file/text.h"
#include "base/interrupt.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/output.h"
#include "lab/lesson/lines.h"
#include "lab/lesson/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-6  // of a difference, as a share of the largest gradient
#define NOISE     1e-10 // of a slope, because losses are rounded: ten times the most that was seen

typedef struct {
    long long t, ago;
    double theta;
    char q[TEXT_CAPACITY], k[TEXT_CAPACITY];
} LessonOptions;

#define FIELD(name) offsetof(LessonOptions, name)

static const Option lesson_options[] = {
    INTEGER_ROW("t", FIELD(t), "3", 0, 1000, "position of the token with query q"),
    INTEGER_ROW("ago", FIELD(ago), "2", 0, 1000, "distance back to the token with key k"),
    NUMBER_ROW("theta", FIELD(theta), "0.5", -4, 4, "X", "angle by which the pair turns per token, in radians"),
    TEXT_ROW("q", FIELD(q), "1,0.5", "X,Y", "the query's pair of channels, each from -4 to 4"),
    TEXT_ROW("k", FIELD(k), "0.3,-1", "X,Y", "the key's pair of channels, each from -4 to 4"),
    {0},
};

static void print_code(const char *function) {
    for (const CodeLine *c = code_lines; c->function; c++)
        if (strcmp(c->function, function) == 0) printf("code: %-24s %s:%d\n", function, c->file, c->line);
}

// Not "-0.000000".
static double tidy(double x) {
    return fabs(x) < 5e-7 ? 0 : x;
}

static void print_vector(const char *name, const double x[2]) {
    printf("  %-28s (%10.6f, %10.6f)   length %.6f\n", name, tidy(x[0]), tidy(x[1]), hypot(x[0], x[1]));
}

static void print_number(const char *name, double x) {
    printf("  %-28s %11.6f\n", name, tidy(x));
}

// --- a clock of Braille characters, each of 4 x 2 dots, so that a circle is round ---
enum { CLOCK_ROWS = 9, CLOCK_COLUMNS = 18 };

typedef struct {
    unsigned char dots[CLOCK_ROWS][CLOCK_COLUMNS]; // the last byte of the character's number, U+2800 + dots
    char names[CLOCK_ROWS][CLOCK_COLUMNS];         // letters that cover the dots, or 0
} Clock;

// A dot at (x, y), from -1 to 1, y upwards.
static void put_dot(Clock *clock, double x, double y) {
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int column = (int)lround((x + 1) / 2 * (2 * CLOCK_COLUMNS - 1));
    const int row = (int)lround((1 - y) / 2 * (4 * CLOCK_ROWS - 1));
    clock->dots[row / 4][column / 2] |= bits[row % 4][column % 2];
}

// A hand in the direction of x, as long as the circle allows, with `name` at its tip.
static void put_hand(Clock *clock, const double x[2], bool dotted, const char *name) {
    const double length = hypot(x[0], x[1]), to_circle = length > 0 ? 0.75 / length : 0;
    const int letters = (int)strlen(name);
    for (int i = 0; i <= 20; i += dotted ? 3 : 1) put_dot(clock, to_circle * x[0] * i / 20, to_circle * x[1] * i / 20);
    const int column = (int)lround((1 + 1.3 * to_circle * x[0]) / 2 * (CLOCK_COLUMNS - letters));
    const int row = (int)lround((1 - 1.3 * to_circle * x[1]) / 2 * (CLOCK_ROWS - 1));
    memcpy(&clock->names[row][column], name, (size_t)letters);
}

// A circle with two hands, the first one dotted, and the lines of `words` beside its rows.
static void print_clock(const double before[2], const char *before_name, const double after[2], const char *after_name,
                        const char *words) {
    Clock clock = {0};
    for (int i = 0; i < 200; i++) put_dot(&clock, 0.75 * cos(i * 0.01 * M_PI), 0.75 * sin(i * 0.01 * M_PI));
    put_hand(&clock, before, true, before_name);
    put_hand(&clock, after, false, after_name);
    for (int row = 0; row < CLOCK_ROWS; row++) {
        for (int column = 0; column < CLOCK_COLUMNS; column++) {
            const unsigned char dots = clock.dots[row][column];
            if (clock.names[row][column])
                putchar(clock.names[row][column]);
            else
                printf("\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f)); // in UTF-8
        }
        const size_t letters = strcspn(words, "\n");
        printf("%.*s\n", (int)letters, words);
        words += letters + (words[letters] == '\n');
    }
}

// --- the lesson ---
typedef struct {
    Pair pair;
    PairForward forward;
    PairBackward backward;
} Lesson;

static void show_forward(const Lesson *l) {
    const Pair *p = &l->pair;
    const double angle = p->m * p->theta, c = tidy(cos(angle)), s = tidy(sin(angle));
    char words[400];
    snprintf(words, sizeof words,
             "\n  q   the query of the token at position %g:\n      what this token looks for (dotted)\n"
             "  q'  the same, turned by %g theta = %g radians\n\n"
             "  R(angle) = ( cos -sin ) = ( %9.6f %9.6f )\n             ( sin  cos )   ( %9.6f %9.6f )",
             p->m, p->m, angle, c, tidy(-s), s, c);
    printf("A language model keeps a list of numbers for each token (a word or a part of\n"
           "one). RoPE takes these numbers in pairs. Each pair is a point, like the tip of\n"
           "a clock's hand, and RoPE turns it by theta = %g radians for each\n"
           "position in the text. (The hands drawn here show only directions; their lengths\n"
           "are printed below.)\n",
           p->theta);
    print_clock(p->q, "q", l->forward.turned_q, "q'", words);
    print_vector("q", p->q);
    print_vector("q' = R(t theta) q", l->forward.turned_q);
    print_code("rope_pair_forward");
}

static void show_loss(const Lesson *l) {
    printf("The token at position %g has a key k: what this token has to offer. The key is\n"
           "turned by its own token's position. The dot product of the turned query and key\n"
           "is the score, which depends only on the distance between the two tokens:\n\n",
           l->pair.n);
    print_vector("k", l->pair.k);
    print_vector("k' = R((t-ago) theta) k", l->forward.turned_k);
    print_number("score = q' . k'", l->forward.score);
    print_number("q . R(-ago theta) k", pair_score_by_distance(&l->pair));
    printf("\nSoftmax turns scores into attention weights, which add up to 1. Here there is\n"
           "one other score, which is 0. The model should give k a weight of 1, and the loss\n"
           "says how far the weight is from 1:\n\n");
    print_number("weight = 1/(1 + e^-score)", l->forward.chance);
    print_number("loss = -log weight", l->forward.loss);
    puts("");
    print_code("pair_forward");
    print_code("pair_score_by_distance");
}

static void show_backward(const Lesson *l) {
    const PairBackward *b = &l->backward;
    printf("A gradient says how fast the loss grows when a number grows; a leading d marks\n"
           "it. In y = R(angle) x, x0 enters y0 with the factor cos and y1 with sin; x1\n"
           "enters y0 with -sin and y1 with cos. So the transposed matrix turns dy into dx;\n"
           "it is the rotation by the negative angle: dx = R(-angle) dy.\n");
    print_clock(b->dturned_q, "dq'", b->d.q, "dq",
                "\n\n  dq'  comes back from the loss (dotted)\n  dq   goes on to what q was computed from\n\n"
                "  A rotation preserves lengths, and so does its reverse.");
    print_number("dscore = weight - 1", b->dscore);
    print_vector("dq' = dscore k'", b->dturned_q);
    print_vector("dq = R(-t theta) dq'", b->d.q);
    print_vector("dk' = dscore q'", b->dturned_k);
    print_vector("dk = R(-(t-ago) theta) dk'", b->d.k);
    print_code("rope_pair_backward");
    print_code("pair_backward");
}

static void show_differences(const Lesson *l) {
    static const char *const names[PAIR_NUMBERS] = {"q0", "q1", "k0", "k1", "position of q", "position of k", "theta"};
    // theta's step is smaller where the tokens are further apart.
    const double noise = NOISE * (1 + fabs(l->pair.m - l->pair.n));
    double measured[PAIR_NUMBERS], largest = 0;
    for (int n = 0; n < PAIR_NUMBERS; n++) {
        measured[n] = pair_slope(&l->pair, n);
        largest = fmax(largest, fabs(measured[n]));
    }
    printf("Move one number x a little and see how the loss changes. This needs no calculus:\n"
           "slope = (loss(x + h) - loss(x - h)) / 2h, h about 0.00001.\n\n");
    printf("  gradient of      by hand     measured\n");
    for (int n = 0; n < PAIR_NUMBERS; n++) {
        const double by_hand = pair_number(&l->backward.d, n), error = fabs(by_hand - measured[n]);
        printf("  %-13s %11.6f  %11.6f  %s\n", names[n], tidy(by_hand), tidy(measured[n]),
               error <= TOLERANCE * largest ? "ok"
               : error <= noise             ? "too small to measure"
                                            : "FAILED");
    }
    puts("");
    print_code("pair_slope");
}

static void show_torque(const Lesson *l) {
    const PairBackward *b = &l->backward;
    Pair moved = l->pair;
    PairForward forward;
    double rate = 0.02;
    do { // the slope holds only near theta
        rate /= 2;
        moved.theta = l->pair.theta - rate * b->d.theta;
        pair_forward(&forward, &moved);
    } while (forward.loss > l->forward.loss && rate > 1e-12);
    char step[40];
    snprintf(step, sizeof step, "theta - %.3g dtheta", rate);
    printf("A turn moves y at right angles to y: y0 grows by -y1 per radian, and y1 by y0.\n"
           "So the gradient of the angle is dy1 y0 - dy0 y1: a torque, with y the lever and\n"
           "dy the force. The backward pass has these numbers already, so a scheme that\n"
           "trains theta gets theta's gradient at almost no cost:\n\n");
    print_number("torque on q'", b->torque_q);
    print_number("torque on k'", b->torque_k);
    print_number("their sum", b->torque_q + b->torque_k);
    printf("\nThey cancel: shifting both tokens turns both equally; the score stays the same.\n"
           "But q turns by t theta and k by (t-ago) theta, so theta does have a gradient:\n\n");
    print_number("dtheta = t tq + (t-ago) tk", b->d.theta);
    print_number(step, moved.theta);
    print_number("loss there", forward.loss);
    print_number("loss before", l->forward.loss);
    if (rate < 0.01) printf("\nA step of 0.01 would be too long here: the slope holds only near theta.\n");
    printf("\nA position is multiplied by theta, so its gradient is theta times the torque.\n\n");
    print_code("rope_pair_torque");
}

enum { PARTS = 5 };

// Part 1 to 5, or with 0 all of them.
static void print_lesson(const Pair *pair, int only) {
    static const struct {
        const char *title;
        void (*show)(const Lesson *lesson);
    } parts[PARTS] = {{"Forward: a turn", show_forward},
                      {"From two points to a loss", show_loss},
                      {"Backward: the gradient is turned back", show_backward},
                      {"Is it right? Finite differences", show_differences},
                      {"Torque: the gradient of an angle", show_torque}};
    Lesson lesson = {.pair = *pair};
    pair_forward(&lesson.forward, pair);
    pair_backward(&lesson.backward, &lesson.forward, pair, -1);
    for (int i = 0; i < PARTS; i++) {
        if (only && only != i + 1) continue;
        printf("%s%d. %s\n\n", i > 0 && !only ? "\n" : "", i + 1, parts[i].title); // a screen of at most 23 lines
        parts[i].show(&lesson);
    }
}

// --- exercises ---

static bool write_file(const char *directory, const EmbeddedFile *file, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile out;
    if (!path_format(path, error, "%s/%s", directory, file->name) || !atomic_open(&out, path, error)) return false;
    for (const char *const *line = file->lines; *line; line++)
        if (!atomic_write(&out, *line, strlen(*line), error) || !atomic_write(&out, "\n", 1, error)) return false;
    return atomic_commit(&out, error);
}

// Write all exercises into the new or empty directory `dir`, and print what to do next. A failure leaves nothing
// behind.
static bool write_exercises(const char *dir, Error *error) {
    Output output;
    interrupt_catch(); // the files are written within an instant, which no signal then cuts short
    bool ok = output_place(&output, "DIR", dir, error) && output_create(&output, error);
    for (const EmbeddedFile *file = exercise_files; ok && file->name; file++)
        ok = write_file(output.temporary, file, error);
    ok = ok && output_complete(&output, error);
    if (!ok) {
        output_discard(&output);
        return false;
    }
    char quoted[QUOTED_CAPACITY];
    printf("wrote   %s: seven exercises, each in C and in Python, and a checker\n", output.path);
    printf("next    cd %s && make\n", shell_quoted(quoted, output.path));
    printf("        then replace FILL_IN in 1_turn.c, and run make again;\n");
    printf("        or in 1_turn.py, and run python3 check.py (needs numpy and a C compiler)\n");
    return true;
}

// --- the command ---

// "1,0.5" -> x.
static bool read_vector(double x[2], const char *name, const char *text, Error *error) {
    char rest;
    const bool ok = sscanf(text, "%lf,%lf%c", &x[0], &x[1], &rest) == 2 && fabs(x[0]) <= 4 && fabs(x[1]) <= 4;
    return ok ||
           fail_input(error, "--%s '%.40s' is not a pair; give two numbers from -4 to 4, such as 1,0.5", name, text);
}

static bool read_pair(Pair *pair, const LessonOptions *o, bool ago_given, Error *error) {
    const long long ago = !ago_given && o->ago > o->t ? o->t : o->ago;
    if (ago > o->t)
        return fail_input(error, "--ago %lld is before the first token; give at most --t, which is %lld", ago, o->t);
    pair->m = (double)o->t;
    pair->n = (double)(o->t - ago);
    pair->theta = o->theta;
    return read_vector(pair->q, "q", o->q, error) && read_vector(pair->k, "k", o->k, error);
}

static bool is_part(const char *word) {
    return word[0] >= '1' && word[0] < '1' + PARTS && !word[1];
}

static bool exercises(const bool *given, int count, char **operands, Error *error) {
    if (is_part(operands[0])) return fail_input(error, "give only one part of the lesson");
    if (strcmp(operands[0], "exercises") != 0)
        return fail_input(error, "'%.40s' is not a part of the lesson; give 1 to %d, or `bitter lesson exercises DIR`",
                          operands[0], PARTS);
    for (const Option *o = lesson_options; o->name; o++)
        if (given[o - lesson_options]) return fail_input(error, "`lesson exercises` takes no options; leave them out");
    if (count != 2)
        return fail_input(
            error, "exercises takes one directory, but got %d; for example `bitter lesson exercises rope`", count - 1);
    return write_exercises(operands[1], error);
}

bool command_lesson(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "lesson",
        "Show how a gradient flows through a rotation of one pair of channels, with two tokens: forward, backward, and "
        "checked by finite differences. Prints five parts, or only PART, 1 to 5: the numbers, and the lines of code "
        "that compute them. "
        "`lesson exercises DIR` writes a folder of exercises in C and in Python.",
        "[PART | exercises DIR]", lesson_options,
        "  bitter lesson | less\n  bitter lesson 3 --t 7 --theta 0.3\n  bitter lesson exercises rope\n"};
    LessonOptions options = {0};
    bool given[ARGUMENTS_MOST];
    Pair pair;
    const int first = arguments_parse(&options, given, &usage, argc, argv);
    const int count = argc - first;
    const bool part = count == 1 && is_part(argv[first]);
    if (count > 0 && !part) return exercises(given, count, argv + first, error);
    if (!read_pair(&pair, &options, option_given(lesson_options, given, "ago"), error)) return false;
    print_lesson(&pair, part ? argv[first][0] - '0' : 0);
    return true;
}
