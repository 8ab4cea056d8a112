#include "cmd/shared/arguments.h"

#include "base/utf8.h"
#include "num/blas.h"
#include "num/gemm.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELP_WIDTH = 80, HELP_COLUMN_MOST = 28 };

void die(const char *command, const Error *error) {
    fflush(stdout);
    fprintf(stderr, "bitter%s%s: ", command ? " " : "", command ? command : "");
    print_commands(stderr, error->message);
    fputc('\n', stderr);
    exit(error->kind);
}

void program_find(char program[PATH_CAPACITY], const char *name) {
    const ssize_t length = readlink("/proc/self/exe", program, PATH_CAPACITY - 1);
    if (length > 0 && length < PATH_CAPACITY - 1) // a longer one may be cut
        program[length] = '\0';
    else
        snprintf(program, PATH_CAPACITY, "%s", name);
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

// "N", "bytes|chars".
static const char *value_of(const Option *option) {
    return option->value ? option->value : option->type == OPTION_CHOICE ? option->choices : "VALUE";
}

// "--width N", "--tokenizer bytes|chars", "--resume"; returns its length.
static int print_left(char text[TEXT_CAPACITY], const Option *option) {
    const bool flag = option->type == OPTION_FLAG;
    return snprintf(text, TEXT_CAPACITY, "--%s%s%s", option->name, flag ? "" : " ", flag ? "" : value_of(option));
}

static void print_help(const Usage *usage) {
    char left[TEXT_CAPACITY], bounds[TEXT_CAPACITY], right[3 * TEXT_CAPACITY];
    int column = 14; // behind "-h, --help"
    for (const Option *option = usage->table; option->name; option++) {
        if (option->type == OPTION_HEADING) continue;
        int length = print_left(left, option) + 4;
        if (length > column && length <= HELP_COLUMN_MOST) column = length;
    }
    printf("usage: %s %s [options]%s%s\n\n", called_as, usage->command, *usage->operands ? " " : "", usage->operands);
    print_wrapped(usage->summary, 0, 0);
    printf("\noptions [default; range]:\n");
    printf("  -h, --help%*sshow this text\n", column - 12, "");
    for (const Option *option = usage->table; option->name; option++) {
        if (option->type == OPTION_HEADING) {
            printf("%s:\n", option->name);
            continue;
        }
        const int length = print_left(left, option), padding = length + 4 <= column ? column - length - 2 : 2;
        printf("  %s%*s", left, padding, "");
        const char *preset = option->type != OPTION_FLAG && option->preset ? option->preset : "";
        option_bounds(option, bounds);
        const bool brackets = *preset || *bounds;
        snprintf(right, sizeof right, "%s%s%s%s%s%s", option->help, brackets ? " [" : "", preset,
                 *preset && *bounds ? "; " : "", bounds, brackets ? "]" : "");
        print_wrapped(right, 2 + length + padding, column);
    }
    printf("\nexamples:\n");
    print_commands(stdout, usage->examples);
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
        {" num_samples ", "repeat"}, {" start ", "prompt"},
        {" vocab_size ", "the data's tokenizer has it, as in `bitter prepare --tokenizer bpe:4096`; leave it out"},
        {" lr_decay_iters ", "the learning rate falls until the last of --steps; leave it out"},
        {" epochs num_epochs num_train_epochs ", "give --steps, each of --batch windows of --context tokens"},
        {" wandb wandb_log wandb_project report_to plot plots draw ", "`bitter report RUN` draws log.csv, which has every step"},
        {" compile device device_map ", "everything is compiled and runs on the CPU; leave it out"},
        {" chat generate inference ", "`bitter sample RUN` generates text, with --interactive after your words"},
        {" finetune fine_tune init_from ", "`bitter train --init RUN` begins with the weights of a run"},
        {" resume ", "`bitter train --resume RUN` continues a training; for others, give the same command again"},
        {" seed ", "the name of a task has it, as in --data builtin:passkey:seed=3"},
        {" demo ", "`make demo` trains five schemes, and `bitter compare` those that you name"},
        {" version ", "`bitter --version` prints it"},
        {" tensorboard ", "scripts/tensorboard.py RUN writes TensorBoard's events from log.csv"},
    };
    // clang-format on
    char word[TEXT_CAPACITY];
    snprintf(word, sizeof word, " %.500s ", name);
    for (char *c = word; (c = strchr(c, '-'));) *c = '_';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(names[i][0], word)) return names[i][1];
    return NULL;
}

static bool fail_unknown(const Usage *usage, const char *name, Error *error) {
    const char *other = other_name(name);
    if (other && strchr(other, ' ')) return fail_input(error, "there is no option --%s; %s", name, other);
    const Option *nearest = other ? option_find(usage->table, other) : NULL;
    if (!nearest) nearest = option_nearest(usage->table, name);
    if (nearest) return fail_input(error, "there is no option --%s; did you mean --%s?", name, nearest->name);
    return fail_input(error, "there is no option --%s; `bitter %s --help` lists them", name, usage->command);
}

// Names are printed, and other programs read one name per line.
static bool check_plain(const char *label, const char *text, Error *error) {
    return is_plain(text) ||
           fail_input(error,
                      "%s %s: it holds a newline or another control character; write it in one line (a formula with "
                      "';' for a new line), or rename it",
                      label, text);
}

