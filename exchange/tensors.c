#include "exchange/tensors.h"

#include "model/infer.h"
#include "posenc/rotation/rotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Programs that name tensors alike. llm.c has no names; its tensors are those of GPT-2 in the order of this table.
typedef enum { HF_GPT2, HF_DECODER, HF_NEOX, GGUF, NAMINGS } Naming;

// What comes before the number of a layer.
static const char *const layers_of[NAMINGS] = {"transformer.h", "model.layers", "gpt_neox.layers", "blk"};

// Our tensors and theirs, without ".weight" and ".bias"; for those in a layer, what follows its number. Rows whose
// tensor the model does not have are skipped.
static const struct {
    bool layered;
    const char *ours;
    Part part;
    const char *theirs[NAMINGS];
} table[] = {
    {false, "wte", ALL_ROWS, {"transformer.wte", "model.embed_tokens", "gpt_neox.embed_in", "token_embd"}},
    {false, "pos.table", ALL_ROWS, {"transformer.wpe", NULL, NULL, "position_embd"}},
    {true, "ln_1", ALL_ROWS, {"ln_1", "input_layernorm", "input_layernorm", "attn_norm"}},
    {true, "attn.qkv", ALL_ROWS, {"attn.c_attn", NULL, NULL, "attn_qkv"}},
    {true, "attn.qkv", BY_HEAD, {NULL, NULL, "attention.query_key_value", NULL}},
    {true, "attn.qkv", QUERIES, {NULL, "self_attn.q_proj", NULL, "attn_q"}},
    {true, "attn.qkv", KEYS, {NULL, "self_attn.k_proj", NULL, "attn_k"}},
    {true, "attn.qkv", VALUES, {NULL, "self_attn.v_proj", NULL, "attn_v"}},
    {true, "attn.proj", ALL_ROWS, {"attn.c_proj", "self_attn.o_proj", "attention.dense", "attn_output"}},
    {true, "ln_2", ALL_ROWS, {"ln_2", "post_attention_layernorm", "post_attention_layernorm", "ffn_norm"}},
    {true, "mlp.fc", ALL_ROWS, {"mlp.c_fc", "mlp.c_fc", "mlp.dense_h_to_4h", "ffn_up"}},
    {true, "mlp.proj", ALL_ROWS, {"mlp.c_proj", "mlp.c_proj", "mlp.dense_4h_to_h", "ffn_down"}},
    {true, "mlp.gate_up", GATE, {NULL, "mlp.gate_proj", NULL, "ffn_gate"}},
    {true, "mlp.gate_up", UP, {NULL, "mlp.up_proj", NULL, "ffn_up"}},
    {true, "mlp.down", ALL_ROWS, {NULL, "mlp.down_proj", NULL, "ffn_down"}},
    {false, "ln_f", ALL_ROWS, {"transformer.ln_f", "model.norm", "gpt_neox.final_layer_norm", "output_norm"}},
    {false, "wte", ALL_ROWS, {NULL, NULL, NULL, "output"}},
};
enum { ROWS = sizeof table / sizeof *table };

// Do models of this kind have the row? llama.cpp cannot read a gptneox without an output layer of its own, and
// separates q, k and v only where transformers does.
static bool has_row(int row, Naming naming, Target target) {
    const char *ours = table[row].ours, *theirs = table[row].theirs[naming];
    const bool apart = target == TARGET_STARCODER2 || is_llama(target);
    if (!theirs) return false;
    if (strcmp(ours, "pos.table") == 0) return target == TARGET_GPT2;
    if (strcmp(theirs, "output") == 0) return target == TARGET_GPT_NEOX;
    return naming != GGUF || strcmp(ours, "attn.qkv") != 0 || apart == (table[row].part != ALL_ROWS);
}

// How many rows their tensor has of `all` rows of ours.
static int rows_of_part(Part part, int all, const Shape *shape) {
    if (part == KEYS || part == VALUES) return key_width(shape);
    return part == QUERIES ? shape->width : part == GATE || part == UP ? all / 2 : all;
}

// Add the tensor of a row to the list, unless the model has none.
static void add(ForeignTensors *tensors, int row, Naming naming, int layer, const char *ending, const Gpt *gpt) {
    ForeignTensor *t = &tensors->items[tensors->count];
    char ours[80];
    const bool layered = table[row].layered, named = layered || strcmp(table[row].ours, "ln_f") == 0,
               codes = strcmp(table[row].ours, "pos.table") == 0;
    const char *our_ending = named ? ending : "", *theirs = table[row].theirs[naming];
    if (layered)
        snprintf(ours, sizeof ours, "h.%d.%s%s", layer, table[row].ours, our_ending);
    else
        snprintf(ours, sizeof ours, "%s%s", table[row].ours, our_ending);
    const Tensor *tensor = tensor_find(&gpt->tensors, ours);
    const Tensor untrained = {.rank = 2, .shape = {gpt->shape.context, gpt->shape.width}};
    if ((!tensor && !codes) || (!named && strcmp(ending, ".bias") == 0)) return;
    *t = (ForeignTensor){.ours = tensor, .part = table[row].part};
    if (!tensor) tensor = &untrained;
    if (layered)
        snprintf(t->name, sizeof t->name, "%s.%d.%s%s", layers_of[naming], layer, theirs, ending);
    else
        snprintf(t->name, sizeof t->name, "%s%s", theirs, ending);
    t->rank = tensor->rank;
    t->rotated = strstr(ours, "attn.qkv");
    t->transposed = naming == HF_GPT2 && layered && t->rank > 1; // transformers' gpt2 stores linear layers so
    const int rows = rows_of_part(t->part, tensor->shape[0], &gpt->shape), columns = t->rank > 1 ? tensor->shape[1] : 1;
    t->shape[0] = t->transposed ? columns : rows;
    t->shape[1] = t->transposed ? rows : columns;
    t->count = (size_t)rows * (size_t)columns;
    tensors->count++;
}

