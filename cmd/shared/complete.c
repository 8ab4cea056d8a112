#include "cmd/shared/complete.h"

#include "posenc/registry.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool asked;

void complete_ask(void) {
    asked = true;
}

static bool begins(const char *word, size_t length, const char *name) {
    return length >= strlen(name) && strncmp(word, name, strlen(name)) == 0;
}

// What `kinds` stands for in a help text: "half|interleaved", "SCHEME", "RUN", "FILE.npy", "[exercises DIR]".
static void print_values(const char *kinds) {
    static const char separators[] = "|[] ";
    for (kinds += strspn(kinds, separators); *kinds; kinds += strspn(kinds, separators)) {
        const size_t length = strcspn(kinds, separators);
        if (begins(kinds, length, "SCHEME"))
            for (const Scheme *const *scheme = schemes; *scheme; scheme++) printf("%s\n", (*scheme)->name);
        else if (begins(kinds, length, "FILE") || begins(kinds, length, "INPUT") || begins(kinds, length, "PATH"))
            printf("FILE\n");
        else if (begins(kinds, length, "DIR") || begins(kinds, length, "RUN"))
            printf("DIR\n");
        else if (!isupper((unsigned char)*kinds) && !memchr(kinds, ':', length))
            printf("%.*s\n", (int)length, kinds);
        kinds += length;
    }
}

static void print_options(const Option *table) {
    printf("--help\n");
    for (const Option *option = table; option->name; option++)
        if (option->type != OPTION_HEADING) printf("--%s\n", option->name);
}

bool complete_if_asked(const Option *table, const char *operands, int argc, char **argv) {
    if (!asked) return false;
    const char *word = argc > 1 ? argv[argc - 1] : "", *before = argc > 2 ? argv[argc - 2] : "";
    const Option *option = strncmp(before, "--", 2) == 0 ? option_find(table, before + 2) : NULL;
    if (option && option->type != OPTION_FLAG)
        print_values(option->type == OPTION_CHOICE ? option->choices : option->value ? option->value : "");
    else if (*word == '-')
        print_options(table);
    else
        print_values(operands);
    return true;
}
