// `bitter import`: a model of another program as a run.
#include "base/interrupt.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/output.h"
#include "exchange/exchange.h"
#include "train/config.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    char out[TEXT_CAPACITY];
} ImportOptions;

static const Option import_options[] = {
    TEXT_ROW("out", offsetof(ImportOptions, out), NULL, "RUN", "the run to write, a new or empty directory"),
    {0},
};

// The files of a run whose data are unknown.
static bool write_run(const Run *run, const Output *output, const char out[TEXT_CAPACITY], Error *error) {
    RunPaths paths;
    const Corpus unknown = {.tokenizer = run->tokenizer};
    TrainOptions options = run->options;
    *options.data = 0;
    memcpy(options.out, out, sizeof options.out);
    return run_paths(&paths, output->temporary, error) && tokenizer_write(&run->tokenizer, paths.tokenizer, error) &&
           model_save(paths.model, &run->gpt, NULL, error) &&
           config_write(paths.config, &options, &run->gpt, &unknown, error);
}

bool command_import(int argc, char **argv, Error *error) {
    static const Usage usage = {"import",
                                "Read a model that another program wrote, and write it as a run that eval, sample, "
                                "extend and train --init take. DIR is a directory of Hugging Face's transformers with "
                                "a gpt2, starcoder2, llama, mistral, smollm3 or gpt_neox model.",
                                "DIR", import_options, "  bitter import models/gpt2 --out runs/gpt2\n"};
    ImportOptions options = {0};
    Run run;
    Output output;
    const char *from = argv[arguments_parse(&options, NULL, &usage, argc, argv)];
    if (!*options.out) return fail_input(error, "--out is missing; give a new run directory with --out RUN");
    if (path_exists(from) && !path_is_directory(from))
        return fail_input(error,
                          "%s is a file, and import reads directories that transformers wrote; llm.c's "
                          "dev/eval/export_hf.py makes one of its checkpoints",
                          from);
    if (!name_check("--out", options.out, error) || !output_place(&output, "--out", options.out, error) ||
        !run_name_check(output.path, error) || !import_hf(&run, from, error))
        return false;
    interrupt_catch();
    const bool ok = output_create(&output, error) && write_run(&run, &output, options.out, error) &&
                    stop_check(&stop_at_signal, error) && output_complete(&output, error);
    output_discard(&output);
    if (ok) {
        char quoted[QUOTED_CAPACITY], shape[TEXT_CAPACITY];
        shell_quoted(quoted, output.path);
        shape_describe(shape, &run.gpt.shape, run.options.window);
        printf("model   %s, %d tokens: %zu parameters\n", shape, run.gpt.shape.vocab,
               tensor_numbers(&run.gpt.tensors, false));
        printf("pos     %s\n", run.options.pos);
        if (run.tokenizer.kind == TOKENIZER_NONE)
            printf("tokens  without a tokenizer, because there is no tokenizer.json beside the model\n");
        printf("next    %s eval %s --data DIR, or %s sample %s\n", called_as, quoted, called_as, quoted);
    }
    run_close(&run);
    return ok;
}
