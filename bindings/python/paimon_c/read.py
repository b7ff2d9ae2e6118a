"""Reading: which files (a scan gives a plan of splits), and then which rows (a read gives Arrow)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _capsule
from ._core import Texts, call, struct, take_bytes, take_text, text
from ._given import blob, columns as given_columns, function, items, told, whole
from ._native import ffi, lib
from .arrow import BatchStream, SchemaCapsule
from .environment import Environment, environment_of, processors
from .errors import InvalidError, UnsupportedError
from .predicate import Predicate, PredicateBuilder, PredicateLike, as_predicate
from .progress import ProgressFunction, watch

if TYPE_CHECKING:
    import duckdb
    import pandas
    import pyarrow

    from .table import Table

__all__ = ["DataFile", "Split", "Plan", "PlanMetrics", "TableScan", "TableRead", "ReadBuilder", "Row", "Scan"]


# A loop's variable holds a batch while the next one is decoded. Of wide rows, two of the library's own batches leave the caches; two of these do not.
_WALKED_ROWS = 8192
_WIDE = 8


class DataFile(NamedTuple):
    """A file of a split."""

    file_name: str
    row_count: int
    file_size: int


class PlanMetrics(NamedTuple):
    """What planning has cost and saved."""

    manifests_read: int
    manifests_skipped: int
    entries: int
    entries_skipped_partition: int
    entries_skipped_bucket: int
    entries_skipped_stats: int
    files: int
    rows: int
    bytes: int
    bytes_read: int
    time_us: int


class Split:
    """What one task reads: files of one partition and bucket. Immutable; it outlives its plan."""

    def __init__(self, pointer: Any) -> None:
        self._split: Any = ffi.gc(pointer, lib.paimon_split_free)

    @property
    def row_count(self) -> int:
        """Rows of its files, as their manifest counts them."""
        return int(lib.paimon_split_row_count(self._split))

    @property
    def file_size(self) -> int:
        """Bytes of its files as stored."""
        return int(lib.paimon_split_size_bytes(self._split))

    @property
    def bucket(self) -> int:
        return int(lib.paimon_split_bucket(self._split))

    @property
    def total_buckets(self) -> int:
        """How many buckets the partition had when it was written; -1: it is not bucketed."""
        return int(lib.paimon_split_total_buckets(self._split))

    @property
    def snapshot_id(self) -> int:
        return int(lib.paimon_split_snapshot_id(self._split))

    @property
    def bucket_path(self) -> str:
        """The folder of its files."""
        return text(lib.paimon_split_bucket_path(self._split)) or ""

    @property
    def files(self) -> list[DataFile]:
        """In reading order."""
        s = self._split
        return [DataFile(text(lib.paimon_split_file_name(s, i)) or "", lib.paimon_split_file_rows(s, i), lib.paimon_split_file_size_bytes(s, i))
                for i in range(lib.paimon_split_n_files(s))]

    @property
    def file_paths(self) -> list[str]:
        folder = self.bucket_path
        return [folder + "/" + f.file_name for f in self.files]

    def to_json(self) -> str:
        """All that the split says, for people."""
        return take_text(lib.paimon_split_json, self._split)

    def to_bytes(self, version: int = 0) -> bytes:
        """The bytes that Paimon Java gives the split; 0: the newest version, 8: the one that Java 1.3 reads."""
        return take_bytes(lib.paimon_split_serialize, self._split, whole(version, "version"))

    @staticmethod
    def from_bytes(data: Union[bytes, bytearray, memoryview], environment: Optional[Environment] = None) -> "Split":
        """Of the bytes of to_bytes(), or of Java's, in any version."""
        held, out = blob(data, "a split's bytes"), ffi.new("paimon_split **")
        call(lib.paimon_split_deserialize, environment_of(environment)._env, held, len(held), out)
        return Split(out[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Split.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return "<paimon_c.Split of %d files, %d rows, bucket %d of %s>" % (len(self.files), self.row_count, self.bucket, self.bucket_path)


class Plan:
    """The splits of a table at one snapshot."""

    def __init__(self, pointer: Any) -> None:
        self._plan: Any = ffi.gc(pointer, lib.paimon_plan_free)
        self._splits: Optional[list[Split]] = None

    @property
    def snapshot_id(self) -> Optional[int]:
        """None: the table has no snapshot."""
        return lib.paimon_plan_snapshot_id(self._plan) or None

    @property
    def n_files(self) -> int:
        return int(lib.paimon_plan_n_files(self._plan))

    @property
    def metrics(self) -> PlanMetrics:
        """What planning has cost and saved."""
        m = struct("paimon_scan_metrics")
        lib.paimon_plan_metrics(self._plan, m)
        return PlanMetrics(*(getattr(m, name) for name in PlanMetrics._fields))

    def splits(self) -> list[Split]:
        """In the order that Paimon Java gives them."""
        if self._splits is None:
            n = lib.paimon_plan_n_splits(self._plan)
            self._splits = [Split(lib.paimon_split_retain(lib.paimon_plan_split(self._plan, i))) for i in range(n)]
        return list(self._splits)

    def __len__(self) -> int:
        return int(lib.paimon_plan_n_splits(self._plan))

    def __iter__(self) -> Iterator[Split]:
        return iter(self.splits())

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self.splits(),)

    def __repr__(self) -> str:
        return "<paimon_c.Plan of %d splits, %d files, snapshot %s>" % (len(self), self.n_files, self.snapshot_id)


def _limit(value: Optional[int]) -> Optional[int]:
    return None if value is None else _count(value, "limit")


def _count(value: int, what: str) -> int:
    number = whole(value, what)
    if number < 0:
        raise InvalidError("%s cannot be negative: %d" % (what, number))
    return number


class TableScan:
    """Decides which files have to be read."""

    def __init__(self, table: "Table", predicate: Optional[PredicateLike], limit: Optional[int], progress: Optional[ProgressFunction] = None) -> None:
        self._table, self._predicate, self._limit, self._progress = table, as_predicate(predicate), _limit(limit), progress

    def plan(self) -> Plan:
        """Of the latest snapshot, or of the one that the table travels to."""
        out = ffi.new("paimon_scan **")
        call(lib.paimon_scan_new, self._table._table, out)
        scan = ffi.gc(out[0], lib.paimon_scan_free)
        if self._predicate is not None:
            call(lib.paimon_scan_set_predicate, scan, self._predicate._predicate)
        if self._limit is not None:
            call(lib.paimon_scan_set_limit, scan, self._limit)
        watch(self, lib.paimon_scan_set_progress, scan, self._progress)
        plan = ffi.new("paimon_plan **")
        call(lib.paimon_scan_plan, scan, plan)
        return Plan(plan[0])


class Row(tuple):  # type: ignore[type-arg]
    """A row of Python values, by position, or by name with get_field()."""

    names: tuple[str, ...] = ()

    def get_field(self, field: Union[int, str]) -> Any:
        return self[self.names.index(field)] if isinstance(field, str) else self[field]

    def as_dict(self) -> dict[str, Any]:
        return dict(zip(self.names, self))


class TableRead:
    """Reads splits of a table: exactly the rows for which the predicate is true, and only the columns asked for."""

    def __init__(self, table: "Table", predicate: Optional[PredicateLike] = None, columns: Optional[Sequence[str]] = None,
                 limit: Optional[int] = None, threads: int = 0, batch_rows: int = 0, progress: Optional[ProgressFunction] = None) -> None:
        self._table, self._progress, predicate = table, progress, as_predicate(predicate)
        columns, limit, threads, batch_rows = given_columns(columns), _limit(limit), _count(threads, "threads"), _count(batch_rows, "batch_rows")
        out = ffi.new("paimon_read **")
        call(lib.paimon_read_new, table._table, out)
        read: Any = ffi.gc(out[0], lib.paimon_read_free)
        if columns is not None:
            names = Texts(columns)
            call(lib.paimon_read_set_columns, read, names.pointer if names.n else ffi.new("const char *[1]"), names.n)
        if predicate is not None:
            call(lib.paimon_read_set_predicate, read, predicate._predicate)
        if limit is not None:
            call(lib.paimon_read_set_limit, read, limit)
        if batch_rows:
            call(lib.paimon_read_set_batch_rows, read, batch_rows)
        call(lib.paimon_read_set_threads, read, threads or processors())
        watch(self, lib.paimon_read_set_progress, read, progress)
        self._read, self._threads = read, threads
        self._arguments = (predicate, columns, limit, batch_rows)

    def _with_threads(self, parallelism: Optional[int]) -> "TableRead":
        if parallelism is None:
            return self
        predicate, columns, limit, batch_rows = self._arguments
        return TableRead(self._table, predicate, columns, limit, parallelism, batch_rows, self._progress)

    def to_stream(self, splits: Union[Plan, Iterable[Split]], parallelism: Optional[int] = None) -> BatchStream:
        """The rows of these splits, in their order, as Arrow: for anything that takes ``__arrow_c_stream__``, and with no library needed."""
        reader = self._with_threads(parallelism)
        read = reader._read
        capsule = _capsule.new_stream()
        stream = ffi.cast("struct ArrowArrayStream *", _capsule.address(capsule, "arrow_array_stream"))
        if isinstance(splits, Plan):
            call(lib.paimon_read_plan, read, splits._plan, stream)
        else:
            given = items(splits, Split, "splits")
            pointers = ffi.new("paimon_split *[]", [s._split for s in given]) if given else ffi.NULL
            call(lib.paimon_read_splits, read, pointers, len(given), stream)
        return BatchStream(capsule, held=reader)

    def __reduce__(self) -> tuple[Any, ...]:
        predicate, columns, limit, batch_rows = self._arguments
        return TableRead, (self._table, predicate, columns, limit, self._threads, batch_rows)

    def schema(self) -> SchemaCapsule:
        """The columns that come out."""
        with self.to_stream([]) as stream:
            return stream.schema

    def __arrow_c_schema__(self) -> object:
        return self.schema().__arrow_c_schema__()

    def to_arrow(self, splits: Union[Plan, Iterable[Split]], parallelism: Optional[int] = None) -> "pyarrow.Table":
        return self.to_stream(splits, parallelism).to_arrow()

    def to_arrow_batch_reader(self, splits: Union[Plan, Iterable[Split]], parallelism: Optional[int] = None) -> "pyarrow.RecordBatchReader":
        return self.to_stream(splits, parallelism).to_arrow_batch_reader()

    def to_pandas(self, splits: Union[Plan, Iterable[Split]], parallelism: Optional[int] = None) -> "pandas.DataFrame":
        return self.to_stream(splits, parallelism).to_pandas()

    def to_duckdb(self, splits: Union[Plan, Iterable[Split]], table_name: str, connection: Optional["duckdb.DuckDBPyConnection"] = None,
                  parallelism: Optional[int] = None) -> "duckdb.DuckDBPyConnection":
        """A connection in which the rows are a view of that name."""
        import duckdb

        connection = duckdb.connect() if connection is None else connection_of(connection)
        connection.register(table_name, self.to_arrow(splits, parallelism))
        return connection

    def to_iterator(self, splits: Union[Plan, Iterable[Split]]) -> Iterator[Row]:
        """Row by row, as Python values."""
        with self.to_stream(splits) as stream:
            made = type("Row", (Row,), {"names": tuple(stream.schema.names), "__slots__": ()})
            for batch in stream:
                for row in batch.rows():
                    yield made(row)

    def to_pylist(self, splits: Union[Plan, Iterable[Split]]) -> list[dict[str, Any]]:
        """All rows as dicts of Python values."""
        with self.to_stream(splits) as stream:
            return [row for batch in stream for row in batch.to_pylist()]


def connection_of(given: Any) -> Any:
    if not hasattr(given, "register"):
        raise TypeError("connection is one of DuckDB, not %s" % told(given))
    return given


class ReadBuilder:
    """What to read, said once, for the scan and for the reads of its splits."""

    def __init__(self, table: "Table") -> None:
        self._table = table
        self._predicate: Optional[Predicate] = None
        self._columns: Optional[list[str]] = None
        self._limit: Optional[int] = None
        self._threads = 0
        self._batch_rows = 0
        self._progress: Optional[ProgressFunction] = None

    def with_filter(self, predicate: Optional[PredicateLike]) -> "ReadBuilder":
        """A Predicate, or its text."""
        self._predicate = as_predicate(predicate)
        return self

    def with_projection(self, projection: Optional[Sequence[str]]) -> "ReadBuilder":
        """Columns in the order wanted; "a.b" asks for a field of a row."""
        if isinstance(projection, Mapping):
            raise UnsupportedError("a projection that is not a list of names is not supported yet")
        self._columns = given_columns(projection)
        return self

    def with_limit(self, limit: Optional[int]) -> "ReadBuilder":
        self._limit = _limit(limit)
        return self

    def with_threads(self, threads: int) -> "ReadBuilder":
        """How many threads decode at once; 0: one a processor."""
        self._threads = _count(threads, "threads")
        return self

    def with_batch_rows(self, rows: int) -> "ReadBuilder":
        """Upper bound of rows a batch."""
        self._batch_rows = _count(rows, "batch_rows")
        return self

    def with_progress(self, progress: Optional[ProgressFunction]) -> "ReadBuilder":
        """A function that is told, at most ten times a second, how far planning and reading are; what it raises ends them."""
        self._progress = function(progress, "progress")
        return self

    def new_predicate_builder(self) -> PredicateBuilder:
        return PredicateBuilder()

    def new_scan(self) -> TableScan:
        return TableScan(self._table, self._predicate, self._limit, self._progress)

    def new_read(self) -> TableRead:
        return TableRead(self._table, self._predicate, self._columns, self._limit, self._threads, self._batch_rows, self._progress)

    def read_type(self) -> SchemaCapsule:
        """The columns that come out."""
        return self.new_read().schema()


class Scan:
    """Rows of a table, still to be read: ``pyarrow.table(scan)``, ``polars.DataFrame(scan)``, ``duckdb.sql("FROM scan")``, or the methods below.

    Each use plans anew, so it sees the latest snapshot (or the one that the table travels to).
    """

    def __init__(self, builder: ReadBuilder) -> None:
        self._builder = builder

    def plan(self) -> Plan:
        return self._builder.new_scan().plan()

    def read(self) -> TableRead:
        return self._builder.new_read()

    def open(self) -> BatchStream:
        """The rows as a stream of batches, to be walked."""
        b = self._builder
        n_columns = len(b._table.field_names if b._columns is None else b._columns)
        batch_rows = b._batch_rows or (_WALKED_ROWS if n_columns >= _WIDE else 0)
        return TableRead(b._table, b._predicate, b._columns, b._limit, b._threads, batch_rows, b._progress).to_stream(self.plan())

    def _whole(self) -> BatchStream:
        """To be handed over."""
        return self.read().to_stream(self.plan())

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._whole().__arrow_c_stream__()

    def __arrow_c_schema__(self) -> object:
        return self.read().__arrow_c_schema__()

    def __iter__(self) -> Iterator[Row]:
        """Row by row, as Python values."""
        return self.read().to_iterator(self.plan())

    def to_batches(self) -> BatchStream:
        return self.open()

    def to_arrow(self) -> "pyarrow.Table":
        return self._whole().to_arrow()

    def to_arrow_batch_reader(self) -> "pyarrow.RecordBatchReader":
        return self._whole().to_arrow_batch_reader()

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        return self._whole().to_pandas(**options)

    def to_pylist(self) -> list[dict[str, Any]]:
        return self.read().to_pylist(self.plan())

    def to_pydict(self) -> dict[str, list[Any]]:
        """Columns as lists of Python values."""
        with self.open() as stream:
            columns: dict[str, list[Any]] = {name: [] for name in stream.schema.names}
            for batch in stream:
                for name, values in batch.to_pydict().items():
                    columns[name] += values
            return columns

    def count(self) -> int:
        """How many rows there are; decodes only what the filter needs."""
        b = self._builder
        read = TableRead(b._table, b._predicate, [], b._limit, b._threads, b._batch_rows, b._progress)
        with read.to_stream(self.plan()) as stream:
            return sum(len(batch) for batch in stream)

    def __repr__(self) -> str:
        b = self._builder
        where = "" if b._predicate is None else " where %s" % b._predicate
        return "<paimon_c.Scan of %s%s>" % (b._table.path, where)
