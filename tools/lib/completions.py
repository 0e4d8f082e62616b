"""Completion of the command line in bash, zsh and fish, from the tables of the program.

`duet song.mp3` is `duet sing song.mp3`: where the first word is no command, all is as for `sing`.
"""

import re


def brief(text):
    """The first sentence, for a list of completions."""
    return re.split(r"(?<=[.:;]) ", text)[0].rstrip(".:;")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def value_choices(entry):
    """The values of an address that can be listed."""
    if entry["unit"] == "switch":
        return ["on", "off"]
    return entry.get("choices", [])


def song_endings(program):
    """What the names of songs and playlists end with, `|` between them."""
    return "|".join(next(argument.endings for command in program.commands.values()
                         for argument in command.arguments if argument.endings))


def owners(program):
    """Options with a value that only some commands have: the names by their commands."""
    having = {}
    for command in program.commands.values():
        for option in command.options:
            for name in option.names:
                having.setdefault(name, []).append((command.name, option.value))
    names = {}
    for name, places in having.items():
        if len(places) < len(program.commands) and any(value for _, value in places):
            names.setdefault(tuple(command for command, _ in places), []).append(name)
    return names


def owner_cases(program):
    """For `case` of bash and zsh: the commands that have an option, as `owners`."""
    return [f"{'|'.join(names)}) owners={quoted(' '.join(commands))} ;;"
            for commands, names in owners(program).items()]


def bash(program):
    commands = program.commands.values()
    options = [f"{command.name}) words="
               + quoted(" ".join(name for option in command.options for name in option.names)) + " ;;"
               for command in commands]
    addresses = [entry for entry in program.addresses if entry["unit"] != "trigger"]
    values = {}
    for command in commands:
        for option in command.options:
            if option.value and "--set" not in option.names:
                action = ("songs=1" if option.endings else "files=1" if option.file
                          else f"source={quoted(option.source)}" if option.source
                          else f"words={quoted(' '.join(option.choices or []))}")
                names = values.setdefault(action, {})
                for name in option.names:
                    names[f"{name}="] = True
                    if not option.optional:
                        names[name] = True
    for entry in addresses:
        if value_choices(entry):
            action = f"words={quoted(' '.join(value_choices(entry)))}"
            values.setdefault(action, {})[f"{entry['address']}="] = True
    cases = [f"{'|'.join(names)}) {action} ;;" for action, names in values.items()]
    arguments = [f"{command.name}) words={quoted(' '.join(argument_choices(command)))} ;;"
                 for command in commands if argument_choices(command)]
    singing = "|".join(command.name for command in commands
                       if any(argument.endings for argument in command.arguments))
    return f"""# Completion of duet's command line in bash.

_duet() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} option= command=sing
    local words= files=0 songs=0 source= owners= line
    local -i at=COMP_CWORD-1
    # Bash makes a word of each "=".
    if [[ $cur == "=" ]]; then
        cur= option="${{COMP_WORDS[at]}}="
    elif [[ ${{COMP_WORDS[at]}} == "=" ]]; then
        option="${{COMP_WORDS[at - 1]}}="
    else
        option=${{COMP_WORDS[at]}}
    fi
    if ((COMP_CWORD > 1)) && [[ " {" ".join(program.commands)} help " == *" ${{COMP_WORDS[1]}} "* ]]; then
        command=${{COMP_WORDS[1]}}
    fi
    COMPREPLY=()
    # The value of an option that the command does not have.
    case ${{option%=}} in
{indented(owner_cases(program), 4)}
    esac
    if [[ $owners && " $owners " != *" $command "* ]]; then return; fi
    case $option in
{indented(cases, 4)}
    --set | --set=)
        compopt -o nospace
        words={quoted(" ".join(entry["address"] + "=" for entry in addresses))}
        ;;
    *)
        if [[ $cur == -* ]]; then
            case $command in
{indented(options, 12)}
            esac
        else
            case $command in
            {singing}) songs=1 ;;
            help) words={quoted(" ".join(program.commands))} ;;
{indented(arguments, 12)}
            esac
            if ((COMP_CWORD == 1)); then words={quoted(" ".join([*program.commands, "help"]))}; fi
        fi
        ;;
    esac
    while IFS= read -r line; do
        # Values are without what quotes their spaces.
        if [[ $line && $line == "${{cur//\\\\}}"* ]]; then
            printf -v line %q "$line"
            COMPREPLY+=("$line")
        fi
    done < <(if [[ $source ]]; then eval "$source"; else printf '%s\n' $words; fi)
    # Readline completes all files by itself where there is nothing else.
    if ((files || songs)); then compopt -o default -o filenames; fi
    if ((songs)); then
        while IFS= read -r line; do
            if [[ ${{line,,}} =~ \\.({song_endings(program)})$ ]]; then COMPREPLY+=("$line"); fi
        done < <(compgen -f -- "$cur")
        mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -d -- "$cur")
    fi
}}
complete -F _duet duet
"""


