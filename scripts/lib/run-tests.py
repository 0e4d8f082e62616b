#!/usr/bin/env python3
"""Runs the built tests, a process a suite and some suites at once, and says how each ended.

usage: run-tests.py PROGRAM [--filter PATTERN]… [--skip PATTERN]… [--repeat N] [--busy] [--verbose]

What the tests themselves print is left out, unless their process ends badly.
"""
import argparse
import collections
import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

# Suites of these targets live with servers: they wait more than they compute.
LIVE_TARGETS = ("JackIOTests", "DuetTests")
# Gives a process a /dev/shm of its own. The metadata of all JACK servers of a user lie in one
# database there, and two servers may wait for each other in it for ever.
APART = [
    "unshare", "--mount", "sh", "-c",
    'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$@"', "sh"]
NO_TESTS = 69  # what a run ends with in which no test is left
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
# Seconds without an event after which a suite hangs.
PATIENCE = 3600 if os.environ.get("DUET_LONG_TESTS") else 180


class Report:
    """What is known of all suites together; says it as it comes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.tests = 0
        self.suites = 0
        self.failures = []  # (test, text)

    def add(self, name, seconds, tests, failures, output):
        """One suite has ended."""
        with self.lock:
            self.tests += tests
            self.suites += tests > 0
            self.failures += failures
            if output:
                print(output)
            for _, text in failures:
                print(text)
            if tests == 0 and not failures:
                print(f"-           {name}: not in this run", flush=True)
                return
            mark = "✘" if failures else "✔"
            count = f"{tests} test{'' if tests == 1 else 's'}"
            print(f"{mark} {seconds:6.1f} s  {name}: {count}", flush=True)

    def end(self, runs):
        """Says everything that failed once more, and the sums; the exit code."""
        if len(self.failures) > 1:
            print("\nAll that failed:")
            for _, text in self.failures:
                print(text)
        if runs > 1:
            counts = collections.Counter(test for test, _ in self.failures)
            for test, count in counts.most_common():
                print(f"✘ {test}: {count} failures in {runs} runs")
        seconds = time.monotonic() - self.began
        sums = f"Test run with {self.tests} tests in {self.suites} suites"
        if self.failures or self.tests == 0:
            count = len(self.failures)
            what = f"{count} issue{'' if count == 1 else 's'}" if count else "no test to run"
            print(f"✘ {sums} failed after {seconds:.3f} seconds with {what}.")
            return 1
        print(f"✔ {sums} passed after {seconds:.3f} seconds.")
        return 0


class SuiteRun:
    """One process of one suite, and what it tells while it runs."""

    def __init__(self, words, name, tests, folder):
        self.name = name
        self.events = os.path.join(folder, "events")
        self.log = os.path.join(folder, "log")
        self.running = []
        self.ended = 0
        self.failures = []
        self.is_whole = False
        self.hung = False
        self.words = words + [
            "--testing-library", "swift-testing", "--no-parallel",
            "--event-stream-version", "0", "--event-stream-output-path", self.events]
        for test in tests:
            self.words += ["--filter", "^" + re.escape(test) + "(/|$)"]

    def run(self):
        os.mkfifo(self.events)
        # Open before the tests' end is, or whoever is first would wait for ever for the other.
        source = os.open(self.events, os.O_RDONLY | os.O_NONBLOCK)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.follow(source)
        os.close(source)
        code = self.process.wait()
        if not self.is_whole or code not in (0, NO_TESTS) and not self.failures:
            self.note_end(code)

    def output(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def follow(self, source):
        """Reads events until the process has ended; ends it when none come any more."""
        text = b""
        last = time.monotonic()
        while True:
            is_over = self.process.poll() is not None
            try:
                more = os.read(source, 1 << 20)
            except BlockingIOError:
                more = b""
            if more:
                last = time.monotonic()
                *lines, text = (text + more).split(b"\n")
                for line in lines:
                    self.hear(json.loads(line))
            elif is_over:
                return
            elif time.monotonic() - last > PATIENCE and not self.hung:
                self.hung = True
                self.process.kill()
            else:
                time.sleep(0.02)

    def hear(self, record):
        payload = record["payload"]
        kind = payload.get("kind")
        test = payload.get("testID", "")
        if record["kind"] != "event":
            return
        if kind == "testStarted":
            self.running.append(test)
        elif kind == "issueRecorded" and not payload["issue"].get("isKnown"):
            self.failures.append((short(test), describe(test, payload)))
        elif kind == "testEnded":
            self.running.remove(test)
            if short(test) != test:
                self.ended += 1
        elif kind == "runEnded":
            self.is_whole = True

    def note_end(self, code):
        test = short(self.running[-1]) if self.running else self.name
        how = (
            f"told nothing for {PATIENCE} s and was killed" if self.hung
            else f"was ended by {signal.Signals(-code).name}" if code < 0
            else f"ended with {code}")
        printed = "\n".join(self.output().splitlines()[-40:])
        self.failures.append((test, f"✘ {test}: its process {how}, and printed last:\n{printed}"))


def short(test):
    """A test's name as --filter takes it: without the place in its file that ends it."""
    return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)


