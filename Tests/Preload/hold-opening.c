// Preloaded into a JACK client: holds jack_client_open where the server has the client already, and
// libjack (jack2) does not know it yet: as it maps the server's memory, /jack-UID-NUMBER.
//
// LD_PRELOAD=hold-opening.so HOLD=FILE CLIENT…
//
// Where FILE is there it becomes FILE.held, and the opening is held until that is removed, 10 s at
// most.
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
