"""Tables: a folder with its schema at one moment."""
from __future__ import annotations

import contextlib
import datetime
import os
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence, Union

from ._core import Options, Texts, call, struct, take_text, text, utf8
from ._given import mapping, name as given_name, overwriting, told, whole
from ._native import ffi, lib
from .environment import Environment, default_environment, environment_of
from .errors import CancelledError, ConflictError, InvalidError, PaimonError, StateError, UnsupportedError
from .predicate import PredicateLike
from .progress import ProgressFunction
from .read import ReadBuilder, Scan, connection_of
from .schema import Schema, TableSchema, as_schema
from .snapshot import Snapshot, SnapshotManager
from .versions import Versions, native_versions
from .write import BatchWriteBuilder, CommitResult, StreamWriteBuilder

if TYPE_CHECKING:
    import duckdb
    import pandas
    import pyarrow

    from .catalog import Identifier
    from .dataset import TableDataset

__all__ = ["Table", "open_table", "open_table_with_schema", "create_table"]


class Table:
    """A table with the schema, branch and options that it was opened with. Immutable, and safe to share between threads.

    It is Arrow data itself: ``pyarrow.table(table)`` reads all of it; scan() reads a part.
    """

    def __init__(self, pointer: Any, location: str, options: Mapping[str, Any], environment: Environment,
                 identifier: Optional["Identifier"] = None, owner: Optional["Owner"] = None) -> None:
        self._table: Any = ffi.gc(pointer, lib.paimon_table_free)
        self._owner = owner
        self._location, self._dynamic_options, self._environment = location, dict(options), environment
        self._schema: Optional[TableSchema] = None
        self.identifier = identifier

    # ---- what it is ----

    @property
    def path(self) -> str:
        """The folder."""
        return text(lib.paimon_table_path(self._table)) or ""

    @property
    def name(self) -> str:
        """The identifier if it came from a catalog, else the folder's name."""
        return str(self.identifier) if self.identifier is not None else self.path.rstrip("/").rpartition("/")[2]

    @property
    def branch(self) -> str:
        return text(lib.paimon_table_branch(self._table)) or "main"

    def current_branch(self) -> str:
        return self.branch

    @property
    def schema_id(self) -> int:
        return int(lib.paimon_table_schema_id(self._table))

    def schema(self) -> TableSchema:
        """The schema that the table was opened with: fields, keys, options; also an Arrow schema for whoever takes one."""
        if self._schema is None:
            self._schema = TableSchema(self._table, take_text(lib.paimon_table_schema_json, self._table))
        return self._schema

    @property
    def field_names(self) -> list[str]:
        return [text(lib.paimon_table_column(self._table, i)) or "" for i in range(lib.paimon_table_n_columns(self._table))]

    def column_types(self) -> dict[str, str]:
        """Each column's type as Paimon writes it."""
        return {name: take_text(lib.paimon_table_column_type, self._table, i) for i, name in enumerate(self.field_names)}

    @property
    def partition_keys(self) -> list[str]:
        return [text(lib.paimon_table_partition_key(self._table, i)) or "" for i in range(lib.paimon_table_n_partition_keys(self._table))]

    @property
    def primary_keys(self) -> list[str]:
        return [text(lib.paimon_table_primary_key(self._table, i)) or "" for i in range(lib.paimon_table_n_primary_keys(self._table))]

    @property
    def comment(self) -> Optional[str]:
        return text(lib.paimon_table_comment(self._table))

    @property
    def options(self) -> dict[str, str]:
        """The table's options, with those of copy() over them."""
        merged = dict(self.schema().options)
        merged.update({k: t for k in self._dynamic_options if (t := self.option(k)) is not None})
        return merged

    def option(self, key: str) -> Optional[str]:
        return text(lib.paimon_table_option(self._table, utf8(key)))

    # ---- the same table, seen otherwise ----

    def copy(self, options: Mapping[str, Any]) -> "Table":
        """The table with these dynamic options too: ``{"scan.snapshot-id": 5}``, ``{"branch": "b"}``. None takes one back."""
        merged = dict(self._dynamic_options)
        for key, value in mapping(options, "options").items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = value
        return self._opened_again(self._location, merged)

    def _opened_again(self, location: str, options: Mapping[str, Any]) -> "Table":
        return _open(location, options, self._environment, None, self._owner, self.identifier)

    def refresh(self) -> "Table":
        """The table with its newest schema."""
        return self.copy({})

    def at(self, snapshot_id: Optional[int] = None, *, tag: Optional[str] = None,
           timestamp: Union[datetime.datetime, int, None] = None, version: Optional[str] = None) -> "Table":
        """The table as it was: at a snapshot, a tag, a time (a datetime, or milliseconds since 1970), or a version (a tag or a snapshot)."""
        chosen: dict[str, Any] = {}
        if snapshot_id is not None:
            chosen["scan.snapshot-id"] = whole(snapshot_id, "snapshot_id")
        if tag is not None:
            chosen["scan.tag-name"] = tag
        if timestamp is not None:
            chosen["scan.timestamp-millis"] = int(timestamp.timestamp() * 1000) if isinstance(timestamp, datetime.datetime) else \
                whole(timestamp, "timestamp")
        if version is not None:
            chosen["scan.version"] = version
        if len(chosen) != 1:
            raise InvalidError("one of snapshot_id, tag, timestamp, version was expected, not %d" % len(chosen))
        return self.copy(chosen)

    # ---- reading ----

    def new_read_builder(self) -> ReadBuilder:
        return ReadBuilder(self)

    def scan(self, filter: Optional[PredicateLike] = None, columns: Optional[Sequence[str]] = None, limit: Optional[int] = None, *,
             threads: int = 0, batch_rows: int = 0, progress: Optional[ProgressFunction] = None) -> Scan:
        """Rows for which the filter is true (a text as in SQL's WHERE, or a Predicate), the columns asked for, at most `limit` rows."""
        builder = ReadBuilder(self).with_filter(filter).with_projection(columns).with_limit(limit)
        return Scan(builder.with_threads(threads).with_batch_rows(batch_rows).with_progress(progress))

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self.scan().__arrow_c_stream__()

    def __arrow_c_schema__(self) -> object:
        return self.schema().__arrow_c_schema__()

    def to_arrow(self) -> "pyarrow.Table":
        return self.scan().to_arrow()

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        return self.scan().to_pandas(**options)

    def to_pylist(self) -> list[dict[str, Any]]:
        return self.scan().to_pylist()

    def to_dataset(self, filter: Optional[PredicateLike] = None, *, threads: int = 0) -> "TableDataset":
        """A dataset of pyarrow's, for those who hand columns and filters over to one."""
        from .dataset import TableDataset

        return TableDataset(self, filter, threads=threads)

    def to_duckdb(self, connection: Optional["duckdb.DuckDBPyConnection"] = None, name: Optional[str] = None, *,
                  filter: Optional[PredicateLike] = None, threads: int = 0) -> "duckdb.DuckDBPyRelation":
        """Make the table known to a connection under a name (None: its folder's), and give it as a relation.

        With pyarrow at hand, the columns and filters of each query reach the files; without it, DuckDB reads all and filters itself.
        Each query reads the snapshot that is the latest then; ``table.at(…)`` holds one.

        :param connection: None: DuckDB's default one
        :param filter: of our own, beside those of the queries, for what DuckDB does not hand over
        """
        import duckdb

        name = name or self.path.rstrip("/").rpartition("/")[2]
        connection = duckdb.default_connection() if connection is None else connection_of(connection)
        try:
            from .dataset import TableDataset

            source: Any = TableDataset(self, filter, threads=threads, ieee=False)
        except ImportError:
            source = self.scan(filter, threads=threads)
        connection.register(name, source)
        return connection.view(name)

    # ---- writing ----

    def new_batch_write_builder(self) -> BatchWriteBuilder:
        return BatchWriteBuilder(self)

    def new_stream_write_builder(self) -> StreamWriteBuilder:
        return StreamWriteBuilder(self)

    def write(self, data: Any, *, overwrite: Union[bool, Mapping[str, Any]] = False, properties: Optional[Mapping[str, str]] = None,
              threads: int = 0, progress: Optional[ProgressFunction] = None) -> CommitResult:
        """Write rows and commit them.

        :param data: anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``, or a list or generator of such, or (with pyarrow) of dicts
        :param overwrite: True replaces what is there; a mapping, what is there under these partition values
        """
        Options(properties, what="properties")  # a commit would be late to refuse them
        builder = self.new_batch_write_builder().with_threads(threads).with_progress(progress)
        replaced = overwriting(overwrite)
        if replaced is not None:
            builder.overwrite(replaced)
        with builder.new_write() as writer, builder.new_commit() as committer:
            _write_anything(writer, data)
            messages = writer.prepare_commit()
            try:
                return committer.commit(messages, properties)
            except (CancelledError, ConflictError, InvalidError, StateError, UnsupportedError):  # these say that nothing was committed
                with contextlib.suppress(PaimonError):  # the first failure is the one to tell
                    committer.abort(messages)
                raise

    def truncate(self) -> CommitResult:
        """Take all rows out."""
        with self.new_batch_write_builder().new_commit() as committer:
            return committer.truncate_table()

    def drop_partitions(self, partitions: Sequence[Mapping[str, Any]]) -> CommitResult:
        """Take partitions out, each given by all or some of its columns."""
        with self.new_batch_write_builder().new_commit() as committer:
            return committer.truncate_partitions(partitions)

    def set_options(self, changes: Mapping[str, Any]) -> "Table":
        """Set options, or unset those that are None: a new schema version. Gives the table with it."""
        pairs = Options(changes, unset=True, what="changes")
        call(lib.paimon_table_set_options, self._table, pairs.pointer, pairs.n)
        return self.refresh()

    def _partition(self, values: Mapping[str, Any]) -> Options:
        """Partition values as Paimon spells them in paths; None by the name for null."""
        null = self.option("partition.default-name") or "__DEFAULT_PARTITION__"
        return Options({key: null if value is None else value for key, value in mapping(values, "a partition").items()}, what="partition")

    # ---- snapshots ----

    def latest_snapshot(self) -> Optional[Snapshot]:
        """None: the table has none."""
        out = ffi.new("int64_t *")
        call(lib.paimon_table_latest_snapshot_id, self._table, out)
        return self.snapshot(out[0]) if out[0] else None

    def snapshot(self, snapshot_id: int) -> Snapshot:
        return Snapshot(take_text(lib.paimon_table_snapshot_json, self._table, whole(snapshot_id, "snapshot_id")))

    def snapshot_ids(self) -> list[int]:
        """All that have not expired, oldest first."""
        out, n = ffi.new("int64_t **"), ffi.new("size_t *")
        call(lib.paimon_table_snapshot_ids, self._table, out, n)
        try:
            return [out[0][i] for i in range(n[0])]
        finally:
            lib.paimon_int64_free(out[0], n[0])

    def snapshots(self) -> list[Snapshot]:
        """All that have not expired, oldest first."""
        return [self.snapshot(i) for i in self.snapshot_ids()]

    def snapshot_manager(self) -> SnapshotManager:
        return SnapshotManager(self)

    # ---- between processes ----

    def __reduce__(self) -> tuple[Any, ...]:
        """Path, schema and options travel, so that a worker lists no folder and reads no schema."""
        if self._environment is not default_environment():
            raise TypeError("a table of an environment of its own cannot be pickled: open it where it is needed, with open_table_with_schema()")
        return _reopen, (self._location, self.schema().json, self._dynamic_options, self.identifier, self._owner)

    def __repr__(self) -> str:
        return "<paimon_c.Table %s: %s>" % (self.path, ", ".join("%s %s" % (n, t) for n, t in self.column_types().items()))


