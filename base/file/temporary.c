#include "base/file/temporary.h"

#include "base/file/lock.h"
#include "base/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RANDOM_LETTERS 6
#define SUFFIX         ".tmp"
#define ATTEMPTS       100

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static bool random_name(char name[PATH_CAPACITY], const char *path, uint64_t bits) {
    char middle[RANDOM_LETTERS + 1] = "";
    for (int i = 0; i < RANDOM_LETTERS; i++, bits /= sizeof letters - 1)
        middle[i] = letters[bits % (sizeof letters - 1)];
    return snprintf(name, PATH_CAPACITY, "%s.%s%s", path, middle, SUFFIX) < PATH_CAPACITY;
}

// Is `entry` a name that random_name could make of `base`?
static bool is_random_name(const char *entry, const char *base) {
    const size_t length = strlen(base);
    if (strncmp(entry, base, length) != 0 || entry[length] != '.') return false;
    const char *middle = entry + length + 1;
    return strspn(middle, letters) == RANDOM_LETTERS && strcmp(middle + RANDOM_LETTERS, SUFFIX) == 0;
}

// Open what may be a leftover; -1 unless it is of this kind and belongs to this user. Follows no link, and opens
// no device or pipe.
static int open_leftover(const char *name, TemporaryKind kind) {
    struct stat status;
    if (lstat(name, &status) != 0 || status.st_uid != geteuid()) return -1;
    if (kind == TEMPORARY_FILE)
        return S_ISREG(status.st_mode) ? open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    return S_ISDIR(status.st_mode) ? open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

// If it can be locked, the process that made it has ended.
static void remove_leftover(const char *name, TemporaryKind kind) {
    const int file = open_leftover(name, kind);
    if (file < 0) return;
    if (lock_open_file(file) == LOCK_MINE && is_at(name, file)) temporary_remove(name);
    close(file);
}

void temporary_clear(const char *path, TemporaryKind kind) {
    const char *base = path_name(path);
    const int parent = (int)(base - path);
    char name[PATH_CAPACITY];
    snprintf(name, sizeof name, "%.*s", parent, path);
    DIR *entries = opendir(parent > 0 ? name : ".");
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_random_name(entry->d_name, base) &&
            snprintf(name, sizeof name, "%.*s%s", parent, path, entry->d_name) < (int)sizeof name)
            remove_leftover(name, kind);
    if (entries) closedir(entries);
}

static int create(const char *name, TemporaryKind kind) {
    if (kind == TEMPORARY_FILE) return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (mkdir(name, 0777) != 0) return -1;
    const int directory = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int reason = errno;
    if (directory < 0) rmdir(name);
    errno = reason;
    return directory;
}

int temporary_create(char name[PATH_CAPACITY], const char *path, TemporaryKind kind) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t key = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 32;
    int reason = EEXIST;
    temporary_clear(path, kind);
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!random_name(name, path, random_bits(key, attempt))) {
            reason = ENAMETOOLONG;
            break;
        }
        const int file = create(name, kind);
        const bool taken = file >= 0 && lock_open_file(file) == LOCK_TAKEN;
        if (file >= 0 && !taken && is_at(name, file)) return file;
        reason = taken ? ENOENT : errno;
        if (file >= 0) {
            temporary_remove(name);
            close(file);
        }
        // ENOENT: another process took it for a leftover before it was locked, and removes it, too.
        if (reason != EEXIST && reason != ENOENT) break;
    }
    *name = 0;
    errno = reason;
    return -1;
}

// Only what is in the directory that was opened goes, should somebody put a link in its place meanwhile.
void temporary_remove(const char *name) {
    if (unlink(name) == 0) return;
    const int directory = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = directory < 0 ? NULL : fdopendir(directory);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) unlinkat(directory, entry->d_name, 0);
    if (entries)
        closedir(entries);
    else if (directory >= 0)
        close(directory);
    rmdir(name);
}
