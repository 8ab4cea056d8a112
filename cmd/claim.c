#include "cmd/claim.h"

#include "cmd/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { CLAIMS_MOST = 100000 }; // of one job: each is a worker that died

// "host pid" of the owner.
static void owner(char text[256]) {
    struct utsname system;
    const char *host = uname(&system) == 0 ? system.nodename : "unknown";
    snprintf(text, 256, "%.200s %ld\n", host, (long)getpid());
}

// Is the owner a process of this machine that is no more?
static bool is_gone(const char *path) {
    Buffer file;
    Error ignored;
    char mine[256];
    if (!file_read(&file, path, &ignored)) return false;
    owner(mine);
    const char *text = (const char *)file.bytes, *pid = strchr(text, ' ');
    const bool here = pid && strncmp(text, mine, (size_t)(pid - text) + 1) == 0;
    const long number = here ? strtol(pid, NULL, 10) : 0;
    const bool gone = number > 0 && kill((pid_t)number, 0) != 0 && errno == ESRCH;
    free(file.bytes);
    return gone;
}

// Seconds since the claim was touched, by the clock of the file system: that of a file made now.
static double age_of(const char *path, const char *directory) {
    char probe[PATH_CAPACITY];
    struct stat claim, now;
    if (snprintf(probe, sizeof probe, "%s/.now-XXXXXX", directory) >= (int)sizeof probe) return 0;
    const int file = mkstemp(probe);
    if (file < 0) return 0;
    const bool known = fstat(file, &now) == 0 && stat(path, &claim) == 0;
    close(file);
    unlink(probe);
    return known ? difftime(now.st_mtime, claim.st_mtime) : 0;
}

static bool is_free(const char *path, const char *directory, double patience) {
    return is_gone(path) || age_of(path, directory) > patience;
}

static bool name_claim(char path[PATH_CAPACITY], const char *directory, const char *name, int number, Error *error) {
    return path_format(path, error, "%s/%s.%d", directory, name, number);
}

// The owner's thread: work that takes longer than anybody's patience, such as measuring a large model, is alive.
static void *keep_touching(void *context) {
    Claim *claim = context;
    const double pause = claim->patience / 6;
    pthread_mutex_lock(&claim->lock);
    while (!claim->over) {
        struct timespec next;
        clock_gettime(CLOCK_REALTIME, &next);
        const double nanoseconds = (double)next.tv_nsec + 1e9 * (pause - floor(pause));
        next.tv_sec += (time_t)pause + (nanoseconds >= 1e9);
        next.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
        pthread_cond_timedwait(&claim->wake, &claim->lock, &next);
        if (!claim->over) utimensat(AT_FDCWD, claim->path, NULL, 0);
    }
    pthread_mutex_unlock(&claim->lock);
    return NULL;
}

// The new file, with its owner's name.
static bool write_claim(const char *path, Error *error) {
    char text[256];
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) return false;
    owner(text);
    const bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    const int reason = errno;
    if (file >= 0) close(file);
    if (file >= 0 && !written) unlink(path);
    errno = reason;
    return written;
}
ClaimResult claim_take(Claim *claim, const char *directory, const char *name, double patience, Error *error) {
    char last[PATH_CAPACITY], text[256];
    int number = 1;
    for (;; number++) {
        if (!name_claim(claim->path, directory, name, number, error)) return CLAIM_FAILED;
        if (!path_exists(claim->path)) break;
    }
    if (number > 1) {
        if (!name_claim(last, directory, name, number - 1, error)) return CLAIM_FAILED;
        if (!is_gone(last) && !(age_of(last, directory) > patience)) return CLAIM_TAKEN;
    }
    if (number >= CLAIMS_MOST || !name_claim(claim->next, directory, name, number + 1, error)) return CLAIM_FAILED;
    const int file = open(claim->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) return CLAIM_TAKEN; // somebody was faster
    owner(text);
    const bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) close(file);
    if (!written) {
        fail_input(error, "cannot write %s: %s; choose a place that you can write to", claim->path, strerror(errno));
        return CLAIM_FAILED;
    }
    claim->touched = clock_seconds();
    claim->patience = patience;
    return CLAIM_MINE;
}

bool claim_keep(Claim *claim) {
    const double now = clock_seconds();
    if (now - claim->touched < claim->patience / 6) return true;
    claim->touched = now;
    return utimensat(AT_FDCWD, claim->path, NULL, 0) == 0 && !path_exists(claim->next);
}

void claim_release(Claim *claim) {
    char *number = strrchr(claim->path, '.') + 1;
    if (path_exists(claim->next)) return; // it is somebody else's
    for (long n = strtol(number, NULL, 10); n > 0; n--) {
        snprintf(number, (size_t)(claim->path + sizeof claim->path - number), "%ld", n);
        unlink(claim->path);
    }
}
