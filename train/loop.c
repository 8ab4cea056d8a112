#include "train/loop.h"

bool train_loop(Trainer *trainer, const Observer *observers, Error *error) {
    const long long steps = trainer->options->steps;
    StepReport report = {0};
    for (long long step = (long long)trainer->progress.step + 1; step <= steps && !report.stop; step++) {
        if (!train_step(&report, trainer, error)) return false;
        for (const Observer *o = observers; o->after; o++) {
            const bool due = (o->every > 0 && step % o->every == 0) || step == steps || report.stop;
            if (due && !o->after(o->context, trainer, &report, error)) return false;
        }
    }
    return true;
}

bool run_files_open(RunFiles *files, Trainer *trainer, Error *error) {
    return log_open(&files->log, files->paths.log, (long long)trainer->progress.step, error) &&
           positions_open(&files->positions, files->paths.positions, trainer, error);
}

void run_files_close(RunFiles *files) {
    log_close(&files->log);
    log_close(&files->positions);
    run_unlock(&files->lock);
}

bool observe_validation(void *none, Trainer *trainer, StepReport *report, Error *error) {
    return trainer_validate(&report->validation, trainer, error);
}

// A run resumed from a checkpoint before its best step computes that step again and finds the same loss.
bool observe_best(void *files, Trainer *trainer, StepReport *report, Error *error) {
    Best *best = &trainer->best;
    const int64_t step = trainer->progress.step;
    if (best->step > 0 && !(report->validation.loss < best->loss)) {
        trainer->stale += step > best->step;
        return true;
    }
    *best = (Best){step, report->validation.loss};
    trainer->stale = 0;
    return run_save_best(trainer, &((RunFiles *)files)->paths, &((RunFiles *)files)->lock, error);
}

// The rows must be on disk before the checkpoint that they lead up to.
bool observe_checkpoint(void *context, Trainer *trainer, StepReport *report, Error *error) {
    RunFiles *files = context;
    return (!files->positions.stream || log_sync(&files->positions, error)) &&
           run_save(trainer, &files->paths, &files->log, &files->lock, error);
}
