// Tasks: every answer is the one that an independent solver finds from the text alone; lengths are uniform; an exercise
// is a pure function of options, stream, index and length, and not longer than task_tokens says.
#include "tests/data/made/task_solvers.h"

#include <math.h>

static BuiltinCorpus choose(const char *specification) {
    BuiltinCorpus task;
    Error error;
    must(builtin_choose(&task, specification, &error), &error);
    return task;
}

// Exercises with one question, whose answer is everything from the first asked byte on.
static void check_exercise(const Solver *solver, const BuiltinCorpus *task, const Exercise *exercise, int length) {
    char question[TEXT_MOST], answer[TEXT_MOST];
    size_t start = 0;
    assert_int_equal(exercise->text.size, exercise->asked.size);
    while (start < exercise->asked.size && !exercise->asked.bytes[start]) start++;
    for (size_t i = start; i < exercise->asked.size; i++) assert_int_equal(exercise->asked.bytes[i], 1);
    snprintf(question, sizeof question, "%.*s", (int)start, exercise->text.bytes);
    assert_int_equal(solver->solve(answer, question, task), length);
    const int size = (int)(exercise->text.size - start);
    if (size != (int)strlen(answer) || memcmp(answer, exercise->text.bytes + start, (size_t)size) != 0)
        fail_msg("'%s' is answered by '%.*s', not '%s'", question, size, exercise->text.bytes + start, answer);
}

static void answers_are_right(void **state) {
    for (size_t s = 0; s < COUNT(solvers); s++) {
        const BuiltinCorpus task = choose(solvers[s].specification);
        Exercise exercise = {0};
        for (int length = (int)task.min; length <= 2 * task.max; length++)
            for (uint64_t index = 0; index < 60; index++) {
                if (task_objection(&task, length)) continue;
                task_write(&exercise, &task, 7, index, length);
                check_exercise(&solvers[s], &task, &exercise, length);
            }
        exercise_free(&exercise);
    }
}

static void reads_of_a_flipflop_give_what_was_written(void **state) {
    static const double shares[] = {0, 0.5, 0.8, 0.98, 1};
    for (size_t s = 0; s < COUNT(shares); s++) {
        char specification[64];
        snprintf(specification, sizeof specification, "flipflop:ignore=%g,min=2", shares[s]);
        const BuiltinCorpus task = choose(specification);
        Exercise exercise = {0};
        int inner = 0, kinds[128] = {0}, bits[2] = {0};
        for (uint64_t index = 0; index < 500; index++) {
            const int length = task_length(&task, 7, index);
            task_write(&exercise, &task, 7, index, length);
            const char *text = exercise.text.bytes, *flags = exercise.asked.bytes;
            assert_int_equal(exercise.text.size, 2 * length + 1);
            assert_int_equal(text[2 * length], '.');
            assert_int_equal(flags[2 * length], 0);
            char memory = 0;
            for (int i = 0; i < length; i++) {
                const char instruction = text[2 * i], bit = text[2 * i + 1];
                assert_int_equal(flags[2 * i], 0);
                assert_int_equal(flags[2 * i + 1], instruction == 'r');
                assert_true(bit == '0' || bit == '1');
                if (instruction == 'w') memory = bit;
                if (instruction == 'r') assert_int_equal(bit, memory);
                if (instruction != 'w' && instruction != 'r') assert_int_equal(instruction, 'i');
                if (i == 0) assert_int_equal(instruction, 'w');
                if (i == length - 1) assert_int_equal(instruction, 'r');
                if (i == 0 || i == length - 1) continue;
                kinds[(int)instruction]++;
                bits[bit - '0']++;
                inner++;
            }
        }
        assert_true(fabs((double)kinds['i'] / inner - shares[s]) < 0.02);
        assert_true(fabs((double)(kinds['w'] - kinds['r']) / inner) < 0.02);
        assert_true(fabs((double)bits[0] / inner - 0.5) < 0.03);
        exercise_free(&exercise);
    }
}

// Every answer is the value of the key before it, and all keys are asked for equally often.
static void several_questions_are_answered(void **state) {
    enum { QUESTIONS = 5, LENGTH = 8 };
    const BuiltinCorpus task = choose("recall:questions=5");
    Exercise exercise = {0};
    int first_pair = 0;
    for (uint64_t index = 0; index < 500; index++) {
        int answers = 0;
        task_write(&exercise, &task, 7, index, LENGTH);
        assert_int_equal(exercise.text.size, task_tokens(&task, LENGTH) - 1);
        const char *text = exercise.text.bytes, *mark = memchr(text, '?', exercise.text.size);
        assert_non_null(mark);
        for (size_t i = 0; i < exercise.text.size; i++) {
            if (!exercise.asked.bytes[i]) continue;
            int found = 0;
            for (const char *pair = text; pair < mark; pair += 3) // "e6 "
                if (pair[0] == text[i - 1]) {
                    assert_int_equal(pair[1], text[i]);
                    found++;
                    first_pair += pair == text;
                }
            assert_int_equal(found, 1);
            answers++;
        }
        assert_int_equal(answers, QUESTIONS);
    }
    assert_true(fabs(first_pair / (500.0 * QUESTIONS) - 1.0 / LENGTH) < 0.03);
    exercise_free(&exercise);
}

