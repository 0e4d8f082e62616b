// The demo's song and voice, inside the program: one file to install.
#pragma once
#include <stddef.h>

extern const unsigned char cdemo_song[];
extern const size_t cdemo_song_size;
extern const unsigned char cdemo_voice[];
extern const size_t cdemo_voice_size;
