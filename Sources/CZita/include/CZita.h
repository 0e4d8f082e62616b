// libzita-resampler, which is C++, behind plain C functions.
#pragma once
#include <stdint.h>

#define CZITA_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

#ifdef __cplusplus
extern "C" {
#endif

/// A resampler of interleaved floats.
typedef struct czita czita;

/// How many frames a call has taken, and how many it has made.
struct czita_counts {
    int32_t used;
    int32_t made;
};

/// Makes a resampler from `from` to `to` Hz for 1…8 channels: libzita's fixed one where it takes the
/// ratio, else its variable one. `half_length`, 8…96, is half the filter's length in frames of the
/// lower rate. NULL when libzita takes neither. Allocates: not for realtime code.
czita *czita_create(int32_t from, int32_t to, int32_t channels, int32_t half_length);

void czita_destroy(czita *zita);

/// Half the filter's length, in frames of `from`: what a frame that is made depends on, before it
/// and after it.
int32_t czita_half_length(const czita *zita);

/// Begins anew, as if `zeros` frames of silence had been taken. Realtime-safe, as czita_process.
CZITA_NO_LOCKS void czita_begin(czita *zita, int32_t zeros);

/// Takes up to `in_count` frames from `in` (NULL: silence) and makes up to `out_count`; ends when
/// either is used up, and takes no more than it needs.
///
/// Realtime-safe: libzita's process() is loops over memory that setup() has allocated, and calls
/// memset and memmove alone (its source, and the machine code of 1.8.0).
CZITA_NO_LOCKS struct czita_counts czita_process(
    czita *zita, const float *in, int32_t in_count, float *out, int32_t out_count);

#ifdef __cplusplus
}
#endif
