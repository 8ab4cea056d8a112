// builtin:passkey: passkey documents with their answers, to be scattered through other text. A model that never saw
// such documents finds no passkey, whatever its positions.
#include "base/random.h"
#include "data/made/builtin.h"
#include "data/made/passkey.h"

#define SHORTEST 255 // document of any key
_Static_assert(SHORTEST == PASSKEY_SHORTEST + sizeof " 50000.\n" - 1, "the option's preset is a string");

static const Option options[] = {
    BUILTIN_ROW(bytes, "1e6", 1000, 1e12, "size of the corpus, where it is not scattered through other text"),
    NUMBER_ROW("share", offsetof(BuiltinCorpus, share), "0.05", 0.0001, 0.9, "SHARE",
               "share of the training tokens, where it is scattered; of the windows, with train --documents"),
    BUILTIN_ROW(min, "255", SHORTEST, 1e6, "shortest document"),
    BUILTIN_ROW(max, "512", SHORTEST, 1e6, "longest document"),
    BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the documents"),
    {.name = NULL},
};

static void document(Text *text, const BuiltinCorpus *corpus, uint64_t index) {
    const uint64_t seed = (uint64_t)corpus->seed, choice = random_bits(random_key(seed, "passkey document"), index);
    const int key = passkey_key(seed, index);
    const int length =
        (int)(corpus->min + (long long)(random_uniform(choice, 0) * (double)(corpus->max - corpus->min + 1)));
    passkey_prompt(text, key, length - passkey_answer_length(key), random_uniform(choice, 1));
    passkey_answer(text, key);
}

const Builtin builtin_passkey = {
    .name = "passkey",
    .help = "a number given once in a text without other information, and asked for at its end",
    .counts = "characters",
    .options = options,
    .document = document,
    .scattered = true,
};
