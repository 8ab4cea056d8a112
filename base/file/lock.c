#include "base/file/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

LockResult lock_open_file(int file) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return LOCK_MINE;
    return errno == EWOULDBLOCK ? LOCK_TAKEN : LOCK_FAILED;
}

bool is_at(const char *path, int file) {
    struct stat there, here;
    return lstat(path, &there) == 0 && fstat(file, &here) == 0 && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

// Lock files of this program are empty: anything else of that name is somebody's own.
static bool is_lock_file(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

LockResult lock_take(Lock *lock, const char *path) {
    *lock = (Lock){0};
    if (strlen(path) >= sizeof lock->path) {
        errno = ENAMETOOLONG;
        return LOCK_FAILED;
    }
    for (;;) {
        const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0) return LOCK_FAILED;
        if (!is_lock_file(file)) {
            close(file);
            errno = EEXIST;
            return LOCK_FAILED;
        }
        if (lock_open_file(file) == LOCK_TAKEN) {
            close(file);
            return LOCK_TAKEN;
        }
        if (is_at(path, file)) {
            lock->held = true;
            lock->file = file;
            snprintf(lock->path, sizeof lock->path, "%s", path);
            return LOCK_MINE;
        }
        close(file); // its holder removed it between the opening and the lock
    }
}

void lock_release(Lock *lock) {
    if (!lock->held) return;
    unlink(lock->path);
    close(lock->file);
    lock->held = false;
}
