"""Rendering alone, without JACK: compared with its twin in C, and with many buses."""

import array
import filecmp
import os
import random
import statistics
import subprocess

from rig import BUILT, RATE, ROOT, WORK

BENCH = os.path.join(ROOT, ".build", "release", "render-bench")
TWIN = os.path.join(BUILT, "twin")


def noise(name, count, peak, seed):
    path = os.path.join(WORK, name)
    source = random.Random(seed)
    with open(path, "wb") as file:
        array.array("f", (source.uniform(-peak, peak) for _ in range(count))).tofile(file)
    return path


def run(*words):
    return float(subprocess.run([str(word) for word in words], check=True, capture_output=True,
                                text=True).stdout)


def render(table, quick):
    """The default graph beside a C twin that gives the same bits; 64 mono buses."""
    runs, passes = (3, 3) if quick else (11, 5)
    # Loud: the limiter always works. Soft: it never does.
    for what, peak in (("loud", 1.0), ("soft", 0.4)):
        song = noise(f"song-{what}", 20 * RATE, peak, 1)
        mic = noise(f"mic-{what}", 10 * RATE, peak, 2)
        outputs = [os.path.join(WORK, name) for name in ("ours", "theirs")]
        for period in (64, 128, 256):
            ours, theirs = [], []
            for _ in range(runs):
                ours.append(run(BENCH, "default", song, mic, outputs[0], period, passes))
                theirs.append(run(TWIN, song, mic, outputs[1], period, passes))
            equal = filecmp.cmp(*outputs, shallow=False)
            name = f"{what} noise, {period} frames"
            table.add(f"render differs from its C twin, {name}", "same" if equal else "differs",
                      "", 0 if equal else 1, 0)
            a, b = statistics.median(ours) * period / 1000, statistics.median(theirs) * period / 1000
            table.add(f"render a period, {name}", f"{a:.2f} µs", f"{b:.2f} µs (C twin)", a / b,
                      1.2, "×")
    cost = statistics.median(run(BENCH, "buses", 64, 64, 5) for _ in range(runs)) * 64 / 1000
    table.add("64 mono buses, 64 frames", f"{cost:.1f} µs", "", cost / (64 / RATE * 1e6) * 100, 5, " %")
