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
# group: the heading above it, or None.
Key = namedtuple("Key", "name command help group")
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
            tree = json.loads(self.run("help", "--json"))
            self.addresses = json.loads(self.run("addresses", "--json"))
            texts = {words[0]: words[2] for words in (
                re.split(r"  +", line, maxsplit=2) for line in self.run("addresses").splitlines())}
            for entry in self.addresses:
                entry["values"] = texts[entry["address"]]
            keys = self.run("config", "--keys")
            self.keys = self.read_keys(keys)
            # Comments, because they cannot be changed, or act in some runs only.
            blocks = re.split(r"^# These ", keys, flags=re.M)[1:]
            self.list_keys, self.words_keys, self.take_keys = (
                self.read_keys("\n".join(re.findall(r"^# (\S+ [a-z]+ /.*)$", block, re.M)))
                for block in blocks)
            self.config = self.read_config(self.run("config"))
            presets = json.loads(self.run("presets", "--json"))
        self.summary = tree["summary"]
        self.microphone = [(preset["name"], preset["summary"]) for preset in presets["microphone"]]
        self.equalizer = [preset["name"] for preset in presets["equalizer"]]
        self.commands = {command["name"]: self.command(command) for command in tree["commands"]}

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], env=self.variables, check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode()

    @staticmethod
    def command(tree):
        arguments = [
            Argument(entry["name"], entry["help"], not entry["needed"], entry["repeats"],
                     list(dict.fromkeys(entry.get("choices", []))), "files" in entry,
                     tuple(entry.get("files", [])))
            for entry in tree["arguments"]]
        options = [
            Option(entry["names"], entry["value"], entry["section"], entry["help"],
                   entry["optional"], "--output" in entry["names"], entry["repeats"],
                   entry.get("choices", []), "files" in entry, tuple(entry.get("files", [])),
                   PROFILES if "--profile" in entry["names"] else None)
            for entry in tree["options"]]
        return Command(
            tree["name"], tree["summary"],
            [" ".join(part.split()) for part in tree["discussion"] if part[:5] != "Keys:"],
            options, arguments)

    @staticmethod
    def read_keys(text):
        keys, group = [], None
        for line in text.splitlines():
            if line.startswith("# "):
                group = line[2:]
            elif line:
                name, command = line.split(" ", 1)
                command, _, help = command.partition("  # ")
                keys.append(Key(name, command, help, group))
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
