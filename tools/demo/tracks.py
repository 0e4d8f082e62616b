"""Filters, reverb and placing, on whole tracks at once: everything is an array of doubles."""

import numpy as np

from score import RATE, SECONDS

FRAMES = round(SECONDS * RATE)


def seconds(length):
    return np.arange(round(length * RATE)) / RATE


def filtered(signal, response):
    """`response(f)`: the complex gain at f hertz. Padded, so that nothing wraps around."""
    size = 1 << int(np.ceil(np.log2(len(signal) + RATE)))
    frequencies = np.fft.rfftfreq(size, 1 / RATE)
    return np.fft.irfft(np.fft.rfft(signal, size) * response(frequencies), size)[: len(signal)]


def low_pass(cutoff, order=1):
    return lambda f: 1 / (1 + 1j * f / cutoff) ** order


def high_pass(cutoff, order=1):
    return lambda f: (1j * f / cutoff / (1 + 1j * f / cutoff)) ** order


def band_pass(centre, q):
    return lambda f: 1 / (1 + 1j * q * (f / centre - centre / np.maximum(f, 1e-3)))


def convolved(signal, impulse):
    size = 1 << int(np.ceil(np.log2(len(signal) + len(impulse))))
    return np.fft.irfft(np.fft.rfft(signal, size) * np.fft.rfft(impulse, size), size)[: len(signal)]


def impulse_response(random, decay, pre_delay, brightness):
    """A room: noise that dies away by 60 dB in `decay` seconds, unit energy."""
    t = seconds(decay * 1.2)
    tail = random.standard_normal(len(t)) * 10 ** (-3 * t / decay)
    tail = filtered(filtered(tail, low_pass(brightness, 2)), high_pass(250, 2))
    tail = np.concatenate([np.zeros(round(pre_delay * RATE)), tail])
    return tail / np.sqrt(np.sum(tail**2))


def place(track, sound, at, gain=1.0):
    """Adds a sound to a track from frame `at` on; what falls behind the end is dropped."""
    end = min(len(track), at + len(sound))
    if end > at:
        track[at:end] += gain * sound[: end - at]


def panned(track, pan):
    """Constant power, −1 left … +1 right: the same law as the program's own."""
    angle = (pan + 1) * np.pi / 4
    return np.stack([track * np.cos(angle), track * np.sin(angle)])


def smoothed(steps, time):
    """A one-pole low-pass of `time` seconds that runs at every frame, started at the first value."""
    return steps[0] + filtered(steps - steps[0], low_pass(1 / (2 * np.pi * time)))


def ramps(points, length):
    """Straight lines through (second, value), on every frame of `length` seconds."""
    times, values = zip(*points)
    return np.interp(seconds(length), times, values)
