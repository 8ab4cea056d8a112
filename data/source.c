#include "data/source.h"

#include "base/file/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static ptrdiff_t inflate_bytes(void *source, void *bytes, size_t size) {
    return gzread(source, bytes, size < 1u << 30 ? (unsigned)size : 1u << 30);
}

// gzread gives what is not gzipped as it is, so it reads everything.
static bool read_stream(Buffer *buffer, gzFile stream, size_t first, const char *name, bool packed, Error *error) {
    int status;
    bool ok = buffer_fill(buffer, inflate_bytes, stream, first, name, error);
    const char *reason = gzerror(stream, &status);
    if (ok && packed && gzdirect(stream))
        ok = fail_input(error, "%s is not gzip data, although its name ends in .gz; rename it if it is plain text",
                        name);
    else if (status == Z_BUF_ERROR)
        ok = fail_input(error, "%s is cut short: it ends in the middle of its gzip data; get it again", name);
    else if (status == Z_DATA_ERROR)
        ok = fail_input(error, "%s is damaged (%s); get it again", name, reason);
    else if (status == Z_MEM_ERROR)
        ok = fail_run(error, "%s: no memory to inflate it", name);
    return ok;
}

bool source_read(Buffer *buffer, const char *path, Error *error) {
    const bool standard = strcmp(path, "-") == 0;
    const int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    const char *name = standard ? "standard input" : path;
    *buffer = (Buffer){0};
    if (file < 0) return fail_open(name, errno, "check the name", error);
    gzFile stream = gzdopen(file, "rb");
    if (!stream) {
        close(file);
        return fail_run(error, "no memory to read %s", name);
    }
    const bool ok = read_stream(buffer, stream, file_room(file), name, path_ends_with(path, ".gz"), error);
    gzclose(stream);
    if (ok) return true;
    free(buffer->bytes);
    *buffer = (Buffer){0};
    return false;
}

// Files of other programs that are often taken for text: how they begin, and what turns them into text.
static const struct {
    size_t at;
    const char *begins, *what, *command;
} strangers[] = {
    {0, "PK\3\4", "a zip archive", "unzip -p"},
    {0, "\3757zXZ", "xz data", "xz -dc"},
    {4, "1AY&SY", "bzip2 data", "bzip2 -dc"},
    {0, "\x28\xB5\x2F\xFD", "zstd data", "zstd -dc"},
    {0, "%PDF-", "a PDF file", "pdftotext - - <"},
    {257, "ustar", "a tar archive", "tar -xOf"},
    {0, "\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {0, "\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {0, "", "a binary file, or UTF-16 without a byte order mark", "iconv -f UTF-16LE -t UTF-8"},
};
enum {
    BINARY = sizeof strangers / sizeof *strangers - 1,
    TEXT_BYTES = 1000
}; // more than one zero in so many is no text

bool source_check(const Buffer *buffer, const char *path, Error *error) {
    char quoted[QUOTED_CAPACITY];
    size_t zeros = 0, kind = 0;
    for (size_t i = 0; i < buffer->size; i++) zeros += buffer->bytes[i] == 0;
    for (; kind < BINARY; kind++) {
        const size_t at = strangers[kind].at, size = strlen(strangers[kind].begins);
        if (at + size <= buffer->size && memcmp(buffer->bytes + at, strangers[kind].begins, size) == 0) break;
    }
    if (kind == BINARY && zeros * TEXT_BYTES <= buffer->size) return true;
    return fail_input(error,
                      "%s is %s, not text; this takes the text out of it: %s %s | bitter prepare --out DIR -; "
                      "--force takes it as it is",
                      strcmp(path, "-") == 0 ? "standard input" : path, strangers[kind].what, strangers[kind].command,
                      shell_quoted(quoted, path));
}
