// Run a program and make one of its system calls fail, to see how the program reacts.
//
//   faults LOG PROGRAM ARGUMENT...                            list the calls: lines "PROCESS KIND NUMBER"
//   faults LOG PROCESS KIND NUMBER HOW PROGRAM ARGUMENT...    the call of this number ends as HOW says
//
// With a + after HOW, all later calls of this kind by this process end in the same way. HOW is the name of an error
// (ENOSPC), `half` (a write writes half of its bytes), `limit` (from now on, no more files may be open than are now),
// or `kill` (SIGKILL arrives before the call). PROCESS 0 is the program, 1 the first process or thread that it starts,
// and so on; each counts its own calls of each kind, from the beginning of main(), so a parent that checks its
// children's files now and then shifts the numbers of its stat calls only. The exit code is that of the program, or 128
// + N if signal N ended it.
//
// It uses the debugger's interface (ptrace), so that calls inside the C library are also seen.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h> // before the next, whose macros are its enumerators
#include <linux/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MOST 64

typedef enum {
    OPEN,
    WRITE,
    SYNC,
    RENAME,
    CLOSE,
    MKDIR,
    UNLINK,
    TRUNCATE,
    READ,
    STAT,
    MEMORY,
    FORK,
    LOCK,
    KINDS
} Kind; // KINDS: none of these

static const char *const kind_names[] = {"open",     "write", "sync", "rename", "close", "mkdir", "unlink",
                                         "truncate", "read",  "stat", "memory", "fork",  "lock"};

static const struct {
    long number;
    Kind kind;
} calls[] = {
    {SYS_openat, OPEN},       {SYS_open, OPEN},       {SYS_write, WRITE},     {SYS_pwrite64, WRITE},
    {SYS_fsync, SYNC},        {SYS_fdatasync, SYNC},  {SYS_rename, RENAME},   {SYS_renameat, RENAME},
    {SYS_renameat2, RENAME},  {SYS_close, CLOSE},     {SYS_mkdir, MKDIR},     {SYS_mkdirat, MKDIR},
    {SYS_unlink, UNLINK},     {SYS_unlinkat, UNLINK}, {SYS_rmdir, UNLINK},    {SYS_ftruncate, TRUNCATE},
    {SYS_truncate, TRUNCATE}, {SYS_read, READ},       {SYS_pread64, READ},    {SYS_getdents64, READ},
    {SYS_stat, STAT},         {SYS_lstat, STAT},      {SYS_fstat, STAT},      {SYS_newfstatat, STAT},
    {SYS_access, STAT},       {SYS_faccessat, STAT},  {SYS_faccessat2, STAT}, {SYS_mmap, MEMORY},
    {SYS_clone, FORK},        {SYS_clone3, FORK},     {SYS_fork, FORK},       {SYS_vfork, FORK},
    {SYS_flock, LOCK},
};

static const struct {
    const char *name;
    int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},   {"EMFILE", EMFILE},
              {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"ENOLCK", ENOLCK}};

typedef struct {
    pid_t pid;
    long calls[KINDS];
    int error; // with which the present call is to end; 0 = as it ends
} Process;

static Process processes[PROCESSES_MOST];
static int process_count;
static bool in_main;
static FILE *list;

// The fault: it affects call `fault_number` of `fault_kind` of the process `fault_process`.
static int fault_process = -1, fault_error;
static Kind fault_kind;
static long fault_number;
static bool fault_half, fault_kill, fault_limit, fault_repeats;

static void give_up(const char *what) {
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(125);
}

static Process *find_process(pid_t pid) {
    for (int i = 0; i < process_count; i++)
        if (processes[i].pid == pid) return &processes[i];
    if (process_count == PROCESSES_MOST) give_up("too many processes");
    processes[process_count] = (Process){.pid = pid};
    return &processes[process_count++];
}

static Kind kind_of(const struct ptrace_syscall_info *info) {
    const long number = (long)info->entry.nr;
    if (number == SYS_fcntl) {
        const long command = (long)info->entry.args[1];
        return command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ? LOCK : KINDS;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number) return calls[i].kind;
    return KINDS;
}

// The program's own first call, open_standard_files in train.c; earlier calls were the loader's and the libraries'.
static bool begins_main(const struct ptrace_syscall_info *info) {
    return info->entry.nr == SYS_fcntl && info->entry.args[0] == STDIN_FILENO && info->entry.args[1] == F_GETFD;
}

