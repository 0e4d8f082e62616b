"""What all benches use: private servers, clients, processor time, the table of results."""

import contextlib
import os
import re
import select
import signal
import socket
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILT = os.path.join(ROOT, ".build", "bench")
DUET = os.path.join(ROOT, ".build", "release", "duet")
RATE = 48_000
WORK = tempfile.mkdtemp(prefix="duet-bench-")


def say(text):
    print(text, flush=True)


def first_line(*words):
    """The first line that a program prints."""
    try:
        output = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    except FileNotFoundError:
        return f"{words[0]}: not installed"
    return output.splitlines()[0] if output else f"{words[0]}: prints nothing"


def about():
    """When and where the figures are made, and of which versions."""
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    with open("/etc/os-release") as file:
        system = re.search(r'^PRETTY_NAME="(.*)"$', file.read(), re.M)
    package = subprocess.run(["dpkg-query", "-W", "-f", "jack_mixer ${Version}", "jack-mixer"],
                             capture_output=True, text=True).stdout
    yield f"date: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}"
    yield (f"machine: {model[1] if model else os.uname().machine}, {os.cpu_count()} processors, "
           f"{system[1] if system else 'Linux'}, Linux {os.uname().release}")
    yield f"load before: {os.getloadavg()[0]:.2f}"
    for words in [(DUET, "--version"), ("mpv", "--version"), ("mpg123", "--version"),
                  ("ffmpeg", "-version"), ("jackd", "--version")]:
        yield f"version: {first_line(*words)}"
    yield f"version: {package}"


def spread(values, unit, digits=3):
    """The median, the range and the number of measurements: `0.121 s (0.118…0.130, n 5)`."""
    low, high = min(values), max(values)
    return (f"{statistics.median(values):.{digits}f} {unit} "
            f"({low:.{digits}f}…{high:.{digits}f}, n {len(values)})")


class Client:
    """A child process, ended by its process id."""

    def __init__(self, *words, ready=None, env=None, stdin=subprocess.DEVNULL, stdout=None):
        """`ready`: text to wait for on its standard output, at most 10 s."""
        self.words = words
        self.log = tempfile.NamedTemporaryFile(dir=WORK, delete=False)
        # The moment just before the process exists: what "from exec" means here.
        self.started = time.clock_gettime(time.CLOCK_MONOTONIC)
        self.process = subprocess.Popen(
            words, stdin=stdin, stdout=subprocess.PIPE if ready else stdout or self.log,
            stderr=self.log, env=os.environ | (env or {}))
        if ready:
            self.wait_for(ready)

    @property
    def pid(self):
        return self.process.pid

    def wait_for(self, text, seconds=10):
        """Reads its standard output until a line holds `text`, and returns that line."""
        end = time.monotonic() + seconds
        pipe, line = self.process.stdout, b""
        while (left := end - time.monotonic()) > 0:
            if not select.select([pipe], [], [], left)[0]:
                break
            byte = os.read(pipe.fileno(), 1)
            if not byte:
                break
            line += byte
            if byte == b"\n":
                if text in line.decode():
                    return line.decode().strip()
                line = b""
        raise SystemExit(f"bench: {self.words[0]} did not say {text!r}: {self.output()}")

    def output(self):
        with open(self.log.name, errors="replace") as file:
            return file.read()[-2000:]

    def end(self, how=signal.SIGTERM):
        """Ends it and returns its resources: (processor seconds, exit status)."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, how)
            _, status, usage = os.wait4(self.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = usage.ru_utime + usage.ru_stime
        return self.seconds, self.process.returncode


def tree(pid):
    """The ids of the process and all its descendants."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                children.setdefault(parent, []).append(int(entry))
    found = [pid]
    for known in found:
        found += children.get(known, [])
    return found


