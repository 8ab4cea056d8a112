#include "base/file/file.h"

#include "base/memory.h"
#include "base/file/lock.h"
#include "base/option.h"
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// What the user can do if a file cannot be read or written for this reason; NULL when another name or place would help.
static const char *remedy_for(int reason) {
    if (reason == ENOSPC || reason == EDQUOT) return "make room and try again";
    if (reason == EIO) return "check the disk";
    if (reason == ENOMEM) return "end other programs and try again";
    if (reason == ENOTCONN || reason == ESTALE || reason == ETIMEDOUT || reason == EHOSTDOWN)
        return "check the network";
    if (reason == EFBIG) return "raise the limit on the size of files (ulimit -f)";
    if (reason == EMFILE || reason == ENFILE) return "raise the limit on open files (ulimit -n)";
    return NULL;
}

// "cannot VERB PATH: ...", followed by the remedy, or the advice if there is none, and by `note`.
static bool fail_place(const char *verb, const char *path, int reason, const char *advice, const char *note,
                       Error *error) {
    const char *remedy = remedy_for(reason);
    return fail_with(error, remedy ? ERROR_RUN : ERROR_INPUT, "cannot %s %s: %s; %s%s", verb, path, strerror(reason),
                     remedy ? remedy : advice, note);
}

static const char other_place[] = "choose a place that you can write to";

bool fail_create(const char *path, int reason, Error *error) {
    return fail_place("create", path, reason, other_place, "", error);
}

