"""Finding by typing: what a letter costs, and what the index costs a run."""

import contextlib
import json
import os
import random
import socket
import statistics
import time

from lines import built
from rig import DUET, WORK, client, jackd, private, song, spread

SONGS = 50_000
WORDS = ("love night queen dancing summer rain heart blue river moon über café señor straße fire gold "
         "home road stone light winter dream angel dance paradise thunder silver morning shadow wild").split()


def folders(count):
    """A music folder of so many songs, ten to an album and ten albums to an artist. The files are empty:
    what they are called is all that there is to find."""
    folder = os.path.join(WORK, "music")
    chance = random.Random(1)
    for number in range(0, count, 10):
        album = os.path.join(folder, f"{' '.join(chance.sample(WORDS, 2)).title()} {number // 100}",
                             " ".join(chance.sample(WORDS, 3)).title())
        os.makedirs(album, exist_ok=True)
        for track in range(10):
            name = f"{track + 1:02} - {' '.join(chance.sample(WORDS, 4)).title()} {number + track}.mp3"
            os.close(os.open(os.path.join(album, name), os.O_CREAT | os.O_WRONLY, 0o600))
    return folder


class Commands:
    """A socket of commands."""

    def __init__(self, path):
        self.path, self.socket = path, socket.socket(socket.AF_UNIX)
        for _ in range(1000):
            with contextlib.suppress(OSError):
                self.socket.connect(path)
                break
            time.sleep(0.01)
        self.answers = self.socket.makefile()

    def find(self, words):
        """What is found, and after how many ms."""
        begun = time.perf_counter()
        self.socket.sendall(f"find {words}\n".encode())
        answer = self.answers.readline()
        took = (time.perf_counter() - begun) * 1000
        if not answer.startswith("ok find "):
            raise SystemExit(f"bench: find answers {answer!r}")
        return json.loads(answer.removeprefix("ok find ")), took


def spent(pid):
    """The processor time of a program's main thread so far, in ms."""
    with open(f"/proc/{pid}/task/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e6


def find(table, quick):
    """A letter of a search in 50,000 songs; the memory and the start of a run with their index."""
    count = SONGS // 10 if quick else SONGS
    folder, path = folders(count), song(120)
    control = os.path.join(WORK, "control")
    kept = {"XDG_STATE_HOME": os.path.join(WORK, "state")}
    words = (DUET, "play", "--loop", "--json", "--no-config", "--control", control, "--out", "none", path)
    with jackd(256):
        with client(*words, env=kept) as duet:
            Commands(control).find("x")
            time.sleep(3)
            before = private(duet.pid)
        with client(*words, "--music", folder, env=kept) as duet:
            commands, begun = Commands(control), time.monotonic()
            while not commands.find("x")[0]["complete"]:
                time.sleep(0.1)
            walked = time.monotonic() - begun
            size = os.path.getsize(os.path.join(WORK, "state", "duet", "music-index"))
        with client(*words, "--music", folder, env=kept) as duet:
            commands, begun = Commands(control), time.monotonic()
            while commands.find("love")[0]["count"] == 0:
                time.sleep(0.001)
            known = (time.monotonic() - begun) * 1000
            while not commands.find("x")[0]["complete"]:
                time.sleep(0.1)
            letters, costs, chance = [], [], random.Random(2)
            for _ in range(5 if quick else 30):
                query = " ".join(chance.sample(WORDS, 3))
                for end in range(1, len(query) + 1):
                    begun = spent(duet.pid)
                    letters.append(commands.find(query[:end])[1])
                    costs.append(spent(duet.pid) - begun)
            time.sleep(1)
            after = private(duet.pid)
        starts = {}
        for _ in range(5 if quick else 15):
            for more in ((), ("--music", folder)):
                with client(built("listener"), "listener", ready="ready") as listener, \
                        client(DUET, "sing", "--plain", "--no-config", "--mic", "none",
                               "--out", "listener:in_1", "--out", "listener:in_2", path, *more,
                               env=kept) as player:
                    heard = int(listener.wait_for("", seconds=10)) / 1e6
                    starts.setdefault(more, []).append((heard - player.started) * 1000)
    table.note(f"a letter in {count} songs, until it is answered", spread(letters, "ms", 2), "")
    # Of the thread that draws, too: what else the machine does is not counted.
    table.note(f"a letter in {count} songs, processor time", spread(costs, "ms", 2), "")
    table.add(f"the slowest letter in {count} songs, processor time", f"{max(costs):.1f} ms", "",
              max(costs), 50, " ms")
    table.note(f"from nothing to all of {count} songs", f"{walked:.1f} s", "")
    table.note("the next run: until the first songs are found", f"{known:.0f} ms", f"{size / 2**20:.1f} MB file")
    table.add("memory of its own with the index", f"{after / 1024:.1f} MB", f"{before / 1024:.1f} MB without",
              (after - before) / 1024, 60, " MB")
    without, with_index = starts.values()
    a, b = statistics.median(with_index), statistics.median(without)
    table.note("exec → first sound", spread(with_index, "ms", 1), f"{spread(without, 'ms', 1)} (without --music)")
    table.add("exec → first sound, beside without --music", f"{a:.1f} ms", f"{b:.1f} ms", a / b, 1.1, "×")
