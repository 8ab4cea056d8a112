// Every target gets every file of its corpus: seeds, and inputs that `make fuzz` has found. A seed whose name begins
// with "good" must be accepted: otherwise the fuzzer would start from inputs that the first check refuses. $FUZZ_CORPUS
// names another directory of corpora; its files need not be good. Good seeds are also damaged.
#include "tests/fuzz/fuzz.h"

#include "base/file/file.h"
#include "tests/support/support.h"

#include <dirent.h>

enum { TARGETS_MOST = 64, PLACES = 64 };

// Run on the bytes, with bit `flipped` changed if they have it, and without a 0 after them, so that the sanitizers see
// a read past their end.
static bool run(const FuzzTarget *target, const uint8_t *bytes, size_t size, size_t flipped) {
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (flipped < 8 * size) copy[flipped / 8] ^= (uint8_t)(1u << flipped % 8);
    const bool taken = target->run(copy, size);
    free(copy);
    return taken;
}

// The file is cut short, or one bit is changed, at places spread over it, and must be accepted or refused.
static void replay_damaged(const FuzzTarget *target, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < PLACES; i++) {
        run(target, bytes, size * i / PLACES, SIZE_MAX);
        run(target, bytes, size, (8 * size * i / PLACES + i % 8) % (8 * size));
    }
}

static void replay_file(const FuzzTarget *target, const char *path, bool good) {
    printf("%s\n", path); // if the target ends the program, this is the file that it had
    fflush(stdout);
    const Buffer file = read_file(path);
    const bool taken = run(target, file.bytes, file.size, SIZE_MAX);
    if (!taken && good) fail_msg("%s was refused: %s", path, fuzz_refusal());
    if (good) replay_damaged(target, file.bytes, file.size);
    free(file.bytes);
}

static void replay(void **state) {
    const FuzzTarget *target = *state;
    const char *other = getenv("FUZZ_CORPUS");
    char directory[PATH_CAPACITY], path[PATH_CAPACITY];
    int good = 0;
    Error error;
    must(path_format(directory, &error, "%s/%s", other ? other : "tests/fuzz/corpus", target->name), &error);
    DIR *entries = opendir(directory);
    if (!entries) fail_msg("there is no directory %s", directory);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (*entry->d_name == '.') continue;
        must(path_format(path, &error, "%s/%s", directory, entry->d_name), &error);
        const bool is_good = !other && strncmp(entry->d_name, "good", 4) == 0;
        replay_file(target, path, is_good);
        good += is_good;
    }
    closedir(entries);
    if (!other) assert_true(good > 0);
}

int main(void) {
    struct CMUnitTest tests[TARGETS_MOST] = {{0}};
    size_t count = 0;
    for (const FuzzTarget *target = fuzz_targets; target->name; target++)
        tests[count++] =
            (struct CMUnitTest){.name = target->name, .test_func = replay, .initial_state = (void *)target};
    return _cmocka_run_group_tests("replay", tests, count, NULL, NULL);
}
