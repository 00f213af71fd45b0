"""The command: `python -m pathproof.fleet SCENE IN.parquet OUT/`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._errors import PathproofError
from . import Settings, decide_parquet
from ._answers import NAMES
from ._engines import ENGINES


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pathproof.fleet",
        description="Decides every row of a Parquet file: columns a and b (a segment), or path; optionally id, scene, "
        "clearance.",
        epilog="Exit status: 0 every row has its verdict, 1 some rows have an error instead, 2 the input or the usage is "
        "wrong, 130 Ctrl-C. A run that was ended goes on when the same command is given again.",
    )
    parser.add_argument("scene", help="scene file (TOML), robot (URDF), or the folder of the scenes that the rows name")
    parser.add_argument("table", metavar="IN.parquet", help="Parquet file, or a folder of them")
    parser.add_argument("out", metavar="OUT/", help="folder for the parts")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local", help="who does the work [%(default)s]")
    parser.add_argument("--address", help="of a Ray cluster, for ray and daft")
    parser.add_argument("--threads", type=int, help="threads per worker [local: all cores; ray, daft: 1]")
    parser.add_argument("--rows-per-part", type=int, help="[65536; with paths or certificates 4096]")
    parser.add_argument("--certificates", action="store_true", help="a proof for every row that is free")
    parser.add_argument("--first", action="store_true", help="find the earliest contact, and how far rows are free")
    parser.add_argument("--clearance", type=float, metavar="C", help="metres, instead of the scene's")
    parser.add_argument("--self-clearance", type=float, metavar="C", help="the same between links of one robot")
    parser.add_argument("--tolerance", type=float, metavar="D", help="metres, instead of the scene's")
    parser.add_argument("--max-queries", type=int, metavar="N", help="leave a row undecided after so many queries")
    parser.add_argument("--ignore-limits", action="store_true", help="accept configurations outside joint limits")
    parser.add_argument("--allow-empty", action="store_true", help="accept scenes in which no pair is checked")
    return parser


def main(given: Sequence[str] | None = None) -> int:
    args = arguments().parse_args(given)
    try:
        settings = Settings(
            report="first" if args.first else "any",
            clearance=args.clearance,
            self_clearance=args.self_clearance,
            tolerance=args.tolerance,
            certificates=args.certificates,
            max_queries=args.max_queries,
            ignore_limits=args.ignore_limits,
            allow_empty=args.allow_empty,
        )
        summary = decide_parquet(
            args.scene,
            args.table,
            args.out,
            settings,
            engine=args.engine,
            threads=args.threads,
            rows_per_part=args.rows_per_part,
            address=args.address,
            progress=True,
        )
    except (PathproofError, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on with what is missing", file=sys.stderr)
        return 130
    verdicts = ", ".join(f"{summary[name]:,} {name}" for name in NAMES if summary[name])
    print(f"{summary['rows']:,} rows: {verdicts or 'no verdicts'}; {summary['error']:,} errors")
    parts, earlier, rate = (summary[name] for name in ("parts", "parts_of_earlier_runs", "rows_per_second"))
    print(f"{parts} parts, {earlier} of them of earlier runs; {rate:,} rows/s")
    return 1 if summary["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
