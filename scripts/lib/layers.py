#!/usr/bin/env python3
"""Checks that folders use only types of the folders below them, and that some import nothing impure.

ORDER lists the folders of a module from the lowest to the highest; those of one line do not use one
another. Every folder of a listed module stands in it.
"""

import os
import re
import sys

ORDER = {
    "SystemSupport": """
        Text
        Waiting
        Threads""",
    "AudioMedia": """
        Text
        Locations
        Input
        Lyrics Graphics
        Tags
        SoundFiles
        Decoders
        Vocals
        Effects
        List
        Player""",
    "JackIO": """
        Library
        Wires
        Client
        Server""",
    "DuetApp": """
        Cells
        Letters
        Text
        Errors
        Terminal
        Files
        Vocabulary
        Takes
        Shown
        Screen
        Control
        Events
        Remote
        Engine
        Server
        NSM
        Player
        Memory
        Music
        Words Separation
        Options
        Configuration
        Live Offline
        Doctor
        Commands""",
}
# Folders whose code touches neither the system nor JACK: values in, values out.
PURE = {"DuetApp": {"Control", "Screen", "Shown", "Text", "Vocabulary"}}
IMPURE = re.compile(r"^import (Glibc|JackIO|Synchronization|Logging|SessionManager)$")
DECLARED = re.compile(
    r"^(?:(?:public|package|final|indirect|nonisolated|@\w+(?:\([^)]*\))?) +)*"
    r"(?:class|struct|enum|protocol|actor|typealias) +(\w+)", re.MULTILINE)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def code(text):
    """Swift without comments and string literals, but with what is put into these, on the same lines."""
    def kept(match):
        if match[0].startswith("/"):
            return "\n" * match[0].count("\n")
        return "; ".join(re.findall(r"\\\(([^\n]*?)\)", match[0])) + "\n" * match[0].count("\n")
    return NOT_CODE.sub(kept, text)


def source(path):
    with open(path, encoding="utf-8") as file:
        return code(file.read())


def main():
    # A planted use, and words that are none.
    planted = code('a("\\(One.x) Two") // Three\n"""\nFour\n"""\nFive')
    if re.findall("One|Two|Three|Four|Five", planted) != ["One", "Five"] or planted.count("\n") != 4:
        sys.exit("layers.py: does not tell code from comments and texts")
    bad = 0

    def say(where, why):
        nonlocal bad
        bad += 1
        print(f"{where}: {why}", file=sys.stderr)
    for module, text in ORDER.items():
        root = os.path.join("Sources", module)
        levels = {folder: level for level, line in enumerate(text.split("\n"))
                  for folder in line.split()}
        found = {name for name in os.listdir(root)
                 if os.path.isdir(os.path.join(root, name)) and not name.endswith(".docc")}
        for folder in sorted(found ^ set(levels)):
            say(f"{root}/{folder}:1", "not both a folder and a layer of scripts/lib/layers.py")
        sources = {(folder, path): source(path) for folder in sorted(found & set(levels))
                   for path in sorted(os.path.join(root, folder, name)
                                      for name in os.listdir(os.path.join(root, folder))
                                      if name.endswith(".swift"))}
        owners = {name: folder for (folder, _), text in sources.items()
                  for name in DECLARED.findall(text)}
        names = re.compile(r"(?<![\w.])(?:" + "|".join(owners) + r")\b")
        for (folder, path), text in sources.items():
            for number, line in enumerate(text.split("\n"), 1):
                if folder in PURE.get(module, ()) and IMPURE.match(line):
                    say(f"{path}:{number}", f"{folder} is pure: it imports nothing of the system")
                for name in names.findall(line):
                    owner = owners[name]
                    if owner != folder and levels[owner] >= levels[folder]:
                        say(f"{path}:{number}", f"{folder} lies below {owner}, and uses {name}")
    sys.exit(1 if bad else 0)


main()
