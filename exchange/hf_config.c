#include "exchange/hf_config.h"

#include "data/tokenizer.h"

#include <string.h>

#define LLAMA_WORDS                                                                                                    \
    "num_hidden_layers", "num_attention_heads", "hidden_size", "max_position_embeddings", "intermediate_size",         \
        "hidden_act", "rms_norm_eps", "silu", {                                                                        \
        "attention_dropout"                                                                                            \
    }

// What transformers calls the members of each architecture, and the activation of a config that names none.
static const struct {
    const char *type, *class, *layers, *heads, *width, *context, *inner, *activation, *epsilon, *default_activation;
    const char *dropouts[4];
} words[HOMES] = {
    [HOME_GPT2] = {"gpt2",
                   "GPT2LMHeadModel",
                   "n_layer",
                   "n_head",
                   "n_embd",
                   "n_positions",
                   "n_inner",
                   "activation_function",
                   "layer_norm_epsilon",
                   "gelu_new",
                   {"resid_pdrop", "embd_pdrop", "attn_pdrop"}},
    [HOME_STARCODER2] = {"starcoder2",
                         "Starcoder2ForCausalLM",
                         "num_hidden_layers",
                         "num_attention_heads",
                         "hidden_size",
                         "max_position_embeddings",
                         "intermediate_size",
                         "hidden_act",
                         "norm_epsilon",
                         "gelu_pytorch_tanh",
                         {"residual_dropout", "embedding_dropout", "attention_dropout"}},
    [HOME_LLAMA] = {"llama", "LlamaForCausalLM", LLAMA_WORDS},
    [HOME_MISTRAL] = {"mistral", "MistralForCausalLM", LLAMA_WORDS},
    [HOME_SMOLLM3] = {"smollm3", "SmolLM3ForCausalLM", LLAMA_WORDS},
    [HOME_GPT_NEOX] = {"gpt_neox",
                       "GPTNeoXForCausalLM",
                       "num_hidden_layers",
                       "num_attention_heads",
                       "hidden_size",
                       "max_position_embeddings",
                       "intermediate_size",
                       "hidden_act",
                       "layer_norm_eps",
                       "gelu",
                       {"hidden_dropout", "attention_dropout"}},
};

// Members that must have a value, because this program's blocks are like that, and what transformers takes when they
// are missing.
static const struct {
    Home home;
    const char *name;
    bool value, preset;
    const char *meaning; // of the other value
} musts[] = {
    {HOME_GPT2, "tie_word_embeddings", true, true, "its output layer is not its token embedding"},
    {HOME_GPT2, "scale_attn_weights", true, true, "its attention scores are not scaled"},
    {HOME_GPT2, "scale_attn_by_inverse_layer_idx", false, false, "its attention is scaled by the layer"},
    {HOME_GPT2, "add_cross_attention", false, false, "it has cross-attention"},
    {HOME_STARCODER2, "tie_word_embeddings", true, true, "its output layer is not its token embedding"},
    {HOME_STARCODER2, "use_bias", true, true, "its linear layers have no biases"},
    {HOME_LLAMA, "tie_word_embeddings", true, false, "its output layer is not its token embedding"},
    {HOME_LLAMA, "attention_bias", false, false, "its attention has biases"},
    {HOME_LLAMA, "mlp_bias", false, false, "its MLPs have biases"},
    {HOME_MISTRAL, "tie_word_embeddings", true, false, "its output layer is not its token embedding"},
    {HOME_SMOLLM3, "tie_word_embeddings", true, true, "its output layer is not its token embedding"},
    {HOME_SMOLLM3, "attention_bias", false, false, "its attention has biases"},
    {HOME_SMOLLM3, "mlp_bias", false, false, "its MLPs have biases"},
    {HOME_GPT_NEOX, "tie_word_embeddings", true, false, "its output layer is not its token embedding"},
    {HOME_GPT_NEOX, "use_parallel_residual", false, true, "its attention and MLP work side by side"},
    {HOME_GPT_NEOX, "attention_bias", true, true, "its attention has no biases"},
};
enum { MUSTS = sizeof musts / sizeof *musts };

// Can its heads share keys?
static bool shares_keys(Home home) {
    return home == HOME_STARCODER2 || is_llama(home);
}

