"""Writing: rows go into data files, whose messages make them part of the table when they are committed."""
from __future__ import annotations

import json
import threading
import uuid
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from ._core import Options, Texts, call, struct, take_bytes, take_text, text, utf8
from ._given import blob, function, items, mapping, name, told, whole
from ._native import ffi, lib
from .arrow import Incoming, signature
from .environment import Environment, environment_of, processors
from .errors import InvalidError, StateError
from .progress import ProgressFunction, watch

if TYPE_CHECKING:
    from .table import Table

__all__ = ["BATCH_COMMIT", "CommitMessage", "CommitResult", "TableWrite", "BatchTableWrite", "StreamTableWrite", "TableCommit", "BatchTableCommit",
           "StreamTableCommit", "WriteBuilder", "BatchWriteBuilder", "StreamWriteBuilder"]

_Write = TypeVar("_Write", bound="TableWrite")
_Commit = TypeVar("_Commit", bound="TableCommit")
_Builder = TypeVar("_Builder", bound="WriteBuilder")

BATCH_COMMIT: int = lib.PAIMON_BATCH_COMMIT  #: the commit identifier of batch jobs


class MessageList:
    """The messages of one prepare_commit(), as the library holds them."""

    def __init__(self, pointer: Any) -> None:
        self._list: Any = ffi.gc(pointer, lib.paimon_message_list_free)
        self.n = int(lib.paimon_message_list_size(pointer))
        self.rows = int(lib.paimon_message_list_rows(pointer))
        self.files = int(lib.paimon_message_list_files(pointer))

    def messages(self) -> list["CommitMessage"]:
        return [CommitMessage(self, i) for i in range(self.n)]


class CommitMessage:
    """What a writer tells a committer about one partition and bucket."""

    def __init__(self, held: MessageList, index: int) -> None:
        self._held, self._index = held, index

    def to_bytes(self, version: int = 0) -> bytes:
        """The bytes that Paimon Java gives the message; 0: the newest version, 10: the one that Java 1.3 reads. They do not say their version."""
        return take_bytes(lib.paimon_message_serialize, self._held._list, self._index, whole(version, "version"))

    @staticmethod
    def from_bytes(data: Union[bytes, bytearray, memoryview], version: int = 0, environment: Optional[Environment] = None) -> "CommitMessage":
        """Of the bytes of to_bytes(), or of Java's, of this version."""
        held, out = blob(data, "a message's bytes"), ffi.new("paimon_message_list **")
        call(lib.paimon_message_deserialize, environment_of(environment)._env, whole(version, "version") or current_version(), held, len(held), out)
        return MessageList(out[0]).messages()[0]

    @staticmethod
    def list_to_bytes(messages: Iterable["CommitMessage"], version: int = 0) -> bytes:
        """All of them in one: Java's serializeList."""
        return take_bytes(lib.paimon_message_list_serialize, gather(messages), whole(version, "version"))

    @staticmethod
    def list_from_bytes(data: Union[bytes, bytearray, memoryview], version: int = 0, environment: Optional[Environment] = None) -> list["CommitMessage"]:
        held, out = blob(data, "a message's bytes"), ffi.new("paimon_message_list **")
        call(lib.paimon_message_list_deserialize, environment_of(environment)._env, whole(version, "version") or current_version(), held, len(held), out)
        return MessageList(out[0]).messages()

    def to_json(self) -> str:
        """All that the message says, for people."""
        message: str = json.dumps(json.loads(take_text(lib.paimon_message_list_json, self._held._list))[self._index])
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return CommitMessage.from_bytes, (self.to_bytes(), current_version())

    def __repr__(self) -> str:
        return "<paimon_c.CommitMessage %d of %d>" % (self._index + 1, self._held.n)


def current_version() -> int:
    """The version that messages are written in unless another is asked for."""
    return int(lib.paimon_commit_message_current_version())


