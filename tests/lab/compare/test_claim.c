// Claims: of all processes that want a job exactly one gets it, and when that process or its machine dies, exactly one
// other does.
#include "tests/support/children.h"
#include "tests/lab/compare/claims.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

// Take "job", say how that went, and keep it until told to give it up or to look after it.
static void own(int orders, int answers) {
    Claim claim;
    Error error;
    const ClaimResult result = claim_take(&claim, directory, "job", 0.3, &(Sighting){0}, &error);
    tell(answers, result == CLAIM_MINE ? 'm' : 't');
    for (char order; read(orders, &order, 1) == 1;) {
        if (order == 'k') { // keep: is it lost within five seconds?
            bool kept = true;
            for (int i = 0; i < 500 && kept; i++) {
                kept = claim_keep(&claim);
                sleep_for(0.01);
            }
            tell(answers, kept ? 'k' : 'l');
        }
        if (order == 'r') {
            claim_release(&claim);
            tell(answers, 'r');
        }
    }
}

static void a_job_is_taken_once_and_free_again(void **state) {
    Claim mine, again;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(take(&mine, "job", LONG), CLAIM_MINE);
        assert_true(exists("job", 1));
        assert_int_equal(take(&again, "job", LONG), CLAIM_TAKEN);
        assert_true(claim_keep(&mine));
        claim_release(&mine);
        expect_no_files();
    }
}

static void jobs_of_like_names_do_not_meet(void **state) {
    static const char *const names[] = {"job", "jo", "job.1", "job.1.1", "job-1", "1", "job.", "copy:max=5-rope-seed1"};
    Claim claims[COUNT(names)], again;
    leave_claim("jobs", 7, "elsewhere 1\n", 0);
    leave_claim("job.7", 3, "elsewhere 1\n", 0);
    for (size_t i = 0; i < COUNT(names); i++) assert_int_equal(take(&claims[i], names[i], LONG), CLAIM_MINE);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(exists(names[i], 1));
        assert_int_equal(take(&again, names[i], LONG), CLAIM_TAKEN);
    }
    for (size_t i = 0; i < COUNT(names); i++) claim_release(&claims[i]);
    assert_int_equal(files(), 2);
    char path[PATH_CAPACITY];
    claim_path(path, "jobs", 7);
    assert_int_equal(unlink(path), 0);
    claim_path(path, "job.7", 3);
    assert_int_equal(unlink(path), 0);
}

// Names that somebody left there to have others wait for ever, or count for hours.
static void what_is_no_claim_keeps_nobody_waiting(void **state) {
    static const char *const names[] = {"job.01", "job.00000000000001", "job.+1", "job. 1", "job.0x2"};
    Claim claim;
    Error error;
    char path[PATH_CAPACITY];
    claim_path(path, "job", 1);
    for (int kind = 0; kind < 3; kind++) {
        assert_int_equal(kind == 0 ? symlink("nowhere", path) : kind == 1 ? symlink("/", path) : mkfifo(path, 0600), 0);
        assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
        assert_true(exists("job", 2));
        claim_release(&claim);
        expect_no_files();
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        must(path_format(path, &error, "%s/%s", directory, names[i]), &error);
        scratch_write(path, "", 0);
        assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
        assert_true(exists("job", 1));
        claim_release(&claim);
        assert_int_equal(unlink(path), 0);
    }
    static const char *const numbers[] = {"1000000000", "2147483647", "9223372036854775807", "100000"};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        must(path_format(path, &error, "%s/job.%s", directory, numbers[i]), &error);
        scratch_write(path, "", 0);
        assert_int_equal(claim_take(&claim, directory, "job", LONG, &(Sighting){0}, &error), CLAIM_FAILED);
        assert_int_equal(error.kind, ERROR_INPUT);
        expect_text(error.message, numbers[i]);
        assert_int_equal(unlink(path), 0);
    }
    expect_no_files();
}

static void a_killed_owner_s_job_is_free_at_once(void **state) {
    Claim claim;
    for (int deaths = 1; deaths <= 3; deaths++) {
        Child child = start(own);
        assert_int_equal(hear(child.answers), 'm');
        assert_int_equal(take(&claim, "job", LONG), CLAIM_TAKEN);
        assert_int_equal(kill(child.pid, SIGKILL), 0);
        assert_true(WIFSIGNALED(end(&child)));
        assert_true(exists("job", deaths));
    }
    assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
    assert_true(exists("job", 4));
    claim_release(&claim);
    expect_no_files();
}

// The last claim counts, whatever is left of those before it.
static void older_claims_do_not_count(void **state) {
    Claim claim;
    leave_claim("job", 1, "elsewhere 1\n", 100);
    leave_claim("job", 12, "elsewhere 2\n", 0);
    leave_claim("job", 3, "elsewhere 3\n", 100);
    assert_int_equal(take(&claim, "job", 60), CLAIM_TAKEN);
    make_older("job", 12, 100);
    assert_int_equal(take(&claim, "job", 60), CLAIM_MINE);
    assert_true(exists("job", 13));
    claim_release(&claim);
    expect_no_files();
}

