// A JACK client that only copies its input to both outputs: the least work that a monitor can do.
//
// usage: passthrough NAME      ports in, left, right; prints "ready"; ends on SIGTERM
#include <jack/jack.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static jack_port_t *in, *left, *right;

static int process(jack_nframes_t frames, void *argument) {
    (void)argument;
    const void *source = jack_port_get_buffer(in, frames);
    memcpy(jack_port_get_buffer(left, frames), source, frames * sizeof(float));
    memcpy(jack_port_get_buffer(right, frames), source, frames * sizeof(float));
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
    in = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    left = jack_port_register(client, "left", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    right = jack_port_register(client, "right", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    jack_set_process_callback(client, process, NULL);
    if (jack_activate(client)) return 69;
    puts("ready");
    fflush(stdout);
    int signal;
    sigwait(&end, &signal);
    jack_client_close(client);
    return 0;
}
