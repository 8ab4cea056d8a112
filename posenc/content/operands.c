#include "posenc/content/operands.h"

static const MakesOperands *recipe_of(const Tables *tables) {
    return tables->pos->scheme->recipe;
}

// In training a head has as many queries as keys.
static Operands operands_take(Arena *arena, const Tables *tables, int rows, int columns, bool training) {
    const MakesOperands *recipe = recipe_of(tables);
    const int d = head_width(&tables->pos->shape), w = recipe->wide * d;
    const size_t queries = (size_t)(training ? columns : rows) * (size_t)w, keys = (size_t)columns * (size_t)w;
    const size_t across = gemm_packed_size(w, columns), down = gemm_packed_size(columns, w);
    Operands o = {.width = w, .q = arena_reals(arena, queries), .k = arena_reals(arena, keys)};
    o.own = arena_reals(arena, (size_t)recipe->own * (size_t)columns * (size_t)d);
    if (!training) return o;
    o.dq = arena_reals(arena, queries);
    o.dk = arena_reals(arena, keys);
    for (int i = 0; i < 3; i++) o.packed[i] = arena_reals(arena, across > down ? across : down);
    return o;
}

size_t operands_scratch(const Tables *tables, int rows, int columns, bool training) {
    Arena counted = {0};
    operands_take(&counted, tables, rows, columns, training);
    return counted.used / sizeof(real);
}

static Operands operands_make(const Tables *tables, const ScoreBlock *head, bool training) {
    Arena scratch = scratch_of(head);
    const Operands o = operands_take(&scratch, tables, head->rows, head->columns, training);
    recipe_of(tables)->forward(tables, head, &o);
    return o;
}

// The scores of a block whose queries begin with row `first` of the operands, and its keys where `keys` begins: k^T
// (width, keys).
static void operands_scores(const ScoreBlock *block, const Operands *o, int first, const Packed *keys) {
    product_to_keys(block->S, block->stride, block->scale, rows_of(o->q + (size_t)first * o->width, o->width), keys,
                    block->rows, block->columns, block->window);
}

static void scores(const Tables *tables, const ScoreBlock *block) {
    const Operands o = operands_make(tables, block, false);
    const Packed keys = gemm_pack(NULL, columns_of(o.k, o.width), o.width, block->columns);
    operands_scores(block, &o, 0, &keys);
}

// Queries first to end of one head: all of them in training, a block in inference.
static void queries_forward(const Attention *a, const MixTables *tables, const Call *own, int b, int h, int first,
                            int end, real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const QueryBlock all = query_block_of(a, b, h, first, end - first);
    const ScoreBlock all_scores = scores_of(&scratch, &all, a, tables);
    const ScoreBlock head = mix_block(own, &all_scores, scratch.schemes);
    const Operands o = operands_make(&tables->part[own->part], &head, a->lse != NULL);
    const Packed keys = gemm_pack(o.packed[2], columns_of(o.k, o.width), o.width, all.columns);
    const Packed values = gemm_pack(scratch.packed[1], rows_of(a->v + all.kv_at, a->kv_stride), all.columns, a->d);
    for (int i = first; i < end; i += QUERY_BLOCK) {
        const QueryBlock block = query_block_of(a, b, h, i, QUERY_BLOCK);
        const ScoreBlock block_scores = scores_of(&scratch, &block, a, tables);
        const Packed own_keys = gemm_packed_from(&keys, block.from - all.from);
        operands_scores(&block_scores, &o, i - first, &own_keys);
        mix_score_forward(tables, &block_scores, scratch.schemes);
        block_outputs(a, tables, &block, &block_scores, &values, block.from - all.from);
    }
}

// Forward was S = scale q k^T of the operands, so dq = scale dS k and dk += scale dS^T q; the scheme takes these back
// to the model's queries and keys.
static void head_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables, const Call *own,
                          int b, int h, real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const Tables *part = &tables->part[own->part];
    const QueryBlock all = query_block_of(a, b, h, 0, a->queries);
    const ScoreBlock all_scores = scores_of(&scratch, &all, a, tables);
    const ScoreBlock head = mix_block(own, &all_scores, scratch.schemes);
    const Operands o = operands_make(part, &head, true);
    const int w = o.width;
    const Packed q = gemm_pack(o.packed[0], rows_of(o.q, w), a->queries, w),
                 k = gemm_pack(o.packed[1], rows_of(o.k, w), a->keys, w),
                 k_transposed = gemm_pack(o.packed[2], columns_of(o.k, w), w, a->keys);
    const Packed dout = gemm_pack(scratch.packed[2], rows_of(grad->dout + all.out_at, a->H * a->d), a->queries, a->d);
    const Packed v_transposed = gemm_pack(scratch.packed[4], columns_of(a->v + all.kv_at, a->kv_stride), a->d, a->keys);
    ScoreGradient of_head = score_gradient_of(grad, &all, NULL, tables);
    of_head.dfeatures += own->feature;
    memset(o.dk, 0, (size_t)a->keys * w * sizeof(real));
    for (int t = 0; t < a->queries; t++) memset(of_head.dq + (size_t)t * a->q_stride, 0, (size_t)a->d * sizeof(real));
    for (int i = 0; i < a->queries; i += QUERY_BLOCK) {
        const QueryBlock block = query_block_of(a, b, h, i, QUERY_BLOCK);
        const ScoreBlock block_scores = scores_of(&scratch, &block, a, tables);
        const ScoreGradient of_scores = score_gradient_of(grad, &block, scratch.dS, tables);
        const Packed own_keys = gemm_packed_from(&k_transposed, block.from);
        operands_scores(&block_scores, &o, i, &own_keys);
        mix_score_forward(tables, &block_scores, scratch.schemes);
        block_outputs_backward(grad, a, tables, &block, &block_scores, scratch.dS, &v_transposed, &dout);
        mix_score_backward(tables, &block_scores, &of_scores, scratch.schemes);
        product_of_keys(o.dq + (size_t)i * w, w, 0, head.scale, rows_of(of_scores.dS, block_scores.stride), &k,
                        block.from, block.rows, block.columns, a->window);
        add_transposed(o.dk + (size_t)block.from * w, w, head.scale, of_scores.dS, &q, &block, a->window);
    }
    recipe_of(part)->backward(part, &head, &of_head, &o);
}

const AttentionOp operands_attention = {queries_forward, head_backward, scores};