// A process that is stopped for too long loses its job, whatever comes after it, and takes nothing from anybody.
static void the_loser_notices(void **state) {
    for (int given_up = 0; given_up < 2; given_up++) {
        Claim mine;
        Child child = start(own);
        assert_int_equal(hear(child.answers), 'm');
        kill(child.pid, SIGSTOP);
        assert_int_equal(waitpid(child.pid, NULL, WUNTRACED), child.pid);
        make_older("job", 1, 100);
        assert_int_equal(take(&mine, "job", 60), CLAIM_MINE);
        assert_true(exists("job", 2));
        if (given_up) { // and taken once more, under the name that the loser's claim had
            claim_release(&mine);
            assert_int_equal(take(&mine, "job", 1), CLAIM_MINE);
            assert_true(exists("job", 1));
        }
        kill(child.pid, SIGCONT);
        tell(child.orders, 'k');
        assert_int_equal(hear(child.answers), 'l');
        tell(child.orders, 'r');
        assert_int_equal(hear(child.answers), 'r');
        assert_true(exists("job", given_up ? 1 : 2));
        mine.looked = -1e9;
        assert_true(claim_keep(&mine));
        assert_int_equal(end(&child), 0);
        claim_release(&mine);
        expect_no_files();
    }
}

// Somebody who thought that the owner was dead makes the next claim, sees that he is not, and takes it back: an owner
// that gives up in between leaves nothing that others wait for.
static void a_claim_that_was_challenged_is_free_at_once(void **state) {
    Claim claim;
    char path[PATH_CAPACITY];
    assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
    leave_claim("job", 2, "elsewhere 1\n", 0);
    claim_release(&claim);
    claim_path(path, "job", 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
    claim_release(&claim);
    expect_no_files();
}

// Work that takes longer than anybody's patience, without a moment to look after the claim.
static void long_work_keeps_its_claim(void **state) {
    Claim mine, other;
    assert_int_equal(take(&mine, "job", 1), CLAIM_MINE);
    make_older("job", 1, 100);
    for (int i = 0; i < 24; i++) {
        sleep_for(0.1);
        if (i >= 2) assert_int_equal(take(&other, "job", 1), CLAIM_TAKEN);
    }
    assert_true(claim_keep(&mine));
    claim_release(&mine);
    expect_no_files();
}

// Whoever takes it to be for long touches it as often as is good for others.
static void the_impatient_leave_the_patient_alone(void **state) {
    Claim claim, other;
    assert_int_equal(take(&claim, "job", LONG), CLAIM_MINE);
    make_older("job", 1, 5);
    for (int i = 0; i < 15; i++) sleep_for(0.1); // it is touched once a second
    assert_int_equal(take(&other, "job", 4), CLAIM_TAKEN);
    claim_release(&claim);
    expect_no_files();
}

static void release_later(int orders, int answers) {
    Claim claim;
    Error error;
    const ClaimResult result = claim_take(&claim, directory, "job", LONG, &(Sighting){0}, &error);
    tell(answers, result == CLAIM_MINE ? 'm' : 't');
    sleep_for(0.3);
    tell(answers, 'r');
    claim_release(&claim);
}

static void waiting_ends_when_the_job_is_free(void **state) {
    Claim claim;
    Error error;
    Child child = start(release_later);
    assert_int_equal(hear(child.answers), 'm');
    must(claim_wait(&claim, directory, "job", LONG, &error), &error);
    int bytes = 0;
    fcntl(child.answers, F_SETFL, O_NONBLOCK);
    assert_int_equal(read(child.answers, &bytes, 1), 1); // it was released before
    claim_release(&claim);
    assert_int_equal(end(&child), 0);
    expect_no_files();
}

static void expect_failure(const char *where, const char *part) {
    Claim claim;
    Error error = {0};
    assert_int_equal(claim_take(&claim, where, "job", LONG, &(Sighting){0}, &error), CLAIM_FAILED);
    assert_int_equal(error.kind, ERROR_INPUT);
    if (!strstr(error.message, part)) fail_msg("no '%s' in: %s", part, error.message);
}

static void write_to_a_full_disk(int orders, int answers) {
    Claim claim;
    Error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    const ClaimResult result = claim_take(&claim, directory, "job", LONG, &(Sighting){0}, &error);
    tell(answers, result == CLAIM_FAILED && strstr(error.message, "job.1: File too large") ? 'y' : 'n');
}

static void places_that_cannot_be_written_to_are_refused(void **state) {
    char missing[PATH_CAPACITY], deep[PATH_CAPACITY];
    snprintf(missing, sizeof missing, "%.500s/missing", directory);
    expect_failure(missing, missing);
    scratch_write(missing, "", 0);
    expect_failure(missing, missing);
    unlink(missing);
    memset(deep, 'x', sizeof deep);
    memcpy(deep, directory, strlen(directory));
    deep[strlen(directory)] = '/';
    deep[sizeof deep - 3] = 0;
    expect_failure(deep, "");
    Child child = start(write_to_a_full_disk);
    assert_int_equal(hear(child.answers), 'y');
    assert_int_equal(end(&child), 0);
    expect_no_files(); // nor is a claim that nobody could read
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_taken_once_and_free_again),
        cmocka_unit_test(jobs_of_like_names_do_not_meet),
        cmocka_unit_test(what_is_no_claim_keeps_nobody_waiting),
        cmocka_unit_test(a_killed_owner_s_job_is_free_at_once),
        cmocka_unit_test(older_claims_do_not_count),
        cmocka_unit_test(the_loser_notices),
        cmocka_unit_test(a_claim_that_was_challenged_is_free_at_once),
        cmocka_unit_test(long_work_keeps_its_claim),
        cmocka_unit_test(the_impatient_leave_the_patient_alone),
        cmocka_unit_test(waiting_ends_when_the_job_is_free),
        cmocka_unit_test(places_that_cannot_be_written_to_are_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
