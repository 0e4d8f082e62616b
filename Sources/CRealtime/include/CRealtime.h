// What the realtime thread needs of the machine: denormals flushed to zero, marks that tell
// RealtimeSanitizer where realtime code begins and ends, and events to wake waiting threads.
#pragma once
#include <stdbool.h>
#include <stdint.h>

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
