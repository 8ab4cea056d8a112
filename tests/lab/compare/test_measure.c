// Measuring a trained model: which windows, which half of the validation text, and which tokens are scored.
#include "data/made/builtin.h"
#include "lab/compare/measure.h"
#include "lab/extend/extend.h"
#include "train/evaluate.h"
#include "tests/lab/compare/plans.h"

#include <math.h>

enum { ROWS_MOST = 256, BYTES = 250000 };

typedef struct {
    char quantity[16];
    double x, value, count;
} Row;

typedef struct {
    Row rows[ROWS_MOST];
    int count;
    char text[16384];
} Table;

static Corpus corpus;
static Plan plan;
static TrainOptions options;
static Trainer trainer;

static int open_text(void **state) {
    char name[64];
    Error error;
    snprintf(name, sizeof name, "builtin:tales:bytes=%d", BYTES);
    must(corpus_open(&corpus, name, &error), &error);
    begin(&plan);
    return 0;
}

static int close_text(void **state) {
    corpus_close(&corpus);
    return 0;
}

static void set_options(const char *scheme, int context, long long eval_tokens) {
    options = (TrainOptions){0};
    options_default(&options, train_options);
    strcpy(options.pos, scheme);
    options.layers = options.heads = 1;
    options.width = 8;
    options.batch = 2;
    options.threads = 1;
    options.context = context;
    options.eval_tokens = eval_tokens;
}

// A model whose losses depend on all tokens that it sees.
static void make_trainer(const Corpus *data) {
    Error error;
    must(trainer_create(&trainer, &options, data, &error), &error);
    for (int i = 0; i < trainer.gpt.tensors.count; i++) {
        const Tensor *t = &trainer.gpt.tensors.items[i];
        const uint64_t key = random_key(8, t->name);
        for (size_t n = 0; n < t->count; n++) trainer.gpt.params[t->offset + n] += (real)(0.4 * random_normal(key, n));
    }
}

static const char *log_text = ""; // of the run

static void measure_table(Table *table) {
    Text csv = {0};
    Error error;
    must(measure(&csv, &trainer, options.eval_tokens, plan.exercises, NULL, &error), &error);
    measure_training(&csv, &trainer, log_text);
    assert_false(csv.failed);
    assert_in_range(csv.size, 1, sizeof table->text - 1);
    memcpy(table->text, csv.bytes, csv.size);
    table->text[csv.size] = '\0';
    text_free(&csv);
    assert_memory_equal(table->text, MEASURED_HEADER, strlen(MEASURED_HEADER));
    table->count = 0;
    for (const char *line = strchr(table->text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        assert_true(table->count < ROWS_MOST);
        Row *row = &table->rows[table->count++];
        assert_int_equal(sscanf(line, "%15[a-z],%lf,%lf,%lf\n", row->quantity, &row->x, &row->value, &row->count), 4);
        if (!isfinite(row->value)) fail_msg("not finite: %s", line);
    }
}

// A model of this scheme, measured on text.
static void measure_scheme(Table *table, const char *scheme, int context, long long eval_tokens) {
    set_options(scheme, context, eval_tokens);
    make_trainer(&corpus);
    measure_table(table);
    trainer_free(&trainer);
}

static int count_of(const Table *table, const char *quantity) {
    int count = 0;
    for (int i = 0; i < table->count; i++) count += strcmp(table->rows[i].quantity, quantity) == 0;
    return count;
}

static const Row *find(const Table *table, const char *quantity, double x) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].quantity, quantity) == 0 && table->rows[i].x == x) return &table->rows[i];
    fail_msg("there is no %s at %g", quantity, x);
    return NULL;
}

// Do all rows of a quantity have the same values?
static bool same(const Table *a, const Table *b, const char *quantity) {
    bool equal = count_of(a, quantity) > 0 && count_of(a, quantity) == count_of(b, quantity);
    for (int i = 0; equal && i < a->count; i++) {
        const Row *row = &a->rows[i];
        if (strcmp(row->quantity, quantity) == 0) equal = find(b, quantity, row->x)->value == row->value;
    }
    return equal;
}

