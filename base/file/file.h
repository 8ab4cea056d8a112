// Reading whole files, and replacing files so that a crash never leaves half of one.
#ifndef BITTER_FILE_H
#define BITTER_FILE_H

#include "base/error.h"
#include "base/path.h"

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint8_t *bytes; // (size), followed by one 0 byte so that text can be read as a string
    size_t size;
} Buffer;

// Create the directory and its missing parents, so that they survive a power cut; an existing directory is fine. Fails
// (input) when that is not permitted, and then creates nothing. Sets *existing, unless it is NULL, to the length of the
// part of `path` that existed before.
bool directory_create(const char *path, size_t *existing, Error *error);

// Remove the directories that directory_create made, as far as they are empty.
void directory_uncreate(const char *path, size_t existing);

// The next entry of a directory; NULL at its end or when it cannot be read. Call directory_end then.
const struct dirent *directory_next(DIR *entries);

// Close a directory, called `path` in errors, after directory_next has returned NULL. Fails (run) when that was not the
// directory's end.
bool directory_end(DIR *entries, const char *path, Error *error);

// Write an open file to the disk; returns as fsync does, 0 or -1 with errno.
int file_sync(int fd);

// Write the directory's entries to the disk, so that a rename inside it survives a power cut.
bool directory_sync(const char *path, Error *error);

// Set the error for a path that cannot be created; `reason` is errno. It is a failure of the run when the disk is full
// or broken, memory is short or too many files are open, because another path would not help, and otherwise bad input.
// Returns false.
bool fail_create(const char *path, int reason, Error *error);

// Set the error for a file that cannot be opened; `reason` is errno. A failure of the run when disk, network or system
// fail, and otherwise bad input, with `advice` (unless permission was denied) and the nearest name. Returns false.
bool fail_open(const char *path, int reason, const char *advice, Error *error);

// Fails (input) when the path is a symbolic link, even one that leads nowhere; `remedy` ends the message. A path with a
// slash at its end names what the link leads to. Fails as fail_open does when the path cannot be examined.
bool path_check_link(const char *path, const char *remedy, Error *error);

// As fail_create, for a lock file that lock_take could not take.
bool fail_lock(const char *path, int reason, Error *error);

// Open a file that exists for appending, following no symbolic link; NULL with errno.
FILE *file_append(const char *path);

// Open a regular file for reading; returns its descriptor, or -1. Does not wait for a named pipe. Fails (input) when it
// is missing, not permitted or not a regular file, (run) when the disk, the network or the system fails.
int file_open(const char *path, Error *error);

// Read a whole regular file, or the rest of an open file, which stays open and is called `name` in errors; the caller
// frees buffer->bytes. Fails as file_open does, (input) when it is a directory, (run) when it cannot be read or memory
// runs out.
bool file_read(Buffer *buffer, const char *path, Error *error);
bool file_read_open(Buffer *buffer, int file, const char *name, Error *error);

// The same from any source. read_bytes is like read(). `first` is how many bytes to make room for at once, so that a
// source too large for memory, such as a sparse file of terabytes, is refused before it fills the memory.
typedef ptrdiff_t ReadBytes(void *source, void *bytes, size_t size);
bool buffer_fill(Buffer *buffer, ReadBytes *read_bytes, void *source, size_t first, const char *name, Error *error);

// Remove a byte order mark (UTF-8's) from the start; make every \r\n a \n. Return whether there was any.
bool buffer_drop_mark(Buffer *buffer);
bool buffer_drop_returns(Buffer *buffer);

// Temporary files and directories are made beside those that they will replace.
typedef enum { TEMPORARY_FILE, TEMPORARY_DIRECTORY } TemporaryKind;

// Create a new file or directory PATH.bitter-XXXXXX.tmp, with six random characters, and write its path to `name`.
// First removes what processes that have ended left under such names. Returns a descriptor (for a file, open for
// writing) that keeps it locked until it is closed, or -1 with errno.
int temporary_create(char name[PATH_CAPACITY], const char *path, TemporaryKind kind);

// Remove the temporary files or directories that processes left beside `path` when they ended.
void temporary_clear(const char *path, TemporaryKind kind);

// Remove the file, or the directory with the files in it.
void temporary_remove(const char *name);

// A file that is replaced as a whole: bytes go to a temporary file beside `path`, and commit writes them to the disk
// and renames the file, so that a crash at any instant leaves either the old or the new file. A temporary file that a
// crash has left is removed when the same `path` is opened again.
typedef struct {
    FILE *stream;
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY];
    bool replaces; // there was a file before
} AtomicFile;

// Fails (input) when `path` cannot be written to or is not a regular file but, say, a symbolic link, (run) when the
// disk is full or broken.
bool atomic_open(AtomicFile *file, const char *path, Error *error);
bool atomic_write(AtomicFile *file, const void *bytes, size_t size, Error *error); // on failure the file is abandoned
// On failure the file is abandoned, or, if only its directory could not be synced, already in place.
bool atomic_commit(AtomicFile *file, Error *error);
void atomic_abandon(AtomicFile *file); // removes the temporary file; harmless after commit or failure

// All steps at once: afterwards the file is `text` and a newline or, on failure, what it was before.
bool atomic_text(const char *path, const char *text, Error *error);

#endif
