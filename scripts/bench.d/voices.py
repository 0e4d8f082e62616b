"""Singers: speech of Debian packages, turned into song by WORLD (pyworld: Morise et al. 2016), and one real
singer, from stempeg of PyPI. All is fetched and unpacked, and not installed. 44.1 kHz.

Who trains (tools/train-voice) and who judges (scripts/bench vocals) never share a voice: of every package
the languages of `HELD` are left to the judge, so that nobody who speaks two languages is in both."""

import glob
import os
import subprocess

import numpy as np
from scipy.ndimage import gaussian_filter1d

import realmusic

RATE = realmusic.RATE
# Package, files, and what stands for {} in them: each is a person. Their licences are free: Debian's main.
# Left out: voices below 22 kHz or 20 s, and noisy ones.
SPEECH = (
    ("tuxpaint-stamps-default", "usr/share/tuxpaint/stamps/**/*_desc_{}.ogg",
     "be bg ca da el es ru ro"),
    ("klettres-data", "usr/share/klettres/{}/*/*.ogg",
     "ar cs da de en en_GB es fr he it ml nds nl ru tn uk pt_BR"),
    ("ktuberling-data", "usr/share/ktuberling/sounds/{}/*", "ca da de el en fr ru sl uk wa lt nn"),
    ("hedgewars-data", "usr/share/games/hedgewars/Data/Sounds/voices/{}/*.ogg",
     "British Classic Default Default_es Default_pl Default_ru Default_uk HillBilly Mobster Pirate "
     "Russian Russian_pl Singer Surfer"),
    ("kajongg", "usr/share/kajongg/voices/{}/*.ogg",
     "de/female1 de/female2 de/male1 de/male2 female1 male1 male2"),
    ("qabcs-data", "usr/share/qabcs/abcs/{}/sounds/**/*", "be de en en_gb fr pl ru uk"),
    ("fillets-ng-data-cs", "usr/share/games/fillets-ng/sound/*/cs/*-{}-*.ogg", "m v"),
    ("fillets-ng-data-nl", "usr/share/games/fillets-ng/sound/*/nl/*-{}-*.ogg", "m v"),
    ("gcin-voice", "usr/**/ogg/*/{}.ogg", "5"),
)
HELD = ("lt", "nn", "pt_BR", "ro")
# Who judges: a girl or a boy, a man, two women. And who is real.
JUDGES = ("klettres-data:pt_BR", "ktuberling-data:lt", "ktuberling-data:nn", "tuxpaint-stamps-default:ro")
REAL = "stempeg"
SCALES = ((0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10), (0, 2, 4, 7, 9), (0, 3, 5, 7, 10))
FRAME = 0.005  # seconds


