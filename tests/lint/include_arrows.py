#!/usr/bin/env python3
"""Holds the arrows of the design: which folder may include which, and which may see which library.

usage: include_arrows.py [ROOT]    prints each include that breaks a rule; exit 1 when there is any
"""
import pathlib
import re
import sys

# A folder may include itself and these; docs/navigating.md draws them.
MAY_INCLUDE = {
    "base": set(),
    "proto": set(),
    "workloads": {"base", "proto"},
    "results": {"base", "proto"},
    "agent": {"base", "proto", "workloads", "results"},
    "prime": {"base", "proto", "workloads", "results"},
    "tests": {"base", "proto", "workloads", "results", "agent", "prime"},
}
# Client libraries and the like: pattern of the include, the folders that may see it.
LIBRARIES = [
    (re.compile(r"(grpc|grpcpp)/|crest/v1/.*\.grpc\.pb\.h"), ("agent/", "prime/", "tests/")),
    (re.compile(r"prometheus/"), ("agent/metrics/", "prime/metrics/")),
    (re.compile(r"nfsc/|libnfs"), ("agent/engines/nfs/",)),
    (re.compile(r"sqlite3\.h"), ("results/",)),
    (re.compile(r"yaml-cpp/"), ("workloads/", "prime/spec/")),
    (re.compile(r"CLI/"), ("agent/", "prime/", "tests/")),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ENGINE = re.compile(r"agent/engines/([^/]+)/")


def broken_rule(path, quote, included):
    """Why the file `path` may not include `included`; None when it may."""
    folder = path.split("/", 1)[0]
    for pattern, allowed in LIBRARIES:
        if pattern.match(included) and not path.startswith(allowed):
            return "only " + ", ".join(allowed) + " may see this library"
    if included.startswith("crest/v1/"):
        return None if "proto" in MAY_INCLUDE[folder] or folder == "proto" else f"{folder} may not see proto"
    target = included.split("/", 1)[0]
    if target not in MAY_INCLUDE:
        bare = quote == '"' and "/" not in included
        return 'name the file from the root, as in "folder/file.h"' if bare else None
    if target != folder and target not in MAY_INCLUDE[folder]:
        return f"{folder} may not include {target}"
    engine = ENGINE.match(included)
    if engine and not path.startswith(engine.group(0)):
        return f"nothing outside {engine.group(0)} may name the engine"
    return None


def check(root):
    """(complaints, files read) of the tree at `root`."""
    complaints, files = [], 0
    for folder in MAY_INCLUDE:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                include = INCLUDE.match(line)
                why = include and broken_rule(path, *include.groups())
                if why:
                    complaints.append(f"{path}:{number}: {line.strip()}: {why}")
    return complaints, files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    complaints, files = check(root)
    if not files:
        sys.exit(f"{root}: no sources found; give the root of the tree")
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
