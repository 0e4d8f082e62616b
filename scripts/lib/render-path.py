#!/usr/bin/env python3
"""Follows the render path through object files, and says what may block in them and in their source.

usage: render-path.py OBJECT…
       render-path.py --self-test

From the entry points below, every function that the machine code calls or takes the address of
is followed. What is left undefined must be known to be realtime-safe: no Swift runtime call
(retain, release, allocation, exclusivity, metadata), no C function that may block. The compiler
checks the same on its intermediate code (@_noLocks); this looks at what it finally made of it.

The debug information says where these functions, and those that were inlined into them, stand in
the source, in whichever file. There each must carry @_noLocks and have no word of REFUSED in its
body, nor make an instance of a class of ours. The two ways around @_noLocks are looked for in all
sources.

--self-test compiles the planted faults of render-path-faults.swift: each must be found, and
nothing else.
"""

import bisect
import glob
import os
import re
import subprocess
import sys
import tempfile

# The entry points, as they are mangled: a missing one is an error, or nothing would be checked.
ROOTS = (
    r"^\$s10AudioGraph13RenderContextV6render",
    r"^duet_jack_process$",
    r"^duet_jack_sync$",
    r"^duet_jack_loop_process$",
    r"^duet_jack_level_process$",
)
# Called from the render path in freewheel only, where there is no deadline: it may wait.
PRUNED = r"RenderContextV14waitForSources"
ALLOWED = (
    r"^mem(cpy|move|set)$",
    r"^crealtime_(enter|leave|flush_denormals|restore_denormals|nanoseconds)$",
    # Loops over memory that was there before; of libzita-resampler's, too: CZita.h.
    r"^czita_(begin|process)$",
    r"^jack_port_get_buffer$",
    r"^jack_transport_query$",  # reads shared memory; jack.h allows it there
    r"^clock_gettime$",  # never waits
    r"^\$ss(17_assertionFailure|18_fatalErrorMessage)",  # the program ends there
    r"^_+stack_chk_fail$",  # and there
)
# What gets around @_noLocks, and the one function that may use it.
ESCAPES = {
    # Waits for songs in freewheel.
    r"\b_unsafePerformance\b": "LiveDriver.waitForSources",
    # The calls of functions that are not ours.
    r"(?<!func )\bcrealtime_call\(": "CallbackKernel.fill",
    r"\bcrealtime_render_unit\(": "CustomKernel.render",
    r"\bcrealtime_reset_unit\(": "CustomKernel.reset",
}
REFUSED = re.compile(r"\b(?:class|try|throws|async|await|print|Mutex|Guarded)\b|\bany [A-Z]"
                     r"|(?:=|\breturn|\bin|[(,:]|\? ) *\[|\[[A-Z][A-Za-z]*\]\(")

SYMBOL = re.compile(r"^([0-9a-f]+) .{6}F (\.text\S*)\s+([0-9a-f]+)(?: \.\w+)? (\S+)$")
SECTION = re.compile(r"^Disassembly of section (\S+):$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_\S+\s+([^\s+-]+)(?:([+-])0x([0-9a-f]+))?$")
BRANCH = re.compile(r"^(?:0x)?([0-9a-f]+) <")
ENTRY = re.compile(r"^0x([0-9a-f]+):( +)(DW_TAG_\w+|NULL)")
ATTRIBUTE = re.compile(r"^ +DW_AT_(\w+)\t\((?:0x([0-9a-f]+) ?)?\"?([^\"]*)\"?\)$")
# What the compiler makes of a type or of a stored property.
IMPLICIT = re.compile(r"^(?!.*\b(func|lazy)\b)"
                      r"(.*\b(struct|class|enum) [A-Z]|[^{]*\b(var|let) [^{]*$)")
# Closures and defer statements stand in the body of a function, whose annotation counts.
INNER = re.compile(r"f[Uu]\d*_(T\w*)?$|\$defer")


