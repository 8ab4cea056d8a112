// `bitter prepare`: turn text into shards of tokens, in a directory that appears only when it is complete.
#include "cmd/prepare.h"

#include "base/interrupt.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "data/bpe/bpe.h"
#include "data/corpus.h"
#include "train/run.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct {
    char out[TEXT_CAPACITY];
    double validation;
    long long shard_tokens;
    InputOptions input;
    long long least; // no option: tokens that training and validation need at least, for `bitter train FILE`
} PrepareOptions;

#define FIELD(name) offsetof(PrepareOptions, name)

static const Option prepare_options[] = {
    TEXT_ROW("out", FIELD(out), NULL, "DIR",
             "new directory for the shards; by default runs/data/NAME, named after the first input"),
    INPUT_OPTION_ROWS(PrepareOptions),
    NUMBER_ROW("val", FIELD(validation), "0.1", 0, 1, "SHARE",
               "fraction of the text, at its end, to keep for validation"),
    INTEGER_ROW("shard-tokens", FIELD(shard_tokens), "100000000", 1, INT32_MAX, "write at most N tokens into a shard"),
    {.name = NULL},
};

// --- the texts ---

void texts_free(Texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        text_free(&texts->documents[i].text);
        free(texts->documents[i].name);
    }
    free(texts->documents);
    tokenizer_free(&texts->tokenizer);
    tokens_free(&texts->tokens);
    *texts = (Texts){0};
}

// Add one text, or free it.
static bool texts_add(Texts *texts, const char *name, Text *text, Error *error) {
    const bool room = array_room(&texts->documents, &texts->capacity, texts->count, 1, sizeof *texts->documents);
    char *own_name = strdup(name);
    if (!room || !own_name || text->failed) {
        free(own_name);
        text_free(text);
        return fail_run(error, "%s: no memory for its text; give less, or ask for less with bytes=N", name);
    }
    texts->documents[texts->count++] = (Document){own_name, *text};
    texts->bytes += text->size;
    return true;
}

static bool add_builtin(Texts *texts, const char *input, Error *error) {
    BuiltinCorpus corpus;
    if (!builtin_choose(&corpus, input, error)) return false;
    if (!builtin_check_text(&corpus, input, error) || !builtin_check_memory(&corpus, input, error)) return false;
    const size_t end = texts->bytes + (size_t)corpus.bytes;
    for (uint64_t index = 0; texts->bytes < end; index++) {
        if (!stop_check(&stop_at_signal, error)) return false;
        Text text = {0};
        builtin_document(&text, &corpus, index);
        if (!texts_add(texts, input, &text, error)) return false;
    }
    return true;
}

// --- files ---

static bool holds(const Buffer *buffer, size_t at, const char *bytes) {
    return buffer->size >= at + strlen(bytes) && memcmp(buffer->bytes + at, bytes, strlen(bytes)) == 0;
}

// A gzip file in memory.
typedef struct {
    z_stream stream;
    const uint8_t *end;
    int status; // of inflate()
} Inflation;

// One member follows another, and zeros may pad them, as on tapes.
static ptrdiff_t inflate_bytes(void *source, void *bytes, size_t size) {
    Inflation *in = source;
    z_stream *stream = &in->stream;
    const unsigned most = 1u << 30, room = size < most ? (unsigned)size : most;
    stream->next_out = bytes;
    stream->avail_out = room;
    while (stream->avail_out > 0 && (in->status == Z_OK || in->status == Z_STREAM_END)) {
        if (in->status == Z_STREAM_END) {
            while (stream->next_in < in->end && *stream->next_in == 0) stream->next_in++;
            if (stream->next_in == in->end) break;
            inflateReset(stream);
        }
        const size_t left = (size_t)(in->end - stream->next_in);
        stream->avail_in = left < most ? (unsigned)left : most;
        in->status = inflate(stream, Z_NO_FLUSH);
    }
    return room - stream->avail_out;
}

