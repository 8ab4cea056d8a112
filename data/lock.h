// Files and directories that one process holds at a time. The kernel lets go of them when the process ends, however it
// ends.
#ifndef BITTER_LOCK_H
#define BITTER_LOCK_H

#include "data/file.h"

typedef enum { LOCK_MINE, LOCK_TAKEN, LOCK_FAILED } LockResult;

// Lock an open file or directory until it is closed. LOCK_TAKEN when another process has it, LOCK_FAILED where the file
// system has no locks.
LockResult lock_open_file(int file);

// Is the open file or directory what the path names, or has it been removed or replaced?
bool is_at(const char *path, int file);

// A file that exists as long as somebody holds it, and after its holder was killed.
typedef struct {
    bool held; // start from {0}
    int file;
    char path[PATH_CAPACITY];
} Lock;

// Create the file, or take over what a killed process left, and hold it. Where the file system has no locks, everybody
// succeeds. LOCK_FAILED, with errno, when the file cannot be opened.
LockResult lock_take(Lock *lock, const char *path);

// Remove the file and let go of it; harmless when it is not held.
void lock_release(Lock *lock);

#endif
