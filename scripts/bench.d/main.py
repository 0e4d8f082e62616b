"""Runs the lines that are asked for and ends with 1 if a bound was missed."""

import shutil
import sys

import effects
import find
import lines
import rendering
import screen
import songs
import vocals
from rig import WORK, Table, about, say

LINES = {
    "latency": lines.latency,
    "render": rendering.render,
    "start": lines.start,
    "processor": lines.processor,
    "effects": effects.effects,
    "load": lines.load,
    "storm": lines.storm,
    "vocals": vocals.vocals,
    "screen": screen.screen,
    "songs": songs.songs,
    "files": songs.files,
    "find": find.find,
}


def main():
    words = sys.argv[1:]
    quick = "--quick" in words
    songs.hour = "--hour" in words
    for word in words:
        if word.startswith("--voices="):
            vocals.more_voices = word.removeprefix("--voices=")
    chosen = [word for word in words if not word.startswith("--")] or list(LINES)
    unknown = [word for word in chosen if word not in LINES]
    if unknown:
        sys.exit(f"bench: no line is called {unknown[0]}; there are {', '.join(LINES)}")
    table = Table()
    for line in about():
        say(line)
    say(f"command: scripts/bench {' '.join(words)}")
    try:
        for name in chosen:
            print(f"{name}: {LINES[name].__doc__.splitlines()[0]}", flush=True)
            LINES[name](table, quick)
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
        print()
        table.show()
    sys.exit(1 if table.missed else 0)


main()
