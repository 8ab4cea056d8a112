// Locks on files and directories. One process at a time holds a lock, and the kernel releases it when that process
// ends, in whatever way it ends.
#ifndef BITTER_LOCK_H
#define BITTER_LOCK_H

#include "base/path.h"

typedef enum {
    LOCK_MINE,
    LOCK_TAKEN,  // another process holds it
    LOCK_FAILED, // with errno
    LOCK_NONE,   // the file system has no locks
} LockResult;

// Lock a file that is open for writing, or a directory, until it is closed. A file that this descriptor has locked
// already stays locked. Locks of files hold on all machines that share a network file system; locks of directories may
// hold on this machine only.
LockResult lock_open_file(int file);

// Does the path still name this open file or directory? False, with errno, when it was removed or replaced (ENOENT), or
// cannot be opened.
bool is_at(const char *path, int file);

// A lock file: it exists while a process holds it, and a process that is killed leaves it behind.
typedef struct {
    bool held;      // start from {0}
    bool exclusive; // false where the file system has no locks
    int file;
    char path[PATH_CAPACITY];
} Lock;

// Create the file, or replace the one that a killed process left, and lock it. Never LOCK_NONE: where the file system
// has no locks, every process succeeds. LOCK_FAILED, with errno, when the file cannot be opened, or (EEXIST) when it is
// not an empty regular file and so not a lock file.
LockResult lock_take(Lock *lock, const char *path);

// The server of a network file system releases the lock of a machine that it has not heard from for a while. Take the
// lock again then. Fails (run) when another process has held it since, so that this process has to stop. Call it before
// replacing each file that the lock protects. True for a lock that is not held.
bool lock_keep(const Lock *lock, Error *error);

// Remove the file and release the lock. Does nothing if it is not held, and never removes another process's file.
void lock_release(Lock *lock);

#endif
