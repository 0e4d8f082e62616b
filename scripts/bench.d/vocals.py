"""Taking voices out of songs: how much of the rest is left, beside other programs, and at what
cost."""

import os
import resource
import statistics
import subprocess
import wave

import numpy as np

import stems
from rig import DUET, WORK, say

# The mix, what duet is told of it, and what it must reach.
MIXES = [
    ("voice in the centre", {}, [], 14.5),
    ("voice at 0.1", {"place": 0.1}, [], 13.5),
    ("voice at 0.2", {"place": 0.2}, [], 11.5),
    ("voice at 0.2, told", {"place": 0.2}, ["--vocals-at", "0.2"], 15),
    ("reverb 0.25", {"wet": 0.25}, [], 11),
    ("reverb 0.5", {"wet": 0.5}, [], 8),
    ("wide pad", {"wide": True}, [], 8.5),
    ("wide pad, reverb 0.25", {"wide": True, "wet": 0.25}, [], 8),
]
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


def oops():
    run("sox", SONG, "-b", "32", "-e", "float", OUT, "oops")
    return read(OUT)


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


def vocals(table, quick):
    """The backing of mixes whose stems are known, without the voice, beside other programs."""
    for what, mix, told, bound in MIXES:
        parts = stems.stems(20, **mix)
        song = sum(parts.values())
        backing = song - parts["voice"]
        write(song)
        ours = duet("--remove-vocals", *told)
        if ours.shape != song.shape:
            raise SystemExit(f"bench: {ours.shape} frames of {song.shape}")
        half = (song[0] - song[1]) / 2
        theirs = {
            "untouched": song, "left − right": np.stack([half, -half]),
            "dialoguenhance": aligned(ffmpeg("dialoguenhance=original=0"), backing),
            "stereotools": ffmpeg("stereotools=mlev=0.015625"), "oops": oops(),
        }
        text = ", ".join(f"{stems.distortion(sound, backing):.1f} ({name})"
                         for name, sound in theirs.items())
        found = stems.distortion(ours, backing)
        table.add(f"ratio of signal to distortion, {what}", f"{found:.1f} dB", text, found, bound,
                  " dB", least=True)
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
    table.add("processor time of the removal", f"{a:.2f} %", f"{b:.2f} % (dialoguenhance)", a / b, 2,
              "×")
    table.add("the same, of a core", f"{a:.2f} %", "", a, 1, " %")