// Replace the bytes of a gzip file by the text in it. Unlike gzread, refuse a damaged member.
static bool inflate_file(Buffer *buffer, const char *name, Error *error) {
    const Buffer file = *buffer;
    Inflation in = {.stream = {.next_in = file.bytes}, .end = file.bytes + file.size};
    *buffer = (Buffer){0};
    in.status = inflateInit2(&in.stream, 16 + MAX_WBITS); // gzip only
    bool ok = buffer_fill(buffer, inflate_bytes, &in, file.size, name, error);
    if (ok && in.status == Z_MEM_ERROR)
        ok = fail_run(error, "%s: no memory to inflate it", name);
    else if (ok && in.status == Z_DATA_ERROR)
        ok = fail_input(error, "%s is damaged near byte %td (%s); get it again", name, in.stream.next_in - file.bytes,
                        in.stream.msg);
    else if (ok && in.status != Z_STREAM_END)
        ok = fail_input(error, "%s is cut short; get it again", name);
    inflateEnd(&in.stream);
    free(file.bytes);
    return ok;
}

// Read all of a file, of a named pipe or, as "-", of standard input. Gzipped data are inflated.
static bool read_source(Buffer *buffer, const char *path, const char *name, Error *error) {
    const int file = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    *buffer = (Buffer){0};
    if (file < 0) return fail_open(name, errno, "check the name", error);
    bool ok = file_read_open(buffer, file, name, error);
    close(file);
    if (ok && holds(buffer, 0, "\x1F\x8B"))
        ok = inflate_file(buffer, name, error);
    else if (ok && path_ends_with(path, ".gz"))
        ok = fail_input(error, "%s is not gzip data, although its name ends in .gz; rename it if it is plain text",
                        name);
    if (!ok) free(buffer->bytes);
    return ok;
}

// Fails (input) when the file is not text: UTF-16, zip and tar archives and PDF files are recognised by their first
// bytes, other binary files because more than a thousandth of their bytes are zeros.
static bool check_text(const Buffer *buffer, const char *name, Error *error) {
    size_t zeros = 0;
    for (size_t i = 0; i < buffer->size; i++) zeros += buffer->bytes[i] == 0;
    const bool known = holds(buffer, 0, "\xFF\xFE") || holds(buffer, 0, "\xFE\xFF") || holds(buffer, 0, "PK\3\4") ||
                       holds(buffer, 0, "%PDF-") || holds(buffer, 257, "ustar");
    return (!known && zeros <= buffer->size / 1000) ||
           fail_input(
               error,
               "%s is no text, but an archive, a PDF file, UTF-16 or another binary file; make a text of it (such as "
               "unzip -p, xz -dc, pdftotext, iconv -f UTF-16 -t UTF-8), or take it as it is with --force",
               name);
}

static bool is_json(const Buffer *file) {
    const char *text = (const char *)file->bytes, *first = text + strspn(text, "\xEF\xBB\xBF \t\r\n["); // behind a mark
    return *first == '{' && first[1 + strspn(first + 1, " \t\r\n")] == '"';
}

// Remove what a reader of the text does not see, but a model would learn.
static void tidy(Texts *texts, Buffer *file) {
    const size_t before = file->size;
    if (texts->options.raw) return;
    buffer_drop_mark(file);
    buffer_drop_returns(file);
    texts->dropped += before - file->size;
}

// Add the field of each record, with a newline, as a document. The file has a record per line, or an array of them.
static bool add_records(Texts *texts, const char *name, const Buffer *file, Error *error) {
    const char *text = (const char *)file->bytes, *field = texts->options.field;
    const size_t mark = holds(file, 0, "\xEF\xBB\xBF") ? 3 : 0; // it belongs to no record
    for (size_t at = mark, record = 1; at += strspn(text + at, " \t\r\n,[]"), at < file->size; record++) {
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
        text_add(&document, "\n", 2); // with the 0 that ends a Buffer
        if (!document.failed) document.size--;
        Buffer bytes = {(uint8_t *)document.bytes, document.size};
        tidy(texts, &bytes);
        document.size = bytes.size;
        if (!texts_add(texts, name, &document, error)) return false;
        at += (size_t)mistake.position;
    }
    return true;
}