bool foreign_list(ForeignTensors *tensors, Format format, Target target, const Gpt *gpt, Error *error) {
    static const char *const endings[] = {".weight", ".bias"};
    const int L = gpt->shape.layers;
    const Naming naming = format != FORMAT_HF         ? GGUF
                          : target == TARGET_GPT2     ? HF_GPT2
                          : target == TARGET_GPT_NEOX ? HF_NEOX
                                                      : HF_DECODER;
    *tensors = (ForeignTensors){.items = calloc((size_t)(2 * ROWS) * (size_t)L, sizeof *tensors->items)};
    if (!tensors->items) return fail_run(error, "no memory for a list of the tensors of %d layers", L);
    for (int row = 0; row < ROWS; row++)
        for (int e = 0; has_row(row, naming, target) && e < 2; e++)
            for (int l = 0; l < (table[row].layered ? L : 1); l++) add(tensors, row, naming, l, endings[e], gpt);
    return true;
}

void foreign_free(ForeignTensors *tensors) {
    free(tensors->items);
    free(tensors->numbers);
    *tensors = (ForeignTensors){0};
}

// Where the rows of q and k are, and how their pairs of channels are arranged.
typedef struct {
    int C, Kd, head_width, turned; // rows of q, and of k; of a head, and those that turn
    bool ours, theirs;             // are pairs neighbours (2i, 2i+1), and not halves (i, i + turned/2)?
} Rows;

static Rows head_rows(const Gpt *gpt, bool neighbours) {
    const int p = mix_stretchable(&gpt->pos);
    Rows rows = {.C = gpt->shape.width,
                 .Kd = key_width(&gpt->shape),
                 .head_width = head_width(&gpt->shape),
                 .theirs = neighbours};
    if (p < 0) return rows;
    const Position *pos = &gpt->pos.part[p];
    rows.turned = 2 * rotary_pairs(pos);
    rows.ours = rotary_of(pos)->pairing == PAIRING_INTERLEAVED;
    return rows;
}

// The row of our q or k that corresponds to their row r.
static int paired_row(int r, const Rows *rows) {
    const int head = r / rows->head_width * rows->head_width, channel = r % rows->head_width, half = rows->turned / 2;
    if (rows->ours == rows->theirs || channel >= rows->turned) return r;
    if (rows->ours) return head + (channel < half ? 2 * channel : 2 * (channel - half) + 1);
    return head + channel / 2 + (channel % 2 ? half : 0);
}

// The row of our tensor that corresponds to row r of theirs, which has `count` rows.
static int our_row(int r, int count, const ForeignTensor *t, const Rows *rows) {
    const int d = rows->head_width, C = rows->C, v = C + rows->Kd; // where the rows of v begin
    if (t->part == BY_HEAD) r = r / d % 3 * C + r / (3 * d) * d + r % d;
    if (t->part == KEYS) r += C;
    if (t->part == VALUES) r += v;
    if (t->part == UP) r += count;
    return t->rotated && r < v ? paired_row(r, rows) : r;
}

// The index in our tensor of number n of theirs.
static size_t our_index(size_t n, const ForeignTensor *t, const Rows *rows) {
    const size_t columns = (size_t)t->shape[1], row = n / columns, column = n % columns;
    if (t->transposed) return column * (size_t)t->shape[0] + row;
    return (size_t)our_row((int)row, t->shape[0], t, rows) * columns + column;
}

// What the scheme adds to the embeddings at positions 0, 1, 2 ...: codes (context, C).
static bool position_codes(float *codes, const Gpt *gpt, Error *error) {
    const int T = gpt->shape.context, C = gpt->shape.width;
    Inference inference; // has the tables, and room for T tokens
    if (!inference_create(&inference, gpt, 1, T, T, error)) return false;
    real *sums = inference.a.x;
    memset(sums, 0, (size_t)T * C * sizeof *sums);
    for (int t = 0; t < T; t++) inference.query_at[t] = (Place){.t = t};
    mix_prepare(&inference.tables);
    mix_embed_forward(&inference.tables, sums, inference.query_at, T);
    for (size_t n = 0; n < (size_t)T * C; n++) codes[n] = (float)sums[n];
    inference_free(&inference);
    return true;
}

bool foreign_from_model(ForeignTensors *tensors, Format format, Target target, const Gpt *gpt, Error *error) {
    const Rows rows = head_rows(gpt, format == FORMAT_GGUF && is_llama(target));
    if (!foreign_list(tensors, format, target, gpt, error)) return false;
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
    const Rows rows = head_rows(gpt, false);
    for (size_t n = 0; n < t->count; n++) gpt->params[t->ours->offset + our_index(n, t, &rows)] = (real)numbers[n];
}
