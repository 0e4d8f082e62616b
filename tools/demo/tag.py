"""ID3v2 tags for the demo's files: title, artist, and the words with the times they are sung at."""

import struct

from score import BEAT, LINES, MELODY, VERSE


def frame(name, body):
    """id3v2.3.0 3.3."""
    return name.encode() + struct.pack(">IH", len(body), 0) + body


def text(name, value):
    """A text frame in ISO 8859-1 (id3v2.3.0 4.2)."""
    return frame(name, b"\0" + value.encode("latin-1"))


def sung():
    """The pieces of text with the milliseconds at which they begin; a line feed begins a line."""
    pieces = [
        ("\n" if first == 0 and line else "") + piece
        for line, words in enumerate(LINES) for first, piece in enumerate(words.split("|"))]
    beat, times = VERSE.start * 4, []
    for note, beats, *_ in MELODY:
        if note is not None:
            times.append(round(beat * BEAT * 1000))
        beat += beats
    assert len(pieces) == len(times), (len(pieces), len(times))
    # A note without a piece of its own holds the one before.
    return [(piece, time) for piece, time in zip(pieces, times) if piece]


def words():
    """Synchronised lyrics in English, with times in milliseconds (id3v2.3.0 4.10)."""
    body = b"\0eng\x02\x01\0"
    for piece, time in sung():
        body += piece.encode("latin-1") + b"\0" + struct.pack(">I", time)
    return frame("SYLT", body)


def tag(frames):
    """id3v2.3.0 3.1: the size is written in bytes of seven bits."""
    body = b"".join(frames)
    size = bytes(len(body) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + body
