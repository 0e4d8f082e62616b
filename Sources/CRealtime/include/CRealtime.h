// What the realtime thread needs of the machine: denormals flushed to zero, marks that tell
// RealtimeSanitizer where realtime code begins and ends, and events to wake waiting threads.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "crealtime_unit.h"

#define CREALTIME_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

/// Sets flush-to-zero and denormals-are-zero in the thread's control word; returns the word before.
CREALTIME_NO_LOCKS uint32_t crealtime_flush_denormals(void);
/// Restores the control word that `crealtime_flush_denormals` returned.
CREALTIME_NO_LOCKS void crealtime_restore_denormals(uint32_t word);

/// Where a guarded stretch of realtime code runs.
enum crealtime_scope { CREALTIME_LIVE = 0, CREALTIME_OFFLINE = 1 };

/// Begins realtime code: RealtimeSanitizer reports every blocking call until the matching leave.
/// Does nothing in other builds.
CREALTIME_NO_LOCKS void crealtime_enter(enum crealtime_scope scope);
CREALTIME_NO_LOCKS void crealtime_leave(void);

/// A render callback: fills, or changes in place, `channels` buffers of `frames` samples.
///
/// flags: see `RenderFlags`; frame: the graph's frame of the first sample; host_time: nanoseconds of
/// CLOCK_MONOTONIC; bus: the bus that is rendered. Returns 0, or an error of its own. Realtime: it
/// must not allocate, lock, wait, or call anything that may.
typedef int32_t (*crealtime_callback)(void *context, uint32_t *flags, int64_t frame,
                                      uint64_t host_time, int32_t bus, int32_t frames,
                                      int32_t channels, float *const *buffers);

/// Calls `callback`, whose author has proven it: the one call in the render path that the compiler
/// cannot look into.
CREALTIME_NO_LOCKS static inline int32_t crealtime_call(
    crealtime_callback callback, void *context, uint32_t *flags, int64_t frame, uint64_t host_time,
    int32_t bus, int32_t frames, int32_t channels, float *const *buffers) {
    return callback(context, flags, frame, host_time, bus, frames, channels, buffers);
}

/// Nanoseconds of CLOCK_MONOTONIC. Never waits.
CREALTIME_NO_LOCKS uint64_t crealtime_nanoseconds(void);

/// Makes an eventfd that threads can wait for: closed on exec, never blocking a writer. −1 with
/// errno when it cannot.
int crealtime_event_create(void);
/// Makes the event readable. Async-signal-safe, but a system call: not for realtime code.
void crealtime_event_signal(int event);
/// Makes the event unreadable again; returns whether it was signalled.
bool crealtime_event_clear(int event);
/// Waits until the event is signalled, at most `milliseconds`, and clears it; returns whether it
/// was signalled.
bool crealtime_event_wait(int event, int milliseconds);

#ifdef DUET_RTSAN
/// Where a test can plant a fault.
enum crealtime_place { CREALTIME_CALLBACK, CREALTIME_KERNEL };

/// A planted fault, only in builds with the sanitizer: allocates memory when DUET_PLANT in the
/// environment names `place` ("callback", "kernel").
CREALTIME_NO_LOCKS void crealtime_plant(enum crealtime_place place);
#endif
