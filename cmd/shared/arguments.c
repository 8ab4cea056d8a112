#include "cmd/shared/arguments.h"

#include "base/utf8.h"
#include "posenc/registry.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_ROW = 256, // getopt_long's value for row 0: above every short option
    HELP_WIDTH = 80,
    HELP_COLUMN_MOST = 28,
};

void die(const char *command, const Error *error) {
    fflush(stdout);
    fprintf(stderr, "bitter%s%s: %s\n", command ? " " : "", command ? command : "", error->message);
    exit(error->kind);
}

int output_finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&reader, 1, 0) > 0 && reader.revents & (POLLERR | POLLHUP)) return status; // `head` has read enough
    fprintf(stderr, "bitter: cannot write to standard output: %s\n", strerror(errno));
    return status ? status : ERROR_RUN;
}

void print_wrapped(const char *text, int column, int indent) {
    bool first = true;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        int length = (int)strcspn(text, *text == '[' ? "]" : " ");
        if (text[length] == ']') length++;
        if (!first && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += printf("%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
    }
    printf("\n");
}

// "--width N", "--tokenizer bytes|chars", "--resume"; returns its length.
static int print_left(char *text, size_t capacity, const Option *option) {
    const char *value = option->value ? option->value : option->type == OPTION_CHOICE ? option->choices : "VALUE";
    if (option->type == OPTION_FLAG) return snprintf(text, capacity, "--%s", option->name);
    return snprintf(text, capacity, "--%s %s", option->name, value);
}

// The help text, followed by "[default; bounds]".
static void print_right(char *text, size_t capacity, const Option *option) {
    char bounds[TEXT_CAPACITY];
    option_bounds(option, bounds);
    const char *preset = option->type != OPTION_FLAG && option->preset ? option->preset : "";
    int length = snprintf(text, capacity, "%s", option->help);
    if (!*preset && !*bounds) return;
    snprintf(text + length, capacity - (size_t)length, " [%s%s%s]", preset, *preset && *bounds ? "; " : "", bounds);
}

static void print_help(const Usage *usage) {
    char left[TEXT_CAPACITY], right[2 * TEXT_CAPACITY];
    int column = 14; // behind "-h, --help"
    for (const Option *option = usage->table; option->name; option++) {
        if (option->type == OPTION_HEADING) continue;
        int length = print_left(left, sizeof left, option) + 4;
        if (length > column && length <= HELP_COLUMN_MOST) column = length;
    }
    printf("usage: bitter %s [options]%s%s\n\n", usage->command, *usage->operands ? " " : "", usage->operands);
    print_wrapped(usage->summary, 0, 0);
    printf("\noptions [default; range]:\n");
    printf("  -h, --help%*sshow this text\n", column - 12, "");
    for (const Option *option = usage->table; option->name; option++) {
        if (option->type == OPTION_HEADING) {
            printf("%s:\n", option->name);
            continue;
        }
        int length = print_left(left, sizeof left, option);
        int padding = length + 4 <= column ? column - length - 2 : 2;
        printf("  %s%*s", left, padding, "");
        print_right(right, sizeof right, option);
        print_wrapped(right, 2 + length + padding, column);
    }
    if (usage->examples) printf("\nexamples:\n%s", usage->examples);
}

const char *other_name(const char *name) {
    // clang-format off
    static const char *const names[][2] = {
        {" block_size max_seq_len max_length max_position_embeddings ", "context"}, {" learning_rate ", "lr"},
        {" n_embd dim hidden_size d_model ", "width"}, {" n_layer n_layers num_layers num_hidden_layers ", "layers"},
        {" n_head n_heads num_attention_heads ", "heads"}, {" n_kv_heads num_key_value_heads ", "kv-heads"},
        {" batch_size per_device_train_batch_size ", "batch"}, {" gradient_accumulation_steps ", "accumulate"},
        {" max_iters max_steps num_steps ", "steps"}, {" max_new_tokens ", "tokens"}, {" out_dir output_dir ", "out"},
        {" grad_clip max_grad_norm ", "clip"}, {" eval_interval ", "eval-every"}, {" dtype bf16 fp16 ", "precision"},
        {" epochs num_epochs num_train_epochs ", "give --steps, each of --batch windows of --context tokens"},
        {" wandb wandb_log wandb_project report_to plot plots draw ", "`bitter report RUN` draws log.csv, which has every step"},
        {" compile device device_map ", "everything is compiled and runs on the CPU; leave it out"},
        {" chat generate inference ", "`bitter sample RUN` generates text, with --interactive after your words"},
        {" finetune fine_tune init_from ", "`bitter train --init RUN` begins with the weights of a run"},
        {" parents mutations crossovers ", "the search of `bitter extend` takes them from --population"},
        {" probability far abandon forget one_by_one ", "the search of `bitter extend` always has its preset; leave it out"},
        {" seed ", "the name of a task has it, as in --data builtin:passkey:seed=3"},
        {" budget ", "`bitter compare` trains all schemes for equal steps, and its report says how long each took"},
        {" sbatch ", "`bitter compare ... --slurm >FILE` writes a script; give sbatch its options with it"},
        {" gzip ", "shards are no longer compressed; compress a data directory that is put away with gzip itself"},
        {" passkey ", "`eval --task --data builtin:passkey` looks for passkeys"},
        {" version ", "`bitter --version` prints it"},
        {" tensorboard ", "it went with version 0.2; scripts/tensorboard.py RUN writes TensorBoard's events from log.csv"},
        {" attention ", "it went with version 0.2: short and long windows have the same attention factor"},
        {" state ", "it went with version 0.2: an evaluation runs in one sitting, and leaving it out does the same"},
    };
    // clang-format on
    char word[TEXT_CAPACITY];
    snprintf(word, sizeof word, " %.500s ", name);
    for (char *c = word; (c = strchr(c, '-'));) *c = '_';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(names[i][0], word)) return names[i][1];
    return NULL;
}

