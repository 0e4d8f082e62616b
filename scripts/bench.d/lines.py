"""The live lines: latency, processor time and memory, start, xruns under load."""

import os
import re
import signal
import statistics
import subprocess
import time

from rig import BUILT, DUET, RATE, WORK, client, jackd, resident, say, song, web


def built(name):
    return os.path.join(BUILT, name)


def round_trip(connect):
    """The delay that jack_iodelay measures, in frames, once its readings are stable."""
    # stdbuf makes it print line by line; else its output would come only when it ends.
    with client("stdbuf", "-oL", "jack_iodelay", ready="capture latency") as delay:
        connect()
        readings = []
        while len(readings) < 6:
            line = delay.wait_for("total roundtrip")
            readings.append(float(re.match(r"([0-9.]+) frames", line)[1]))
    return statistics.median(readings[2:])


def connect(source, target):
    for _ in range(100):
        if subprocess.run(["jack_connect", source, target], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    raise SystemExit(f"bench: cannot connect {source} to {target}")


def latency(table, quick):
    """The latency from microphone to output: duet must add no frame to that of a wire."""
    with jackd(256), web(os.path.dirname(song(120))) as address:
        wire = round_trip(lambda: connect("jack_delay:out", "jack_delay:in"))
        with client(DUET, "sing", "--plain", "--mic", "none", "--out", "none", "--song-volume", "0",
                    "--mic-pan", "left", f"{address}/song.mp3"):
            def around():
                connect("jack_delay:out", "duet:mic")
                connect("duet:out_left", "jack_delay:in")
                time.sleep(1.5)  # the microphone is faded in over the first second
            ours = round_trip(around)
    table.add("mic → out, jack_iodelay", f"{ours:.3f} frames", f"{wire:.3f} frames (a wire)",
              round(abs(ours - wire), 3), 0, " frames")


def processor(table, quick):
    """Processor time and memory of playing a song; only duet mixes in a microphone as well."""
    seconds, rounds = (10, 1) if quick else (60, 3)
    ours, theirs, ours_kb, theirs_kb = [], [], [], []
    path = song(120)
    with jackd(256), web(os.path.dirname(path)) as address, \
            client(built("noise"), "noise", ready="ready"):
        url = f"{address}/song.mp3"

        def run(words, costs, sizes):
            with client(*words) as player:
                time.sleep(seconds / 2)
                sizes.append(resident(player.pid))
                time.sleep(seconds / 2)
                cost, _ = player.end(signal.SIGINT)
                if not 0 < cost < seconds:
                    raise SystemExit(f"bench: {words[0]} did not play: {player.output()}")
                costs.append(cost)

        ignored = []
        for _ in range(rounds):
            run((DUET, "sing", "--plain", "--mic", "^noise:out$", "--out", "system:playback", url),
                ours, ours_kb)
            run(("mpg123", "-q", "-o", "jack", url), theirs, ignored)
            run(("mpv", "--no-config", "--no-video", "--ao=jack", "--really-quiet", url), ignored,
                theirs_kb)
    kept = os.path.getsize(path) / 1024
    a, b = statistics.median(ours), statistics.median(theirs)
    table.add(f"utime + stime over {seconds} s", f"{a:.3f} s", f"{b:.3f} s (mpg123)", a / b, 1, "×")
    a, b = statistics.median(ours_kb) - kept, statistics.median(theirs_kb)
    table.add("RssAnon + RssFile − song", f"{a / 1024:.1f} MB", f"{b / 1024:.1f} MB (mpv)", a / b,
              0.4, "×")


def start(table, quick):
    """From exec to the first frame that a third client hears."""
    runs = 5 if quick else 15
    ours, theirs = [], []
    demo = os.path.join(os.path.dirname(__file__), "..", "..", "Sources", "CDemo")
    with jackd(256), web(os.path.realpath(demo)) as address:
        url = f"{address}/song.mp3"

        def run(words, times):
            with client(built("listener"), "listener", ready="ready") as listener, \
                    client(*words) as player:
                heard = int(listener.wait_for("", seconds=10)) / 1e6
                times.append((heard - player.started) * 1000)

        for _ in range(runs):
            run((DUET, "sing", "--plain", "--mic", "none", "--out", "listener:in_1",
                 "--out", "listener:in_2", url), ours)
            run(("mpg123", "-q", "-o", "jack", "-a", "listener:in_1,listener:in_2", url), theirs)
    a, b = statistics.median(ours), statistics.median(theirs)
    table.add(f"exec → first sound, {runs} runs", f"{a:.1f} ms", f"{b:.1f} ms (mpg123)", a / b, 0.6, "×")


def load(table, quick):
    """Xruns and callback time with both processors busy, compared with a minimal JACK client."""
    seconds, rounds = (10, 1) if quick else (60, 5)
    path = song(120)
    for period in (64, 128):
        ours, theirs, worst, underruns = [], [], [], 0
        busy = ["sh", "-c", "while :; do :; done"]
        with jackd(period), web(os.path.dirname(path)) as address, client(*busy), client(*busy), \
                client(built("noise"), "noise", ready="ready"):
            def run(*words, connect_to=None, ready=None):
                figures = os.path.join(WORK, "figures")
                if os.path.exists(figures):
                    os.remove(figures)
                with client(*words, ready=ready,
                            env={"LD_PRELOAD": built("stopwatch.so"), "STOPWATCH": figures}) as one:
                    if connect_to:
                        connect("noise:out", f"{connect_to}:in")
                        connect(f"{connect_to}:left", "system:playback_1")
                        connect(f"{connect_to}:right", "system:playback_2")
                    time.sleep(seconds)
                    one.end()
                    output = one.output()
                if not os.path.exists(figures):
                    raise SystemExit(f"bench: {words[0]} left no figures: {output}")
                with open(figures) as file:
                    cycles, xruns, longest, _ = map(int, file.read().split())
                return cycles, xruns, longest, output

            for _ in range(rounds):
                _, xruns, longest, output = run(
                    DUET, "sing", "--json", "--mic", "^noise:out$", "--out", "system:playback",
                    f"{address}/song.mp3")
                ours.append(xruns)
                worst.append(longest)
                told = re.search(r'"event":"bye".*"underruns":(\d+)', output)
                if not told:
                    raise SystemExit(f"bench: duet did not say bye: {output}")
                underruns += int(told[1])
                _, xruns, _, _ = run(built("passthrough"), "wire", connect_to="wire", ready="ready")
                theirs.append(xruns)
        say(f"  {period} frames: duet's xruns {ours}, the C client's {theirs}")
        name = f"{period} frames, both processors busy"
        a, b = sum(ours), sum(theirs)
        table.add(f"xruns, {name}", a, f"{b} (C pass-through)", a / max(b, 1), 1.1, "×")
        table.add(f"underruns, {name}", underruns, "", underruns, 0)
        part = max(worst) / (period / RATE * 1e9) * 100
        table.add(f"worst callback, {name}", f"{max(worst) / 1000:.0f} µs", "", part, 25, " %")
