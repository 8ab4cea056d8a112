// The tokenizer.json of Hugging Face's tokenizers.
#include "base/file/file.h"
#include "base/file/text.h"
#include "data/tokenizer.h"

#include <jansson.h>
#include <stdlib.h>

// In a vocabulary of bytes, a byte stands for a character that can be seen, as in GPT-2's: itself if it is one in
// Latin-1, and otherwise the next one from U+0100 on.
static bool is_visible(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

static void add_byte(Text *text, int byte) {
    int character = byte;
    if (!is_visible(byte)) {
        character = 256;
        for (int lower = 0; lower < byte; lower++) character += !is_visible(lower);
    }
    const char two[2] = {(char)(0xC0 | character >> 6), (char)(0x80 | (character & 0x3F))};
    if (character < 0x80)
        text_add(text, &(char){(char)character}, 1);
    else
        text_add(text, two, 2);
}

static void add_json_string(Text *json, const char *bytes, size_t size) {
    json_t *string = json_stringn(bytes, size);
    char *dump = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (dump)
        text_print(json, "%s", dump);
    else
        json->failed = true;
    free(dump);
}

// The vocabulary, without the end of a document: that is an added token.
static void add_vocabulary(Text *json, const Tokenizer *tokenizer) {
    const int end = tokenizer_end(tokenizer);
    Text token = {0};
    text_print(json, "{");
    for (int id = 0; id < tokenizer->vocab_size; id++) {
        if (id == end) continue;
        const char *bytes;
        const size_t size = tokenizer_decode(&bytes, tokenizer, id);
        token.size = 0;
        if (tokenizer->kind == TOKENIZER_CHARS)
            text_add(&token, bytes, size);
        else
            for (size_t i = 0; i < size; i++) add_byte(&token, (unsigned char)bytes[i]);
        text_print(json, "%s\n      ", id > 0 ? "," : "");
        add_json_string(json, token.bytes, token.size);
        text_print(json, ": %d", id);
        json->failed |= token.failed;
    }
    text_print(json, "\n    }");
    text_free(&token);
}

static void add_fields(Text *json, const Tokenizer *tokenizer) {
    const int end = tokenizer_end(tokenizer);
    const bool chars = tokenizer->kind == TOKENIZER_CHARS;
    text_print(json,
               "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n  \"added_tokens\": [");
    if (end >= 0)
        text_print(json,
                   "\n    {\"id\": %d, \"content\": \"<|endoftext|>\", \"single_word\": false, \"lstrip\": false, "
                   "\"rstrip\": false, \"normalized\": false, \"special\": true}\n  ",
                   end);
    text_print(json, "],\n  \"normalizer\": null,\n");
    if (chars)
        text_print(json, "  \"pre_tokenizer\": null,\n  \"post_processor\": null,\n"
                         "  \"decoder\": {\"type\": \"Fuse\"},\n");
    else
        text_print(json,
                   "  \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": "
                   "true, \"use_regex\": true},\n"
                   "  \"post_processor\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": "
                   "false, \"use_regex\": true},\n"
                   "  \"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": true, "
                   "\"use_regex\": true},\n");
    text_print(json, "  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null,\n    \"unk_token\": null,\n"
                     "    \"continuing_subword_prefix\": null,\n    \"end_of_word_suffix\": null,\n"
                     "    \"fuse_unk\": false,\n    \"byte_fallback\": false,\n    \"ignore_merges\": false,\n"
                     "    \"vocab\": ");
    add_vocabulary(json, tokenizer);
    text_print(json, ",\n    \"merges\": []\n  }\n}");
}

bool tokenizer_write_hf(const Tokenizer *tokenizer, const char *path, Error *error) {
    if (tokenizer->kind == TOKENIZER_NONE)
        return fail_input(error,
                          "cannot write %s: the tokens came without their tokenizer; put their tokenizer.json into the "
                          "data directory",
                          path);
    Text json = {0};
    add_fields(&json, tokenizer);
    text_add(&json, "", 1);
    const bool ok = json.failed ? fail_run(error, "no memory to write %s", path) : atomic_text(path, json.bytes, error);
    text_free(&json);
    return ok;
}
