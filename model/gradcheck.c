#include "model/gradcheck.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

// The four-point difference is off by STEP^4/30 times the fifth derivative, which grows like t^5 for an angle t theta.
#define STEP 3e-5

typedef struct {
    Gpt gpt;
    TrainPass pass;
    Arena arena;
    int *ids, *targets; // (B,T)
    real *x_shift, *dx; // (B,T,C) a shift added to the token embeddings, and the gradient with respect to it
    real *direction;    // of the tensor at work
    GradcheckSettings settings;
} Check;

// Sum over tokens of dnll * nll; `training` also leaves the gradients.
static double total_loss(Check *check, bool training) {
    TrainPass *pass = &check->pass;
    const size_t rows = (size_t)pass->B * pass->T, n = rows * check->gpt.shape.width;
    train_pass_embed(pass, &check->gpt, check->ids);
    for (size_t i = 0; i < n; i++) pass->layers[0].x[i] += check->x_shift[i];
    train_pass_forward(pass, &check->gpt);
    if (training)
        train_pass_backward(pass, &check->gpt, check->ids, check->targets);
    else
        train_pass_loss(pass, &check->gpt, check->targets);
    double total = 0;
    for (size_t r = 0; r < rows; r++) total += pass->dnll[r] * pass->nll[r];
    return total;
}

static void shift(real *values, const Check *check, size_t at, size_t count, double amount) {
    if (!check->settings.directions)
        values[at] += (real)amount;
    else
        for (size_t n = 0; n < count; n++) values[n] += (real)amount * check->direction[n];
}

// d loss along one number, or along the direction: (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h
static double difference(Check *check, real *values, size_t at, size_t count) {
    static const double points[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        shift(values, check, at, count, points[i] * STEP);
        sum += weights[i] * total_loss(check, false);
        shift(values, check, at, count, -points[i] * STEP);
    }
    return sum / (12 * STEP);
}

static double rms_of(const real *values, size_t count, size_t divisor) {
    double sum = 0;
    for (size_t n = 0; n < count; n++) sum += (double)values[n] * (double)values[n];
    return sqrt(sum / (double)divisor);
}

static void check_tensor(GradientError *result, Check *check, const char *name, real *values, const real *grads,
                         size_t count, double typical) {
    snprintf(result->name, sizeof result->name, "%s", name);
    result->worst = 0;
    const uint64_t key = random_key(check->settings.seed, name);
    for (size_t n = 0; n < count; n++) check->direction[n] = (real)random_normal(key, n);
    // Some gradients are zero by symmetry (key biases without positions). Their errors are compared with a fraction of
    // what is typical elsewhere in the model.
    const double rms = rms_of(grads, count, count), floor = 0.01 * rms > 1e-3 * typical ? 0.01 * rms : 1e-3 * typical;
    for (size_t at = 0; at < (check->settings.directions ? 1 : count); at++) {
        double analytic = grads[at];
        if (check->settings.directions) {
            analytic = 0;
            for (size_t n = 0; n < count; n++) analytic += (double)grads[n] * (double)check->direction[n];
        }
        const double numeric = difference(check, values, at, count);
        const double size = fmax(fmax(fabs(analytic), fabs(numeric)), floor), worst = fabs(analytic - numeric) / size;
        if (worst <= result->worst) continue; // written so that NaN is kept
        result->worst = worst;
        result->at = at;
        result->analytic = analytic;
        result->numeric = numeric;
        if (isnan(worst)) break;
    }
}

// Parameters far from their initial values, so that no term is small: attention is sharp, norms have weights and
// biases. A parameter outside the scheme's range is moved to the bound, and inside by a tenth of that move, because
// differences step to both sides. Leaves the initial values in check->direction.
static void randomise(Check *check) {
    Gpt *gpt = &check->gpt;
    const uint64_t seed = check->settings.seed;
    memcpy(check->direction, gpt->params, gpt->tensors.total * sizeof(real));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < gpt->tensors.count; i++) {
            const Tensor *t = &gpt->tensors.items[i];
            const uint64_t key = random_key(seed, t->name);
            real *values = gpt->params + t->offset, *first = check->direction + t->offset;
            for (size_t n = 0; n < t->count; n++) {
                const real drawn = first[n] + (real)(0.4 * random_normal(key, n));
                values[n] = round == 0 ? drawn : values[n] + (values[n] - drawn) / 10;
            }
        }
        mix_project(&gpt->pos);
    }
    const int rows = check->pass.B * check->pass.T, V = gpt->shape.vocab;
    Random ids = {random_key(seed, "ids"), 0};
    for (int r = 0; r < rows; r++) {
        check->ids[r] = random_below(&ids, V);
        check->targets[r] = random_below(&ids, V);
        check->pass.dnll[r] = (real)(random_next(&ids) - 0.3); // different for every token, some negative
    }
}

