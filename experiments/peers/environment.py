"""A virtual environment of the harness's own: made on first use beside these scripts, from a pinned list."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def enter(requirements: str, folder: str = ".venv", library_path: bool = False) -> None:
    """Runs the calling script again inside the environment, made first if it is not there.

    `library_path`: put the environment's cmeel.prefix/lib on LD_LIBRARY_PATH, without which hpp-python
    does not import.
    """
    root = HERE / folder
    marker = root / f"installed-{requirements}"
    wanted = (HERE / requirements).read_text()
    if not marker.exists() or marker.read_text() != wanted:
        print(f"installing {requirements} into {folder} (once)", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", root], check=True)
        subprocess.run([root / "bin/python", "-m", "pip", "install", "-q", "-r", HERE / requirements], check=True)
        marker.write_text(wanted)
    if os.environ.get("PATHPROOF_PEERS") == str(root):
        return
    environment = dict(os.environ, PATHPROOF_PEERS=str(root))
    if library_path:
        libraries = next(root.glob("lib/python*/site-packages/cmeel.prefix/lib"), None)
        if libraries is None:
            sys.exit(f"{root} has no cmeel.prefix/lib: delete the folder and run again")
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    os.execve(root / "bin/python", [str(root / "bin/python"), *sys.argv], environment)
