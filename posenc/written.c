#include "posenc/written.h"

#include "base/file/file.h"

#include <stdio.h>
#include <stdlib.h>

size_t written_length(const char *text) {
    if (*text == '{') return strcspn(text, "}") + (strchr(text, '}') != NULL);
    const size_t length = strcspn(text, "+*@, :");
    const bool ends = length > 4 && memcmp(text + length - 4, ".pos", 4) == 0;
    return *text == '.' || *text == '/' || ends ? length : 0;
}

bool written_names_file(const char *text) {
    if (formula_looks(text)) return false;
    for (const char *scheme = text; *scheme;) {
        const size_t length = written_length(scheme);
        if (length && *scheme != '{') return true;
        scheme += length ? length : strcspn(scheme, "+, ");
        scheme += strspn(scheme, "+, ");
    }
    return false;
}

static bool written_take(Position *pos, const char *text, const char *file, Error *error) {
    const Formula *formula = formula_parse(text, file, error);
    if (!formula) return false;
    if (strlen(formula->text) + strlen("{}") >= TEXT_CAPACITY)
        return fail_input(error, "%s: without comments, a formula has at most %d characters", file ? file : "--pos",
                          TEXT_CAPACITY - 3);
    const Scheme *const of[FORMS] = {&scheme_written_bias, &scheme_written_angle, &scheme_written_code};
    *pos = (Position){.scheme = of[formula->form], .written = formula, .everywhere = true};
    return true;
}

bool written_parse(Position *pos, const char *text, size_t length, Error *error) {
    char name[TEXT_CAPACITY];
    Buffer file;
    if (*text == '{') {
        if (text[length - 1] != '}') return fail_input(error, "the formula '%s' has no closing '}'", text);
        snprintf(name, sizeof name, "%.*s", (int)length - 2, text + 1);
        return written_take(pos, name, NULL, error);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!file_read(&file, name, error)) return false;
    buffer_drop_mark(&file);
    const bool is_text = file.size < FORMULA_BYTES && !memchr(file.bytes, 0, file.size);
    const bool ok = is_text ? written_take(pos, (const char *)file.bytes, name, error)
                            : fail_input(error, "%s is no formula: a text of less than %d bytes", name, FORMULA_BYTES);
    free(file.bytes);
    return ok;
}

// --- what a formula reads ---

static void set_reads(double reads[READS_COUNT], const Position *pos, int head) {
    const Shape *shape = &pos->shape;
    for (int r = 0; r < READS_COUNT; r++) reads[r] = 0;
    reads[READS_PAIRS] = head_width(shape) / 2;
    reads[READS_HEAD] = head;
    reads[READS_HEADS] = shape->heads;
    reads[READS_CHANNELS] = shape->width;
    reads[READS_CONTEXT] = shape->context;
}

// --- parameters: tensor p is (sets or 1, H or 1) ---

static size_t number_of(const Position *pos, int p, int set, int head) {
    const FormulaParam *param = &pos->written->param[p];
    return (size_t)(param->by_layer ? set : 0) * (param->by_head ? pos->shape.heads : 1) + (param->by_head ? head : 0);
}

bool written_reads_context(const Position *pos) {
    return formula_reads(pos->written, READS_CONTEXT);
}

Written written_begin(const Position *pos, int set, int head) {
    Written at = {.pos = pos, .set = set, .head = head};
    set_reads(at.reads, pos, head);
    for (int p = 0; p < pos->written->params; p++) at.params[p] = (double)pos->params[p][number_of(pos, p, set, head)];
    return at;
}

double written_value(const Written *at) {
    return formula_value(at->pos->written, at->reads, at->params);
}

void written_backward(Written *at, double upstream) {
    formula_backward(at->gradients, at->pos->written, upstream, at->reads, at->params);
}

void written_end(const Written *at) {
    const Position *pos = at->pos;
    for (int p = 0; p < pos->written->params; p++)
        pos->dparams[p][number_of(pos, p, at->set, at->head)] += (real)at->gradients[p];
}

void written_params(Position *pos, TensorTable *table) {
    for (int p = 0; p < pos->written->params; p++) {
        const FormulaParam *param = &pos->written->param[p];
        position_param(pos, table, param->name, param->by_layer ? pos->sets : 1, param->by_head ? pos->shape.heads : 1,
                       INIT_ZERO, 0);
    }
}

