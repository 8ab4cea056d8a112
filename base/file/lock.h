// Locks on files and directories. One process at a time holds a lock, and the kernel releases it when that process
// ends, in whatever way it ends.
#ifndef BITTER_LOCK_H
#define BITTER_LOCK_H

#include "base/path.h"

typedef enum { LOCK_MINE, LOCK_TAKEN, LOCK_FAILED } LockResult;

// Lock an open file or directory until it is closed. LOCK_TAKEN when another process holds the lock, LOCK_FAILED where
// the file system has no locks.
LockResult lock_open_file(int file);

// Does the path still name this open file or directory? False when it was removed or replaced.
bool is_at(const char *path, int file);

// A lock file: it exists while a process holds it, and a process that is killed leaves it behind.
typedef struct {
    bool held; // start from {0}
    int file;
    char path[PATH_CAPACITY];
} Lock;

// Create the file, or take over the one that a killed process left, and hold it. Where the file system has no locks,
// every process succeeds. LOCK_FAILED, with errno, when the file cannot be opened, or (EEXIST) is not an empty regular
// file and so not a lock file.
LockResult lock_take(Lock *lock, const char *path);

// Remove the file and release the lock; harmless when it is not held.
void lock_release(Lock *lock);

#endif
