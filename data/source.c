#include "data/source.h"

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
    else if (status == Z_MEM_ERROR)
        ok = fail_run(error, "%s: no memory to inflate it", name);
    else if (status == Z_BUF_ERROR || status == Z_DATA_ERROR)
        ok = fail_input(error, "%s is %s (%s); get it again", name, status == Z_BUF_ERROR ? "cut short" : "damaged",
                        reason);
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

bool source_check(const Buffer *buffer, const char *path, Error *error) {
    size_t zeros = 0;
    for (size_t i = 0; i < buffer->size; i++) zeros += buffer->bytes[i] == 0;
    const bool utf16 =
        buffer->size >= 2 && (memcmp(buffer->bytes, "\xFF\xFE", 2) == 0 || memcmp(buffer->bytes, "\xFE\xFF", 2) == 0);
    return (!utf16 && zeros <= buffer->size / 1000) ||
           fail_input(
               error,
               "%s is no text, but an archive, a PDF file, UTF-16 or another binary file; make a text of it (such as "
               "unzip -p, xz -dc, pdftotext, iconv -f UTF-16 -t UTF-8), or take it as it is with --force",
               strcmp(path, "-") == 0 ? "standard input" : path);
}