static _Noreturn void die_unknown(const Usage *usage, const char *word) {
    char name[TEXT_CAPACITY];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    Error error;
    const char *other = other_name(name);
    const Option *nearest = other ? option_find(usage->table, other) : NULL;
    if (!nearest) nearest = option_nearest(usage->table, name);
    if (other && strchr(other, ' '))
        fail_input(&error, "there is no option --%s; %s", name, other);
    else if (nearest)
        fail_input(&error, "there is no option --%s; did you mean --%s?", name, nearest->name);
    else
        fail_input(&error, "there is no option --%s; `bitter %s --help` lists them", name, usage->command);
    die(usage->command, &error);
}

// Report what getopt_long could not parse: `kind` is its '?' or ':', and optopt is the option if it is a known one.
static _Noreturn void die_malformed(const Usage *usage, int kind, char **argv) {
    Error error;
    if (optopt == 0) die_unknown(usage, argv[optind - 1] + 2);
    if (optopt == 'h') {
        fail_input(&error, "--help takes no value; leave out what follows '='");
    } else if (optopt < FIRST_ROW) {
        fail_input(&error, "there is no option -%c; `bitter %s --help` lists them", optopt, usage->command);
    } else {
        const Option *option = &usage->table[optopt - FIRST_ROW];
        char left[TEXT_CAPACITY];
        print_left(left, sizeof left, option);
        if (kind == ':')
            fail_input(&error, "--%s needs a value; write %.400s", option->name, left);
        else
            fail_input(&error, "--%s takes no value; write %.400s alone", option->name, left);
    }
    die(usage->command, &error);
}

// The option as the user wrote it, without its dashes: argv[optind-1], or the word before a separate argument.
static const char *written_name(char **argv) {
    bool separate = optarg && optarg == argv[optind - 1];
    return argv[optind - 1 - separate] + 2;
}

// An operand for a command that takes none.
static _Noreturn void die_stray(const Usage *usage, const char *word) {
    Error error;
    fail_input(&error, "does not know what to do with '%s'; `bitter %s --help` lists the options", word,
               usage->command);
    die(usage->command, &error);
}

static void check_operands(const Usage *usage, int count, char **operands) {
    const char *name = usage->operands; // "" takes none, [...] any number
    const bool many = path_ends_with(name, "..."), second = strstr(name, " [");
    Error error;
    if (!*name && count > 0) die_stray(usage, operands[0]);
    if (!*name || *name == '[' || (many ? count >= 1 : count == 1 || (second && count == 2))) return;
    fail_input(&error, "takes %s %.*s, but got %d%s; `bitter %s --help` tells more", many ? "at least one" : "one",
               (int)strcspn(name, "."), name, count, second && count ? " words (a text with spaces needs quotes)" : "",
               usage->command);
    die(usage->command, &error);
}

// Names are printed, and a line is one name in other programs' input.
static void check_plain(const Usage *usage, const char *what, const char *text) {
    Error error;
    fail_input(&error, "%s %s: the name holds a newline or another control character; rename it", what, text);
    if (!is_plain(text)) die(usage->command, &error);
}