def gather(messages: Iterable[CommitMessage]) -> Any:
    """One paimon_message_list of messages from any number of writers."""
    chosen: dict[int, tuple[MessageList, set[int]]] = {}
    for m in items(messages, CommitMessage, "messages"):
        indices = chosen.setdefault(id(m._held), (m._held, set()))[1]
        if m._index in indices:
            raise InvalidError("the same commit message twice")
        indices.add(m._index)
    wholes: list[MessageList] = []
    for held, indices in chosen.values():
        if len(indices) == held.n:
            wholes.append(held)
        else:  # some of them, by way of their bytes
            wholes += [CommitMessage.from_bytes(CommitMessage(held, i).to_bytes(), current_version())._held for i in sorted(indices)]
    out = ffi.new("paimon_message_list **")
    call(lib.paimon_message_list_concat, ffi.new("paimon_message_list *[]", [w._list for w in wholes]) if wholes else ffi.NULL, len(wholes), out)
    return ffi.gc(out[0], lib.paimon_message_list_free)


class CommitResult(NamedTuple):
    """What a commit did."""

    snapshot_id: Optional[int]  #: of the last snapshot made; None if none was
    snapshots: int  #: made by this call
    attempts: int
    already_committed: bool  #: user and identifier were found in the table: nothing was done