// Other validation tokens from `from` to before `to`; a second time restores them.
static void change_tokens(uint64_t from, uint64_t to) {
    uint16_t *tokens = corpus.tokens.ids + corpus.train.count; // of the validation split
    for (uint64_t i = from; i < to; i++) tokens[i] ^= 1;
}

static void measure_changed(Table *table, uint64_t from, uint64_t to) {
    change_tokens(from, to);
    measure_table(table);
    change_tokens(from, to);
}

static void every_row_is_there(void **state) {
    static Table table, again;
    static const char *const last[] = {"parameters", "positions", "tokens", "seconds", "batches"};
    set_options("rope-learned", 8, 2001);
    options.heads = 2;
    make_trainer(&corpus);
    trainer.progress = (Progress){.step = 3, .rows = 6, .seconds = 1.25, .batch_crc = 0xFFFFFFFE};
    measure_table(&table);
    measure_table(&again);
    assert_string_equal(table.text, again.text);
    assert_true(find(&table, "choose", 8)->count == 999); // of tokens 0 to 999, all but the first
    for (int i = 0; i < MULTIPLES; i++) assert_true(find(&table, "loss", 8 << i)->count == 1000);
    for (int i = 0; i < 3; i++) assert_true(find(&table, "same", 8 << i)->count == 1000);
    assert_int_equal(count_of(&table, "choose") + count_of(&table, "loss") + count_of(&table, "same"), 8);
    for (size_t i = 0; i < COUNT(last); i++)
        assert_string_equal(table.rows[table.count - (int)COUNT(last) + (int)i].quantity, last[i]);
    assert_true(find(&table, "parameters", 0)->value == (double)tensor_numbers(&trainer.gpt.tensors, false));
    assert_true(find(&table, "positions", 0)->value == (double)tensor_numbers(&trainer.gpt.tensors, true));
    assert_true(find(&table, "positions", 0)->value > 0);
    assert_true(find(&table, "tokens", 0)->value == 6 * 8 && find(&table, "seconds", 0)->value == 1.25);
    assert_true(find(&table, "batches", 0)->value == 0xFFFFFFFE); // all its digits
    trainer_free(&trainer);
}

static void the_halves_have_nothing_in_common(void **state) {
    enum { T = 8, END = 2001, HALF = END / 2 };
    static Table table, changed;
    set_options("rope", T, END);
    make_trainer(&corpus);
    measure_table(&table);

    measure_changed(&changed, HALF, END); // what is reported
    assert_true(same(&table, &changed, "choose"));
    assert_false(same(&table, &changed, "loss") || same(&table, &changed, "position") ||
                 same(&table, &changed, "same"));

    measure_changed(&changed, 0, HALF); // what chooses
    assert_false(same(&table, &changed, "choose"));
    assert_true(same(&table, &changed, "loss") && same(&table, &changed, "position"));
    measure_changed(&changed, 0, HALF - 4 * T);
    assert_true(same(&table, &changed, "same"));

    measure_changed(&changed, END, END + 500); // what --eval-tokens leaves out
    assert_true(same(&table, &changed, "choose") && same(&table, &changed, "loss") && same(&table, &changed, "same"));

    // The first and the last of each half.
    static const uint64_t ends[] = {0, HALF - 1, HALF, HALF + 1, END - 1};
    for (size_t i = 0; i < COUNT(ends); i++) {
        measure_changed(&changed, ends[i], ends[i] + 1);
        assert_int_equal(same(&table, &changed, "choose"), ends[i] >= HALF);
        assert_int_equal(same(&table, &changed, "loss"), ends[i] < HALF);
    }
    trainer_free(&trainer);
}

