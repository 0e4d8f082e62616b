// A unit of your own, in C or in Swift: its functions, and what they get. AudioGraph's `CustomUnit`
// makes a node of them.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

/// The buffers of one bus in a slice.
struct crealtime_bus {
    /// A buffer of the slice's frames for each channel.
    float *_Nonnull const *_Nonnull channels;
    int32_t channel_count;
    /// Of an input: whether all its samples are 0. Of an output: false; a unit that sets it need not
    /// fill the buffers.
    bool is_silent;
};

/// A parameter in a slice.
struct crealtime_parameter {
    /// The value in each frame of the slice.
    const float *_Nonnull values;
    /// Whether it moves in the slice; else all values are the same.
    bool is_moving;
};

/// What is to be rendered.
struct crealtime_slice {
    /// The graph's frame of the first sample.
    int64_t frame;
    /// Nanoseconds of CLOCK_MONOTONIC.
    uint64_t host_time;
    /// How many frames: 1 to `maximum_frames`.
    int32_t frames;
    int32_t input_count;
    int32_t output_count;
    int32_t parameter_count;
    /// To be read only; they are never the buffers of an output.
    const struct crealtime_bus *_Nonnull inputs;
    /// To be filled with every call, all channels of all buses.
    struct crealtime_bus *_Nonnull outputs;
    /// In the order in which they were declared.
    const struct crealtime_parameter *_Nonnull parameters;
};

/// The functions of a kind of unit.
struct crealtime_unit {
    /// Makes a unit's state, or returns NULL when it cannot. Control thread. NULL: the state is
    /// `context`.
    void *_Nullable (*_Nullable make)(void *_Nullable context, int32_t sample_rate,
                                      int32_t maximum_frames);
    /// Renders a slice; returns 0, or an error of its own, and is silent then. Render thread: it
    /// must not allocate, lock, wait, or call anything that may.
    int32_t (*_Nonnull render)(void *_Nullable state, const struct crealtime_slice *_Nonnull slice);
    /// Makes the state as `make` has made it: nothing sounds on. Render thread. NULL: there is nothing
    /// to do.
    void (*_Nullable reset)(void *_Nullable state);
    /// Frees what `make` has made, once nothing renders it any more. Control thread. NULL: nothing to
    /// free.
    void (*_Nullable free)(void *_Nullable state);
};

#define CREALTIME_UNIT_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

/// Calls functions whose author has proven them: the compiler cannot look into them.
CREALTIME_UNIT_NO_LOCKS static inline int32_t crealtime_render_unit(
    const struct crealtime_unit *_Nonnull unit, void *_Nullable state,
    const struct crealtime_slice *_Nonnull slice) {
    return unit->render(state, slice);
}

CREALTIME_UNIT_NO_LOCKS static inline void crealtime_reset_unit(
    const struct crealtime_unit *_Nonnull unit, void *_Nullable state) {
    if (unit->reset) unit->reset(state);
}