static void layout(Check *check) {
    const size_t rows = (size_t)check->settings.B * check->settings.T, inputs = rows * check->gpt.shape.width;
    const size_t numbers = check->gpt.tensors.total;
    check->ids = arena_take(&check->arena, rows * sizeof(int));
    check->targets = arena_take(&check->arena, rows * sizeof(int));
    check->x_shift = arena_reals(&check->arena, inputs);
    check->dx = arena_reals(&check->arena, inputs);
    check->direction = arena_reals(&check->arena, inputs > numbers ? inputs : numbers);
}

static bool check_create(Check *check, const Mix *pos, const GradcheckSettings *settings, Error *error) {
    *check = (Check){.settings = *settings};
    if (!gpt_create(&check->gpt, &pos->shape, pos, true, error)) return false;
    check->gpt.pos.rule = (PlaceRule){.newline = 1, .end = 2}; // so that lines and columns differ from t
    if (!train_pass_create(&check->pass, &check->gpt, settings->B, settings->T, error)) return false;
    layout(check);
    if (!arena_allocate(&check->arena, "the numbers of the gradient check", error)) return false;
    layout(check);
    gpt_init(&check->gpt, settings->seed);
    check->pass.dropout_rate = settings->dropout;
    check->pass.dropout_key = random_key(settings->seed, "dropout");
    randomise(check);
    return true;
}

static void check_free(Check *check) {
    train_pass_free(&check->pass);
    gpt_free(&check->gpt);
    arena_free(&check->arena);
}

// Runs the passes. Fails (nonfinite) when the loss is not finite, and says which number is to blame: numbers are reset
// one after another to their initial values, in check->direction, until the loss is finite.
static bool check_loss(Check *check, Error *error) {
    const TensorTable *table = &check->gpt.tensors;
    const double loss = total_loss(check, true);
    char place[64];
    if (isfinite(loss)) return true;
    for (const Tensor *t = table->items; t < table->items + table->count; t++) {
        for (size_t n = 0; n < t->count; n++) {
            real *value = &check->gpt.params[t->offset + n], first = check->direction[t->offset + n], drawn = *value;
            *value = first;
            if (!isfinite(total_loss(check, false))) continue;
            number_place(place, n, t->rank > 1 ? (size_t)t->shape[t->rank - 1] : 0);
            return fail_nonfinite(error,
                                  "the loss is %g when %s of %s is %.3g, from %.3g at first; the scheme's hook "
                                  "`project` must keep parameters in its range",
                                  fabs(loss), place, t->name, (double)drawn, (double)first);
        }
    }
    return fail_nonfinite(error, "the loss is %g already with the scheme's initial values", fabs(loss));
}

bool gradcheck(GradientError **errors, int *count, const Mix *pos, const GradcheckSettings *settings, Error *error) {
    Check check;
    *errors = NULL;
    if (!check_create(&check, pos, settings, error) || !check_loss(&check, error)) {
        check_free(&check);
        return false;
    }
    const TensorTable *table = &check.gpt.tensors;
    const size_t inputs = (size_t)settings->B * settings->T * pos->shape.width;
    *count = table->count + 1;
    *errors = calloc((size_t)*count, sizeof **errors);
    if (*errors) {
        memcpy(check.dx, check.pass.dx, inputs * sizeof(real)); // the differences will overwrite it
        // The gaps between tensors are 0 and do not count.
        const double typical = rms_of(check.gpt.grads, table->total, tensor_numbers(table, false));
        for (int i = 0; i < table->count; i++) {
            const Tensor *t = &table->items[i];
            check_tensor(&(*errors)[i], &check, t->name, check.gpt.params + t->offset, check.gpt.grads + t->offset,
                         t->count, typical);
            (*errors)[i].columns = t->rank > 1 ? (size_t)t->shape[t->rank - 1] : 0;
        }
        check_tensor(&(*errors)[table->count], &check, "input embeddings", check.x_shift, check.dx, inputs, typical);
        (*errors)[table->count].columns = (size_t)pos->shape.width;
    }
    check_free(&check);
    return *errors || fail_run(error, "no memory for the gradient check");
}

double gradcheck_worst(const GradientError *errors, int count) {
    double worst = 0;
    for (int i = 0; i < count; i++) worst = worse(worst, errors[i].worst);
    return worst;
}
