// Whoever writes a scheme and forgets a part is told by an assertion, not by a crash in the middle of training.
#include "model/train_pass.h"
#include "posenc/bias/bias.h"
#include "posenc/content/vectors.h"
#include "posenc/embedding/code.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const Shape shape = {.vocab = 5, .context = 6, .layers = 1, .heads = 2, .width = 8};

static const Family vectors = {VECTOR_HOOKS};

static double flat(const Position *pos, int set, int head, int distance) {
    return 0;
}

static void nothing(const Tables *tables, int set, int head) {}

static void one_number(Position *pos, TensorTable *table) {
    position_param(pos, table, "x", 1, 1, INIT_ZERO, 0);
}

// In a process of its own: a model with this scheme. Returns the signal that ends it, or 0 when the model is there.
static int signal_of(const Scheme *scheme) {
    int status;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        Mix pos;
        Error error;
        Gpt gpt;
        TrainPass pass;
        signal(SIGABRT, SIG_DFL); // cmocka catches it
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        _exit(mix_parse_of(&pos, scheme, NULL, &error) && mix_fit(&pos, &shape, &error) &&
                      gpt_create(&gpt, &shape, &pos, true, &error) &&
                      train_pass_create(&pass, &gpt, 1, shape.context, &error)
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void a_forgotten_part_is_an_assertion(void **state) {
    const Scheme whole = {.name = "x", .params = one_number, BIAS_SCHEME(.curve = flat, .curve_backward = nothing)};
    const Scheme parts[] = {{.name = "x", BIAS_SCHEME(.curve = flat, .curve_backward = nothing)},
                            {.name = "x", .params = one_number, BIAS_SCHEME(.curve_backward = nothing)},
                            {.name = "x", .params = one_number, BIAS_SCHEME(.curve = flat)},
                            {.name = "x", BIAS_SCHEME(NULL)},
                            {.name = "x", CODE_SCHEME(NULL)},
                            {.name = "x", ROTATION_SCHEME(NULL)},
                            {.name = "x", .family = &vectors},
                            {.name = "x", .params = one_number, LOOKUP_SCHEME(NULL)}};
    assert_int_equal(signal_of(&whole), 0);
    for (size_t i = 0; i < COUNT(parts); i++)
        if (signal_of(&parts[i]) != SIGABRT) fail_msg("part %zu was not missed", i);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_forgotten_part_is_an_assertion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
