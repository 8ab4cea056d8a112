// The tokenizer.json of Hugging Face's tokenizers.
#include "data/bpe/files.h"
#include "data/bpe/read.h"

#include <string.h>

static bool is_absent(const json_t *value) {
    return !value || json_is_null(value);
}

static bool is_false(const json_t *value) {
    return is_absent(value) || json_is_false(value);
}

static bool is_empty(const json_t *value) {
    return is_absent(value) || (json_is_string(value) && json_string_length(value) == 0);
}

static bool is_string(const json_t *value, const char *text) {
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

// What would turn text into other tokens than this program's; NULL = nothing.
static const char *difference(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *type = json_object_get(model, "type");
    const json_t *words = json_object_get(root, "pre_tokenizer"), *dropout = json_object_get(model, "dropout");
    if (!json_is_object(model)) return "it has no \"model\"";
    if (type && !is_string(type, "BPE")) return "its model is not a BPE";
    if (!is_absent(json_object_get(root, "normalizer"))) return "it normalizes text";
    if (!is_string(json_object_get(words, "type"), "ByteLevel")) return "its pre-tokenizer is not ByteLevel";
    if (!json_is_false(json_object_get(words, "add_prefix_space"))) return "it begins every text with a space";
    if (json_is_false(json_object_get(words, "use_regex"))) return "it does not split text into words as GPT-2 does";
    if (!is_absent(dropout) && json_number_value(dropout) != 0) return "it drops merges at random";
    if (!is_empty(json_object_get(model, "continuing_subword_prefix")) ||
        !is_empty(json_object_get(model, "end_of_word_suffix")))
        return "it marks the parts of words";
    if (!is_false(json_object_get(model, "ignore_merges"))) return "it ignores merges for whole words";
    return NULL;
}

static bool add_special(Bpe *bpe, const json_t *token, const char *path, Error *error) {
    const json_t *id = json_object_get(token, "id"), *content = json_object_get(token, "content");
    if (!json_is_integer(id) || !json_is_string(content))
        return fail_input(error, "%s: an added token has no \"id\" or no \"content\"; get the file again", path);
    if (!json_is_true(json_object_get(token, "special")))
        return fail_input(error,
                          "%s: the added token \"%s\" is not special, so it would be found inside text before this "
                          "is split into words, which bitter does not do; use another tokenizer",
                          path, json_string_value(content));
    return bpe_add_token(bpe, json_integer_value(id), json_string_value(content), json_string_length(content), true,
                         path, error);
}

// "a b", or, in newer files, ["a", "b"].
static bool add_merge(Bpe *bpe, const Symbols *symbols, const json_t *merge, const char *path, Error *error) {
    const json_t *left = json_array_get(merge, 0),
                 *right = json_array_size(merge) == 2 ? json_array_get(merge, 1) : NULL;
    if (json_is_string(merge))
        return bpe_add_merge_text(bpe, symbols, json_string_value(merge), json_string_length(merge), path, error);
    return bpe_add_merge_parts(bpe, symbols, json_string_value(left), json_string_length(left),
                               json_string_value(right), json_string_length(right), path, error);
}

static bool read_fields(Bpe *bpe, const json_t *root, const char *path, Error *error) {
    const json_t *model = json_object_get(root, "model"), *added = json_object_get(root, "added_tokens");
    const json_t *merges = json_object_get(model, "merges");
    Symbols symbols;
    symbols_make(&symbols);
    for (size_t i = 0; i < json_array_size(added); i++)
        if (!add_special(bpe, json_array_get(added, i), path, error)) return false;
    if (!bpe_add_vocabulary(bpe, &symbols, json_object_get(model, "vocab"), path, error)) return false;
    if (!json_is_array(merges))
        return fail_input(error, "%s: its model has no list of merges; get the file again", path);
    for (size_t i = 0; i < json_array_size(merges); i++)
        if (!add_merge(bpe, &symbols, json_array_get(merges, i), path, error)) return false;
    return bpe_complete(bpe, path, error);
}

bool bpe_from_hf(Bpe *bpe, const json_t *root, const char *path, Error *error) {
    const char *reason = difference(root);
    if (reason)
        return fail_input(error,
                          "%s: %s; of Hugging Face's tokenizers, bitter reads those like GPT-2's: BPE with a ByteLevel "
                          "pre-tokenizer and nothing else",
                          path, reason);
    if (bpe_begin(bpe, error) && read_fields(bpe, root, path, error)) return true;
    bpe_free(bpe);
    return false;
}
