// Stands for a microphone: one port "out" that gives noise at −12 dBFS, the same every time.
//
// usage: noise NAME      prints "ready"; ends on SIGTERM
#include <jack/jack.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static jack_port_t *out;
static uint32_t state = 1;

static int process(jack_nframes_t frames, void *argument) {
    (void)argument;
    float *samples = jack_port_get_buffer(out, frames);
    for (jack_nframes_t i = 0; i < frames; i++) {
        state = state * 1664525u + 1013904223u; // Numerical Recipes' generator
        samples[i] = (int32_t)state * 0x1p-33f;
    }
    return 0;
}

int main(int count, char **words) {
    if (count != 2) return 64;
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL);
    jack_client_t *client = jack_client_open(words[1], JackNoStartServer, NULL);
    if (!client) return 69;
    out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    jack_set_process_callback(client, process, NULL);
    if (jack_activate(client)) return 69;
    puts("ready");
    fflush(stdout);
    int signal;
    sigwait(&end, &signal);
    jack_client_close(client);
    return 0;
}
