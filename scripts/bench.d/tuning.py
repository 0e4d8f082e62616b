"""Key and tempo, done to a file, beside the program rubberband with the same engine."""

import os
import resource
import statistics
import subprocess

from rig import DUET, WORK


def noisy_song(seconds):
    """A WAV file of tones, noise and drum-like bursts, as music is made of."""
    path = os.path.join(WORK, f"music-{seconds}.wav")
    if not os.path.exists(path):
        subprocess.run(
            ["sox", "-R", "-n", "-r", "48000", "-c", "2", "-b", "16", path, "synth", str(seconds),
             "sine", "220-880", "sine", "330", "synth", str(seconds), "pinknoise", "mix", "vol",
             "0.5", "tremolo", "4", "80"], check=True, capture_output=True)
    return path


def processor_seconds(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tuning(table, quick):
    """Another key, another tempo, and a tape's speed beside `rubberband -3 --realtime`."""
    seconds, runs = (15, 2) if quick else (60, 7)
    song = noisy_song(seconds)
    out = os.path.join(WORK, "tuned.wav")
    for what, ours, theirs in (
            ("key +2", ["--key", "2"], ["-p", "2"]),
            ("key −5", ["--key", "-5"], ["-p", "-5"]),
            ("tempo 80 %", ["--tempo", "80"], ["-t", "1.25"]),
            ("key +2, tempo 125 %", ["--key", "2", "--tempo", "125"], ["-p", "2", "-t", "0.8"])):
        mine, peers = [], []
        for _ in range(runs):
            mine.append(processor_seconds(DUET, "render", song, *ours, "-o", out))
            peers.append(processor_seconds(
                "rubberband", "-q", "-3", "--realtime", *theirs, song, out))
        a, b = statistics.median(mine), statistics.median(peers)
        table.add(f"{what}, {seconds} s", f"{a:.2f} s", f"{b:.2f} s (rubberband)", a / b, 1.1, "×")
    plain = statistics.median(
        processor_seconds(DUET, "render", song, "-o", out) for _ in range(runs))
    asked = statistics.median(
        processor_seconds(DUET, "render", song, "--key", "0", "--tempo", "100", "-o", out)
        for _ in range(runs))
    table.add(f"key 0 and tempo 100 %, {seconds} s", f"{asked:.2f} s", f"{plain:.2f} s (not asked)",
              asked / plain, 1.1, "×")
