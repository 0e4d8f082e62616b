// The tremolo of Examples/CustomUnit, in C: parameter 0 is its rate in Hz, parameter 1 its depth.
#include "CTremolo.h"

#include <math.h>
#include <stdlib.h>

struct tremolo {
    float phase, sample_rate;
};

static void *make(void *context, int32_t sample_rate, int32_t maximum_frames) {
    struct tremolo *tremolo = calloc(1, sizeof *tremolo);
    if (tremolo) tremolo->sample_rate = sample_rate;
    return tremolo;
}

static int32_t render(void *state, const struct crealtime_slice *slice) {
    struct tremolo *tremolo = state;
    const struct crealtime_bus *in = &slice->inputs[0], *out = &slice->outputs[0];
    const float *rate = slice->parameters[0].values, *depth = slice->parameters[1].values;
    for (int32_t n = 0; n < slice->frames; n++) {
        float gain = 1 - depth[n] * (1 - fabsf(2 * tremolo->phase - 1));
        for (int32_t channel = 0; channel < out->channel_count; channel++)
            out->channels[channel][n] = in->channels[channel][n] * gain;
        tremolo->phase += rate[n] / tremolo->sample_rate;
        if (tremolo->phase >= 1) tremolo->phase -= 1;
    }
    return 0;
}

static void reset(void *state) { ((struct tremolo *)state)->phase = 0; }

struct crealtime_unit ctremolo_functions(void) {
    return (struct crealtime_unit){make, render, reset, free};
}
