#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: jack-witness [OPTIONS]\n"
    "A JACK client that records and plays, apart from the program under test.\n"
    "  --server NAME        JACK server (default: libjack's)\n"
    "  --name NAME          client name (default: witness)\n"
    "  --record N           input ports in_1 ... in_N\n"
    "  --play FILE.f32      one more output port, playing mono 32-bit floats, then silence\n"
    "  --noise SEED         one more output port, playing noise of -0.5 to 0.5\n"
    "  --pass N             input and output ports in_1 ... in_N, out_1 ...; copies\n"
    "  --delay N            delays what is passed by N frames\n"
    "  --declare            with --pass: tells JACK that delay, and a period for the way back\n"
    "  --physical           its ports are hardware to other clients\n"
    "  --latency N          tells JACK that what its inputs get is heard N frames later\n"
    "  --frames N           length of the run (default: 48000)\n"
    "  --out FILE           interleaved 32-bit floats of the input ports; FILE.times has one\n"
    "                       line a period: frame of the run, JACK's frame time, frames, xruns\n"
    "  --connect-from PORT:INDEX   connects PORT to input INDEX (from 0)\n"
    "  --connect-to PORT:INDEX     connects output INDEX (from 0) to PORT\n"
    "  --freewheel          runs in freewheel, switched off at the end\n"
    "  --hold               takes part when a line (or the end) comes on standard input\n"
    "  --wait               begins when a line (or the end) comes on standard input\n"
    "Prints 'registered' when it has ports and holds, 'ready' when connected, 'running' when the\n"
    "run has begun, 'done FRAMES XRUNS' after it.\n";

static void fail(const char *reason, const char *word) {
    fprintf(stderr, "jack-witness: %s: %s\n%s", reason, word, usage);
    exit(64);
}

static uint64_t number(const char *word) {
    char *end;
    unsigned long long value = strtoull(word, &end, 10);
    if (end == word || *end) fail("not a number", word);
    return value;
}

// Splits PORT:INDEX at its last colon.
static const char *wire(char *word, int *index) {
    char *colon = strrchr(word, ':');
    if (!colon) fail("no index", word);
    *index = (int)number(colon + 1);
    if (*index >= MAX_PORTS) fail("index too large", word);
    *colon = 0;
    return word;
}

static void check(int count, const char *word) {
    if (count < 0 || count > MAX_PORTS) fail("too many", word);
}

struct options read_options(int count, char **words) {
    struct options o = {.name = "witness", .frames = 48000};
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (!strcmp(word, "--freewheel")) {
            o.freewheel = true;
            continue;
        }
        if (!strcmp(word, "--hold")) {
            o.hold = true;
            continue;
        }
        if (!strcmp(word, "--declare")) {
            o.declares = true;
            continue;
        }
        if (!strcmp(word, "--physical")) {
            o.physical = true;
            continue;
        }
        if (!strcmp(word, "--wait")) {
            o.wait = true;
            continue;
        }
        if (i + 1 >= count) fail("unknown, or a value is missing", word);
        char *value = words[++i];
        if (!strcmp(word, "--server")) {
            o.server = value;
        } else if (!strcmp(word, "--name")) {
            o.name = value;
        } else if (!strcmp(word, "--out")) {
            o.out = value;
        } else if (!strcmp(word, "--frames")) {
            o.frames = number(value);
        } else if (!strcmp(word, "--record")) {
            o.record = (int)number(value);
            check(o.record, word);
        } else if (!strcmp(word, "--pass")) {
            o.record = o.plays = (int)number(value);
            o.pass = true;
            check(o.record, word);
        } else if (!strcmp(word, "--delay")) {
            o.delay = number(value);
        } else if (!strcmp(word, "--latency")) {
            o.latency = number(value);
        } else if (!strcmp(word, "--play") || !strcmp(word, "--noise")) {
            check(o.plays + 1, word);
            if (word[2] == 'p') o.files[o.plays] = value;
            else o.seeds[o.plays] = number(value);
            o.plays++;
        } else if (!strcmp(word, "--connect-from")) {
            check(o.wires_in + 1, word);
            o.sources[o.wires_in] = wire(value, &o.source_index[o.wires_in]);
            o.wires_in++;
        } else if (!strcmp(word, "--connect-to")) {
            check(o.wires_out + 1, word);
            o.sinks[o.wires_out] = wire(value, &o.sink_index[o.wires_out]);
            o.wires_out++;
        } else {
            fail("unknown", word);
        }
    }
    return o;
}