def fetch(names):
    """Downloads what these voices need and is not there yet."""
    for package in sorted({name.split(":")[0] for name in names}):
        folder = os.path.join(realmusic.FOLDER, "speech", package)
        if os.path.isdir(folder):
            continue
        coming = folder + ".part"  # called by its name only when all is there
        os.makedirs(coming, exist_ok=True)
        subprocess.run(["apt-get", "-q", "download", package], check=True, cwd=coming,
                       stdout=subprocess.DEVNULL)
        for file in glob.glob(os.path.join(coming, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", file, coming], check=True)
            os.remove(file)
        os.rename(coming, folder)


def trainers():
    """The names of all who may train."""
    return [f"{package}:{who}" for package, _, people in SPEECH for who in people.split()
            if who not in HELD]


def files(name):
    """The files of a voice, in order; its package was fetched."""
    package, who = name.split(":")
    folder = os.path.join(realmusic.FOLDER, "speech", package)
    pattern = next(pattern for known, pattern, _ in SPEECH if known == package)
    found = glob.glob(os.path.join(folder, pattern.format(who)), recursive=True)
    return sorted(path for path in found if path.endswith((".ogg", ".wav", ".mp3", ".flac", ".opus")))


def said(name, seconds=8, most=150):
    """What somebody says, in pieces of about so many seconds."""
    found, now = [], []
    for path in files(name):
        sound = realmusic.decoded(path).mean(0)
        if len(sound) < 0.15 * RATE or realmusic.loudness(sound) < 1e-4:
            continue
        now += [sound / realmusic.loudness(sound) * 0.1, np.zeros(int(0.1 * RATE))]
        if sum(map(len, now)) > seconds * RATE:
            found.append(np.concatenate(now))
            now = []
        if sum(map(len, found)) > most * RATE:
            break
    return found + ([np.concatenate(now)] if now else [])


def analysed(sound):
    """Pitch, envelope and breath of every frame."""
    import pyworld
    pitch, times = pyworld.dio(sound, RATE, f0_floor=70, f0_ceil=600, frame_period=1000 * FRAME)
    pitch = pyworld.stonemask(sound, pitch, times, RATE)
    return pitch, pyworld.cheaptrick(sound, pitch, times, RATE), pyworld.d4c(sound, pitch, times, RATE)


def runs(flags):
    """The first and the end of every run of true ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def score(numbers, spans, base):
    """Which frames are sung, in which order, on which note; 0 between notes. Vowels are stretched to
    the notes; how a syllable begins and ends is not."""
    tempo = np.exp(numbers.normal(0, 0.35))
    # A melody, or nearly one note.
    ways = [-4, -3, -2, -1, -1, 0, 0, 1, 1, 2, 3, 4] if numbers.random() < 0.8 else [0] * 10 + [-1, 1]
    scale = SCALES[numbers.integers(len(SCALES))]
    degree, at = numbers.integers(-2, 5), 0
    frames, notes = [], []
    for first, end in spans:
        before = max(at, first - 80)  # consonants, and pauses of 0.4 s at most
        frames.append(np.arange(before, first, dtype=float))
        notes.append(np.zeros(first - before))
        at = end
        count = 1 + int(numbers.random() < 0.25) + int(numbers.random() < 0.1)
        lengths = [int(np.clip(np.exp(numbers.normal(np.log(0.32 * tempo), 0.55)), 0.1, 2.2) / FRAME)
                   for _ in range(count)]
        head, tail = min(14, (end - first) // 3), min(10, (end - first) // 4)
        inner = max(sum(lengths) - head - tail, 4)
        frames.append(np.concatenate([
            np.arange(first, first + head), np.linspace(first + head, end - tail - 1, inner),
            np.arange(end - tail, end)]))
        curve, place = np.zeros(len(frames[-1])), 0
        for number, length in enumerate(lengths):
            degree = int(np.clip(degree + numbers.choice(ways), -5, 10))
            octave, step = divmod(degree, len(scale))
            stop = len(curve) if number == count - 1 else min(len(curve), place + length)
            curve[place:stop] = base + 12 * octave + scale[step]
            if numbers.random() < 0.4:  # begun from below
                t = np.arange(stop - place) * FRAME
                curve[place:stop] -= numbers.uniform(0.3, 2) * np.exp(-t / 0.05)
            place = stop
        notes.append(curve)
    return np.concatenate(frames), np.concatenate(notes)


def curve(numbers, notes):
    """The pitch of each frame in hertz: notes that glide into each other, with a vibrato that sets in
    late, or with none, and unsteady; 0 between notes."""
    sounds = notes > 0
    smooth = np.interp(np.arange(len(notes)), np.flatnonzero(sounds), notes[sounds])
    smooth = gaussian_filter1d(smooth, numbers.uniform(4, 11))
    steps = np.flatnonzero(np.abs(np.diff(notes, prepend=notes[0])) > 0.5)
    last = np.zeros(len(notes), int)
    last[steps] = steps
    since = (np.arange(len(notes)) - np.maximum.accumulate(last)) * FRAME
    depth = max(0, numbers.uniform(-0.15, 0.6)) * np.clip((since - 0.18) / 0.25, 0, 1)
    rate = numbers.uniform(4.5, 6.6) + 2 * gaussian_filter1d(numbers.standard_normal(len(notes)), 40)
    swing = depth * np.sin(2 * np.pi * np.cumsum(rate) * FRAME)
    unsteady = numbers.uniform(0.02, 0.2) * gaussian_filter1d(
        numbers.standard_normal(len(notes)), 6)
    return np.where(sounds, 440 * 2 ** ((smooth + swing + unsteady - 69) / 12), 0)


def sung_by(numbers, parts):
    """Sings what was analysed; None where next to nothing has a pitch."""
    import pyworld
    pitch, envelopes, breath = parts
    spans = [(first, end) for first, end in runs(pitch > 0) if end - first >= 12]
    if len(spans) < 2:
        return None
    base = 69 + 12 * np.log2(np.median(pitch[pitch > 0]) / 440) + numbers.uniform(-1, 8)
    frames, notes = score(numbers, spans, base)
    sounds = notes > 0
    below = np.clip(np.floor(frames).astype(int), 0, len(pitch) - 1)
    above = np.minimum(below + 1, len(pitch) - 1)
    part = (frames - below)[:, None]
    envelope = np.exp((1 - part) * np.log(envelopes[below] + 1e-16)
                      + part * np.log(envelopes[above] + 1e-16))
    noise = (1 - part) * breath[below] + part * breath[above]
    # Another length of the throat: another person.
    bins = np.arange(envelope.shape[1])
    where = np.clip(bins / numbers.uniform(0.97, 1.03), 0, bins[-1])
    low = np.floor(where).astype(int)
    high, part = np.minimum(low + 1, bins[-1]), where - low
    envelope = envelope[:, low] * (1 - part) + envelope[:, high] * part
    # Sung vowels are steadier than spoken ones, with less breath.
    power = envelope.sum(1)
    steady = np.exp(gaussian_filter1d(np.log(power + 1e-12), 60))
    envelope *= ((steady / (power + 1e-12)) ** (numbers.uniform(0.3, 0.7) * sounds))[:, None]
    noise = np.where(sounds[:, None], noise ** numbers.uniform(1, 2), 1)
    if numbers.random() < 0.4:  # the singers' formant
        hertz = bins * RATE / 2 / bins[-1]
        envelope *= 1 + sounds[:, None] * numbers.uniform(0.5, 4) * np.exp(
            -((hertz - 3000) / 500) ** 2)
    sound = pyworld.synthesize(curve(numbers, notes), np.ascontiguousarray(envelope),
                               np.ascontiguousarray(noise), RATE, 1000 * FRAME)
    return 0.1 * sound / (realmusic.loudness(sound) + 1e-9)


def sung(name, seconds=150):
    """So many seconds of song, of which a tenth is spoken, in the voice of that name, always the same; kept for the next run."""
    folder = os.path.join(realmusic.FOLDER, "sung")
    path = os.path.join(folder, name.replace("/", "_") + f".{seconds}.npy")
    if os.path.exists(path):
        return np.load(path, mmap_mode="r")
    numbers = np.random.default_rng(list(name.encode()))
    parts = said(name)
    known, found, count, turn = {}, [], 0, 0
    while count < seconds * RATE and turn < 8 * len(parts) + 40:
        number = turn % len(parts)
        turn += 1
        if numbers.random() < 0.1:  # spoken, as in a rap
            found.append(parts[number].astype("f4"))
            count += len(found[-1])
            continue
        if number not in known:
            # Digital silence has no envelope.
            known[number] = analysed(
                parts[number] + 1e-5 * numbers.standard_normal(len(parts[number])))
        song = sung_by(numbers, known[number])
        if song is not None:
            found.append(song.astype("f4"))
            count += len(song)
    found = np.concatenate(found)[:seconds * RATE]
    os.makedirs(folder, exist_ok=True)
    np.save(path + ".part.npy", found)
    os.rename(path + ".part.npy", path)
    return found
