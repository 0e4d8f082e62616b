"""Mixes whose stems are known, made of nothing but seeded numbers: a voice, bass and kick in the
centre, chords left and right, and if asked for a wide pad and reverb on the voice. 44.1 kHz."""

import numpy as np

RATE = 44_100
BEAT = 0.6  # seconds
# For each half bar a bass note and what is played left and right, as MIDI notes.
CHORDS = [(33, (57, 64), (76, 60)), (29, (57, 65), (72, 60)), (36, (55, 64), (67, 60)),
          (31, (55, 62), (74, 59))]
FORMANTS = {  # hertz, decibels
    "a": ((800, 1150, 2900, 3900), (0, -6, -32, -20)),
    "e": ((350, 2000, 2800, 3600), (0, -20, -15, -40)),
    "i": ((270, 2140, 2950, 3900), (0, -12, -26, -26)),
    "o": ((450, 800, 2830, 3800), (0, -11, -22, -22)),
    "u": ((325, 700, 2700, 3800), (0, -16, -35, -40)),
}


def hertz(note):
    return 440 * 2 ** ((note - 69) / 12)


def filtered(signal, response):
    """`response(f)`: the gain at f hertz."""
    size = len(signal) + RATE
    frequencies = np.fft.rfftfreq(size, 1 / RATE)
    return np.fft.irfft(np.fft.rfft(signal, size) * response(frequencies), size)[: len(signal)]


def high_pass(cutoff, order):
    return lambda f: 1 / np.sqrt(1 + (cutoff / np.maximum(f, 1e-3)) ** (2 * order))


def low_pass(cutoff, order):
    return lambda f: 1 / np.sqrt(1 + (f / cutoff) ** (2 * order))


def even(signal):
    """As loud as 1 on average."""
    return signal / np.sqrt(np.mean(signal**2))


def edges(count, attack, release):
    t = np.arange(count) / RATE
    return np.minimum(np.minimum(1, t / attack), (count / RATE - t) / release)


def panned(track, place):
    """Constant power, −1 left … 1 right."""
    angle = (place + 1) * np.pi / 4
    return np.stack([track * np.cos(angle), track * np.sin(angle)])


def voice(random, count):
    """Vowels under formants with vibrato; breath, and hisses before some of them."""
    out = np.zeros(count)
    at = 0
    while at < count:
        length = min(round(random.choice([0.3, 0.45, 0.6, 0.9, 1.2]) * RATE), count - at)
        t = np.arange(length) / RATE
        base = hertz(random.integers(57, 72))
        depth = 0.015 * np.clip((t - 0.15) / 0.2, 0, 1)
        pitch = base * (1 + depth * np.sin(2 * np.pi * random.uniform(4.8, 5.8) * t))
        # Each note is begun from below.
        pitch *= 2 ** (-0.5 / 12 * np.exp(-t / 0.03))
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        centres, levels = FORMANTS[random.choice(list(FORMANTS))]
        sung = np.zeros(length)
        for k in range(1, int(9000 / base)):
            f = k * pitch
            gain = sum(10 ** (level / 20) / np.sqrt(1 + ((f - centre) / (45 + 0.03 * centre)) ** 2)
                       for centre, level in zip(centres, levels))
            sung += gain * (1 + (f / 1000) ** 2) ** -0.2 * np.sin(k * phase + 0.3 * k)
        shape = edges(length, 0.03, 0.05)
        sung = even(sung * shape) * random.uniform(0.7, 1.1)
        noise = random.standard_normal(length)
        sung += 0.03 * shape * filtered(noise, lambda f: high_pass(1500, 2)(f) * low_pass(6000, 1)(f))
        if random.random() < 0.45:
            hiss = min(round(0.11 * RATE), length)
            sung[:hiss] *= np.linspace(0, 1, hiss) ** 2
            sung[:hiss] += 0.6 * np.hanning(hiss) * filtered(
                random.standard_normal(hiss), high_pass(5000, 3))
        out[at:at + length] += sung
        at += length
        if random.random() < 0.3:
            at += round(random.uniform(0.1, 0.5) * RATE)
    return even(out)


