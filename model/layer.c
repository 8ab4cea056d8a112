// A layer of the model: x -> norm -> q, k, v -> attention -> added to x -> norm -> MLP -> added to x; and back.
#include "model/train_pass.h"

#include "model/ops/attention_more.h"
#include "num/team.h"

// qkv = norm(x) qkvw + qkvb. The schemes' input hooks read norm(x); their qk hooks change q and k.
void layer_qkv_forward(const Layer *layer) {
    const LayerWeights *w = &layer->gpt->w.layers[layer->index];
    const LayerActivations *a = layer->a;
    const LayerBuffers *b = layer->buffers;
    const int rows = layer->B * layer->T, C = layer->gpt->shape.width, qkv = qkv_width(&layer->gpt->shape);
    norm_forward(b->norm, a->ln1_mean, a->ln1_rstd, a->x, w->ln1w, w->ln1b, rows, C);
    mix_input_forward(layer->tables, layer->index, b->features, b->norm, rows);
    linear_forward(a->qkv, b->norm, w->qkvw, w->qkvb, rows, C, qkv);
    mix_qk_forward(layer->tables, layer->index, a->qkv, a->qkv + C, qkv, layer->at, rows);
}

// hidden (rows, W) = act(fc): gelu in GPT-2's block, swiglu in Llama's.
static void activation_forward(const Layer *layer) {
    const LayerActivations *a = layer->a;
    const int rows = layer->B * layer->T, W = mlp_width(&layer->gpt->shape);
    if (layer->gpt->shape.block == BLOCK_LLAMA)
        swiglu_forward(a->hidden, a->fc, rows, W);
    else
        gelu_forward(a->hidden, a->fc, rows, W); // fc becomes a->slope
}

// From b->dhidden, returns dfc (rows, fc_width).
static const real *activation_backward(const Layer *layer) {
    const LayerActivations *a = layer->a;
    const LayerBuffers *b = layer->buffers;
    const int rows = layer->B * layer->T, W = mlp_width(&layer->gpt->shape);
    if (layer->gpt->shape.block == BLOCK_LLAMA)
        swiglu_backward(a->fc, b->dhidden, rows, W); // fc becomes dfc, and dhidden becomes a->hidden
    else
        gelu_backward(b->dhidden, a->slope, rows, W); // dhidden becomes b->dfc
    return layer->gpt->shape.block == BLOCK_LLAMA ? a->fc : b->dfc;
}

// x_mid = x + dropout(attention(qkv) projw + projb)
// x_out = x_mid + dropout(act(norm(x_mid) fcw + fcb) fcprojw + fcprojb)
void layer_forward(real *x_out, const Layer *layer, const Attention *attention) {
    const LayerWeights *w = &layer->gpt->w.layers[layer->index];
    const LayerActivations *a = layer->a;
    const LayerBuffers *b = layer->buffers;
    const Shape *shape = &layer->gpt->shape;
    const int rows = layer->B * layer->T, C = shape->width;

    attention_forward(attention, layer->tables, b->scratch);
    linear_forward(b->branch, a->heads, w->projw, w->projb, rows, C, C);
    residual_forward(a->x_mid, a->x, b->branch, &layer->drop_proj, rows, C);

    norm_forward(b->norm, a->ln2_mean, a->ln2_rstd, a->x_mid, w->ln2w, w->ln2b, rows, C);
    linear_forward(a->fc, b->norm, w->fcw, w->fcb, rows, C, fc_width(shape));
    activation_forward(layer);
    linear_forward(b->branch, a->hidden, w->fcprojw, w->fcprojb, rows, mlp_width(shape), C);
    residual_forward(x_out, a->x_mid, b->branch, &layer->drop_mlp, rows, C);
}

