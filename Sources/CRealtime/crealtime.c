#include "CRealtime.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
// MXCSR: bit 15 flush-to-zero, bit 6 denormals-are-zero (Intel SDM 1, 10.2.3).
uint32_t crealtime_flush_denormals(void) {
    uint32_t word = _mm_getcsr();
    _mm_setcsr(word | 0x8040);
    return word;
}
void crealtime_restore_denormals(uint32_t word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
// FPCR: bit 24 flush-to-zero (Arm ARM, FPCR).
uint32_t crealtime_flush_denormals(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    __asm__ volatile("msr fpcr, %0" ::"r"(word | (1u << 24)));
    return (uint32_t)word;
}
void crealtime_restore_denormals(uint32_t word) {
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)word));
}
#else
#error "no way to flush denormals is known for this processor"
#endif

uint64_t crealtime_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int crealtime_event_create(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void crealtime_event_signal(int event) {
    // Fails only when the event's counter is full, and then the event is readable anyway.
    uint64_t one = 1;
    ssize_t written = write(event, &one, sizeof one);
    (void)written;
}

bool crealtime_event_clear(int event) {
    uint64_t count;
    return read(event, &count, sizeof count) == sizeof count;
}

bool crealtime_event_wait(int event, int milliseconds) {
    struct pollfd poller = {.fd = event, .events = POLLIN};
    return poll(&poller, 1, milliseconds) > 0 && crealtime_event_clear(event);
}

// Defined only where RealtimeSanitizer's runtime is linked.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

#ifndef DUET_RTSAN

void crealtime_enter(enum crealtime_scope scope) {
    (void)scope;
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}
void crealtime_leave(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

#else

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong guarded[2];
static int planted = -1;

// Appends one line to the file that DUET_RTSAN_COUNT names: the proof that cycles were guarded.
static void write_counts(void) {
    const char *path = getenv("DUET_RTSAN_COUNT");
    if (!path) return;
    char line[64];
    int length = snprintf(line, sizeof line, "%lu %lu\n", atomic_load(&guarded[0]),
                          atomic_load(&guarded[1]));
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0) return;
    if (write(file, line, length) != length) perror(path);
    close(file);
}

// The flag for this, log_path, has no effect in RealtimeSanitizer's runtime.
extern void __sanitizer_set_report_path(const char *path) __attribute__((weak));

__attribute__((constructor)) static void prepare(void) {
    // Reports go to files whose names begin like that, so that a child's report is not lost.
    const char *path = getenv("DUET_RTSAN_REPORT");
    if (path && __sanitizer_set_report_path) __sanitizer_set_report_path(path);
    const char *place = getenv("DUET_PLANT");
    if (place && !strcmp(place, "callback")) planted = CREALTIME_CALLBACK;
    if (place && !strcmp(place, "kernel")) planted = CREALTIME_KERNEL;
    atexit(write_counts);
    at_quick_exit(write_counts);
}

void crealtime_enter(enum crealtime_scope scope) {
    atomic_fetch_add_explicit(&guarded[scope], 1, memory_order_relaxed);
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}
void crealtime_leave(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

void crealtime_plant(enum crealtime_place place) {
    if (planted != (int)place) return;
    void *volatile block = malloc(64);
    free(block);
}

#endif