// --- completion ---

static bool completes;

void complete_ask(void) {
    completes = true;
}

static bool begins(const char *word, size_t length, const char *name) {
    return length >= strlen(name) && strncmp(word, name, strlen(name)) == 0;
}

// What `kinds` stands for in a help text: "half|interleaved", "SCHEME", "RUN", "FILE.npy", "[exercises DIR]".
static void print_values(const char *kinds) {
    static const char separators[] = "|[] ";
    for (kinds += strspn(kinds, separators); *kinds; kinds += strspn(kinds, separators)) {
        const size_t length = strcspn(kinds, separators);
        if (begins(kinds, length, "SCHEME"))
            for (const Scheme *const *scheme = schemes; *scheme; scheme++) printf("%s\n", (*scheme)->name);
        else if (begins(kinds, length, "FILE") || begins(kinds, length, "INPUT") || begins(kinds, length, "PATH"))
            printf("FILE\n");
        else if (begins(kinds, length, "DIR") || begins(kinds, length, "RUN"))
            printf("DIR\n");
        else if (!isupper((unsigned char)*kinds) && !memchr(kinds, ':', length))
            printf("%.*s\n", (int)length, kinds);
        kinds += length;
    }
}

static void print_options(const Option *table) {
    printf("--help\n");
    for (const Option *option = table; option->name; option++)
        if (option->type != OPTION_HEADING) printf("--%s\n", option->name);
}

// Of a command whose name is argv[0]: print what the last argument may become.
static void complete(const Usage *usage, int argc, char **argv) {
    const Option *table = usage->table;
    const char *word = argc > 1 ? argv[argc - 1] : "", *before = argc > 2 ? argv[argc - 2] : "";
    const Option *option = strncmp(before, "--", 2) == 0 ? option_find(table, before + 2) : NULL;
    if (option && option->type != OPTION_FLAG)
        print_values(option->type == OPTION_CHOICE ? option->choices : option->value ? option->value : "");
    else if (*word == '-')
        print_options(table);
    else
        print_values(usage->operands);
}

// --- parsing ---

int arguments_parse(void *target, bool *given, const Usage *usage, int argc, char **argv) {
    if (completes) {
        complete(usage, argc, argv);
        exit(output_finish(ERROR_NONE));
    }
    struct option rows[ARGUMENTS_MOST + 2] = {{"help", no_argument, NULL, 'h'}};
    int count = 1;
    for (const Option *option = usage->table; option->name; option++) {
        const int row = (int)(option - usage->table);
        assert(row < ARGUMENTS_MOST);
        if (given) given[row] = false;
        if (option->type == OPTION_HEADING) continue;
        const int argument = option->type == OPTION_FLAG ? no_argument : required_argument;
        rows[count++] = (struct option){option->name, argument, NULL, FIRST_ROW + row};
    }
    options_default(target, usage->table);

    for (int found; (found = getopt_long(argc, argv, ":h", rows, NULL)) != -1;) {
        if (found == '?' || found == ':') die_malformed(usage, found, argv);
        if (found == 'h') {
            print_help(usage);
            exit(output_finish(ERROR_NONE));
        }
        const Option *option = &usage->table[found - FIRST_ROW];
        // getopt_long accepts unambiguous abbreviations, whose meaning could change when an option is added.
        if (strcspn(written_name(argv), "=") != strlen(option->name)) die_unknown(usage, written_name(argv));
        char label[TEXT_CAPACITY];
        snprintf(label, sizeof label, "--%s", option->name);
        Error error;
        // A variable of a script that is not set shall not choose the default.
        if (strcmp(option->name, "out") == 0 && !*optarg) {
            fail_input(&error, "--out: the name is empty; give one");
            die(usage->command, &error);
        }
        // Texts to continue or to stop at may hold anything.
        if (optarg && strcmp(option->name, "prompt") != 0 && strcmp(option->name, "stop") != 0)
            check_plain(usage, label, optarg);
        if (!option_set(target, option, optarg ? optarg : "true", label, &error)) die(usage->command, &error);
        if (given) given[found - FIRST_ROW] = true;
    }
    check_operands(usage, argc - optind, argv + optind);
    for (int i = optind; i < argc; i++) // but for the words of `sample RUN WORDS`, which are a prompt
        if (i == optind || strcmp(usage->command, "sample") != 0) check_plain(usage, "the argument", argv[i]);
    return optind;
}
