// The demo's song and voice, inside the program so that there is one file to install, and a web
// server for these two, so that the demo streams its song like any other.
#pragma once
#include <stddef.h>
#include <stdint.h>

extern const unsigned char cdemo_song[];
extern const size_t cdemo_song_size;
extern const unsigned char cdemo_voice[];
extern const size_t cdemo_voice_size;

/// Serves /song.mp3 and /voice.mp3 on the loopback interface only, on a thread of its own, for as
/// long as the program runs. Returns the port, or −errno.
int cdemo_serve(void);