def plucked(random, count, part, length, harmonics, fall, rest):
    """Strings on eighths, each harmonic sooner over than the one below; `rest`: how many are left
    out."""
    out = np.zeros(count)
    for number in range(int(count / RATE / BEAT * 2)):
        at = round(number * BEAT / 2 * RATE)
        size = min(round(length * RATE), count - at)
        if random.random() < rest or size <= 0:
            continue
        notes = CHORDS[number // 8 % 4][part]
        for note in notes if part else (notes + random.choice([0, 0, 0, 7, 12]),):
            t = np.arange(size) / RATE
            f = hertz(note + random.normal(0, 0.04))
            sound = sum(np.sin(2 * np.pi * k * f * t + random.uniform(0, 2 * np.pi)) / k**1.3
                        * np.exp(-t * (1 + fall * k)) for k in range(1, harmonics))
            out[at:at + size] += sound * edges(size, 0.004, 0.02) * random.uniform(0.6, 1)
    return even(out)


def kick(count):
    out = np.zeros(count)
    for at in range(0, count, round(BEAT * RATE)):
        t = np.arange(min(round(0.35 * RATE), count - at)) / RATE
        phase = 2 * np.pi * np.cumsum(48 + 110 * np.exp(-t * 35)) / RATE
        out[at:at + len(t)] = np.sin(phase) * np.exp(-t * 9) + 0.25 * np.sin(
            2 * np.pi * 1900 * t) * np.exp(-t * 400)
    return even(out)


def pad(random, count):
    """Detuned saws, other ones on each side."""
    out = np.zeros((2, count))
    bar = round(4 * BEAT * RATE)
    for number, at in enumerate(range(0, count, bar)):
        size = min(round(1.1 * bar), count - at)
        t = np.arange(size) / RATE
        _, left, right = CHORDS[number % 4]
        for side in range(2):
            for note in left + right[1:]:
                for cents in (-8, 0, 7):
                    f = hertz(note + (cents + random.uniform(-3, 3)) / 100)
                    for k in range(1, int(4000 / f)):
                        out[side, at:at + size] += edges(size, 0.3, 0.3) / k**1.3 * np.sin(
                            2 * np.pi * (k * f * t + random.random()))
    return even(out)


def reverb(random, signal):
    """Another room on each side, 1.4 s long; together as loud as `signal`."""
    t = np.arange(round(1.6 * RATE)) / RATE
    sides = []
    for _ in range(2):
        room = filtered(random.standard_normal(len(t)) * 10 ** (-3 * t / 1.4),
                        lambda f: low_pass(5000, 1)(f) * high_pass(200, 1)(f))
        room = np.concatenate([np.zeros(round(0.015 * RATE)), room])
        size = len(signal) + len(room)
        sides.append(np.fft.irfft(np.fft.rfft(signal, size) * np.fft.rfft(room, size), size))
    wet = np.stack(sides)[:, : len(signal)]
    return wet * np.sqrt(np.sum(signal**2) / np.sum(wet**2))


def stems(seconds, place=0.0, wet=0.0, wide=False, seed=1, singer=None):
    """The stems of a mix by name, stereo each; the voice at `place`, with `wet` times as much reverb
    as voice. Without reverb and pad the rest is 2.4 dB louder than the voice, and nearly all of it
    stands on the sides. `singer`: a voice as loud as 1, in the place of the made one."""
    random = np.random.default_rng(seed)
    count = round(seconds * RATE)
    sung = voice(random, count)
    if singer is not None:
        sung = even(singer[:count])
    parts = {
        "bass": 0.1 * panned(plucked(random, count, 0, 0.3, 9, 1.2, 0.2), 0),
        "kick": 0.1 * panned(kick(count), 0),
        "sides": 0.5 * (panned(plucked(random, count, 1, 0.8, 14, 0.8, 0.25), -1)
                        + panned(plucked(random, count, 2, 0.8, 12, 0.4, 0.25), 1)),
    }
    backing = sum(parts.values())
    level = np.sqrt(np.sum(backing**2) / 10**0.24 / np.sum(sung**2))
    parts["voice"] = level * panned(sung, place)
    if wet:
        parts["voice"] = parts["voice"] + wet * level * reverb(random, sung)
    if wide:
        parts["pad"] = 0.5 * pad(random, count)
    # Nothing is to reach the limiter of any program.
    loudest = np.max(np.abs(sum(parts.values())))
    return {name: 0.5 / loudest * part for name, part in parts.items()}


def distortion(sound, reference):
    """The scale-invariant ratio of signal to distortion, in dB (Le Roux and others, "SDR – Half-Baked
    or Well Done?", ICASSP 2019)."""
    part = np.sum(sound * reference) / np.sum(reference**2) * reference
    return 10 * np.log10(np.sum(part**2) / np.sum((sound - part) ** 2))


def gains(sound, parts):
    """How much of each stem is in `sound`, in dB, by least squares."""
    rows = np.stack([part.ravel() for part in parts.values()])
    found = np.linalg.solve(rows @ rows.T, rows @ sound.ravel())
    return dict(zip(parts, 20 * np.log10(np.abs(found))))
