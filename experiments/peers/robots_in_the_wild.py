#!/usr/bin/env python3
"""Robots as they come: loads every URDF and SRDF of two PyPI packages, and of the shared data where it is there.

    experiments/peers/robots_in_the_wild.py [--program PATHPROOF] [--json]

Installs example-robot-data and pybullet (for pybullet_data) into an environment of its own, runs `pathproof scene` on every
URDF as it lies there, and on every SRDF together with the URDF of the same robot that knows most of the names it
mentions. Prints the table, every refusal with its message, and what was warned about. Ends with 1 where a refusal is not
one line on standard error with status 2.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import environment

environment.enter("requirements-robots.txt", ".venv/robots")

WORKSPACE = Path(__file__).resolve().parents[2]
SHARED = WORKSPACE.parent / "shared" / "data"


def sources():
    """Where robots lie: a name and a folder each. Made-up cases of the shared data are not among them."""
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    yield "example-robot-data", site / "cmeel.prefix/share/example-robot-data/robots"
    yield "pybullet_data", site / "pybullet_data"
    if SHARED.is_dir():
        yield "shared robots", SHARED / "robots"
        yield "shared cells", SHARED / "cells"
    else:
        print("SKIPPED: the shared data is not there", file=sys.stderr)


def load(program, file, srdf=None):
    """Status, message and the JSON of `pathproof scene`."""
    if srdf is None:
        return run(program, file)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as scene:
        scene.write(f"[[robots]]\nname = 'robot'\nurdf = '{file}'\nsrdf = '{srdf}'\n")
        scene.flush()
        return run(program, scene.name)


def run(program, file):
    found = subprocess.run([program, "scene", str(file), "--json"], capture_output=True, text=True, timeout=600)
    is_good = found.returncode == 0
    return found.returncode, found.stderr.strip(), json.loads(found.stdout) if is_good else None


def names(file):
    """The names that a description mentions."""
    text = file.read_text(errors="replace")
    return set(re.findall(r"""(?:name|link\w*|parent_link|child_link|tip_link|base_link)\s*=\s*["']([^"']+)["']""", text))


def urdf_of(srdf, urdfs):
    """The URDF of the same robot that knows most of an SRDF's names; of equal ones, that with the same name or fewest."""
    robot = next(folder for folder in srdf.parents if folder.name.endswith("_description") or folder.name.endswith("_data")
                 or folder.parent.name in ("robots", "cells"))
    near = [urdf for urdf in urdfs if robot in urdf.parents]
    wanted = names(srdf)
    return max(near, key=lambda urdf: (len(wanted & names(urdf)), urdf.stem == srdf.stem, -len(names(urdf))), default=None)


def rows(program):
    """One dictionary per file."""
    for source, folder in sources():
        urdfs = sorted(folder.rglob("*.urdf"))
        for urdf in urdfs:
            yield row("urdf", source, urdf, folder, load(program, urdf))
        for srdf in sorted(folder.rglob("*.srdf")):
            urdf = urdf_of(srdf, urdfs)
            if urdf is None:
                yield {"kind": "srdf", "source": source, "file": str(srdf.relative_to(folder)), "status": None,
                       "message": "no URDF of that robot is there", "warnings": []}
            else:
                yield row("srdf", source, srdf, folder, load(program, urdf, srdf)) | {"with": urdf.name}


def row(kind, source, file, folder, loaded):
    status, message, scene = loaded
    message = message.replace(f"{folder}/", "")
    warnings = scene["warnings"] if scene else []
    return {"kind": kind, "source": source, "file": str(file.relative_to(folder)), "status": status, "message": message,
            "warnings": warnings, "surfaces": any(warning.startswith("surfaces") for warning in warnings),
            "contacts": len(scene["contacts"]) if scene else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="the program [default: built in release mode]")
    parser.add_argument("--json", action="store_true", help="one object per file")
    args = parser.parse_args()
    program = args.program
    if program is None:
        subprocess.run(["cargo", "build", "--release", "-q"], cwd=WORKSPACE, check=True)
        program = WORKSPACE / "target/release/pathproof"
    found = list(rows(program))
    if args.json:
        for one in found:
            print(json.dumps(one))
    else:
        table(found)
    bad = [one for one in found if one["status"] not in (0, 2, None) or (one["status"] == 2 and "\n" in one["message"])]
    sys.exit(f"{len(bad)} files ended otherwise: {bad}" if bad else 0)


def table(found):
    print(f"{'kind':6}{'source':20}{'files':>7}{'loaded':>8}{'refused':>9}{'warned':>8}{'surfaces':>10}{'in contact':>12}")
    for kind in ("urdf", "srdf"):
        of_kind = [one for one in found if one["kind"] == kind]
        for source in [*dict.fromkeys(one["source"] for one in of_kind), "all"]:
            some = [one for one in of_kind if source in ("all", one["source"])]
            loaded = [one for one in some if one["status"] == 0]
            print(f"{kind:6}{source:20}{len(some):7}{len(loaded):8}{len(some) - len(loaded):9}"
                  f"{sum(bool(one['warnings']) for one in loaded):8}{sum(one['surfaces'] for one in loaded):10}"
                  f"{sum(bool(one['contacts']) for one in loaded):12}")
    print("\nrefused")
    for one in found:
        if one["status"] != 0:
            print(f"  {one['kind']} {one['source']}: {one['file']}\n      {one['message']}")
    print("\nwarnings, by kind")
    pattern = re.compile(r"^[^:]*: (?:line \d+, (?:<[^>]*>|in|\s)*: )?")
    kinds = Counter(re.sub(r"\"[^\"]*\"|\d+(\.\d+)?", "…", pattern.sub("", warning))[:70]
                    for one in found for warning in one["warnings"])
    for kind, count in kinds.most_common(15):
        print(f"  {count:6}  {kind}")


if __name__ == "__main__":
    main()