// Compared with evaluate(): with more text before them, the same tokens are scored, and no others. Not all windows are
// compared, which would take long.
static void more_context_scores_the_same_tokens(void **state) {
    enum { T = 8, END = 20001, HALF = END / 2 };
    static Table table, changed;
    set_options("rope", T, END);
    make_trainer(&corpus);
    measure_table(&table);
    const double count = find(&table, "same", T)->count;
    const uint64_t last = HALF + 1 + (uint64_t)count;
    assert_in_range(last, HALF + 1000, END - 1000);
    for (int window = T; window <= 4 * T; window *= 2) {
        Evaluation e = {.window = window, .stride = T / 4, .from = HALF, .limit = last};
        Error error;
        must(evaluate(&e, &trainer.gpt, &corpus.val, "", &error), &error);
        assert_true(find(&table, "same", window)->count == count);
        expect_near("same", (size_t)window, find(&table, "same", window)->value, e.nll / (double)e.tokens, 1e-8);
        assert_true(find(&table, "loss", window)->count == (double)(END - HALF - 1));
    }
    measure_changed(&changed, last, END);
    assert_true(same(&table, &changed, "same"));
    assert_false(same(&table, &changed, "loss"));
    measure_changed(&changed, last - 1, last);
    assert_false(same(&table, &changed, "same"));
    trainer_free(&trainer);
}

// The rows of a quantity that divide a window or the text add up to the loss of the whole.
static void expect_sum(const Table *table, const char *quantity, const Row *whole, double last) {
    double nll = 0, count = 0, before = 0;
    for (const Row *row = table->rows; row < table->rows + table->count; row++) {
        if (strcmp(row->quantity, quantity) != 0) continue;
        assert_true(row->x > before && row->count > 0);
        before = row->x;
        nll += row->value * row->count;
        count += row->count;
    }
    assert_true(before == last && count == whole->count);
    expect_near(quantity, (size_t)last, nll, whole->value * whole->count, 1e-6 * nll);
}

static void positions_add_up(void **state) {
    static const int contexts[] = {1, 2, 3, 5, 8, 20, 64};
    for (size_t i = 0; i < COUNT(contexts); i++) {
        static Table table;
        const int T = contexts[i];
        measure_scheme(&table, "alibi", T, 1100);
        expect_sum(&table, "position", find(&table, "loss", T), T);
        expect_sum(&table, "beyond", find(&table, "loss", 8 * T), 8 * T);
        find(&table, "beyond", T); // no row is of both sides
        assert_in_range(count_of(&table, "beyond"), 1, 32);
    }
}

// Every run has 20 validations, from 1% of its steps to the last one; the last validation on a plateau is recorded too.
static void curves_are_those_of_the_log(void **state) {
    enum { STEPS = 1000, LEAVES = 298 };
    static Table table;
    static char text[200 * STEPS];
    int steps = 0;
    for (long long step = 0; (step = curve_step(step, STEPS)) > 0; steps++) assert_in_range(step, 10, STEPS);
    assert_int_equal(steps, CURVE_STEPS);
    assert_true(curve_step(0, 1) == 1 && curve_step(1, 1) == 0 && curve_step(STEPS, STEPS) == 0);
    for (int lost = 0; lost <= 500; lost += 500) {
        int length = snprintf(text, sizeof text, "step,tokens,seconds,train_loss,val_loss\n");
        for (int step = lost + 1; step <= STEPS; step++) {
            const double loss = step < 40 ? 2 + 40.0 / step : step <= LEAVES ? 3 : 3 - 2 * log10((double)step / LEAVES);
            length += snprintf(text + length, sizeof text - (size_t)length,
                               curve_step(step - 1, STEPS) == step ? "%d,1,1,9,%.9g\n" : "%d,1,1,9,\n", step, loss);
        }
        log_text = text;
        set_options("rope", 8, 1100);
        options.steps = STEPS;
        make_trainer(&corpus);
        measure_table(&table);
        trainer_free(&trainer);
        log_text = "";
        assert_int_equal(count_of(&table, "curve"), lost ? 3 : CURVE_STEPS);
        expect_near("end", 0, find(&table, "curve", STEPS)->value, 3 - 2 * log10((double)STEPS / LEAVES), 1e-6);
        if (!lost) assert_true(find(&table, "left", 0)->value == LEAVES);
    }
}

