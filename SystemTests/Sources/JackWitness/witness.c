// A JACK client for tests that shares nothing with the program under test: it feeds and records
// ports, notes the time of every period, and counts xruns.
#include <jack/jack.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

struct period {
    uint64_t frame;
    jack_nframes_t time, frames, transport;
    unsigned xruns;
    bool rolls;
};

struct witness {
    struct options options;
    jack_client_t *client;
    jack_port_t *inputs[MAX_PORTS], *outputs[MAX_PORTS];
    float *recorded;                // options.frames interleaved frames
    float *played[MAX_PORTS];
    uint64_t played_frames[MAX_PORTS];
    uint64_t noise[MAX_PORTS];
    float *delayed[MAX_PORTS];      // options.delay frames on their way
    uint64_t delayed_at;
    uint64_t frame;                 // of the run; the process thread's until `finished`
    struct period *periods;
    uint64_t period_count, period_capacity;
    atomic_uint xruns;
    atomic_bool running, lost;
    bool ended;
    sem_t finished;
};

static void fail(int code, const char *what, const char *which) {
    fprintf(stderr, "jack-witness: %s: %s\n", what, which);
    exit(code);
}

static void *allocate(uint64_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail(1, "no memory", "calloc");
    return memory;
}

// Knuth's MMIX generator; the upper half, as a number from -0.5 to 0.5.
static float noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(*state >> 32) * 0x1p-32f;
}

// Frames that came options.delay frames ago go out.
static void pass(struct witness *w, jack_nframes_t frames, float *const *in, float *const *out) {
    uint64_t delay = w->options.delay;
    for (int i = 0; i < w->options.plays; i++) {
        if (!delay) memcpy(out[i], in[i], frames * sizeof(float));
        for (jack_nframes_t n = 0; delay && n < frames; n++) {
            float *place = &w->delayed[i][(w->delayed_at + n) % delay];
            out[i][n] = *place;
            *place = in[i][n];
        }
    }
    w->delayed_at += frames;
}

// Seconds. A server may be beyond answering, and its end may not be told: a witness that is killed
// by the alarm fails its test, where one that waits for ever would hang it.
static const unsigned patience = 60;
static const unsigned slowest_rate = 8000;

// Set by SIGTERM: the run ends with the present period.
static atomic_bool is_stopped;

static void stop(int signal) {
    (void)signal;
    atomic_store(&is_stopped, true);
}

static int process(jack_nframes_t frames, void *argument) {
    struct witness *w = argument;
    const struct options *o = &w->options;
    float *in[MAX_PORTS], *out[MAX_PORTS];
    for (int i = 0; i < o->record; i++) in[i] = jack_port_get_buffer(w->inputs[i], frames);
    for (int i = 0; i < o->plays; i++) out[i] = jack_port_get_buffer(w->outputs[i], frames);
    if (o->pass) pass(w, frames, in, out);
    bool running = atomic_load_explicit(&w->running, memory_order_acquire) && !w->ended;
    if (!running) {
        for (int i = 0; i < o->plays && !o->pass; i++) memset(out[i], 0, frames * sizeof(float));
        return 0;
    }
    if (w->period_count < w->period_capacity) {
        jack_position_t position;
        jack_transport_state_t state = jack_transport_query(w->client, &position);
        w->periods[w->period_count++] = (struct period){
            w->frame, jack_last_frame_time(w->client), frames, position.frame,
            atomic_load(&w->xruns), state == JackTransportRolling};
    }
    for (jack_nframes_t n = 0; n < frames; n++, w->frame++) {
        bool inside = w->frame < o->frames;
        for (int i = 0; i < o->plays && !o->pass; i++) {
            float sample = 0;
            if (inside && !o->files[i]) sample = noise(&w->noise[i]);
            else if (inside && w->frame < w->played_frames[i]) sample = w->played[i][w->frame];
            out[i][n] = sample;
        }
        for (int i = 0; i < o->record && inside && w->recorded; i++)
            w->recorded[w->frame * (uint64_t)o->record + (uint64_t)i] = in[i][n];
    }
    if (w->frame >= o->frames || atomic_load(&is_stopped)) {
        w->ended = true;
        sem_post(&w->finished);
    }
    return 0;
}

static int xrun(void *argument) {
    atomic_fetch_add(&((struct witness *)argument)->xruns, 1);
    return 0;
}

static void lost(void *argument) {
    struct witness *w = argument;
    atomic_store(&w->lost, true);
    sem_post(&w->finished);
}

static void tell(jack_port_t *const *ports, int count, jack_latency_callback_mode_t mode,
                 uint64_t frames) {
    jack_latency_range_t range = {(jack_nframes_t)frames, (jack_nframes_t)frames};
    for (int i = 0; i < count; i++) jack_port_set_latency_range(ports[i], mode, &range);
}

// What comes to the inputs goes nowhere else, so that nobody downstream knows when it is heard. Or it
// comes back, as through a cable: after the delay to whoever listens, and a period later to the client
// that plays, since JACK gives a client that hears itself the frames of the cycle before.
static void tell_latency(jack_latency_callback_mode_t mode, void *argument) {
    struct witness *w = argument;
    const struct options *o = &w->options;
    if (mode == JackPlaybackLatency)
        tell(w->inputs, o->record, mode, o->declares ? o->delay : o->latency);
    else if (o->declares)
        tell(w->outputs, o->plays, mode, jack_get_buffer_size(w->client));
}

static void say(const char *word) {
    puts(word);
    fflush(stdout);
}

