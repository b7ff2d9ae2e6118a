"""Dask: a table as a dataframe, and a dataframe into a table.

    import paimon_c.dask
    frame = paimon_c.dask.read_dask(table, filter="region = 'EU'")
    paimon_c.dask.write_dask(frame[frame.amount > 100], other_table)

Tasks carry splits as bytes, and bring back commit messages as bytes (paimon_c.tasks); whoever calls plans and commits.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import dask
import dask.dataframe

from . import tasks
from ._given import checked_arguments, told
from .predicate import PredicateLike, as_predicate
from .read import TableRead
from .write import CommitResult

if TYPE_CHECKING:
    import pandas

    from .table import Table

__all__ = ["read_dask", "write_dask"]

#: What dask.compute() and its schedulers take: they say nothing of a name that they do not know, such as a misspelt one of ours.
_COMPUTE = {
    "scheduler", "get", "optimize_graph", "traverse", "num_workers", "pool", "cache", "chunksize", "initializer", "func_dumps", "func_loads",
    "rerun_exceptions_locally", "workers", "allow_other_workers", "resources", "retries", "priority", "fifo_timeout", "actors", "sync", "direct", "asynchronous",
}


def read_dask(table: "Table", *, columns: Optional[Sequence[str]] = None, filter: Optional[PredicateLike] = None,
              npartitions: Optional[int] = None, environment: Optional[tasks.EnvironmentFactory] = None,
              arrow_types: bool = True) -> Any:
    """The table, as it is now, as a dask.dataframe.DataFrame. Columns that the query does not use are not read.

    :param npartitions: at most so many; None: one for each split
    :param arrow_types: columns keep their Arrow types (pandas.ArrowDtype). False: NumPy's, of which Dask makes decimals and dates texts
    """
    table = tasks.everywhere(table)
    read = TableRead(table, as_predicate(filter), columns)
    empty = _frame(read.to_stream([]), arrow_types)
    planned = tasks.plan_read(table, npartitions, columns=columns, filter=filter, environment=environment)
    if not planned:
        return dask.dataframe.from_pandas(empty, npartitions=1)
    return dask.dataframe.from_map(_read, planned, meta=empty, arrow_types=arrow_types, label="read-paimon")


def _read(task: tasks.ReadTask, columns: Optional[Sequence[str]] = None, arrow_types: bool = True) -> "pandas.DataFrame":
    """A partition. Dask gives the columns that are left of a query because there is such an argument."""
    if columns is not None:
        task = tasks.ReadTask(task.table, task.splits, list(columns), task.filter, task.limit)
    return _frame(task.open(), arrow_types)


def _frame(stream: Any, arrow_types: bool) -> "pandas.DataFrame":
    if not arrow_types:
        return stream.to_pandas()
    import pandas

    return stream.to_pandas(types_mapper=pandas.ArrowDtype)


def write_dask(frame: Any, table: "Table", *, overwrite: Union[bool, Mapping[str, Any]] = False, commit_user: Optional[str] = None,
               commit_identifier: Optional[int] = None, properties: Optional[Mapping[str, str]] = None,
               environment: Optional[tasks.EnvironmentFactory] = None, **compute_args: Any) -> CommitResult:
    """Write a dask.dataframe.DataFrame (or a list of dask.delayed objects that give rows) into a table, as one commit.

    :param overwrite: True replaces what is there; a mapping, what is there under these partition values
    :param commit_user, commit_identifier: the same ones again, after a crash, and nothing is committed twice
    :param compute_args: as dask.compute() takes them (scheduler=…)
    """
    checked_arguments(compute_args, _COMPUTE, "write_dask()")
    properties = tasks.checked_properties(properties)
    job = tasks.WriteJob(table, overwrite=overwrite, commit_user=commit_user, commit_identifier=commit_identifier, environment=environment)
    parts = frame.to_delayed() if hasattr(frame, "to_delayed") else _delayed(frame)
    write = dask.delayed(job.task.write)
    # pure=False: two partitions with the same rows are still two.
    written = dask.compute(*[write(part, pure=False) for part in parts], **compute_args)
    return job.commit(written, properties)


def _delayed(parts: Any) -> list[Any]:
    if not isinstance(parts, (list, tuple)):
        raise TypeError("a dask.dataframe.DataFrame, or a list of dask.delayed objects, was expected, not %s" % told(parts))
    return list(parts)
