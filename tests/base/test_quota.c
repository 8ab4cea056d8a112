// The CPU quota that control groups set, read from files as the kernel writes them.
#include "base/memory.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

#include <math.h>

static char root[SCRATCH_PATH];

static void put(const char *path, const char *text) {
    char full[2 * SCRATCH_PATH];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(full, 0777);
        *slash = '/';
    }
    scratch_write(full, text, strlen(text));
}

static int begin(void **state) {
    scratch_make(root);
    return 0;
}

static int end(void **state) {
    scratch_remove(root);
    return 0;
}

static void expect(double quota) {
    assert_true(cpu_quota(root) == quota);
}

static void without_groups_there_is_none(void **state) {
    expect(INFINITY);
    put("proc/self/cgroup", "0::/\n");
    expect(INFINITY);
    put("proc/self/cgroup", "nonsense\n1:\n::\n");
    expect(INFINITY);
}

static void the_second_version(void **state) {
    put("proc/self/cgroup", "0::/user.slice/job 1\n");
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/user.slice/job 1/cpu.max", "150000 100000\n");
    expect(1.5);
    put("sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n");
    expect(0.5);
    put("sys/fs/cgroup/user.slice/cpu.max", "400000 100000\n");
    expect(1.5);
    // In a container, the group's own files are at the root, and its path may be that of the host.
    put("proc/self/cgroup", "0::/docker/4711\n");
    expect(INFINITY);
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    expect(2);
}

static void the_first_version(void **state) {
    put("proc/self/cgroup", "5:cpuset:/jobs\n4:cpu,cpuacct:/jobs/a\n2:memory:/b\n0::/\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    expect(INFINITY);
    put("sys/fs/cgroup/cpu/jobs/a/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "50000\n");
    expect(2);
    put("proc/self/cgroup", "5:cpuset:/jobs\n4:cpuacct,cpu:/jobs/a\n");
    expect(2);
    put("proc/self/cgroup", "5:cpuset:/jobs\n4:cpuacct:/jobs/a\n");
    expect(INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_groups_there_is_none, begin, end),
        cmocka_unit_test_setup_teardown(the_second_version, begin, end),
        cmocka_unit_test_setup_teardown(the_first_version, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
