"""What the screen costs beside the status line, and beside cava's bars, in the same run."""

import contextlib
import fcntl
import os
import pty
import socket
import statistics
import struct
import subprocess
import termios
import threading
import time

from rig import BUILT, DUET, WORK, client, jackd, song

SIZES = ((80, 24), (120, 40), (200, 60))
COLOURS = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}


class Terminal:
    """A terminal that counts what it is sent."""

    def __init__(self, size):
        columns, rows = size
        self.outside, self.inside = pty.openpty()
        fcntl.ioctl(self.inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.count = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while data := os.read(self.outside, 1 << 16):
            self.count += len(data)


def spent(pid):
    """The processor time of a process so far, in seconds, to the nanosecond."""
    # linux/posix-timers.h, MAKE_PROCESS_CPUCLOCK: the clock of all threads of a process.
    return time.clock_gettime(~pid << 3 | 2)


def measured(pid, terminal, seconds):
    """Processor time as a part of one core, and bytes a second."""
    begun, before, count = time.monotonic(), spent(pid), terminal.count
    time.sleep(seconds)
    passed = time.monotonic() - begun
    return (spent(pid) - before) / passed * 100, (terminal.count - count) / passed


def run(seconds, size, words, command=None):
    """What duet costs and sends once it plays; or after `command`."""
    terminal, control = Terminal(size), os.path.join(WORK, "control")
    words = (DUET, *words, "--control", control)
    # The screen stands where its keys are read.
    with client(*words, stdin=terminal.inside, stdout=terminal.inside, env=COLOURS) as duet:
        time.sleep(2)
        if command:
            with socket.socket(socket.AF_UNIX) as sender:
                sender.connect(control)
                sender.sendall(f"{command}\n".encode())
                sender.recv(100)
        # A note on what was done stays for two seconds, a line that was reported for eight.
        time.sleep(10)
        return measured(duet.pid, terminal, seconds)


@contextlib.contextmanager
def sound(path):
    """A pipe to which the song comes as it is played: 44.1 kHz, stereo, 16 bits."""
    pipe = os.path.join(WORK, "sound")
    os.mkfifo(pipe)
    is_over = threading.Event()

    # Open for reading, too: neither end waits for the other, and cava may close and open its own.
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    def feed():
        decoder = subprocess.Popen(["mpg123", "-q", "-s", path], stdout=subprocess.PIPE)
        begun, sent = time.monotonic(), 0
        while not is_over.is_set() and (data := decoder.stdout.read(1764)):
            with contextlib.suppress(BlockingIOError):
                os.write(end, data)
            sent += len(data)
            time.sleep(max(0, begun + sent / 176_400 - time.monotonic()))
        decoder.kill()
        decoder.wait()

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    try:
        yield pipe
    finally:
        is_over.set()
        feeder.join()
        os.close(end)
        os.remove(pipe)


def bars(seconds, size, path):
    """What cava costs and sends, which shows the same song as bars, as often."""
    with sound(path) as pipe:
        settings = os.path.join(WORK, "cava")
        with open(settings, "w") as file:
            file.write(f"[general]\nframerate = 30\n[input]\nmethod = fifo\nsource = {pipe}\n"
                       "[output]\nmethod = noncurses\n")
        terminal = Terminal(size)
        with client("cava", "-p", settings, stdin=terminal.inside, stdout=terminal.inside,
                    env=COLOURS) as cava:
            time.sleep(2)
            cost = measured(cava.pid, terminal, seconds)
            if not all(cost):
                raise SystemExit(f"bench: cava showed nothing: {cava.output()}")
            return cost


@contextlib.contextmanager
def lyrics(path):
    """Words beside a song, in lines of eight, each of which lights up in 0.4 s."""
    name = os.path.splitext(path)[0] + ".lrc"

    def stamp(word):
        return "%02d:%05.2f" % divmod(word * 0.4, 60)

    with open(name, "w") as file:
        for line in range(60):
            words = " ".join(f"<{stamp(8 * line + word)}>lighting" for word in range(8))
            file.write(f"[{stamp(8 * line)}]{words}\n")
    try:
        yield
    finally:
        os.remove(name)


def large_words(table, words, path, seconds, rounds):
    """What words cost that light up in large letters, and words that stand still."""
    with lyrics(path):
        for size in SIZES:
            name = f"{size[0]}×{size[1]}"
            still = ["sing", "--mic", "none", "--out", "system:playback", path]
            for kind, run_words, command, bound in (
                    ("light up", words, None, 2),
                    ("stand still", still, "set /transport/play off", 0.5)):
                costs = [[run(seconds, size, run_words + more, command)[0] for _ in range(rounds)]
                         for more in ([], ["--plain"])]
                a, b = map(statistics.median, costs)
                table.add(f"words that {kind}, {name}", f"{a:.2f} %", f"{b:.2f} % (--plain)",
                          a - b, bound, " %")


def screen(table, quick):
    """Processor time and bytes of the screen, less those of the status line, and of cava's bars."""
    seconds, rounds = (10, 1) if quick else (30, 3)
    path = song(240)
    with jackd(256), client(os.path.join(BUILT, "noise"), "noise", ready="ready"):
        words = ["sing", "--mic", "^noise:out$", "--out", "system:playback", path]
        for size in SIZES:
            screens, lines, others = [], [], []
            for _ in range(rounds):
                screens.append(run(seconds, size, words))
                lines.append(run(seconds, size, words + ["--plain"]))
                others.append(bars(seconds, size, path))
            name = f"{size[0]}×{size[1]}"
            a, b, c = (statistics.median(cost for cost, _ in costs)
                       for costs in (screens, lines, others))
            table.add(f"screen of {name}, playing", f"{a:.2f} %", f"{b:.2f} % (--plain)", a - b, 1.5,
                      " %")
            table.add(f"the same beside cava's, {name}", f"{a - b:.2f} %", f"{c:.2f} % (cava)",
                      (a - b) / c, 1.5, "×")
            a, c = (max(rate for _, rate in rates) / 1000 for rates in (screens, others))
            table.add(f"to the terminal of {name}", f"{a:.1f} kB/s", f"{c:.1f} kB/s (cava)", a, 20,
                      " kB/s")
        large_words(table, words, path, seconds, rounds)
        for size in SIZES:
            quiet = ["sing", "--mic", "none", "--out", "system:playback", path]
            count = run(10, size, quiet, "set /transport/play off")[1] * 10
            table.add(f"to the terminal of {size[0]}×{size[1]}, 10 s of pause, no microphone",
                      f"{count:.0f} bytes", "", count, 0, " bytes")