// Set the option that a word names to what follows '=' in it or, if it takes a value, to *next, which then moves on.
static bool take_option(void *target, bool *given, const Usage *usage, const char *word, char ***next, Error *error) {
    char label[TEXT_CAPACITY];
    const int length = snprintf(label, sizeof label, "%.*s", (int)strcspn(word, "="), word);
    if (word[1] != '-')
        return fail_input(error, "there is no option %s; `bitter %s --help` lists them", word, usage->command);
    const Option *option = option_find(usage->table, label + 2);
    if (!option) return fail_unknown(usage, label + 2, error);
    const bool flag = option->type == OPTION_FLAG;
    const char *value = word[length] == '=' ? word + length + 1 : flag ? NULL : *(*next)++;
    if (flag && value) return fail_input(error, "%s takes no value; write %s alone", label, label);
    // "--pos --steps 20": the next option is not the value. A text to continue may begin like one.
    const bool skipped = value && word[length] != '=' && option->type != OPTION_LONG && strncmp(value, "--", 2) == 0;
    if (!flag && (!value || skipped))
        return fail_input(error, "%s needs a value; write %s %s", label, label, value_of(option));
    // An unset variable of a script must not choose the default silently. --window '' beside --init means all keys.
    if (!flag && option->type != OPTION_LONG && !*value && strcmp(option->name, "window") != 0)
        return fail_input(error, "%s: '' is empty; give a value, or leave the option out", label);
    // A text to continue may hold anything.
    if (!flag && option->type != OPTION_LONG && !check_plain(label, value, error)) return false;
    if (given) given[option - usage->table] = true;
    return option_set(target, option, flag ? "true" : value, label, error);
}

static bool check_operands(const Usage *usage, int count, char **operands, Error *error) {
    const char *name = usage->operands; // "" takes none, [...] any number
    const bool many = path_ends_with(name, "..."), second = strstr(name, " [");
    if (!*name && count > 0)
        return fail_input(error, "does not know what to do with '%s'; `bitter %s --help` lists the options",
                          operands[0], usage->command);
    const bool fits = !*name || *name == '[' || (many ? count >= 1 : count == 1 || (second && count == 2));
    if (!fits)
        return fail_input(error, "takes %s %.*s, but got %d%s; `bitter %s --help` tells more",
                          many ? "at least one" : "one", (int)strcspn(name, "."), name, count,
                          second && count ? " words (a text with spaces needs quotes)" : "", usage->command);
    for (int i = 0; i < (second ? 1 : count); i++) { // the second word of `sample RUN WORDS` is a prompt
        if (!*operands[i])
            return fail_input(error, "a name is empty ('', perhaps from an unset shell variable); give %.*s",
                              (int)strcspn(name + (*name == '['), ".] "), name + (*name == '['));
        if (!check_plain("the argument", operands[i], error)) return false;
    }
    return true;
}

int arguments_parse(void *target, bool *given, const Usage *usage, int argc, char **argv) {
    size_t operands = 0; // so far: the words before `word`
    bool options = true;
    Error error;
    options_default(target, usage->table);
    for (const Option *option = usage->table; option->name; option++) {
        assert(option - usage->table < ARGUMENTS_MOST);
        if (given) given[option - usage->table] = false;
    }
    for (char **word = argv + 1, **next; word < argv + argc; word = next) {
        next = word + 1;
        if (!options || (*word)[0] != '-' || !(*word)[1]) {
            operands++;
            continue;
        }
        if (strcmp(*word, "-h") == 0 || strcmp(*word, "--help") == 0) {
            print_help(usage);
            exit(output_finish(ERROR_NONE));
        }
        if (strcmp(*word, "--") == 0)
            options = false;
        else if (!take_option(target, given, usage, *word, &next, &error))
            die(usage->command, &error);
        char *moved[] = {word[0], next[-1]}; // before the operands
        memmove(next - operands, word - operands, operands * sizeof *argv);
        memcpy(word - operands, moved, (size_t)(next - word) * sizeof *argv);
    }
    const int first = argc - (int)operands;
    if (!check_operands(usage, (int)operands, argv + first, &error)) die(usage->command, &error);
    return first;
}

bool option_given(const Option *table, const bool *given, const char *name) {
    return given[option_find(table, name) - table];
}

// --- what several commands say ---

void shape_describe(char text[TEXT_CAPACITY], const Shape *s, const char *window) {
    char keys[64] = "";
    if (key_heads(s) < s->heads)
        snprintf(keys, sizeof keys, " that share %d head%s of keys", key_heads(s), key_heads(s) == 1 ? "" : "s");
    snprintf(text, TEXT_CAPACITY, "%d layer%s%s, %d head%s%s, width %d, context %d%s%.200s%s%s", s->layers,
             s->layers == 1 ? "" : "s", s->block == BLOCK_LLAMA ? " with Llama's block" : "", s->heads,
             s->heads == 1 ? "" : "s", keys, s->width, s->context, s->windows.period ? ", window " : "",
             s->windows.period ? window : "", s->windows.period > 1 ? " by layers" : "",
             s->scale_logits ? ", scores times s log n" : "");
}

void kernels_report(const char *command) {
    if (!gemm_uses_blas()) return;
    if (!blas_is_right()) {
        Error error;
        fail_run(&error,
                 "the kernels of %s for %s give wrong products on this processor; install another version of the "
                 "library, set OPENBLAS_CORETYPE=Haswell or another core, or build bitter with `make BLAS=none`",
                 blas_description(), blas_core());
        die(command, &error);
    }
    if (blas_complaint()) fprintf(stderr, "bitter %s: %s\n", command, blas_complaint());
}
