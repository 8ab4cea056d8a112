#include "cmd/prepare/inputs.h"

#include "base/interrupt.h"
#include "data/source.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void texts_free(InputTexts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        text_free(&texts->documents[i].text);
        free(texts->documents[i].name);
    }
    free(texts->documents);
    *texts = (InputTexts){0};
}

// Add one text, or free it.
static bool texts_add(InputTexts *texts, const char *name, Text *text, Error *error) {
    const bool full = texts->count == texts->capacity;
    const size_t more = texts->capacity ? 2 * texts->capacity : 64;
    Document *larger = full ? realloc(texts->documents, more * sizeof *larger) : texts->documents;
    char *own_name = strdup(name);
    if (larger) texts->documents = larger;
    if (larger && full) texts->capacity = more;
    if (!larger || !own_name || text->failed) {
        free(own_name);
        text_free(text);
        return fail_run(error, "%s: no memory for its text; give less, or ask for less with bytes=N", name);
    }
    texts->documents[texts->count].name = own_name;
    texts->documents[texts->count++].text = *text;
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
        if (!texts_add(texts, input, &text, error)) return false;
    }
    return true;
}

static bool is_json(const Buffer *file) {
    const char *text = (const char *)file->bytes, *first = text + strspn(text, " \t\r\n[");
    return *first == '{' && first[1 + strspn(first + 1, " \t\r\n")] == '"';
}

// Remove what a reader of the text does not see, but a model would learn, and say so; of each kind once.
static void tidy(InputTexts *texts, const char *name, Buffer *file) {
    static const char *const remarks[] = {
        "begins with a byte order mark, which is left out; --raw keeps it",
        "has lines that end in \\r\\n, of which the \\r is left out; --raw keeps it",
        "holds records of CSV or JSON, whose marks are learned as text; --field NAME reads one field of JSON records"};
    const bool raw = texts->options.raw, csv = path_ends_with(name, ".csv") || path_ends_with(name, ".csv.gz");
    const bool found[REMARKS] = {!raw && buffer_drop_mark(file), !raw && buffer_drop_returns(file),
                                 !*texts->options.field && (csv || is_json(file))};
    Error remark;
    for (int i = 0; i < REMARKS; i++) {
        fail_input(&remark, "%s %s", name, remarks[i]); // without control characters of the name
        if (found[i] && !texts->remarked[i]) fprintf(stderr, "bitter prepare: %s\n", remark.message);
        texts->remarked[i] |= found[i];
    }
}

// Add the field of each record, with a newline, as a document. Records stand one a line or in an array.
static bool add_records(InputTexts *texts, const char *name, const Buffer *file, Error *error) {
    const char *text = (const char *)file->bytes, *field = texts->options.field;
    for (size_t at = 0, record = 1; at += strspn(text + at, " \t\r\n,[]"), at < file->size; record++) {
        json_error_t mistake;
        json_t *object = json_loadb(text + at, file->size - at, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &mistake);
        const json_t *value = json_object_get(object, field);
        const bool found = json_is_string(value);
        Text document = {0};
        text_add(&document, json_string_value(value), json_string_length(value));
        json_decref(object);
        if (!found)
            return fail_input(error,
                              "%s: record %zu, at byte %zu, is no JSON object with a text \"%s\"; give another "
                              "--field, or leave it out to read the file as text",
                              name, record, at, field);
        text_add(&document, "\n", 1);
        Buffer bytes = {(uint8_t *)document.bytes, document.size};
        if (!texts->options.raw && buffer_drop_returns(&bytes)) document.size = bytes.size;
        if (!texts_add(texts, name, &document, error)) return false;
        at += (size_t)mistake.position;
    }
    return true;
}

// A file `below` a directory is left out when it is no text, or has no records for --field.
static bool add_file(InputTexts *texts, const char *input, bool below, Error *error) {
    const InputOptions *options = &texts->options;
    const char *name = strcmp(input, "-") == 0 ? "standard input" : input;
    Buffer buffer;
    interrupt_cuts(true); // it may wait for what is typed
    const bool read = source_read(&buffer, input, error);
    interrupt_cuts(false);
    if (!read) return false;
    const bool empty = buffer.size == 0, text = !empty && source_check(&buffer, input, error);
    if (empty || !(text || options->force) || (below && *options->field && !is_json(&buffer))) {
        free(buffer.bytes);
        texts->left_out++;
        return below || (empty && fail_input(error, "%s is empty; give a file with text, or leave this one out", name));
    }
    texts->files += below;
    if (text) tidy(texts, name, &buffer);
    Text document = {.bytes = (char *)buffer.bytes, .size = buffer.size, .capacity = buffer.size};
    if (!*options->field) return texts_add(texts, name, &document, error);
    const bool ok = add_records(texts, name, &buffer, error);
    free(buffer.bytes);
    return ok;
}

static int is_visible(const struct dirent *entry) {
    return *entry->d_name != '.';
}

// Add the files below a directory in the order of their names, but not those of data and runs, nor what links lead to.
static bool add_directory(InputTexts *texts, const char *directory, Error *error) {
    struct dirent **entries;
    struct stat status;
    char path[PATH_CAPACITY];
    if (!path_format(path, error, "%s/tokenizer.json", directory)) return false;
    if (path_exists(path)) return true;
    const int count = scandir(directory, &entries, is_visible, alphasort);
    bool ok = count >= 0 || fail_open(directory, errno, "check the name", error);
    for (int i = 0; i < count; i++) {
        ok = ok && stop_check(&stop_at_signal, error) &&
             path_format(path, error, "%s/%s", directory, entries[i]->d_name);
        free(entries[i]);
        const mode_t mode = ok && lstat(path, &status) == 0 ? status.st_mode : 0;
        if (S_ISDIR(mode)) ok = add_directory(texts, path, error);
        if (S_ISREG(mode)) ok = add_file(texts, path, true, error);
    }
    if (count >= 0) free(entries);
    return ok;
}

static bool add_input(InputTexts *texts, const char *input, Error *error) {
    const size_t before = texts->files;
    if (is_builtin(input)) return add_builtin(texts, input, error);
    if (!path_is_directory(input)) return add_file(texts, input, false, error);
    return add_directory(texts, input, error) &&
           (texts->files > before ||
            fail_input(error, "%s is a directory of data or of a run, or one without texts; name a file or another",
                       input));
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
        ok = stop_check(&stop_at_signal, error) && add_input(texts, inputs[i], error);
        if (show) fprintf(stderr, "\rread %d of %d inputs, %.1f MB", i + 1, count, (double)texts->bytes * 1e-6);
    }
    if (show) fprintf(stderr, "\n");
    return ok;
}
