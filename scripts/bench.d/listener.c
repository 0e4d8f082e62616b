// The third client of the start bench: prints when it first hears something.
//
// usage: listener NAME
//
// Prints "ready" once its ports in_1 and in_2 are there, and for the first frame with |x| > 1e-3
// the time at which it came, in µs of CLOCK_MONOTONIC; then ends.
#include <jack/jack.h>
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static jack_client_t *client;
static jack_port_t *ports[2];
static sem_t heard;
static jack_time_t when;

static int process(jack_nframes_t frames, void *argument) {
    (void)argument;
    if (when) return 0;
    const float *a = jack_port_get_buffer(ports[0], frames);
    const float *b = jack_port_get_buffer(ports[1], frames);
    for (jack_nframes_t i = 0; i < frames; i++) {
        if (fabsf(a[i]) > 1e-3f || fabsf(b[i]) > 1e-3f) {
            // Not JACK's clock, which is CLOCK_MONOTONIC_RAW: that drifts from CLOCK_MONOTONIC.
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            when = now.tv_sec * 1000000ull + now.tv_nsec / 1000 +
                   i * 1000000ull / jack_get_sample_rate(client);
            sem_post(&heard);
            return 0;
        }
    }
    return 0;
}

int main(int count, char **words) {
    if (count != 2) return 64;
    sem_init(&heard, 0, 0);
    client = jack_client_open(words[1], JackNoStartServer, NULL);
    if (!client) return 69;
    ports[0] = jack_port_register(client, "in_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    ports[1] = jack_port_register(client, "in_2", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    jack_set_process_callback(client, process, NULL);
    if (jack_activate(client)) return 69;
    puts("ready");
    fflush(stdout);
    while (sem_wait(&heard)) {}
    printf("%llu\n", (unsigned long long)when);
    jack_client_close(client);
    return 0;
}
