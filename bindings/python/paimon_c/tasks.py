"""Reading and writing by many processes, whichever engine runs them: multiprocessing here, Dask and Ray in modules of their own.

    # who plans                                          # in a process of a pool, on another machine
    tasks = paimon_c.tasks.plan_read(table, 8)           table = task.to_arrow()

    job = paimon_c.tasks.WriteJob(table)                 written = task.write(rows)          # files, and bytes that tell of them
    task = job.task                                      return written
    job.commit(all_that_was_returned)

A task is small and pickles: the table's path, schema and options, and splits as Paimon's own bytes. The one who reads it lists no folder
and plans nothing. What writing gives back is Paimon's own bytes too, so planner, workers and committer need not be the same program.
"""
from __future__ import annotations

import heapq
import logging
import os
import uuid
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from ._given import columns as given_columns, function, items, mapping, name, option_text, overwriting, told, whole
from .arrow import BatchStream
from .environment import Environment, default_environment
from .errors import InvalidError, StorageError
from .predicate import PredicateLike, as_predicate
from .read import Split, TableRead, TableScan
from .table import Table, _write_anything, open_table_with_schema
from .write import BATCH_COMMIT, BatchTableWrite, CommitMessage, CommitResult, TableCommit, current_version

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["EnvironmentFactory", "TableReference", "ReadTask", "WriteTask", "WriteJob", "Written", "plan_read"]

#: Makes the environment in a worker: for file systems of Python's, memory limits, logs.
EnvironmentFactory = Callable[[], Environment]

_log = logging.getLogger("paimon_c")


class TableReference(NamedTuple):
    """All that a worker needs to know of a table; nothing of it is read from storage."""

    path: str
    schema_json: str
    options: dict[str, Any]
    environment: Optional[EnvironmentFactory]

    @staticmethod
    def of(table: Table, environment: Optional[EnvironmentFactory] = None) -> "TableReference":
        if isinstance(environment, Environment):
            raise TypeError("environment is a function that makes an Environment where it is needed, not an Environment, which stays in this process")
        function(environment, "environment")
        if environment is None and table._environment is not default_environment():
            raise InvalidError("the table is of an environment of its own, which stays in this process: "
                               "give a function that makes one where it is needed (environment=…)")
        return TableReference(table._location, table.schema().json, table._dynamic_options, environment)

    def open(self) -> Table:
        environment = default_environment() if self.environment is None else self.environment()
        return open_table_with_schema(self.path, self.schema_json, self.options, environment=environment)


def everywhere(table: Table) -> Table:
    """The table by a path that means the same in another process: splits have the folders of their files in them."""
    if not isinstance(table, Table):
        raise TypeError("a paimon_c.Table was expected, not %s: open_table() makes one of a path" % told(table))
    path = table._location
    if "://" in path or os.path.isabs(path) or path.startswith("file:"):
        return table
    return table._opened_again(os.path.abspath(path), table._dynamic_options)


# ---- reading ----


class ReadTask:
    """Some splits of a table, and what to read of them."""

    def __init__(self, table: TableReference, splits: Sequence[bytes], columns: Optional[Sequence[str]], filter: Optional[str],
                 limit: Optional[int]) -> None:
        self.table, self.splits, self.filter, self.limit = table, tuple(splits), filter, limit
        self.columns = given_columns(columns)

    def open(self, threads: int = 1, batch_rows: int = 0) -> BatchStream:
        """The rows as Arrow. Workers share a machine, so one thread decodes unless more are asked for."""
        table = self.table.open()
        splits = [Split.from_bytes(b, table._environment) for b in self.splits]
        return TableRead(table, as_predicate(self.filter), self.columns, self.limit, threads, batch_rows).to_stream(splits)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self.open().__arrow_c_stream__()

    def to_arrow(self, threads: int = 1) -> "pyarrow.Table":
        return self.open(threads).to_arrow()

    def to_pandas(self, threads: int = 1) -> "pandas.DataFrame":
        return self.open(threads).to_pandas()

    def to_pylist(self) -> list[dict[str, Any]]:
        with self.open() as stream:
            return [row for batch in stream for row in batch.to_pylist()]

    def __repr__(self) -> str:
        return "<paimon_c.tasks.ReadTask of %d splits of %s>" % (len(self.splits), self.table.path)


def plan_read(table: Table, n_tasks: Optional[int] = None, *, columns: Optional[Sequence[str]] = None, filter: Optional[PredicateLike] = None,
              limit: Optional[int] = None, environment: Optional[EnvironmentFactory] = None) -> list[ReadTask]:
    """Tasks of about the same size, which together read the table as it is now.

    :param n_tasks: at most so many; None: one for each split
    :param limit: of rows a task; who wants no more in all takes no more
    :param environment: called in the worker; must pickle
    """
    predicate, table, columns = as_predicate(filter), everywhere(table), given_columns(columns)
    TableRead(table, predicate, columns)  # what is wrong with them is said here and not by a worker
    splits = TableScan(table, predicate, limit).plan().splits()
    text, reference = None if predicate is None else str(predicate), TableReference.of(table, environment)
    return [ReadTask(reference, [s.to_bytes() for s in group], columns, text, limit) for group in share_out(splits, n_tasks)]


