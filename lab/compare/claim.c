#include "lab/compare/claim.h"

#include "base/progress.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DIGITS_MOST 5 // of a claim's number, which rises by one for each worker that dies

// Identify where a process number is valid: the host's name, its current boot (because hosts may share a name) and the
// namespace of process numbers (because each container has its own). False where the system does not tell.
static bool machine(char text[256]) {
    struct utsname system;
    char start[64] = "", numbers[64] = "";
    const char *host = uname(&system) == 0 ? system.nodename : "unknown";
    bool known = false;
#ifdef __APPLE__
    size_t size = sizeof start;
    known = sysctlbyname("kern.bootsessionuuid", start, &size, NULL, 0) == 0;
#else
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r"); // Linux; elsewhere only `patience` decides
    if (file) {
        known = fgets(start, sizeof start, file) && readlink("/proc/self/ns/pid", numbers, sizeof numbers - 1) > 0;
        fclose(file);
    }
#endif
    start[strcspn(start, "\n")] = '\0';
    snprintf(text, 256, "%.100s %s%s%s", host, start, *numbers ? "/" : "", numbers);
    return known;
}

// Did the claim belong to a process of this machine that has ended?
static bool is_gone(const char *path) {
    Buffer file;
    Error ignored;
    char here[256];
    if (!machine(here) || !file_read(&file, path, &ignored)) return false;
    const char *text = (const char *)file.bytes;
    const size_t length = strlen(here);
    const bool same = strncmp(text, here, length) == 0 && text[length] == ' ';
    const long number = same ? strtol(text + length, NULL, 10) : 0;
    const bool gone = number > 0 && kill((pid_t)number, 0) != 0 && errno == ESRCH;
    free(file.bytes);
    return gone;
}

// Seconds since a claim was touched, by the clock of the file system, which is read from a new file. 0 when that fails.
static double age_of(const struct stat *claim, const char *directory) {
    char probe[PATH_CAPACITY];
    struct stat now;
    if (snprintf(probe, sizeof probe, "%s/.now-XXXXXX", directory) >= (int)sizeof probe) return 0;
    const int file = mkstemp(probe);
    if (file < 0) return 0;
    const bool known = fstat(file, &now) == 0;
    close(file);
    unlink(probe);
    return known ? difftime(now.st_mtime, claim->st_mtime) : 0;
}

// Seconds for which this process has seen the claim in its present state.
static double seen_for(Sighting *seen, const struct stat *claim) {
    const double now = clock_seconds();
    if (seen->file != claim->st_ino || seen->touched != claim->st_mtime)
        *seen = (Sighting){.file = claim->st_ino, .touched = claim->st_mtime, .since = now};
    return now - seen->since;
}

// A claim dated in the future was touched before the clock was set back, so its age counts from when this process first
// saw it. One second more is required, because file times are compared in whole seconds.
static bool is_free(const char *path, const char *directory, double patience, Sighting *seen) {
    struct stat claim;
    if (lstat(path, &claim) != 0) return false;
    if (!S_ISREG(claim.st_mode) || is_gone(path)) return true; // claims are regular files
    const double age = age_of(&claim, directory), watched = seen_for(seen, &claim);
    return age < 0 ? watched > patience + 1 : age > patience;
}

// Find the number of the job's last claim; 0 = there is none. Fails (input) on an impossibly large number, because
// claim_release counts up to it.
static bool last_claim(int *last, const char *directory, const char *name, Error *error) {
    const size_t length = strlen(name);
    DIR *entries = opendir(directory);
    if (!entries)
        return fail_input(error, "cannot read the directory %s: %s; choose a place that you can read", directory,
                          strerror(errno));
    *last = 0;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] != '.') continue;
        const char *digits = entry->d_name + length + 1;
        if (*digits == '0' || strspn(digits, "0123456789") != strlen(digits)) continue;
        if (strlen(digits) > DIGITS_MOST) {
            fail_input(error, "%s/%s cannot be a claim: its number is too large; remove it", directory, entry->d_name);
            closedir(entries);
            return false;
        }
        if (atoi(digits) > *last) *last = atoi(digits);
    }
    closedir(entries);
    return true;
}

