"""Arrow in and out, through the PyCapsule interface: no Arrow library is needed, and any of them understands us.

A BatchStream is what reading gives. It can be handed over whole (``pyarrow.table(stream)``, ``polars.from_arrow``, DuckDB, nanoarrow: everything that
knows ``__arrow_c_stream__``), or walked batch by batch. Nothing is copied on the way: the buffers are those that the library decoded into.
"""
from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence, Union

from . import _capsule, _values
from ._core import Texts, call, stream_error, struct, take_stopped, utf8
from ._given import columns as given_columns, whole
from ._native import ffi, lib
from .environment import Environment, environment_of, processors
from .errors import InvalidError, StateError

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Batch", "BatchStream", "ReadMetrics", "SchemaCapsule"]


class ReadMetrics(NamedTuple):
    """What a stream has cost and saved so far."""

    files: int
    bytes_read: int
    rows_total: int
    rows_skipped_stats: int
    rows_returned: int


class SchemaCapsule:
    """An Arrow schema that anyone may have a copy of."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule
        self._schema: Any = ffi.cast("struct ArrowSchema *", _capsule.address(capsule, "arrow_schema"))

    def __arrow_c_schema__(self) -> object:
        return _capsule.copy_schema(self._capsule)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [_values.name_of(self._schema.children[i]) for i in range(self._schema.n_children)]


class Batch:
    """Some rows: a struct array. ``pyarrow.record_batch(batch)``, ``nanoarrow.array(batch)`` and the like share its buffers."""

    def __init__(self, schema: SchemaCapsule, array_capsule: object) -> None:
        self.schema = schema
        self._shared, where = _capsule.share_array(array_capsule)
        self._array: Any = ffi.cast("struct ArrowArray *", where)

    def __len__(self) -> int:
        return int(self._array.length)

    @property
    def num_rows(self) -> int:
        return int(self._array.length)

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> tuple[object, object]:
        """The batch as it is; another schema is for the consumer to cast to."""
        return self.schema.__arrow_c_schema__(), _capsule.view_array(self._shared)

    def to_pydict(self) -> dict[str, list[Any]]:
        """Columns as lists of Python values."""
        return _values.columns(self.schema._schema, self._array)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Rows as dicts of Python values."""
        columns = self.to_pydict()
        if not columns:
            return [{} for _ in range(len(self))]
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples of Python values."""
        columns = _values.columns_in_order(self.schema._schema, self._array)
        return iter(zip(*columns)) if columns else iter([()] * len(self))

    def __repr__(self) -> str:
        return "<paimon_c.Batch, %d rows of %s>" % (len(self), ", ".join(self.schema.names))


class BatchStream:
    """Batches of rows, once through. Also a context manager; closing early frees what was decoded ahead."""

    def __init__(self, capsule: object, held: object = None) -> None:
        self._capsule: Optional[object] = capsule
        self._held = held  # what hears of its progress
        self._stream: Any = ffi.cast("struct ArrowArrayStream *", _capsule.address(capsule, "arrow_array_stream"))
        self._schema: Optional[SchemaCapsule] = None
        self._reader: Any = None
        self._lock = threading.RLock()  # a stream is used by one thread at a time
        if self._stream.release == ffi.NULL:
            raise InvalidError("this stream was handed over already")
        out = ffi.new("paimon_reader **")
        # Streams of others have no such handle.
        if lib.paimon_reader_of(self._stream, out, ffi.NULL) == 0:
            self._reader = ffi.gc(out[0], lib.paimon_reader_free)

    def _open(self) -> Any:
        if self._capsule is None or self._stream.release == ffi.NULL:
            raise StateError("this stream is closed, or was handed over")
        return self._stream

    @property
    def schema(self) -> SchemaCapsule:
        """Stays when the stream is closed."""
        with self._lock:
            if self._schema is None:
                stream = self._open()
                capsule = _capsule.new_schema()
                out = ffi.cast("struct ArrowSchema *", _capsule.address(capsule, "arrow_schema"))
                errno = stream.get_schema(stream, out)
                if errno != 0:
                    raise stream_error(stream, errno)
                self._schema = SchemaCapsule(capsule)
            return self._schema

    def read_next_batch(self) -> Batch:
        """The next batch; StopIteration after the last one."""
        capsule = _capsule.new_array()
        out = ffi.cast("struct ArrowArray *", _capsule.address(capsule, "arrow_array"))
        with self._lock:
            stream, schema = self._open(), self.schema
            errno = stream.get_next(stream, out)
            if errno != 0:
                raise stream_error(stream, errno)
        if out.release == ffi.NULL:
            raise StopIteration
        return Batch(schema, capsule)

    def __iter__(self) -> "BatchStream":
        return self

    __next__ = read_next_batch

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """Hand the stream over, as it is; another schema is for the consumer to cast to."""
        with self._lock:
            self._open()
            capsule, self._capsule = self._capsule, None
            return capsule

    def cancel(self) -> None:
        """From any thread, also when the stream was handed over: its next call fails soon, as cancelled."""
        if self._reader is not None:
            lib.paimon_reader_cancel(self._reader)

    @property
    def metrics(self) -> Optional[ReadMetrics]:
        """Numbers as they stand, also when the stream was handed over. None for a stream of someone else."""
        if self._reader is None:
            return None
        m = struct("paimon_read_metrics")
        lib.paimon_reader_metrics(self._reader, m)
        return ReadMetrics(m.files, m.bytes_read, m.rows_total, m.rows_skipped_stats, m.rows_returned)

    def close(self) -> None:
        """Let go of files and memory. Batches stay valid."""
        with self._lock:
            self._capsule = None  # which releases the stream, unless someone else holds it

    def __enter__(self) -> "BatchStream":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ---- by libraries that the caller has ----

    def to_arrow(self) -> "pyarrow.Table":
        reader = self.to_arrow_batch_reader()
        try:
            return reader.read_all()
        except Exception:
            stopped = take_stopped()  # pyarrow knows only that the stream was cancelled
            if stopped is None:
                raise
        raise stopped

    def to_arrow_batch_reader(self) -> "pyarrow.RecordBatchReader":
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self)

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        return self.to_arrow().to_pandas(**options)


# ---- what comes in ----


def take_schema(data: Any) -> Any:
    """A capsule with the schema of anything that has one."""
    if hasattr(data, "__arrow_c_schema__"):
        return data.__arrow_c_schema__()
    raise TypeError("an Arrow schema was expected (anything with __arrow_c_schema__), not %s" % type(data).__name__)


class Incoming:
    """Batches of someone else's, to be moved into the library: (schema, arrays) of structs."""

    def __init__(self, data: Any) -> None:
        self._held: list[object] = []  # capsules whose content is not moved out yet
        self._stream: Any = None
        self._array: Any = None
        if hasattr(data, "__arrow_c_stream__"):
            self._stream = self._content(data.__arrow_c_stream__(), "arrow_array_stream", "struct ArrowArrayStream *")
            self._held.append(_capsule.new_schema())
            self.schema: Any = ffi.cast("struct ArrowSchema *", _capsule.address(self._held[-1], "arrow_schema"))
            errno = self._stream.get_schema(self._stream, self.schema)
            if errno != 0:
                raise stream_error(self._stream, errno)
        elif hasattr(data, "__arrow_c_array__"):
            schema, array = data.__arrow_c_array__()
            self.schema = self._content(schema, "arrow_schema", "struct ArrowSchema *")
            self._array = self._content(array, "arrow_array", "struct ArrowArray *")
        else:
            raise TypeError("Arrow data was expected (anything with __arrow_c_stream__ or __arrow_c_array__), not %s" % type(data).__name__)
        if ffi.string(self.schema.format) != b"+s":
            raise InvalidError("rows were expected (a table, a record batch, a struct array), not an array of format '%s'"
                               % ffi.string(self.schema.format).decode())

    def _content(self, capsule: object, name: str, pointer: str) -> Any:
        content = ffi.cast(pointer, _capsule.address(capsule, name))
        if content.release == ffi.NULL:
            raise InvalidError("this Arrow data was handed over already")
        self._held.append(capsule)
        return content

    def arrays(self) -> Iterator[Any]:
        """Each array in its turn, to be moved (or released) before the next is asked for."""
        if self._array is not None:
            yield self._array
            return
        while True:
            capsule = _capsule.new_array()
            array = ffi.cast("struct ArrowArray *", _capsule.address(capsule, "arrow_array"))
            errno = self._stream.get_next(self._stream, array)
            if errno != 0:
                raise stream_error(self._stream, errno)
            if array.release == ffi.NULL:
                return
            yield array