// A file `below` a directory is left out when it is not text, or has no records for --field.
static bool add_file(Texts *texts, const char *input, bool below, Error *error) {
    const InputOptions *options = &texts->options;
    const char *name = strcmp(input, "-") == 0 ? "standard input" : input;
    Buffer buffer;
    interrupt_cuts(true); // it may wait for the user to type
    const bool read = read_source(&buffer, input, name, error);
    interrupt_cuts(false);
    if (!read) return false;
    const bool empty = buffer.size == 0, text = !empty && check_text(&buffer, name, error);
    if (empty || !(text || options->force) || (below && *options->field && !is_json(&buffer))) {
        free(buffer.bytes);
        texts->left_out++;
        return below || (empty && fail_input(error, "%s is empty; give a file with text, or leave this one out", name));
    }
    texts->files += below;
    if (text && !*options->field) tidy(texts, &buffer); // of records, only the texts are
    if (!*options->field && !texts->remarked && (path_ends_with(name, ".csv") || is_json(&buffer))) {
        Error remark; // without control characters of the name
        texts->remarked = true;
        fail_input(&remark, "%s holds CSV or JSON, whose marks are learned as text; --field NAME reads a field of JSON",
                   name);
        fprintf(stderr, "bitter: %s\n", remark.message);
    }
    Text document = {.bytes = (char *)buffer.bytes, .size = buffer.size, .capacity = buffer.size};
    if (!*options->field) return texts_add(texts, name, &document, error);
    const bool ok = add_records(texts, name, &buffer, error);
    free(buffer.bytes);
    return ok;
}

static int is_visible(const struct dirent *entry) {
    return *entry->d_name != '.';
}

