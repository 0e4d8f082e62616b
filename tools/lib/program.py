"""What the program says of itself: its commands, options, keys and addresses."""

import json
import os
import re
import subprocess
import tempfile
from collections import namedtuple

# names: as typed, the short one first. value: what the value is called, or None. section: the title of
# its group in the help, or None. optional: the value may be left out, and needs "=". required: the
# command needs the option. choices: the values that are known, or None. file: whether the value is a
# file. endings: those of the files to offer; empty: all files. source: a shell command that prints the
# values, a line each, or None.
Option = namedtuple(
    "Option", "names value section text optional required repeats choices file endings source")
Argument = namedtuple("Argument", "value text optional repeats choices file endings")
Command = namedtuple("Command", "name text discussion options arguments")
Key = namedtuple("Key", "name command help")
ConfigLine = namedtuple("ConfigLine", "name value text")
# The sections of the user's duet.conf.
# In sh, because fish has another syntax. Like duet, it ignores a path that is not absolute.
PROFILES = (r"""sh -c 'case $XDG_CONFIG_HOME in /*) ;; *) XDG_CONFIG_HOME=$HOME/.config ;; esac; """
            r"""sed -n "s/^\[\(.*\)\]$/\1/p" "$XDG_CONFIG_HOME/duet/duet.conf" 2>/dev/null'""")


class Program:
    """A program `duet`, as a user without a configuration sees it."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        with tempfile.TemporaryDirectory() as home:
            self.variables = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": home}
            if "LD_LIBRARY_PATH" in os.environ:
                self.variables["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
            self.version = re.search(r"\d+(\.\d+)+", self.run("--version"))[0]
            tree = json.loads(self.run("--experimental-dump-help"))["command"]
            self.addresses = json.loads(self.run("addresses", "--json"))
            texts = {words[0]: words[2] for words in (
                re.split(r"  +", line, maxsplit=2) for line in self.run("addresses").splitlines())}
            for entry in self.addresses:
                entry["values"] = texts[entry["address"]]
            keys = self.run("config", "--keys")
            self.keys = self.read_keys(keys)
            # Comments, because they cannot be changed, or act in some runs only.
            others = self.read_keys("\n".join(re.findall(r"^# (\S+ [a-z]+ /.*)$", keys, re.M)))
            self.take_keys = [key for key in others if key.command.split()[1].startswith("/take/")]
            self.list_keys = [key for key in others if key not in self.take_keys]
            self.config = self.read_config(self.run("config"))
            presets = json.loads(self.run("presets", "--json"))
            # An option whose value may be left out is one that `graph` takes alone.
            self.optional = set()
            graph = next(self.command(command) for command in tree["subcommands"]
                         if command["commandName"] == "graph")
            self.optional = {option.names[-1] for option in graph.options if option.value
                             and self.ends_well("graph", option.names[-1])}
        self.summary = tree["abstract"]
        self.microphone = [(preset["name"], preset["summary"]) for preset in presets["microphone"]]
        self.equalizer = [preset["name"] for preset in presets["equalizer"]]
        self.commands = {command["commandName"]: self.command(command)
                         for command in tree["subcommands"]
                         if command["shouldDisplay"] and command["commandName"] != "help"}

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], env=self.variables, check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode()

    def ends_well(self, *arguments):
        return subprocess.run([self.path, *arguments], env=self.variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def command(self, tree):
        options, arguments = [], []
        for entry in tree.get("arguments", []):
            if not entry["shouldDisplay"]:
                continue
            value = entry["valueName"] if entry["kind"] != "flag" else None
            kind = entry.get("completionKind", {})
            choices = list(dict.fromkeys(
                entry.get("allValues") or kind.get("list", {}).get("values", [])))
            text = " ".join(entry.get("abstract", "").split())
            profile = any(name["name"] == "profile" for name in entry.get("names", []))
            source = PROFILES if value and profile else None
            file = "file" in kind or "directory" in kind or value in ("file", "SONG")
            endings = tuple(kind.get("file", {}).get("extensions", []))
            if entry["kind"] == "positional":
                arguments.append(Argument(value, text, entry["isOptional"], entry["isRepeating"],
                                          choices, file, endings))
                continue
            names = [("-" if name["kind"] == "short" else "--") + name["name"]
                     for name in entry["names"]]
            if choices and "(values: " in text:  # the parser says them by itself
                text = text[:text.index("(values: ")].strip()
                text += f" One of {', '.join(choices)}"
                text += f" (default {entry['defaultValue']})." if "defaultValue" in entry else "."
            options.append(Option(
                sorted(names, key=len), value, entry.get("sectionTitle"), text,
                bool(self.optional & set(names)), not entry["isOptional"],
                entry["isRepeating"], choices, file, endings, source))
        discussion = tree.get("discussion", "").split("\n\n")
        return Command(
            tree["commandName"], tree["abstract"],
            [" ".join(part.split()) for part in discussion if part and part[:5] != "Keys:"],
            options, arguments)

    @staticmethod
    def read_keys(text):
        keys = []
        for line in text.splitlines():
            if line and not line.startswith("# "):
                name, command = line.split(" ", 1)
                command, _, help = command.partition("  # ")
                keys.append(Key(name, command, help))
        return keys

    @staticmethod
    def read_config(text):
        lines = []
        for about, name, value in re.findall(r"^# (.+)\n#([a-z][a-z0-9-]*)(?:=(.*))?$", text, re.M):
            lines.append(ConfigLine(name, value, about))
        return lines

    @property
    def option_names(self):
        return {name for command in self.commands.values() for option in command.options
                for name in option.names}

    def has_address(self, word):
        """Whether a word is an address, or the beginning of some: `/mic/…`, `/strip/volume`."""
        addresses = [entry["address"] for entry in self.addresses]
        if word.endswith("/…"):
            return any(address.startswith(word[:-1]) for address in addresses) or word == "/strip/…"
        if word.startswith("/strip/"):
            return any(address.split("/", 2)[2:] == [word[7:]] for address in addresses)
        return word in addresses
