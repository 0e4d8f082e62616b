// A library to preload into any JACK client: measures its process callback from outside, in the
// same way for all clients.
//
// LD_PRELOAD=stopwatch.so STOPWATCH=FILE CLIENT…
//
// At the end FILE holds "CYCLES XRUNS WORST_NS TOTAL_NS": processor time of the callback's thread
// (CLOCK_THREAD_CPUTIME_ID), and the xruns that JACK told the client of.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Written by JACK's threads, and read when those threads have ended.
static unsigned long cycles, xruns, worst, total;
static JackProcessCallback process;
static void *process_argument;
static JackXRunCallback xrun;
static void *xrun_argument;

static unsigned long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ul + t.tv_nsec;
}
static int measured_process(jack_nframes_t frames, void *argument) {
    (void)argument;
    unsigned long start = now();
    int result = process(frames, process_argument);
    unsigned long taken = now() - start;
    if (taken > worst) worst = taken;
    total += taken;
    cycles++;
    return result;
}
static int counted_xrun(void *argument) {
    (void)argument;
    xruns++;
    return xrun ? xrun(xrun_argument) : 0;
}

int jack_set_xrun_callback(jack_client_t *client, JackXRunCallback callback, void *argument) {
    int (*set)(jack_client_t *, JackXRunCallback, void *) =
        dlsym(RTLD_NEXT, "jack_set_xrun_callback");
    xrun = callback;
    xrun_argument = argument;
    return set(client, counted_xrun, NULL);
}
int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
    int (*set)(jack_client_t *, JackProcessCallback, void *) =
        dlsym(RTLD_NEXT, "jack_set_process_callback");
    process = callback;
    process_argument = argument;
    // For a client that does not set an xrun callback itself.
    jack_set_xrun_callback(client, xrun, xrun_argument);
    return set(client, measured_process, NULL);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("STOPWATCH");
    FILE *file = path && cycles ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%lu %lu %lu %lu\n", cycles, xruns, worst, total);
    fclose(file);
}
