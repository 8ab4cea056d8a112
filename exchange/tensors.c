#include "exchange/tensors.h"

#include "posenc/rotation/rotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What every architecture has in each layer, but for attention's queries, keys and values.
#define LAYER(prefix, norm1, out, norm2, up, down)                                                                     \
    {prefix norm1 ".weight", "h.#.ln_1.weight", AS_IS}, {prefix norm1 ".bias", "h.#.ln_1.bias", AS_IS},                \
        {prefix out ".weight", "h.#.attn.proj.weight", AS_IS}, {prefix out ".bias", "h.#.attn.proj.bias", AS_IS},      \
        {prefix norm2 ".weight", "h.#.ln_2.weight", AS_IS}, {prefix norm2 ".bias", "h.#.ln_2.bias", AS_IS},            \
        {prefix up ".weight", "h.#.mlp.fc.weight", AS_IS}, {prefix up ".bias", "h.#.mlp.fc.bias", AS_IS},              \
        {prefix down ".weight", "h.#.mlp.proj.weight", AS_IS}, {                                                       \
        prefix down ".bias", "h.#.mlp.proj.bias", AS_IS                                                                \
    }
#define FUSED(name, how)                                                                                               \
    {name ".weight", "h.#.attn.qkv.weight", how}, {                                                                    \
        name ".bias", "h.#.attn.qkv.bias", how                                                                         \
    }
#define APART(q, k, v) FUSED(q, QUERIES), FUSED(k, KEYS), FUSED(v, VALUES)
#define ENDS(embedding, norm)                                                                                          \
    {embedding ".weight", "wte", AS_IS}, {norm ".weight", "ln_f.weight", AS_IS}, {                                     \
        norm ".bias", "ln_f.bias", AS_IS                                                                               \
    }

// What Llama's layers have, likewise.
#define LLAMA_LAYER(prefix, norm1, out, norm2, gate, up, down)                                                         \
    {prefix norm1 ".weight", "h.#.ln_1.weight", AS_IS}, {prefix out ".weight", "h.#.attn.proj.weight", AS_IS},         \
        {prefix norm2 ".weight", "h.#.ln_2.weight", AS_IS}, {prefix gate ".weight", "h.#.mlp.gate_up.weight", GATE},   \
        {prefix up ".weight", "h.#.mlp.gate_up.weight", UP}, {                                                         \
        prefix down ".weight", "h.#.mlp.down.weight", AS_IS                                                            \
    }

