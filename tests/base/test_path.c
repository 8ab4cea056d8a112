// Paths: what they name, and what cannot be known.
#include "base/file/file.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

#include <string.h>
#include <unistd.h>

// A file is missing only if the system says so. Of a name behind links that form a circle it cannot say so; opening the
// name then reports why.
static void what_cannot_be_looked_at_is_not_missing(void **state) {
    char file[PATH_CAPACITY], path[PATH_CAPACITY];
    Error error = {0};
    assert_true(path_format(file, &error, "%s/file", directory));
    assert_true(path_missing(file) && !path_exists(file));
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    assert_int_equal(fclose(stream), 0);
    assert_true(path_exists(file) && !path_missing(file));
    assert_true(path_format(path, &error, "%s/below", file));
    assert_true(path_missing(path) && !path_exists(path));
    assert_true(path_format(path, &error, "%s/circle", directory));
    assert_int_equal(symlink("circle", path), 0);
    assert_true(path_exists(path) && !path_missing(path));
    assert_true(path_format(path, &error, "%s/circle/below", directory));
    assert_true(!path_exists(path) && !path_missing(path));
}

static void only_a_link_or_what_cannot_be_looked_at_is_refused(void **state) {
    char path[PATH_CAPACITY];
    Error error = {0};
    assert_true(path_check_link(directory, "remove it", &error));
    assert_true(path_format(path, &error, "%s/nothing", directory) && path_check_link(path, "remove it", &error));
    assert_true(path_format(path, &error, "%s/link", directory));
    assert_int_equal(symlink("nothing", path), 0);
    assert_false(path_check_link(path, "remove it", &error));
    assert_non_null(strstr(error.message, "link is a symbolic link; remove it"));
    assert_true(path_format(path, &error, "%s/circle", directory));
    assert_int_equal(symlink("circle", path), 0);
    assert_true(path_format(path, &error, "%s/circle/below", directory));
    assert_false(path_check_link(path, "remove it", &error));
    assert_non_null(strstr(error.message, "cannot stat"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_cannot_be_looked_at_is_not_missing, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(only_a_link_or_what_cannot_be_looked_at_is_refused, make_directory,
                                        remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
