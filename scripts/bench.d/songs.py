"""The way of a song, with nothing switched on: what its thread costs, rendering into a file, memory,
and the start, each beside a program that does the same."""

import glob
import http.server
import os
import re
import resource
import statistics
import subprocess
import threading
import time
import zipfile

from rig import BUILT, DUET, ROOT, WORK, client, jackd, private

RATE = 48_000
# Whether the radio is heard for an hour (--hour).
hour = False


def sound(seconds):
    """The demo's song as an MP3 of 44.1 kHz and 192 kbit/s, exactly so long."""
    path = os.path.join(WORK, f"song-{seconds}.mp3")
    if not os.path.exists(path):
        demo = os.path.join(ROOT, "Sources", "CDemo", "song.mp3")
        one, whole = os.path.join(WORK, "one.wav"), os.path.join(WORK, "whole.wav")
        subprocess.run(["mpg123", "-q", "-w", one, demo], check=True)
        subprocess.run(["sox", one, whole, "repeat", str(seconds // 40 + 1), "trim", "0", str(seconds)],
                       check=True)
        subprocess.run(["lame", "--quiet", "-b", "192", whole, path], check=True)
    return path


def thread_cost(*words):
    """Instructions of the threads that decode and convert, by callgrind: those with a twentieth of the
    program's work in libmpg123 and libsoxr."""
    out = os.path.join(WORK, "callgrind")
    for old in glob.glob(f"{out}.*"):
        os.remove(old)
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
                    f"--callgrind-out-file={out}.%p", *words], check=True, capture_output=True)
    threads = []
    for path in glob.glob(f"{out}.*-*"):
        total = library = 0
        names, is_library, is_call = {}, False, False
        with open(path, errors="replace") as file:
            for line in file:
                if line.startswith("ob="):
                    number, _, name = line[3:].strip().partition(" ")
                    name = names.setdefault(number, name)
                    is_library = "libmpg123" in name or "libsoxr" in name
                elif line.startswith("cob="):
                    number, _, name = line[4:].strip().partition(" ")
                    names.setdefault(number, name)
                elif line.startswith("calls="):
                    is_call = True
                elif re.match(r"[+*\-0-9]", line):
                    # The line after "calls" has the cost of the callee, which has lines of its own.
                    if not is_call:
                        cost = int(line.split()[1])
                        total += cost
                        library += cost if is_library else 0
                    is_call = False
        threads.append((total, library))
    whole = sum(library for _, library in threads)
    chosen = [total for total, library in threads if library > whole / 20]
    if not chosen:
        raise SystemExit(f"bench: {words[0]} decoded nothing")
    return sum(chosen)


def cost(*words):
    """(wall seconds, processor seconds) of a program whose reports nobody reads: a render then measures
    no loudness, as no peer does."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def alternating(runs, *programs):
    """The medians of wall time and processor time of each program, which run in turn."""
    figures = [[cost(*words) for words in programs] for _ in range(runs)]
    return [tuple(statistics.median(run[number][kind] for run in figures) for kind in (0, 1))
            for number in range(len(programs))]


class Station:
    """A radio station on loopback: the demo's song without end, as fast as it plays."""

    def __init__(self):
        with open(os.path.join(ROOT, "Sources", "CDemo", "song.mp3"), "rb") as file:
            song = file.read()
        length = float(subprocess.run(["sox", "--i", "-D", os.path.join(WORK, "one.wav")], check=True,
                                      capture_output=True).stdout)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                for head in ("Content-Type", "audio/mpeg"), ("icy-name", "bench"):
                    self.send_header(*head)
                self.end_headers()
                begun, sent, speed = time.monotonic(), 0, len(song) / length
                try:
                    while True:
                        # Ahead at first, as stations are.
                        due = int((time.monotonic() - begun + 5) * speed)
                        while sent < due:
                            at = sent % len(song)
                            part = song[at:at + min(4096, due - sent)]
                            self.wfile.write(part)
                            sent += len(part)
                        time.sleep(0.1)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/radio"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def thread(table, quick):
    song = sound(20)
    out = os.path.join(WORK, "thread.wav")
    # valgrind 3.19 does not read Swift's debug information.
    stripped = os.path.join(WORK, "duet")
    subprocess.run(["strip", "-o", stripped, DUET], check=True)
    ours = thread_cost(stripped, "render", song, "--rate", str(RATE), "--bits", "16", "-o", out)
    theirs = thread_cost(os.path.join(BUILT, "songtwin"), song, str(RATE))
    table.add("the song's thread, 20 s of MP3", f"{ours / 1e6:.0f} M instructions",
              f"{theirs / 1e6:.0f} M (C twin)", ours / theirs, 1.15, "×")


