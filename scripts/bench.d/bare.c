// A JACK client and nothing else: how soon one can be heard.
//
// usage: bare NAME LEFT RIGHT      plays a constant into both ports until it is ended
#include <jack/jack.h>
#include <stdio.h>
#include <unistd.h>

static jack_port_t *ports[2];

static int process(jack_nframes_t frames, void *argument) {
    (void)argument;
    for (int side = 0; side < 2; side++) {
        float *out = jack_port_get_buffer(ports[side], frames);
        for (jack_nframes_t i = 0; i < frames; i++) out[i] = 0.1f;
    }
    return 0;
}

int main(int count, char **words) {
    if (count != 4) return 64;
    jack_client_t *client = jack_client_open(words[1], JackNoStartServer, NULL);
    if (!client) return 69;
    ports[0] = jack_port_register(client, "left", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    ports[1] = jack_port_register(client, "right", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    jack_set_process_callback(client, process, NULL);
    if (jack_activate(client)) return 69;
    if (jack_connect(client, jack_port_name(ports[0]), words[2])) return 69;
    if (jack_connect(client, jack_port_name(ports[1]), words[3])) return 69;
    pause();
    return 0;
}
