"""The live lines: latency, processor time and memory, start, xruns under load."""

import contextlib
import os
import re
import signal
import socket
import statistics
import subprocess
import time

from rig import BUILT, DUET, RATE, WORK, client, jackd, resident, say, song, spread, web


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
    return readings[2:]


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
        with client("jack_mix_box", "-n", "box", "11"):
            def through_box():
                connect("jack_delay:out", "box:Channel 1")
                connect("box:MAIN L", "jack_delay:in")
            box = round_trip(through_box)
        with client(DUET, "sing", "--plain", "--mic", "none", "--out", "none", "--song-volume", "0",
                    "--mic-pan", "left", f"{address}/song.mp3"):
            def around():
                connect("jack_delay:out", "duet:mic")
                connect("duet:out_left", "jack_delay:in")
                time.sleep(1.5)  # the microphone is faded in over the first second
            ours = round_trip(around)
    table.note("mic → out, jack_iodelay", spread(ours, "frames"),
               f"{spread(box, 'frames')} (jack_mix_box)")
    ours, wire = statistics.median(ours), statistics.median(wire)
    table.add("mic → out, beside a wire", f"{ours:.3f} frames", f"{wire:.3f} frames (a wire)",
              round(abs(ours - wire), 3), 0, " frames")


def processor(table, quick):
    """Processor time and memory of playing a song; only duet mixes in a microphone as well."""
    seconds, rounds = (10, 1) if quick else (60, 3)
    ours, theirs, mpv, ours_kb, theirs_kb, mpv_kb = [], [], [], [], [], []
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

        for _ in range(rounds):
            run((DUET, "sing", "--plain", "--mic", "^noise:out$", "--out", "system:playback", url),
                ours, ours_kb)
            run(("mpg123", "-q", "-o", "jack", url), theirs, theirs_kb)
            run(("mpv", "--no-config", "--no-video", "--ao=jack", "--really-quiet", url), mpv,
                mpv_kb)
    what = f"utime + stime over {seconds} s of a song from the web"
    table.note(what, f"{spread(ours, 's')}, with a microphone", f"{spread(mpv, 's')} (mpv)")
    table.note(what, "", f"{spread(theirs, 's')} (mpg123)")
    a, b = statistics.median(ours), statistics.median(theirs)
    table.add("utime + stime, beside mpg123", f"{a:.3f} s", f"{b:.3f} s (mpg123)", a / b, 1, "×")
    # With what each keeps of the song: duet all of it, mpv its cache.
    sizes = [[kb / 1024 for kb in size] for size in (ours_kb, mpv_kb, theirs_kb)]
    what = f"RssAnon + RssFile after {seconds // 2} s, with what is kept of the song"
    table.note(what, spread(sizes[0], "MB", 1), f"{spread(sizes[1], 'MB', 1)} (mpv)")
    table.note(what, "", f"{spread(sizes[2], 'MB', 1)} (mpg123)")
    kept = os.path.getsize(path) / 2**20
    a, b = statistics.median(sizes[0]) - kept, statistics.median(sizes[1])
    table.add(f"RssAnon + RssFile, duet without the song of {kept:.1f} MB", f"{a:.1f} MB", f"{b:.1f} MB (mpv)",
              a / b, 0.4, "×")


def start(table, quick):
    """From exec to the first frame that a third client hears."""
    runs = 5 if quick else 15
    ours, theirs, mpv = [], [], []
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
            run(("mpv", "--no-config", "--no-video", "--ao=jack", "--really-quiet",
                 "--jack-port=listener:in", url), mpv)
    what = "exec → first sound of a song from the web"
    table.note(what, spread(ours, "ms", 1), f"{spread(theirs, 'ms', 1)} (mpg123)")
    table.note(what, "", f"{spread(mpv, 'ms', 1)} (mpv)")
    a, b = statistics.median(ours), statistics.median(theirs)
    table.add("exec → first sound, beside mpg123", f"{a:.1f} ms", f"{b:.1f} ms (mpg123)", a / b, 0.6, "×")


def watched(*words, ready=None, during):
    """Runs a client under the stopwatch while `during` lasts: cycles, xruns, the longest callback in
    nanoseconds, and what it wrote."""
    figures = os.path.join(WORK, "figures")
    if os.path.exists(figures):
        os.remove(figures)
    with client(*words, ready=ready,
                env={"LD_PRELOAD": built("stopwatch.so"), "STOPWATCH": figures}) as one:
        during()
        one.end()
        output = one.output()
    if not os.path.exists(figures):
        raise SystemExit(f"bench: {words[0]} left no figures: {output}")
    with open(figures) as file:
        cycles, xruns, longest, _ = map(int, file.read().split())
    return cycles, xruns, longest, output


