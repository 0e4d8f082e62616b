// What the command line of the witness asks for.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { MAX_PORTS = 16 };

struct options {
    const char *server;  // NULL: libjack's choice
    const char *name;
    const char *out;                    // NULL: nothing is kept
    int record;                         // input ports
    int plays;                          // output ports
    const char *files[MAX_PORTS];       // what each plays; NULL: noise
    uint64_t seeds[MAX_PORTS];          // of the noise
    uint64_t frames;                    // the length of the run
    int wires_in, wires_out;            // connections to make
    const char *sources[MAX_PORTS];     // to input sources_index[i]
    int source_index[MAX_PORTS];
    const char *sinks[MAX_PORTS];       // from output sink_index[i]
    int sink_index[MAX_PORTS];
    bool freewheel;
    bool hold;                          // for a line on standard input before it is activated
    bool wait;                          // for a line on standard input before the run
    bool pass;                          // copies input i to output i instead of playing
    uint64_t delay;                     // of what is copied, in frames
    bool declares;                      // tells JACK the delay of what it copies
    bool physical;                      // its ports are hardware to other clients
    uint64_t latency;                   // frames after which what comes is said to be heard
};

/// Reads the command line; prints the usage and exits 64 when it is wrong.
struct options read_options(int count, char **words);
