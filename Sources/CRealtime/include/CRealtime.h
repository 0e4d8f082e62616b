// What the realtime thread needs of the machine: denormals flushed to zero, the marks that tell
// RealtimeSanitizer where realtime code begins and ends, and the events of those who wait for it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define CREALTIME_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

/// The control word with flush-to-zero and denormals-are-zero set; returns the word before.
CREALTIME_NO_LOCKS uint32_t crealtime_flush_denormals(void);
/// Gives back what `crealtime_flush_denormals` returned.
CREALTIME_NO_LOCKS void crealtime_restore_denormals(uint32_t word);

/// Where a guarded stretch of realtime code runs.
enum crealtime_scope { CREALTIME_LIVE = 0, CREALTIME_OFFLINE = 1 };

/// Begins realtime code: under RealtimeSanitizer every blocking call until the matching leave
/// is reported. Does nothing in other builds.
CREALTIME_NO_LOCKS void crealtime_enter(enum crealtime_scope scope);
CREALTIME_NO_LOCKS void crealtime_leave(void);

/// A new eventfd that other threads can wait for: closed on exec, never blocking a writer.
int crealtime_event_create(void);
/// Makes the event readable. Async-signal-safe, but a system call: not for realtime code.
void crealtime_event_signal(int event);
/// Makes the event unreadable again; whether it was signalled.
bool crealtime_event_clear(int event);
/// Waits until the event is signalled, at most so many milliseconds, and clears it; whether it was.
bool crealtime_event_wait(int event, int milliseconds);

#ifdef DUET_RTSAN
/// Where a fault can be planted.
enum crealtime_place { CREALTIME_CALLBACK, CREALTIME_KERNEL };

/// Only in builds that test the sanitizer itself: allocates when DUET_PLANT in the environment
/// names `place` ("callback", "kernel").
CREALTIME_NO_LOCKS void crealtime_plant(enum crealtime_place place);
#endif
