// Words of a command line, "name=value" with a byte 0xFF between them, of `compare`, which has most options of `train`.
#include "cmd/compare/start.h"
#include "train/config.h"
#include "train/trainer.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

// Set one option; what it prints must set it to the same.
static bool set(CompareOptions *options, const Option *table, char *word) {
    static CompareOptions again;
    char label[TEXT_CAPACITY + 8], text[TEXT_CAPACITY], same[TEXT_CAPACITY];
    Error error;
    char *value = strchr(word, '=');
    if (value) *value++ = '\0';
    const Option *row = option_find(table, word);
    if (!row) return option_nearest(table, word) && false;
    snprintf(label, sizeof label, "--%s", row->name);
    if (!fuzz_taken(option_set(options, row, value ? value : "true", label, &error), &error)) return false;
    again.data.count = again.contrasts.count = 0;
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
    static CompareOptions options;
    static const Option *table;
    char word[2 * TEXT_CAPACITY];
    double numbers[SETTINGS_MOST];
    int count;
    Mix pos;
    Error error;
    bool taken = true;
    options_default(&options.train, train_options);
    if (!table) table = compare_options();
    options_default(&options, table);
    while (size > 0) taken = set(&options, table, fuzz_word(word, sizeof word, &bytes, &size)) && taken;
    if (fuzz_taken(trainer_check(&pos, &options.train, 257, &error), &error))
        check_recorded(&options.train);
    else
        taken = false;
    taken = fuzz_taken(list_numbers(numbers, &count, SETTINGS_MOST, options.lr_grid, option_find(train_options, "lr"),
                                    "--lr-grid", &error),
                       &error) &&
            taken;
    return fuzz_taken(list_numbers(numbers, &count, SETTINGS_MOST, options.contexts,
                                   option_find(train_options, "context"), "--context", &error),
                      &error) &&
           taken;
}