// A token's id, or null.
static json_t *token_or_null(int id) {
    return id >= 0 ? json_integer(id) : json_null();
}

json_t *hf_config(Home home, const Gpt *gpt, const Rotations *rotations, int end) {
    const Shape *s = &gpt->shape;
    const bool rotates = home != HOME_GPT2;
    json_t *config =
        json_pack("{s:[s], s:s, s:s, s:i, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:s, s:f}", "architectures",
                  words[home].class, "model_type", words[home].type, "torch_dtype", "float32", "vocab_size", s->vocab,
                  "bos_token_id", token_or_null(end), "eos_token_id", token_or_null(end), words[home].layers, s->layers,
                  words[home].heads, s->heads, words[home].width, s->width, words[home].inner, mlp_width(s),
                  words[home].context, rotates ? rotations->context : s->context, words[home].activation,
                  is_llama(home)            ? "silu"
                  : home == HOME_STARCODER2 ? "gelu_pytorch_tanh"
                                            : "gelu_new",
                  words[home].epsilon, NORM_EPSILON);
    for (int i = 0; i < MUSTS; i++)
        if (musts[i].home == home) json_object_set_new(config, musts[i].name, json_boolean(musts[i].value));
    for (int i = 0; words[home].dropouts[i]; i++) json_object_set_new(config, words[home].dropouts[i], json_real(0));
    if (shares_keys(home)) json_object_set_new(config, "num_key_value_heads", json_integer(key_heads(s)));
    hf_layers_add(config, home, gpt);
    if (rotates) hf_rope_add(config, home, rotations, head_width(s));
    return config;
}

static bool find_type(Home *home, const json_t *config, const char *path, Error *error) {
    const char *type = json_string_value(json_object_get(config, "model_type"));
    if (json_object_get(config, "options"))
        return fail_input(error, "%s is that of a run of bitter, which every command reads without import", path);
    for (*home = HOME_GPT2; type && *home < HOMES; (*home)++)
        if (words[*home].type && strcmp(words[*home].type, type) == 0) return true;
    return fail_input(
        error,
        "%s: \"model_type\" is %.80s, but bitter has the blocks of gpt2, starcoder2, llama, mistral, smollm3 and "
        "gpt_neox alone",
        path, type ? type : "missing");
}

bool boolean_or(bool *value, bool preset, const json_t *object, const char *name, const char *where, Error *error) {
    const json_t *member = json_object_get(object, name);
    *value = member ? json_is_true(member) : preset;
    return !member || json_is_boolean(member) || fail_damaged(error, where, "\"%s\" must be true or false", name);
}

static bool check_musts(Home home, const json_t *config, const char *path, Error *error) {
    for (int i = 0; i < MUSTS; i++) {
        bool value;
        if (musts[i].home != home) continue;
        if (!boolean_or(&value, musts[i].preset, config, musts[i].name, path, error)) return false;
        if (value != musts[i].value)
            return fail_input(error, "%s: \"%s\" is %s%s, so %s; bitter has no such model", path, musts[i].name,
                              value ? "true" : "false",
                              json_object_get(config, musts[i].name) ? "" : " when it is missing", musts[i].meaning);
    }
    return true;
}

