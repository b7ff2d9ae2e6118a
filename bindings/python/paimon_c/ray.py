"""Ray Data: tables as datasets, and datasets into tables.

    import paimon_c.ray
    ds = paimon_c.ray.read_ray(table, columns=["order_id", "amount"], filter="region = 'EU'")
    paimon_c.ray.write_ray(ds, other_table, overwrite=True)

The driver plans and commits. A read task carries the table's path, schema and options and its splits' bytes; a write task brings back commit
messages as bytes. Nothing else travels, and no worker lists a folder.
"""
from __future__ import annotations

import inspect
import logging
import uuid
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

import pyarrow
import ray
import ray.data
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasink, Datasource, ReadTask

from . import _arrow_expression, tasks
from ._given import checked_arguments, columns as given_columns, told, whole
from ._journal import Journal
from .errors import InvalidError, StateError
from .predicate import Predicate, PredicateLike, as_predicate
from .read import Split, TableRead, TableScan
from .write import CommitResult

if TYPE_CHECKING:
    from .table import Table

__all__ = ["PaimonDatasource", "PaimonDatasink", "read_ray", "write_ray"]

_BATCH_ROWS = 131072  # blocks are cut and joined by Ray: few large ones cost it less
_STUB = "__bsp_stub"  # Ray's column for rows without columns, which Arrow's tables cannot count

_log = logging.getLogger("paimon_c")


# ---- reading ----


def read_ray(table: "Table", *, columns: Optional[Sequence[str]] = None, filter: Optional[PredicateLike] = None, limit: Optional[int] = None,
             concurrency: Optional[int] = None, override_num_blocks: Optional[int] = None, ray_remote_args: Optional[dict[str, Any]] = None,
             environment: Optional[tasks.EnvironmentFactory] = None, threads: int = 1, **read_args: Any) -> "ray.data.Dataset":
    """The table, as it is now, as a dataset. ``select_columns``, ``filter(expr=…)`` and ``limit`` of the dataset reach the files too.

    :param columns: in the order wanted; None: all
    :param filter: a text as in SQL's WHERE, or a Predicate
    :param limit: of rows in all
    :param concurrency, override_num_blocks, ray_remote_args: and any other, as ray.data.read_datasource() takes them
    :param environment: a function that makes an Environment in the worker, for a table that needs one of its own; must pickle
    :param threads: that decode in one task
    """
    given = {"concurrency": concurrency, "override_num_blocks": override_num_blocks, "ray_remote_args": ray_remote_args}
    read_args.update({name: value for name, value in given.items() if value is not None})
    checked_arguments(read_args, inspect.signature(ray.data.read_datasource).parameters, "read_ray() with this Ray")  # which drops what it does not know
    source = PaimonDatasource(table, columns, filter, limit, environment, threads)
    dataset = ray.data.read_datasource(source, **read_args)
    return dataset if limit is None else dataset.limit(limit)


