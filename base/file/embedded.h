// Text files that the build makes part of the program (scripts/embed.awk).
#ifndef BITTER_EMBEDDED_H
#define BITTER_EMBEDDED_H

typedef struct {
    const char *name;         // without a directory; NULL ends a table
    const char *const *lines; // without newlines; ends with NULL
} EmbeddedFile;

#endif
