// Preloaded into a JACK client: one jack_activate fails, as with a server that is kept from a
// processor at that moment (jackd then gives up waiting for the client's first cycle).
//
// LD_PRELOAD=refuse-activation.so HOLD=FILE [PASS=COUNT] CLIENT…
//
// The first COUNT calls, none by default, pass. When FILE exists, it is renamed to FILE.held, and the
// call under way activates the client and returns -1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>

int jack_activate(jack_client_t *client) {
    int (*activate)(jack_client_t *) = dlsym(RTLD_NEXT, "jack_activate");
    static int calls;
    const char *file = getenv("HOLD");
    const char *pass = getenv("PASS");
    char held[4096];
    snprintf(held, sizeof held, "%s.held", file ? file : "");
    int code = activate(client);
    if (calls++ < (pass ? atoi(pass) : 0)) return code;
    return file && !rename(file, held) ? -1 : code;
}
