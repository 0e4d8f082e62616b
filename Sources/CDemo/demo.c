#define _GNU_SOURCE
#include "CDemo.h"

#include <sys/mman.h>
#include <unistd.h>

// #embed is C23; clang knows it in every mode, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char cdemo_song[] = {
#embed "song.mp3"
};
const size_t cdemo_song_size = sizeof cdemo_song;

const unsigned char cdemo_voice[] = {
#embed "voice.mp3"
};
const size_t cdemo_voice_size = sizeof cdemo_voice;

static int open_copy(const char *name, const unsigned char *bytes, size_t size) {
    int file = memfd_create(name, MFD_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < size) {
        ssize_t count = write(file, bytes + done, size - done);
        if (count <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)count;
    }
    return file;
}

int cdemo_open_song(void) { return open_copy("song.mp3", cdemo_song, cdemo_song_size); }
int cdemo_open_voice(void) { return open_copy("voice.mp3", cdemo_voice, cdemo_voice_size); }
