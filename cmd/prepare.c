// `bitter prepare`: text becomes token shards to train on, in a directory that appears when it is complete.
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "data/builtin.h"
#include "data/corpus.h"
#include "data/source.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char out[TEXT_CAPACITY];
    int tokenizer; // a TokenizerKind: the choices below are in its order
    double validation;
    long long shard_tokens;
    bool gzip;
} PrepareOptions;

#define FIELD(name) offsetof(PrepareOptions, name)

static const Option prepare_options[] = {
    {"out", OPTION_TEXT, FIELD(out), NULL, 0, 0, NULL, "DIR",
     "a new directory for the shards; runs/data/NAME if not given, after the first input"},
    {"tokenizer", OPTION_CHOICE, FIELD(tokenizer), "bytes", 0, 0, "bytes|chars", NULL,
     "bytes: every byte is a token, and each input a document; chars: every different character is one, and the inputs "
     "are one text"},
    {"val", OPTION_NUMBER, FIELD(validation), "0.1", 0, 1, NULL, "SHARE",
     "the share at the end of the text that is kept for validation"},
    {"shard-tokens", OPTION_INTEGER, FIELD(shard_tokens), "100000000", 1, INT32_MAX, NULL, "N",
     "tokens in one file at most"},
    {"gzip", OPTION_FLAG, FIELD(gzip), NULL, 0, 0, NULL, NULL, "write .bin.gz instead of .bin"},
    {.name = NULL},
};

static const Usage usage = {
    .command = "prepare",
    .summary = "Turn text into token shards to train on. An INPUT is a text file, a .gz file, - for standard input, or "
               "builtin:NAME[:key=value,...]. The directory appears when it is complete, or not at all.",
    .operands = "INPUT...",
    .table = prepare_options,
    .examples = "  bitter prepare --tokenizer chars shakespeare.txt\n"
                "  bitter prepare --out runs/data/books --val 0.05 books/*.txt.gz\n"
                "  zcat wiki.gz | bitter prepare --out runs/data/wiki -\n"
                "  bitter prepare builtin:tales:bytes=1e8,seed=2\n",
};

// SIGINT, SIGTERM and SIGHUP ask the work to stop where it can; a handler can reach nothing but a global.
static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    interrupted = signal_number;
}

static void catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}, before; // without SA_RESTART: waiting for input ends, too
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL); // nohup means what it says
    }
}

// False, with the error set, once a signal has come.
static bool undisturbed(Error *error) {
    if (!interrupted) return true;
    fail_run(error, "interrupted; nothing was written");
    error->kind = ERROR_INTERRUPTED;
    return false;
}

// All text of all inputs: what one file or one built-in story holds is a document.
typedef struct {
    const char *name; // of the input
    Text text;
} Document;

typedef struct {
    Document *documents; // (count)
    size_t count, capacity, bytes;
} Library;

static void library_free(Library *library) {
    for (size_t i = 0; i < library->count; i++) text_free(&library->documents[i].text);
    free(library->documents);
    *library = (Library){0};
}

// Add one text, or free it.
static bool library_add(Library *library, const char *name, Text *text, Error *error) {
    if (library->count == library->capacity) {
        const size_t more = library->capacity ? 2 * library->capacity : 64;
        Document *larger = realloc(library->documents, more * sizeof *larger);
        if (!larger) {
            text_free(text);
            return fail_run(error, "%s: no memory for %zu documents; give less text", name, more);
        }
        library->documents = larger;
        library->capacity = more;
    }
    library->documents[library->count++] = (Document){name, *text};
    library->bytes += text->size;
    return true;
}

static bool add_builtin(Library *library, const char *input, Error *error) {
    BuiltinCorpus corpus;
    if (!builtin_choose(&corpus, input, error)) return false;
    const size_t end = library->bytes + (size_t)corpus.bytes;
    for (uint64_t index = 0; library->bytes < end; index++) {
        if (!undisturbed(error)) return false;
        Text text = {0};
        builtin_document(&text, &corpus, index);
        if (text.failed) {
            text_free(&text);
            return fail_run(error, "%s: out of memory; ask for less with bytes=N", input);
        }
        if (!library_add(library, input, &text, error)) return false;
    }
    return true;
}

static bool add_file(Library *library, const char *input, Error *error) {
    Buffer buffer;
    const char *name = strcmp(input, "-") == 0 ? "standard input" : input;
    if (!source_read(&buffer, input, error)) return false;
    if (buffer.size == 0) {
        free(buffer.bytes);
        return fail_input(error, "%s is empty; give some text, or leave it out", name);
    }
    Text text = {.bytes = (char *)buffer.bytes, .size = buffer.size, .capacity = buffer.size};
    return library_add(library, name, &text, error);
}