static void the_longest_exercise_is_as_long_as_announced(void **state) {
    for (const Builtin *b = builtins; b->name; b++) {
        if (!b->write) continue;
        const BuiltinCorpus task = choose(b->name);
        Exercise exercise;
        Error error;
        for (int length = (int)task.min; length <= 2 * task.max; length += length < 20 ? 1 : 7) {
            size_t longest = 0;
            assert_true(exercise_create(&exercise, &task, length, &error));
            const size_t capacity = exercise.text.capacity;
            for (uint64_t index = 0; index < 500; index++) {
                task_write(&exercise, &task, 3, index, length);
                if (exercise.text.size > longest) longest = exercise.text.size;
            }
            if ((int)longest + 1 != task_tokens(&task, length))
                fail_msg("%s: %zu bytes, announced %d", b->name, longest, task_tokens(&task, length) - 1);
            assert_int_equal(exercise.text.capacity, capacity); // nothing more was asked for
            exercise_free(&exercise);
        }
    }
}

static bool same_exercise(const BuiltinCorpus *a, uint64_t stream_a, uint64_t index_a, const BuiltinCorpus *b,
                          uint64_t stream_b, uint64_t index_b, int length) {
    Exercise one = {0}, other = {0};
    task_write(&one, a, stream_a, index_a, length);
    task_write(&other, b, stream_b, index_b, length);
    const bool same = one.text.size == other.text.size && memcmp(one.text.bytes, other.text.bytes, one.text.size) == 0;
    exercise_free(&one);
    exercise_free(&other);
    return same;
}

static void an_exercise_is_a_function_of_stream_and_index(void **state) {
    const BuiltinCorpus task = choose("copy"), again = choose("copy:max=10"), other = choose("copy:seed=2");
    const uint64_t train = task_stream(&task, "train"), test = task_stream(&task, "test");
    assert_int_equal(task_stream(&again, "train"), train);
    assert_int_not_equal(train, test);
    assert_int_not_equal(task_stream(&other, "train"), train);
    for (uint64_t index = 0; index < 200; index++) {
        assert_true(same_exercise(&task, train, index, &again, train, index, 15));
        assert_false(same_exercise(&task, train, index, &task, test, index, 15));
        assert_false(same_exercise(&task, train, index, &task, train, index + 1, 15));
    }
}

// A change here would make every published run irreproducible.
static void exercises_have_not_changed(void **state) {
    static const struct {
        const char *specification, *text;
    } first[] = {
        {"copy", "Copy: s w q d p a l a o [SEP] s w q d p a l a o"},
        {"reverse", "Reverse: u l y t h z x s i d x l h q s f y [SEP] y f s q h l x d i s x z h t y l u"},
        {"addition", "Compute 8 0 4 5 7 1 2 + 9 8 2 5 0 ? The answer is 8 1 4 3 9 6 2."},
        {"sort", "Sort the following list [ m, y, i, w, y, f, r ]. The sorted list is [ f, i, m, r, w, y, y ]."},
        {"parity", "Is the number of 1's even in the sequence [ 0, 0, 1, 1, 1 ] ? The answer is No."},
        {"recall", "e6 v1 j1 ? j1"},
        {"recall:keys=500", "oc6 qf1 kh1 ? kh1"},
        {"recall:questions=3", "e6 v1 j1 ? j1 v1 e6"},
        {"offset", "tbfhqndvyeyy?q"},
        {"duplicate", "d2 d5 b1 a3 b3 ? b3"},
        {"flipflop:min=12,max=12", "w0i0w1i0i0i0i1i0i1i1i0r1."},
        {"grid", "132504\n460663\n357574\n707506\n750676\n162115\n\n516211\n675067\n670750\n435757\n346066\n413250"},
    };
    for (size_t i = 0; i < COUNT(first); i++) {
        const BuiltinCorpus task = choose(first[i].specification);
        Text text = {0};
        builtin_document(&text, &task, 0);
        if (text.size != strlen(first[i].text) || memcmp(text.bytes, first[i].text, text.size) != 0)
            fail_msg("%s begins with: %.*s", first[i].specification, (int)text.size, text.bytes);
        text_free(&text);
    }
}

static void a_row_marks_answers_and_their_end(void **state) {
    int inputs[16], targets[16];
    bool scored[16];
    Exercise exercise = {0};
    exercise_print(&exercise, false, "%s", "ab");
    exercise_print(&exercise, true, "%d", 12);
    exercise_print(&exercise, false, "\xFF");
    exercise_print(&exercise, true, "3");
    assert_int_equal(exercise_row(inputs, targets, scored, &exercise, 256), 7);
    static const int text[] = {256, 'a', 'b', '1', '2', 0xFF, '3', 256};
    static const bool answers[] = {false, false, true, true, false, true, true};
    assert_memory_equal(inputs, text, 7 * sizeof *text);
    assert_memory_equal(targets, text + 1, 7 * sizeof *text);
    assert_memory_equal(scored, answers, sizeof answers);
    exercise_print(&exercise, false, ".");
    assert_int_equal(exercise_row(inputs, targets, scored, &exercise, 256), 8);
    assert_false(scored[6]);
    assert_false(scored[7]); // where no answer ends a document, its end is not asked for
    exercise_free(&exercise);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_right),
        cmocka_unit_test(reads_of_a_flipflop_give_what_was_written),
        cmocka_unit_test(several_questions_are_answered),
        cmocka_unit_test(the_longest_exercise_is_as_long_as_announced),
        cmocka_unit_test(an_exercise_is_a_function_of_stream_and_index),
        cmocka_unit_test(exercises_have_not_changed),
        cmocka_unit_test(a_row_marks_answers_and_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
