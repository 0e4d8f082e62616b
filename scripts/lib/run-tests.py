#!/usr/bin/env python3
"""Runs the built tests: all unit tests in one process, and beside it each suite that has the trait
`.ownProcess`, and each of the system tests, in a process of its own. Prints the results.

usage: run-tests.py PROGRAM [--filter PATTERN]… [--skip PATTERN]… [--repeat N] [--busy] [--verbose]

What the tests themselves print is left out, unless their process ends badly.

A suite with a server of any kind that fails runs once more when all others are over, by itself. If it
passes then, it is unstable: the last lines name it, and the run passes unless three suites are. With
--repeat every run counts.
"""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import queue
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

# A suite or a test that has a process of its own, in the sources of the tests.
OWN_PROCESS = re.compile(
    r"@(?:Suite|Test)\([^@{]*?\.ownProcess\([^@{]*?\b(?:struct|class|enum|actor|func) (\w+)")
OWN_PROCESS_REASON = "needs a process of its own"
UNIT_TESTS = "unit tests"
TEST_SERVER = os.environ.get("DUET_TEST_SERVER", "jackd")
# Gives a process a /dev/shm of its own. The metadata of all JACK servers of a user lie in one
# database there, and two servers may wait for each other in it for ever.
APART = [
    "unshare", "--mount", "sh", "-c",
    'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$@"', "sh"]
MOST_UNSTABLE = 2  # suites that may pass at their second try only
MOST_EXCUSES = 2  # faults that tests lay to the machine
NO_TESTS = 69  # what a run ends with in which no test is left
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
# Seconds without an event after which a suite hangs.
PATIENCE = 3600 if os.environ.get("DUET_LONG_TESTS") else 180


