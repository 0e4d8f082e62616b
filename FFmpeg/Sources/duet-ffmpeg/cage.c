#define _GNU_SOURCE
#include "cage.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Bytes that the song may take besides what the libraries have taken. The index of a ten-hour M4A
// takes 50 MB.
static const rlim_t most_memory = 256 << 20;
// Seconds of processor time for one answer, or for one piece of the song on the way to it.
static const rlim_t most_seconds = 30;

static void limit(int resource, rlim_t most) {
    struct rlimit value;
    if (getrlimit(resource, &value)) return;
    if (value.rlim_max == RLIM_INFINITY || value.rlim_max > most) value.rlim_max = most;
    value.rlim_cur = value.rlim_max;
    setrlimit(resource, &value);
}

// The bytes of address space that are in use.
static rlim_t size_of_process(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        if (fscanf(file, "%llu", &pages) != 1) pages = 0;
        fclose(file);
    }
    return pages ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : (rlim_t)1 << 30;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define IF_ANY(bits, skipped) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (skipped), 0)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define ALLOW(name) UNLESS(SYS_##name, 1), ANSWER(SECCOMP_RET_ALLOW)

// From here on any system call but these fails with EPERM. No memory becomes executable, and limits
// are set for this process only.
static void filter_calls(void) {
    struct sock_filter rules[] = {
        // The number of another architecture is not loaded, and the architecture is no number.
        LOAD(arch), UNLESS(ARCHITECTURE, 1), LOAD(nr),
        ALLOW(recvfrom), ALLOW(sendmsg),
        ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(futex),
        ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(gettimeofday), ALLOW(getrandom),
        ALLOW(sched_getaffinity), ALLOW(sched_yield), ALLOW(getpid), ALLOW(gettid),
        ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(exit), ALLOW(exit_group),
        UNLESS(SYS_mmap, 3), LOAD(args[2]), IF_ANY(PROT_EXEC, 9), ANSWER(SECCOMP_RET_ALLOW),
        UNLESS(SYS_mprotect, 3), LOAD(args[2]), IF_ANY(PROT_EXEC, 5), ANSWER(SECCOMP_RET_ALLOW),
        UNLESS(SYS_prlimit64, 3), LOAD(args[0]), UNLESS(0, 1), ANSWER(SECCOMP_RET_ALLOW),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    // A kernel without filters refuses; the limits hold nevertheless.
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void filter_calls(void) {}
#endif

void cage_close(void) {
#ifndef __has_feature
#define __has_feature(name) 0 // GCC has no such question.
#endif
#if __has_feature(address_sanitizer)
    // It takes terabytes of addresses, reports to standard error, and looks into /proc.
    cage_renew();
    return;
#endif
    close_range(1, ~0u, 0);
    limit(RLIMIT_AS, size_of_process() + most_memory);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 0);
    cage_renew();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) filter_calls();
}

void cage_renew(void) {
    struct rlimit value;
    if (getrlimit(RLIMIT_CPU, &value)) return;
    rlim_t wanted = (rlim_t)(clock() / CLOCKS_PER_SEC) + 1 + most_seconds;
    if (value.rlim_max != RLIM_INFINITY && wanted > value.rlim_max) wanted = value.rlim_max;
    value.rlim_cur = wanted;
    setrlimit(RLIMIT_CPU, &value);
}
