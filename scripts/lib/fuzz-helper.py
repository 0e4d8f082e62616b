#!/usr/bin/env python3
"""Attacks duet-ffmpeg with damaged songs, under AddressSanitizer and UndefinedBehaviorSanitizer.

usage: fuzz-helper.py SECONDS FOLDER

First it has to find a planted fault within a minute. A song that ends the program otherwise than by
an answer, or that gets none within 60 s, goes to FOLDER and ends the attack.
"""
import collections
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).parents[2] / "FFmpeg/Sources/duet-ffmpeg"
LIBRARIES = ["libavformat", "libavcodec", "libavutil", "libswresample"]
# Encoder and format of the songs that are damaged.
SONGS = ["aac adts", "aac ipod", "alac ipod", "wmav2 asf", "wavpack wv", "tta tta", "ac3 ac3",
         "libopus webm", "libvorbis matroska", "mp2 mpegts", "pcm_s16le aiff", "dca dts"]
VERSION = int(re.search(r"WIRE_VERSION = (\d+)", (SOURCES / "wire.h").read_text())[1])
OPEN, DECODE, SEEK, BYTES = 1, 2, 3, 4
READ, FORMAT, FRAMES, PLACE, END, ERROR = range(32, 38)


def build(program, *options):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *LIBRARIES], check=True,
                           capture_output=True, text=True).stdout.split()
    subprocess.run(["clang", "-std=gnu17", "-g", "-O1", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all", "-fuse-ld=lld", *options, "-o", program,
                    *SOURCES.glob("*.c"), *flags], check=True)


def songs(folder):
    """Short songs of every kind, and one that can be played while it comes."""
    for number, (codec, kind) in enumerate(name.split() for name in SONGS):
        for more in [[], ["-movflags", "faststart"]] if kind == "ipod" else [[]]:
            path = folder / f"{number}-{len(more)}"
            subprocess.run(
                ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                 "aevalsrc=sin(2000*t*t)|sin(3000*t):s=44100:d=0.4", "-metadata", "title=duet",
                 "-c:a", codec, "-strict", "-2", *more, "-f", kind, path], check=True)
            yield path.read_bytes()


def damaged(song, chance):
    song = bytearray(song)
    for _ in range(chance.choice([1, 3, 10, 50])):
        # The head of a file decides the most.
        place = chance.randrange(len(song) if chance.random() < 0.5 else min(len(song), 1500))
        what = chance.randrange(5)
        if what == 0:
            song[place] = chance.randrange(256)
        elif what == 1:
            number = chance.choice([0, 1, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, chance.getrandbits(32)])
            song[place:place + 4] = struct.pack(">I", number)
        elif what == 2:
            del song[place:place + chance.randrange(1, 64)]
        elif what == 3:
            start = chance.randrange(len(song))
            song[place:place] = song[start:start + chance.randrange(1, 64)]
        elif chance.random() < 0.1:
            del song[place:]
        if len(song) < 2:
            break
    return bytes(song)


class Helper:
    """A running duet-ffmpeg with the song `song`."""

    def __init__(self, program, song, is_seekable):
        self.song = song
        self.socket, other = socket.socketpair()
        self.socket.settimeout(60)
        self.process = subprocess.Popen([program], stdin=other, stderr=subprocess.PIPE)
        other.close()
        self.send(OPEN, struct.pack("<IIq", VERSION, is_seekable, len(song) if is_seekable else -1))

    def send(self, kind, body=b""):
        self.socket.sendall(struct.pack("<II", kind, len(body)) + body)

    def receive(self, count):
        body = bytearray()
        while len(body) < count:
            part = self.socket.recv(count - len(body))
            if not part:
                raise EOFError
            body += part
        return bytes(body)

    def ask(self, kind, body=b""):
        """Asks, gives the bytes that are wanted, and returns the answer's kind and size."""
        self.send(kind, body)
        while True:
            answer, size = struct.unpack("<II", self.receive(8))
            body = self.receive(size)
            if answer != READ:
                return answer, size
            offset, count, _ = struct.unpack("<qII", body)
            self.send(BYTES, self.song[offset:offset + count])

    def end(self):
        """Ends it; returns its report, or nothing if it ended well."""
        self.socket.close()
        errors = self.process.communicate(timeout=60)[1].decode(errors="replace")
        return errors or f"exit code {self.process.returncode}" if self.process.returncode else ""


def attack(program, song, chance):
    """Plays a song; returns the last answer, and the report of a fault."""
    helper = Helper(program, song, chance.random() < 0.8)
    last, fault = None, ""
    try:
        for _ in range(3):
            frames = 0
            while frames < 1_000_000 and last != ERROR:
                last, size = helper.ask(DECODE)
                frames += size // 8 if last == FRAMES else 0
                if last == END:
                    break
            if last == ERROR:
                break
            place = chance.choice([0, chance.randrange(20_000), 1 << 40, (1 << 63) - 1, -1])
            last, _ = helper.ask(SEEK, struct.pack("<q", place))
    except socket.timeout:
        helper.process.kill()
        fault = "no answer within 60 s"
    except (EOFError, ConnectionError):
        fault = "it ended without an answer"
    report = helper.end()
    return last, report or fault


def fuzz(program, originals, seconds, seed):
    """Returns the first song with a fault, and the report; else nothing, and what was answered."""
    chance = random.Random(seed)
    answers = collections.Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        song = damaged(chance.choice(originals), chance)
        last, report = attack(program, song, chance)
        if report:
            return song, report
        answers[last] += 1
    return None, answers


def main():
    seconds, found = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        originals = list(songs(work))
        build(work / "planted", "-DDUET_PLANT")
        song, report = fuzz(work / "planted", originals, 60, 1)
        if song is None or "heap-buffer-overflow" not in report:
            sys.exit(f"fuzz: helper did not find the planted fault: {report}")
        print("fuzz: helper found the planted fault", flush=True)
        build(work / "clean")
        seed = random.getrandbits(32)
        song, result = fuzz(work / "clean", originals, seconds, seed)
        if song is not None:
            path = found / f"helper-{seed}"
            path.write_bytes(song)
            sys.exit(f"fuzz: helper broke a rule, or what it attacks did, by {path}:\n{result}")
    print(f"fuzz: helper ran clean for {seconds} s: {result.total()} songs, "
          f"of which {result[ERROR]} were refused")


if __name__ == "__main__":
    main()
