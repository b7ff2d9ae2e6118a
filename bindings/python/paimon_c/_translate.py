"""From other libraries' expressions to ours: what all translations share.

An engine that hands its filter over does so in one of two ways. Either it filters again what we give (Polars), or it leaves the rows to us
(DuckDB, Ray). Neither may ever miss a row, so a comparison is translated only where both sides mean the same for every value: the same
order, the same answer for null and NaN, no rounding of column or literal. Everything else is None here and stays with the engine.
"""
from __future__ import annotations

import decimal
import math
import struct
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional, Sequence

from ._native import lib
from .errors import PaimonError
from .predicate import Predicate, combine, leaf
from .read import TableRead

if TYPE_CHECKING:
    from .table import Table

__all__ = ["COMPARISONS", "SWAPPED", "Literal", "Columns", "all_of", "any_of"]

COMPARISONS = {"==": lib.PAIMON_OP_EQ, "!=": lib.PAIMON_OP_NE, "<": lib.PAIMON_OP_LT, "<=": lib.PAIMON_OP_LE, ">": lib.PAIMON_OP_GT,
               ">=": lib.PAIMON_OP_GE}
SWAPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_INTEGERS = ("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT")
_EXACT_BITS = {"FLOAT": 24, "DOUBLE": 53}


class Literal(NamedTuple):
    """A value as an engine gave it.

    kind: "int", "float", "decimal", "text", "bytes", "bool"; "date" in days, "time" in nanoseconds of the day, "timestamp" and "instant"
    (with a time zone) in nanoseconds since 1970.
    """

    kind: str
    value: Any


class Columns:
    """The columns of a table, to compare with literals.

    :param ieee: the engine's floats compare as IEEE's: nothing is true of NaN but !=. Else as Paimon's and SQL's: NaN is the greatest value
    """

    def __init__(self, table: "Table", ieee: bool = False) -> None:
        self._table, self._ieee = table, ieee
        self._types = {f.name: f.type for f in table.schema().fields}

    def type_of(self, path: Sequence[str]) -> Optional[str]:
        """The root of the type, "DECIMAL" of "DECIMAL(10, 2) NOT NULL"; None for a column that is not there or has columns inside."""
        text = self._text_of(path)
        return None if text is None else text.partition("(")[0].strip()

    def decimal_of(self, path: Sequence[str]) -> Optional[tuple[int, int]]:
        """Precision and scale."""
        text = self._text_of(path)
        if text is None or not text.startswith("DECIMAL("):
            return None
        precision, _, scale = text[8:-1].partition(",")
        return int(precision), int(scale or 0)

    def _text_of(self, path: Sequence[str]) -> Optional[str]:
        here: Any = {"type": "ROW", "fields": [{"name": name, "type": type} for name, type in self._types.items()]}
        for name in path:
            if not isinstance(here, dict) or not str(here.get("type", "")).startswith("ROW"):
                return None
            here = next((f["type"] for f in here.get("fields", []) if f["name"] == name), None)
        if not isinstance(here, str) or "<" in here:
            return None
        return here.replace(" NOT NULL", "").strip().upper()

    def compare(self, path: Sequence[str], op: str, literal: Literal) -> Optional[Predicate]:
        root = self.type_of(path)
        value = None if root is None else self._fitted(path, root, literal)
        if value is None:
            return None
        made = leaf(path, COMPARISONS[op], [value])
        if self._ieee and root in _EXACT_BITS and op in (">", ">="):
            return all_of([made, leaf(path, lib.PAIMON_OP_LE, [math.inf])])  # which NaN, the greatest value, is not
        return made

    def is_in(self, path: Sequence[str], literals: Iterable[Literal]) -> Optional[Predicate]:
        """Null for null."""
        root = self.type_of(path)
        values = [None if root is None else self._fitted(path, root, literal) for literal in literals]
        if not values or None in values:
            return None
        if self._ieee and root in _EXACT_BITS and 0.0 in values:  # pyarrow looks values up, and takes -0.0 for another one
            return None
        return leaf(path, lib.PAIMON_OP_IN, values)

    def is_null(self, path: Sequence[str], negated: bool = False) -> Optional[Predicate]:
        return None if self.type_of(path) is None else leaf(path, lib.PAIMON_OP_IS_NOT_NULL if negated else lib.PAIMON_OP_IS_NULL, [])

    def match(self, path: Sequence[str], op: str, text: str) -> Optional[Predicate]:
        """"starts_with", "ends_with", "contains", "like"."""
        if self.type_of(path) not in ("STRING", "VARCHAR"):
            return None
        ops = {"starts_with": lib.PAIMON_OP_STARTS_WITH, "ends_with": lib.PAIMON_OP_ENDS_WITH, "contains": lib.PAIMON_OP_CONTAINS,
               "like": lib.PAIMON_OP_LIKE}
        return leaf(path, ops[op], [text])

    def is_true(self, path: Sequence[str]) -> Optional[Predicate]:
        """A column of booleans by itself."""
        return self.compare(path, "==", Literal("bool", True)) if self.type_of(path) == "BOOLEAN" else None

    def bound(self, predicate: Optional[Predicate]) -> Optional[Predicate]:
        """The predicate, if a read of the table takes it: a literal may not fit its column after all."""
        if predicate is not None:
            try:
                TableRead(self._table, predicate, [])
            except PaimonError:
                return None
        return predicate

    def _fitted(self, path: Sequence[str], root: str, literal: Literal) -> Any:
        """The value to compare with, in a Python type that predicate.leaf() takes; None if that would not be the same comparison."""
        kind, value = literal
        if root in _INTEGERS:
            if kind == "float":  # engines compare as doubles then, which hold no large integers
                value = int(value) if math.isfinite(value) and value == int(value) and abs(value) < 1 << 53 else None
            elif kind == "decimal":
                value = int(value) if value == value.to_integral_value() else None
            return value if kind in ("int", "float", "decimal") else None
        if root in _EXACT_BITS:
            return _fitted_float(root, kind, value)
        if root == "DECIMAL":
            return value if kind in ("int", "decimal") else None
        if root in ("STRING", "VARCHAR"):  # not CHAR, of which we compare no trailing blanks
            return value if kind == "text" and "\0" not in value else None
        if root in ("BYTES", "VARBINARY"):
            return value if kind == "bytes" else None
        if root == "BOOLEAN":
            return value if kind == "bool" else None
        if root == "DATE":
            return value if kind == "date" else None
        if root == "TIME":
            return value // 1000000 if kind == "time" and value % 1000000 == 0 else None
        if root.startswith("TIMESTAMP"):
            return _timestamp_text(value) if kind == ("instant" if "LOCAL" in str(self._text_of(path)) or "LTZ" in root else "timestamp") else None
        return None