class Report:
    """The results of all suites, printed as they come."""

    def __init__(self):
        self.lock = threading.Lock()
        self.began = time.monotonic()
        self.tests = 0
        self.suites = 0
        self.run = 1
        self.failures = []  # (run, test, text)
        self.unstable = {}  # suite: what failed at its first try
        self.excuses = []  # (suite, what its tests laid to the machine)
        self.skipped = collections.Counter()  # tests that did not run, by the reason

    def retry(self, name, seconds, failures):
        """A suite has failed, and runs once more."""
        with self.lock:
            for _, text in failures:
                print(text)
            print(f"↻ {seconds:6.1f} s  {name}: failed, runs once more by itself", flush=True)

    def add(self, name, seconds, tests, suites, failures, output):
        """The process of one suite, or of the unit tests, has ended."""
        with self.lock:
            self.tests += tests
            self.suites += suites
            self.failures += [(self.run, test, text) for test, text in failures]
            if output:
                print(output)
            for _, text in failures:
                print(text)
            if tests == 0 and not failures:
                print(f"-           {name}: not in this run", flush=True)
                return
            mark = "✘" if failures else "✔"
            count = f"{tests} test{'' if tests == 1 else 's'}"
            if suites > 1:
                count += f" in {suites} suites"
            print(f"{mark} {seconds:6.1f} s  {name}: {count}", flush=True)

    def end(self, runs):
        """Prints all failures once more, and the sums; returns the exit code."""
        if len(self.failures) > 1:
            print("\nAll that failed:")
            for *_, text in self.failures:
                print(text)
        if runs > 1:
            counts = collections.Counter(test for _, test in {each[:2] for each in self.failures})
            for test, count in counts.most_common():
                print(f"✘ {test}: failed in {count} of {runs} runs")
        for suite, tests in self.unstable.items():
            print(f"↻ unstable: {suite} passed at its second try; at first failed: {', '.join(tests)}")
        if len(self.unstable) > MOST_UNSTABLE:
            text = f"✘ {len(self.unstable)} suites are unstable, at most {MOST_UNSTABLE} may be"
            print(text)
            self.failures.append((self.run, "unstable suites", text))
        for suite, what in self.excuses:
            print(f"↻ excused: {suite}: {what}")
        if len(self.excuses) > MOST_EXCUSES * runs:
            text = f"✘ {len(self.excuses)} excuses, at most {MOST_EXCUSES * runs} prove anything"
            print(text)
            self.failures.append((self.run, "excuses", text))
        for reason, count in self.skipped.items():
            print(f"- {count} skipped{reason and ': '}{reason}")
            if reason.startswith(OWN_PROCESS_REASON):
                text = "✘ these ran nowhere: what finds `.ownProcess` in the sources missed them"
                print(text)
                self.failures.append((self.run, reason, text))
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
    """One process of one suite, or of all unit tests, and the events that it writes while it runs."""

    def __init__(self, words, environment, name, tests, folder):
        self.name = name
        self.environment = environment
        self.events = os.path.join(folder, "events")
        self.log = os.path.join(folder, "log")
        self.running = []
        self.case = ""  # of a test with arguments, the one that runs
        self.ended = set()
        self.failures = []
        self.skipped = {}  # test: why
        self.is_whole = False
        self.hung = False
        self.processes = ""  # those of the suite when it hung
        self.words = words + [
            "--testing-library", "swift-testing",
            "--event-stream-version", "0", "--event-stream-output-path", self.events]
        if name != UNIT_TESTS:
            self.words.append("--no-parallel")
        for test in tests:
            self.words += ["--filter", "^" + re.escape(test) + "(/|$)"]

    def run(self):
        os.mkfifo(self.events)
        # For reading and writing: this end does not wait for the other, and has no end itself.
        source = os.open(self.events, os.O_RDWR | os.O_NONBLOCK)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        self.follow(source)
        os.close(source)
        code = self.process.wait()
        ran = self.ended or self.skipped
        if not self.is_whole or not ran or code not in (0, NO_TESTS) and not self.failures:
            self.note_end(code)

    def output(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def follow(self, source):
        """Reads events until the process has ended; ends it when none come any more."""
        text = b""
        process = os.pidfd_open(self.process.pid)
        while True:
            ready, *_ = select.select([source, process], [], [], PATIENCE)
            if source in ready:
                *lines, text = (text + os.read(source, 1 << 20)).split(b"\n")
                for line in lines:
                    self.hear(json.loads(line))
            elif process in ready:
                break
            elif not self.hung:
                self.hung = True
                if mark := self.environment.get("DUET_TEST_SUITE"):
                    self.processes = list_processes(mark)
                self.process.kill()
        os.close(process)

    def hear(self, record):
        payload = record["payload"]
        kind = payload.get("kind")
        test = payload.get("testID", "")
        if record["kind"] != "event":
            return
        if kind == "testStarted":
            self.running.append(test)
            self.case = ""
        elif kind == "testCaseStarted":
            self.case = case_of(payload)
        elif kind == "issueRecorded" and not payload["issue"].get("isKnown"):
            name = short(test) + case_of(payload)
            text = describe(name, payload)
            # The limit alone does not tell what the test waits for.
            if "Time limit was exceeded" in text:
                text += f"\n    Its process printed last:\n{self.last_words()}"
            self.failures.append((name, text))
        elif kind == "testEnded":
            self.running.remove(test)
            if short(test) != test:
                self.ended.add(short(test))
        elif kind == "testSkipped" and short(test) != test:
            self.skipped[short(test)] = "; ".join(payload.get("_comments") or [])
        elif kind == "runEnded":
            self.is_whole = True

    def note_end(self, code):
        # Of unit tests many run at once: what was printed names the one that crashed.
        is_one = self.running and self.name != UNIT_TESTS
        test = short(self.running[-1]) + self.case if is_one else self.name
        if self.running and not is_one:
            tests = [short(test) for test in self.running if short(test) != test]
            self.processes = "\n".join(["not ended:", *tests])
        how = (
            f"told nothing for {PATIENCE} s and was killed" if self.hung
            else f"was ended by {signal.Signals(-code).name}" if code < 0
            else f"ended with {code}")
        words = f"{self.last_words()}\n{self.processes}"
        self.failures.append((test, f"✘ {test}: its process {how}, and printed last:\n{words}"))

    def last_words(self):
        return "\n".join(self.output().splitlines()[-40:])


def short(test):
    """A test's name as --filter takes it: without the place in its file that ends it."""
    return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)


