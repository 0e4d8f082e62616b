#include "CDemo.h"

// #embed is C23. clang supports it in every mode, but warns in older ones.
#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char cdemo_song[] = {
#embed "song.mp3"
};
const size_t cdemo_song_size = sizeof cdemo_song;

const unsigned char cdemo_voice[] = {
#embed "voice.mp3"
};
const size_t cdemo_voice_size = sizeof cdemo_voice;
