// What duet and duet-ffmpeg say to each other, over one stream socket between two processes of one
// machine. duet's side is Sources/AudioMedia/Decoders/HelperWire.swift.
//
// A message is its kind and the size of its body, both uint32_t, then the body. The lowest byte of a
// number comes first, as on every machine that duet is built for.
//
// duet asks for one thing at a time and waits for its answer; on the way to an answer the helper may
// ask for bytes of the song, as often as it needs some.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    // The version of this language. Both sides must speak the same.
    WIRE_VERSION = 3,
    // Most bytes in one body.
    WIRE_LARGEST = 1 << 20,
    // Most bytes of the song in one message.
    WIRE_MOST_BYTES = 1 << 16,
    // Most frames in one message.
    WIRE_MOST_FRAMES = 1 << 14,
    // Most bytes of one text. Lyrics are the longest.
    WIRE_LONGEST_TEXT = 1 << 17,
};

enum wire_kind {
    // duet: struct wire_song. Comes first and has no answer.
    WIRE_OPEN = 1,
    // duet: what follows of the song. Answered by WIRE_FORMAT, WIRE_FRAMES, WIRE_END or WIRE_ERROR.
    WIRE_DECODE,
    // duet: int64_t, go to this frame. Answered by WIRE_PLACE or WIRE_ERROR.
    WIRE_SEEK,
    // duet: bytes of the song, as many as were asked for; fewer only at its end.
    WIRE_BYTES,
    // duet: uint32_t, decode the stream of this number and not the best one. Comes after WIRE_OPEN, at
    // most once, and has no answer.
    WIRE_STREAM,

    // helper: struct wire_range, give me these bytes. Answered by WIRE_BYTES.
    WIRE_READ = 32,
    // helper: struct wire_format, then each of its texts as uint32_t size and UTF-8. The frames that
    // follow are the first, or have another rate than those before.
    WIRE_FORMAT,
    // helper: 1 to WIRE_MOST_FRAMES frames, each of a left and a right float.
    WIRE_FRAMES,
    // helper: int64_t, the frame that comes next; before the frame asked for where the song ends there.
    WIRE_PLACE,
    // helper: the last frame has been sent.
    WIRE_END,
    // helper: UTF-8, why nothing more comes. The helper ends.
    WIRE_ERROR,
};

struct wire_song {
    uint32_t version;
    // 1: any byte can be read at any time. 0: only in order, but for those that were read last.
    uint32_t is_seekable;
    // In bytes; -1: not known.
    int64_t size;
};

struct wire_range {
    int64_t offset;
    uint32_t count;
    uint32_t unused;
};

struct wire_format {
    uint32_t rate;
    // In the song; the frames always have two.
    uint32_t channels;
    // In kbit/s; 0: not known.
    uint32_t bitrate;
    // 1: `length` is in the song's header, and no guess.
    uint32_t is_length_sure;
    // In frames; -1: not known.
    int64_t length;
};

// The texts of WIRE_FORMAT, in this order: codec, title, artist, album, lyrics, the gain and the peak of
// ReplayGain. Empty: not known.
enum { WIRE_TEXT_COUNT = 7 };

// Reads `size` bytes. Ends the program where duet has gone.
void wire_receive(void *body, size_t size);
// Reads the next message's kind and size. Ends the program where duet has gone or the size is too
// large.
enum wire_kind wire_next(uint32_t *size);
// Sends a message whose body has two parts. Ends the program where duet has gone.
void wire_send2(enum wire_kind kind, const void *first, size_t first_size, const void *second,
                size_t second_size);
// Sends a message.
void wire_send(enum wire_kind kind, const void *body, size_t size);
