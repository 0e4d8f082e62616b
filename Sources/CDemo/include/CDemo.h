// The demo's song and voice, inside the program: one file to install.
#pragma once
#include <stddef.h>

extern const unsigned char cdemo_song[];
extern const size_t cdemo_song_size;
extern const unsigned char cdemo_voice[];
extern const size_t cdemo_voice_size;

/// A file in memory that holds a copy of `bytes`, closed on exec, for /proc/self/fd/N.
/// -1 when the system gives none; errno says why.
int cdemo_open(const char *name, const unsigned char *bytes, size_t size);