def share_out(splits: Sequence[Split], n: Optional[int]) -> list[list[Split]]:
    """Groups of about as many bytes: largest first, each to the group that has least so far; in the plan's order within a group."""
    n = len(splits) if n is None else min(max(1, whole(n, "n_tasks")), len(splits))
    order = sorted(range(len(splits)), key=lambda i: -splits[i].file_size)
    groups: list[list[int]] = [[] for _ in range(n)]
    loads = [(0, g) for g in range(n)]
    for i in order:
        load, g = heapq.heappop(loads)
        groups[g].append(i)
        heapq.heappush(loads, (load + splits[i].file_size, g))
    return [[splits[i] for i in sorted(group)] for group in sorted(groups, key=lambda g: min(g, default=0))]


# ---- writing ----


class Written(NamedTuple):
    """What a task wrote: commit messages as Paimon's bytes, in a version of them."""

    version: int
    messages: bytes
    rows: int
    files: int


class WriteTask(NamedTuple):
    """What a worker needs to write."""

    table: TableReference
    threads: int = 1

    def write(self, data: Any) -> Written:
        """Write rows into files of the table, which show in it once they are committed.

        :param data: as Table.write() takes it
        """
        with BatchTableWrite(self.table.open(), self.threads) as writer:
            _write_anything(writer, data)
            return written_of(writer.prepare_commit())

    def abort(self, written: Written) -> None:
        """Remove the files again, of which nobody was told."""
        table = self.table.open()
        with TableCommit(table) as committer:
            committer.abort(messages_of([written], table._environment))


def written_of(messages: Sequence[CommitMessage], version: int = 0) -> Written:
    """Commit messages to be sent. :param version: 10 for Paimon Java 1.3; 0: the current one"""
    lists = {id(m._held): m._held for m in messages}.values()
    return Written(version or current_version(), CommitMessage.list_to_bytes(messages, version), sum(held.rows for held in lists),
                   sum(held.files for held in lists))


def messages_of(written: Iterable[Written], environment: Environment) -> list[CommitMessage]:
    return [message for w in items(written, Written, "written") for message in CommitMessage.list_from_bytes(w.messages, w.version, environment)]


def checked_properties(properties: Optional[Mapping[str, Any]]) -> Optional[dict[str, str]]:
    """Before anything is written: a commit would be late to refuse them."""
    return None if properties is None else {key: option_text(value, "property '%s'" % key) for key, value in mapping(properties, "properties").items()}


class WriteJob:
    """A write by many workers, committed once.

    :param overwrite: True replaces what is there; a mapping, what is there under these partition values
    :param commit_user, commit_identifier: the same ones again, after a crash of whoever commits, and nothing is committed twice.
        Identifiers of a user rise from job to job. None: a user of this job's own
    """

    def __init__(self, table: Table, *, overwrite: Union[bool, Mapping[str, Any]] = False, commit_user: Optional[str] = None,
                 commit_identifier: Optional[int] = None, environment: Optional[EnvironmentFactory] = None, threads: int = 1) -> None:
        if (commit_user is None) != (commit_identifier is None):
            raise InvalidError("commit_user and commit_identifier were expected together: a user alone does not tell one job from the next")
        self._table = table = everywhere(table)
        self._overwrite = overwriting(overwrite)
        self._identifier = BATCH_COMMIT if commit_identifier is None else whole(commit_identifier, "commit_identifier")
        self.commit_user = str(uuid.uuid4()) if commit_user is None else name(commit_user, "commit_user")
        self._may_be_committed = commit_user is not None
        #: was the table asked to take what this job's workers wrote? If not, it has none of it, whatever earlier jobs have done
        self.was_sent = False
        self.task = WriteTask(TableReference.of(table, environment), whole(threads, "threads"))

    def commit(self, written: Iterable[Written], properties: Optional[Mapping[str, str]] = None) -> CommitResult:
        """Make what the workers wrote part of the table, as one snapshot. Called again, it does nothing.

        Give what those attempts returned that count: files of others stay outside the table, and are removed with its orphan files.
        """
        if self._may_be_committed and self._is_committed():
            return CommitResult(None, 0, 0, True)
        messages = messages_of(written, self._table._environment)
        with TableCommit(self._table, self.commit_user, self._overwrite) as committer:
            self._may_be_committed = self.was_sent = True
            return committer._send(messages, self._identifier, properties, None, ignore_empty=self._overwrite is None)

    def abort(self, written: Iterable[Written]) -> None:
        """Remove the files of what was not, and will not be, committed."""
        messages = messages_of(written, self._table._environment)
        if messages:
            with TableCommit(self._table, self.commit_user) as committer:
                committer.abort(messages)

    def abort_after(self, error: BaseException, written: Iterable[Written]) -> None:
        """The same after a failure, unless the commit may have come through in spite of it."""
        if self.was_sent and (isinstance(error, StorageError) or self._is_committed()):
            _log.warning("the files written for %s are kept: it is not certain that they were not committed", self._table.path)
            return
        self.abort(written)

    def _is_committed(self) -> bool:
        """Did our user commit this, or something later?"""
        table = self._table.copy({"scan.snapshot-id": None, "scan.tag-name": None})
        for snapshot_id in reversed(table.snapshot_ids()):
            snapshot = table.snapshot(snapshot_id)
            if snapshot.commit_user == self.commit_user:
                return (snapshot.commit_identifier or 0) >= self._identifier
        return False
