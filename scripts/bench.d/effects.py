"""Single effects beside the same effects of other programs: a row of EFFECTS each; and a whole
microphone's effects."""

import os
import resource
import statistics
import subprocess

from rendering import BENCH, noise, run
from rig import RATE
from tuning import tuning

# The faders of the equalizer's preset Rock.
ROCK = (5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5)


def ffmpeg(filters):
    """What ffmpeg is asked for; without filters the same run, whose cost is subtracted."""
    def words(sound, is_on):
        chain = filters if is_on else "anull"
        return ["ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-filter_threads", "1",
                "-f", "f32le", "-ar", str(RATE), "-ac", "2", "-i", sound, "-af", chain,
                "-c:a", "pcm_f32le", "-f", "null", "-"]
    return words


def sox(*effect):
    """What sox is asked for; without the effect the same run, whose cost is subtracted."""
    def words(sound, is_on):
        return ["sox", "-t", "f32", "-r", str(RATE), "-c", "2", sound, "-n",
                *(effect if is_on else ())]
    return words


def equalizers():
    return ",".join(f"equalizer=f={31.25 * 2 ** band}:t=o:w=1:g={gain}"
                    for band, gain in enumerate(ROCK))


# Each: its name, our unit, its parameters, the peer's name and command, and the bound.
EFFECTS = [
    ("equalizer, ten bands", "equalizer",
     [f"gain.{band}={gain}" for band, gain in enumerate(ROCK)],
     "ffmpeg's ten equalizer", ffmpeg(equalizers()), 1.0),
    ("compressor", "compressor",
     ["threshold=-20", "ratio=3", "knee=6", "attack=0.005", "release=0.1"],
     "ffmpeg's acompressor",
     ffmpeg("acompressor=threshold=0.1:ratio=3:knee=2:attack=5:release=100:link=maximum:"
            "detection=peak"), 1.0),
    ("reverb", "reverb", ["size=8", "decay=1.5", "damping=50", "wet=50"], "sox's reverb",
     sox("reverb"), 1.0),
]


def seconds(words):
    """Processor seconds of a child process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def effects(table, quick):
    """Single effects: processor time for a minute of loud noise, beside a peer's for the same."""
    runs, length = (3, 20) if quick else (9, 60)
    sound = noise("effects-sound", 2 * length * RATE, 0.5, 3)
    for name, unit, parameters, peer, command, bound in EFFECTS:
        ours, theirs = [], []
        for _ in range(runs):
            # Nanoseconds per frame, of periods of 256 frames.
            ours.append(run(BENCH, "effect", unit, sound, 256, 1, *parameters) * length * RATE / 1e9)
            theirs.append(seconds(command(sound, True)) - seconds(command(sound, False)))
        a, b = statistics.median(ours), statistics.median(theirs)
        table.add(f"{name}, {length} s of stereo", f"{a * 1000:.0f} ms", f"{b * 1000:.0f} ms ({peer})",
                  a / b, bound, "×")
    os.remove(sound)
    # All effects of the microphone in a row, mono up to the reverb.
    voice = noise("effects-voice", length * RATE, 0.5, 4)
    cost = statistics.median(run(BENCH, "voice", voice, 64, 1) for _ in range(runs)) * 64 / 1000
    table.add("all effects of a microphone, 64 frames", f"{cost:.1f} µs", "",
              cost / (64 / RATE * 1e6) * 100, 3, " %")
    os.remove(voice)
    tuning(table, quick)
