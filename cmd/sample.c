// `bitter sample`: text from a run.
#include "base/interrupt.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "lab/eval/generate.h"
#include "train/run.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *prompt;
    char past[TEXT_CAPACITY];
    long long tokens, top_k, seed, repeat, context, threads;
    double temperature, top_p, min_p;
    bool interactive;
} SampleOptions;

#define FIELD(name) offsetof(SampleOptions, name)

static const Option sample_options[] = {
    HEADING_ROW("Text"),
    {"prompt", OPTION_LONG, FIELD(prompt), NULL, 0, 0, NULL, "TEXT|-",
     "text to continue, which may also follow RUN; - = all of standard input, without a newline at its end"},
    INTEGER_ROW("tokens", FIELD(tokens), "200", 1, 1e9,
                "tokens to generate after the prompt, at most; up to 3 more finish a UTF-8 character"),
    INTEGER_ROW("repeat", FIELD(repeat), "1", 1, 1e6, "samples to write, with the seeds --seed, --seed + 1, ..."),
    FLAG_ROW("interactive", FIELD(interactive),
             "read lines and continue each one; Ctrl-C stops an answer, and Ctrl-D or a second Ctrl-C ends"),
    HEADING_ROW("Choice of the next token"),
    NUMBER_ROW("temperature", FIELD(temperature), "0.8", 0, 100, "X",
               "sampling temperature; 0 = always the most likely token"),
    INTEGER_ROW("top-k", FIELD(top_k), "50", 0, 65536, "sample among the N most likely tokens; 0 = among all"),
    NUMBER_ROW("top-p", FIELD(top_p), "1", 1e-6, 1, "X",
               "of these, only the fewest tokens whose probabilities add up to X; 1 = all"),
    NUMBER_ROW("min-p", FIELD(min_p), "0", 0, 1, "X",
               "of these, only tokens at least X times as likely as the most likely one; 0 = all"),
    INTEGER_ROW("seed", FIELD(seed), "1337", 0, HUGE_VAL, "random seed"),
    HEADING_ROW("Model"),
    INTEGER_ROW("context", FIELD(context), "0", 0, 1e7, "window in tokens; 0 = the trained context"),
    TEXT_ROW(
        "past", FIELD(past), NULL, "clamp|interpolate",
        "how learned positions go on beyond the trained length: clamp = use the last one, interpolate = squeeze all "
        "positions into the trained ones; by default as the run says"),
    THREADS_OPTION_ROW(SampleOptions),
    {0},
};

static const Usage usage = {
    "sample",
    "Generate text from a run, token by token. When the text exceeds --context, the model keeps the most recent half "
    "and goes on. With --interactive, what you type and what the model answers form one text: each line you type is "
    "appended on a new line, and an empty line lets the answer go on.",
    "RUN [PROMPT]", sample_options,
    "  bitter sample runs/rope \"Once upon a time\" --tokens 500\n"
    "  bitter sample runs/rope@best --top-k 0 --top-p 0.9 --repeat 3\n"
    "  bitter sample runs/rope --interactive\n"};

static bool check_options(const SampleOptions *options, const bool *given, Error *error) {
    static const char *const of_chance[] = {"top-k", "top-p", "min-p", "seed", "repeat"};
    for (size_t i = 0; options->temperature == 0 && i < sizeof of_chance / sizeof *of_chance; i++)
        if (option_given(sample_options, given, of_chance[i]))
            return fail_input(error, "--temperature 0 leaves nothing to chance, so --%s has no effect; leave it out",
                              of_chance[i]);
    if (options->interactive && options->repeat > 1)
        return fail_input(error, "--repeat %lld: with --interactive there is one text; leave one of them out",
                          options->repeat);
    return !options->interactive || strcmp(options->prompt, "-") != 0 ||
           fail_input(error, "--prompt - and --interactive both read standard input; leave one of them out");
}

// All of standard input, to be freed, without a newline at its end; NULL on failure.
static char *read_input(Error *error) {
    Buffer buffer;
    if (!file_read_open(&buffer, STDIN_FILENO, "standard input", error)) return NULL;
    if (buffer.size > 0 && buffer.bytes[buffer.size - 1] == '\n') buffer.bytes[--buffer.size] = 0;
    if (buffer.size > 0 && buffer.bytes[buffer.size - 1] == '\r') buffer.bytes[--buffer.size] = 0;
    if (strlen((char *)buffer.bytes) == buffer.size) return (char *)buffer.bytes;
    fail_input(error, "standard input has a byte 0, so it is no text; give a text as the prompt");
    free(buffer.bytes);
    return NULL;
}

