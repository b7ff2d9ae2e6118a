"""A table as a dataset of pyarrow's: for those who ask a dataset for columns and filter, above all DuckDB.

    con = duckdb.connect()
    table.to_duckdb(con, "orders")
    con.sql("SELECT region, sum(amount) FROM orders WHERE day >= DATE '2024-03-01' GROUP BY region")

Columns and filter of a query come in as names and as a pyarrow expression. What we understand of the filter skips files, row groups and
pages, and is applied exactly; pyarrow applies the rest to what is left.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

import pyarrow
import pyarrow.dataset

from ._arrow_expression import split
from ._given import checked_arguments, columns as given_columns, told
from .predicate import Predicate, PredicateLike, as_predicate
from .read import TableRead, TableScan

if TYPE_CHECKING:
    from .arrow import BatchStream, ReadMetrics
    from .table import Table

__all__ = ["TableDataset", "TableScanner"]

_BATCH_ROWS = 131072
_PYARROW = {"batch_readahead", "fragment_readahead", "fragment_scan_options", "use_threads", "cache_metadata", "memory_pool"}


class TableScanner:
    """One scan of a dataset. Each of its methods reads anew."""

    def __init__(self, dataset: "TableDataset", columns: Any, expression: Any, batch_size: Optional[int]) -> None:
        self._dataset, self._columns, self._batch_rows = dataset, columns, min(batch_size or _BATCH_ROWS, 16777216)
        parts = None if expression is None else split(dataset._table, expression, dataset._ieee)
        self._rest = None if parts is None else parts.rest
        #: what the reader filters by
        self.predicate: Optional[Predicate] = dataset._predicate
        if parts is not None and parts.predicate is not None:
            self.predicate = parts.predicate if self.predicate is None else self.predicate & parts.predicate
        self._read_columns: Optional[list[str]] = None  # all
        if isinstance(columns, (list, tuple)) and (self._rest is None or (parts is not None and parts.columns is not None)):
            extra = [] if self._rest is None or parts is None else parts.columns or []
            self._read_columns = list(dict.fromkeys([*columns, *extra]))

    @property
    def dataset_schema(self) -> "pyarrow.Schema":
        return self._dataset.schema

    @property
    def projected_schema(self) -> "pyarrow.Schema":
        return self.to_reader().schema

    def to_reader(self) -> "pyarrow.RecordBatchReader":
        d = self._dataset
        read = TableRead(d._table, self.predicate, self._read_columns, None, d._threads, self._batch_rows)
        stream = read.to_stream(TableScan(d._table, self.predicate, None).plan())
        d._streams = [*d._streams[-15:], stream]
        reader = stream.to_arrow_batch_reader()
        if self._rest is None and (self._columns is None or isinstance(self._columns, (list, tuple))):
            return reader
        columns = self._columns if not isinstance(self._columns, tuple) else list(self._columns)
        return pyarrow.dataset.Scanner.from_batches(reader, columns=columns, filter=self._rest).to_reader()

    def to_batches(self) -> Iterator["pyarrow.RecordBatch"]:
        return iter(self.to_reader())

    def to_table(self) -> "pyarrow.Table":
        return self.to_reader().read_all()

    def count_rows(self) -> int:
        return sum(batch.num_rows for batch in self.to_reader())

    def head(self, num_rows: int) -> "pyarrow.Table":
        batches: list[Any] = []
        with self.to_reader() as reader:
            for batch in reader:
                batches.append(batch.slice(0, num_rows))
                num_rows -= len(batches[-1])
                if num_rows <= 0:
                    break
            return pyarrow.Table.from_batches(batches, reader.schema)


class TableDataset(pyarrow.dataset.Dataset):  # type: ignore[misc]  # DuckDB asks for this very class
    """A table, of the snapshot that is the latest when a scan begins (``table.at(…)`` holds one).

    :param filter: of our own, beside those of the queries
    :param ieee: a filter's comparisons of floats are pyarrow's: nothing is true of NaN but ``!=``. False: SQL's, for which NaN is the greatest
    """

    def __init__(self, table: "Table", filter: Optional[PredicateLike] = None, *, threads: int = 0, ieee: bool = True) -> None:
        # Not the base class's own, which forbids instances.
        self._table, self._predicate, self._threads, self._ieee = table, as_predicate(filter), threads, ieee
        self._streams: list["BatchStream"] = []

    @property
    def schema(self) -> "pyarrow.Schema":
        return pyarrow.schema(self._table.schema())

    @property
    def partition_expression(self) -> Any:
        return pyarrow.dataset.scalar(True)

    @property
    def scan_metrics(self) -> list["ReadMetrics"]:
        """What the last scans have cost and saved, oldest first."""
        return [m for s in self._streams if (m := s.metrics) is not None]

    def scanner(self, columns: Union[Sequence[str], dict[str, Any], None] = None, filter: Any = None, batch_size: Optional[int] = None,
                **options: Any) -> TableScanner:
        """Options for file formats and threads of pyarrow's are accepted and have no meaning here."""
        checked_arguments(options, _PYARROW, "scanner()")
        if filter is not None and not isinstance(filter, pyarrow.dataset.Expression):
            raise TypeError("a filter of a dataset is an expression of pyarrow's, not %s: a text is for to_dataset(filter=…)" % told(filter))
        if not isinstance(columns, dict):
            columns = given_columns(columns)
        return TableScanner(self, columns, filter, batch_size)

    def to_table(self, **options: Any) -> "pyarrow.Table":
        return self.scanner(**options).to_table()

    def to_batches(self, **options: Any) -> Iterator["pyarrow.RecordBatch"]:
        return self.scanner(**options).to_batches()

    def head(self, num_rows: int, **options: Any) -> "pyarrow.Table":
        return self.scanner(**options).head(num_rows)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        return self.scanner(columns=[], filter=filter, **options).count_rows()

    def get_fragments(self, filter: Any = None) -> Iterator[Any]:
        raise NotImplementedError("the files of a table are not fragments of pyarrow's; table.new_read_builder() plans them")

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._table, self._predicate, self._threads, self._ieee)


def _remade(table: "Table", predicate: Optional[Predicate], threads: int, ieee: bool) -> TableDataset:
    return TableDataset(table, predicate, threads=threads, ieee=ieee)
