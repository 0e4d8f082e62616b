#include "CZita.h"

#include <new>
#include <zita-resampler/resampler.h>
#include <zita-resampler/vresampler.h>

struct czita {
    Resampler fixed;
    VResampler variable;
    bool is_fixed;
    /// Frames that the variable resampler makes until its phase is the first again: the higher term
    /// of the reduced ratio.
    int32_t period;
    int32_t made; // of the period
};

namespace {

int32_t common_divisor(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The variable resampler adds up its phase, in frames, in floating point. So that no error grows,
// the phase is set anew in every period. It lies beside the exact one, by less than its smallest
// step and more than rounding can be, so that rounding never moves it over a frame's edge.
void begin_period(czita *zita) {
    zita->made = 0;
    double step = 1.0 / zita->period;
    zita->variable.set_phase(step < 1e-5 ? step / 10 : 1e-6);
}

template <class R>
czita_counts run(R &resampler, const float *in, int32_t in_count, float *out, int32_t out_count) {
    resampler.inp_data = const_cast<float *>(in);
    resampler.inp_count = in_count;
    resampler.out_data = out;
    resampler.out_count = out_count;
    resampler.process();
    return {in_count - static_cast<int32_t>(resampler.inp_count),
            out_count - static_cast<int32_t>(resampler.out_count)};
}

// False when there is no resampler for these rates. May throw.
bool set_up(czita *zita, int32_t from, int32_t to, int32_t channels, int32_t half_length) {
    zita->is_fixed = zita->fixed.setup(from, to, channels, half_length) == 0;
    if (!zita->is_fixed
        && zita->variable.setup(static_cast<double>(to) / from, channels, half_length) != 0) {
        return false;
    }
    zita->period = to / common_divisor(from, to);
    return true;
}

} // namespace

czita *czita_create(int32_t from, int32_t to, int32_t channels, int32_t half_length) {
    // Nothing may be thrown through Swift, and `setup` throws when there is no memory.
    czita *zita = nullptr;
    try {
        zita = new czita;
        if (set_up(zita, from, to, channels, half_length)) {
            czita_begin(zita, 0);
            return zita;
        }
    } catch (...) {
    }
    delete zita;
    return nullptr;
}

void czita_destroy(czita *zita) { delete zita; }

int32_t czita_half_length(const czita *zita) {
    return (zita->is_fixed ? zita->fixed.inpsize() : zita->variable.inpsize()) / 2;
}

void czita_begin(czita *zita, int32_t zeros) {
    // More would be taken than `zeros` if a frame could be made: one is asked for, and thrown away
    // only if there are enough zeros for it, which callers never give.
    if (zita->is_fixed) {
        zita->fixed.reset();
        run(zita->fixed, nullptr, zeros, nullptr, 1);
    } else {
        zita->variable.reset();
        begin_period(zita);
        run(zita->variable, nullptr, zeros, nullptr, 1);
    }
}

czita_counts czita_process(
    czita *zita, const float *in, int32_t in_count, float *out, int32_t out_count) {
    if (zita->is_fixed) return run(zita->fixed, in, in_count, out, out_count);
    czita_counts all = {0, 0};
    int32_t channels = zita->variable.nchan();
    while (all.made < out_count) {
        int32_t left = zita->period - zita->made;
        if (left > out_count - all.made) left = out_count - all.made;
        czita_counts part = run(
            zita->variable, in ? in + all.used * channels : nullptr, in_count - all.used,
            out + all.made * channels, left);
        all.used += part.used;
        all.made += part.made;
        zita->made += part.made;
        if (zita->made == zita->period) begin_period(zita);
        if (part.made < left) break;
    }
    return all;
}
