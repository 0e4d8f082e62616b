// libFLAC, which is loaded when one of its functions is called for the first time. Debian 12 and 13 have
// it by different names, and both play FLAC with the functions below; libsndfile brings it wherever duet
// runs. The functions that cflac.c defines are libFLAC's, by its own header; the linker misses any other.
#pragma once
// What libFLAC's header includes is everybody's.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
// Nothing else in the process must find them: libsndfile has its own, of the library that it was linked to.
#pragma GCC visibility push(hidden)
#include <FLAC/stream_decoder.h>
#pragma GCC visibility pop

/// Why libFLAC cannot be loaded, NULL where it is. Then `FLAC__stream_decoder_new` returns NULL.
const char *cflac_failure(void);