def _write_anything(writer: Any, data: Any) -> None:
    if type(data).__module__.partition(".")[0] == "pandas":  # whose own Arrow form has the index in it, and is not there in old versions
        writer.write_pandas(data)
        return
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        writer.write_arrow(data)
        return
    if isinstance(data, (str, bytes, Mapping)) or not hasattr(data, "__iter__"):
        hint = ": put a row into a list" if isinstance(data, Mapping) else ""
        raise TypeError("Arrow data was expected (anything with __arrow_c_stream__ or __arrow_c_array__), or a list of dicts, not %s%s"
                        % (told(data), hint))
    rows: list[Any] = []
    for item in data:
        if isinstance(item, Mapping):
            rows.append(item)
            if len(rows) == 65536:
                writer.write_pylist(rows)
                rows = []
        else:
            writer.write_arrow(item)
    if rows:
        writer.write_pylist(rows)


class Owner(NamedTuple):
    """The catalog that a table's versions belong to, and what it calls the table."""

    versions: Optional[Versions]
    table_id: Optional[str]
    table_name: Optional[str]


def _open(path: Union[str, "os.PathLike[str]"], options: Optional[Mapping[str, Any]], environment: Optional[Environment], schema_json: Optional[str],
          owner: Optional[Owner], identifier: Optional["Identifier"] = None) -> Table:
    environment = environment_of(environment)
    pairs, texts = Options(options), Texts([schema_json, owner and owner.table_id, owner and owner.table_name])
    how = struct("paimon_table_open_options")
    how.options, how.n_options = pairs.pointer, pairs.n
    how.schema_json, how.table_id, how.table_name = texts.pointer[0], texts.pointer[1], texts.pointer[2]
    if owner is not None and owner.versions is not None:
        how.versions = held = native_versions(owner.versions)
    out = ffi.new("paimon_table **")
    call(lib.paimon_table_open_with, environment._env, utf8(path), how, out)
    return Table(out[0], os.fspath(path), options or {}, environment, identifier, owner)