static bool write_samples(const Run *run, Generation *generation, const SampleOptions *options, Error *error) {
    for (long long i = 0; i < options->repeat && !ferror(stdout); i++) {
        const uint64_t seed = (uint64_t)options->seed + (uint64_t)i;
        if (options->repeat > 1) printf("%s--- seed %llu\n", i > 0 ? "\n" : "", (unsigned long long)seed);
        generation->random = (Random){random_key(seed, "sample"), 0};
        if (!generate(stdout, &run->gpt, &run->tokenizer, generation, error)) return false;
        putchar('\n');
    }
    return true;
}

// The next line of standard input without its newline. Returns its length, or -1 at the end and after a signal.
static ssize_t read_line(char **line, size_t *capacity, bool terminal) {
    if (terminal) {
        fputs("> ", stdout);
        fflush(stdout);
    }
    interrupt_cuts(true);
    ssize_t length = interrupt_came() ? -1 : getline(line, capacity, stdin);
    interrupt_cuts(false);
    if (length > 0 && (*line)[length - 1] == '\n') (*line)[--length] = 0;
    if (length < 0 && terminal) putchar('\n');
    return length;
}

// Append a line to the text. Fails as tokenizer_encode does; then nothing was appended.
static bool add_line(Generator *generator, const char *line, size_t length, Error *error) {
    const bool begins = length > 0 && !generator_at_line(generator) && generator->gpt->pos.rule.newline >= 0;
    const size_t before = generator->tokens.count;
    if ((!begins || generator_add(generator, "\n", 1, "a newline", error)) &&
        generator_add(generator, line, length, "your text", error))
        return true;
    generator->tokens.count = before;
    return false;
}

// Let the model continue the text. Ctrl-C stops it; any other signal ends the program.
static bool answer(Generator *generator, Generation *generation, Error *error) {
    if (!generator_write(stdout, generator, generation, error)) return false;
    putchar('\n');
    fflush(stdout);
    return !interrupt_came() || interrupt_forget() || fail_interrupted(error, "interrupted");
}

static bool converse(const Run *run, Generation *generation, Error *error) {
    const bool terminal = isatty(STDIN_FILENO);
    Generator generator;
    char *line = NULL;
    size_t capacity = 0;
    bool ok = generator_create(&generator, &run->gpt, &run->tokenizer, generation->context, error);
    interrupt_catch();
    generation->one_document = true;
    generation->stop = &stop_at_signal;
    if (ok && *generation->prompt)
        ok = generator_begin(stdout, &generator, generation->prompt, error) && answer(&generator, generation, error);
    for (ssize_t length; ok && !ferror(stdout) && (length = read_line(&line, &capacity, terminal)) >= 0;) {
        if (add_line(&generator, line, (size_t)length, error)) {
            ok = answer(&generator, generation, error);
        } else {
            ok = terminal && error->kind == ERROR_INPUT; // a character that the tokenizer does not know: ask again
            if (ok) fprintf(stderr, "bitter sample: %s\n", error->message);
        }
    }
    if (ok && interrupt_came() && !interrupt_forget()) ok = fail_interrupted(error, "interrupted");
    free(line);
    generator_free(&generator);
    return ok;
}

bool command_sample(int argc, char **argv, Error *error) {
    static SampleOptions options;
    Run run;
    bool given[sizeof sample_options / sizeof *sample_options];
    char **operands = argv + arguments_parse(&options, given, &usage, argc, argv);
    if (operands[1] && options.prompt)
        return fail_input(error, "'%.40s' and --prompt are two prompts; leave one of them out", operands[1]);
    if (!options.prompt) options.prompt = operands[1] ? operands[1] : "";
    threads_use(options.threads);
    if (!check_options(&options, given, error) || !run_open(&run, *operands, options.past, error)) return false;
    char *input = NULL; // the prompt, if it is all of standard input
    bool ok = strcmp(options.prompt, "-") != 0 || (options.prompt = input = read_input(error));
    Generation generation = {
        .prompt = options.prompt,
        .tokens = (int)options.tokens,
        .sampling = {options.temperature, (int)options.top_k, options.top_p, options.min_p},
        .context = options.context > 0 ? (int)options.context : run.gpt.shape.context,
        .random = {random_key((uint64_t)options.seed, "sample"), 0},
    };
    ok = ok &&
         (options.interactive ? converse(&run, &generation, error) : write_samples(&run, &generation, &options, error));
    free(input);
    run_close(&run);
    return ok;
}
