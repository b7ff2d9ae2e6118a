"""Polars: a table as a LazyFrame.

    import paimon_c.polars
    paimon_c.polars.scan(table).filter(pl.col("amount") > 100).select("order_id", "amount").collect()

Of a query, the columns, the first rows (head) and what we understand of the filter reach the files; Polars filters again all that we give,
so what we do not understand costs time and no rows.
"""
from __future__ import annotations

import json
import struct
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Optional

import polars as pl

from ._given import told
from ._translate import SWAPPED, Columns, Literal, all_of, any_of, decimal_of
from .predicate import Predicate, PredicateLike, as_predicate
from .read import TableRead, TableScan
from .table import Table

if TYPE_CHECKING:
    from .arrow import BatchStream

__all__ = ["scan"]

_BATCH_ROWS = 131072

_COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_INTEGERS = ("Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64")
_NANOSECONDS = {"Nanoseconds": 1, "Microseconds": 1000, "Milliseconds": 1000000}


class Source:
    """What Polars calls for each scan.

    :ivar stream: of the last scan, for its metrics
    :ivar predicate: what of the last scan's filter was ours to apply
    """

    def __init__(self, table: "Table", predicate: Optional[Predicate], threads: int) -> None:
        self._table, self._predicate, self._threads = table, predicate, threads
        self.stream: Optional["BatchStream"] = None
        self.predicate: Optional[Predicate] = None

    def schema(self) -> "pl.Schema":
        return pl.DataFrame(TableRead(self._table).to_stream([])).schema

    def __call__(self, with_columns: Optional[list[str]], predicate: Optional["pl.Expr"], n_rows: Optional[int],
                 batch_size: Optional[int]) -> Iterator["pl.DataFrame"]:
        # Polars counts n_rows before its filter: with both, the first rows are taken and then filtered.
        ours = None if predicate is None or n_rows is not None else translate(self._table, predicate)
        self.predicate = ours
        wanted = self._predicate if ours is None else ours if self._predicate is None else self._predicate & ours
        columns = with_columns
        if columns is not None and predicate is not None:
            columns = list(dict.fromkeys(columns + predicate.meta.root_names()))
        plan = TableScan(self._table, wanted, n_rows).plan()
        read = TableRead(self._table, wanted, columns, n_rows, self._threads, min(_BATCH_ROWS, batch_size or _BATCH_ROWS))
        # Kept by a name of its own: another scan of the same source may run at the same time.
        self.stream = stream = read.to_stream(plan)
        with stream:
            for batch in stream:
                frame = pl.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)


def scan(table: "Table", filter: Optional[PredicateLike] = None, *, threads: int = 0) -> "pl.LazyFrame":
    """The table as a LazyFrame, of the snapshot that is the latest when it is collected (``table.at(…)`` holds one).

    :param filter: of our own, beside those of the query, for what Polars does not hand over
    """
    from polars.io.plugins import register_io_source

    if not isinstance(table, Table):
        raise TypeError("a paimon_c.Table was expected, not %s: open_table() makes one of a path" % told(table))
    source = Source(table, as_predicate(filter), threads)
    # Not pure: two scans of a table in one query may, between commits, see different rows; Polars is not to take one for the other.
    return register_io_source(source, schema=source.schema())


# ---- filters ----