def argument_choices(command):
    """The words that a command takes, where they can be listed."""
    for argument in command.arguments:
        if argument.choices:
            return argument.choices
    return []


def indented(lines, columns):
    return "\n".join(" " * columns + line for line in lines)


def zsh(program):
    def text(words):
        return re.sub(r"([\[\]:\\])", r"\\\1", brief(words))

    sources = {}

    def values(entry):
        if entry.endings:
            return f'_files -g "*.(#i)({song_endings(program)})(-.)"'
        if entry.file:
            return "_files"
        if entry.source:
            return sources.setdefault(entry.source, f"_duet_lines_{len(sources) + 1}")
        return listed(entry.choices) if entry.choices else ""

    def listed(choices):
        return "(" + " ".join(re.sub(r"[^\w./-]", r"\\\g<0>", choice) for choice in choices) + ")"

    functions = []
    for command in program.commands.values():
        specs = []
        for option in command.options:
            dashes = [name + ("" if not option.value else "=-" if option.optional else
                              "=" if name.startswith("--") else "") for name in option.names]
            alone = f"({' '.join(option.names)})" if len(dashes) > 1 and not option.repeats else ""
            value = ""
            if option.value:
                action = "_duet_addresses" if "--set" in option.names else values(option)
                value = f"{'::' if option.optional else ':'}{text(option.value)}:{action}"
            for name in dashes:
                specs.append(quoted(
                    f"{'*' if option.repeats else alone}{name}[{text(option.text)}]{value}"))
        for argument in command.arguments:
            choices = argument_choices(command)
            action = values(argument) if argument.file else listed(choices) if choices else ""
            specs.append(quoted(f"{'*' if argument.repeats else ''}:{argument.value}:{action}"))
        functions.append(f"_duet_{command.name}() {{\n    _arguments -s -S : \\\n        "
                         + " \\\n        ".join(specs) + "\n}\n")
    for source, name in sources.items():
        functions.append(f'{name}() {{\n    local -a lines=("${{(@f)$({source})}}")\n'
                         "    compadd -- $lines\n}\n")
    described = "\n".join("        " + quoted(f"{command.name}:{brief(command.text)}")
                          for command in program.commands.values())
    addresses = "\n".join(
        "        " + quoted(entry["address"] + "=" + ",".join(value_choices(entry)))
        for entry in program.addresses if entry["unit"] != "trigger")
    return f"""#compdef duet
# Completion of duet's command line in zsh.

{chr(10).join(functions)}
_duet_addresses() {{
    local -a addresses=(
{addresses}
    )
    if compset -P 1 '*='; then
        local address=${{${{IPREFIX%=}}##*=}}
        local line=${{(M)addresses:#$address=*}}
        compadd -- ${{(s:,:)${{line#*=}}}}
    else
        compadd -S '' -- ${{addresses%%=*}}=
    fi
}}

_duet() {{
    local curcontext=$curcontext
    local -a commands=(
{described}
        'help:Show the help of a command'
    )
    local command=sing owners=
    if ((CURRENT > 2 && ${{+functions[_duet_$words[2]]}})); then command=$words[2]; fi
    # The value of an option that the command does not have.
    case $words[CURRENT-1] in
{indented(owner_cases(program), 4)}
    esac
    if [[ -n $owners && " $owners " != *" $command "* ]]; then return; fi
    if ((CURRENT == 2)); then
        # A command, or what `sing` takes.
        [[ $words[2] == -* ]] || _describe -t commands command commands
        _duet_sing
    elif [[ $words[2] == help ]]; then
        ((CURRENT > 3)) || _describe -t commands command commands
    elif ((${{+functions[_duet_$words[2]]}})); then
        shift words
        ((CURRENT--))
        _duet_$words[1]
    else
        _duet_sing
    fi
}}

_duet "$@"
"""


