#include "train/run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_HEADER "step,tokens,seconds,train_loss,val_loss,val_ppl,lr,grad_norm,tokens_per_second\n"

#define STEPS_MOST 1e15 // larger numbers were not written by this program

#define PARTS_MOST 20 // parts into which the rows are divided
#define PART_ROWS  20 // rows of a part, at least, since single batches vary too much

// The number of bytes of a log up to the end of the row of `step`, and in *rows how many steps have a row there. Later
// rows were written after the checkpoint, or are incomplete.
static size_t kept_bytes(long long *rows, const char *text, long long step) {
    const char *at = strchr(text, '\n');
    long long last = 0;
    if (!at) return 0;
    for (at++;;) {
        const char *end = strchr(at, '\n');
        // strtoll would look for a number in the lines below an empty one.
        const long long number = end && isdigit((unsigned char)*at) ? strtoll(at, NULL, 10) : 0;
        if (!end || number > step) return (size_t)(at - text);
        *rows += number > last;
        if (number > last) last = number;
        at = end + 1;
    }
}

bool log_open(RunLog *log, const char *path, long long step, Error *error) {
    if (!log_start(log, path, LOG_HEADER, step, error)) return false;
    if (log->rows < step)
        fprintf(stderr,
                "bitter: %s has lost the rows of %lld of the %lld steps that are done; reports will not "
                "show these steps\n",
                path, step - log->rows, step);
    return true;
}

bool log_start(RunLog *log, const char *path, const char *header, long long step, Error *error) {
    Buffer old = {0};
    size_t kept = 0;
    *log = (RunLog){0};
    if (!path_format(log->path, error, "%s", path)) return false;
    if (step > 0 && !path_missing(path)) {
        if (!file_read(&old, path, error)) return false;
        kept = kept_bytes(&log->rows, (const char *)old.bytes, step);
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
    return fail_run(
        error, "cannot write %s: %s; mend this and continue with --resume, from the last checkpoint if there is one",
        log->path, strerror(errno));
}

bool log_row(void *context, Trainer *trainer, StepReport *report, Error *error) {
    RunLog *log = context;
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
    return (fflush(log->stream) == 0 && file_sync(fileno(log->stream)) == 0) || log_failed(log, error);
}

void log_close(RunLog *log) {
    if (log->stream) fclose(log->stream);
    log->stream = NULL;
}

// Not sscanf, which would measure the whole remaining text for each number.
double log_number(const char *row, int column) {
    char *end;
    for (; column > 0 && *(row += strcspn(row, ",\n")) == ','; column--) row++;
    const double number = strtod(row, &end);
    const bool found = column == 0 && end != row && !isspace((unsigned char)*row) && (*end == ',' || *end == '\n');
    return found ? number : NAN;
}

bool log_next(LogRow *row, const char **text) {
    enum { STEP = 0, LOSS = 3, VALIDATION = 4 };
    for (const char *end; (end = strchr(*text, '\n'));) {
        *row = (LogRow){log_number(*text, STEP), log_number(*text, LOSS), log_number(*text, VALIDATION)};
        *text = end + 1;
        if (row->step >= 0 && row->step <= STEPS_MOST && !isnan(row->loss)) return true;
    }
    return false;
}

bool log_validations(long long *count, const char *path, long long from, long long to, Error *error) {
    Buffer file;
    LogRow row;
    *count = 0;
    if (path_missing(path)) return true;
    if (!file_read(&file, path, error)) return false;
    for (const char *at = (const char *)file.bytes; log_next(&row, &at);)
        *count += !isnan(row.validation) && row.step > (double)from && row.step <= (double)to;
    free(file.bytes);
    return true;
}

bool log_losses(LogLosses *losses, const char *path, Error *error) {
    Buffer file;
    LogRow row;
    double sum = 0, best = INFINITY; // of the rows of a part; of the validations
    *losses = (LogLosses){.lowest = NAN, .final = NAN};
    if (!file_read(&file, path, error)) return false;
    const char *text = (const char *)file.bytes;
    for (const char *at = text; log_next(&row, &at);) losses->rows++;
    losses->part = losses->rows / PARTS_MOST > PART_ROWS ? losses->rows / PARTS_MOST : PART_ROWS;
    for (long long number = 1; log_next(&row, &text); number++) {
        if (number == 1) losses->first = row.loss;
        losses->last = row.loss;
        sum += row.loss;
        if (!isnan(row.validation)) losses->stale = row.validation < best ? 0 : losses->stale + 1;
        best = fmin(best, row.validation);
        if ((losses->rows - number) % losses->part != 0) continue;
        const double mean = sum / (double)losses->part;
        sum = 0;
        if (number < losses->part) continue; // the rows before the first whole part
        if (number == losses->rows) {
            losses->final = mean;
        } else if (!(mean > losses->lowest)) {
            losses->lowest = mean;
            losses->lowest_step = (long long)row.step;
        }
    }
    losses->unlearned = losses->final > losses->lowest + 1;
    free(file.bytes);
    return true;
}
