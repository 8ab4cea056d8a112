#include "cmd/shared/describe.h"

#include <stdio.h>

void shape_describe(char text[TEXT_CAPACITY], const Shape *s) {
    char keys[64] = "";
    if (key_heads(s) < s->heads)
        snprintf(keys, sizeof keys, " that share %d head%s of keys", key_heads(s), key_heads(s) == 1 ? "" : "s");
    snprintf(text, TEXT_CAPACITY, "%d layer%s%s, %d head%s%s, width %d, context %d", s->layers,
             s->layers == 1 ? "" : "s", s->block == BLOCK_LLAMA ? " with Llama's block" : "", s->heads,
             s->heads == 1 ? "" : "s", keys, s->width, s->context);
}

void window_print_line(const char *window, const Shape *shape) {
    if (!shape->windows.period) return;
    printf("window  %s (the last keys that a query sees%s)\n", window,
           shape->windows.period > 1 ? ", by layers; 0 = all" : "");
}
