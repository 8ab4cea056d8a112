// Words of a command line, "name=value" with a byte 0xFF between them, of `train`; and the last one as a list of
// numbers.
#include "lab/compare/plan.h"
#include "train/config.h"
#include "train/trainer.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

// Set one option; setting it to what option_print writes must give the same value.
static bool set(TrainOptions *options, char *word) {
    static TrainOptions again;
    char label[TEXT_CAPACITY + 8], text[TEXT_CAPACITY], same[TEXT_CAPACITY];
    Error error;
    char *value = strchr(word, '=');
    if (value) *value++ = '\0';
    const Option *row = option_find(train_options, word);
    if (!row) return option_nearest(train_options, word) && false;
    snprintf(label, sizeof label, "--%s", row->name);
    if (!fuzz_taken(option_set(options, row, value ? value : "true", label, &error), &error)) return false;
    option_print(options, row, text);
    fuzz_must(option_set(&again, row, text, label, &error), &error);
    option_print(&again, row, same);
    assert(strcmp(text, same) == 0);
    return true;
}

// As files record them.
static void check_recorded(const TrainOptions *options) {
    TrainOptions again;
    char here[TEXT_CAPACITY], there[TEXT_CAPACITY];
    Error error;
    json_t *json = options_json(options);
    assert(json);
    fuzz_must(options_read(&again, json, "config.json", &error), &error);
    assert(!options_difference(here, there, train_options, options, &again));
    json_decref(json);
}

bool fuzz_options(const uint8_t *bytes, size_t size) {
    static TrainOptions options;
    char word[2 * TEXT_CAPACITY];
    Mix pos;
    Error error;
    bool taken = true;
    options_default(&options, train_options);
    while (size > 0) taken = set(&options, fuzz_word(word, sizeof word, &bytes, &size)) && taken;
    if (!fuzz_taken(trainer_check(&pos, &options, 257, &error), &error)) return false;
    check_recorded(&options);
    return taken;
}