void written_init(Position *pos, uint64_t seed) {
    double reads[READS_COUNT], params[FORMULA_PARAMS];
    FormulaFault none; // written_check has seen to it
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < pos->shape.heads; h++) {
            set_reads(reads, pos, h);
            formula_starts(params, &none, pos->written, reads);
            for (int p = 0; p < pos->written->params; p++) pos->params[p][number_of(pos, p, set, h)] = (real)params[p];
        }
}

// Gradients are those of the formula at its bounds, too, so that a parameter can move back inside.
void written_project(Position *pos) {
    for (int p = 0; p < pos->written->params; p++) {
        const FormulaParam *param = &pos->written->param[p];
        const int numbers = (param->by_layer ? pos->sets : 1) * (param->by_head ? pos->shape.heads : 1);
        for (int n = 0; n < numbers; n++) {
            real *value = &pos->params[p][n];
            if ((double)*value < param->least) *value = (real)param->least; // NaN stays, to be found
            if ((double)*value > param->most) *value = (real)param->most;
        }
    }
}

// --- where it is defined ---

static int heads_of(const Position *pos) {
    return pos->written->form == FORM_CODE ? 1 : pos->shape.heads;
}

// How many distances, pairs or positions an input of `tokens` tokens has.
static int count_of(const Position *pos, int tokens) {
    return pos->written->form == FORM_ANGLE ? head_width(&pos->shape) / 2 : tokens;
}

// Is the formula finite at the n-th distance, pair or position, with these parameters? If not, `why` says so.
static bool finite_at(char why[WRITTEN_WHY], const Position *pos, double reads[READS_COUNT], int n,
                      const double *params, bool derivatives) {
    static const Reads first[FORMS] = {READS_DISTANCE, READS_PAIR, READS_TOKEN};
    static const char *const what[FORMS] = {"distance", "pair", "position"};
    const Formula *formula = pos->written;
    FormulaFault fault;
    reads[first[formula->form]] = n;
    for (int c = 0; c < (formula->form == FORM_CODE ? pos->shape.width : 1); c++) {
        reads[READS_CHANNEL] = c;
        if (formula_finite(&fault, formula, reads, params, derivatives)) continue;
        const char *source = formula->source + fault.at;
        char channel[24] = "";
        if (formula->form == FORM_CODE) snprintf(channel, sizeof channel, ", channel %d", c);
        snprintf(why, WRITTEN_WHY, "%s at %s %d%s, in '%.*s'", fault.why, what[formula->form], n, channel,
                 (int)strcspn(source, "\n;#"), source);
        return false;
    }
    return true;
}

bool written_check(const Position *pos, Error *error) {
    const Formula *formula = pos->written;
    for (int h = 0; h < heads_of(pos); h++) {
        double reads[READS_COUNT], params[FORMULA_PARAMS];
        char why[WRITTEN_WHY], next[WRITTEN_WHY];
        FormulaFault fault;
        set_reads(reads, pos, h);
        if (!formula_starts(params, &fault, formula, reads)) {
            const char *source = formula->source + fault.at;
            char head[24] = "";
            if (formula->form != FORM_CODE) snprintf(head, sizeof head, ", for head %d", h);
            return fail_input(error, "--pos: %s%s, in '%.*s'", fault.why, head, (int)strcspn(source, "\n;#"), source);
        }
        for (int n = 0; n < count_of(pos, position_span(pos)); n++) {
            if (finite_at(why, pos, reads, n, params, true)) continue;
            const bool only_first = n == 0 && finite_at(next, pos, reads, 1, params, true);
            return only_first ? fail_input(error, "--pos: %s; `if(%c > 0, ..., 0)` keeps away from it", why,
                                           "dit"[formula->form])
                              : fail_input(error, "--pos: %s", why);
        }
    }
    return true;
}

int written_longest(char why[WRITTEN_WHY], const Position *pos, int most) {
    for (int set = 0; pos->written && set < pos->sets; set++)
        for (int h = 0; h < heads_of(pos); h++) {
            Written at = written_begin(pos, set, h);
            for (int n = 0; n < count_of(pos, most); n++)
                if (!finite_at(why, pos, at.reads, n, at.params, false))
                    most = pos->written->form == FORM_ANGLE ? 0 : n;
        }
    return most;
}
