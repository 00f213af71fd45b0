"""Proves a folder of paths and writes a certificate beside each; a second pass verifies them without the checker.

    python certify_batch.py cell.toml paths/
"""

from __future__ import annotations

import sys
from pathlib import Path

import pathproof as pp


def certify(scene: pp.Scene, folder: Path) -> list[Path]:
    """The certificates that were written: paths that are not free have none."""
    checker = pp.Checker(scene)
    written = []
    for path in sorted(folder.glob("*.csv")):
        answer = checker.check(path)
        if answer.free:
            proof = path.with_suffix(".ppc")
            answer.certificate().save(proof)
            written.append(proof)
        else:
            print(f"{path.name}: {answer}")
    return written


def verify(scene: pp.Scene, proofs: list[Path]) -> int:
    """How many hold: whoever runs this need not trust who ran `certify`."""
    held = 0
    for proof in proofs:
        try:
            accepted = pp.verify(scene, proof.with_suffix(".csv"), proof)
        except pp.RefusedError as refusal:
            print(f"{proof.name}: refused: {refusal}")
        else:
            print(f"{proof.name}: {accepted.segments} segments, {accepted.pairs} pairs proven apart")
            held += 1
    return held


def main(scene_file: str, folder: str) -> int:
    scene = pp.Scene.load(scene_file)
    proofs = certify(scene, Path(folder))
    return 0 if verify(scene, proofs) == len(proofs) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