class TableWrite:
    """Writes rows into data files. One thread at a time; many writers, in many processes, may write for one commit.

    Rows are anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``: tables and batches of pyarrow, Polars, DuckDB, pandas, nanoarrow, and
    scans of our own. Columns are matched by name; a nullable one that is left out is written as its default value or null.
    """

    def __init__(self, table: "Table", threads: int = 0, progress: Optional[ProgressFunction] = None) -> None:
        self._table, self._progress = table, progress
        self._threads = whole(threads, "threads") or processors()
        self._writers: dict[tuple[Any, ...], Any] = {}
        self._rows_before = 0  #: of writers that are closed
        self._lock = threading.Lock()
        self._closed = False

    def _writer(self, schema: Any) -> Any:
        """The library's writer takes one schema; batches of another get one of their own."""
        if self._closed:
            raise StateError("this writer is closed")
        key = signature(schema)
        writer = self._writers.get(key)
        if writer is None:
            options = struct("paimon_write_options")
            options.n_threads = self._threads
            out = ffi.new("paimon_write **")
            call(lib.paimon_write_new, self._table._table, schema, options, out)
            writer = self._writers[key] = ffi.gc(out[0], lib.paimon_write_free)
            watch(self, lib.paimon_write_set_progress, writer, self._progress)
        return writer

    def write_arrow(self, data: Any) -> None:
        """Write a table, a batch, or a whole stream."""
        with self._lock:
            incoming = Incoming(data)
            writer = self._writer(incoming.schema)
            for array in incoming.arrays():
                call(lib.paimon_write_batch, writer, array)

    write_arrow_batch = write_arrow

    def write_arrow_to(self, data: Any, partition: Optional[Sequence[Optional[str]]], bucket: int) -> None:
        """The same with partition and bucket said by the caller; every row is checked against them."""
        if isinstance(partition, (str, bytes, Mapping)):
            raise TypeError("partition is a list of the values of the partition's columns in their order, not %s" % told(partition))
        texts, bucket = Texts([] if partition is None else list(partition)), whole(bucket, "bucket")
        with self._lock:
            incoming = Incoming(data)
            writer = self._writer(incoming.schema)
            for array in incoming.arrays():
                call(lib.paimon_write_batch_to, writer, texts.pointer, bucket, array)

    def write_pandas(self, dataframe: Any) -> None:
        """A DataFrame of pandas, by way of pyarrow, in the types of the table's columns."""
        import pyarrow

        from ._rows import check_frame

        if not hasattr(dataframe, "columns") or not hasattr(dataframe, "dtypes"):
            raise TypeError("a DataFrame of pandas was expected, not %s" % told(dataframe))
        wanted = pyarrow.schema(self._table.schema())
        given = [field for field in wanted if field.name in dataframe.columns]
        unknown = [str(c) for c in dataframe.columns if c not in wanted.names]
        if unknown:
            raise InvalidError("the table has no column %s" % ", ".join(unknown))
        if not dataframe.columns.is_unique:
            raise InvalidError("a column is there twice: %s" % ", ".join(dataframe.columns[dataframe.columns.duplicated()]))
        check_frame(dataframe, given)
        self.write_arrow(pyarrow.Table.from_pandas(dataframe, schema=pyarrow.schema(given), preserve_index=False))

    def write_pylist(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows as dicts of Python values, by way of pyarrow. A key, in a row inside too, that is no column is refused."""
        import pyarrow

        from ._rows import table_of

        if isinstance(rows, (str, bytes, Mapping)) or not hasattr(rows, "__iter__"):
            raise TypeError("rows are a list of dicts, not %s" % told(rows))
        self.write_arrow(table_of(rows, pyarrow.schema(self._table.schema())))

    @property
    def rows_written(self) -> int:
        """Since the writer was made; stays when it is closed."""
        return self._rows_before + sum(int(lib.paimon_write_rows(w)) for w in self._writers.values())

    def _prepare(self, identifier: int) -> list[CommitMessage]:
        with self._lock:
            if self._closed:
                raise StateError("this writer is closed")
            messages: list[CommitMessage] = []
            for writer in self._writers.values():
                out = ffi.new("paimon_message_list **")
                call(lib.paimon_write_prepare_commit, writer, whole(identifier, "commit_identifier"), out)
                messages += MessageList(out[0]).messages()
            return messages

    def close(self) -> None:
        """Let go of the writer; files that no message was handed over for are removed."""
        with self._lock:
            self._closed, self._rows_before = True, self.rows_written
            for writer in self._writers.values():
                ffi.release(writer)
            self._writers.clear()

    abort = close

    def __enter__(self: _Write) -> _Write:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class BatchTableWrite(TableWrite):
    def prepare_commit(self) -> list[CommitMessage]:
        """Close the files: a message for each partition and bucket written."""
        return self._prepare(BATCH_COMMIT)


class StreamTableWrite(TableWrite):
    def prepare_commit(self, commit_identifier: int) -> list[CommitMessage]:
        """Close the files written since the last call; then go on. Identifiers rise."""
        return self._prepare(commit_identifier)


class TableCommit:
    """Makes what was written part of the table, as one snapshot, atomically, beside other committers.

    :param user: who commits; with the identifier it tells a commit that was made already. None: a random one
    """

    def __init__(self, table: "Table", user: Optional[str] = None, static_partition: Optional[Mapping[str, Any]] = None,
                 progress: Optional[ProgressFunction] = None, prepare_only: bool = False) -> None:
        self._table = table
        self._partition = static_partition
        out = ffi.new("paimon_commit **")
        call(lib.paimon_commit_new, table._table, ffi.NULL if user is None else ffi.new("char[]", utf8(name(user, "commit_user"))), out)
        self._commit: Any = ffi.gc(out[0], lib.paimon_commit_free)
        watch(self, lib.paimon_commit_set_progress, self._commit, progress)
        self._prepare_only = prepare_only
        if prepare_only:
            call(lib.paimon_commit_set_prepare_only, self._commit, True)
        self._lock = threading.Lock()

    @property
    def user(self) -> str:
        return text(lib.paimon_commit_user(self._handle())) or ""

    def _handle(self) -> Any:
        if self._commit is None:
            raise StateError("this committer is closed")
        return self._commit

    def _send(self, messages: Iterable[CommitMessage], identifier: int, properties: Optional[Mapping[str, str]], watermark: Optional[int],
              ignore_empty: bool, check_conflicts: bool = False, filtered: bool = False) -> CommitResult:
        pairs = Options(properties, what="snapshot_properties")
        options = struct("paimon_commit_options")
        options.has_watermark, options.watermark = watermark is not None, 0 if watermark is None else whole(watermark, "watermark")
        identifier = whole(identifier, "commit_identifier")
        options.properties, options.n_properties = pairs.pointer, pairs.n
        options.ignore_empty, options.check_conflicts = ignore_empty, check_conflicts
        gathered, result = gather(messages), struct("paimon_commit_result")
        with self._lock:
            if self._partition is not None:
                partition = self._table._partition(self._partition)
                call(lib.paimon_commit_overwrite, self._handle(), partition.pointer, partition.n, gathered, identifier, options, result)
            elif filtered:
                call(lib.paimon_commit_filter_and_append, self._handle(), gathered, identifier, options, result)
            else:
                call(lib.paimon_commit_append, self._handle(), gathered, identifier, options, result)
        return _told(result)

    # ---- the caller publishes: WriteBuilder.with_prepare_only() ----

    @property
    def object_name(self) -> str:
        """The table's name for the URL of table_requests(): "orders", or for a branch, of which they say nothing, "orders$branch_dev"."""
        return text(lib.paimon_commit_object_name(self._handle())) or ""

    def table_requests(self, table_id: Optional[str] = None) -> list[str]:
        """What the last call prepared, each the body (JSON) of the REST API's …/commit: none if it made no snapshot, one, or two if its messages
        hold both written and compacted files. The second follows on the first, so send them in order.

        :param table_id: the catalog's id of the table; None: as the table was opened with
        """
        with self._lock:
            handle, identity = self._handle(), ffi.NULL if table_id is None else ffi.new("char[]", utf8(table_id))
            return [take_text(lib.paimon_commit_table_request, handle, i, identity) for i in range(lib.paimon_commit_n_table_requests(handle))]

    def last_table_request(self, table_id: Optional[str] = None) -> str:
        """The last of table_requests(). StateError if there is none."""
        with self._lock:
            return take_text(lib.paimon_commit_last_table_request, self._handle(), ffi.NULL if table_id is None else ffi.new("char[]", utf8(table_id)))

    def discard_prepared(self) -> None:
        """Remove the manifests that the last call prepared, before it is made again. Only when the catalog said for certain that it lost: never
        after a lost answer, which filter_and_commit() tells once the table has the snapshot."""
        with self._lock:
            lib.paimon_commit_discard_prepared(self._handle())

    def abort(self, messages: Iterable[CommitMessage]) -> None:
        """Remove the files of messages that were not, and will not be, committed."""
        gathered = gather(messages)
        with self._lock:
            call(lib.paimon_commit_abort, self._handle(), gathered)

    def close(self) -> None:
        with self._lock:
            if self._commit is not None:
                ffi.release(self._commit)
                self._commit = None

    def __enter__(self: _Commit) -> _Commit:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _told(result: Any) -> CommitResult:
    return CommitResult(result.snapshot_id or None, result.n_snapshots, result.n_attempts, bool(result.already_committed))


class BatchTableCommit(TableCommit):
    def commit(self, messages: Iterable[CommitMessage], snapshot_properties: Optional[Mapping[str, str]] = None,
               check_conflicts: bool = False) -> CommitResult:
        """Append, or overwrite if the builder was told to. Nothing to append makes no snapshot."""
        return self._send(messages, BATCH_COMMIT, snapshot_properties, None, ignore_empty=self._partition is None, check_conflicts=check_conflicts)

    def truncate_table(self) -> CommitResult:
        """Take all rows out of the table."""
        result = struct("paimon_commit_result")
        with self._lock:
            call(lib.paimon_commit_truncate, self._handle(), BATCH_COMMIT, result)
        return _told(result)

    def truncate_partitions(self, partitions: Sequence[Mapping[str, Any]]) -> CommitResult:
        """Take partitions out, each given by all or some of its columns."""
        pairs = [self._table._partition(p) for p in items(partitions, Mapping, "partitions")]
        specs = ffi.new("paimon_partition_spec[]", [(p.pointer, p.n) for p in pairs]) if pairs else ffi.NULL
        result = struct("paimon_commit_result")
        with self._lock:
            call(lib.paimon_commit_drop_partitions, self._handle(), specs, len(pairs), BATCH_COMMIT, result)
        return _told(result)


class StreamTableCommit(TableCommit):
    def commit(self, messages: Iterable[CommitMessage], commit_identifier: int, snapshot_properties: Optional[Mapping[str, str]] = None,
               watermark: Optional[int] = None) -> CommitResult:
        """Append under this identifier."""
        return self._send(messages, commit_identifier, snapshot_properties, watermark, ignore_empty=False)

    def filter_and_commit(self, messages_by_identifier: Mapping[int, Iterable[CommitMessage]],
                          snapshot_properties: Optional[Mapping[str, str]] = None) -> list[CommitResult]:
        """The way back after a crash: what this user has committed already is left out."""
        if self._prepare_only and len(messages_by_identifier) > 1:
            raise InvalidError("one identifier at a time, since each has to be published before the next one is prepared")
        return [self._send(messages, identifier, snapshot_properties, None, ignore_empty=False, filtered=True)
                for identifier, messages in sorted(_by_identifier(messages_by_identifier), key=lambda pair: pair[0])]


def _by_identifier(given: Mapping[int, Iterable[CommitMessage]]) -> list[tuple[int, list[CommitMessage]]]:
    """All of it is looked at before any is committed."""
    if not isinstance(given, Mapping):
        raise TypeError("a mapping {commit identifier: messages} was expected, not %s" % told(given))
    return [(whole(identifier, "commit_identifier"), items(messages, CommitMessage, "messages")) for identifier, messages in given.items()]


class WriteBuilder:
    def __init__(self, table: "Table") -> None:
        self._table = table
        self.commit_user = str(uuid.uuid4())
        self._threads = 0
        self._progress: Optional[ProgressFunction] = None
        self._prepare_only = False

    def with_commit_user(self: _Builder, commit_user: str) -> _Builder:
        """Who commits: the same after a restart, so that nothing is committed twice."""
        self.commit_user = name(commit_user, "commit_user")
        return self

    def with_threads(self: _Builder, threads: int) -> _Builder:
        """How many threads encode at once; 0: one a processor."""
        self._threads = whole(threads, "threads")
        return self

    def with_progress(self: _Builder, progress: Optional[ProgressFunction]) -> _Builder:
        """A function that is told, at most ten times a second, how far writing and committing are; what it raises ends them."""
        self._progress = function(progress, "progress")
        return self

    def with_prepare_only(self: _Builder, prepare_only: bool = True) -> _Builder:
        """Commits write their manifests and publish nothing: whoever commits sends table_requests() to the catalog that owns the table's versions."""
        self._prepare_only = prepare_only
        return self


class BatchWriteBuilder(WriteBuilder):
    """For a job that writes once and commits once."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self._static_partition: Optional[Mapping[str, Any]] = None

    def overwrite(self, static_partition: Optional[Mapping[str, Any]] = None) -> "BatchWriteBuilder":
        """What is there under these partition values goes; without any the whole table, or, with dynamic-partition-overwrite (the
        default of a partitioned table), the partitions that are written."""
        self._static_partition = {} if static_partition is None else mapping(static_partition, "static_partition")
        self._table._partition(self._static_partition)  # a commit would be late to refuse it
        return self

    def new_write(self) -> BatchTableWrite:
        return BatchTableWrite(self._table, self._threads, self._progress)

    def new_commit(self) -> BatchTableCommit:
        return BatchTableCommit(self._table, self.commit_user, self._static_partition, self._progress, self._prepare_only)


class StreamWriteBuilder(WriteBuilder):
    """For a job that goes on, and commits again and again under rising identifiers."""

    def new_write(self) -> StreamTableWrite:
        return StreamTableWrite(self._table, self._threads, self._progress)

    def new_commit(self) -> StreamTableCommit:
        return StreamTableCommit(self._table, self.commit_user, None, self._progress, self._prepare_only)
