// The share of the processors that control groups of Linux, and so containers, leave to this process.
#ifndef BITTER_QUOTA_H
#define BITTER_QUOTA_H

// The smallest quota of this process's control groups and of those around them, in processors: cpu.max of version 2,
// cpu.cfs_quota_us and cpu.cfs_period_us of version 1. INFINITY without any. `root` stands before all paths: "", or
// what a test has in the place of /proc and /sys.
double cpu_quota(const char *root);

#endif
