// Lists that are typed as one argument.
#ifndef BITTER_LIST_H
#define BITTER_LIST_H

#include "train/train_options.h"

// Words become names of files and cells of tables and CSV, so no character has a meaning of its own there.
#define LABEL_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

#define LIST_SEPARATORS ", "

// Copy the next word of a list; false at its end. A word fits, because lists are shorter than TEXT_CAPACITY.
bool list_word(char word[TEXT_CAPACITY], const char **list, const char *separators);

// Parse "5,20,80" into values (most), each as the row of an option over TrainOptions has it. Sets *count, 0 for an
// empty list. Fails (input), naming the option as `label`, on anything else than such numbers, when there are more than
// `most`, and when two are the same to six digits, as many as names of runs have.
bool list_numbers(double *values, int *count, int most, const char *list, const Option *row, const char *label,
                  Error *error);

#endif
