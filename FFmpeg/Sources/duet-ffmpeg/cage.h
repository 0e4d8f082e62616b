// The limits of this process: a hostile song that takes over FFmpeg gets at duet's socket, and at
// nothing else.
#pragma once

// Gives up all other descriptors, files, network, programs and threads, and bounds the memory. Call
// it when all libraries are loaded.
void cage_close(void);
// Allows as much processor time from now on as one answer may take. Past that the kernel ends the
// process.
void cage_renew(void);
