#ifdef __linux__
#define _GNU_SOURCE // F_OFD_SETLK
#endif
// Locks: of all processes that want a lock exactly one gets it; when that process is killed, another gets it at once;
// and a process that has lost its lock notices, and leaves other processes' locks alone.
#include "base/file/lock.h"
#include "base/memory.h"
#include "base/random.h"
#include "tests/support/children.h"
#include "tests/support/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>

static char path[SCRATCH_PATH + 32];

static int make_paths(void **state) {
    make_directory(state);
    snprintf(path, sizeof path, "%s/lock", directory);
    return 0;
}

static ino_t number_of(const char *file) {
    struct stat status;
    assert_int_equal(lstat(file, &status), 0);
    return status.st_ino;
}

static void expect_mine(Lock *lock) {
    Error error;
    assert_int_equal(lock_take(lock, path), LOCK_MINE);
    assert_true(lock->held && lock->exclusive);
    must(lock_keep(lock, &error), &error);
}

static void expect_lost(const Lock *lock) {
    Error error = {0};
    assert_false(lock_keep(lock, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    expect_text(error.message, path);
}

// Take the lock, report the result, and keep it until told to end.
static void own(int orders, int answers) {
    Lock lock;
    tell(answers, lock_take(&lock, path) == LOCK_MINE ? 'm' : 't');
    hear(orders);
}

static void it_is_taken_once_and_free_again(void **state) {
    Lock mine, again;
    for (int round = 0; round < 3; round++) {
        expect_mine(&mine);
        assert_int_equal(lock_take(&again, path), LOCK_TAKEN);
        assert_false(again.held);
        lock_release(&again);
        Child child = start(own);
        assert_int_equal(hear(child.answers), 't');
        assert_int_equal(end(&child), 0);
        assert_true(path_exists(path));
        lock_release(&mine);
        lock_release(&mine);
        assert_int_equal(scratch_count(directory), 0);
    }
}

// With locks that belong to a process, closing any descriptor of the file would release the lock.
static void other_descriptors_do_not_matter(void **state) {
    Lock mine;
    expect_mine(&mine);
    close(open(path, O_RDWR));
    Child child = start(own);
    assert_int_equal(hear(child.answers), 't');
    assert_int_equal(end(&child), 0);
    lock_release(&mine);
}

static void a_stopped_process_keeps_it_and_a_killed_one_does_not(void **state) {
    Lock lock;
    ino_t before = 0;
    for (int deaths = 0; deaths < 3; deaths++) {
        Child child = start(own);
        assert_int_equal(hear(child.answers), 'm');
        assert_true(number_of(path) != before); // what the last one left was replaced
        before = number_of(path);
        kill(child.pid, SIGSTOP);
        assert_int_equal(waitpid(child.pid, NULL, WUNTRACED), child.pid);
        assert_int_equal(lock_take(&lock, path), LOCK_TAKEN);
        kill(child.pid, SIGKILL);
        const int status = end(&child);
        assert_true(WIFSIGNALED(status));
        assert_true(path_exists(path));
    }
    expect_mine(&lock);
    lock_release(&lock);
    assert_int_equal(scratch_count(directory), 0);
}

// Release the lock as a file server does for a machine that it has not heard from for some time.
static void give_away(const Lock *lock) {
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    assert_int_equal(fcntl(lock->file, F_OFD_SETLK, &all), 0);
#else
    assert_int_equal(flock(lock->file, LOCK_UN), 0);
#endif
}

static void who_loses_it_knows(void **state) {
    for (int ended = 0; ended < 3; ended++) {
        Lock old, new;
        expect_mine(&old);
        give_away(&old);
        expect_mine(&new);
        expect_lost(&old);
        if (ended == 1) lock_release(&new); // done already
        if (ended == 2) close(new.file);    // killed already
        expect_lost(&old);
        lock_release(&old);
        assert_int_equal(path_exists(path), ended != 1); // it is not the old one's to remove
        Error error;
        if (ended == 0) must(lock_keep(&new, &error), &error);
        if (ended == 0) lock_release(&new);
        unlink(path);
    }
}

static void what_nobody_has_taken_since_is_not_lost(void **state) {
    Lock mine, other;
    Error error;
    expect_mine(&mine);
    give_away(&mine);
    must(lock_keep(&mine, &error), &error);
    assert_int_equal(lock_take(&other, path), LOCK_TAKEN); // as it was locked again
    assert_int_equal(unlink(path), 0);
    expect_lost(&mine);
    lock_release(&mine);
}

static void expect_failure(const char *place, int reason) {
    Lock lock;
    errno = 0;
    assert_int_equal(lock_take(&lock, place), LOCK_FAILED);
    assert_int_equal(errno, reason);
    assert_false(lock.held);
    lock_release(&lock);
}

static void what_is_no_lock_file_is_left_alone(void **state) {
    char long_path[PATH_CAPACITY + 1], missing[SCRATCH_PATH + 32];
    scratch_write(path, "mine", 4);
    expect_failure(path, EEXIST);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_failure(path, EEXIST);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_failure(path, EISDIR);
    rmdir(path);
    for (int dangling = 0; dangling < 2; dangling++) {
        assert_int_equal(symlink(dangling ? "nowhere" : "/dev/null", path), 0);
        expect_failure(path, ELOOP);
        unlink(path);
    }
    snprintf(missing, sizeof missing, "%s/missing/lock", directory);
    expect_failure(missing, ENOENT);
    memset(long_path, 'x', PATH_CAPACITY);
    long_path[PATH_CAPACITY] = 0;
    expect_failure(long_path, ENAMETOOLONG);
    assert_int_equal(scratch_count(directory), 0);
}

static void take_with_little(int orders, int answers) {
    Lock lock;
    const int next = dup(0);
    close(next);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next + 1, (rlim_t)next + 1}); // one file: the lock needs two
    tell(answers, lock_take(&lock, path) == LOCK_FAILED && errno == EMFILE ? 'y' : 'n');
    tell(answers, scratch_count(directory) == 0 ? 'y' : 'n');
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next, (rlim_t)next + 1});
    tell(answers, lock_take(&lock, path) == LOCK_FAILED && errno == EMFILE ? 'y' : 'n');
}

