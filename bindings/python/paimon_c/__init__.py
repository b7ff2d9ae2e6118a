"""Apache Paimon tables, read and written natively; Arrow in and out.

    import paimon_c
    table = paimon_c.open_table("/warehouse/shop.db/orders")
    rows = table.scan("region = 'EU' AND amount > 100", columns=["order_id", "amount"])
    pyarrow.table(rows)          # or polars.DataFrame(rows), duckdb.sql("FROM rows"), rows.to_pandas(), rows.to_pylist()

The classes that users of pypaimon know (CatalogFactory, Schema, read and write builders) are here under the same names.
"""
from . import _capsule as _capsule  # first: it says where the package cannot be used
from . import fs
from ._core import text as _text
from ._core import utf8 as _utf8
from ._native import lib as _lib
from .arrow import Batch, BatchStream, ReadMetrics, open_file
from .catalog import Catalog, CatalogFactory, Database, Identifier, SchemaChange
from .environment import LOG_DEBUG, LOG_ERROR, LOG_INFO, LOG_WARN, Environment, Memory, default_environment
from .errors import (AlreadyExistsError, CancelledError, ConflictError, CorruptError, InternalError, InvalidError, NotFoundError,
                     OutOfMemoryError, PaimonError, StateError, StorageError, UnsupportedError)
from .predicate import Predicate, PredicateBuilder, col
from .progress import Progress
from .read import DataFile, Plan, PlanMetrics, ReadBuilder, Row, Scan, Split, TableRead, TableScan
from .schema import DataField, Schema, TableSchema
from .snapshot import Snapshot
from .table import Table, create_table, open_table, open_table_with_schema
from .versions import Publication, Versions
from .write import (BATCH_COMMIT, BatchTableCommit, BatchTableWrite, BatchWriteBuilder, CommitMessage, CommitResult, StreamTableCommit,
                    StreamTableWrite, StreamWriteBuilder)

__version__: str = _text(_lib.paimon_version_string()) or ""

__all__ = [
    "AlreadyExistsError", "BATCH_COMMIT", "Batch", "BatchStream", "BatchTableCommit", "BatchTableWrite", "BatchWriteBuilder", "CancelledError",
    "Catalog", "CatalogFactory", "CommitMessage", "CommitResult", "ConflictError", "CorruptError", "DataField", "DataFile", "Database",
    "Environment", "Identifier", "InternalError", "InvalidError", "LOG_DEBUG", "LOG_ERROR", "LOG_INFO", "LOG_WARN", "Memory", "NotFoundError",
    "OutOfMemoryError", "PaimonError", "Plan", "PlanMetrics", "Predicate", "PredicateBuilder", "Progress", "Publication", "ReadBuilder", "ReadMetrics", "Row", "Scan",
    "Schema", "SchemaChange", "Snapshot", "Split", "StateError", "StorageError", "StreamTableCommit", "StreamTableWrite", "StreamWriteBuilder", "Table",
    "TableRead", "TableScan", "TableSchema", "UnsupportedError", "Versions", "col", "create_table", "default_environment", "feature", "fs",
    "open_file", "open_table", "open_table_with_schema",
]


def feature(name: str) -> bool:
    """Was this compiled in? "parquet", "brotli", …"""
    return bool(_lib.paimon_feature(_utf8(name)))
