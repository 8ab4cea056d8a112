// `bitter sample`: text from a run.
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/eval/generate.h"
#include "lab/run/run.h"

#include <stddef.h>

typedef struct {
    char prompt[TEXT_CAPACITY], past[TEXT_CAPACITY];
    long long tokens, top_k, seed, context, threads;
    double temperature;
} SampleOptions;

#define FIELD(name) offsetof(SampleOptions, name)

static const Option sample_options[] = {
    TEXT_ROW("prompt", FIELD(prompt), NULL, "TEXT", "text to continue"),
    INTEGER_ROW("tokens", FIELD(tokens), "200", 1, 1e9, "tokens to generate after the prompt"),
    NUMBER_ROW("temperature", FIELD(temperature), "0.8", 0, 100, "X",
               "sampling temperature; 0 = always the most likely token"),
    INTEGER_ROW("top-k", FIELD(top_k), "50", 0, 65536, "sample among the N most likely tokens; 0 = among all"),
    INTEGER_ROW("seed", FIELD(seed), "1337", 0, HUGE_VAL, "random seed"),
    INTEGER_ROW("context", FIELD(context), "0", 0, 1e7, "window in tokens; 0 = the trained context"),
    TEXT_ROW("past", FIELD(past), NULL, "clamp|interpolate",
             "for --pos learned, beyond the trained length: clamp = use the last position, interpolate = squeeze all "
             "positions into the trained ones"),
    THREADS_OPTION_ROW(SampleOptions),
    {0},
};

bool command_sample(int argc, char **argv, Error *error) {
    static const Usage usage = {"sample",
                                "Generate text from a run, token by token. When the window is full, its first half "
                                "is forgotten.",
                                "RUN", sample_options,
                                "  bitter sample runs/rope --prompt \"Once upon a time\" --tokens 500\n"};
    SampleOptions options;
    Run run;
    const char *directory = argv[arguments_parse(&options, NULL, &usage, argc, argv)];
    threads_use(options.threads);
    if (!run_open(&run, directory, options.past, error)) return false;
    Generation generation = {
        .prompt = options.prompt,
        .tokens = (int)options.tokens,
        .temperature = options.temperature,
        .top_k = (int)options.top_k,
        .context = options.context > 0 ? (int)options.context : run.gpt.shape.context,
        .random = {random_key((uint64_t)options.seed, "sample"), 0},
    };
    const bool ok = generate(stdout, &run.gpt, &run.tokenizer, &generation, error);
    if (ok) putchar('\n');
    run_close(&run);
    return ok;
}