// Forward was x_out = x_mid + dropout(act(norm(x_mid) fcw + fcb) fcprojw + fcprojb); backward goes through it from
// right to left. First come the gradients of activations, where each thread needs only its own rows. The gradients
// of weights are sums over all rows, so there is a barrier before them, and one after them, because the buffers are
// overwritten next.
static void mlp_backward(real *dx, const Layer *layer) {
    const LayerWeights *w = &layer->gpt->w.layers[layer->index], *dw = &layer->gpt->dw.layers[layer->index];
    const LayerActivations *a = layer->a;
    const LayerBuffers *b = layer->buffers;
    const int rows = layer->B * layer->T, C = layer->gpt->shape.width, fc = fc_width(&layer->gpt->shape),
              wide = mlp_width(&layer->gpt->shape);
    const real *dbranch = residual_backward(b->dbranch, dx, &layer->drop_mlp, rows, C);
    linear_backward(b->dhidden, dbranch, w->fcprojw, rows, wide, C);
    const real *dfc = activation_backward(layer);
    norm_again(b->norm, a->x_mid, a->ln2_mean, a->ln2_rstd, w->ln2w, w->ln2b, rows, C);
    linear_backward(b->dnorm, dfc, w->fcw, rows, C, fc);
    team_barrier();
    linear_backward_weights(dw->fcprojw, dw->fcprojb, dbranch, a->hidden, rows, wide, C);
    linear_backward_weights(dw->fcw, dw->fcb, dfc, b->norm, rows, C, fc);
    norm_backward_weights(dw->ln2w, dw->ln2b, b->dnorm, a->x_mid, a->ln2_mean, a->ln2_rstd, rows, C);
    team_barrier();
    // dx +=: it already holds the gradient that passes along the residual stream.
    norm_backward(dx, b->dnorm, a->x_mid, w->ln2w, w->ln2b, a->ln2_mean, a->ln2_rstd, rows, C);
}

// Recompute the schemes' features, as norm_again does its output, and zero their gradients. By rows.
static void features_prepare(const Layer *layer) {
    const LayerBuffers *b = layer->buffers;
    const int rows = layer->B * layer->T;
    const size_t F = (size_t)layer->gpt->pos.features;
    const Share own = share_rows(rows);
    if (F == 0) return;
    mix_input_forward(layer->tables, layer->index, b->features, b->norm, rows);
    memset(b->dfeatures + own.begin * F, 0, (size_t)(own.end - own.begin) * F * sizeof(real));
}

// Forward was x_mid = x + dropout(attention(norm(x) qkvw + qkvb) projw + projb); backward goes through it from
// right to left.
static void attend_backward(real *dx, const Layer *layer, const Attention *attention) {
    const LayerWeights *w = &layer->gpt->w.layers[layer->index], *dw = &layer->gpt->dw.layers[layer->index];
    const LayerActivations *a = layer->a;
    const LayerBuffers *b = layer->buffers;
    const MixTables *tables = layer->tables;
    const int rows = layer->B * layer->T, l = layer->index, C = layer->gpt->shape.width,
              qkv = qkv_width(&layer->gpt->shape);
    const real *q = a->qkv, *k = a->qkv + C;
    real *dq = b->dqkv, *dk = dq + C, *dv = dk + key_width(&layer->gpt->shape);

    const real *dbranch = residual_backward(b->dbranch, dx, &layer->drop_proj, rows, C);
    linear_backward(b->dheads, dbranch, w->projw, rows, C, C); // dheads (rows, C)
    norm_again(b->norm, a->x, a->ln1_mean, a->ln1_rstd, w->ln1w, w->ln1b, rows, C);
    features_prepare(layer);
    team_barrier();
    linear_backward_weights(dw->projw, dw->projb, dbranch, a->heads, rows, C, C);
    // dq and dk, of queries and keys as the schemes' qk hooks left them; dv; dfeatures +=
    attention_backward(&(AttentionGradient){dq, dk, dv, b->dfeatures, b->dheads, b->dlogit_scale}, attention, tables,
                       b->scratch);
    if (w->logit_scale)
        logit_scale_reduce(dw->logit_scale, b->dlogit_scale, layer->B, layer->gpt->shape.heads, layer->T);
    mix_qk_backward(tables, l, dq, dk, q, k, qkv, layer->at, rows); // dq, dk, in place: now of the hooks' inputs
    linear_backward(b->dnorm, b->dqkv, w->qkvw, rows, C, qkv);      // dnorm (rows, C), through q, k and v
    mix_layer_backward(tables, l, b->dnorm, b->dfeatures, b->features, b->norm, rows); // dnorm += through the features
    // dx +=: it already holds the gradient that passes along the residual stream.
    norm_backward(dx, b->dnorm, a->x, w->ln1w, w->ln1b, a->ln1_mean, a->ln1_rstd, rows, C);
    team_barrier();
    linear_backward_weights(dw->qkvw, dw->qkvb, b->dqkv, b->norm, rows, C, qkv);
    norm_backward_weights(dw->ln1w, dw->ln1b, b->dnorm, a->x, a->ln1_mean, a->ln1_rstd, rows, C);
    team_barrier();
}

void layer_backward(real *dx, const Layer *layer, const Attention *attention) {
    mlp_backward(dx, layer);
    attend_backward(dx, layer, attention);
}
