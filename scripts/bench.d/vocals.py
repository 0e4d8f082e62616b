"""Taking voices out of songs: how much of the rest is left, beside other programs, and at what
cost."""

import itertools
import os
import resource
import statistics
import subprocess
import wave

import numpy as np

import realmusic
import stems
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
# Of real music, the mean ratios at least, where the voice is at −12 and at −15 dB; and how much below its
# untouched mix a case may be.
REAL, WORST = (8.0, 7.0), 1.5
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


def described(figures):
    """`realmusic.judged` in words."""
    _, voice, everything, soft, softer = figures
    words = [f"voice {voice:.1f}: {everything:.1f}"]
    words += [f"{level}: {f'{found:.1f}' if found is not None else '–'}"
            for level, found in (("−12", soft), ("−15", softer))]
    return ", ".join(words)


def real(table, quick):
    """The backing of real music without a real voice, beside other programs: the ratio where all is taken
    out, and where the voice is at −12 and at −15 dB."""
    means, worst = [], []
    for name, backing, voice, last in itertools.islice(realmusic.cases(), 3 if quick else None):
        song = backing + voice
        gain = 0.5 / np.max(np.abs(song))
        write(gain * song)
        half = (song[0] - song[1]) / 2
        found = {
            "duet": duet("--remove-vocals") / gain,
            "dialoguenhance": aligned(without_dialogue() / gain, backing),
            "left − right": np.stack([half, -half]),
        }
        figures = {who: realmusic.judged(song, out, backing, voice, last)
                   for who, out in found.items()}
        untouched, _, _, soft, softer = figures["duet"]
        say(f"  {name}: untouched {untouched:.1f}; "
            + "; ".join(f"{who} {described(figures[who])}" for who in figures))
        means.append((soft, softer))
        # Where the voice is never so soft, the case has failed.
        worst.append(untouched - soft if soft is not None else np.inf)
    for number, (level, bound) in enumerate(zip(("−12", "−15"), REAL)):
        reached = [case[number] for case in means if case[number] is not None] or [-np.inf]
        table.add(f"real music, voice at {level} dB, mean of {len(reached)} of {len(means)}",
                  f"{np.mean(reached):.1f} dB", "", np.mean(reached), bound, " dB", least=True)
    table.add("the worst, below its untouched mix", f"{max(worst):.1f} dB", "", max(worst), WORST,
              " dB")


def vocals(table, quick):
    """The backing of mixes whose stems are known, without the voice, beside other programs."""
    real(table, quick)
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
              a, 6, " %")
