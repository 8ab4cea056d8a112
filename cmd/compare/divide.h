// Divides the runs of a comparison among processes that something else starts: the lines of a list of commands, or the
// tasks of a Slurm job. Each of them is `bitter compare` with the same options and --share.
#ifndef BITTER_COMPARE_DIVIDE_H
#define BITTER_COMPARE_DIVIDE_H

#include "base/file/text.h"
#include "lab/compare/work.h"

// Append the words behind "compare", as they were typed, each with a space in front, without the options that say who
// trains: --list, --slurm, --share and --workers.
void divide_words(Text *words, int argc, char **argv);

// Set the share of this process from "I/N". Fails (input).
bool divide_share(Comparison *comparison, const char *text, Error *error);

// Print, for a shell to read, a command for each run that is not done. With `slurm`, print a script for sbatch instead:
// an array job with a task for each of these runs, of which at most `workers` (0 = no limit) run at the same time.
// Fails (input) when the path of the program or the working directory would be a command of its own, or when with
// `slurm` no run is left to do.
bool divide(const Comparison *comparison, const Text *words, bool slurm, int workers, Error *error);

#endif