bool fail_open(const char *path, int reason, const char *advice, Error *error) {
    char parent[PATH_CAPACITY], nearest[PATH_CAPACITY] = "", note[PATH_CAPACITY + 32] = "";
    struct stat status;
    if (reason == ENOENT && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return fail_input(error, "%s is a symbolic link that leads nowhere; remove it", path);
    DIR *entries = reason == ENOENT && path_parent(parent, path, error) ? opendir(parent) : NULL;
    for (const struct dirent *entry; entries && (entry = directory_next(entries));) {
        const char *const names[] = {nearest, entry->d_name};
        if (*entry->d_name != '.' && nearest_name(path_name(path), names, 2) == entry->d_name)
            snprintf(nearest, sizeof nearest, "%s", entry->d_name);
    }
    if (entries) closedir(entries);
    if (*nearest)
        snprintf(note, sizeof note, " (did you mean '%.*s%s'?)", (int)(path_name(path) - path), path, nearest);
    return fail_place("open", path, reason, reason == EACCES ? "check the permissions" : advice, note, error);
}

bool path_check_link(const char *path, const char *remedy, Error *error) {
    struct stat status;
    if (lstat(path, &status) == 0)
        return !S_ISLNK(status.st_mode) || fail_input(error, "%s is a symbolic link; %s", path, remedy);
    return errno == ENOENT || errno == ENOTDIR ||
           fail_place("stat", path, errno, errno == EACCES ? "check the permissions" : "check the name", "", error);
}

bool fail_lock(const char *path, int reason, Error *error) {
    if (reason == EEXIST || reason == EISDIR || reason == ELOOP)
        return fail_input(error, "%s is in the way of a lock file of that name; move it elsewhere", path);
    return fail_create(path, reason, error);
}

int file_sync(int fd) {
#ifdef F_FULLFSYNC // macOS: fsync leaves the bytes in the drive's own memory
    if (fcntl(fd, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(fd);
}

bool directory_sync(const char *path, Error *error) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    // Some file systems cannot sync a directory and return EINVAL, and one that must not be listed cannot be opened;
    // nothing more can be done then.
    const bool ok = fd >= 0 ? file_sync(fd) == 0 || errno == EINVAL : errno == EACCES;
    if (!ok) fail_place("sync", path, errno, "check the disk", "", error);
    if (!ok) error->kind = ERROR_RUN;
    if (fd >= 0) close(fd);
    return ok;
}

// Write the entry of `path` in its directory to the disk.
static bool sync_parent(const char *path, Error *error) {
    char parent[PATH_CAPACITY];
    return path_parent(parent, path, error) && directory_sync(parent, error);
}

void directory_uncreate(const char *path, size_t existing) {
    char part[PATH_CAPACITY];
    snprintf(part, sizeof part, "%s", path);
    for (size_t end = strlen(part); end > existing;) {
        part[end] = 0;
        if (rmdir(part) != 0 && errno != ENOENT) return; // it is in use
        while (end > existing && part[end - 1] != '/') end--;
        while (end > existing && part[end - 1] == '/') end--;
    }
}

bool directory_create(const char *path, size_t *existing, Error *error) {
    char part[PATH_CAPACITY];
    size_t unasked;
    bool made = false;
    if (!existing) existing = &unasked;
    *existing = strlen(path);
    if (!path_format(part, error, "%s", path)) return false;
    *existing = 0;
    for (char *slash = part + 1;; slash++) {
        char end = *slash;
        if (end != '/' && end != 0) continue;
        *slash = 0;
        const int reason = mkdir(part, 0777) == 0 ? 0 : errno;
        const bool ok = reason == 0 ? sync_parent(part, error) : reason == EEXIST || fail_create(part, reason, error);
        if (!ok) {
            directory_uncreate(part, *existing);
            return false;
        }
        *slash = end;
        made = made || reason == 0; // a path that ends in '/' exists then
        if (!made) *existing = (size_t)(slash - part);
        if (end == 0) break;
    }
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return fail_input(error, "%s is a file where a directory is needed; choose another name", path);
    return true;
}

const struct dirent *directory_next(DIR *entries) {
    errno = 0; // tells the end from a failure
    return readdir(entries);
}

bool directory_end(DIR *entries, const char *path, Error *error) {
    const int reason = errno;
    closedir(entries);
    return reason == 0 || fail_run(error, "cannot read the directory %s: %s; check the disk", path, strerror(reason));
}

FILE *file_append(const char *path) {
    const int descriptor = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "ab");
    if (descriptor >= 0 && !stream) close(descriptor);
    return stream;
}

static bool buffer_discard(Buffer *buffer) {
    free(buffer->bytes);
    *buffer = (Buffer){0};
    return false;
}

bool buffer_fill(Buffer *buffer, ReadBytes *read_bytes, void *source, size_t first, const char *name, Error *error) {
    ptrdiff_t got;
    *buffer = (Buffer){0};
    size_t capacity = 0;
    do {
        if (buffer->size + 1 >= capacity) {
            const size_t more = capacity ? 2 * capacity : first < 1 << 16 ? 1 << 16 : first;
            uint8_t *larger = memory_grow(buffer->bytes, capacity, more);
            if (!larger) {
                fail_run(error, "%s: no memory for %zu bytes of it", name, more);
                return buffer_discard(buffer);
            }
            buffer->bytes = larger;
            capacity = more;
        }
        got = read_bytes(source, buffer->bytes + buffer->size, capacity - 1 - buffer->size);
        if (got > 0) buffer->size += (size_t)got;
    } while (got > 0);
    buffer->bytes[buffer->size] = 0;
    if (got == 0) return true;
    const int reason = errno;
    fail_place("read", name, reason, reason == EISDIR ? "name a file inside it" : "check the disk or device it is on",
               "", error);
    if (reason != EISDIR) error->kind = ERROR_RUN;
    return buffer_discard(buffer);
}

static ptrdiff_t read_descriptor(void *source, void *bytes, size_t size) {
    return read(*(int *)source, bytes, size < 1 << 30 ? size : 1 << 30); // macOS refuses more than 2 GB at once
}

// How many bytes to make room for; 0 for anything but a regular file.
static size_t file_room(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 ? (size_t)status.st_size + 2 : 0;
}

bool file_read_open(Buffer *buffer, int file, const char *name, Error *error) {
    return buffer_fill(buffer, read_descriptor, &file, file_room(file), name, error);
}

bool buffer_drop_mark(Buffer *buffer) {
    if (buffer->size < 3 || memcmp(buffer->bytes, "\xEF\xBB\xBF", 3) != 0) return false;
    memmove(buffer->bytes, buffer->bytes + 3, (buffer->size -= 3) + 1);
    return true;
}

bool buffer_drop_returns(Buffer *buffer) {
    size_t kept = 0;
    for (size_t i = 0; i < buffer->size; i++)
        if (buffer->bytes[i] != '\r' || i + 1 == buffer->size || buffer->bytes[i + 1] != '\n')
            buffer->bytes[kept++] = buffer->bytes[i];
    if (kept == buffer->size) return false;
    buffer->bytes[buffer->size = kept] = 0;
    return true;
}

int file_open(const char *path, Error *error) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        fail_open(path, errno, "check the name", error);
        return -1;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
    fail_input(error, "%s is not a regular file; name %s", path,
               S_ISDIR(status.st_mode) ? "a file inside it" : "one that is");
    close(file);
    return -1;
}

bool file_read(Buffer *buffer, const char *path, Error *error) {
    *buffer = (Buffer){0};
    const int file = file_open(path, error);
    if (file < 0) return false;
    const bool ok = file_read_open(buffer, file, path, error);
    close(file);
    return ok;
}

// --- temporary files and directories ---