static bool check_activation(Home home, const json_t *config, const char *path, Error *error) {
    static const char *const tanh_forms[] = {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"};
    const char *name = json_string_value(json_object_get(config, words[home].activation));
    if (!name) name = words[home].default_activation;
    if (is_llama(home))
        return strcmp(name, "silu") == 0 || fail_input(error, "%s: \"%s\" is %.80s, but bitter's SwiGLU has silu", path,
                                                       words[home].activation, name);
    for (size_t i = 0; i < sizeof tanh_forms / sizeof *tanh_forms; i++)
        if (strcmp(name, tanh_forms[i]) == 0) return true;
    return fail_input(error, "%s: \"%s\" is %.80s, but bitter's MLPs have gelu_new, the tanh form of GELU", path,
                      words[home].activation, name);
}

// The sizes that follow from others here, but not in transformers.
static bool check_sizes(Home home, const TrainOptions *o, const json_t *config, const char *path, Error *error) {
    const Shape shape = sizes_of(o, 1);
    const int hidden = mlp_width(&shape);
    const json_t *inner = json_object_get(config, words[home].inner), *head = json_object_get(config, "head_dim"),
                 *epsilon = json_object_get(config, words[home].epsilon);
    if (is_llama(home) && json_integer_value(inner) != hidden)
        return fail_input(error,
                          "%s: \"%s\" is not %d, which is two thirds of %d times \"%s\", rounded up to a multiple of "
                          "32; bitter has no such MLP",
                          path, words[home].inner, hidden, MLP_RATIO, words[home].width);
    if (!(home == HOME_GPT2 && (!inner || json_is_null(inner))) && json_integer_value(inner) != hidden)
        return fail_input(error, "%s: \"%s\" is not %d, which is %d times \"%s\"; bitter has no such MLP", path,
                          words[home].inner, hidden, MLP_RATIO, words[home].width);
    if (!epsilon && is_llama(home))
        return fail_input(error, "%s: \"%s\" is missing, so it is 1e-6, but bitter's norms have %g", path,
                          words[home].epsilon, NORM_EPSILON);
    // In a file that other programs have rewritten, it may be a float by now.
    if (epsilon && (float)json_number_value(epsilon) != (float)NORM_EPSILON)
        return fail_input(error, "%s: \"%s\" is %g, but bitter's norms have %g", path, words[home].epsilon,
                          json_number_value(epsilon), NORM_EPSILON);
    if (o->width % o->heads)
        return fail_input(error, "%s: %lld heads do not share the width of %lld equally; bitter's heads do", path,
                          o->heads, o->width);
    if (json_is_integer(head) && json_integer_value(head) != o->width / o->heads)
        return fail_input(error,
                          "%s: \"head_dim\" is %lld, but bitter's heads share the width: %lld heads of %lld channels "
                          "have a head_dim of %lld",
                          path, (long long)json_integer_value(head), o->heads, o->width, o->width / o->heads);
    return true;
}

// Llama's relatives have a key for each head where the member is null, and a llama where it is missing.
static bool read_key_heads(Home home, TrainOptions *o, const json_t *config, const char *path, Error *error) {
    const json_t *member = json_object_get(config, "num_key_value_heads");
    o->kv_heads = 0;
    if (!shares_keys(home) || (is_llama(home) && json_is_null(member)) || (home == HOME_LLAMA && !member)) return true;
    if (!member_integer(&o->kv_heads, config, "num_key_value_heads", 1, 1000, path, error)) return false;
    if (o->heads % o->kv_heads)
        return fail_input(
            error, "%s: \"num_key_value_heads\" is %lld, which %lld heads cannot share equally; bitter's heads do",
            path, o->kv_heads, o->heads);
    if (o->kv_heads == o->heads) o->kv_heads = 0; // the default
    return true;
}

bool hf_config_read(Home *home, TrainOptions *o, int *vocab, const json_t *config, const char *path, Error *error) {
    long long tokens;
    if (!find_type(home, config, path, error)) return false;
    o->block = is_llama(*home) ? BLOCK_LLAMA : BLOCK_GPT2;
    if (!member_integer(&tokens, config, "vocab_size", 1, TOKENIZER_VOCAB_MOST, path, error) ||
        !member_integer(&o->layers, config, words[*home].layers, 1, 1000, path, error) ||
        !member_integer(&o->heads, config, words[*home].heads, 1, 1000, path, error) ||
        !member_integer(&o->width, config, words[*home].width, 1, 20000, path, error) ||
        !member_integer(&o->context, config, words[*home].context, 1, 10000000, path, error) ||
        !check_musts(*home, config, path, error) || !check_activation(*home, config, path, error) ||
        !check_sizes(*home, o, config, path, error) || !read_key_heads(*home, o, config, path, error))
        return false;
    *vocab = (int)tokens;
    if (*home == HOME_GPT2) {
        strcpy(o->pos, "learned");
        return hf_layers_read(o, *home, config, path, error);
    }
    Rotations rotations;
    const int head = (int)(o->width / o->heads);
    if (!hf_rope_read(&rotations, *home, config, head, (int)o->context, path, error)) return false;
    rotations_to_options(o, &rotations, head / 2);
    return hf_layers_read(o, *home, config, path, error);
}
