"""Millions of segments and paths: a callable for Arrow batches, and a driver that can be killed and goes on.

    python -m pathproof.fleet SCENE IN.parquet OUT/ [--engine local|ray|daft] [--certificates]

`Decider` is what engines call; `decide_parquet` is the command as a function. Needs pyarrow (`pip install
pathproof[fleet]`). docs/fleet.md is the manual.
"""

try:
    import pyarrow as _pyarrow  # noqa: F401 - everything here needs it
except ImportError as _fault:
    raise ImportError("pathproof.fleet needs pyarrow: pip install pyarrow") from _fault

from ._adapters import on_daft, on_ray
from ._decider import Decider
from ._drive import decide_parquet
from ._settings import FleetError, Settings

__all__ = ["Decider", "FleetError", "Settings", "decide_parquet", "on_daft", "on_ray"]
