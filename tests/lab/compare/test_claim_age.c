// When a claim counts as abandoned: its owner is a process of this machine that no longer exists, or the claim is old
// enough.
#include "tests/support/children.h"
#include "tests/lab/compare/claims.h"

#include <sys/utsname.h>

static pid_t dead_process(void) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

// What this process writes into its claims, up to its own number; *known: does the system tell machines apart?
static void own_machine(char text[PATH_CAPACITY], bool *known) {
    Claim claim;
    Buffer file;
    Error error;
    assert_int_equal(take(&claim, "mine", LONG), CLAIM_MINE);
    must(file_read(&file, claim.path, &error), &error);
    claim_release(&claim);
    snprintf(text, PATH_CAPACITY, "%s", (const char *)file.bytes);
    free(file.bytes);
    char *space = strrchr(text, ' ');
    assert_non_null(space);
    assert_int_equal(strtol(space, NULL, 10), getpid());
    *space = '\0';
    space = strrchr(text, ' ');
    assert_non_null(space);
    *known = space[1] != '\0';
}

static void expect_patience(const char *owner) {
    Claim claim;
    leave_claim("job", 1, owner, 50);
    assert_int_equal(take(&claim, "job", 60), CLAIM_TAKEN);
    assert_int_equal(files(), 1);
    make_older("job", 1, 62);
    assert_int_equal(take(&claim, "job", 60), CLAIM_MINE);
    assert_true(exists("job", 2));
    claim_release(&claim);
    expect_no_files();
}

// Of other machines, of machines whose names begin like this one's or are the same, of another start of this one or of
// another container's process, of a process that lives, and of a file that its owner had no time to write: only the
// file's age tells.
static void others_are_given_time(void **state) {
    struct utsname system;
    char here[PATH_CAPACITY], owner[2 * PATH_CAPACITY];
    bool known;
    assert_int_equal(uname(&system), 0);
    own_machine(here, &known);
    const long dead = (long)dead_process();
    expect_patience("");
    snprintf(owner, sizeof owner, "elsewhere %ld\n", dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "%s %ld\n", system.nodename, dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "%s other/pid:[1] %ld\n", system.nodename, dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "%.*s %ld\n", (int)strlen(here) - 1, here, dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "%s2 %ld\n", here, dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "x%s %ld\n", here, dead);
    expect_patience(owner);
    snprintf(owner, sizeof owner, "%s %ld\n", here, (long)getppid());
    expect_patience(owner);
    if (!known) return;
    Claim claim;
    snprintf(owner, sizeof owner, "%s %ld\n", here, dead);
    leave_claim("job", 1, owner, 0);
    assert_int_equal(take(&claim, "job", 60), CLAIM_MINE); // this machine, and a process that is gone
    claim_release(&claim);
    expect_no_files();
}

// The clock was set back: a claim is of tomorrow. Its owner is given the usual time from now on, and is not dead when
// it touches the claim.
static void claims_of_tomorrow_are_given_time(void **state) {
    Claim claim;
    Error error;
    Sighting seen = {0};
    leave_claim("job", 1, "elsewhere 1\n", -86400);
    assert_int_equal(claim_take(&claim, directory, "job", 1, &seen, &error), CLAIM_TAKEN);
    sleep_for(2.2);
    make_older("job", 1, -86390); // its owner lives
    assert_int_equal(claim_take(&claim, directory, "job", 1, &seen, &error), CLAIM_TAKEN);
    sleep_for(2.2);
    assert_int_equal(claim_take(&claim, directory, "job", 60, &seen, &error), CLAIM_TAKEN);
    assert_int_equal(claim_take(&claim, directory, "job", 1, &seen, &error), CLAIM_MINE);
    assert_true(exists("job", 2));
    claim_release(&claim);
    leave_claim("job", 1, "elsewhere 1\n", -86400);
    must(claim_wait(&claim, directory, "job", 0.3, &error), &error);
    claim_release(&claim);
    expect_no_files();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_are_given_time),
        cmocka_unit_test(claims_of_tomorrow_are_given_time),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
