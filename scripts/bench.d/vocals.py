"""Taking voices out of songs: how much of the rest is left, beside other programs, and at what
cost."""

import glob
import itertools
import os
import resource
import statistics
import subprocess
import wave

import numpy as np

import realmusic
import stems
import voices
from rig import DUET, WORK, say

# The mix of a made band and a real voice, what duet is told of it, and what it must reach.
MIXES = [
    ("voice in the centre", {}, [], 16),
    ("voice at 0.1", {"place": 0.1}, [], 14.5),
    ("voice at 0.2", {"place": 0.2}, [], 12.5),
    ("voice at 0.2, told", {"place": 0.2}, ["--vocals-at", "0.2"], 16),
    ("reverb 0.25", {"wet": 0.25}, [], 11),
    ("reverb 0.5", {"wet": 0.5}, [], 8),
    ("wide pad", {"wide": True}, [], 13),
    ("wide pad, reverb 0.25", {"wide": True, "wet": 0.25}, [], 11),
]
RATE = realmusic.RATE
# A folder with more voices, each a sound file; `--voices=FOLDER`.
more_voices = None
SONG, OUT = os.path.join(WORK, "mix.wav"), os.path.join(WORK, "out.wav")


def write(sound):
    with wave.open(SONG, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(stems.RATE)
        file.writeframes(np.round(sound * 32767).astype("<i2").T.tobytes())


def run(*words):
    """Runs a program; gives the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read(path):
    """The first two channels of a file."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-af",
                          "pan=stereo|c0=c0|c1=c1", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, "<f4").reshape(-1, 2).T.astype(float)


def duet(*words):
    run(DUET, "render", SONG, "-o", OUT, "--bits", "float", "--no-limiter", *words)
    return read(OUT)


def ffmpeg(effect):
    run("ffmpeg", "-v", "error", "-y", "-i", SONG, "-af", effect, "-c:a", "pcm_f32le", OUT)
    return read(OUT)


def without_dialogue():
    """ffmpeg's dialoguenhance leaves both sides as they are and adds a third channel: what they have
    in common (`original`), and more of it where it finds speech (`enhance`). Without that channel the
    sides are the song without its voice."""
    return ffmpeg("dialoguenhance=original=1:enhance=0,pan=stereo|c0=c0-c2|c1=c1-c2")


def less_middle():
    """ffmpeg's stereotools with the middle, (left + right) / 2, as soft as it can: −36 dB."""
    return ffmpeg("stereotools=mlev=0.015625")


def oops():
    """sox's oops puts left − right on both sides. The backing's right side has the other sign there,
    which nobody hears, but which counts as distortion: the right side is turned over."""
    run("sox", SONG, "-b", "32", "-e", "float", OUT, "oops")
    return read(OUT) * [[1], [-1]]


def aligned(sound, reference):
    """`sound` moved to where it is most like `reference`: other programs may delay."""
    size = 2 * reference.shape[1]
    alike = sum(np.fft.irfft(np.fft.rfft(s, size) * np.conj(np.fft.rfft(r, size)), size)
                for s, r in zip(sound, reference))
    late = np.argmax(np.abs(alike[:stems.RATE]))
    moved = np.zeros_like(reference)
    rest = sound[:, late:late + reference.shape[1]]
    moved[:, :rest.shape[1]] = rest
    return moved


def removed(parts, told):
    """What duet leaves of the mix of `parts`, and how much of it is the backing."""
    song = sum(parts.values())
    write(song)
    ours = duet("--remove-vocals", *told)
    if ours.shape != song.shape:
        raise SystemExit(f"bench: {ours.shape} frames of {song.shape}")
    return ours, stems.distortion(ours, song - parts["voice"])


def singers():
    """Everybody who judges, none of whom the network has heard: the name, whether somebody real has sung it,
    and what is sung."""
    real, _ = realmusic.sung()
    yield voices.REAL, True, real.mean(0)
    voices.fetch(voices.JUDGES)
    for name in voices.JUDGES:
        yield name, False, voices.sung(name, 30)
    for path in sorted(glob.glob(os.path.join(more_voices, "*"))) if more_voices else []:
        yield os.path.basename(path), True, realmusic.decoded(path).mean(0)


def movement(sound):
    """How much the level above 6 kHz moves at 0.2 to 5 Hz, in dB: breathing and pumping."""
    hop = RATE // 40
    windows = np.lib.stride_tricks.sliding_window_view(sound, 2 * hop, axis=1)[:, ::hop]
    first = int(6000 / (RATE / (2 * hop)))
    powers = np.sum(abs(np.fft.rfft(windows * np.hanning(2 * hop), axis=2))[..., first:] ** 2, axis=(0, 2))
    levels = 10 * np.log10(powers + 1e-7)
    moves = np.fft.rfft(levels - levels.mean())
    frequencies = np.fft.rfftfreq(len(levels), hop / RATE)
    moves[(frequencies < 0.2) | (frequencies > 5)] = 0
    return np.std(np.fft.irfft(moves, len(levels)))


