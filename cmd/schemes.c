// `--pos help`: what the registry knows.
#include "cmd/commands.h"
#include "posenc/posenc.h"

#include <stdio.h>

int print_schemes(void) {
    printf("position schemes (--pos NAME or --pos NAME:option=value,...)\n");
    for (const Scheme *const *entry = schemes; *entry; entry++) {
        const Scheme *scheme = *entry;
        printf("\n%s    %s\n  %s\n", scheme->name, scheme->formula, scheme->paper);
        printf("  ");
        for (const char *c = scheme->help; *c; c++) {
            putchar(*c);
            if (*c == '\n') printf("  ");
        }
        printf("\n");
        for (const Option *o = scheme->options; o && o->name; o++) {
            char range[TEXT_CAPACITY];
            option_range(o, range);
            printf("    %s=%s  %s (%s)\n", o->name, o->preset, o->help, range);
        }
    }
    return 0;
}