def signature(schema: Any) -> tuple[Any, ...]:
    """What makes two schemas the same to a writer: names, formats, nesting."""
    return (
        bytes(ffi.string(schema.format)),
        b"" if schema.name == ffi.NULL else bytes(ffi.string(schema.name)),
        tuple(signature(schema.children[i]) for i in range(schema.n_children)),
        () if schema.dictionary == ffi.NULL else signature(schema.dictionary),
    )


def open_file(path: Union[str, "os.PathLike[str]"], *, columns: Optional[Sequence[str]] = None, batch_rows: int = 0, threads: int = 0,
              verify_checksums: bool = False, environment: Optional[Environment] = None) -> BatchStream:
    """A bare data file, without a table, as a stream of batches. Arrow types that Paimon lacks may come out."""
    options, chosen = struct("paimon_format_options"), given_columns(columns)
    names = Texts(chosen or [])
    if chosen is not None:
        options.columns = names.pointer if chosen else ffi.new("const char *[1]")
        options.n_columns = names.n
    options.batch_rows, options.verify_checksums = whole(batch_rows, "batch_rows"), verify_checksums
    options.n_threads = whole(threads, "threads") or processors()
    capsule = _capsule.new_stream()
    call(lib.paimon_format_open, environment_of(environment)._env, utf8(path), options,
         ffi.cast("struct ArrowArrayStream *", _capsule.address(capsule, "arrow_array_stream")))
    return BatchStream(capsule)
