// Replacing files as a whole: only the named file is ever written to, whatever is at its path; temporary files are
// removed after the process that made them was killed, but never while another process still writes to them.
#include "base/file/file.h"
#include "tests/support/children.h"
#include "tests/support/directory.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

static char path[SCRATCH_PATH + 32];

static int make_paths(void **state) {
    make_directory(state);
    snprintf(path, sizeof path, "%s/table.csv", directory);
    return 0;
}

// Another path in the directory.
static const char *other(const char *name) {
    static char paths[4][SCRATCH_PATH + 64];
    static int next;
    char *result = paths[next++ % 4];
    snprintf(result, sizeof paths[0], "%s/%s", directory, name);
    return result;
}

static void expect_content(const char *name, const char *text) {
    const Buffer file = read_file(name);
    assert_string_equal((const char *)file.bytes, text);
    free(file.bytes);
}

static void refuses_to_write(const char *name, const char *reason) {
    AtomicFile file;
    Error error = {0};
    expect_refused(atomic_open(&file, name, &error), &error, name);
    assert_non_null(strstr(error.message, reason));
    assert_null(strstr(error.message, ".tmp"));
}

static void only_regular_files_are_replaced(void **state) {
    const char *fifo = other("fifo");
    assert_int_equal(mkfifo(fifo, 0666), 0);
    const char *const wrong[] = {fifo, directory, "/dev/null"};
    for (size_t i = 0; i < COUNT(wrong); i++) refuses_to_write(wrong[i], "is not a regular file");
    refuses_to_write(other("none/file"), "choose a place");
    struct stat status;
    assert_true(stat(fifo, &status) == 0 && S_ISFIFO(status.st_mode));
}

// A link in a directory that several users can write to may lead to anybody's file.
static void links_are_refused(void **state) {
    scratch_write(other("precious"), "precious", 8);
    assert_int_equal(symlink("precious", other("link")), 0);
    assert_int_equal(symlink("nowhere", other("dangling")), 0);
    refuses_to_write(other("link"), "is a symbolic link");
    refuses_to_write(other("dangling"), "is a symbolic link");
    expect_content(other("precious"), "precious");
    assert_null(file_append(other("link")));
    assert_int_equal(scratch_count(directory), 3);
}

// Links and files where a predictable name of the temporary file would be.
static void nothing_planted_is_written_to(void **state) {
    Error error;
    scratch_write(other("precious"), "precious", 8);
    assert_int_equal(symlink("precious", other("table.csv.tmp")), 0);
    must(atomic_text(path, "new", &error), &error);
    expect_content(other("precious"), "precious");
    expect_content(path, "new\n");
    struct stat status;
    assert_true(lstat(path, &status) == 0 && S_ISREG(status.st_mode));
    assert_true(lstat(other("table.csv.tmp"), &status) == 0 && S_ISLNK(status.st_mode));
    unlink(other("table.csv.tmp"));
    scratch_write(other("table.csv.tmp"), "mine", 4);
    must(atomic_text(path, "newer", &error), &error);
    expect_content(other("table.csv.tmp"), "mine");
    unlink(other("table.csv.tmp"));
    assert_int_equal(mkdir(other("table.csv.tmp"), 0777), 0);
    must(atomic_text(path, "newest", &error), &error);
    expect_content(path, "newest\n");
}

static void two_at_once_do_not_mix(void **state) {
    AtomicFile one, two;
    Error error;
    must(atomic_open(&one, path, &error) && atomic_open(&two, path, &error), &error);
    assert_string_not_equal(one.temporary, two.temporary);
    must(atomic_write(&one, "one", 3, &error) && atomic_write(&two, "two", 3, &error), &error);
    must(atomic_commit(&one, &error), &error);
    expect_content(path, "one");
    must(atomic_commit(&two, &error), &error);
    expect_content(path, "two");
    assert_int_equal(scratch_count(directory), 1);
    must(atomic_open(&one, path, &error) && atomic_write(&one, "three", 5, &error), &error);
    atomic_abandon(&one);
    atomic_abandon(&one);
    expect_content(path, "two");
    assert_int_equal(scratch_count(directory), 1);
}