// Add the files below a directory in the order of their names, but no links and none in directories of data or of runs.
static bool add_directory(Texts *texts, const char *directory, Error *error) {
    struct dirent **entries;
    struct stat status;
    char path[PATH_CAPACITY];
    if (!path_format(path, error, "%s/tokenizer.json", directory)) return false;
    if (path_exists(path)) {
        texts->left_out++;
        return true;
    }
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

static bool add_input(Texts *texts, const char *input, Error *error) {
    const size_t before = texts->files;
    if (is_builtin(input)) return add_builtin(texts, input, error);
    if (!path_is_directory(input)) return add_file(texts, input, false, error);
    return add_directory(texts, input, error) &&
           (texts->files > before ||
            fail_input(error, "%s is a directory of data or of a run, or has no texts; name a file or another one",
                       input));
}

// --- the tokenizer ---

// What does --tokenizer ask for?
static bool choose_tokenizer(Texts *texts, Error *error) {
    static const char *const names[] = {"bytes", "chars", "bpe:4096"};
    const char *text = texts->options.tokenizer;
    const bool bytes = !*text || strcmp(text, "bytes") == 0, chars = strcmp(text, "chars") == 0;
    texts->kind = bytes ? TOKENIZER_BYTES : chars ? TOKENIZER_CHARS : TOKENIZER_BPE;
    if (bytes || chars) return true;
    if (strncmp(text, "bpe:", 4) == 0) {
        char *end;
        const long size = strtol(text + 4, &end, 10);
        texts->vocab_size = (int)size;
        return (text[4] >= '0' && text[4] <= '9' && !*end && size >= BPE_VOCAB_LEAST && size <= BPE_VOCAB_MOST) ||
               fail_input(error, "--tokenizer %s: give a whole number of tokens from %d to %d, as in bpe:4096", text,
                          BPE_VOCAB_LEAST, BPE_VOCAB_MOST);
    }
    RunPaths run;
    if (!run_paths(&run, text, error)) return false;
    memcpy(texts->path, run.directory, sizeof texts->path);
    if (!path_missing(texts->path)) return true;
    const char *nearest = nearest_name(text, names, sizeof names / sizeof *names);
    return fail_input(
        error,
        "--tokenizer: give bytes, chars, bpe:N or the path of a run, of data or of a tokenizer, not '%s', "
        "which is no file or directory%s%s%s",
        text, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

bool texts_read(Texts *texts, char **inputs, int count, Error *error) {
    const InputOptions *options = &texts->options;
    bool ok = choose_tokenizer(texts, error), files = !(*options->field || options->raw || options->force);
    for (int i = 0; i < count; i++) files = files || !is_builtin(inputs[i]);
    if (ok && !files)
        return fail_input(error,
                          "%s is made by bitter, and --field, --raw and --force say how to read files; leave them out",
                          inputs[0]);
    for (int i = 0; ok && i < count; i++) ok = stop_check(&stop_at_signal, error) && add_input(texts, inputs[i], error);
    return ok;
}

static bool make_chars(Texts *texts, Error *error) {
    Tokenizer *tokenizer = &texts->tokenizer;
    bool ok = tokenizer_create(tokenizer, TOKENIZER_CHARS, error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        const Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_extend(tokenizer, document->text.bytes, document->text.size, document->name, error);
    }
    return ok;
}

static bool make_bpe(Texts *texts, Error *error) {
    Tokenizer *tokenizer = &texts->tokenizer;
    BpeWords words = {0};
    bool ok = tokenizer_create(tokenizer, TOKENIZER_BPE, error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        const Text *text = &texts->documents[i].text;
        ok = stop_check(&stop_at_signal, error) && bpe_words_add(&words, text->bytes, text->size, error);
    }
    if (words.longest > BPE_WORD_SLOW)
        fprintf(stderr, "bitter: a word of the text has %zu bytes, and bpe:N is slow with such words; bytes is not\n",
                words.longest);
    ok = ok && bpe_train(&tokenizer->bpe, &words, texts->vocab_size, error);
    tokenizer->vocab_size = tokenizer->bpe.vocab_size;
    bpe_words_free(&words);
    return ok;
}

// --- the tokens ---

static bool make_tokenizer(Texts *texts, Error *error) {
    if (*texts->path) return tokenizer_find(&texts->tokenizer, texts->path, error);
    if (texts->kind == TOKENIZER_CHARS) return make_chars(texts, error);
    if (texts->kind == TOKENIZER_BPE) return make_bpe(texts, error);
    return tokenizer_create(&texts->tokenizer, texts->kind, error);
}

bool texts_encode(Texts *texts, Error *error) {
    bool ok = make_tokenizer(texts, error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_encode_known(&texts->tokens, &texts->unknown, &texts->tokenizer, document->text.bytes,
                                    document->text.size, document->name, error) &&
             tokens_add_end(&texts->tokens, &texts->tokenizer, error);
        text_free(&document->text);
    }
    const unsigned long long known = texts->tokens.count, unknown = texts->unknown.total;
    return ok && (unknown <= known ||
                  fail_input(error,
                             "--tokenizer %s: it knows only %llu of the text's %llu characters; give the tokenizer of "
                             "a similar text, or bytes or bpe:N, which take any text",
                             texts->path, known, known + unknown));
}

// --- the shards ---

// Write the tokens of a split as files of at most --shard-tokens, numbered from 0.
static bool write_shards(const Output *output, const char *split, const uint16_t *ids, uint64_t count, uint64_t most,
                         Error *error) {
    for (uint64_t at = 0; at < count; at += most) {
        char path[PATH_CAPACITY];
        if (!stop_check(&stop_at_signal, error) ||
            !path_format(path, error, "%s/%s_%06d.bin", output->temporary, split, (int)(at / most)) ||
            !shard_write(path, ids + at, (size_t)(count - at < most ? count - at : most), error))
            return false;
    }
    return true;
}

// Validation is the end of the text.
static bool write_output(Output *output, const Texts *texts, const PrepareOptions *options, Error *error) {
    const uint16_t *ids = texts->tokens.ids;
    const uint64_t count = texts->tokens.count, training = corpus_training_count(count, options->validation);
    const uint64_t most = (uint64_t)options->shard_tokens;
    char path[PATH_CAPACITY];
    if (training == 0 || training == count)
        return fail_input(
            error,
            "the text has %llu tokens, and --val %g leaves none for %s, but training needs both splits; give more "
            "text or another share",
            (unsigned long long)count, options->validation, training ? "validation" : "training");
    if (training < (uint64_t)options->least || count - training < (uint64_t)options->least)
        return fail_input(error,
                          "the text has %llu training and %llu validation tokens, but one window needs %lld of each; "
                          "give more text or a smaller --context",
                          (unsigned long long)training, (unsigned long long)(count - training), options->least);
    return path_format(path, error, "%s/tokenizer.json", output->temporary) &&
           tokenizer_write(&texts->tokenizer, path, error) &&
           write_shards(output, "train", ids, training, most, error) &&
           write_shards(output, "val", ids + training, count - training, most, error) &&
           stop_check(&stop_at_signal, error) && output_complete(output, error);
}

static void print_split(const char *name, uint64_t tokens, const PrepareOptions *options) {
    const uint64_t most = (uint64_t)options->shard_tokens;
    printf("%-12s %llu tokens, shards: %llu\n", name, (unsigned long long)tokens,
           (unsigned long long)((tokens + most - 1) / most));
}

static void print_summary(const Texts *texts, const PrepareOptions *options) {
    const Tokenizer *tokenizer = &texts->tokenizer;
    const UnknownCharacters *unknown = &texts->unknown;
    const size_t known = texts->tokens.count, ends = tokenizer_end(tokenizer) < 0 ? 0 : texts->count;
    printf("text         %zu bytes\n", texts->bytes);
    if (texts->dropped > 0)
        printf("left out     %zu bytes of byte order marks and \\r\\n at the ends of lines; --raw keeps them\n",
               texts->dropped);
    if (texts->files)
        printf("files        %zu, in the order of their names; left out, as empty, %s or a directory of data or of a "
               "run: %zu\n",
               texts->files, *texts->options.field ? "without records" : "no text", texts->left_out);
    printf("tokenizer    %s, vocabulary of %d", tokenizer_kind_name(tokenizer->kind), tokenizer->vocab_size);
    if (texts->vocab_size > tokenizer->vocab_size)
        printf(" instead of %d, because no other pair of tokens occurs twice", texts->vocab_size);
    if (tokenizer->kind == TOKENIZER_BPE)
        printf(", %.2f bytes per token", (double)texts->bytes / (double)(known - ends));
    printf("\n");
    if (unknown->total > 0) {
        char text[5] = "";
        utf8_encode(text, unknown->first);
        printf("left out     %llu of %llu characters, which the tokenizer does not know; the first: '%s' U+%04X\n",
               (unsigned long long)unknown->total, (unsigned long long)unknown->total + known,
               is_plain(text) ? text : "", (unsigned)unknown->first);
    }
    const uint64_t training = corpus_training_count(known, options->validation);
    print_split("training", training, options);
    print_split("validation", known - training, options);
}

// Make the shards of `inputs` (count) and print a summary. Fails (input) when options or inputs are wrong, (run) for
// want of memory or disk, (interrupted) by a signal, and then leaves nothing behind.
static bool prepare_inputs(Output *output, const PrepareOptions *options, char **inputs, int count, Error *error) {
    Texts texts = {.options = options->input};
    char out[PATH_CAPACITY];
    interrupt_catch();
    const bool ok =
        (*options->out ? path_format(out, error, "%s", options->out) : output_default(out, inputs[0], error)) &&
        output_place(output, "--out", out, error) && output_create(output, error) &&
        texts_read(&texts, inputs, count, error) && texts_encode(&texts, error) &&
        write_output(output, &texts, options, error);
    if (ok)
        print_summary(&texts, options);
    else
        output_discard(output);
    if (!ok) stop_check(&stop_at_signal, error); // report the signal, not the read that it cut short
    texts_free(&texts);
    return ok;
}

// --- `bitter train FILE` ---

// Does the text have the tokens of the split at `at`? Moves `at` past them.
static bool holds_split(const Tokens *tokens, size_t *at, const Split *split) {
    for (const Shard *shard = split->shards; shard < split->shards + split->shard_count; *at += shard++->count)
        if (shard->count > tokens->count - *at ||
            memcmp(tokens->ids + *at, shard->tokens, shard->count * sizeof *tokens->ids) != 0)
            return false;
    return true;
}

// Fails (input) unless the corpus is exactly this text, in tokens of its own tokenizer or of the one that `input` asks
// for; the share of validation does not matter.
static bool check_made_of(const char *data, const char *path, const InputOptions *input, Error *error) {
    Corpus corpus = {0};
    Texts texts = {.options = *input};
    size_t at = 0;
    char quoted[5][QUOTED_CAPACITY], name[PATH_CAPACITY + 16];
    if (!*input->tokenizer) snprintf(texts.options.tokenizer, sizeof texts.options.tokenizer, "%s", data);
    const bool read = corpus_open(&corpus, data, error) && texts_read(&texts, (char **)&path, 1, error);
    if (read) *error = (Error){0};
    const bool same = read && texts_encode(&texts, error) && holds_split(&texts.tokens, &at, &corpus.train) &&
                      holds_split(&texts.tokens, &at, &corpus.val) && at == texts.tokens.count;
    for (int number = 2; number == 2 || path_exists(name); number++) snprintf(name, sizeof name, "%s-%d", data, number);
    shell_quoted(quoted[0], name);
    if (read && !same && (error->kind == ERROR_NONE || error->kind == ERROR_INPUT))
        fail_input(error,
                   "%s exists, but holds something else than %s, or in other tokens; for this text, first `bitter "
                   "prepare --out %s%s%s%s%s%s%s %s`, then --data %s; for what is there, --data %s",
                   data, path, quoted[0], *input->tokenizer ? " --tokenizer " : "",
                   *input->tokenizer ? shell_quoted(quoted[3], input->tokenizer) : "", *input->field ? " --field " : "",
                   *input->field ? shell_quoted(quoted[4], input->field) : "", input->raw ? " --raw" : "",
                   input->force ? " --force" : "", shell_quoted(quoted[1], path), quoted[0],
                   shell_quoted(quoted[2], data));
    texts_free(&texts);
    corpus_close(&corpus);
    return same;
}

bool prepare_once(const char *data, const char *text, const InputOptions *input, const char *run, long long least,
                  FILE *out, Error *error) {
    PrepareOptions options = {0};
    Output output = {.lock = -1};
    char *inputs[] = {(char *)text};
    options_default(&options, prepare_options);
    options.input = *input;
    options.least = least;
    if (!*input->tokenizer) snprintf(options.input.tokenizer, sizeof options.input.tokenizer, "%s", run);
    if (!path_exists(data)) {
        if (path_exists(text)) fprintf(out, "prepare %s, as `bitter prepare` does, into %s\n", text, data);
        fflush(out);
        if (prepare_inputs(&output, &options, inputs, 1, error)) return true;
        // Another process may have written it meanwhile.
        if (error->kind != ERROR_INPUT || !path_exists(data)) return false;
    }
    if (!check_made_of(data, text, &options.input, error)) return false;
    fprintf(out, "prepare %s: %s was made of this text and is used\n", text, data);
    return true;
}

bool command_prepare(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "prepare",
        "Turn text into shards of tokens to train on. An INPUT is a text file, a .gz file, a directory for all text "
        "files below it, - for standard input, or builtin:NAME[:key=value,...]. Inputs follow one another, and "
        "validation is the end of the last ones. The output directory appears only when it is complete.",
        "INPUT...", prepare_options,
        "  bitter prepare --tokenizer chars shakespeare.txt\n"
        "  bitter prepare --tokenizer bpe:4096 book.txt\n"
        "  bitter prepare --tokenizer runs/book --out runs/data/sequel sequel.txt\n"
        "  bitter prepare --out runs/data/books --val 0.05 books/*.txt.gz\n"
        "  zcat wiki.gz | bitter prepare --out runs/data/wiki -\n"
        "  bitter prepare builtin:tales:bytes=1e8,seed=2\n"};
    PrepareOptions options = {0};
    Output output = {.lock = -1};
    char quoted[QUOTED_CAPACITY];
    const int first = arguments_parse(&options, NULL, &usage, argc, argv);
    path_trim(argv[first]);
    if (!prepare_inputs(&output, &options, argv + first, argc - first, error)) return false;
    printf("next         %s train --data %s\n", called_as, shell_quoted(quoted, output.path));
    return true;
}