def judged(backing, voice, seconds):
    """`realmusic.judged` of duet, and how much more the level above 6 kHz moves than in the backing."""
    song = backing + voice
    gain = 0.5 / np.max(np.abs(song))
    write(gain * song)
    out = duet("--remove-vocals") / gain
    last = int(seconds * RATE)
    return (*realmusic.judged(song, out, backing, voice, last),
            movement(out[:, -last:]) - movement(backing[:, -last:]))


def narrow(table, bands, sound):
    """The same singer on records without treble."""
    for highest in (8000, 4000):
        down, gained = [], []
        for number, (_, backing) in enumerate(bands):
            voice = realmusic.sung_to(backing, sound, number)
            backing, voice = (lowered(x, highest) for x in (backing, voice))
            before, left, whole, soft, *_ = judged(backing, voice, 16)
            down.append(-left)
            gained.append((whole if soft is None else soft) - before)
        table.add(f"nothing above {highest // 1000} kHz: taken away by 100 %",
                  f"{np.mean(down):.1f} dB ({min(down):.1f} at least)", "", np.mean(down), 9, " dB",
                  least=True)
        table.add(f"nothing above {highest // 1000} kHz: the backing, above the untouched mix",
                  f"{np.mean(gained):.1f} dB ({min(gained):.1f} at least)", "", np.mean(gained), 2.5,
                  " dB", least=True)


def lowered(sound, highest):
    """`sound` without what lies above so many hertz."""
    spectrum = np.fft.rfft(sound, axis=1)
    spectrum[:, np.fft.rfftfreq(sound.shape[1], 1 / RATE) > highest] = 0
    return np.fft.irfft(spectrum, sound.shape[1], axis=1)


def heard(table, quick):
    """Singers that the network has never heard, over bands that it has never heard."""
    bands = list(realmusic.bands(24 * RATE))[::5 if quick else 1]
    alone = []
    for name, backing in bands:
        gain = 0.5 / np.max(np.abs(backing))
        write(gain * backing)
        out = duet("--remove-vocals") / gain
        alone.append(realmusic.ratio(out[:, 4 * RATE:], backing[:, 4 * RATE:]))
        say(f"  nobody sings, {name}: {alone[-1]:.1f} dB are left of the band")
    every, worst, moves = {True: [], False: []}, [], []
    for who, is_real, sound in singers():
        found = [judged(backing, realmusic.sung_to(backing, sound, number), 16)
                 for number, (_, backing) in enumerate(bands)]
        # Where a voice is never so soft, all that can be taken out counts.
        soft = [at if at is not None else whole for _, _, whole, at, _, _ in found]
        down = [-left for _, left, *_ in found]
        worst += [case[0] - at for case, at in zip(found, soft)]
        moves += [case[-1] for case in found]
        if who == voices.REAL:
            narrow(table, bands, sound)
        every[is_real].append((np.mean(soft), np.mean(down)))
        say(f"  {who} ({'real' if is_real else 'made'}): untouched {np.mean([x[0] for x in found]):.1f}; "
            f"at −12 dB {np.mean(soft):.1f}, {min(soft):.1f} to {max(soft):.1f}; 100 % takes "
            f"{np.mean(down):.1f} dB away, {min(down):.1f} to {max(down):.1f}")
    for is_real, kind in ((True, "real"), (False, "made")):
        ratios, downs = zip(*every[is_real])
        count = f"{kind} singers never heard ({len(ratios)})"
        table.add(f"{count}: the backing, voice at −12 dB", f"{np.mean(ratios):.1f} dB", "",
                  np.mean(ratios), 8.5, " dB", least=True)
        table.add(f"{count}: the worst singer", f"{min(ratios):.1f} dB", "", min(ratios), 7, " dB",
                  least=True)
        table.add(f"{count}: taken away by 100 %", f"{np.mean(downs):.1f} dB", "", np.mean(downs), 12,
                  " dB", least=True)
        table.add(f"{count}: of the worst", f"{min(downs):.1f} dB", "", min(downs), 9, " dB", least=True)
    table.add(f"nobody sings: the band, mean of {len(alone)}", f"{np.mean(alone):.1f} dB", "",
              np.mean(alone), 15, " dB", least=True)
    table.add("the worst case, below its untouched mix", f"{max(worst):.1f} dB", "", max(worst), 0, " dB")
    table.add("movement above 6 kHz, more than in the band",
              f"{np.mean(moves):.2f} dB ({max(moves):.2f} at most)", "", np.mean(moves), 1, " dB")


