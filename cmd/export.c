// `bitter export`: a run's model as files of other programs.
#include "base/interrupt.h"
#include "cmd/commands.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/output.h"
#include "exchange/exchange.h"

#include <stddef.h>

typedef struct {
    int to; // a Format
    char out[TEXT_CAPACITY];
} ExportOptions;

static const Option export_options[] = {
    CHOICE_ROW("to", offsetof(ExportOptions, to), "hf", FORMAT_NAMES, "FORMAT",
               "hf: a directory for Hugging Face's transformers; gguf: model.gguf for llama.cpp; llm.c: model.bin"),
    TEXT_ROW("out", offsetof(ExportOptions, out), NULL, "DIR", "the directory to write, which must be new or empty"),
    {0},
};

static const struct {
    bool (*write)(const Run *run, const char *name, const char *directory, Error *error);
    const char *files, *next, *file; // the files written, what reads them, and the file in the directory to give it
} formats[] = {
    [FORMAT_HF] = {export_hf, "config.json and model.safetensors", "transformers: AutoModelForCausalLM", ""},
    [FORMAT_GGUF] = {export_gguf, "model.gguf", "llama.cpp: llama-completion -m", "/model.gguf"},
    [FORMAT_LLMC] = {export_llmc, "model.bin", "llm.c, made with PRECISION=FP32: train_gpt2cu -e", "/model.bin"},
};

bool command_export(int argc, char **argv, Error *error) {
    static const Usage usage = {"export",
                                "Write a run's model for another program, which computes the same logits from it. What "
                                "has no counterpart there is refused.",
                                "RUN", export_options,
                                "  bitter export runs/rope --to hf --out exports/rope\n"
                                "  bitter export runs/alibi --to gguf --out exports/alibi\n"};
    ExportOptions options = {0};
    Run run;
    Output output;
    char *name = argv[arguments_parse(&options, NULL, &usage, argc, argv)];
    path_trim(name);
    if (!*options.out) return fail_input(error, "--out is missing; give a new directory with --out DIR");
    if (!output_place(&output, "--out", options.out, error) || !run_open(&run, name, "", error)) return false;
    interrupt_catch();
    const bool ok = output_create(&output, error) && formats[options.to].write(&run, name, output.temporary, error) &&
                    stop_check(&stop_at_signal, error) && output_complete(&output, error);
    output_discard(&output);
    if (ok) {
        printf("wrote   %s: %s\n", output.path, formats[options.to].files);
        if (run.tokenizer.kind == TOKENIZER_NONE)
            printf("        without a tokenizer, because the data of the run came without one\n");
        char quoted[QUOTED_CAPACITY];
        printf("next    %s %s%s\n", formats[options.to].next, shell_quoted(quoted, output.path),
               formats[options.to].file);
    }
    run_close(&run);
    return ok;
}
