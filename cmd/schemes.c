// `--pos help`: every registered scheme with its formula, paper and options. `--data help`: every built-in corpus.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "data/made/builtin.h"
#include "data/tokenizer.h"
#include "train/train_options.h"
#include "posenc/registry.h"

#include <assert.h>
#include <stdio.h>

static void print_options(const Option *options) {
    for (const Option *o = options; o && o->name; o++) {
        char range[TEXT_CAPACITY], text[3 * TEXT_CAPACITY];
        option_range(o, range);
        snprintf(text, sizeof text, "%s (%s)", o->help, range);
        const int column = printf("    %s=%s  ", o->name,
                                  o->preset                ? o->preset
                                  : o->type == OPTION_FLAG ? "false"
                                                           : o->value);
        print_wrapped(text, column, 8);
    }
}

// The scheme with its default options.
static Position usual_position(const Scheme *scheme, const Shape *shape) {
    Position pos;
    Error error;
    const bool usual = position_parse(&pos, scheme->name, &error) && position_fit(&pos, shape, &error);
    assert(usual);
    return pos;
}

static void print_scheme(const Scheme *scheme) {
    printf("\n%s    ", scheme->name);
    assert(scheme->formula && scheme->paper && scheme->help);
    print_wrapped(scheme->formula, (int)strlen(scheme->name) + 4, 8);
    printf("  %s\n  ", scheme->paper);
    print_wrapped(scheme->help, 2, 2);
    print_options(scheme->options);
}

void print_schemes(void) {
    static const struct {
        Enters enters;
        const char *title;
    } groups[] = {
        {ENTERS_EMBEDDING, "added to the embedding"},
        {ENTERS_ROTATION, "rotations of queries and keys"},
        {ENTERS_BIAS, "biases on the scores"},
        {ENTERS_CONTENT, "scores and weights that depend on content"},
        {ENTERS_NOWHERE, "controls"},
    };
    TrainOptions usual = {0};
    options_default(&usual, train_options);
    Shape shape;
    Error none; // by default there are no windows that could be misunderstood
    shape_of(&shape, &usual, BYTES_VOCAB, &none);
    printf("position schemes (--pos NAME or --pos NAME:option=value,...)\n\n"
           "Several schemes can share a model:\n"
           "  learned+alibi                     both at once, in all layers\n"
           "  rope*3,none                       three layers with rope, one without, and again from the start\n"
           "  'rope:base=1e4*5,rope:base=1e6'   the same with options: five layers with one base, one with another\n"
           "  'rope@0-2,4 none@3'               by the numbers of the layers, counted from 0\n");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (int learned = 0; learned <= 1; learned++) {
            bool titled = false;
            for (const Scheme *const *entry = schemes; *entry; entry++) {
                const Position pos = usual_position(*entry, &shape);
                if ((*entry)->enters != groups[g].enters || position_trained(&pos) != learned) continue;
                if (!titled) printf("\n--- %s: %s ---\n", groups[g].title, learned ? "learned" : "designed");
                titled = true;
                print_scheme(*entry);
            }
        }
    printf("\n`--random-positions N` trains any scheme at random rising positions (Ruoss et al. 2023).\n"
           "A scheme of your own is a formula, such as 'bias: -a*log(1 + d); a = 1 per head', or a file with one\n"
           "(docs/schemes.md).\n");
}

void print_builtins(void) {
    printf("built-in corpora (--data builtin:NAME or --data builtin:NAME:option=value,...)\n");
    for (const Builtin *builtin = builtins; builtin->name; builtin++) {
        printf("\n%s    ", builtin->name);
        print_wrapped(builtin->help, (int)strlen(builtin->name) + 4, 8);
        if (builtin->counts) printf("    lengths are numbers of %s\n", builtin->counts);
        print_options(builtin->options);
    }
}
