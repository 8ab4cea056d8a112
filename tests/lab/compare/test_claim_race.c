// Many processes want the same job at the same instant, again and again: two never get it.
#include "base/random.h"
#include "base/memory.h"
#include "tests/support/children.h"
#include "tests/lab/compare/claims.h"

#include <sched.h>
#include <stdatomic.h>

enum { RIVALS = 5 };

// What rivals share: memory that is not copied when they are born.
typedef struct {
    atomic_int ready, round, mine, taken, holders, overlaps, takes, lives;
    int rounds;
} Arena;

static Arena *arena;

static void arena_open(int rounds) {
    arena = shared_zeros(sizeof *arena);
    assert_non_null(arena);
    arena->rounds = rounds;
}

static void wait_until(const atomic_int *value, int least) {
    while (atomic_load(value) < least) sched_yield();
}

// Each round all want the same job at the same instant; who has it keeps it until the round is over.
static void rush(int orders, int answers) {
    for (int round = 1; round <= arena->rounds; round++) {
        Claim claim;
        Error error;
        wait_until(&arena->round, round);
        const ClaimResult result = claim_take(&claim, directory, "job", 60, &(Sighting){0}, &error);
        atomic_fetch_add(result == CLAIM_MINE    ? &arena->mine
                         : result == CLAIM_TAKEN ? &arena->taken
                                                 : &arena->overlaps,
                         1);
        wait_until(&arena->ready, round);
        if (result == CLAIM_MINE) claim_release(&claim);
        atomic_fetch_add(&arena->takes, 1);
    }
}

static void rush_for(int rounds, bool stale) {
    Child children[RIVALS];
    arena_open(rounds);
    for (int i = 0; i < RIVALS; i++) children[i] = start(rush);
    for (int round = 1; round <= rounds; round++) {
        if (stale) leave_claim("job", 1, "elsewhere 1\n", 100); // of another machine
        atomic_store(&arena->round, round);
        while (atomic_load(&arena->mine) + atomic_load(&arena->taken) + atomic_load(&arena->overlaps) < RIVALS * round)
            sched_yield();
        const int mine = atomic_load(&arena->mine);
        atomic_store(&arena->ready, round);
        wait_until(&arena->takes, RIVALS * round);
        if (mine != round || files() != 0) {
            for (int i = 0; i < RIVALS; i++) kill(children[i].pid, SIGKILL);
            for (int i = 0; i < RIVALS; i++) end(&children[i]);
            fail_msg("%d owners after %d rounds, and %d files are left", mine, round, files());
        }
    }
    for (int i = 0; i < RIVALS; i++) assert_int_equal(end(&children[i]), 0);
    shared_free(arena, sizeof *arena);
}

static void only_one_of_many_gets_a_job(void **state) {
    rush_for(150, false);
}

static void only_one_of_many_takes_over(void **state) {
    rush_for(150, true);
}

// Take, hold for a moment, and give up or die, again and again.
static void struggle(int orders, int answers) {
    const uint64_t key = random_key((uint64_t)atomic_fetch_add(&arena->lives, 1), "struggle");
    for (uint64_t i = 0; atomic_load(&arena->takes) < arena->rounds; i++) {
        Claim claim;
        Error error;
        const ClaimResult result = claim_take(&claim, directory, "job", 60, &(Sighting){0}, &error);
        if (result == CLAIM_FAILED) _exit(1);
        if (result == CLAIM_TAKEN) {
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
            continue;
        }
        if (atomic_fetch_add(&arena->holders, 1) > 0) atomic_fetch_add(&arena->overlaps, 1);
        atomic_fetch_add(&arena->takes, 1);
        for (int yield = 0; yield < 3; yield++) sched_yield();
        atomic_fetch_sub(&arena->holders, 1);
        if (random_uniform(key, i) < 0.15) _exit(0);
        claim_release(&claim);
    }
}

static void no_job_ever_has_two_owners(void **state) {
    Child children[RIVALS];
    arena_open(1000);
    for (int i = 0; i < RIVALS; i++) children[i] = start(struggle);
    int bad = 0;
    while (atomic_load(&arena->takes) < arena->rounds) {
        int status;
        const pid_t pid = waitpid(-1, &status, 0);
        for (int i = 0; i < RIVALS; i++) {
            if (children[i].pid != pid) continue;
            bad += status != 0;
            close(children[i].orders);
            close(children[i].answers);
            children[i] = start(struggle);
        }
    }
    for (int i = 0; i < RIVALS; i++) bad += end(&children[i]) != 0;
    assert_int_equal(bad, 0);
    assert_int_equal(atomic_load(&arena->overlaps), 0);
    shared_free(arena, sizeof *arena);
    Claim claim;
    Error error;
    assert_int_equal(claim_take(&claim, directory, "job", 1000, &(Sighting){0}, &error), CLAIM_MINE); // all are dead
    claim_release(&claim);
    assert_int_equal(files(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_of_many_gets_a_job),
        cmocka_unit_test(only_one_of_many_takes_over),
        cmocka_unit_test(no_job_ever_has_two_owners),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
