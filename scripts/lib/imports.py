#!/usr/bin/env python3
"""Checks every import against the target's dependencies in Package.swift.

SwiftPM often finds a module that the target does not declare, by way of another target, until the
build order changes. (`--explicit-target-dependency-import-check`, made for this, finds nothing
with the toolchain of Swift 6.3.)
"""

import json
import os
import re
import subprocess
import sys

# Modules of the toolchain.
GIVEN = {"Swift", "Glibc", "Synchronization", "FoundationEssentials"}
GIVEN_TO_TESTS = GIVEN | {"Foundation", "Testing"}
IMPORT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private)\s+)?"
                    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)")


def main():
    described = json.loads(subprocess.run(
        ["swift", "package", "describe", "--type", "json"], check=True, capture_output=True,
        text=True).stdout)
    bad = 0
    for target in described["targets"]:
        is_test = target["path"].startswith(("Tests/", "SystemTests/"))
        known = set(target.get("target_dependencies", []))
        # In all packages that we use, a product has the name of its module.
        known |= set(target.get("product_dependencies", []))
        known |= GIVEN_TO_TESTS if is_test else GIVEN
        for source in target["sources"]:
            path = os.path.join(target["path"], source)
            if not path.endswith(".swift"):
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    match = IMPORT.match(line)
                    if match and match[1] not in known:
                        bad += 1
                        print(f"{path}:{number}: {target['name']} does not declare {match[1]}",
                              file=sys.stderr)
    sys.exit(1 if bad else 0)


main()
