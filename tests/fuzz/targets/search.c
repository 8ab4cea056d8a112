// search.csv of `bitter extend --method longrope`, which --resume reads. Its first line has checksums of weights and
// text, so that an input is what follows it. What the search would score anew is not scored: a signal stops it.
#include "base/file/file.h"
#include "base/interrupt.h"
#include "lab/extend/extend.h"
#include "tests/fuzz/fuzz.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static ExtendOptions options = {
    .method = METHOD_LONGROPE,
    .factor = 2,
    .formula = {.beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4},
    .search = {.population = 8, .generations = 2, .windows = 2, .seed = 1},
    .threads = 1,
    .data = "builtin:tales:bytes=1000",
};

// Search as far as the file goes, and close what the method has opened.
static bool search(Extension *x, Error *error) {
    Stretch found;
    interrupt_catch();
    raise(SIGINT);
    const bool ok = longrope_find(&found, x, error);
    interrupt_forget();
    Extension rest = *x;
    rest.run = (Run){0};
    extension_close(&rest);
    x->scorer = (Scorer){0};
    x->corpus = (Corpus){0};
    return ok || error->kind == ERROR_INTERRUPTED;
}

static void begin(Extension *x) {
    const Shape shape = {.vocab = 257, .context = 8, .layers = 1, .heads = 1, .width = 4};
    Mix pos;
    Error error;
    snprintf(options.out, sizeof options.out, "%.500s", fuzz_directory());
    *x = (Extension){.options = &options,
                     .directory = "run",
                     .pairs = 2,
                     .base = 10000,
                     .window = 16,
                     .factor = 2,
                     .original = 8,
                     .space = search_space(2, 2, 8)};
    fuzz_must(mix_create(&pos, "rope", &shape, &error) && gpt_create(&x->run.gpt, &shape, &pos, false, &error) &&
                  tokenizer_create(&x->run.tokenizer, TOKENIZER_BYTES, "", 0, "", &error),
              &error);
    gpt_init(&x->run.gpt, 7);
}

bool fuzz_search(const uint8_t *bytes, size_t size) {
    static Extension x;
    static Buffer first;
    char path[PATH_CAPACITY];
    Error error;
    fuzz_must(path_format(path, &error, "%s/search.csv", fuzz_directory()), &error);
    if (!first.bytes) {
        begin(&x);
        fuzz_must(search(&x, &error) && file_read(&first, path, &error), &error);
        first.size = strcspn((const char *)first.bytes, "\n") + 1;
        options.resume = true;
    }
    const size_t head = size > 0 && *bytes == '#' ? 0 : first.size;
    uint8_t *file = fuzz_copy(first.bytes, head, bytes, size);
    fuzz_file(path, "search.csv", file, head + size);
    free(file);
    return fuzz_taken(search(&x, &error), &error);
}
