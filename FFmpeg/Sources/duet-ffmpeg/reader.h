// Opens FFmpeg's demuxer and decoder for one song, whose bytes come from duet.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>

#include "wire.h"

// Where the song's bytes come from.
struct source {
    struct wire_song facts;
    int64_t position;
    // The farthest that was read since the song was opened.
    int64_t farthest;
};

// Ends the program with WIRE_ERROR: FFmpeg's word for the code `error`, and the newest message of its
// log.
_Noreturn void fail(int error);
// Ends the program with WIRE_ERROR.
_Noreturn void fail_with(const char *text);

// Keeps the newest error of FFmpeg's log for `fail`.
void reader_keep_log(void);
// Opens the song from its beginning.
AVFormatContext *reader_open(struct source *source);
// Frees all that `reader_open` has made.
void reader_close(AVFormatContext **format);
// The number of the format's best audio stream, or the audio stream `wanted` unless that is -1; the
// demuxer reads no others from here on.
int reader_choose(AVFormatContext *format, int64_t wanted);
// Opens a decoder for the stream. Ends with avcodec_free_context.
AVCodecContext *reader_open_decoder(const AVStream *stream);
