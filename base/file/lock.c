#ifdef __linux__
#define _GNU_SOURCE // F_OFD_SETLK
#endif
#include "base/file/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 1000

// Locks that belong to the open file: a process loses its own locks (F_SETLK) when it closes any descriptor of the
// file. Directories, which cannot be opened for writing and give EBADF, take flock, as do systems without F_OFD_SETLK.
static bool lock_whole(int file) {
#ifdef F_OFD_SETLK
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_OFD_SETLK, &whole) == 0) return true;
    if (errno != EBADF) return false;
#endif
    return flock(file, LOCK_EX | LOCK_NB) == 0;
}

LockResult lock_open_file(int file) {
    do {
        if (lock_whole(file)) return LOCK_MINE;
    } while (errno == EINTR);
    switch (errno) {
    case EWOULDBLOCK:
    case EACCES:
        return LOCK_TAKEN;
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
    case EINVAL:
    case EBADF: // a directory on a file system that implements flock by record locks
        return LOCK_NONE;
    default:
        return LOCK_FAILED;
    }
}

static bool is_file(const struct stat *there, int file) {
    struct stat here;
    return fstat(file, &here) == 0 && there->st_dev == here.st_dev && there->st_ino == here.st_ino;
}

// Opens the path: only that is sure to show what another machine did to it.
bool is_at(const char *path, int file) {
    struct stat there;
    const int again = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool same = again >= 0 && fstat(again, &there) == 0 && is_file(&there, file);
    if (again >= 0) close(again);
    if (again >= 0 || errno == ELOOP || errno == ENXIO || errno == ENOTDIR || errno == ESTALE) errno = ENOENT;
    return same;
}

// When is_at has failed, as for want of file descriptors: remove the lock file if it was just made, and close it.
static LockResult abandon(const char *path, int file, bool made) {
    const int reason = errno;
    struct stat there;
    if (made && lstat(path, &there) == 0 && is_file(&there, file)) unlink(path);
    close(file);
    errno = reason;
    return LOCK_FAILED;
}

// Lock files of this program are empty: any other file of that name belongs to the user.
static bool is_lock_file(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

// Open the lock file; *made: it did not exist before. -1 with errno when it cannot be opened or is not a lock file.
static int open_lock_file(const char *path, bool *made) {
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    for (;;) {
        int file = open(path, flags | O_CREAT | O_EXCL, 0666);
        *made = file >= 0;
        if (*made || errno != EEXIST) return file;
        file = open(path, flags);
        if (file < 0 && errno == ENOENT) continue; // it was removed in between
        if (file < 0 || is_lock_file(file)) return file;
        close(file);
        errno = EEXIST;
        return -1;
    }
}

LockResult lock_take(Lock *lock, const char *path) {
    bool made;
    int file, left = -1; // a dead process's file, open until the new one exists, so that their inode numbers differ
    *lock = (Lock){0};
    if (strlen(path) >= sizeof lock->path) {
        errno = ENAMETOOLONG;
        return LOCK_FAILED;
    }
    for (int attempt = 0; attempt < ATTEMPTS && (file = open_lock_file(path, &made)) >= 0; attempt++) {
        const LockResult result = lock_open_file(file);
        if (left >= 0) close(left);
        left = -1;
        if (result == LOCK_TAKEN || result == LOCK_FAILED) {
            close(file);
            return result;
        }
        if (!is_at(path, file)) {
            if (errno != ENOENT) return abandon(path, file, made);
            close(file); // its holder removed it before it was locked
        } else if (made) {
            *lock = (Lock){.held = true, .exclusive = result == LOCK_MINE, .file = file};
            strcpy(lock->path, path);
            return LOCK_MINE;
        } else { // replace it, so that a process that lost it can notice (lock_keep)
            unlink(path);
            left = file;
        }
    }
    if (left >= 0) close(left);
    return LOCK_FAILED;
}

static bool is_mine(const Lock *lock) {
    const LockResult result = lock_open_file(lock->file);
    return (result == LOCK_MINE || result == LOCK_NONE) && is_at(lock->path, lock->file);
}

bool lock_keep(const Lock *lock, Error *error) {
    errno = 0;
    if (!lock->held || is_mine(lock)) return true;
    if (errno == EMFILE || errno == ENFILE)
        return fail_run(error, "cannot open %s: %s; raise the limit on open files (ulimit -n)", lock->path,
                        strerror(errno));
    return fail_run(error,
                    "this process has lost the lock %s, as happens when a network file system cannot be reached for a "
                    "while; start it again to continue from what was saved",
                    lock->path);
}

void lock_release(Lock *lock) {
    if (!lock->held) return;
    if (is_mine(lock)) unlink(lock->path);
    close(lock->file);
    lock->held = false;
}