def fish(program):
    def text(words):
        return quoted_fish(brief(words))

    def quoted_fish(words):
        return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines, shared = [], {}
    for command in program.commands.values():
        lines.append(f"complete -c duet -n __duet_first -a {command.name} -d {text(command.text)}")
        for option in command.options:
            key = option._replace(names=tuple(option.names), choices=tuple(option.choices or ()),
                                  section=None)
            shared.setdefault(key, []).append(command.name)
        words = ("(__duet_songs)" if any(argument.endings for argument in command.arguments)
                 else " ".join(argument_choices(command)))
        lines.append(
            f"complete -c duet -n '__duet_in {command.name}' -f -a {quoted_fish(words)}")
    lines.append("complete -c duet -n __duet_first -a help -d 'Show the help of a command'")
    lines.append(f"complete -c duet -n '__duet_in help' -f -a '{' '.join(program.commands)}'")
    for option, commands in shared.items():
        words = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                         for name in option.names)
        if "--set" in option.names:
            words += " -x -a '(__duet_addresses)'"
        elif option.endings:
            words += " -x -a '(__duet_songs)'"
        elif option.file:
            words += " -r -F"
        elif option.source:
            words += f" -x -a {quoted_fish('(' + option.source + ')')}"
        elif option.choices:
            words += f" -x -a {quoted_fish(' '.join(option.choices))}"
        elif option.value and not option.optional:
            words += " -x"
        lines.append(
            f"complete -c duet -n '__duet_in {' '.join(commands)}' {words} -d {text(option.text)}")
    addresses = " ".join(
        f"{entry['address']}={choice}" for entry in program.addresses
        if entry["unit"] != "trigger" for choice in value_choices(entry) or [""])
    others = [line for having, names in owners(program).items() for line in (
        f"case {' '.join(names)}", f"    __duet_in {' '.join(having)}; or return")]
    return f"""# Completion of duet's command line in fish.

# Whether the first word is to come.
function __duet_first
    test (count (commandline -opc)) -eq 1
end

# Whether the command is one of these; where there is none it is `sing`.
function __duet_in
    set -l words (commandline -opc)
    set -l command sing
    if contains -- "$words[2]" {" ".join(program.commands)} help
        set command $words[2]
    end
    contains -- $command $argv
end

# Songs, playlists and folders; all files where there are none of these.
function __duet_songs
    # The value of an option that the command does not have.
    switch (commandline -opc)[-1]
{indented(others, 8)}
    end
    # What fish offers to a command that it does not know: files.
    set -l files (complete -C "__duet_file "(commandline -ct | string replace -r '^--[a-z-]+=' ''))
    string match -eri '(?:/|\\.(?:{song_endings(program)}))(?:\\t|$)' $files
    or string join \\n $files
end

function __duet_addresses
    string split ' ' '{addresses}'
end

{chr(10).join(lines)}
"""