// transformers' gpt2 stores the matrices of linear layers transposed.
static const TensorName hf_gpt2[] = {
    ENDS("transformer.wte", "transformer.ln_f"),
    {"transformer.wpe.weight", POSITION_TABLE, AS_IS},
    {"transformer.h.#.ln_1.weight", "h.#.ln_1.weight", AS_IS},
    {"transformer.h.#.ln_1.bias", "h.#.ln_1.bias", AS_IS},
    FUSED("transformer.h.#.attn.c_attn", TRANSPOSED),
    {"transformer.h.#.attn.c_proj.weight", "h.#.attn.proj.weight", TRANSPOSED},
    {"transformer.h.#.attn.c_proj.bias", "h.#.attn.proj.bias", AS_IS},
    {"transformer.h.#.ln_2.weight", "h.#.ln_2.weight", AS_IS},
    {"transformer.h.#.ln_2.bias", "h.#.ln_2.bias", AS_IS},
    {"transformer.h.#.mlp.c_fc.weight", "h.#.mlp.fc.weight", TRANSPOSED},
    {"transformer.h.#.mlp.c_fc.bias", "h.#.mlp.fc.bias", AS_IS},
    {"transformer.h.#.mlp.c_proj.weight", "h.#.mlp.proj.weight", TRANSPOSED},
    {"transformer.h.#.mlp.c_proj.bias", "h.#.mlp.proj.bias", AS_IS},
    {0},
};
static const TensorName hf_starcoder2[] = {
    ENDS("model.embed_tokens", "model.norm"),
    APART("model.layers.#.self_attn.q_proj", "model.layers.#.self_attn.k_proj", "model.layers.#.self_attn.v_proj"),
    LAYER("model.layers.#.", "input_layernorm", "self_attn.o_proj", "post_attention_layernorm", "mlp.c_fc",
          "mlp.c_proj"),
    {0},
};
static const TensorName hf_gpt_neox[] = {
    ENDS("gpt_neox.embed_in", "gpt_neox.final_layer_norm"),
    FUSED("gpt_neox.layers.#.attention.query_key_value", BY_HEAD),
    LAYER("gpt_neox.layers.#.", "input_layernorm", "attention.dense", "post_attention_layernorm", "mlp.dense_h_to_4h",
          "mlp.dense_4h_to_h"),
    {0},
};
static const TensorName hf_llama[] = {
    {"model.embed_tokens.weight", "wte", AS_IS},
    {"model.norm.weight", "ln_f.weight", AS_IS},
    LLAMA_LAYER("model.layers.#.", "input_layernorm", "self_attn.o_proj", "post_attention_layernorm", "mlp.gate_proj",
                "mlp.up_proj", "mlp.down_proj"),
    {"model.layers.#.self_attn.q_proj.weight", "h.#.attn.qkv.weight", QUERIES},
    {"model.layers.#.self_attn.k_proj.weight", "h.#.attn.qkv.weight", KEYS},
    {"model.layers.#.self_attn.v_proj.weight", "h.#.attn.qkv.weight", VALUES},
    {0},
};
const TensorName *const hf_tensors[HOMES] = {
    [HOME_GPT2] = hf_gpt2,     [HOME_STARCODER2] = hf_starcoder2, [HOME_LLAMA] = hf_llama,
    [HOME_MISTRAL] = hf_llama, [HOME_SMOLLM3] = hf_llama,         [HOME_GPT_NEOX] = hf_gpt_neox};

#define GGUF_ENDS  ENDS("token_embd", "output_norm")
#define GGUF_LAYER LAYER("blk.#.", "attn_norm", "attn_output", "ffn_norm", "ffn_up", "ffn_down")
static const TensorName gguf_gpt2[] = {
    GGUF_ENDS, {"position_embd.weight", POSITION_TABLE, AS_IS}, FUSED("blk.#.attn_qkv", AS_IS), GGUF_LAYER, {0}};
static const TensorName gguf_starcoder2[] = {
    GGUF_ENDS, APART("blk.#.attn_q", "blk.#.attn_k", "blk.#.attn_v"), GGUF_LAYER, {0}};
// llama.cpp reads no gptneox without an output layer of its own.
static const TensorName gguf_gpt_neox[] = {
    GGUF_ENDS, {"output.weight", "wte", AS_IS}, FUSED("blk.#.attn_qkv", ROTATED), GGUF_LAYER, {0}};
