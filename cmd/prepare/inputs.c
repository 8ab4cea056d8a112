#include "cmd/prepare/inputs.h"

#include "base/interrupt.h"
#include "data/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void texts_free(InputTexts *texts) {
    for (size_t i = 0; i < texts->count; i++) text_free(&texts->documents[i].text);
    free(texts->documents);
    *texts = (InputTexts){0};
}

// Add one text, or free it.
static bool texts_add(InputTexts *texts, const char *name, Text *text, Error *error) {
    if (texts->count == texts->capacity) {
        const size_t more = texts->capacity ? 2 * texts->capacity : 64;
        Document *larger = realloc(texts->documents, more * sizeof *larger);
        if (!larger) {
            text_free(text);
            return fail_run(error, "%s: no memory for %zu documents; give less text", name, more);
        }
        texts->documents = larger;
        texts->capacity = more;
    }
    texts->documents[texts->count++] = (Document){name, *text};
    texts->bytes += text->size;
    return true;
}

static bool add_builtin(InputTexts *texts, const char *input, Error *error) {
    BuiltinCorpus corpus;
    if (!builtin_choose(&corpus, input, error)) return false;
    const size_t end = texts->bytes + (size_t)corpus.bytes;
    for (uint64_t index = 0; texts->bytes < end; index++) {
        if (!stop_check(&stop_at_signal, error)) return false;
        Text text = {0};
        builtin_document(&text, &corpus, index);
        if (text.failed) {
            text_free(&text);
            return fail_run(error, "%s: no memory for its text; ask for less with bytes=N", input);
        }
        if (!texts_add(texts, input, &text, error)) return false;
    }
    return true;
}

// Warn of what a reader of the text does not see, but a model learns; of each kind once.
static void warn_unseen(InputTexts *texts, const char *name, const Buffer *file) {
    static const char *const messages[] = {
        "begins with a byte order mark, U+FEFF, which is learned as text; remove it: sed '1s/^\\xEF\\xBB\\xBF//'",
        "has lines that end in \\r\\n, so the model learns to write \\r; remove it: tr -d '\\r'"};
    const uint8_t *bytes = file->bytes, *newline = memchr(bytes, '\n', file->size);
    const bool found[] = {
        file->size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0,
        newline && newline > bytes && newline[-1] == '\r',
    };
    for (int i = 0; i < UNSEEN; i++) {
        if (found[i] && !texts->warned[i]) fprintf(stderr, "bitter prepare: %s %s\n", name, messages[i]);
        texts->warned[i] |= found[i];
    }
}

static bool add_file(InputTexts *texts, const char *input, Error *error) {
    Buffer buffer;
    const char *name = strcmp(input, "-") == 0 ? "standard input" : input;
    if (!source_read(&buffer, input, error)) return false;
    if (buffer.size == 0) {
        free(buffer.bytes);
        return fail_input(error, "%s is empty; give a file with text, or leave this one out", name);
    }
    if (!texts->options.force && !source_check(&buffer, input, error)) {
        free(buffer.bytes);
        return false;
    }
    warn_unseen(texts, name, &buffer);
    Text text = {.bytes = (char *)buffer.bytes, .size = buffer.size, .capacity = buffer.size};
    return texts_add(texts, name, &text, error);
}

// Find the input whose documents are to be scattered through the others. A single input is not scattered.
static bool find_scattered(InputTexts *texts, char **inputs, int count, Error *error) {
    for (int i = 0; count > 1 && i < count; i++) {
        BuiltinCorpus corpus;
        if (!is_builtin(inputs[i])) continue;
        if (!builtin_choose(&corpus, inputs[i], error)) return false;
        if (!corpus.builtin->scattered) continue;
        if (texts->scattered_name)
            return fail_input(error, "%s and %s would both be scattered through other text; give only one of them",
                              texts->scattered_name, inputs[i]);
        texts->scattered_name = inputs[i];
        texts->scattered = corpus;
    }
    return true;
}

bool read_inputs(InputTexts *texts, char **inputs, int count, Error *error) {
    const bool show = isatty(STDERR_FILENO) && count > 1;
    bool ok = find_scattered(texts, inputs, count, error);
    for (int i = 0; ok && i < count; i++) {
        if (inputs[i] == texts->scattered_name) continue;
        ok = stop_check(&stop_at_signal, error) &&
             (is_builtin(inputs[i]) ? add_builtin(texts, inputs[i], error) : add_file(texts, inputs[i], error));
        if (show) fprintf(stderr, "\rread %d of %d inputs, %.1f MB", i + 1, count, (double)texts->bytes * 1e-6);
    }
    if (show) fprintf(stderr, "\n");
    return ok;
}
