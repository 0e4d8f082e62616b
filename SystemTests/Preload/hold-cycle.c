// Preloaded into a JACK client: makes a process cycle hang. When FILE exists, it is renamed to
// FILE.held, and the cycle under way never ends.
//
// LD_PRELOAD=hold-cycle.so HOLD=FILE CLIENT…
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames) {
    void *(*get)(jack_port_t *, jack_nframes_t) = dlsym(RTLD_NEXT, "jack_port_get_buffer");
    const char *file = getenv("HOLD");
    char held[4096];
    snprintf(held, sizeof held, "%s.held", file ? file : "");
    if (file && !rename(file, held))
        while (1) pause();
    return get(port, frames);
}
