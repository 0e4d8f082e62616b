// The demo's song and voice, inside the program: one file to install.
#pragma once
#include <stddef.h>

extern const unsigned char cdemo_song[];
extern const size_t cdemo_song_size;
extern const unsigned char cdemo_voice[];
extern const size_t cdemo_voice_size;

/// The song as a file in memory, closed on exec, to be opened again as /proc/self/fd/N. -1 when
/// the system gives none; errno says why.
int cdemo_open_song(void);
/// The voice, in the same way.
int cdemo_open_voice(void);