static bool name_claim(char path[PATH_CAPACITY], const char *directory, const char *name, int number, Error *error) {
    return path_format(path, error, "%s/%s.%d", directory, name, number);
}

// Create the file, and describe this process in it: "host boot/namespace pid". Returns -1 with errno when the file
// exists or cannot be written.
static int create_claim(const char *path) {
    char here[256], text[320];
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    machine(here);
    snprintf(text, sizeof text, "%s %ld\n", here, (long)getpid());
    if (file < 0 || write(file, text, strlen(text)) == (ssize_t)strlen(text)) return file;
    const int reason = errno;
    close(file);
    unlink(path);
    errno = reason;
    return -1;
}

// The owner's thread, so that a worker that is slow but alive keeps its claim.
static void *keep_touching(void *context) {
    Claim *claim = context;
    atomic_store(&claim->started, true);
    const double pause = fmin(claim->patience / 6, 1); // at least once a second, because others may have less patience
    const struct timespec time = {.tv_sec = (time_t)pause, .tv_nsec = (long)(1e9 * (pause - floor(pause)))};
    while (nanosleep(&time, NULL) == 0 || errno == EINTR) futimens(claim->file, NULL); // ends by pthread_cancel
    return NULL;
}

static ClaimResult take_back(const Claim *claim, ClaimResult result) {
    unlink(claim->path);
    close(claim->file);
    return result;
}

ClaimResult claim_take(Claim *claim, const char *directory, const char *name, double patience, Sighting *seen,
                       Error *error) {
    char before[PATH_CAPACITY];
    int last = 0;
    if (!last_claim(&last, directory, name, error) || !name_claim(before, directory, name, last, error) ||
        !name_claim(claim->path, directory, name, last + 1, error) ||
        !name_claim(claim->next, directory, name, last + 2, error))
        return CLAIM_FAILED;
    if (last > 0 && !is_free(before, directory, patience, seen)) return CLAIM_TAKEN;
    claim->file = create_claim(claim->path);
    if (claim->file < 0 && errno == EEXIST) return CLAIM_TAKEN; // another worker was faster
    if (claim->file < 0) {
        fail_input(error, "cannot write %s: %s; choose a place that you can write to", claim->path, strerror(errno));
        return CLAIM_FAILED;
    }
    // In the meantime all claims on the job may have been removed, and new ones made.
    if (last > 0 && !is_free(before, directory, patience, seen)) return take_back(claim, CLAIM_TAKEN);
    claim->number = last + 1;
    claim->patience = patience;
    claim->looked = clock_seconds();
    atomic_store(&claim->started, false);
    if (pthread_create(&claim->toucher, NULL, keep_touching, claim) == 0) {
        while (!atomic_load(&claim->started)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        return CLAIM_MINE;
    }
    fail_run(error, "cannot start a thread that keeps %s", claim->path);
    return take_back(claim, CLAIM_FAILED);
}

bool claim_wait(Claim *claim, const char *directory, const char *name, double patience, Error *error) {
    ClaimResult result;
    Sighting seen = {0};
    while ((result = claim_take(claim, directory, name, patience, &seen, error)) == CLAIM_TAKEN)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return result == CLAIM_MINE;
}

static bool is_mine(const Claim *claim) {
    struct stat status;
    return fstat(claim->file, &status) == 0 && status.st_nlink > 0 && !path_exists(claim->next);
}

bool claim_keep(Claim *claim) {
    const double now = clock_seconds();
    if (now - claim->looked < claim->patience / 6) return true;
    claim->looked = now;
    return is_mine(claim);
}

void claim_release(Claim *claim) {
    pthread_cancel(claim->toucher);
    pthread_join(claim->toucher, NULL);
    // Remove this worker's own file last, so that the job counts as taken until then.
    for (int number = 1; number <= claim->number && is_mine(claim); number++) {
        snprintf(strrchr(claim->path, '.'), 12, ".%d", number);
        unlink(claim->path);
    }
    // Date the file 1970, so that nobody waits for this claim if a later one is withdrawn.
    futimens(claim->file, (struct timespec[2]){{0}, {0}});
    close(claim->file);
}