static void windows_end_where_the_scheme_does(void **state) {
    static const struct {
        const char *scheme;
        int random, longest; // multiples of T
    } cases[] = {{"rope", 0, 8}, {"learned", 0, 1}, {"learned:past=clamp", 0, 8}, {"learned", 4, 4}, {"rope", 3, 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum { T = 8 };
        static Table table;
        const int longest = cases[i].longest;
        set_options(cases[i].scheme, T, 1000);
        options.random_positions = cases[i].random * T;
        make_trainer(&corpus);
        measure_table(&table);
        trainer_free(&trainer);
        int windows = 0;
        for (int window = T; window <= longest * T; window *= 2, windows++) find(&table, "loss", window);
        assert_int_equal(count_of(&table, "loss"), windows);
        assert_int_equal(count_of(&table, "same"), windows < 3 ? windows : 3);
        find(&table, "position", T); // in the same windows for all schemes
        assert_int_equal(count_of(&table, "position"), 5);
        assert_int_equal(count_of(&table, "beyond") > 0, longest == 8);
    }
}

// A stretch changes longer windows only; there it does the same as a stretch of all windows.
static void stretches_are_for_longer_windows(void **state) {
    enum { T = 8 };
    static const char *const formulas[] = {"pi:factor=2", "ntk", "dynamic", "yarn:factor=4", "llama3:factor=4"};
    static Table plain, stretched, everywhere;
    static const char *const trained[] = {"choose", "position", "parameters", "batches"};
    measure_scheme(&plain, "rope", T, 1000);
    for (size_t i = 0; i < COUNT(formulas); i++) {
        Error error;
        set_options("rope", T, 1000);
        make_trainer(&corpus);
        must(extension_formula(&trainer.gpt.pos, formulas[i], &error), &error);
        measure_table(&stretched);
        trainer.gpt.pos.part[0].stretch.has_short = false;
        measure_table(&everywhere);
        trainer_free(&trainer);
        for (size_t t = 0; t < COUNT(trained); t++) assert_true(same(&plain, &stretched, trained[t]));
        for (int window = T; window <= 8 * T; window *= 2) {
            const double loss = find(&stretched, "loss", window)->value;
            assert_true((loss == find(&plain, "loss", window)->value) == (window == T));
            if (window > T) assert_true(loss == find(&everywhere, "loss", window)->value);
        }
        assert_false(same(&plain, &stretched, "beyond"));
        assert_true(same(&everywhere, &stretched, "beyond"));
    }
}

// The rows about training in a measured.csv.
static void training_is_told_apart(void **state) {
    static const char *const cases[][2] = {
        {"choose,8,1,2\ncurve,1,2,1\nparameters,0,1,1\nbatches,0,1,1\nchecksum,0,7,1\n",
         "curve,1,2,1\nparameters,0,1,1\nbatches,0,1,1\n"},
        {"right,8,1,2\nparameters,0,1,1\nbatches,0,1,1\n", "parameters,0,1,1\nbatches,0,1,1\n"},
        {"diverged,3,nan,1\nchecksum,0,7,1\n", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256], *rows = text;
        snprintf(text, sizeof text, "%s%s", MEASURED_HEADER, cases[i][0]);
        assert_true(measured_training(&rows) == (cases[i][1] != NULL));
        assert_string_equal(rows, cases[i][1] ? cases[i][1] : MEASURED_HEADER "diverged,3,nan,1\n");
    }
}

static void too_little_validation_text_is_refused(void **state) {
    enum { T = 8, LEAST = 2 * (8 * T + 1) };
    static Table table;
    Error error = {0};
    set_options("rope", T, LEAST);
    must(measure_check(options.eval_tokens, options.context, &corpus, &error), &error);
    measure_scheme(&table, "rope", T, LEAST);
    find(&table, "loss", 8 * T);
    options.eval_tokens = LEAST - 1;
    expect_refusal(measure_check(options.eval_tokens, options.context, &corpus, &error), &error, "one token less",
                   "129 validation tokens;8 times the context, 64;builtin:tales;--context;--eval-tokens");
    options.eval_tokens = 0; // all
    must(measure_check(options.eval_tokens, options.context, &corpus, &error), &error);
    options.context = (long long)corpus.val.count / 16 + 1;
    expect_refusal(measure_check(options.eval_tokens, options.context, &corpus, &error), &error, "a longer context",
                   "--context");
    options.eval_tokens = 1000000000;
    expect_refusal(measure_check(options.eval_tokens, options.context, &corpus, &error), &error, "a longer context",
                   "--context");
}

static void tasks_are_measured_by_length(void **state) {
    static const struct {
        const char *task;
        int first, last, lengths;
    } cases[] = {{"copy:max=2", 1, 4, 4},
                 {"copy:min=3,max=20", 3, 40, 20},
                 {"parity:min=5,max=5", 5, 10, 6},
                 {"flipflop:min=2,max=8,ignore=0", 2, 16, 15}};
    plan.exercises = 7;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static Table table;
        Corpus task;
        Error error;
        char name[64];
        snprintf(name, sizeof name, "builtin:%s,bytes=2000", cases[i].task);
        must(corpus_open(&task, name, &error) && plan_tasks(&plan, name, &error), &error);
        const Job job = {.task = 0};
        must(set_variants(&plan, "learned", "", &error), &error);
        plan.base.layers = plan.base.heads = 1;
        plan.base.width = 8;
        options = plan_job_options(&plan, &job); // whose context is that of the longest exercises
        make_trainer(&task);
        measure_table(&table);
        trainer_free(&trainer);
        corpus_close(&task);
        assert_int_equal(count_of(&table, "right"), cases[i].lengths);
        assert_int_equal(count_of(&table, "loss") + count_of(&table, "choose"), 0);
        for (int r = 0; r < cases[i].lengths; r++) {
            assert_string_equal(table.rows[r].quantity, "right");
            assert_true(table.rows[r].count >= 7 && table.rows[r].value >= 0 && table.rows[r].value <= 1);
            if (r > 0) assert_true(table.rows[r].x > table.rows[r - 1].x);
        }
        assert_true(table.rows[0].count == 7); // of this length: flip-flops are the more questions the longer they are
        assert_true(table.rows[0].x == cases[i].first && table.rows[cases[i].lengths - 1].x == cases[i].last);
    }
}