def describe(test, payload):
    where = payload["issue"].get("sourceLocation") or {}
    file = where.get("_filePath")
    place = f"  {os.path.relpath(file)}:{where['line']}" if file else ""
    lines = "\n".join(message["text"] for message in payload["messages"]).splitlines()
    return "\n".join([f"✘ {short(test)}{place}"] + ["    " + line for line in lines])


def suites_of(program, picks, skips):
    """The tests to run, by suite."""
    listing = subprocess.run(
        [program, "--testing-library", "swift-testing", "--list-tests"], check=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    everything = collections.defaultdict(list)
    for test in listing.split("\n"):
        if test:
            # Of a suite in a suite, each: they are independent.
            everything[test.rpartition("/")[0]].append(test)
    chosen = {}
    for pick in picks:
        if not any(re.search(pick, test) for tests in everything.values() for test in tests):
            sys.exit(f"no test matches --filter {pick}")
    for suite, tests in everything.items():
        picked = [
            test for test in tests
            if (not picks or any(re.search(pick, test) for pick in picks))
            and not any(re.search(skip, test) for skip in skips)]
        if picked:
            chosen[suite] = [suite] if picked == tests else picked
    return chosen


def end_children():
    """Ends what tests left behind that ended badly themselves, as a server."""
    while True:
        children = []
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children") as file:
                children += [int(word) for word in file.read().split()]
        if not children:
            return
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except (ProcessLookupError, ChildProcessError):
                pass  # a thread that waited for it was first


def succeeds(words):
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ).returncode == 0


def run_all(arguments, suites, report):
    """Some suites at once: three of those that wait, if they can be kept apart, and one that
    computes."""
    live, others = queue.SimpleQueue(), queue.SimpleQueue()
    for suite in suites:
        (live if suite.startswith(LIVE_TARGETS) else others).put(suite)

    def run_suite(suite):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            run = SuiteRun(words, suite, suites[suite], folder)
            run.run()
            report.add(
                suite, time.monotonic() - began, run.ended, run.failures,
                run.output() if arguments.verbose else "")

    def work(lanes):
        for lane in lanes:
            while True:
                try:
                    suite = lane.get_nowait()
                except queue.Empty:
                    break
                try:
                    run_suite(suite)
                except Exception:
                    text = f"✘ {suite}: the runner failed:\n{traceback.format_exc()}"
                    report.add(suite, 0, 0, [(suite, text)], "")

    if os.environ.get("DUET_TEST_SERVER") != "pipewire" and succeeds(APART + ["true"]):
        words = APART + [arguments.program]
        lanes = [(live, others)] * 3 + [(others, live)]
    else:
        # A PipeWire is one for all.
        words = [arguments.program]
        lanes = [(live, others), (others,)]
    workers = [threading.Thread(target=work, args=(lane,), daemon=True) for lane in lanes]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    # A stop ends what runs, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # What a test started is this process's child when the test is gone.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    suites = suites_of(arguments.program, arguments.filter, arguments.skip)
    report = Report()
    hog = None
    if arguments.busy:
        hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for run in range(arguments.repeat):
            if arguments.repeat > 1:
                print(f"run {run + 1} of {arguments.repeat}", flush=True)
            run_all(arguments, suites, report)
    finally:
        if hog:
            hog.kill()
            hog.wait()
        end_children()
    sys.exit(report.end(arguments.repeat))


main()
