#include "lab/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_HEADER "step,tokens,seconds,train_loss,val_loss,val_ppl,lr,grad_norm,tokens_per_second\n"

#define PARTS_MOST 20 // into which the rows are divided ...
#define PART_ROWS  20 // ... which are at least so many each, since single batches vary too much

// The bytes of a log up to the end of the row of `step`. Later rows were written after the checkpoint, or only in part.
static size_t kept_bytes(const char *text, long long step) {
    const char *at = strchr(text, '\n');
    if (!at) return 0;
    for (at++;;) {
        const char *end = strchr(at, '\n');
        if (!end || strtoll(at, NULL, 10) > step) return (size_t)(at - text);
        at = end + 1;
    }
}

bool log_open(RunLog *log, const char *path, long long step, Error *error) {
    return log_start(log, path, LOG_HEADER, step, error);
}

bool log_start(RunLog *log, const char *path, const char *header, long long step, Error *error) {
    Buffer old = {0};
    size_t kept = 0;
    *log = (RunLog){0};
    if (!path_format(log->path, error, "%s", path)) return false;
    if (step > 0 && path_exists(path)) {
        if (!file_read(&old, path, error)) return false;
        kept = kept_bytes((const char *)old.bytes, step);
    }
    const void *head = kept > 0 ? (const void *)old.bytes : header;
    AtomicFile file;
    const bool ok = atomic_open(&file, path, error) &&
                    atomic_write(&file, head, kept > 0 ? kept : strlen(header), error) && atomic_commit(&file, error);
    free(old.bytes);
    if (!ok) return false;
    log->stream = file_append(path);
    return log->stream || fail_run(error, "cannot append to %s: %s", path, strerror(errno));
}

bool log_failed(const RunLog *log, Error *error) {
    return fail_run(error, "cannot write %s: %s; the last checkpoint is good; make room and continue with --resume",
                    log->path, strerror(errno));
}

bool log_row(RunLog *log, const Trainer *trainer, const StepReport *report, Error *error) {
    const Progress *p = &trainer->progress;
    char validated[80] = ",";
    if (!isnan(report->validation.loss))
        snprintf(validated, sizeof validated, "%.9g,%.9g", report->validation.loss, exp(report->validation.loss));
    const int written = fprintf(log->stream, "%" PRId64 ",%lld,%.9g,%.9g,%s,%.9g,%.9g,%.9g\n", p->step,
                                trainer_tokens(trainer), p->seconds, report->loss, validated, report->learning_rate,
                                report->gradient_norm, (double)report->tokens / report->seconds);
    return (written > 0 && fflush(log->stream) == 0) || log_failed(log, error);
}

bool log_sync(RunLog *log, Error *error) {
    return (fflush(log->stream) == 0 && fsync(fileno(log->stream)) == 0) || log_failed(log, error);
}

void log_close(RunLog *log) {
    if (log->stream) fclose(log->stream);
    log->stream = NULL;
}

typedef struct {
    long long step;
    double loss;
    bool validated;
} Row;

// The next row of the text, whose newline becomes a 0; lines that are no rows are passed over. False at the end.
static bool next_row(Row *row, char **text) {
    for (char *end; (end = strchr(*text, '\n'));) {
        double validation;
        *end = 0;
        const int found = sscanf(*text, "%lld,%*f,%*f,%lf,%lf", &row->step, &row->loss, &validation);
        *text = end + 1;
        row->validated = found == 3;
        if (found >= 2) return true;
    }
    return false;
}

bool log_validations(long long *count, const char *path, long long from, long long to, Error *error) {
    Buffer file;
    Row row;
    *count = 0;
    if (!path_exists(path)) return true;
    if (!file_read(&file, path, error)) return false;
    for (char *at = (char *)file.bytes; next_row(&row, &at);)
        *count += row.validated && row.step > from && row.step <= to;
    free(file.bytes);
    return true;
}

static void summarise(LogLosses *summary, const Row *rows, long long count) {
    *summary = (LogLosses){.rows = count, .lowest = NAN, .final = NAN};
    if (count > 0) {
        summary->first = rows[0].loss;
        summary->last = rows[count - 1].loss;
    }
    summary->part = count / PARTS_MOST > PART_ROWS ? count / PARTS_MOST : PART_ROWS;
    for (long long end = count; end >= summary->part; end -= summary->part) {
        double sum = 0;
        for (long long row = end - summary->part; row < end; row++) sum += rows[row].loss;
        const double mean = sum / (double)summary->part;
        if (end == count) summary->final = mean;
        if (end < count && !(mean >= summary->lowest)) {
            summary->lowest = mean;
            summary->lowest_step = rows[end - 1].step;
        }
    }
}

bool log_losses(LogLosses *summary, const char *path, Error *error) {
    Buffer file;
    if (!file_read(&file, path, error)) return false;
    char *text = (char *)file.bytes;
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    Row *rows = malloc((lines + 1) * sizeof *rows);
    long long count = 0;
    while (rows && next_row(&rows[count], &text)) count++;
    if (rows) summarise(summary, rows, count);
    const bool ok = rows || fail_run(error, "%s: no memory for its rows", path);
    free(file.bytes);
    free(rows);
    return ok;
}
