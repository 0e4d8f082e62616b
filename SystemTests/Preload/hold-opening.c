// Preloaded into a JACK client: makes jack_client_open hang at the moment when the server already
// has the client and libjack (jack2) does not know it yet: as libjack maps the server's memory,
// /jack-UID-NUMBER.
//
// LD_PRELOAD=hold-opening.so HOLD=FILE CLIENT…
//
// When FILE exists, it is renamed to FILE.held. The call then hangs until FILE.held is removed,
// 10 s at most.
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int shm_open(const char *name, int flags, mode_t mode) {
    int (*open_memory)(const char *, int, mode_t) = dlsym(RTLD_NEXT, "shm_open");
    const char *file = getenv("HOLD");
    char held[4096];
    if (file && !strncmp(name, "/jack-", 6) && isdigit((unsigned char)name[6])) {
        snprintf(held, sizeof held, "%s.held", file);
        if (!rename(file, held))
            for (int n = 0; n < 1000 && !access(held, F_OK); n++) usleep(10000);
    }
    return open_memory(name, flags, mode);
}
