#!/usr/bin/env python3
"""Writes commit and version into the build ID of a program: build-id.py PROGRAM COMMIT VERSION.

The linker has left room for both (build.sh): 20 bytes for the commit, then the text of the version, which
ends with zeros. The flags of the build are then the same for each commit: SwiftPM compiles all modules again
where a flag of the linker has changed. The file keeps its date, by which SwiftPM knows what it has linked.
Without a commit the room stays empty.
"""

import os
import sys

ROOM = 96
# An ELF note: the sizes of its name and of its contents, its type (3, a build ID), its name.
HEAD = b"".join(number.to_bytes(4, "little") for number in (4, ROOM, 3)) + b"GNU\0"


def main():
    path, commit, version = sys.argv[1:]
    contents = (bytes.fromhex(commit) + version.encode()) if commit else b""
    if len(contents) >= ROOM:
        sys.exit(f"build-id: the version '{version}' is too long")
    with open(path, "r+b") as file:
        facts = os.fstat(file.fileno())
        place = file.read().find(HEAD)
        if place < 0:
            sys.exit(f"build-id: {path} has no room for a build ID")
        file.seek(place + len(HEAD))
        file.write(contents.ljust(ROOM, b"\0"))
        file.flush()
        os.utime(file.fileno(), ns=(facts.st_atime_ns, facts.st_mtime_ns))


main()
