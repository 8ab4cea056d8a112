#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_format(char path[PATH_CAPACITY], Error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_CAPACITY, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < PATH_CAPACITY) return true;
    return fail_input(error, "the path '%.60s...' is too long; use one of less than %d bytes", path, PATH_CAPACITY);
}

bool path_exists(const char *path) {
    return access(path, F_OK) == 0;
}

bool path_ends_with(const char *path, const char *suffix) {
    const size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

bool directory_create(const char *path, Error *error) {
    char part[PATH_CAPACITY];
    if (!path_format(part, error, "%s", path)) return false;
    for (char *slash = part + 1;; slash++) {
        char end = *slash;
        if (end != '/' && end != 0) continue;
        *slash = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return fail_input(error, "cannot create the directory %s: %s; choose a place that you can write to", part,
                              strerror(errno));
        *slash = end;
        if (end == 0) break;
    }
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return fail_input(error, "%s is a file where a directory is needed; choose another name", path);
    return true;
}

bool directory_sync(const char *path, Error *error) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) return fail_run(error, "cannot open the directory %s: %s", path, strerror(errno));
    // Some file systems cannot sync a directory and say EINVAL; nothing more can be done there.
    bool ok = fsync(fd) == 0 || errno == EINVAL;
    if (!ok) fail_run(error, "cannot sync the directory %s: %s", path, strerror(errno));
    close(fd);
    return ok;
}

static bool buffer_discard(Buffer *buffer) {
    free(buffer->bytes);
    *buffer = (Buffer){0};
    return false;
}

bool stream_read(Buffer *buffer, FILE *stream, const char *name, Error *error) {
    *buffer = (Buffer){0};
    size_t capacity = 0;
    for (;;) {
        if (buffer->size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            uint8_t *larger = realloc(buffer->bytes, capacity);
            if (!larger) {
                fail_run(error, "%s: no memory for %zu bytes of it", name, capacity);
                return buffer_discard(buffer);
            }
            buffer->bytes = larger;
        }
        size_t got = fread(buffer->bytes + buffer->size, 1, capacity - 1 - buffer->size, stream);
        buffer->size += got;
        if (got == 0) break;
    }
    buffer->bytes[buffer->size] = 0;
    if (!ferror(stream)) return true;
    fail_input(error, "cannot read %s: %s", name, strerror(errno));
    return buffer_discard(buffer);
}

bool file_read(Buffer *buffer, const char *path, Error *error) {
    *buffer = (Buffer){0};
    FILE *stream = fopen(path, "rb");
    if (!stream) return fail_input(error, "cannot open %s: %s", path, strerror(errno));
    bool ok = stream_read(buffer, stream, path, error);
    fclose(stream);
    return ok;
}

bool atomic_open(AtomicFile *file, const char *path, Error *error) {
    file->stream = NULL;
    if (!path_format(file->path, error, "%s", path)) return false;
    if (!path_format(file->temporary, error, "%s.tmp", path)) return false;
    file->stream = fopen(file->temporary, "wb");
    if (file->stream) return true;
    return fail_input(error, "cannot write %s: %s; choose a place that you can write to", file->temporary,
                      strerror(errno));
}

static bool abandon_because(AtomicFile *file, int reason, Error *error) {
    atomic_abandon(file);
    return fail_run(error, "cannot write %s: %s; what was there before is untouched", file->path, strerror(reason));
}

bool atomic_write(AtomicFile *file, const void *bytes, size_t size, Error *error) {
    if (fwrite(bytes, 1, size, file->stream) == size) return true;
    return abandon_because(file, errno, error);
}

bool atomic_commit(AtomicFile *file, Error *error) {
    if (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0) return abandon_because(file, errno, error);
    int closed = fclose(file->stream);
    file->stream = NULL;
    if (closed != 0 || rename(file->temporary, file->path) != 0) return abandon_because(file, errno, error);
    char directory[PATH_CAPACITY];
    memcpy(directory, file->path, PATH_CAPACITY);
    char *slash = strrchr(directory, '/');
    if (slash) slash[slash == directory] = 0;
    return directory_sync(slash ? directory : ".", error);
}

void atomic_abandon(AtomicFile *file) {
    if (file->stream) fclose(file->stream);
    file->stream = NULL;
    unlink(file->temporary);
}
