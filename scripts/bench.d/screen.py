"""What the screen costs beside the status line, in the same run."""

import fcntl
import os
import pty
import socket
import statistics
import struct
import termios
import threading
import time

from rig import BUILT, DUET, WORK, client, jackd, song


class Terminal:
    """A terminal of 120 columns and 40 rows that counts what it is sent."""

    def __init__(self):
        self.outside, self.inside = pty.openpty()
        fcntl.ioctl(self.inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.count = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while data := os.read(self.outside, 1 << 16):
            self.count += len(data)


def ticks(pid):
    """The processor time of a process so far, in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(seconds, words, command=None):
    """Processor time as a part of one core, and bytes a second, once it plays; or after `command`."""
    terminal, control = Terminal(), os.path.join(WORK, "control")
    environment = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    words = (DUET, *words, "--control", control)
    with client(*words, stdout=terminal.inside, env=environment) as duet:
        time.sleep(2)
        if command:
            with socket.socket(socket.AF_UNIX) as sender:
                sender.connect(control)
                sender.sendall(f"{command}\n".encode())
                sender.recv(100)
        # A note on what was done stays for two seconds, a line that was reported for eight.
        time.sleep(10)
        begun, spent, count = time.monotonic(), ticks(duet.pid), terminal.count
        time.sleep(seconds)
        passed = time.monotonic() - begun
        return (ticks(duet.pid) - spent) / passed * 100, (terminal.count - count) / passed


def screen(table, quick):
    """Processor time and bytes of the screen, less those of the status line."""
    seconds, rounds = (10, 1) if quick else (30, 3)
    costs = {"screen": [], "plain": []}
    path, rates = song(240), []
    with jackd(256), client(os.path.join(BUILT, "noise"), "noise", ready="ready"):
        words = ["sing", "--mic", "^noise:out$", "--out", "system:playback", path]
        for _ in range(rounds):
            cost, rate = run(seconds, words)
            costs["screen"].append(cost)
            rates.append(rate)
            costs["plain"].append(run(seconds, words + ["--plain"])[0])
        quiet = ["sing", "--mic", "none", "--out", "system:playback", path]
        count = run(10, quiet, "set /transport/play off")[1] * 10
    a, b = (statistics.median(costs[name]) for name in ("screen", "plain"))
    table.add("screen of 120×40, playing", f"{a:.2f} %", f"{b:.2f} % (--plain)", a - b, 1.5, " %")
    rate = max(rates) / 1000
    table.add("to the terminal, playing", f"{rate:.1f} kB/s", "", rate, 20, " kB/s")
    table.add("to the terminal, 10 s of pause, no microphone", f"{count:.0f} bytes", "", count, 0,
              " bytes")
