// The commands, one file each in cmd/ (train in train.c). argv[0] is the command's name, and the
// result is the program's exit code.
#ifndef BITTER_COMMANDS_H
#define BITTER_COMMANDS_H

int command_prepare(int argc, char **argv);
int command_train(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_extend(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_report(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_properties(int argc, char **argv);
int command_gradcheck(int argc, char **argv);
int command_bench(int argc, char **argv);

// `--pos help`: every scheme with its formula, its source and its options.
int print_schemes(void);

#endif