#define RANDOM_LETTERS 6
#define MARK           ".bitter-" // no file of the user has such a name
#define SUFFIX         ".tmp"
#define ATTEMPTS       100

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static bool random_name(char name[PATH_CAPACITY], const char *path, uint64_t bits) {
    char middle[RANDOM_LETTERS + 1] = "";
    for (int i = 0; i < RANDOM_LETTERS; i++, bits /= sizeof letters - 1)
        middle[i] = letters[bits % (sizeof letters - 1)];
    return snprintf(name, PATH_CAPACITY, "%s%s%s%s", path, MARK, middle, SUFFIX) < PATH_CAPACITY;
}

// Is `entry` a name that random_name could have made from `base`?
static bool is_random_name(const char *entry, const char *base) {
    const size_t length = strlen(base);
    if (strncmp(entry, base, length) != 0 || strncmp(entry + length, MARK, strlen(MARK)) != 0) return false;
    const char *middle = entry + length + strlen(MARK);
    return strspn(middle, letters) == RANDOM_LETTERS && strcmp(middle + RANDOM_LETTERS, SUFFIX) == 0;
}

// Open a possible leftover; -1 unless it is of this kind and belongs to this user. Follows no link, and opens no device
// or pipe.
static int open_leftover(const char *name, TemporaryKind kind) {
    struct stat status;
    if (lstat(name, &status) != 0 || status.st_uid != geteuid()) return -1;
    if (kind == TEMPORARY_FILE)
        return S_ISREG(status.st_mode) ? open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    return S_ISDIR(status.st_mode) ? open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

// Remove the file if it can be locked: then the process that made it has ended.
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
        // ENOENT: another process took it for a leftover before it was locked, and removed it.
        if (reason != EEXIST && reason != ENOENT) break;
    }
    *name = 0;
    errno = reason;
    return -1;
}

// Removes only entries of the directory that was opened, in case a link is put in its place meanwhile.
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

// --- files that are replaced as a whole ---

static bool check_place(AtomicFile *file, Error *error) {
    struct stat status;
    file->replaces = lstat(file->path, &status) == 0;
    if (!file->replaces && errno != ENOENT && errno != ENOTDIR)
        return fail_place("stat", file->path, errno, other_place, "", error);
    if (file->replaces && S_ISLNK(status.st_mode)) // its target may belong to somebody else
        return fail_input(error, "%s is a symbolic link; name the file itself, or remove the link", file->path);
    return !file->replaces || S_ISREG(status.st_mode) ||
           fail_input(error, "%s is not a regular file; name a new one", file->path);
}

static bool fail_write(const AtomicFile *file, int reason, Error *error) {
    return fail_place("write", file->path, reason, other_place,
                      file->replaces ? " (what was there before is untouched)" : "", error);
}

bool atomic_open(AtomicFile *file, const char *path, Error *error) {
    *file = (AtomicFile){0};
    if (!path_format(file->path, error, "%s", path) || !check_place(file, error)) return false;
    const int descriptor = temporary_create(file->temporary, file->path, TEMPORARY_FILE);
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file->stream) return true;
    const int reason = errno;
    if (descriptor >= 0) {
        temporary_remove(file->temporary);
        close(descriptor);
    }
    return fail_write(file, reason, error);
}

static bool abandon_because(AtomicFile *file, int reason, Error *error) {
    atomic_abandon(file);
    fail_write(file, reason, error);
    error->kind = ERROR_RUN; // the place was writable before
    return false;
}

bool atomic_write(AtomicFile *file, const void *bytes, size_t size, Error *error) {
    if (fwrite(bytes, 1, size, file->stream) == size) return true;
    return abandon_because(file, errno, error);
}

bool atomic_commit(AtomicFile *file, Error *error) {
    if (fflush(file->stream) != 0 || file_sync(fileno(file->stream)) != 0) return abandon_because(file, errno, error);
    if (ferror(file->stream)) return abandon_because(file, ENOSPC, error); // even if there is room again by now
    // If this process has lost its lock, the process that took over the directory has removed the temporary file, so
    // that a rename that comes too late fails.
    if (rename(file->temporary, file->path) != 0) return abandon_because(file, errno, error);
    fclose(file->stream); // everything is on the disk already; until here the temporary file was locked
    file->stream = NULL;
    return sync_parent(file->path, error);
}

void atomic_abandon(AtomicFile *file) {
    if (!file->stream) return;
    unlink(file->temporary);
    fclose(file->stream);
    file->stream = NULL;
}

bool atomic_text(const char *path, const char *text, Error *error) {
    AtomicFile file;
    return atomic_open(&file, path, error) && atomic_write(&file, text, strlen(text), error) &&
           atomic_write(&file, "\n", 1, error) && atomic_commit(&file, error);
}