def bye(output, what):
    """A number of the event that duet ends with."""
    told = re.search(rf'"event":"bye".*"{what}":(\d+)', output)
    if not told:
        raise SystemExit(f"bench: duet did not say bye: {output}")
    return int(told[1])


def wire(seconds):
    """The xruns of a minimal C client between the noise and the outputs."""
    def during():
        connect("noise:out", "wire:in")
        connect("wire:left", "system:playback_1")
        connect("wire:right", "system:playback_2")
        time.sleep(seconds)
    return watched(built("passthrough"), "wire", ready="ready", during=during)[1]


def load(table, quick):
    """Xruns and callback time with both processors busy, compared with a minimal JACK client."""
    seconds, rounds = (10, 1) if quick else (60, 5)
    path = song(120)
    for period in (64, 128):
        ours, theirs, worst, underruns = [], [], [], 0
        busy = ["sh", "-c", "while :; do :; done"]
        with jackd(period), web(os.path.dirname(path)) as address, client(*busy), client(*busy), \
                client(built("noise"), "noise", ready="ready"):
            for _ in range(rounds):
                _, xruns, longest, output = watched(
                    DUET, "sing", "--json", "--mic", "^noise:out$", "--out", "system:playback",
                    f"{address}/song.mp3", during=lambda: time.sleep(seconds))
                ours.append(xruns)
                worst.append(longest)
                underruns += bye(output, "underruns")
                theirs.append(wire(seconds))
        say(f"  {period} frames: duet's xruns {ours}, the C client's {theirs}")
        name = f"{period} frames, both processors busy"
        a, b = sum(ours), sum(theirs)
        table.add(f"xruns, {name}", a, f"{b} (C pass-through)", a / max(b, 1), 1.1, "×")
        table.add(f"underruns, {name}", underruns, "", underruns, 0)
        part = max(worst) / (period / RATE * 1e9) * 100
        table.add(f"worst callback, {name}", f"{max(worst) / 1000:.0f} µs", "", part, 25, " %")


def send_changes(path, seconds):
    """Sends a running duet 10,000 changes a second, and returns how many it has answered."""
    with socket.socket(socket.AF_UNIX) as control:
        for _ in range(100):
            with contextlib.suppress(OSError):
                control.connect(path)
                break
            time.sleep(0.05)
        begun, sent, answered = time.monotonic(), 0, 0
        while (passed := time.monotonic() - begun) < seconds:
            while sent < passed * 10_000:
                value = sent % 200 / 100 - 1
                lines = (f"set /song/pan {value}", f"set /mic/volume {abs(value)}",
                         f"set /out/volume {1 - abs(value) / 2}", f"set /mic/pan {-value}")
                control.sendall("".join(f"{line}\n" for line in lines * 5).encode())
                sent += 20
                answered += control.recv(1 << 16).count(b"\n")
            time.sleep(0.001)
        control.shutdown(socket.SHUT_WR)
        while data := control.recv(1 << 16):
            answered += data.count(b"\n")
    return answered


def storm(table, quick):
    """10,000 changes a second by --control: xruns and callback time, compared with none."""
    seconds, rounds = (10, 1) if quick else (30, 5)
    path, control, period = song(120), os.path.join(WORK, "control"), 64
    xruns = {"storm": [], "calm": [], "wire": []}
    worst, answers, underruns = {"storm": 0, "calm": 0}, 0, 0
    with jackd(period), client(built("noise"), "noise", ready="ready"):
        def changes():
            nonlocal answers
            answers += send_changes(control, seconds)

        for _ in range(rounds):
            for name, during in ("storm", changes), ("calm", lambda: time.sleep(seconds)):
                _, count, longest, output = watched(
                    DUET, "sing", "--json", "--mic", "^noise:out$", "--out", "system:playback",
                    "--control", control, path, during=during)
                xruns[name].append(count)
                worst[name] = max(worst[name], longest)
                underruns += bye(output, "underruns")
            xruns["wire"].append(wire(seconds))
    say(f"  xruns: storm {xruns['storm']}, calm {xruns['calm']}, C pass-through {xruns['wire']}")
    a, b = sum(xruns["storm"]), max(sum(xruns["calm"]), sum(xruns["wire"]))
    table.add("xruns, 10,000 changes a second", a, f"{b} (none, or C)", a / max(b, 1), 1.1, "×")
    table.add("changes answered a second", round(answers / seconds / rounds), "",
              answers / seconds / rounds, 9_990, least=True)
    table.add("underruns, 10,000 changes a second", underruns, "", underruns, 0)
    part = worst["storm"] / (period / RATE * 1e9) * 100
    table.add("worst callback, 10,000 changes a second", f"{worst['storm'] / 1000:.0f} µs",
              f"{worst['calm'] / 1000:.0f} µs (none)", part, 25, " %")