class PaimonDatasource(Datasource):  # type: ignore[misc]
    """What ray.data.read_datasource() takes. The snapshot is the one that was the latest when this was made."""

    def __init__(self, table: "Table", columns: Optional[Sequence[str]] = None, filter: Optional[PredicateLike] = None,
                 limit: Optional[int] = None, environment: Optional[tasks.EnvironmentFactory] = None, threads: int = 1) -> None:
        super().__init__()
        self._projection_map: Optional[dict[str, str]] = None  # Ray's
        self._predicate_expr: Any = getattr(self, "_predicate_expr", None)  # Ray's
        table = tasks.everywhere(table)
        latest = None if any(key.startswith("scan.") for key in table._dynamic_options) else table.latest_snapshot()
        self._table = table if latest is None else table.copy({"scan.snapshot-id": latest.id})
        self._columns = given_columns(columns)
        self._filter, self._limit, self._threads = as_predicate(filter), limit, threads
        self._reference = tasks.TableReference.of(self._table, environment)
        self._planned: Optional[_Planned] = None
        TableRead(self._table, self._filter, self._columns)  # what is wrong with them is said here and not by a worker

    def __copy__(self) -> "PaimonDatasource":
        made = self.__class__.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Older Rays plan in a task of their own."""
        return {**self.__dict__, "_table": self._table.identifier, "_planned": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._table = self._reference.open()
        self._table.identifier = state["_table"]

    def get_name(self) -> str:
        return "Paimon(%s)" % self._table.name

    # What Rays since about 2.50 push down. Older ones do not ask.

    def supports_projection_pushdown(self) -> bool:
        return hasattr(Datasource, "apply_projection")

    def supports_predicate_pushdown(self) -> bool:
        return hasattr(Datasource, "apply_predicate")

    def apply_projection(self, *args: Any, **options: Any) -> Any:
        made = super().apply_projection(*args, **options)
        made._planned = None
        return made

    def apply_predicate(self, predicate_expr: Any) -> Any:
        made = super().apply_predicate(predicate_expr)
        made._planned = None
        return made

    # ---- planning ----

    def _plan(self) -> "_Planned":
        if self._planned is None:
            self._planned = _Planned(self)
        return self._planned

    def estimate_inmemory_data_size(self) -> Optional[int]:
        return self._plan().size(self._plan().splits)

    def get_read_tasks(self, parallelism: int, per_task_row_limit: Optional[int] = None, data_context: Any = None) -> list[ReadTask]:
        plan = self._plan()
        return [plan.task(group, per_task_row_limit) for group in tasks.share_out(plan.splits, parallelism) or [[]]]


class _Planned:
    """What a datasource comes to with all that was pushed into it."""

    def __init__(self, source: PaimonDatasource) -> None:
        table = source._table
        self.reference, self.threads, self.limit = source._reference, source._threads, source._limit
        self.predicate: Optional[Predicate] = source._filter
        self.rest: Any = None  # of Ray's filter: what is left to pyarrow
        needed: Optional[list[str]] = []
        expression = source._predicate_expr
        if expression is not None:
            # Ray's floats are pyarrow's: nothing is true of NaN but !=.
            parts = _arrow_expression.split(table, expression.to_pyarrow(), ieee=True)
            self.rest, needed = parts.rest, parts.columns
            if parts.predicate is not None:
                self.predicate = parts.predicate if self.predicate is None else self.predicate & parts.predicate
        # Names in files, and the names that they come out under.
        chosen = source._columns if source._columns is not None else table.field_names
        mapping = source._projection_map
        self.names = list(chosen) if mapping is None else [name for name in mapping]
        self.renamed = self.names if mapping is None else [mapping[name] for name in self.names]
        self.columns: list[str] = list(self.names)
        if self.rest is not None:
            self.columns += [name for name in (table.field_names if needed is None else needed) if name not in self.columns]
        self.columns = self.columns or [_narrowest(table)]
        read = TableRead(table, self.predicate, self.columns)
        self.schema = _shaped(pyarrow.schema(read).empty_table(), self.names, self.renamed).schema
        self.row_bytes = sum(_width(field.type) for field in self.schema)
        self.splits: list[Split] = TableScan(table, self.predicate, self.limit if self.rest is None else None).plan().splits()
        options = table.options
        self.rows_are_known = (expression is None and self.predicate is None and not table.primary_keys
                               and options.get("deletion-vectors.enabled") != "true" and options.get("data-evolution.enabled") != "true")

    def size(self, splits: Sequence[Split]) -> int:
        return sum(s.row_count for s in splits) * self.row_bytes

    def task(self, splits: Sequence[Split], row_limit: Optional[int]) -> ReadTask:
        limits = [limit for limit in (self.limit, row_limit) if limit is not None]
        read = tasks.ReadTask(self.reference, [s.to_bytes() for s in splits], self.columns,
                              None if self.predicate is None else str(self.predicate), min(limits) if limits and self.rest is None else None)
        rows = sum(s.row_count for s in splits) if self.rows_are_known else None
        if rows is not None and self.limit is not None:
            rows = min(rows, self.limit)
        size = (self.size(splits) if rows is None else rows * self.row_bytes) or None
        known = {"num_rows": rows, "size_bytes": size, "input_files": [path for s in splits for path in s.file_paths] or None, "exec_stats": None,
                 "schema": self.schema}
        metadata = BlockMetadata(**{k: v for k, v in known.items() if k in inspect.signature(BlockMetadata).parameters})
        options = {"schema": self.schema, "per_task_row_limit": row_limit}
        takes = inspect.signature(ReadTask.__init__).parameters
        return ReadTask(_Rows(read, self.names, self.renamed, self.rest, self.schema, self.threads), metadata,
                        **{k: v for k, v in options.items() if k in takes})


class _Rows:
    """What a worker calls."""

    __name__ = "read_paimon"  # asked for by Rays up to 2.3x: it names no class of ours

    def __init__(self, task: tasks.ReadTask, names: list[str], renamed: list[str], rest: Any, schema: Any, threads: int) -> None:
        self._task, self._names, self._renamed, self._rest, self._schema, self._threads = task, names, renamed, rest, schema, threads

    def __call__(self) -> Iterator["pyarrow.Table"]:
        some = False
        with self._task.open(self._threads, _BATCH_ROWS) as stream:
            for batch in stream:
                rows = pyarrow.Table.from_batches([pyarrow.record_batch(batch)])
                if self._rest is not None:
                    rows = rows.filter(self._rest)
                if len(rows):
                    some = True
                    yield _shaped(rows, self._names, self._renamed)
        if not some:
            yield self._schema.empty_table()


def _shaped(rows: "pyarrow.Table", names: list[str], renamed: list[str]) -> "pyarrow.Table":
    if not names:
        return pyarrow.table({_STUB: pyarrow.nulls(len(rows))})
    rows = rows if rows.column_names == names else rows.select(names)
    return rows if renamed == names else rows.rename_columns(renamed)


def _narrowest(table: "Table") -> str:
    fields = pyarrow.schema(table.schema())
    return str(min(fields, key=lambda field: _width(field.type)).name)


def _width(type: Any) -> int:
    """Bytes that a value takes in memory, about: files are compressed by anything from 1 to 50."""
    try:
        return max(1, int(type.bit_width) // 8)
    except ValueError:
        pass
    inner = [type.field(i).type for i in range(type.num_fields)]
    return sum(map(_width, inner)) * (1 if pyarrow.types.is_struct(type) else 4) if inner else 24


# ---- writing ----


def write_ray(dataset: "ray.data.Dataset", table: "Table", *, overwrite: Union[bool, Mapping[str, Any]] = False,
              commit_user: Optional[str] = None, commit_identifier: Optional[int] = None, properties: Optional[Mapping[str, str]] = None,
              concurrency: Optional[int] = None, ray_remote_args: Optional[dict[str, Any]] = None, min_rows_per_write: Optional[int] = None,
              environment: Optional[tasks.EnvironmentFactory] = None, threads: int = 1) -> CommitResult:
    """Write a dataset's rows into a table: workers write files, the driver commits all of them at once, or none.

    :param overwrite: True replaces what is there; a mapping, what is there under these partition values
    :param commit_user, commit_identifier: the same ones again, after a crash of the driver, and nothing is committed twice
    :param min_rows_per_write: blocks are joined up to so many rows before a task writes them, so that files are not small
    """
    if not hasattr(dataset, "write_datasink"):
        raise TypeError("a ray.data.Dataset was expected, not %s: ray.data.from_arrow() and its like make one" % told(dataset))
    sink = PaimonDatasink(table, overwrite=overwrite, commit_user=commit_user, commit_identifier=commit_identifier, properties=properties,
                          min_rows_per_write=min_rows_per_write, environment=environment, threads=threads)
    given = {"concurrency": concurrency, "ray_remote_args": ray_remote_args}
    dataset.write_datasink(sink, **{name: value for name, value in given.items() if value is not None})
    assert sink.result is not None
    return sink.result


_kept: Any = None  # the last journal: an actor ends with the last that knows of it, and starting one takes a second


def _journal() -> Any:
    """The driver's, in the Ray that it is connected to now."""
    global _kept
    context = ray.get_runtime_context()  # of the process that writes: it may be a task of a larger job, with which its actors end
    name = "paimon_c.journal.%s.%s" % (context.get_job_id(), context.get_worker_id())
    _kept = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Journal).options(name=name, get_if_exists=True).remote()
    return _kept


