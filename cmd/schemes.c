// `--pos help`: what the registry knows.
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "posenc/posenc.h"

#include <stdio.h>

static void print_options(const Option *options) {
    for (const Option *o = options; o && o->name; o++) {
        char range[TEXT_CAPACITY], text[3 * TEXT_CAPACITY];
        option_range(o, range);
        snprintf(text, sizeof text, "%s (%s)", o->help, range);
        const int column = printf("    %s=%s  ", o->name, o->preset);
        print_wrapped(text, column, 8);
    }
}

int print_schemes(void) {
    printf("position schemes (--pos NAME or --pos NAME:option=value,...)\n");
    for (const Scheme *const *entry = schemes; *entry; entry++) {
        const Scheme *scheme = *entry;
        printf("\n%s    %s\n  %s\n  ", scheme->name, scheme->formula, scheme->paper);
        print_wrapped(scheme->help, 2, 2);
        print_options(scheme->options);
    }
    return 0;
}
