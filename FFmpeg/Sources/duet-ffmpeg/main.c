// Decodes one song for duet, in a process that can do nothing else.
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "cage.h"
#include "reader.h"
#include "song.h"

int main(int count, char **arguments) {
    (void)arguments;
    int type;
    socklen_t size = sizeof type;
    if (count > 1 || getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_STREAM) {
        fputs("duet-ffmpeg: duet starts this program itself, to play what FFmpeg reads\n", stderr);
        return 64;
    }
    cage_close();
    reader_keep_log();

    struct song *song = NULL;
    for (;;) {
        uint32_t size;
        enum wire_kind kind = wire_next(&size);
        cage_renew();
        if (kind == WIRE_OPEN && !song && size == sizeof(struct wire_song)) {
            struct wire_song facts;
            wire_receive(&facts, sizeof facts);
            if (facts.version != WIRE_VERSION)
                fail_with("the installed duet-ffmpeg does not belong to this version of duet");
            song = song_new(&facts);
        } else if (kind == WIRE_STREAM && song && size == sizeof(uint32_t)) {
            uint32_t number;
            wire_receive(&number, sizeof number);
            song_choose(song, number);
        } else if (kind == WIRE_DECODE && song && size == 0) {
            song_decode(song);
        } else if (kind == WIRE_SEEK && song && size == sizeof(int64_t)) {
            int64_t frame;
            wire_receive(&frame, sizeof frame);
            song_seek(song, frame);
        } else {
            return 2;
        }
    }
}