static bool read_inputs(Library *library, char **inputs, int count, Error *error) {
    const bool show = isatty(STDERR_FILENO) && count > 1;
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = undisturbed(error) &&
             (is_builtin(inputs[i]) ? add_builtin(library, inputs[i], error) : add_file(library, inputs[i], error));
        if (show) fprintf(stderr, "\rread %d of %d inputs, %.1f MB", i + 1, count, (double)library->bytes * 1e-6);
    }
    if (show) fprintf(stderr, "\n");
    return ok;
}

// Tokens of the whole library in order. Gives back each text as soon as it is encoded: tokens take twice its memory.
static bool encode(Tokens *tokens, Tokenizer *tokenizer, Library *library, TokenizerKind kind, Error *error) {
    bool ok = tokenizer_create(tokenizer, kind, "", 0, "", error);
    for (size_t i = 0; ok && i < library->count; i++) {
        const Document *document = &library->documents[i];
        ok = undisturbed(error) &&
             tokenizer_extend(tokenizer, document->text.bytes, document->text.size, document->name, error);
    }
    const int end = tokenizer_end(tokenizer);
    const uint16_t end_token = (uint16_t)end;
    for (size_t i = 0; ok && i < library->count; i++) {
        Document *document = &library->documents[i];
        ok = undisturbed(error) &&
             tokenizer_encode(tokens, tokenizer, document->text.bytes, document->text.size, document->name, error) &&
             (end < 0 || tokens_add(tokens, &end_token, 1, error));
        text_free(&document->text);
    }
    return ok;
}

// A directory that gets its name when it is complete.
typedef struct {
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY], parent[PATH_CAPACITY];
    size_t existing; // length of the part of `parent` that was not made for this output
    bool made;
} Output;

// The first input's base name without its extensions .gz and .txt or the like; "builtin:tales:..." -> "tales".
static void name_of(char name[TEXT_CAPACITY], const char *input) {
    const char *slash = strrchr(input, '/'), *base = slash ? slash + 1 : input;
    size_t length = strlen(base);
    if (is_builtin(input)) {
        base = input + strlen(BUILTIN_PREFIX);
        length = strcspn(base, ":");
    } else if (strcmp(input, "-") == 0) {
        base = "stdin";
        length = strlen(base);
    } else {
        if (length > 3 && path_ends_with(base, ".gz")) length -= 3;
        size_t dot = length;
        while (dot > 0 && base[--dot] != '.') continue;
        if (dot > 0) length = dot;
    }
    if (length > 0)
        snprintf(name, TEXT_CAPACITY, "%.*s", (int)length, base);
    else
        snprintf(name, TEXT_CAPACITY, "text");
}

// Whether it does not exist or is an empty directory; one that is renamed cannot replace a symbolic link.
static bool check_free(const char *path, Error *error) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return fail_input(error, "--out %s is a symbolic link; name the directory itself, or remove the link", path);
    DIR *entries = opendir(path);
    if (!entries && errno == ENOENT) return true;
    if (!entries)
        return fail_input(error, "cannot use %s for --out: %s; choose a new directory", path, strerror(errno));
    bool empty = true;
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
    closedir(entries);
    return empty ||
           fail_input(error, "%s is there already and not empty; choose another --out, or remove it first", path);
}

static bool output_locate(Output *output, const char *out, const char *first_input, Error *error) {
    char name[TEXT_CAPACITY];
    name_of(name, first_input);
    *output = (Output){.existing = PATH_CAPACITY};
    bool fits =
        *out ? path_format(output->path, error, "%s", out) : path_format(output->path, error, "runs/data/%s", name);
    if (!fits) return false;
    for (size_t last; (last = strlen(output->path) - 1) > 0 && output->path[last] == '/';) output->path[last] = 0;
    const char *slash = strrchr(output->path, '/'), *base = slash ? slash + 1 : output->path;
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return fail_input(error, "--out %s cannot be replaced as a whole; give the name of a new directory",
                          output->path);
    size_t length = (size_t)(base - output->path);
    const char *parent = length > 0 ? output->path : "./";
    if (!path_format(output->parent, error, "%.*s", length > 1 ? (int)length - 1 : 1, parent)) return false;
    return check_free(output->path, error) &&
           path_format(output->temporary, error, "%s.%ld.tmp", output->path, (long)getpid());
}

// The length of the part of the path that exists.
static size_t existing_part(const char path[PATH_CAPACITY]) {
    char part[PATH_CAPACITY];
    memcpy(part, path, sizeof part);
    while (!path_exists(part)) {
        char *slash = strrchr(part, '/');
        if (!slash) return 0;
        *slash = 0;
    }
    return strlen(part);
}

static bool output_create(Output *output, Error *error) {
    output->existing = existing_part(output->parent);
    if (!directory_create(output->parent, error)) return false;
    if (mkdir(output->temporary, 0777) != 0)
        return fail_input(error, "cannot create the directory %s: %s; choose an --out that you can write to",
                          output->temporary, strerror(errno));
    output->made = true;
    return true;
}