def _fitted_float(root: str, kind: str, value: Any) -> Optional[float]:
    if kind == "int":
        return float(value) if abs(value) < 1 << _EXACT_BITS[root] else None
    if kind != "float" or math.isnan(value):
        return None
    if root == "FLOAT" and math.isfinite(value):
        try:
            if struct.unpack("f", struct.pack("f", value))[0] != value:
                return None
        except OverflowError:
            return None
    return float(value)


def _timestamp_text(nanoseconds: int) -> Optional[str]:
    """As predicates take it; None for years that such texts do not have."""
    import datetime

    seconds, rest = divmod(nanoseconds, 1000000000)
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return None
    text = moment.isoformat(" ")
    return text if rest == 0 else text + (".%09d" % rest).rstrip("0")


def all_of(predicates: Iterable[Optional[Predicate]]) -> Optional[Predicate]:
    """None if one of them is, or if there is none."""
    return _combined(lib.paimon_predicate_and, list(predicates))


def any_of(predicates: Iterable[Optional[Predicate]]) -> Optional[Predicate]:
    return _combined(lib.paimon_predicate_or, list(predicates))


def _combined(function: Any, predicates: Sequence[Optional[Predicate]]) -> Optional[Predicate]:
    known = [p for p in predicates if p is not None]
    return combine(function, known) if known and len(known) == len(predicates) else None


def decimal_of(unscaled: int, scale: int) -> decimal.Decimal:
    """Exact, whatever the context's precision is."""
    return decimal.Decimal((1 if unscaled < 0 else 0, tuple(map(int, str(abs(unscaled)))), -scale))