// Another process, which took the directory over from this one, has removed the temporary file.
static void nothing_is_replaced_when_the_temporary_file_is_gone(void **state) {
    AtomicFile file;
    Error error = {0};
    must(atomic_text(path, "new", &error) && atomic_open(&file, path, &error), &error);
    assert_int_equal(unlink(file.temporary), 0);
    assert_false(atomic_commit(&file, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    expect_content(path, "new\n");
    assert_int_equal(scratch_count(directory), 1);
}

static void permissions_are_the_umask_s(void **state) {
    Error error;
    struct stat status;
    const mode_t before = umask(027);
    must(atomic_text(path, "new", &error), &error);
    char name[PATH_CAPACITY];
    const int made = temporary_create(name, path, TEMPORARY_DIRECTORY);
    umask(before);
    assert_true(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
    assert_true(made >= 0 && stat(name, &status) == 0 && (status.st_mode & 0777) == 0750);
    close(made);
}

static void write_and_wait(int orders, int answers) {
    AtomicFile file;
    Error error;
    if (atomic_open(&file, path, &error) && atomic_write(&file, "half", 4, &error) && fflush(file.stream) == 0)
        tell(answers, 'w');
    if (hear(orders) == 'c' && atomic_commit(&file, &error)) tell(answers, 'd');
}

// Directories with a file in them, as `bitter prepare` makes.
static void fill_and_wait(int orders, int answers) {
    char name[PATH_CAPACITY], inside[2 * PATH_CAPACITY];
    if (temporary_create(name, path, TEMPORARY_DIRECTORY) < 0) return;
    snprintf(inside, sizeof inside, "%s/train_000000.bin", name);
    scratch_write(inside, "half", 4);
    tell(answers, 'w');
    hear(orders);
}

static void what_killed_processes_leave_is_removed(void **state) {
    Error error;
    Child living = start(write_and_wait), killed = start(write_and_wait);
    assert_int_equal(hear(living.answers), 'w');
    assert_int_equal(hear(killed.answers), 'w');
    assert_int_equal(scratch_count(directory), 2);
    kill(killed.pid, SIGKILL);
    end(&killed);
    assert_int_equal(scratch_count(directory), 2);
    must(atomic_text(path, "new", &error), &error);
    assert_int_equal(scratch_count(directory), 2); // of the living and the new one
    tell(living.orders, 'c');
    assert_int_equal(hear(living.answers), 'd');
    end(&living);
    expect_content(path, "half");
    assert_int_equal(scratch_count(directory), 1);
}

static void so_are_their_directories(void **state) {
    char name[PATH_CAPACITY];
    Child living = start(fill_and_wait), killed = start(fill_and_wait);
    assert_int_equal(hear(living.answers), 'w');
    assert_int_equal(hear(killed.answers), 'w');
    kill(killed.pid, SIGKILL);
    end(&killed);
    assert_int_equal(scratch_count(directory), 2);
    const int made = temporary_create(name, path, TEMPORARY_DIRECTORY);
    assert_true(made >= 0);
    assert_int_equal(scratch_count(directory), 2);
    temporary_remove(name);
    close(made);
    end(&living);
}

// Files that only look like temporary files are left alone.
static void nothing_else_is_removed(void **state) {
    static const char *const names[] = {"table.csv.tmp",
                                        "table.csv.bitter-abcde.tmp",
                                        "table.csv.bitter-abcdefg.tmp",
                                        "table.csv.bitter-ABCDEF.tmp",
                                        "table.csv.bitter-abcdef.temp",
                                        "table.csv-bitter-abcdef.tmp",
                                        "xtable.csv.bitter-abcdef.tmp",
                                        "table.bitter-abcdef.tmp",
                                        "table.csv.backup.tmp"};
    Error error;
    for (size_t i = 0; i < COUNT(names); i++) scratch_write(other(names[i]), "mine", 4);
    assert_int_equal(symlink("table.csv.tmp", other("table.csv.bitter-aaaaaa.tmp")), 0);
    assert_int_equal(mkfifo(other("table.csv.bitter-bbbbbb.tmp"), 0666), 0);
    assert_int_equal(mkdir(other("table.csv.bitter-cccccc.tmp"), 0777), 0);
    must(atomic_text(path, "new", &error), &error);
    assert_int_equal(scratch_count(directory), (int)COUNT(names) + 3 + 1);
    scratch_write(other("table.csv.bitter-dddddd.tmp"), "nobody's", 8);
    must(atomic_text(path, "newer", &error), &error);
    assert_int_equal(scratch_count(directory), (int)COUNT(names) + 3 + 1);
}

// Writers are killed at random instants, many times; the file is always whole afterwards.
static bool write_letters(char letter) {
    char text[3001];
    Error error;
    memset(text, letter, sizeof text - 1);
    text[sizeof text - 1] = 0;
    return atomic_text(path, text, &error);
}

static void write_for_ever(int orders, int answers) {
    for (int i = 0; write_letters((char)('a' + i % 26)); i++) {
    }
}

static void writers_may_die_at_any_instant(void **state) {
    enum { WRITERS = 3, DEATHS = 60 };
    Child writers[WRITERS];
    Error error;
    assert_true(write_letters('a')); // from here on there is a file
    for (int w = 0; w < WRITERS; w++) writers[w] = start(write_for_ever);
    for (int death = 0; death < DEATHS; death++) {
        const int w = death % WRITERS;
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + 270001 * (death % 17)}, NULL);
        kill(writers[w].pid, SIGKILL);
        const int status = end(&writers[w]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        const Buffer file = read_file(path);
        assert_int_equal(file.size, 3001);
        for (size_t i = 0; i < 3000; i++) assert_int_equal(file.bytes[i], file.bytes[0]);
        free(file.bytes);
        writers[w] = start(write_for_ever);
    }
    for (int w = 0; w < WRITERS; w++) {
        kill(writers[w].pid, SIGKILL);
        end(&writers[w]);
    }
    must(atomic_text(path, "last", &error), &error);
    assert_int_equal(scratch_count(directory), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_regular_files_are_replaced, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(links_are_refused, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(nothing_planted_is_written_to, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(two_at_once_do_not_mix, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(nothing_is_replaced_when_the_temporary_file_is_gone, make_paths,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(permissions_are_the_umask_s, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(what_killed_processes_leave_is_removed, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(so_are_their_directories, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(nothing_else_is_removed, make_paths, remove_directory),
        cmocka_unit_test_setup_teardown(writers_may_die_at_any_instant, make_paths, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
