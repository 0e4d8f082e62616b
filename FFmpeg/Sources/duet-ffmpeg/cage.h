// The limits of this process: a hostile song that takes over FFmpeg gets at duet's socket, and at
// nothing else.
#pragma once

// Gives up all other descriptors, files, network, programs and threads, and bounds the memory. Call
// it when all libraries are loaded.
void cage_close(void);
// Allows 30 s of processor time from now on: called for each question of duet's, and for bytes that
// are new. Past that the kernel ends the process.
void cage_renew(void);
