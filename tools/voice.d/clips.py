"""What the networks learn from: clips of a band, most with a voice, as the figures of some bins and the
means of the figures in bands. The figures are those of VoiceFeatures.swift, in the same order, the bands
those of VoiceBands.swift: both change together."""

import glob
import os
import random
import subprocess

import numpy as np
from scipy.ndimage import uniform_filter1d

import realmusic
import stems
import voices

RATE, LEVEL = realmusic.RATE, realmusic.LEVEL
SIZE, HOP = 8192, 2048
FIRST, END = 16, 2000  # bins: whole vectors of eight from 110 Hz to 10.8 kHz
SECONDS = 21
CHOSEN = 96  # bins of each window that are learned from
BANDS = 24
LOWEST, HIGHEST = 20, 2008  # bins where the bands begin and end
# The figures of a bin alone, whose means the context hears.
OWN = (0, 1, 2, 3, 4, 5, 6, 7, 8, 11)
PACKAGES = (
    "fb-music-high asc-music singularity-music wesnoth-1.16-music supertux-data supertuxkart-data "
    "neverball-data drascula-music redeclipse-data warzone2100-music planetblupi-music-ogg "
    "extremetuxracer-data lincity-ng-data naev-data megaglest-data freedroidrpg-data zaz-data "
    "hedgewars-data trigger-rally-data frozen-bubble-data adonthell-data parsec47-data "
    "torus-trooper-data noiz2sa-data").split()

PLACES = np.log(np.arange(FIRST, END) / LOWEST) / np.log(HIGHEST / LOWEST) * BANDS
BAND_OF = np.clip(np.floor(PLACES).astype(int), 0, BANDS - 1)
STARTS = np.searchsorted(BAND_OF, np.arange(BANDS))
# For each bin the band whose middle lies below it, and how far the next one is.
BELOW = np.minimum(np.clip(PLACES - 0.5, 0, BANDS - 1).astype(int), BANDS - 2)
PART = (np.clip(PLACES - 0.5, 0, BANDS - 1) - BELOW).astype("f4")


def pieces():
    """The files of music that are learned from, in an order by chance that is always the same."""
    folder = os.path.join(realmusic.FOLDER, "learned")
    if not os.path.isdir(folder):
        coming = folder + ".part"  # called `learned` only when all is there
        os.makedirs(coming, exist_ok=True)
        subprocess.run(["apt-get", "-q", "download", *PACKAGES], check=True, cwd=coming)
        for package in glob.glob(os.path.join(coming, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, coming], check=True)
            os.remove(package)
        os.rename(coming, folder)
    found = sorted(path for kind in ("ogg", "mp3", "flac", "opus", "wav")
                   for path in glob.glob(os.path.join(folder, f"**/*.{kind}"), recursive=True)
                   if os.path.getsize(path) > 700_000)
    random.Random(1).shuffle(found)
    return found


# MARK: Figures

