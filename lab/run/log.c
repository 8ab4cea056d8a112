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

// The training losses of all rows, to be freed, and their steps; NULL for want of memory.
static double *losses_of(long long *rows, long long **steps, const char *text) {
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    double *losses = malloc((lines + 1) * sizeof *losses);
    *steps = malloc((lines + 1) * sizeof **steps);
    *rows = 0;
    for (const char *line = strchr(text, '\n'); losses && *steps && line; line = strchr(line + 1, '\n')) {
        double tokens, seconds;
        if (sscanf(line + 1, "%lld,%lf,%lf,%lf", &(*steps)[*rows], &tokens, &seconds, &losses[*rows]) == 4) ++*rows;
    }
    return *steps ? losses : NULL;
}

bool log_losses(LogLosses *summary, const char *path, Error *error) {
    Buffer file;
    long long rows, *steps = NULL;
    *summary = (LogLosses){.lowest = NAN, .final = NAN};
    if (!file_read(&file, path, error)) return false;
    double *losses = losses_of(&rows, &steps, (const char *)file.bytes);
    const bool ok = losses || fail_run(error, "%s: no memory for its rows", path);
    summary->rows = ok ? rows : 0;
    if (summary->rows > 0) {
        summary->first = losses[0];
        summary->last = losses[rows - 1];
    }
    summary->part = rows / PARTS_MOST > PART_ROWS ? rows / PARTS_MOST : PART_ROWS;
    for (long long end = rows; ok && end >= summary->part; end -= summary->part) {
        double sum = 0;
        for (long long row = end - summary->part; row < end; row++) sum += losses[row];
        const double mean = sum / (double)summary->part;
        if (end == rows) summary->final = mean;
        if (end < rows && !(mean >= summary->lowest)) {
            summary->lowest = mean;
            summary->lowest_step = steps[end - 1];
        }
    }
    free(losses);
    free(steps);
    free(file.bytes);
    return ok;
}
