// config.json of a run: options, data, machine, and the stretch of its rotations.
#include "train/config.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_config(const uint8_t *bytes, size_t size) {
    TrainOptions options, again;
    Shape shape;
    Mix pos;
    int vocab;
    char path[PATH_CAPACITY], copy[PATH_CAPACITY], here[TEXT_CAPACITY], there[TEXT_CAPACITY];
    Error error;
    fuzz_file(path, "config.json", bytes, size);
    if (!fuzz_taken(config_read(path, &options, &vocab, &error), &error)) return false;
    json_t *data = config_data(path, &error);
    assert(data);
    data_same(data, data);
    json_decref(data);
    fuzz_must(config_machine(here, path, &error), &error);
    config_other_machine(here, path);
    // What was read must be written as the same.
    fuzz_must(path_format(copy, &error, "%s/copy.json", fuzz_directory()) &&
                  config_derive(copy, path, &options, &error) && config_read(copy, &again, &vocab, &error),
              &error);
    assert(!options_difference(here, there, train_options, &options, &again));
    assert(options.cosine_from == again.cosine_from);
    // As run_open does.
    if (!fuzz_taken(shape_of(&shape, &options, vocab, &error) && shape_check(&shape, &error) &&
                        mix_create(&pos, options.pos, &shape, &error) &&
                        stretch_apply(&pos, &options.stretch, path, &error),
                    &error))
        return false;
    fuzz_feed(&shape, &pos);
    return true;
}
