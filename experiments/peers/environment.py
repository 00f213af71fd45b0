"""Virtual environments of the harness's own: made on first use beside these scripts, from a list of PyPI packages."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class NotInstalled(Exception):
    """What pip said last."""


def make(requirements: str, folder: str) -> Path:
    """The environment, made first if it is not there or was made from another list."""
    root = HERE / folder
    marker = root / f"installed-{requirements}"
    wanted = (HERE / requirements).read_text()
    if marker.exists() and marker.read_text() == wanted:
        return root
    print(f"installing {requirements} into {folder} (once)", file=sys.stderr)
    install = [root / "bin/python", "-m", "pip", "install", "-q", "-r", HERE / requirements]
    for command in ([sys.executable, "-m", "venv", root], install):
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise NotInstalled(" ".join(result.stdout.split())[-400:] or f"{command[0]} ended with {result.returncode}")
    marker.write_text(wanted)
    return root


def enter(requirements: str, folder: str = ".venv", library_path: bool = False) -> None:
    """Runs the calling script again inside the environment.

    `library_path`: put the environment's cmeel.prefix/lib on LD_LIBRARY_PATH, without which hpp-python
    does not import.
    """
    try:
        root = make(requirements, folder)
    except NotInstalled as error:
        sys.exit(f"{requirements} cannot be installed: {error}")
    if os.environ.get("PATHPROOF_PEERS") == str(root):
        return
    environment = dict(os.environ, PATHPROOF_PEERS=str(root))
    if library_path:
        libraries = next(root.glob("lib/python*/site-packages/cmeel.prefix/lib"), None)
        if libraries is None:
            sys.exit(f"{root} has no cmeel.prefix/lib: delete the folder and run again")
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    os.execve(root / "bin/python", [str(root / "bin/python"), *sys.argv], environment)


def experiments(*arguments: object) -> list[str]:
    """The command of one of our own experiments: built by `run.py` before anything is timed, else by cargo."""
    built = os.environ.get("PATHPROOF_EXPERIMENTS")
    program = [built] if built else ["cargo", "run", "-q", "--release", "-p", "experiments", "--"]
    return [*program, *map(str, arguments)]