def spectrum(sound):
    """Windows whose middles are each HOP samples apart, from the first sample on."""
    count = len(sound) // HOP + 2
    padded = np.pad(sound, (SIZE // 2, 2 * SIZE))
    shape = np.sin(np.pi * (np.arange(SIZE) + 0.5) / SIZE)
    windows = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP][:count]
    return np.fft.rfft(windows * shape, axis=1)[:, FIRST:END].astype(np.complex64)


def mean(x, windows, bins):
    if windows > 1:
        x = uniform_filter1d(x, windows, axis=0, mode="constant")
    return uniform_filter1d(x, bins, axis=1, mode="constant") if bins > 1 else x


def so_far(x, count=100):
    """The mean of all windows up to each, at last of about `count`."""
    found, means = np.zeros(x.shape[1], x.dtype), np.empty_like(x)
    for number, window in enumerate(x):
        found = found + max(1 / count, 1 / (number + 1)) * (window - found)
        means[number] = found
    return means


def figures(m, s):
    """The figures of each bin."""
    mm, ss = (abs(m) ** 2).astype("f4"), (abs(s) ** 2).astype("f4")
    product = m * np.conj(s)
    r, i = mean(product.real, 5, 3), mean(product.imag, 5, 3)
    m53, s53 = mean(mm, 5, 3), mean(ss, 5, 3)
    e = 1e-5 * so_far(np.mean(mm + ss, axis=1, keepdims=True)) + 1e-9
    log = np.log
    own, root = log(mm + e), np.sqrt(e)
    short = 2 * log(so_far(np.sqrt(mm)) + root)
    level = np.mean(mm, axis=1, keepdims=True)
    pitch = np.log2((np.arange(mm.shape[1]) + FIRST) * RATE / SIZE / 1000)[None]
    found = (
        log(s53 + e) - log(m53 + e), log(mean(ss, 5, 61) + e) - log(mean(mm, 5, 61) + e),
        abs(r) / (m53 + s53 + e), abs(i) / (m53 + s53 + e),
        own - log(mean(mm, 3, 3) + e), own - log(mean(mm, 1, 41) + e),
        own - short, own - 2 * log(so_far(np.sqrt(mm), 350) + root),
        2 * log(so_far(np.sqrt(ss)) + root) - short, pitch, pitch**2, own - log(level + e),
        log(level + e) - log(so_far(level) + e),
    )
    return np.stack([np.broadcast_to(np.clip(x, -5, 5), mm.shape).astype("f4") for x in found], -1)


def context(found):
    """What the context hears of each window."""
    sums = np.add.reduceat(found[..., OWN], STARTS, axis=1)
    counts = np.diff(np.append(STARTS, found.shape[1]))[None, :, None]
    return np.concatenate([(sums / counts).reshape(len(found), -1), found[:, 0, 12:13]], 1)


# MARK: A mix

def lead(numbers, count):
    """An instrument that plays a melody as somebody would sing it: with glides and vibrato, but always the
    same timbre. In the centre, in a room and doubled as often as voices are: neither tells them apart."""
    spans, at = [], 0
    while at < count / RATE / voices.FRAME:
        at += int(numbers.choice([0, numbers.uniform(10, 400)], p=[0.7, 0.3]))
        spans.append((at, at + 30))
        at += 30
    _, notes = voices.score(numbers, spans, numbers.uniform(50, 76))
    frames, sounds = np.arange(len(notes)), notes > 0
    pitch = voices.curve(numbers, np.interp(frames, frames[sounds], notes[sounds]))
    # Struck or plucked, or held.
    struck = np.maximum.accumulate(np.where(np.diff(notes, prepend=0) != 0, frames, 0))
    level = np.exp((struck - frames) * voices.FRAME / numbers.choice([0.25, 0.6, 8]))
    level *= uniform_filter1d(sounds.astype(float), 5)
    times = np.arange(count) / RATE / voices.FRAME
    hertz, level = np.interp(times, frames, pitch), np.interp(times, frames, level)
    phase, sound = 2 * np.pi * np.cumsum(hertz) / RATE, np.zeros(count)
    steep, odd = numbers.uniform(0.6, 2.2), numbers.choice([1, 0.1], p=[0.7, 0.3])
    for k in range(1, 31):
        part = k**-steep * numbers.uniform(0.4, 1) * (1 if k % 2 else odd)
        sound += part * np.sin(k * phase) * np.clip((11_000 - k * hertz) / 1000, 0, 1)
    return produced(numbers, sound * level, count)[0]


def backing(numbers, path):
    """A band, as wide and as bright as by chance, perhaps with a lead; made where there is no file. None where the file is too
    short or silent."""
    count = SECONDS * RATE
    if path is None:
        parts = stems.stems(SECONDS, seed=int(numbers.integers(1e6)), wide=bool(numbers.integers(2)))
        rest = sum(part for name, part in parts.items() if name != "voice")
    else:
        rest = realmusic.decoded(path, "-ss", f"{numbers.uniform(3, 40):.2f}", "-t", f"{SECONDS + 0.1}")
    if rest.shape[1] < count or realmusic.loudness(rest) < 1e-3:
        return None
    middle, side = (rest[0] + rest[1])[:count] / 2, (rest[0] - rest[1])[:count] / 2
    side = side * numbers.choice([1, numbers.uniform(0.2, 0.8), numbers.uniform(1.2, 1.8)],
                                 p=[0.75, 0.15, 0.1])
    if numbers.random() < 0.3:
        side = -side
    rest = coloured(numbers, np.stack([middle + side, middle - side]), 3)
    if numbers.random() < 0.2:
        solo = lead(numbers, count)
        rest += solo * (
            realmusic.loudness(rest) * 10 ** (numbers.uniform(-9, 0) / 20)
            / (realmusic.loudness(solo) + 1e-9))
    return rest * LEVEL / realmusic.loudness(rest)


def coloured(numbers, sound, most):
    """Another timbre, by up to so many dB."""
    count = sound.shape[1]
    frequencies = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    levels = np.interp(np.log2(frequencies), np.log2([100, 250, 700, 1600, 4000, 9000]),
                       numbers.uniform(-most, most, 6))
    return np.fft.irfft(np.fft.rfft(sound, axis=1) * 10 ** (levels / 20), count, axis=1)


def narrowed(sounds, highest):
    """The sounds as a poor coder, an old record or a file of a low rate leaves them: without what is above
    so many hertz."""
    frequencies = np.fft.rfftfreq(sounds[0].shape[1], 1 / RATE)
    kept = np.clip((highest * 1.06 - frequencies) / (highest * 0.06), 0, 1)
    return [np.fft.irfft(np.fft.rfft(x, axis=1) * kept, x.shape[1], axis=1) for x in sounds]


def phrases(numbers, count):
    """1 where somebody sings, 0 where not."""
    gate = np.ones(count)
    if numbers.random() < 0.3:
        return gate
    at, sings = 0, numbers.random() < 0.5
    while at < count:
        length = int(numbers.uniform(1, 7) * RATE)
        if not sings:
            gate[at:at + length] = 0
        at, sings = at + length, not sings
    return uniform_filter1d(gate, 1500)


def produced(numbers, sung, count):
    """A voice as records have it: compressed, doubled, with an echo, in a room, perhaps beside the
    middle; and where the program is told that it is."""
    start = numbers.integers(0, max(1, len(sung) - count))
    x = np.resize(sung[start:start + count], count).astype(float)
    if numbers.random() < 0.6:
        power = uniform_filter1d(x**2, 1000) + 1e-9
        x = x * (power / power.max()) ** (-0.35 * (1 - 1 / numbers.uniform(1.5, 5))) * (power > 1e-6)
    if numbers.random() < 0.75:
        x = x * phrases(numbers, count)
    wide, kind, t = np.stack([x, x]), numbers.random(), np.arange(count)
    if kind < 0.2:  # doubled
        for side in range(2):
            where = t * 2 ** (numbers.uniform(-9, 9) / 1200) + numbers.uniform(0.008, 0.035) * RATE
            wide[side] += numbers.uniform(0.2, 0.8) * np.interp(np.clip(where, 0, count - 1), t, x)
    elif kind < 0.35:  # chorus
        late, sway = numbers.uniform(0.01, 0.025) * RATE, numbers.uniform(0.001, 0.004) * RATE
        for side, phase in enumerate((0, np.pi / 2)):
            where = t - late - sway * np.sin(2 * np.pi * 0.7 * t / RATE + phase)
            wide[side] += numbers.uniform(0.2, 0.6) * np.interp(where, t, x, left=0)
    if numbers.random() < 0.25:  # echo
        late = int(numbers.uniform(0.09, 0.4) * RATE)
        wide[:, late:] += numbers.uniform(0.1, 0.35) * wide[:, :-late]
    wide, told = coloured(numbers, wide, 5), 0
    if numbers.random() < 0.25:
        place = numbers.uniform(-0.22, 0.22)
        angle = (place + 1) * np.pi / 4
        wide = wide * np.sqrt(2) * np.array([[np.cos(angle)], [np.sin(angle)]])
        told = place + numbers.uniform(-0.03, 0.03) if numbers.random() < 0.6 else 0
    if numbers.random() < 0.65:
        wide = wide + 10 ** (numbers.uniform(-26, -6) / 20) * realmusic.room(numbers, wide)
    return wide, told


def turned(sound, place):
    """The spectra of what stands at the place, and of what is beside it."""
    angle = (place + 1) * np.pi / 4
    left, right = np.cos(angle), np.sin(angle)
    return (spectrum(left * sound[0] + right * sound[1]),
            spectrum(right * sound[0] - left * sound[1]))


def clip(job):
    """Of a clip, for each window: the figures of some bins, chosen by their energy; the powers and
    products that the error is made of, such that their sums stand for all bins; the context; which bins
    they are. None where there is no music."""
    seed, path, singers = job
    numbers = np.random.default_rng(seed)
    rest = backing(numbers, path)
    if rest is None:
        return None
    voice, place = np.zeros_like(rest), 0
    if numbers.random() < 0.68:  # half of all windows, with the pauses
        def singer():
            return produced(numbers, voices.sung(singers[numbers.integers(len(singers))]), rest.shape[1])
        voice, place = singer()
        if numbers.random() < 0.12:  # somebody else beside
            other, _ = singer()
            voice = (voice / (realmusic.loudness(voice) + 1e-9)
                     + numbers.uniform(0.2, 0.7) * other / (realmusic.loudness(other) + 1e-9))
        voice *= LEVEL / 10 ** (numbers.uniform(-1, 11) / 20) / (realmusic.loudness(voice) + 1e-9)
    if numbers.random() < 0.06:  # a mono song
        place, rest, voice = 0, *(np.tile(x.mean(0), (2, 1)) for x in (rest, voice))
    if numbers.random() < 0.25:
        rest, voice = narrowed((rest, voice), np.exp(numbers.uniform(np.log(2500), np.log(14_000))))
    (m, s), (v, vs) = turned(rest + voice, place), turned(voice, place)
    found, b, bs = figures(m, s), m - v, s - vs
    likely = np.sqrt(abs(b) ** 2 + abs(v) ** 2 + abs(bs) ** 2 + abs(vs) ** 2)
    likely = likely + 0.1 * likely.mean() + 0.1 * likely.mean(1, keepdims=True)
    sums = np.cumsum(likely, axis=1)
    drawn = (np.arange(CHOSEN) + numbers.random((len(likely), CHOSEN))) / CHOSEN * sums[:, -1:]
    n = np.stack([np.searchsorted(row, x) for row, x in zip(sums, drawn)]).clip(0, END - FIRST - 1)
    rows = np.arange(len(n))[:, None]
    weight = sums[:, -1:] / (likely[rows, n] * CHOSEN)
    weight = weight / np.mean(np.sum(abs(b) ** 2 + abs(bs) ** 2, axis=1))

    def product(x, y):
        return (x[rows, n] * np.conj(y[rows, n])).real * weight
    products = np.stack([product(x, y) for x, y in (
        (b, b), (v, v), (b, v), (bs, bs), (vs, vs), (bs, vs))], -1)
    return (found[rows, n].astype("f2"), products.astype("f4"), context(found).astype("f2"),
            n.astype("i2"))
