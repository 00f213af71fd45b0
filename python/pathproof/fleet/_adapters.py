"""`Decider` inside pipelines of Ray Data and Daft: data sets in, data sets with verdicts out."""

from __future__ import annotations

from typing import Any

from ._columns import carried
from ._decider import Decider
from ._scenes import Source
from ._settings import Settings

ROWS = 8_192
"""Rows that a worker gets at a time."""


def on_ray(dataset: Any, scene: Source, settings: Settings = Settings(), *, workers: int = 1, threads: int = 1) -> Any:
    """A Ray data set with its verdicts. Leave a processor to Ray's reader: as many workers as there are can hang."""
    return dataset.map_batches(
        Decider,
        fn_constructor_args=(scene, settings),
        fn_constructor_kwargs={"threads": threads},
        batch_format="pyarrow",
        batch_size=ROWS,
        num_cpus=threads,
        concurrency=workers,
    )


def on_daft(frame: Any, scene: Source, settings: Settings = Settings(), *, workers: int = 1, threads: int = 1) -> Any:
    """A Daft data frame with its verdicts."""
    import daft
    import pyarrow as pa

    given = frame.schema().to_pyarrow_schema()
    kept = carried(given.names)
    names = [name for name in given.names if name not in kept or name in ("scene", "clearance")]
    wanted = pa.schema([given.field(name) for name in names])
    answered = Decider(scene, settings).schema(wanted)
    new = [field for field in answered if field.name not in names]
    kind = daft.DataType.struct({field.name: daft.DataType.from_arrow_type(field.type) for field in new})

    # Not by decorators: Daft has no types for them.
    class Deciding:
        def __init__(self) -> None:
            self.decider = Decider(scene, settings, threads=threads)

        def _decide(self, *columns: Any) -> Any:
            arrays = [column.to_arrow() for column in columns]
            answers = self.decider(pa.table(arrays, names=names)).select([field.name for field in new])
            return answers.to_struct_array().combine_chunks()

        decide = daft.method.batch(return_dtype=kind, batch_size=ROWS)(_decide)

    deciding = daft.cls(cpus=threads, use_process=True, max_concurrency=workers)(Deciding)()
    decided = frame.select(*kept, deciding.decide(*(frame[name] for name in names)).alias("answer"))
    return decided.select(*kept, *(decided["answer"][field.name].alias(field.name) for field in new))