// llama.cpp turns a llama's pairs side by side, and takes the embeddings where there is no output layer.
static const TensorName gguf_llama[] = {
    {"token_embd.weight", "wte", AS_IS},
    {"output_norm.weight", "ln_f.weight", AS_IS},
    LLAMA_LAYER("blk.#.", "attn_norm", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
    {"blk.#.attn_q.weight", "h.#.attn.qkv.weight", QUERIES_PAIRED},
    {"blk.#.attn_k.weight", "h.#.attn.qkv.weight", KEYS_PAIRED},
    {"blk.#.attn_v.weight", "h.#.attn.qkv.weight", VALUES},
    {0},
};
static const TensorName gguf_mpt[] = {GGUF_ENDS, FUSED("blk.#.attn_qkv", AS_IS), GGUF_LAYER, {0}};
const TensorName *const gguf_tensors[HOMES] = {
    [HOME_GPT2] = gguf_gpt2,     [HOME_STARCODER2] = gguf_starcoder2, [HOME_LLAMA] = gguf_llama,
    [HOME_SMOLLM3] = gguf_llama, [HOME_GPT_NEOX] = gguf_gpt_neox,     [HOME_MPT] = gguf_mpt};

// `name` with the layer's number for '#'.
static void put_layer(char out[80], const char *name, int layer) {
    const char *mark = strchr(name, '#');
    if (mark)
        snprintf(out, 80, "%.*s%d%s", (int)(mark - name), name, layer, mark + 1);
    else
        snprintf(out, 80, "%s", name);
}

// How many rows their tensor has of `all` rows of ours.
static int rows_of_part(Arrangement arrangement, int all, const Shape *shape) {
    switch (arrangement) {
    case QUERIES:
    case QUERIES_PAIRED:
        return shape->width;
    case KEYS:
    case KEYS_PAIRED:
    case VALUES:
        return key_width(shape);
    case GATE:
    case UP:
        return all / 2;
    case AS_IS:
    case TRANSPOSED:
    case ROTATED:
    case BY_HEAD:
        break;
    }
    return all;
}

static void describe(ForeignTensor *t, const TensorName *name, int layer, const Gpt *gpt) {
    char ours[80];
    put_layer(t->name, name->theirs, layer);
    put_layer(ours, name->ours, layer);
    t->ours = tensor_find(&gpt->tensors, ours);
    const Tensor codes = {.rank = 2, .shape = {gpt->shape.context, gpt->shape.width}},
                 *from = t->ours ? t->ours : &codes;
    const int rows = from->shape[0], columns = from->rank > 1 ? from->shape[1] : 1;
    t->rank = from->rank;
    t->arrangement = name->arrangement == TRANSPOSED && t->rank == 1 ? AS_IS : name->arrangement;
    const bool transposed = t->arrangement == TRANSPOSED;
    t->shape[0] = transposed ? columns : rows_of_part(t->arrangement, rows, &gpt->shape);
    t->shape[1] = transposed ? rows : columns;
    t->count = (size_t)t->shape[0] * (size_t)t->shape[1];
}

bool foreign_list(ForeignTensors *tensors, const TensorName *names, const Gpt *gpt, Error *error) {
    const int L = gpt->shape.layers;
    *tensors = (ForeignTensors){0};
    for (const TensorName *name = names; name->theirs; name++) tensors->count += strchr(name->theirs, '#') ? L : 1;
    ForeignTensor *next = tensors->items = calloc((size_t)tensors->count, sizeof *next);
    if (!next) return fail_run(error, "no memory for a list of %d tensors", tensors->count);
    for (const TensorName *name = names; name->theirs; name++)
        for (int l = 0; l < (strchr(name->theirs, '#') ? L : 1); l++) describe(next++, name, l, gpt);
    return true;
}

void foreign_free(ForeignTensors *tensors) {
    free(tensors->items);
    free(tensors->numbers);
    *tensors = (ForeignTensors){0};
}

// Where the rows of q and k are: pairs of channels are (2i, 2i+1) if `interleaved`; the first `turned` of a head turn.
typedef struct {
    int C, Kd, head_width, turned; // rows of q, and of k; of a head, and those that turn
    bool interleaved;
} Rows;

static Rows head_rows(const Gpt *gpt) {
    const int p = mix_stretchable(&gpt->pos);
    Rows rows = {.C = gpt->shape.width, .Kd = key_width(&gpt->shape), .head_width = head_width(&gpt->shape)};
    if (p < 0) return rows;
    const Position *pos = &gpt->pos.part[p];
    rows.turned = 2 * rotary_pairs(pos);
    rows.interleaved = rotary_of(pos)->pairing == PAIRING_INTERLEAVED;
    return rows;
}

// Our row of q or k that is their row r: pair i of a head is (i, i + turned/2) there ...
static int row_of_halves(int r, const Rows *rows) {
    const int head = r / rows->head_width * rows->head_width, channel = r % rows->head_width, half = rows->turned / 2;
    if (!rows->interleaved || channel >= rows->turned) return r;
    return head + (channel < half ? 2 * channel : 2 * (channel - half) + 1);
}

// ... or (2i, 2i + 1).
static int row_of_neighbours(int r, const Rows *rows) {
    const int head = r / rows->head_width * rows->head_width, channel = r % rows->head_width, half = rows->turned / 2;
    if (rows->interleaved || channel >= rows->turned) return r;
    return head + channel / 2 + (channel % 2 ? half : 0);
}

// Our row that is their row r of so many.
static int our_row(int r, int count, Arrangement arrangement, const Rows *rows) {
    const int d = rows->head_width, C = rows->C, k = C, v = C + rows->Kd; // where k and v begin
    switch (arrangement) {
    case AS_IS:
    case TRANSPOSED:
    case GATE:
        return r;
    case UP:
        return count + r;
    case QUERIES:
        return row_of_halves(r, rows);
    case KEYS:
        return row_of_halves(k + r, rows);
    case VALUES:
        return v + r;
    case QUERIES_PAIRED:
        return row_of_neighbours(r, rows);
    case KEYS_PAIRED:
        return row_of_neighbours(k + r, rows);
    case BY_HEAD:
        r = r / d % 3 * C + r / (3 * d) * d + r % d;
        break;
    case ROTATED:
        break;
    }
    return r < v ? row_of_halves(r, rows) : r;
}

// Where their number n is in ours.
static size_t our_index(size_t n, const ForeignTensor *tensor, const Rows *rows) {
    const size_t columns = (size_t)tensor->shape[1], row = n / columns, column = n % columns;
    if (tensor->arrangement == TRANSPOSED) return column * (size_t)tensor->shape[0] + row;
    return (size_t)our_row((int)row, tensor->shape[0], tensor->arrangement, rows) * columns + column;
}

// What the scheme adds to the embeddings at positions 0, 1, 2 ...: codes (context, C).
static bool position_codes(float *codes, const Gpt *gpt, Error *error) {
    const int T = gpt->shape.context, C = gpt->shape.width;
    Arena arena = {0};
    MixTables tables;
    Place *places = calloc((size_t)T, sizeof *places);
    real *sums = calloc((size_t)T * C, sizeof *sums);
    mix_layout(&tables, &gpt->pos, &arena, T, 1, false);
    const bool room = (places && sums) || fail_run(error, "no memory for the codes of %d positions", T);
    const bool ok = room && arena_allocate(&arena, "the table of position codes", error);
    if (ok) {
        mix_layout(&tables, &gpt->pos, &arena, T, 1, false);
        mix_prepare(&tables);
        for (int t = 0; t < T; t++) places[t].t = t;
        mix_embed_forward(&tables, sums, places, T);
        for (size_t n = 0; n < (size_t)T * C; n++) codes[n] = (float)sums[n];
    }
    arena_free(&arena);
    free(sums);
    free(places);
    return ok;
}

bool foreign_from_model(ForeignTensors *tensors, const TensorName *names, const Gpt *gpt, Error *error) {
    const Rows rows = head_rows(gpt);
    if (!foreign_list(tensors, names, gpt, error)) return false;
    size_t total = 0;
    for (int i = 0; i < tensors->count; i++) total += tensors->items[i].count;
    float *next = tensors->numbers = malloc(total * sizeof *next);
    bool ok = next || fail_run(error, "no memory for a copy of %zu weights", total);
    for (const ForeignTensor *t = tensors->items; ok && t < tensors->items + tensors->count; next += t->count, t++) {
        if (!t->ours)
            ok = position_codes(next, gpt, error);
        else
            for (size_t n = 0; n < t->count; n++)
                next[n] = (float)gpt->params[t->ours->offset + our_index(n, t, &rows)];
    }
    if (!ok) foreign_free(tensors);
    return ok;
}

void foreign_to_model(Gpt *gpt, const float *numbers, const ForeignTensor *t) {
    const Rows rows = head_rows(gpt);
    for (size_t n = 0; n < t->count; n++) gpt->params[t->ours->offset + our_index(n, t, &rows)] = (real)numbers[n];
}