def after_a_seek(table, quick):
    """The band of a song that begins in the middle, from 4 s later on, beside that of the same song from
    its beginning."""
    voice, lost, begin = realmusic.sung()[0].mean(0), [], 8
    for number, (_, backing) in enumerate(itertools.islice(realmusic.bands(20 * RATE), 2 if quick else None)):
        song = backing + realmusic.sung_to(backing, voice, number)
        gain = 0.5 / np.max(np.abs(song))
        write(gain * song)
        known = duet("--remove-vocals") / gain
        late = duet("--remove-vocals", "--start-at", str(begin)) / gain
        judged = slice((begin + 4) * RATE, (begin + 8) * RATE)
        band = backing[:, judged]
        lost.append(realmusic.ratio(known[:, judged], band)
                    - realmusic.ratio(late[:, 4 * RATE:8 * RATE], band))
    table.add("4 s after a seek: the backing, less than without one",
              f"{np.mean(lost):.2f} dB ({max(lost):.2f} at most)", "", np.mean(lost), 0.5, " dB")


def beside(quick):
    """Other programs, with the real singer."""
    for name, backing, voice, last in itertools.islice(realmusic.cases(), 2 if quick else None):
        song = backing + voice
        gain = 0.5 / np.max(np.abs(song))
        write(gain * song)
        half = (song[0] - song[1]) / 2
        found = {
            "duet": duet("--remove-vocals") / gain,
            "dialoguenhance": aligned(without_dialogue() / gain, backing),
            "left − right": np.stack([half, -half]),
        }
        words = []
        for who, out in found.items():
            untouched, left, whole, soft, _ = realmusic.judged(song, out, backing, voice, last)
            at = "–" if soft is None else f"{soft:.1f}"
            words.append(f"{who} {at} at −12 dB, 100 %: voice {left:.1f}, band {whole:.1f}")
        say(f"  {name}: untouched {untouched:.1f}; " + "; ".join(words))


def vocals(table, quick):
    """The backing of mixes whose stems are known, without the voice, beside other programs."""
    heard(table, quick)
    after_a_seek(table, quick)
    beside(quick)
    singer, _ = realmusic.sung()
    singer = stems.even((singer[0] + singer[1]) / 2)
    for what, mix, told, bound in MIXES:
        parts = stems.stems(20, singer=singer, **mix)
        ours, found = removed(parts, told)
        made = removed(stems.stems(20, **mix), told)[1]
        song = sum(parts.values())
        backing = song - parts["voice"]
        half = (song[0] - song[1]) / 2
        theirs = {
            "untouched": song, "left − right": np.stack([half, -half]),
            "dialoguenhance": aligned(without_dialogue(), backing), "stereotools": less_middle(),
            "oops": oops(),
        }
        text = ", ".join(f"{stems.distortion(sound, backing):.1f} ({name})"
                         for name, sound in theirs.items())
        table.add(f"ratio of signal to distortion, {what}",
                  f"{found:.1f} dB (made voice {made:.1f})", text, found, bound, " dB", least=True)
        levels = stems.gains(ours, parts)
        say(f"  {what}: " + ", ".join(f"{name} {level:.2f} dB" for name, level in levels.items()))
        if what == MIXES[0][0]:
            for name, most in (("bass", 0.5), ("kick", 1), ("sides", 0.5)):
                table.add(f"change of the {name}", f"{levels[name]:.2f} dB", "", abs(levels[name]),
                          most, " dB")
    cost(table, quick)


def cost(table, quick):
    """Processor time for each second of sound, less that of the same without the effect."""
    seconds, rounds = (60, 3) if quick else (240, 7)
    write(np.tile(sum(stems.stems(20).values()), seconds // 20))
    ours, theirs = [], []
    for _ in range(rounds):
        words = [DUET, "render", SONG, "-o", OUT, "--bits", "16"]
        ours.append(run(*words, "--remove-vocals") - run(*words))
        words = ["ffmpeg", "-v", "error", "-threads", "1", "-i", SONG, "-af"]
        theirs.append(run(*words, "dialoguenhance", "-f", "null", "-")
                      - run(*words, "anull", "-f", "null", "-"))
    a, b = statistics.median(ours) / seconds * 100, statistics.median(theirs) / seconds * 100
    table.add("processor time of the removal, of a core", f"{a:.2f} %", f"{b:.2f} % (dialoguenhance)",
              a, 3, " %")