// The exercises of the examination differ from those of training.
static void tasks_are_examined_by_the_test(void **state) {
    static Table table;
    Corpus task;
    Error error;
    plan.exercises = 100;
    must(corpus_open(&task, "builtin:parity:min=5,max=5,bytes=2000", &error), &error);
    set_options("rope", 81, 0);
    options.batch = 8;
    options.steps = 200;
    options.lr = 2e-2;
    must(trainer_create(&trainer, &options, &task, &error), &error);
    for (int step = 0; step < options.steps; step++) { // until its answers are 0 or 1
        StepReport report;
        must(train_step(&report, &trainer, &error), &error);
    }
    measure_table(&table);
    Answers of[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        const Examination examination = {.task = task.builtin,
                                         .stream = task_stream(&task.builtin, i == 0 ? "test" : "train"),
                                         .count = 100,
                                         .end = tokenizer_end(&task.tokenizer)};
        must(examine(&of[i], &trainer.gpt, &examination, &error), &error);
    }
    assert_int_not_equal(of[0].right, of[1].right);
    expect_near("right", 5, find(&table, "right", 5)->value, (double)of[0].right / 100, 1e-9);
    trainer_free(&trainer);
    corpus_close(&task);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_there),
        cmocka_unit_test(the_halves_have_nothing_in_common),
        cmocka_unit_test(more_context_scores_the_same_tokens),
        cmocka_unit_test(positions_add_up),
        cmocka_unit_test(curves_are_those_of_the_log),
        cmocka_unit_test(windows_end_where_the_scheme_does),
        cmocka_unit_test(stretches_are_for_longer_windows),
        cmocka_unit_test(training_is_told_apart),
        cmocka_unit_test(too_little_validation_text_is_refused),
        cmocka_unit_test(tasks_are_measured_by_length),
        cmocka_unit_test(tasks_are_examined_by_the_test),
    };
    return cmocka_run_group_tests(tests, open_text, close_text);
}
