// Divides the runs of a comparison among processes that something else starts: the lines of a list of commands, or the
// tasks of a Slurm job. Each of them is `bitter compare` with the same options and --share.
#ifndef BITTER_COMPARE_DIVIDE_H
#define BITTER_COMPARE_DIVIDE_H

#include "base/file/text.h"
#include "lab/compare/work.h"

// Append the words behind "compare", as they were typed, each with a space in front, without the options that say who
// trains:
// --list, --slurm, --share, --sbatch and --workers.
void divide_words(Text *words, int argc, char **argv);

// Set the share of this process from "I/N". Fails (input).
bool divide_share(Comparison *comparison, const char *text, Error *error);

// Print a command for each run that is not done. Fails (run) when memory runs out.
bool divide_list(const Comparison *comparison, const Text *words, Error *error);

// Call before divide_list and divide_slurm, which write paths for a shell to read. With `slurm`, logs is the absolute
// path of DIR/slurm, where the output of a job goes. Fails (input) when the path of the program or, with `slurm`, the
// working directory holds a control character, or logs is too long or not for Slurm, or DIR/slurm.sh is
// somebody else's, (run) when the working directory is gone.
bool divide_check(char logs[PATH_CAPACITY], const Comparison *comparison, bool slurm, Error *error);

// Write DIR/slurm.sh: an array job with a task for each run that is not done, at most `workers` (0 = no limit) at the
// same time. `logs` are from divide_check; `options` are more options for sbatch. Submit it; without sbatch, say how
// to. Fails (run) when sbatch does.
bool divide_slurm(const Comparison *comparison, const Text *words, const char *logs, int workers, const char *options,
                  Error *error);

#endif
