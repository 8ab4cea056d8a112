// `bitter prepare`: turn text into shards of tokens, in a directory that appears only when it is complete.
#include "cmd/prepare/prepare.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"

#include <string.h>

static const Usage usage = {
    .command = "prepare",
    .summary = "Turn text into shards of tokens to train on. An INPUT is a text file, a .gz file, a directory for "
               "all text files below it, - for standard input, or builtin:NAME[:key=value,...]. Documents of "
               "builtin:passkey are scattered through the training part of the other inputs. The output directory "
               "appears only when it is complete.",
    .operands = "INPUT...",
    .table = prepare_options,
    .examples = "  bitter prepare --tokenizer chars shakespeare.txt\n"
                "  bitter prepare --tokenizer bpe:4096 book.txt\n"
                "  bitter prepare --tokenizer runs/book --out runs/data/sequel sequel.txt\n"
                "  bitter prepare --out runs/data/books --val 0.05 books/*.txt.gz\n"
                "  zcat wiki.gz | bitter prepare --out runs/data/wiki -\n"
                "  bitter prepare builtin:tales:bytes=1e8,seed=2\n"
                "  bitter prepare book.txt builtin:passkey:share=0.05\n",
};

bool command_prepare(int argc, char **argv, Error *error) {
    PrepareOptions options;
    Output output = {.lock = -1};
    char quoted[QUOTED_CAPACITY];
    const int first = arguments_parse(&options, NULL, &usage, argc, argv);
    for (char *end = argv[first] + strlen(argv[first]); end > argv[first] + 1 && end[-1] == '/';) *--end = 0;
    if (!prepare_inputs(&output, &options, argv + first, argc - first, error)) return false;
    printf("next         bitter train --data %s\n", shell_quoted(quoted, output.path));
    return true;
}