class PaimonDatasink(Datasink):  # type: ignore[misc]
    """What Dataset.write_datasink() takes, for one write.

    A task that dies is run again by Ray. What the dead attempt wrote is not committed, and is removed in the end if it had told of it;
    else it stays as orphan files, which harm nobody: files are part of the table only by a commit.
    """

    def __init__(self, table: "Table", *, overwrite: Union[bool, Mapping[str, Any]] = False, commit_user: Optional[str] = None,
                 commit_identifier: Optional[int] = None, properties: Optional[Mapping[str, str]] = None,
                 min_rows_per_write: Optional[int] = None, environment: Optional[tasks.EnvironmentFactory] = None, threads: int = 1) -> None:
        super().__init__()
        self._job: Optional[tasks.WriteJob] = tasks.WriteJob(table, overwrite=overwrite, commit_user=commit_user,
                                                             commit_identifier=commit_identifier, environment=environment, threads=threads)
        self._task, self._properties = self._job.task, tasks.checked_properties(properties)
        self._min_rows = None if min_rows_per_write is None else whole(min_rows_per_write, "min_rows_per_write")
        self._name = table.name
        self._journal: Any = _journal()
        self._number = uuid.uuid4().hex  # of this write, in the journal
        #: of the commit
        self.result: Optional[CommitResult] = None

    def __getstate__(self) -> dict[str, Any]:
        """What goes to workers: not the driver's part."""
        return {**self.__dict__, "_job": None, "result": None}

    def get_name(self) -> str:
        return "Paimon(%s)" % self._name

    @property
    def min_rows_per_write(self) -> Optional[int]:
        return self._min_rows

    num_rows_per_write = min_rows_per_write  # its name in older Rays

    def write(self, blocks: Iterable[Any], ctx: Any) -> tuple[str, tasks.Written]:
        """In a worker."""
        rows = (BlockAccessor.for_block(block).to_arrow() for block in blocks)
        written = self._task.write(table for table in rows if len(table))
        key, told = uuid.uuid4().hex, False
        try:
            told = ray.get(self._journal.add.remote(self._number, key, written))
        finally:
            if not told:  # the job has failed meanwhile
                self._task.abort(written)
        if not told:
            raise StateError("the write that this task belongs to is over")
        return key, written

    def on_write_complete(self, write_result: Any) -> None:
        """On the driver: commit, once."""
        if self._job is None:
            raise InvalidError("this is a worker's copy of the sink")
        returned = [r for r in getattr(write_result, "write_returns", write_result) if r is not None]
        counted: dict[str, tasks.Written] = dict(returned)
        result = self._job.commit(counted.values(), self._properties)
        self.result = self.result or result
        kept = counted if self._job.was_sent else {}  # an earlier job has committed, not this one
        try:
            self._job.abort(w for key, w in self._take_journal().items() if key not in kept)
        except Exception:  # the rows are in the table: nothing may fail any more
            _log.warning("files of attempts that do not count could not be removed from %s", self._name, exc_info=True)

    def on_write_failed(self, error: Exception) -> None:
        """On the driver: remove what tasks have written that Ray tells nothing of."""
        if self._job is None or self.result is not None:
            return
        try:
            self._job.abort_after(error, self._take_journal().values())
        except Exception:  # the first error is the one to see
            _log.warning("files of the failed write could not be removed from %s", self._name, exc_info=True)

    def _take_journal(self) -> dict[str, tasks.Written]:
        if self._journal is None:
            return {}
        journal, self._journal = self._journal, None
        written: dict[str, tasks.Written] = ray.get(journal.close.remote(self._number), timeout=60)
        return written