def case_of(payload):
    """Which arguments a test was called with, as the end of its name; "" without arguments."""
    name = payload.get("_testCase", {}).get("displayName")
    return f" [{name}]" if name else ""


def describe(name, payload):
    where = payload["issue"].get("sourceLocation") or {}
    file = where.get("_filePath")
    place = f"  {os.path.relpath(file)}:{where['line']}" if file else ""
    lines = "\n".join(message["text"] for message in payload["messages"]).splitlines()
    return "\n".join([f"✘ {name}{place}"] + ["    " + line for line in lines])


def processes_of(program, picks, skips):
    """The processes to start by their names, and of each the tests to run as filters."""
    listing = subprocess.run(
        [program, "--testing-library", "swift-testing", "--list-tests"], check=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    everything = collections.defaultdict(list)
    for test in listing.split():
        # Of a suite in a suite, each: they are independent.
        everything[test.rpartition("/")[0]].append(test)
    for pick in picks:
        if not any(re.search(pick, test) for tests in everything.values() for test in tests):
            sys.exit(f"no test matches --filter {pick}")
    alone = set(own_processes())

    def is_alone(test):
        target, suite, *_, name = re.split("[./]", re.sub(r"\(.*", "", test))
        return target == "SystemTests" or suite in alone or name in alone

    processes = collections.defaultdict(list)
    for suite, tests in everything.items():
        picked = [
            test for test in tests
            if (not picks or any(re.search(pick, test) for pick in picks))
            and not any(re.search(skip, test) for skip in skips)]
        # The suite's name alone would also match the tests of the suites inside it.
        is_outer = any(other.startswith(suite + "/") for other in everything)
        is_whole = picked == tests and not is_outer
        by_process = collections.defaultdict(list)
        for test in picked:
            by_process[suite if is_alone(test) else UNIT_TESTS].append(test)
        for process, tests in by_process.items():
            processes[process] += [suite] if is_whole and len(by_process) == 1 else tests
    return processes


def own_processes():
    """The names of the suites and tests that have a process of their own, as their sources say."""
    for source in pathlib.Path("Tests").glob("*/*.swift"):
        yield from OWN_PROCESS.findall(source.read_text())


def end_children(mark=None):
    """Ends processes, such as servers, that failed tests left behind; with `mark`, only those
    that have `mark` in their environment."""
    while True:
        children = [child for child in own_children() if is_marked(child, mark)]
        if not children:
            return
        # All before any is awaited: the end of a traced process is not seen before its tracer's.
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass  # a thread that waited for it was first
        for child in children:
            try:
                os.waitpid(child, 0)
            except ChildProcessError:
                pass


def own_children():
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/children") as file:
                yield from [int(word) for word in file.read().split()]
        except FileNotFoundError:
            pass  # the thread has ended


def is_marked(process, mark):
    if mark is None:
        return True
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return f"DUET_TEST_SUITE={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False


def list_processes(mark):
    """What the processes with `mark` in their environment are and wait for, for people."""
    found = [word for word in os.listdir("/proc") if word.isdigit() and is_marked(word, mark)]
    return subprocess.run(
        ["ps", "-o", "pid,ppid,stat,wchan:24,etimes,args", "-p", ",".join(found)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


def uses_examples(suite):
    # Those with a server are not run under PipeWire.
    runs = TEST_SERVER != "pipewire" or not suite.startswith("JackIOTests")
    return runs and re.search("[./]ExampleTests$", suite)


def succeeds(words):
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ).returncode == 0


class PipeWire:
    """A PipeWire for the suites of one lane, which run one after the other."""

    def __init__(self):
        # Prints its environment, by which it is found, and stays until its input ends.
        self.process = subprocess.Popen(
            ["scripts/pipewire-headless", "pw-jack", "sh", "-c", "env -0 && echo && cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        text = b""
        while not text.endswith(b"\0\n"):
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                sys.exit("no PipeWire to test with")
            text += more
        pairs = (pair.split(b"=", 1) for pair in text[:-2].split(b"\0"))
        self.environment = {os.fsdecode(name): os.fsdecode(value) for name, value in pairs}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def run_all(arguments, processes, report):
    """Runs the unit tests, and beside them four suites at once that mostly wait, if they can be kept
    apart."""
    alone, unit = queue.SimpleQueue(), queue.SimpleQueue()
    for name in processes:
        (unit if name == UNIT_TESTS else alone).put(name)

    retries = []

    def run_suite(suite, words, environment):
        began = time.monotonic()
        run, output = try_suite(suite, words, environment)
        seconds = time.monotonic() - began
        if run.failures and run.had_server and arguments.repeat == 1:
            report.retry(suite, seconds, run.failures)
            retries.append((suite, words, environment, run))
        else:
            add(suite, seconds, run, output)

    def add(name, seconds, run, output):
        suites = {test.rpartition("/")[0] for test in run.ended}
        report.add(name, seconds, len(run.ended), len(suites), run.failures, output)
        report.skipped.update(run.skipped.values())

    def run_again(suite, words, environment, first):
        began = time.monotonic()
        run, output = try_suite(suite, words, environment)
        if not run.failures:
            report.unstable[suite] = sorted({test for test, _ in first.failures})
        add(suite, time.monotonic() - began, run, output)

    def try_suite(suite, words, environment):
        """Runs a suite; returns the run, and what it printed if that is asked for."""
        with tempfile.TemporaryDirectory() as folder:
            # Neither the configuration nor the memory of the user who runs the tests.
            environment = {
                **environment, "DUET_EXCUSES": f"{folder}/excuses",
                "XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state"}
            if suite != UNIT_TESTS:
                environment["DUET_TEST_SUITE"] = folder
            run = SuiteRun(words, environment, suite, processes[suite], folder)
            run.run()
            end_children(mark=folder)
            run.had_server = os.path.exists(f"{folder}/had-server")
            if not run.failures and os.path.exists(f"{folder}/excuses"):
                with open(f"{folder}/excuses") as file:
                    report.excuses += [(suite, line.strip()) for line in file]
            return run, run.output() if arguments.verbose else ""

    def work(queues, words, environment):
        for suites in queues:
            while True:
                try:
                    suite = suites.get_nowait()
                except queue.Empty:
                    break
                try:
                    run_suite(suite, words, environment)
                except Exception:
                    text = f"✘ {suite}: the runner failed:\n{traceback.format_exc()}"
                    report.add(suite, 0, 0, 0, [(suite, text)], "")

    lanes = [(alone, unit)] * 4 + [(unit, alone)]
    words = [arguments.program]
    servers = []
    if TEST_SERVER == "pipewire":
        servers = [PipeWire() for _ in lanes]
    elif succeeds(APART + ["true"]):
        words = APART + words
    else:
        lanes = [(alone, unit), (unit,)]
    environments = [server.environment for server in servers] or [dict(os.environ)] * len(lanes)
    workers = [
        threading.Thread(target=work, args=(queues, words, environment), daemon=True)
        for queues, environment in zip(lanes, environments)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for retry in retries:
        run_again(*retry)
    for server in servers:
        server.end()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    # SIGTERM ends the running suites, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # Processes that a test started become children of this process when the test is gone.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    processes = processes_of(arguments.program, arguments.filter, arguments.skip)
    try:
        if any(uses_examples(suite) for suite in processes):
            # On a bare checkout this takes minutes; inside a test that would look like a hang.
            build = ["bash", "-c", "source scripts/lib/build.sh && build_examples"]
            if subprocess.run(build, stdin=subprocess.DEVNULL).returncode:
                sys.exit("the examples could not be built")
        report = Report()
        if arguments.busy:
            subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for report.run in range(1, arguments.repeat + 1):
            if arguments.repeat > 1:
                print(f"run {report.run} of {arguments.repeat}", flush=True)
            run_all(arguments, processes, report)
    finally:
        end_children()
    sys.exit(report.end(arguments.repeat))


main()