static void without_room_for_open_files_it_fails(void **state) {
    Child child = start(take_with_little);
    for (int i = 0; i < 3; i++) assert_int_equal(hear(child.answers), 'y');
    assert_int_equal(end(&child), 0);
}

static void directories_are_locked_too(void **state) {
    const int one = open(directory, O_RDONLY | O_DIRECTORY), other = open(directory, O_RDONLY | O_DIRECTORY);
    assert_true(one >= 0 && other >= 0);
    assert_int_equal(lock_open_file(one), LOCK_MINE);
    assert_int_equal(lock_open_file(one), LOCK_MINE);
    assert_int_equal(lock_open_file(other), LOCK_TAKEN);
    close(one);
    assert_int_equal(lock_open_file(other), LOCK_MINE);
    assert_true(is_at(directory, other));
    assert_false(is_at("/", other));
    close(other);
}

// --- many processes at once ---
enum { RIVALS = 5 };

// What rivals share: memory that is not copied when they are forked.
typedef struct {
    atomic_int round, mine, taken, over, gone, holders, overlaps, takes, lives;
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

// In each round all want the lock at the same instant; the one that gets it keeps it until the round is over.
static void rush(int orders, int answers) {
    for (int round = 1; round <= arena->rounds; round++) {
        Lock lock;
        wait_until(&arena->round, round);
        const LockResult result = lock_take(&lock, path);
        if (result == LOCK_FAILED) _exit(1);
        atomic_fetch_add(result == LOCK_MINE ? &arena->mine : &arena->taken, 1);
        wait_until(&arena->over, round);
        lock_release(&lock);
        atomic_fetch_add(&arena->gone, 1);
    }
}

static void rush_for(int rounds, bool left) {
    Child children[RIVALS];
    arena_open(rounds);
    for (int i = 0; i < RIVALS; i++) children[i] = start(rush);
    for (int round = 1; round <= rounds; round++) {
        if (left) scratch_write(path, "", 0); // by a process that was killed
        atomic_store(&arena->round, round);
        wait_until(&arena->mine, round);
        while (atomic_load(&arena->mine) + atomic_load(&arena->taken) < RIVALS * round) sched_yield();
        const int mine = atomic_load(&arena->mine);
        atomic_store(&arena->over, round);
        wait_until(&arena->gone, RIVALS * round);
        if (mine != round || scratch_count(directory) != 0) {
            for (int i = 0; i < RIVALS; i++) kill(children[i].pid, SIGKILL);
            for (int i = 0; i < RIVALS; i++) end(&children[i]);
            fail_msg("%d owners after %d rounds, and %d files are left", mine, round, scratch_count(directory));
        }
    }
    for (int i = 0; i < RIVALS; i++) assert_int_equal(end(&children[i]), 0);
    shared_free(arena, sizeof *arena);
}

static void only_one_of_many_gets_it(void **state) {
    rush_for(500, false);
}

static void only_one_of_many_takes_over(void **state) {
    rush_for(500, true);
}

// Take, hold for a moment, and release or die, again and again.
static void struggle(int orders, int answers) {
    const uint64_t key = random_key((uint64_t)atomic_fetch_add(&arena->lives, 1), "struggle");
    Error error;
    for (uint64_t i = 0; atomic_load(&arena->takes) < arena->rounds; i++) {
        Lock lock;
        const LockResult result = lock_take(&lock, path);
        if (result == LOCK_FAILED) _exit(1);
        if (result == LOCK_TAKEN) {
            sched_yield();
            continue;
        }
        if (atomic_fetch_add(&arena->holders, 1) > 0) atomic_fetch_add(&arena->overlaps, 1);
        atomic_fetch_add(&arena->takes, 1);
        for (int yield = 0; yield < 3; yield++) sched_yield();
        if (!lock_keep(&lock, &error)) _exit(2);
        atomic_fetch_sub(&arena->holders, 1);
        if (random_uniform(key, i) < 0.15) _exit(0);
        lock_release(&lock);
    }
}

static void it_never_has_two_owners(void **state) {
    Child children[RIVALS];
    arena_open(5000);
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
    Lock lock;
    expect_mine(&lock); // all are dead
    lock_release(&lock);
    assert_int_equal(scratch_count(directory), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_taken_once_and_free_again, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(other_descriptors_do_not_matter, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(a_stopped_process_keeps_it_and_a_killed_one_does_not, make_paths,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(who_loses_it_knows, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(what_nobody_has_taken_since_is_not_lost, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(what_is_no_lock_file_is_left_alone, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(without_room_for_open_files_it_fails, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(directories_are_locked_too, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(only_one_of_many_gets_it, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(only_one_of_many_takes_over, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(it_never_has_two_owners, make_paths, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