static void await_line(void) {
    for (int c = getchar(); c != '\n' && c != EOF;) c = getchar();
}

static void quiet(const char *line) { (void)line; }

static void load(struct witness *w, int port) {
    const char *path = w->options.files[port];
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(66, "cannot read", path);
    uint64_t count = (uint64_t)ftell(file) / sizeof(float);
    rewind(file);
    w->played[port] = allocate(count, sizeof(float));
    w->played_frames[port] = fread(w->played[port], sizeof(float), count, file);
    fclose(file);
}

// A client that just ends holds up a server that waits for its clients, for up to 10 s.
static void leave(struct witness *w, const char *port) {
    jack_client_close(w->client);
    fail(1, "cannot connect", port);
}

static void connect_all(struct witness *w) {
    const struct options *o = &w->options;
    for (int i = 0; i < o->wires_in; i++) {
        if (o->source_index[i] >= o->record) fail(64, "no such input for", o->sources[i]);
        const char *to = jack_port_name(w->inputs[o->source_index[i]]);
        if (jack_connect(w->client, o->sources[i], to)) leave(w, o->sources[i]);
    }
    for (int i = 0; i < o->wires_out; i++) {
        if (o->sink_index[i] >= o->plays) fail(64, "no such output for", o->sinks[i]);
        const char *from = jack_port_name(w->outputs[o->sink_index[i]]);
        if (jack_connect(w->client, from, o->sinks[i])) leave(w, o->sinks[i]);
    }
}

static void save(const struct witness *w) {
    const char *path = w->options.out;
    FILE *file = fopen(path, "wb");
    uint64_t frames = w->frame < w->options.frames ? w->frame : w->options.frames;
    uint64_t samples = frames * (uint64_t)w->options.record;
    if (!file || fwrite(w->recorded, sizeof(float), samples, file) != samples || fclose(file))
        fail(73, "cannot write", path);
    char times[4096];
    snprintf(times, sizeof times, "%s.times", path);
    file = fopen(times, "w");
    if (!file) fail(73, "cannot write", times);
    for (uint64_t i = 0; i < w->period_count; i++)
        fprintf(file, "%llu %u %u %u %u %d\n", (unsigned long long)w->periods[i].frame,
                w->periods[i].time, w->periods[i].frames, w->periods[i].xruns,
                w->periods[i].transport, w->periods[i].rolls);
    if (fclose(file)) fail(73, "cannot write", times);
}

int main(int count, char **words) {
    static struct witness w;
    w.options = read_options(count, words);
    struct options *o = &w.options;
    for (int i = 0; i < o->plays && !o->pass; i++) {
        w.noise[i] = o->seeds[i];
        if (o->files[i]) load(&w, i);
    }
    for (int i = 0; i < o->plays; i++) w.delayed[i] = allocate(o->delay, sizeof(float));
    if (o->out) w.recorded = allocate(o->frames * (uint64_t)o->record, sizeof(float));
    // Periods are at least 16 frames long.
    w.period_capacity = o->frames / 16 + 1;
    w.periods = allocate(w.period_capacity, sizeof *w.periods);
    sem_init(&w.finished, 0, 0);
    signal(SIGTERM, stop);

    jack_set_error_function(quiet);
    jack_set_info_function(quiet);
    alarm(patience);
    jack_options_t options = JackNoStartServer | JackUseExactName;
    w.client = o->server ? jack_client_open(o->name, options | JackServerName, NULL, o->server)
                         : jack_client_open(o->name, options, NULL);
    if (!w.client) fail(69, "no JACK server takes client", o->name);
    jack_set_process_callback(w.client, process, &w);
    jack_set_xrun_callback(w.client, xrun, &w);
    if (o->latency || o->declares) jack_set_latency_callback(w.client, tell_latency, &w);
    jack_on_shutdown(w.client, lost, &w);
    for (int i = 0; i < o->record + o->plays; i++) {
        char name[32];
        bool input = i < o->record;
        snprintf(name, sizeof name, input ? "in_%d" : "out_%d", input ? i + 1 : i - o->record + 1);
        jack_port_t *port =
            jack_port_register(w.client, name, JACK_DEFAULT_AUDIO_TYPE,
                               (input ? JackPortIsInput : JackPortIsOutput)
                                   | (o->physical ? JackPortIsPhysical : 0), 0);
        if (!port) fail(1, "cannot make port", name);
        if (input) w.inputs[i] = port;
        else w.outputs[i - o->record] = port;
    }
    if (o->hold) {
        say("registered");
        alarm(0);
        await_line();
        alarm(patience);
    }
    if (jack_activate(w.client)) fail(1, "cannot activate", o->name);
    connect_all(&w);
    say("ready");
    alarm(0);
    if (o->wait) await_line();
    alarm(patience + (unsigned)(o->frames / slowest_rate));
    if (o->freewheel && jack_set_freewheel(w.client, 1)) fail(1, "cannot", "freewheel");
    atomic_store_explicit(&w.running, true, memory_order_release);
    say("running");
    while (sem_wait(&w.finished)) continue;
    if (atomic_load(&w.lost)) {
        if (o->out) save(&w);
        fail(69, "the JACK server is gone", o->name);
    }
    if (o->freewheel) jack_set_freewheel(w.client, 0);
    alarm(patience);
    // First of all: a server that hangs may not let go.
    if (o->out) save(&w);
    printf("done %llu %u\n", (unsigned long long)o->frames, atomic_load(&w.xruns));
    fflush(stdout);
    jack_deactivate(w.client);
    jack_client_close(w.client);
    return 0;
}