def translate(table: "Table", expression: "pl.Expr") -> Optional[Predicate]:
    """What we understand of a filter: a predicate that is true for all rows for which the filter is, and perhaps for more."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # this form may change between versions of Polars: what is new is not understood
            tree = json.loads(expression.meta.serialize(format="json"))
    except Exception:
        return None
    columns = Columns(table)
    known = [p for part in _parts(tree) if (p := columns.bound(_predicate(columns, part))) is not None]
    return all_of(known)


def _parts(tree: Any) -> list[Any]:
    """The members of a conjunction."""
    kind, inside = _only(tree)
    if kind == "BinaryExpr" and inside.get("op") in ("And", "LogicalAnd"):
        return _parts(inside["left"]) + _parts(inside["right"])
    return [tree]


def _only(tree: Any) -> tuple[str, Any]:
    """An object with one member, as Polars writes each node."""
    if isinstance(tree, dict) and len(tree) == 1:
        ((kind, inside),) = tree.items()
        return kind, inside
    return (tree, None) if isinstance(tree, str) else ("", None)


def _predicate(columns: Columns, tree: Any) -> Optional[Predicate]:
    """The same condition, or None."""
    kind, inside = _only(tree)
    try:
        if kind == "BinaryExpr":
            return _binary(columns, inside)
        if kind == "Function":
            return _function(columns, inside["function"], inside["input"])
        path = _path(tree)
        return None if path is None else columns.is_true(path)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, struct.error):  # a form of another version
        return None


def _binary(columns: Columns, node: Any) -> Optional[Predicate]:
    op, left, right = node["op"], node["left"], node["right"]
    if op in ("And", "LogicalAnd"):
        return all_of([_predicate(columns, left), _predicate(columns, right)])
    if op in ("Or", "LogicalOr"):
        return any_of([_predicate(columns, left), _predicate(columns, right)])
    if op not in _COMPARISONS:
        return None
    compare = _COMPARISONS[op]
    if _literal(left) is not None:
        left, right, compare = right, left, SWAPPED[compare]
    path, literal = _path(_without_cast(columns, left)), _literal(right)
    return None if path is None or literal is None else columns.compare(path, compare, literal)


def _function(columns: Columns, function: Any, inputs: list[Any]) -> Optional[Predicate]:
    family, what = _only(function)
    name, options = _only(what)
    if family == "Boolean" and name == "Not":
        inner = _predicate(columns, inputs[0])
        return None if inner is None else ~inner
    path = _path(inputs[0])
    if path is None:
        return None
    if family == "Boolean" and name in ("IsNull", "IsNotNull"):
        return columns.is_null(path, name == "IsNotNull")
    if family == "Boolean" and name == "IsBetween":
        low, high = _literal(inputs[1]), _literal(inputs[2])
        if low is None or high is None:
            return None
        closed = options["closed"]
        return all_of([columns.compare(path, ">=" if closed in ("Both", "Left") else ">", low),
                       columns.compare(path, "<=" if closed in ("Both", "Right") else "<", high)])
    if family == "Boolean" and name == "IsIn":
        literals = _list(inputs[1])
        return None if literals is None or (options or {}).get("nulls_equal") else columns.is_in(path, literals)
    if family == "StringExpr":
        literal = _literal(inputs[1])
        op = {"StartsWith": "starts_with", "EndsWith": "ends_with", "Contains": "contains"}.get(name)
        if literal is None or literal.kind != "text" or op is None or (op == "contains" and not options["literal"]):
            return None
        return columns.match(path, op, literal.value)
    return None


def _path(tree: Any) -> Optional[list[str]]:
    """A column, or a field in it."""
    kind, inside = _only(tree)
    if kind == "Column" and isinstance(inside, str):
        return [inside]
    if kind == "Function" and isinstance(inside, dict):
        family, what = _only(inside.get("function"))
        name, field = _only(what)
        if family == "StructExpr" and name == "FieldByName" and isinstance(field, str):
            outer = _path(inside["input"][0])
            return None if outer is None else outer + [field]
    return None


def _without_cast(columns: Columns, tree: Any) -> Any:
    """The column of a cast to a wider decimal, which some versions write around every one."""
    kind, inside = _only(tree)
    if kind != "Cast":
        return tree
    path = _path(inside["expr"])
    told = None if path is None else columns.decimal_of(path)
    kind, dtype = _only(inside["dtype"]["Literal"])
    if told is None or kind != "Decimal":
        return None
    precision, scale = dtype
    return inside["expr"] if scale >= told[1] and precision - scale >= told[0] - told[1] else None


def _literal(tree: Any) -> Optional[Literal]:
    kind, inside = _only(tree)
    if kind != "Literal":
        return None
    kind, value = _only(inside)
    if kind in ("Scalar", "Dyn"):
        kind, value = _only(value)
    if value is None:  # a null, an infinity, NaN: JSON does not tell them apart
        return None
    if kind in _INTEGERS:
        return Literal("int", int(value))
    if kind == "Float32":  # the shortest text that tells it from its neighbours was written
        return Literal("float", struct.unpack("f", struct.pack("f", value))[0])
    if kind in ("Float", "Float64"):
        return Literal("float", float(value))
    if kind in ("String", "Str", "StringOwned") and isinstance(value, str):
        return Literal("text", value)
    if kind == "Boolean" and isinstance(value, bool):
        return Literal("bool", value)
    if kind in ("Binary", "BinaryOwned"):
        return Literal("bytes", bytes(value))
    if kind == "Date":
        return Literal("date", int(value))
    if kind == "Time":
        return Literal("time", int(value))
    if kind in ("Datetime", "DatetimeOwned"):
        count, unit, zone = value
        return Literal("timestamp" if zone is None else "instant", int(count) * _NANOSECONDS[unit])
    if kind == "Decimal":
        unscaled, _, scale = value
        return Literal("decimal", decimal_of(int(unscaled), int(scale)))
    return None


def _list(tree: Any) -> Optional[list[Literal]]:
    """The values of a list, which Polars writes as a stream of Arrow's; without nulls."""
    kind, inside = _only(tree)
    if kind != "Literal":
        return None
    kind, value = _only(inside)
    if kind == "Scalar":
        kind, value = _only(value)
    if kind not in ("List", "Series"):
        return None
    series = pl.read_ipc_stream(bytes(value)).to_series(0)
    if isinstance(series.dtype, (pl.List, pl.Array)):
        if len(series) != 1:
            return None
        series = series.explode()
    if series.null_count() or len(series) == 0 or len(series) > 10000:
        return None
    made = [_element(series.dtype, v) for v in series.to_list()]
    return None if None in made else [m for m in made if m is not None]


def _element(dtype: Any, value: Any) -> Optional[Literal]:
    if dtype.is_integer():
        return Literal("int", value)
    if dtype == pl.String:
        return Literal("text", value)
    if dtype == pl.Date:
        return Literal("date", value.toordinal() - 719163)
    if dtype.is_float():
        return Literal("float", value)
    return None