def open_table(path: Union[str, "os.PathLike[str]"], options: Optional[Mapping[str, Any]] = None, *, environment: Optional[Environment] = None,
               versions: Optional[Versions] = None, table_id: Optional[str] = None, table_name: Optional[str] = None) -> Table:
    """Open the table in a folder (a path or URI, optionally with "$branch_NAME" behind), with dynamic options.

    :param versions: of a catalog that owns the table's versions; None: its files tell
    :param table_id: the catalog's id of the table, for its commit requests
    :param table_name: the table's name in the catalog, without branch; None: that of its folder
    """
    return _open(path, options, environment, None, Owner(versions, table_id, table_name))


def create_table(path: Union[str, "os.PathLike[str]"], schema: Schema, *, ignore_if_exists: bool = False,
                 environment: Optional[Environment] = None) -> Table:
    """Create a table in a folder without a catalog, and open it."""
    from .errors import AlreadyExistsError

    environment = environment_of(environment)
    definition, held = as_schema(schema)._definition()
    try:
        call(lib.paimon_table_create, environment._env, utf8(path), definition)
    except AlreadyExistsError:
        if not ignore_if_exists:
            raise
    del held
    return open_table(path, environment=environment)


def open_table_with_schema(path: Union[str, "os.PathLike[str]"], schema_json: str, options: Optional[Mapping[str, Any]] = None, *,
                           environment: Optional[Environment] = None, versions: Optional[Versions] = None, table_id: Optional[str] = None,
                           table_name: Optional[str] = None) -> Table:
    """Open a table of which path and schema (TableSchema.json) are known already: no folder is listed and no file read. The rest as open_table()."""
    return _open(path, options, environment, given_name(schema_json, "schema_json"), Owner(versions, table_id, table_name))


def _reopen(location: str, schema_json: str, options: Mapping[str, Any], identifier: Any, owner: Optional[Owner] = None) -> Table:
    return _open(location, options, None, schema_json, owner, identifier)