static void change_registers(Process *process, bool skip, bool half, bool set_result) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, process->pid, NULL, &registers) != 0) give_up("reading registers");
    if (skip) registers.orig_rax = (unsigned long long)-1;
    if (half) registers.rdx -= registers.rdx / 2;
    if (set_result) registers.rax = (unsigned long long)-process->error;
    if (ptrace(PTRACE_SETREGS, process->pid, NULL, &registers) != 0) give_up("changing registers");
}

static void limit_files(pid_t pid) {
    char path[80];
    struct stat status;
    rlim_t next = 0; // the lowest number of a file that is not open
    for (;; next++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)next);
        if (lstat(path, &status) != 0) break;
    }
    if (prlimit(pid, RLIMIT_NOFILE, &(struct rlimit){next, next}, NULL) != 0) give_up("limiting open files");
}

static void enter_call(Process *process, const struct ptrace_syscall_info *info) {
    if (begins_main(info)) in_main = true;
    const Kind kind = in_main ? kind_of(info) : KINDS;
    if (kind == KINDS) return;
    const int index = (int)(process - processes);
    const long number = ++process->calls[kind];
    const bool chosen = index == fault_process && kind == fault_kind &&
                        (number == fault_number || (fault_repeats && number > fault_number));
    if (fault_process < 0 || chosen) fprintf(list, "%d %s %ld\n", index, kind_names[kind], number);
    if (!chosen) return;
    fflush(list);
    if (fault_kill) kill(process->pid, SIGKILL);
    if (fault_limit) limit_files(process->pid);
    if (fault_half) change_registers(process, false, true, false);
    process->error = fault_error;
    // A file is closed even when close() fails.
    if (fault_error && info->entry.nr != SYS_close) change_registers(process, true, false, false);
}

static void leave_call(Process *process) {
    if (process->error) change_registers(process, false, false, true);
    process->error = 0;
}

// Returns the signal to pass on to the process.
static int handle_stop(Process *process, int status) {
    const int number = WSTOPSIG(status);
    if (status >> 16 || number == SIGTRAP) return 0;            // a new process, or exec
    if (number == SIGSTOP && process - processes > 0) return 0; // a new process begins
    if (number != (SIGTRAP | 0x80)) return number;
    struct ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, process->pid, sizeof info, &info) <= 0) return 0; // it was killed meanwhile
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) enter_call(process, &info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) leave_call(process);
    return 0;
}

static int trace(pid_t program) {
    int status, code = 125;
    pid_t pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == program) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        const int number = handle_stop(find_process(pid), status);
        ptrace(PTRACE_SYSCALL, pid, NULL, (long)number); // fails when it has been killed
    }
    return code;
}

static void read_fault(char **arguments) {
    const char *kind = arguments[1];
    char *how = arguments[3];
    fault_repeats = *how && how[strlen(how) - 1] == '+';
    if (fault_repeats) how[strlen(how) - 1] = 0;
    fault_process = atoi(arguments[0]);
    while (fault_kind < KINDS && strcmp(kind, kind_names[fault_kind]) != 0) fault_kind++;
    fault_number = atol(arguments[2]);
    fault_half = strcmp(how, "half") == 0;
    fault_kill = strcmp(how, "kill") == 0;
    fault_limit = strcmp(how, "limit") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(how, errors[i].name) == 0) fault_error = errors[i].number;
    if (fault_kind == KINDS || (!fault_half && !fault_kill && !fault_limit && !fault_error)) {
        fprintf(stderr, "faults: %s %s is no call or no error that it knows\n", kind, how);
        exit(125);
    }
}

int main(int argc, char **argv) {
    const bool injects = argc > 6 && argv[2][0] >= '0' && argv[2][0] <= '9';
    if (argc < 3) return 125;
    list = fopen(argv[1], "we");
    if (!list) give_up(argv[1]);
    if (injects) read_fault(argv + 2);
    char **command = argv + (injects ? 6 : 2);
    const pid_t program = fork();
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(command[0], command);
        _exit(126);
    }
    int status;
    if (program < 0 || waitpid(program, &status, 0) != program) give_up(command[0]);
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, NULL, options) != 0) give_up("ptrace");
    find_process(program);
    ptrace(PTRACE_SYSCALL, program, NULL, 0L);
    const int code = trace(program);
    fclose(list);
    return code;
}
