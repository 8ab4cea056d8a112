#include "model/train_pass.h"

#include "num/team.h"

void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids) {
    train_pass_places(pass, gpt, ids);
    tokens_forward(pass->layers[0].x, ids, gpt->w.wte, pass->B * pass->T, gpt->shape.width);
}

void train_pass_forward(TrainPass *pass, const Gpt *gpt) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, L = gpt->shape.layers;
    real *x = pass->layers[0].x;

    mix_prepare(&pass->tables);
#pragma omp parallel
    {
        mix_embed_forward(&pass->tables, x, pass->at, rows);
        train_dropout(x, pass, gpt);
        for (int l = 0; l < L; l++) {
            const Layer layer = train_layer(pass, gpt, l);
            const Attention attention = layer_attention(&layer);
            layer_qkv_forward(&layer);
            team_barrier();
            layer_forward(l + 1 < L ? pass->layers[l + 1].x : pass->x_final, &layer, &attention);
        }
        norm_forward(pass->buffers.norm, pass->lnf_mean, pass->lnf_rstd, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, rows,
                     C);
    }
}

void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, L = gpt->shape.layers;
    const real *norm = pass->buffers.norm;
    real *dx = pass->dx, *dnorm = pass->buffers.dnorm;

    // norm_backward adds to dx, and the residual stream after the last layer goes nowhere but into this norm.
    memset(dx, 0, (size_t)rows * C * sizeof(real));
#pragma omp parallel
    {
        // dnorm (rows, C); dwte += as the output head.
        loss_forward_backward(pass->nll, dnorm, gpt->dw.wte, pass->dnll, norm, gpt->w.wte, targets,
                              pass->buffers.scratch, rows, C, gpt->shape.vocab);
        // dx (rows, C) = the gradient of x_final.
        norm_backward(dx, dnorm, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, pass->lnf_mean, pass->lnf_rstd, rows, C);
        norm_backward_weights(gpt->dw.lnfw, gpt->dw.lnfb, dnorm, pass->x_final, pass->lnf_mean, pass->lnf_rstd, rows,
                              C);
        team_barrier(); // the layers overwrite buffers.dnorm
        for (int l = L - 1; l >= 0; l--) {
            const Layer layer = train_layer(pass, gpt, l);
            const Attention attention = layer_attention(&layer);
            layer_backward(dx, &layer, &attention); // dx: of the layer's output -> of its input
        }
        train_dropout(dx, pass, gpt);
        team_barrier(); // the next two sum over all rows, so they read other threads' dx
        mix_embed_backward(&pass->tables, dx, pass->at, rows);
        tokens_backward(gpt->dw.wte, dx, ids, rows, C); // dwte += again: the same matrix embeds tokens and makes logits
    }
}
