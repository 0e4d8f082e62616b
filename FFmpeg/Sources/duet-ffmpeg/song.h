// One song: FFmpeg reads its bytes from duet, and gives its frames. A song that cannot be read ends the
// program with WIRE_ERROR.
#pragma once
#include "wire.h"

struct song;

// Begins with a song; reads nothing yet.
struct song *song_new(const struct wire_song *facts);
// Decodes the stream of that number; before anything is decoded.
void song_choose(struct song *song, uint32_t number);
// Answers WIRE_DECODE.
void song_decode(struct song *song);
// Answers WIRE_SEEK.
void song_seek(struct song *song, int64_t frame);
