#define _GNU_SOURCE
#include "CFlac.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#define EACH(X)                                                                                     \
    X(FLAC__stream_decoder_new) X(FLAC__stream_decoder_delete)                                      \
    X(FLAC__stream_decoder_set_metadata_respond) X(FLAC__stream_decoder_init_stream)                \
    X(FLAC__stream_decoder_process_single) X(FLAC__stream_decoder_seek_absolute)                    \
    X(FLAC__stream_decoder_get_state)

/// The functions of the loaded library; all NULL until then.
#define FIELD(name) __typeof__(&name) name;
static struct { EACH(FIELD) } lib;

static char failure[256];

static void load(void) {
    // As libFLAC 1.5, 1.4 and 1.3 are called.
    static const char *const names[] = {"libFLAC.so.14", "libFLAC.so.12", "libFLAC.so.8"};
    enum { COUNT = sizeof names / sizeof *names };
    void *handle = NULL;
    // That which libsndfile has brought counts first.
    for (size_t i = 0; i < COUNT && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    for (size_t i = 0; i < COUNT && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
#define FIND(name)                                                            \
    if (!(lib.name = (__typeof__(&name))dlsym(handle, #name))) {              \
        snprintf(failure, sizeof failure, "libFLAC is another one: no " #name); \
        return;                                                               \
    }
    EACH(FIND)
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return !*failure;
}

const char *cflac_failure(void) { return is_loaded() ? NULL : failure; }

FLAC__StreamDecoder *FLAC__stream_decoder_new(void) {
    return is_loaded() ? lib.FLAC__stream_decoder_new() : NULL;
}

// Whoever calls the others has a decoder, so the library is loaded.

void FLAC__stream_decoder_delete(FLAC__StreamDecoder *decoder) {
    lib.FLAC__stream_decoder_delete(decoder);
}

FLAC__bool FLAC__stream_decoder_set_metadata_respond(
    FLAC__StreamDecoder *decoder, FLAC__MetadataType type) {
    return lib.FLAC__stream_decoder_set_metadata_respond(decoder, type);
}

FLAC__StreamDecoderInitStatus FLAC__stream_decoder_init_stream(
    FLAC__StreamDecoder *decoder, FLAC__StreamDecoderReadCallback read,
    FLAC__StreamDecoderSeekCallback seek, FLAC__StreamDecoderTellCallback tell,
    FLAC__StreamDecoderLengthCallback length, FLAC__StreamDecoderEofCallback eof,
    FLAC__StreamDecoderWriteCallback write, FLAC__StreamDecoderMetadataCallback metadata,
    FLAC__StreamDecoderErrorCallback error, void *context) {
    return lib.FLAC__stream_decoder_init_stream(
        decoder, read, seek, tell, length, eof, write, metadata, error, context);
}

FLAC__bool FLAC__stream_decoder_process_single(FLAC__StreamDecoder *decoder) {
    return lib.FLAC__stream_decoder_process_single(decoder);
}

FLAC__bool FLAC__stream_decoder_seek_absolute(FLAC__StreamDecoder *decoder, FLAC__uint64 sample) {
    return lib.FLAC__stream_decoder_seek_absolute(decoder, sample);
}

FLAC__StreamDecoderState FLAC__stream_decoder_get_state(const FLAC__StreamDecoder *decoder) {
    return lib.FLAC__stream_decoder_get_state(decoder);
}
