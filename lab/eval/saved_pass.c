#include "lab/eval/saved_pass.h"

#include "base/file/crc.h"
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_CAPACITY 256

typedef struct {
    int tokens;
    uint32_t crc;
} RecordHead;

static void first_line(char line[LINE_CAPACITY], const SavedPass *pass, uint32_t identity) {
    const uint32_t weights = crc_bytes(0, pass->gpt->params, pass->gpt->tensors.total * sizeof(real)),
                   text = crc_bytes(0, pass->ids, (size_t)pass->window * sizeof *pass->ids);
    snprintf(line, LINE_CAPACITY,
             SAVED_PASS_HEAD ", window %d, %d tokens a record, %zu bytes a number, run %08" PRIx32
                             ", weights %08" PRIx32 ", text %08" PRIx32 "\n",
             pass->window, pass->every, sizeof(real), identity, weights, text);
}

static uint32_t record_crc(const SavedPass *pass, int first, int n) {
    const uint32_t crc = crc_bytes(0, pass->values + first, (size_t)n * sizeof *pass->values);
    return crc_bytes(crc, pass->memory, (size_t)n * inference_token_size(pass->gpt) * sizeof(real));
}

static bool fail_write(const SavedPass *pass, Error *error) {
    return fail_run(error, "cannot write %s: %s; make room and start again", pass->path, strerror(errno));
}

// How many tokens the records of an open file hold, by its size.
static int count_tokens(const SavedPass *pass) {
    const size_t token = sizeof *pass->values + inference_token_size(pass->gpt) * sizeof(real),
                 record = sizeof(RecordHead) + (size_t)pass->every * token;
    struct stat file;
    const long head = ftell(pass->file);
    if (head < 0 || fstat(fileno(pass->file), &file) != 0 || file.st_size < head) return 0;
    return (int)((size_t)(file.st_size - head) / record) * pass->every;
}

// A new file, complete with its first line before it has its name.
static bool begin(const SavedPass *pass, const char *line, Error *error) {
    AtomicFile file;
    return atomic_open(&file, pass->path, error) && atomic_write(&file, line, strlen(line), error) &&
           atomic_commit(&file, error);
}

static bool check_line(const SavedPass *pass, const char *line, Error *error) {
    char found[LINE_CAPACITY] = "";
    if (fgets(found, sizeof found, pass->file) && strcmp(found, line) == 0) return true;
    return fail_input(error,
                      "--state %s: this is the state of another pass (of another run, text or window); choose another "
                      "file, or remove this one",
                      pass->path);
}

bool saved_pass_open(SavedPass *pass, const char *path, const Gpt *gpt, uint32_t identity, const int *ids, int window,
                     int every, Error *error) {
    char line[LINE_CAPACITY];
    *pass = (SavedPass){.gpt = gpt, .ids = ids, .window = window, .every = every < window ? every : window};
    if (!path_format(pass->path, error, "%s", path)) return false;
    pass->values = calloc((size_t)window, sizeof *pass->values);
    pass->memory = malloc((size_t)pass->every * inference_token_size(gpt) * sizeof *pass->memory);
    if (!pass->values || !pass->memory) return fail_run(error, "no memory to save a window of %d tokens", window);
    first_line(line, pass, identity);
    if (path_missing(path) && !begin(pass, line, error)) return false;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW);
    pass->file = descriptor < 0 ? NULL : fdopen(descriptor, "r+b");
    if (!pass->file) return fail_input(error, "--state %s: %s", path, strerror(errno));
    if (!check_line(pass, line, error)) return false;
    pass->found = count_tokens(pass);
    return true;
}

// Read the next record into values and memory; 0 when there is none that is whole.
static int read_record(SavedPass *pass) {
    RecordHead head;
    if (fread(&head, sizeof head, 1, pass->file) != 1 || head.tokens < 1 || head.tokens > pass->every ||
        head.tokens > pass->window - pass->saved)
        return 0;
    const size_t n = (size_t)head.tokens, numbers = n * inference_token_size(pass->gpt);
    if (fread(pass->values + pass->saved, sizeof *pass->values, n, pass->file) != n ||
        fread(pass->memory, sizeof *pass->memory, numbers, pass->file) != numbers ||
        record_crc(pass, pass->saved, head.tokens) != head.crc)
        return 0;
    return head.tokens;
}

bool saved_pass_recall(SavedPass *pass, Inference *inference, Error *error) {
    long end = ftell(pass->file);
    for (int n; (n = read_record(pass)) > 0; end = ftell(pass->file)) {
        inference_recall(inference, pass->gpt, pass->ids + pass->saved, pass->memory, n);
        pass->saved += n;
    }
    memset(pass->values + pass->saved, 0, (size_t)(pass->window - pass->saved) * sizeof *pass->values);
    if (end < 0 || ftruncate(fileno(pass->file), end) != 0 || fseek(pass->file, end, SEEK_SET) != 0)
        return fail_write(pass, error);
    return true;
}

bool saved_pass_keep(SavedPass *pass, const Inference *inference, Error *error) {
    const int n = inference->length - pass->saved;
    if (n < pass->every) return true;
    for (int left = n; left >= pass->every; left -= pass->every, pass->saved += pass->every) {
        const size_t numbers = (size_t)pass->every * inference_token_size(pass->gpt);
        inference_remembered(pass->memory, inference, pass->gpt, pass->saved, pass->every);
        const RecordHead head = {pass->every, record_crc(pass, pass->saved, pass->every)};
        if (fwrite(&head, sizeof head, 1, pass->file) != 1 ||
            fwrite(pass->values + pass->saved, sizeof *pass->values, (size_t)pass->every, pass->file) !=
                (size_t)pass->every ||
            fwrite(pass->memory, sizeof *pass->memory, numbers, pass->file) != numbers)
            return fail_write(pass, error);
    }
    return fflush(pass->file) == 0 || fail_write(pass, error);
}

void saved_pass_close(SavedPass *pass, bool done) {
    if (pass->file) fclose(pass->file);
    if (pass->file && done) unlink(pass->path);
    free(pass->values);
    free(pass->memory);
    *pass = (SavedPass){0};
}
