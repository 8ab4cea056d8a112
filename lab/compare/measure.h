// What a comparison wants to know of a trained model: rows of measured.csv in its run's directory.
#ifndef BITTER_MEASURE_H
#define BITTER_MEASURE_H

#include "base/interrupt.h"
#include "lab/compare/plan.h"
#include "lab/run/trainer.h"

#define MEASURED_HEADER "quantity,x,value,count\n"

// Windows are the trained length, twice, four and eight times that.
enum { MULTIPLES = 4 };

// The validation tokens of a comparison, at most --eval-tokens, in halves: the first one chooses learning rates, the
// second one is reported. Fails (input) when they are too few for windows of eight times the context.
bool measure_check(const TrainOptions *options, const Corpus *corpus, Error *error);

// Write, for a trainer that has finished,
//   choose,T,nats,tokens     loss on the choosing half
//   loss,W,nats,tokens       on the reported half in windows of W = T, 2T, 4T, 8T as far as the scheme is defined
//   position,P,nats,tokens   the same in the longest of these windows, for positions up to P behind the one before
//   same,W,nats,tokens       the same last tokens of windows of W = T, 2T, 4T
//   right,N,share,questions  of a task: right answers to exercises of length N, up to twice the trained lengths
//   parameters, positions, tokens, seconds, batches: what the run was; batches is the CRC-32 of its inputs
// Fails as evaluate does, (interrupted) when `stop`, asked between any two rows and more often, says so.
bool measure(FILE *csv, const Trainer *trainer, const Plan *plan, const Job *job, const Stop *stop, Error *error);

#endif