def dump(tool, *arguments):
    """Object file → the lines that an LLVM tool says of it."""
    lines = subprocess.run([tool, *arguments], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    found, own = {}, []
    for line in lines:
        if ":\tfile format " in line:
            own = found[line.split(":\tfile format ")[0]] = []
        else:
            own.append(line)
    return found


def functions(path, symbols, code):
    """Function → the names that its code refers to, for one object file.

    Some functions have no symbol (value witnesses, outlined copies): these begin where the symbol
    before has ended, aligned to 16 bytes, and are named after file, section and address.
    """
    ends = {}
    for line in symbols:
        if match := SYMBOL.match(line):
            ends[match[2], int(match[1], 16)] = (int(match[1], 16) + int(match[3], 16), match[4])
    found, starts, branches = {}, {}, []
    section = name = ""
    end, after_padding = 0, True
    for line in code:
        if match := SECTION.match(line):
            section, end, after_padding = match[1], 0, True
        elif match := RELOCATION.match(line):
            offset = int((match[2] or "+") + (match[3] or "0"), 16)
            if match[1].startswith(".text"):
                # Relative to the end of the four bytes that it fills in.
                branches.append((name, match[1], offset + 4))
            else:
                found[name].add(match[1])
        elif match := LINE.match(line):
            address = int(match[1], 16)
            if (section, address) in ends:
                end, name = ends[section, address]
                found.setdefault(name, set())
                starts[section, address] = name
            elif address >= end and after_padding and not match[2].startswith("nop"):
                name = f"{path}:{section}+{address:#x}"
                found[name] = set()
                starts[section, address] = name
            after_padding = address >= end and (match[2].startswith(("nop", "ud2", "ret", "int3"))
                                                and (address + 16) // 16 * 16 - address <= 16)
            if target := BRANCH.match(match[3] or ""):
                branches.append((name, section, int(target[1], 16)))
    # A branch with an address leads into this object: to the last function that begins before it.
    order = sorted(starts)
    for source, section, address in branches:
        index = bisect.bisect_right(order, (section, address)) - 1
        if index >= 0 and order[index][0] == section:
            found[source].add(starts[order[index]])
    return found


def declarations(lines):
    """Function → {(file, line, name)} of it and of all that was inlined into it, for one object file."""
    entries, open_entries, entry = {}, [], {}
    for line in lines:
        if match := ENTRY.match(line):
            if match[3] == "NULL":
                entry = {}
                continue
            while open_entries and open_entries[-1][0] >= len(match[2]):
                open_entries.pop()
            entry = {"tag": match[3], "up": open_entries[-1][1] if open_entries else None}
            open_entries.append((len(match[2]), entry))
            entries[int(match[1], 16)] = entry
        elif match := ATTRIBUTE.match(line):
            entry[match[1]] = int(match[2], 16) if match[2] else match[3]

    def say(entry, what):
        """An attribute of this entry, or of the one that it is a copy of."""
        while entry:
            if what in entry:
                return entry[what]
            entry = entries.get(entry.get("abstract_origin", entry.get("specification")))
        return None

    found = {}
    for entry in entries.values():
        if entry["tag"] in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
            outer = entry
            while outer and outer["tag"] != "DW_TAG_subprogram":
                outer = outer["up"]
            if outer and say(entry, "decl_file"):
                found.setdefault(say(outer, "linkage_name"), set()).add(
                    (os.path.relpath(say(entry, "decl_file")), int(say(entry, "decl_line")),
                     say(entry, "linkage_name") or ""))
    return found


def demangled(name):
    if not name.startswith("$"):
        return name  # C: it would take it for an old Swift name
    return subprocess.run(["swift-demangle", "-compact", name],
                          capture_output=True, text=True).stdout.strip() or name


def code_lines(text):
    """The lines of a source, without comments and the contents of strings."""
    return [re.sub(r'"(?:\\.|[^"\\])*"|//.*', lambda m: '""' if m[0][0] == '"' else "", line)
            for line in text.splitlines()]


def declaration(lines, first):
    """The function at the index `first`: what stands before its body, and the indices of its lines."""
    above = first
    while above > 0 and re.match(r"^ *(@\w+(\([^)]*\))? *)+$", lines[above - 1]):
        above -= 1
    depth, last = 0, first
    for last in range(first, len(lines)):
        depth += lines[last].count("{") - lines[last].count("}")
        if depth <= 0 and "}" in lines[last]:
            break
    parts = " ".join(lines[above:last + 1]).split("{")
    # A property and its accessor may share a line.
    head = "".join(parts[:2] if re.search(r"\b(var|subscript)\b", lines[first]) else parts[:1])
    return head, range(first, last + 1)


def place(lines, index):
    """The function around the line at `index`, as TYPE.FUNCTION, by the indentation."""
    names, indent = [], sys.maxsize
    for line in reversed(lines[:index + 1]):
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < indent and line[depth] not in ")#":
            indent = depth
            if match := re.search(r"\b(?:func|struct|class|enum|actor|extension) (\w+)", line):
                names.insert(0, match[1])
    return ".".join(names)


def source_findings(reached, texts):
    """(file, line, why) of the functions that the render path reaches, and of all sources."""
    classes = {match[1] for lines in texts.values() for line in lines
               if (match := re.search(r"\bclass ([A-Z]\w*)", line))}
    makes = re.compile(r"(?<![\w.])(?:%s)\(" % "|".join(sorted(classes)))
    for path, number, name in reached:
        if IMPLICIT.search(texts[path][number - 1]):
            continue
        head, body = declaration(texts[path], number - 1)
        if "@_noLocks" not in head and not INNER.search(name):
            yield path, number, "on the render path without @_noLocks"
        for index in body:
            line = texts[path][index]
            if match := REFUSED.search(line) or makes.search(line):
                yield path, index + 1, f"not in realtime code: {match[0].strip()}"
    for path, lines in texts.items():
        for index, line in enumerate(lines):
            for escape, where in ESCAPES.items():
                if re.search(escape, line) and place(lines, index) != where:
                    yield path, index + 1, f"a way around the realtime checks outside of {where}"


def findings(objects, roots, texts):
    """All {(file, line, why)} of these objects and their sources (file → lines), and how many functions
    were followed, without and with those inlined into them."""
    calls, declared = {}, {}
    symbols = dump("llvm-objdump", "-t", *objects)
    code = dump("llvm-objdump", "-dr", "--no-show-raw-insn", *objects)
    debug = dump("llvm-dwarfdump", "--debug-info", *objects)
    for path in objects:
        for name, callees in functions(path, symbols[path], code[path]).items():
            calls.setdefault(name, set()).update(callees)
        for name, places in declarations(debug[path]).items():
            declared.setdefault(name, set()).update(places)
    data = re.compile(r"^(\.|\$s\w+(Wvd|WV|Wvd?Z|Mn|Mf|N|vpZ)$|\.L)")
    via = {}
    for root in roots:
        starts = [name for name in calls if re.search(root, name)]
        if not any(path in texts for start in starts for path, _, _ in declared.get(start, ())):
            sys.exit(f"render-path: no function in the sources matches the entry point {root}")
        via.update(dict.fromkeys(starts, None))
    pending, found = list(via), set()
    while pending:
        name = pending.pop()
        for callee in sorted(calls[name]):
            if callee in via or re.search(PRUNED, callee):
                continue
            if callee in calls:
                via[callee] = name
                pending.append(callee)
            elif not data.match(callee) and not any(re.search(a, callee) for a in ALLOWED):
                chain, at, own = [demangled(callee)], name, None
                while at is not None:
                    chain.append(demangled(at))
                    own = own or next((p for p in declared.get(at, ()) if p[2] == at), None)
                    at = via[at]
                found.add((*(own[:2] if own else (name, 0)),
                           "may block: " + "\n    from ".join(chain)))
    reached = set().union(*(declared.get(name, ()) for name in via))
    reached = {function for function in reached if function[0] in texts}
    found |= set(source_findings(reached, texts))
    return found, len(via), len(reached)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def self_test():
    """Compiles the planted faults; each line with "finds: WHY" must be found, and no other line."""
    text = read(os.path.join(os.path.dirname(__file__), "render-path-faults.swift"))
    wanted = {(number, line.partition("// finds: ")[2])
              for number, line in enumerate(text.splitlines(), 1) if "// finds: " in line}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("Planted.swift", "w", encoding="utf-8") as file:
            # Without the annotation, as the compiler would refuse the faults.
            file.write(text.replace("@_noLocks", ""))
        subprocess.run(["swiftc", "-O", "-g", "-wmo", "-parse-as-library", "-module-name", "Planted",
                        "-c", "Planted.swift", "-o", "planted.o"], check=True)
        found = findings(["planted.o"], (r"^\$s7Planted4UnitV6render",),
                         {"Planted.swift": code_lines(text)})[0]
    found = {(line, why) for _, line, why in found}
    bad = [f"{line}: not found: {why}" for line, why in wanted
           if not any(line == at and said.startswith(why) for at, said in found)]
    bad += [f"{line}: found, not planted: {why}" for line, why in found
            if not any(line == at and why.startswith(said) for at, said in wanted)]
    for line in sorted(bad):
        print(f"scripts/lib/render-path-faults.swift:{line}", file=sys.stderr)
    return not bad


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(0 if self_test() else 1)
    found, followed, reached = findings(sys.argv[1:], ROOTS, {
        path: code_lines(read(path)) for path in glob.glob("Sources/**/*.swift", recursive=True)})
    for path, line, why in sorted(found):
        print(f"{path}:{line}: {why}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"render-path: {followed} functions, {reached} with those inlined into them, and nothing"
          " among them that may block")


main()
