"""One function per instrument: a note in, a mono array out."""

import numpy as np

from tracks import (RATE, band_pass, filtered, high_pass, low_pass, ramps, seconds)


def kick():
    t = seconds(0.45)
    pitch = 46 + 120 * np.exp(-t * 32)
    body = np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.exp(-t * 8.5)
    click = np.sin(2 * np.pi * 1800 * t) * np.exp(-t * 500) * 0.25
    return (body + click) * ramps([(0, 1), (0.4, 1), (0.45, 0)], 0.45)


def snare(random):
    t = seconds(0.3)
    rattle = filtered(random.standard_normal(len(t)), band_pass(3200, 0.6)) * np.exp(-t * 17)
    body = np.sin(2 * np.pi * (185 + 60 * np.exp(-t * 60)) * t) * np.exp(-t * 22)
    return 0.75 * rattle + 0.6 * body


def hat(random, open_):
    length = 0.35 if open_ else 0.09
    t = seconds(length)
    noise = filtered(random.standard_normal(len(t)), high_pass(7500, 3))
    return noise * np.exp(-t * (9 if open_ else 60)) * (t < length * 0.98)


def crash(random):
    t = seconds(2.2)
    noise = filtered(random.standard_normal(len(t)), high_pass(4200, 2))
    return noise * np.exp(-t * 2.2)


def tom(pitch):
    t = seconds(0.4)
    return np.sin(2 * np.pi * np.cumsum(pitch * (1 + 0.5 * np.exp(-t * 25))) / RATE) * np.exp(-t * 9)


def bass(frequency, length):
    """A plucked string: each harmonic dies sooner than the one below."""
    t = seconds(length + 0.06)
    sound = np.zeros(len(t))
    for k in range(1, 10):
        sound += np.sin(2 * np.pi * frequency * k * t) / k * np.exp(-t * (1.1 + 1.5 * (k - 1)))
    return np.tanh(1.3 * sound) * ramps([(0, 0), (0.004, 1), (length, 1), (length + 0.06, 0)],
                                        length + 0.06)


def electric_piano(frequency, length):
    """Two-operator frequency modulation: a warm 1:1 pair and a short 14:1 tine."""
    t = seconds(length + 0.25)
    warm = np.sin(2 * np.pi * frequency * t
                  + 1.4 * np.exp(-t * 2.2) * np.sin(2 * np.pi * frequency * t))
    tine = np.sin(2 * np.pi * frequency * t
                  + 0.7 * np.exp(-t * 14) * np.sin(2 * np.pi * 14 * frequency * t))
    shape = ramps([(0, 0), (0.003, 1), (length, 1), (length + 0.25, 0)], length + 0.25)
    return (0.75 * warm + 0.25 * tine) * np.exp(-t * 1.3) * shape


def guitar(random, frequency, length):
    """Karplus and Strong's string, as the closed form of its comb filter in the frequency domain."""
    count = round((length + 0.8) * RATE)
    period = RATE / frequency
    pick = np.zeros(count)
    pick[: round(period)] = random.uniform(-1, 1, round(period))
    pick -= np.where(np.arange(count) < period, np.mean(pick[: round(period)]), 0)

    def string(f):
        turn = np.exp(-2j * np.pi * f * (period - 0.5) / RATE)
        return 1 / (1 - 0.9955 * turn * (1 + np.exp(-2j * np.pi * f / RATE)) / 2)

    sound = filtered(filtered(pick, low_pass(5000)), string)
    return sound * ramps([(0, 1), (length, 1), (length + 0.8, 0)], length + 0.8)


def pad(random, frequency, length):
    """Three detuned saws, limited to the harmonics below 3 kHz, slow in and out."""
    t = seconds(length + 0.5)
    sound = np.zeros(len(t))
    for cents in (-7, 0, 8):
        f = frequency * 2 ** (cents / 1200)
        for k in range(1, int(3000 / f) + 1):
            sound += np.sin(2 * np.pi * (k * f * t + random.uniform())) / k ** 1.4
    return sound / 3 * ramps([(0, 0), (0.25, 1), (length, 1), (length + 0.5, 0)], length + 0.5)


def lead(frequency, length):
    """A soft reed with a bell on its attack, and vibrato that comes late."""
    t = seconds(length + 0.12)
    depth = np.clip((t - 0.25) / 0.4, 0, 1) * 0.004
    phase = 2 * np.pi * np.cumsum(frequency * (1 + depth * np.sin(2 * np.pi * 5.2 * t))) / RATE
    reed = sum(np.sin(k * phase) * a for k, a in ((1, 1), (2, 0.35), (3, 0.28), (4, 0.1), (5, 0.07)))
    bell = np.sin(phase * 4 + 0.6 * np.sin(phase * 7)) * np.exp(-t * 9) * 0.35
    shape = ramps([(0, 0), (0.012, 1), (0.15, 0.8), (length, 0.7), (length + 0.12, 0)], length + 0.12)
    return (0.8 * reed + bell) * shape