static bool output_complete(Output *output, Error *error) {
    if (rename(output->temporary, output->path) != 0)
        return fail_run(error, "cannot rename %s to %s: %s", output->temporary, output->path, strerror(errno));
    output->made = false;
    return directory_sync(output->parent, error);
}

// Remove what is there of a failed output, and the parents that were made for it.
static void output_discard(Output *output) {
    DIR *entries = output->made ? opendir(output->temporary) : NULL;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_CAPACITY];
        Error ignored;
        if (path_format(path, &ignored, "%s/%s", output->temporary, entry->d_name)) unlink(path);
    }
    if (entries) closedir(entries);
    if (output->made) rmdir(output->temporary);
    while (strlen(output->parent) > output->existing && rmdir(output->parent) == 0) {
        char *slash = strrchr(output->parent, '/');
        if (!slash) break;
        *slash = 0;
    }
}

typedef struct {
    const char *split;
    const uint16_t *ids; // (tokens)
    uint64_t tokens;
    int files; // written
} Shards;

// Write the split as files of at most shard_tokens, numbered from 0.
static bool write_shards(Shards *shards, const Output *output, const PrepareOptions *options, Error *error) {
    for (uint64_t written = 0; written < shards->tokens; shards->files++) {
        uint64_t left = shards->tokens - written, most = (uint64_t)options->shard_tokens;
        uint64_t size = left < most ? left : most;
        char path[PATH_CAPACITY];
        if (!undisturbed(error) ||
            !path_format(path, error, "%s/%s_%06d.bin%s", output->temporary, shards->split, shards->files,
                         options->gzip ? ".gz" : "") ||
            !shard_write(path, shards->ids + written, (size_t)size, error))
            return false;
        written += size;
    }
    return true;
}

static bool check_splits(uint64_t count, uint64_t training, double validation, Error *error) {
    if (training > 0 && training < count) return true;
    return fail_input(
        error,
        "the text has %llu tokens, and --val %g leaves none for %s; training needs both splits: give more "
        "text or another share",
        (unsigned long long)count, validation, training ? "validation" : "training");
}

static void print_summary(const Output *output, const PrepareOptions *options, const Tokenizer *tokenizer,
                          size_t text_bytes, const Shards *train, const Shards *val) {
    char kind[TEXT_CAPACITY];
    option_print(options, option_find(prepare_options, "tokenizer"), kind);
    printf("text         %zu bytes\n", text_bytes);
    printf("tokenizer    %s, vocabulary of %d\n", kind, tokenizer->vocab_size);
    printf("training     %llu tokens, shards: %d\n", (unsigned long long)train->tokens, train->files);
    printf("validation   %llu tokens, shards: %d\n", (unsigned long long)val->tokens, val->files);
    printf("next         bitter train --data %s\n", output->path);
}

static bool write_output(Output *output, const Tokens *tokens, const Tokenizer *tokenizer, size_t text_bytes,
                         const PrepareOptions *options, Error *error) {
    const uint64_t count = tokens->count, training = corpus_training_count(count, options->validation);
    Shards train = {"train", tokens->ids, training, 0}, val = {"val", tokens->ids + training, count - training, 0};
    char path[PATH_CAPACITY];
    bool ok = check_splits(count, training, options->validation, error) &&
              path_format(path, error, "%s/tokenizer.json", output->temporary) &&
              tokenizer_write(tokenizer, path, error) && write_shards(&train, output, options, error) &&
              write_shards(&val, output, options, error) && undisturbed(error) && output_complete(output, error);
    if (ok) print_summary(output, options, tokenizer, text_bytes, &train, &val);
    return ok;
}

static bool prepare(Output *output, const PrepareOptions *options, char **inputs, int count, Error *error) {
    Library library = {0};
    Tokens tokens = {0};
    Tokenizer tokenizer = {0};
    bool ok = output_locate(output, options->out, inputs[0], error) && output_create(output, error) &&
              read_inputs(&library, inputs, count, error) &&
              encode(&tokens, &tokenizer, &library, (TokenizerKind)options->tokenizer, error) &&
              write_output(output, &tokens, &tokenizer, library.bytes, options, error);
    library_free(&library);
    tokens_free(&tokens);
    tokenizer_free(&tokenizer);
    return ok;
}

int command_prepare(int argc, char **argv) {
    PrepareOptions options;
    Output output;
    Error error;
    int first = arguments_parse(&options, NULL, &usage, argc, argv);
    if (first == argc) {
        fail_input(&error, "give at least one INPUT; `bitter prepare --help` says what it can be");
        die(usage.command, &error);
    }
    catch_signals();
    if (!prepare(&output, &options, argv + first, argc - first, &error)) {
        output_discard(&output);
        undisturbed(&error); // a read that a signal has cut short fails for another reason
        die(usage.command, &error);
    }
    return ERROR_NONE;
}
