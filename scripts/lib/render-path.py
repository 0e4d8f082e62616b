#!/usr/bin/env python3
"""Follows the render path through object files and says what it calls outside of them.

usage: render-path.py OBJECT…

From the entry points below, every function that the machine code calls or takes the address of
is followed. What is left undefined must be known to be realtime-safe: no Swift runtime call
(retain, release, allocation, exclusivity, metadata), no C function that may block. The compiler
checks the same on its intermediate code (@_noLocks); this looks at what it finally made of it.
"""

import bisect
import re
import subprocess
import sys

# The entry points, as they are mangled: a missing one is an error, or nothing would be checked.
ROOTS = (
    r"^\$s10AudioGraph13RenderContextV6render",
    r"^duet_jack_process$",
    r"^duet_jack_sync$",
    r"^duet_jack_loop_process$",
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

SYMBOL = re.compile(r"^([0-9a-f]+) .{6}F (\.text\S*)\s+([0-9a-f]+)(?: \.\w+)? (\S+)$")
SECTION = re.compile(r"^Disassembly of section (\S+):$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_\S+\s+([^\s+-]+)(?:([+-])0x([0-9a-f]+))?$")
BRANCH = re.compile(r"^(?:0x)?([0-9a-f]+) <")


def objdump(option, path):
    return subprocess.run(["llvm-objdump", *option, path], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def functions(path):
    """Function → the names that its code refers to, for one object file.

    Some functions have no symbol (value witnesses, outlined copies): these begin where the symbol
    before has ended, aligned to 16 bytes, and are named after file, section and address.
    """
    ends = {}
    for line in objdump(["-t"], path):
        if match := SYMBOL.match(line):
            ends[match[2], int(match[1], 16)] = (int(match[1], 16) + int(match[3], 16), match[4])
    found, starts, branches = {}, {}, []
    section = name = ""
    end, after_padding = 0, True
    for line in objdump(["-dr", "--no-show-raw-insn"], path):
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


def demangled(name):
    return subprocess.run(["swift-demangle", "-compact", name],
                          capture_output=True, text=True).stdout.strip() or name


def main():
    calls = {}
    for path in sys.argv[1:]:
        for name, callees in functions(path).items():
            calls.setdefault(name, set()).update(callees)
    data = re.compile(r"^(\.|\$s\w+(Wvd|WV|Wvd?Z|Mn|Mf|N|vpZ)$|\.L)")
    via = {}
    for root in ROOTS:
        starts = [name for name in calls if re.search(root, name)]
        if not starts:
            sys.exit(f"render-path: no function matches the entry point {root}")
        via.update(dict.fromkeys(starts, None))
    pending, bad = list(via), 0
    while pending:
        name = pending.pop()
        for callee in sorted(calls[name]):
            if callee in via or re.search(PRUNED, callee):
                continue
            if callee in calls:
                via[callee] = name
                pending.append(callee)
            elif not data.match(callee) and not any(re.search(a, callee) for a in ALLOWED):
                bad += 1
                chain, at = [demangled(callee)], name
                while at is not None:
                    chain.append(demangled(at))
                    at = via[at]
                print("render-path: " + "\n    from ".join(chain), file=sys.stderr)
    if bad:
        sys.exit(1)
    print(f"render-path: {len(via)} functions, and nothing among them that may block")


main()