def memory(pid, table, lines):
    """The sum of those lines of /proc/PID/table, of the process and all its descendants, in kB."""
    total = 0
    for each in tree(pid):
        with open(f"/proc/{each}/{table}") as file:
            total += sum(int(kb) for kb in re.findall(rf"^{lines}:\s+(\d+) kB", file.read(), re.M))
    return total


def resident(pid):
    """RssAnon + RssFile of the process and all its descendants, in kB."""
    return memory(pid, "status", "Rss(?:Anon|File)")


def private(pid):
    """Memory that no other process shares with this one and its descendants, in kB."""
    return memory(pid, "smaps_rollup", r"Private_\w+")


@contextlib.contextmanager
def client(*words, **options):
    running = Client(*words, **options)
    try:
        yield running
    finally:
        running.end()


@contextlib.contextmanager
def jackd(period):
    """A dummy server of our own; every client below finds it by its name in the environment."""
    name = f"duet-bench-{os.getpid()}-{period}"
    with client("jackd", "-n", name, "-d", "dummy", "-r", str(RATE), "-p", str(period)) as server:
        os.environ["JACK_DEFAULT_SERVER"] = name
        ready = subprocess.run(["jack_wait", "-s", name, "-w", "-t", "10"], capture_output=True)
        if ready.returncode != 0:
            raise SystemExit(f"bench: jackd did not start: {server.output()}")
        yield server


@contextlib.contextmanager
def web(folder):
    """nginx on loopback; gives the address of `folder`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = os.path.join(WORK, "nginx.conf")
    with open(configuration, "w") as file:
        file.write(f"""
            daemon off; pid {WORK}/nginx.pid; error_log stderr; worker_processes 1;
            events {{}}
            http {{
                access_log off; client_body_temp_path {WORK}; proxy_temp_path {WORK};
                fastcgi_temp_path {WORK}; uwsgi_temp_path {WORK}; scgi_temp_path {WORK};
                types {{ audio/mpeg mp3; }}
                server {{ listen 127.0.0.1:{port}; root {folder}; }}
            }}""")
    # nginx started by root would run its workers as the user nobody, who may not read our folder.
    with client("nginx", "-c", configuration, "-g", "user root;" if os.geteuid() == 0 else ""):
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"


def song(seconds):
    """A stereo song of 44.1 kHz and 192 kbit/s, at least `seconds` long: the demo's, repeated."""
    path = os.path.join(WORK, "song.mp3")
    if not os.path.exists(path):
        wave = os.path.join(WORK, "song.wav")
        demo = os.path.join(ROOT, "Sources", "CDemo", "song.mp3")
        subprocess.run(["mpg123", "-q", "-w", wave, demo], check=True)
        subprocess.run(["sox", wave, os.path.join(WORK, "long.wav"), "repeat", str(int(seconds // 41))],
                       check=True)
        subprocess.run(["lame", "--quiet", "-b", "192", os.path.join(WORK, "long.wav"), path], check=True)
    return path


class Table:
    """The results: each line has a measured value and its bound; a missed bound fails the bench."""

    def __init__(self):
        self.lines, self.missed = [], 0

    def add(self, what, ours, theirs, value, bound, unit="", least=False):
        """Adds a line. `value`, a ratio or a figure, must not be above `bound`; with `least`, not
        below it."""
        fits = value >= bound if least else value <= bound
        self.missed += not fits
        self.lines.append((what, ours, theirs, f"{value:.3g}{unit}", f"{'≥' if least else '≤'} {bound:g}{unit}",
                           "ok" if fits else "MISSED"))
        say("  " + " · ".join(str(part) for part in self.lines[-1]))

    def note(self, what, ours, theirs):
        """Adds a line without a bound."""
        self.lines.append((what, ours, theirs, "", "", ""))
        say(f"  {what} · {ours} · {theirs}")

    def show(self):
        rows = [("", "duet", "beside it", "measured", "bound", "")] + self.lines
        widths = [max(len(str(row[i])) for row in rows) for i in range(6)]
        for row in rows:
            say("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