def files(table, quick):
    """Songs rendered into files, beside mpg123 and ffmpeg; and how soon `duet --version` ends."""
    seconds, runs = (60, 3) if quick else (240, 9)
    song, voice = sound(seconds), os.path.join(WORK, "voice.wav")
    subprocess.run(["sox", "-R", "-n", "-r", str(RATE), "-c", "1", "-b", "16", voice, "synth",
                    str(seconds), "sine", "220-880", "pinknoise", "mix", "vol", "0.3"], check=True)
    outs = [os.path.join(WORK, f"out-{number}.wav") for number in range(2)]
    ours, theirs = alternating(
        runs, (DUET, "render", song, "--bits", "16", "-o", outs[0]),
        ("mpg123", "-q", "-w", outs[1], song))
    table.add(f"render {seconds} s of MP3, processor", f"{ours[1] * 1000:.0f} ms",
              f"{theirs[1] * 1000:.0f} ms (mpg123 -w)", ours[1] / theirs[1], 1.3, "×")
    ours, theirs = alternating(
        runs, (DUET, "render", song, "--rate", str(RATE), "--voice", voice, "--bits", "16",
               "-o", outs[0]),
        ("ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", "1", "-i", song, "-threads", "1",
         "-i", voice, "-filter_threads", "1", "-filter_complex_threads", "1", "-filter_complex",
         f"[0:a]aresample={RATE}:resampler=soxr:precision=20[song];"
         "[song][1:a]amix=inputs=2:normalize=0", "-c:a", "pcm_s16le", outs[1]))
    for kind, name, bound in (0, "wall time", 0.6), (1, "processor", 0.85):
        table.add(f"render {seconds} s at 48 kHz with a voice, {name}", f"{ours[kind] * 1000:.0f} ms",
                  f"{theirs[kind] * 1000:.0f} ms (ffmpeg)", ours[kind] / theirs[kind], bound, "×")
    version = statistics.median(cost(DUET, "--version")[0] for _ in range(50)) * 1000
    table.add("duet --version, 50 runs", f"{version:.1f} ms", "", version, 10, " ms")


def memory(table, quick):
    song = sound(240)
    figures = []
    with jackd(256):
        for words in ((DUET, "play", "--plain", "--out", "system:playback", song),
                      ("mpv", "--no-config", "--no-video", "--ao=jack", "--really-quiet", song)):
            with client(*words) as player:
                time.sleep(5 if quick else 20)
                figures.append(private(player.pid))
    ours, theirs = figures
    table.add("private memory while a file plays", f"{ours / 1024:.1f} MB",
              f"{theirs / 1024:.1f} MB (mpv)", ours / theirs, 0.4, "×")


def radio(table, quick):
    early, late = (20, 60) if quick else (60, 3600 if hour else 300)
    station = Station()
    with jackd(256), client(DUET, "play", "--plain", "--out", "system:playback",
                            station.url) as player:
        time.sleep(early)
        first = private(player.pid)
        time.sleep(late - early)
        last = private(player.pid)
    station.server.shutdown()
    table.add(f"memory after {late} s of radio", f"{last / 1024:.1f} MB",
              f"{first / 1024:.1f} MB (after {early} s)", last / first, 1.05, "×")


def start(table, quick):
    runs = 5 if quick else 25
    song = sound(20)
    long, archive = sound(240), os.path.join(WORK, "song.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(long, "song.mp3")
    ports = ("listener:in_1", "listener:in_2")
    play = (DUET, "play", "--plain", "--no-config", "--no-memory", "--no-control", "--out", ports[0],
            "--out", ports[1])
    programs = (
        (*play, song), (os.path.join(BUILT, "bare"), "bare", *ports), (*play, long),
        (*play, archive))
    times = tuple([] for _ in programs)
    with jackd(256):
        for _ in range(runs):
            for words, found in zip(programs, times):
                with client(os.path.join(BUILT, "listener"), "listener", ready="ready") as listener, \
                        client(*words) as player:
                    heard = int(listener.wait_for("", seconds=10)) / 1e6
                    found.append((heard - player.started) * 1000)
    a, b, c, d = (statistics.median(found) for found in times)
    table.add(f"exec → first sound of a file, {runs} runs", f"{a:.1f} ms", f"{b:.1f} ms (bare client)",
              a - b, 40, " ms")
    table.add("the same of 240 s in a ZIP archive", f"{d:.1f} ms", f"{c:.1f} ms (the bare MP3)",
              d / c, 1.2, "×")


def songs(table, quick):
    """What a song costs with nothing switched on: its thread, the start, and memory."""
    for line in thread, start, memory, radio:
        line(table, quick)
