#include "base/quota.h"

#include "base/path.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE (2 * PATH_CAPACITY)

// The first numbers of the file, at most two. Returns how many there are.
static int read_numbers(double numbers[2], const char *root, const char *group, const char *name) {
    char path[3 * LINE];
    snprintf(path, sizeof path, "%s/sys/fs/cgroup%s/%s", root, group, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const int count = fscanf(file, "%lf %lf", &numbers[0], &numbers[1]); // not of "max 100000"
    fclose(file);
    return count < 0 ? 0 : count;
}

// `group` is the path below /sys/fs/cgroup.
static double group_quota(const char *root, const char *group) {
    double max[2], quota[2], period[2];
    if (read_numbers(max, root, group, "cpu.max") == 2 && max[0] > 0 && max[1] > 0) return max[0] / max[1];
    if (read_numbers(quota, root, group, "cpu.cfs_quota_us") == 1 && quota[0] > 0 && // -1: none
        read_numbers(period, root, group, "cpu.cfs_period_us") == 1 && period[0] > 0)
        return quota[0] / period[0];
    return INFINITY;
}

double cpu_quota(const char *root) {
    char line[LINE], path[LINE];
    double least = INFINITY;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *groups = fopen(path, "r");
    while (groups && fgets(line, sizeof line, groups)) { // NUMBER:CONTROLLERS:GROUP; version 2 names no controllers
        char controllers[LINE] = ",", group[LINE];
        if (sscanf(line, "%*d::%2047[^\n]", group) == 1)
            path[0] = 0;
        else if (sscanf(line, "%*d:%2040[^:]:%2047[^\n]", controllers + 1, group) == 2 &&
                 strstr(strcat(controllers, ","), ",cpu,"))
            strcpy(path, "/cpu");
        else
            continue;
        // Up to the outermost group, which in a container is its own.
        const size_t start = strlen(path);
        for (char *slash;; *slash = 0) {
            snprintf(path + start, sizeof path - start, "%s", group);
            least = fmin(least, group_quota(root, path));
            slash = strrchr(group, '/');
            if (!slash) break;
        }
    }
    if (groups) fclose(groups);
    return least;
}
