// What a comparison measures of a trained model: the rows of measured.csv in its run's directory.
#ifndef BITTER_MEASURE_H
#define BITTER_MEASURE_H

#include "base/file/text.h"
#include "base/interrupt.h"
#include "train/trainer.h"

#define MEASURED_HEADER "quantity,x,value,count\n"
#define MEASURED_SEAL   "checksum,0,"

// Windows are 1, 2, 4 and 8 times the trained length.
enum { MULTIPLES = 4 };

// Every run is validated at CURVE_STEPS steps, in equal ratios from 1% of all steps to the last. curve_step returns the
// first of them after `step`, or 0 if there is none.
enum { CURVE_STEPS = 20 };
#define PLATEAU_LEAST 0.1 // nats, see plateau_end
long long curve_step(long long step, long long steps);

// A comparison uses the first eval_tokens validation tokens, 0 = all: the first half chooses learning rates, the second
// half is reported. Fails (input) when half of them cannot hold a window of 8 times the context.
bool measure_check(long long eval_tokens, long long context, const Corpus *corpus, Error *error);

// measure appends the rows of a trainer's model (T is its context), measure_training those of its training. Text is cut
// into the same windows for all schemes:
//   choose,T,nats,tokens     loss on the choosing half
//   loss,W,nats,tokens       loss on the reported half in windows of W = T, 2T, 4T, 8T, as far as the scheme allows
//   position,P,nats,tokens   loss in windows of T, at positions from the previous row's P up to P
//   beyond,P,nats,tokens     the same in windows of 8T, if the scheme allows them
//   same,W,nats,tokens       loss of the same tokens at the end of windows of W = T, 2T, 4T
//   right,N,share,questions  for a task: right answers to `exercises` exercises of length N, up to twice the trained
//   curve,STEP,nats,1        the validations after the steps of curve_step, from `log`, the run's log.csv
//   left,0,STEP,1            which of these steps is the last on a plateau (plateau_end, over the logarithm of steps)
//   parameters, positions,   one row each, about the run; positions are position parameters, batches is the CRC-32 of
//   tokens, seconds, batches all its inputs
// Fails as evaluate does, and (interrupted) when `stop`, which is asked at least once for each pass over text, says so.
bool measure(Text *csv, const Trainer *trainer, long long eval_tokens, int exercises, const Stop *stop, Error *error);
void measure_training(Text *csv, const Trainer *trainer, const char *log);

// Cut the text of a measured.csv down to the rows of training. If the run diverged, cut only the checksum and return
// false.
bool measured_training(char **measured);

// The last row, MEASURED_SEAL "CRC,1": the CRC-32 of the `size` bytes before it. Returns `row`.
const char *measure_seal(char row[64], const char *rows, size_t size);

#endif
