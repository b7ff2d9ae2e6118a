"""Predicates: which rows are wanted. Immutable; bound to a table only when a scan or read uses them."""
from __future__ import annotations

import datetime
import decimal
from typing import Any, Iterable, Optional, Sequence, Union

from ._core import Texts, call, take_text, utf8
from ._given import items, names, told
from ._native import ffi, lib
from .errors import InvalidError

__all__ = ["Predicate", "PredicateBuilder", "col"]


class Predicate:
    """A condition. ``Predicate.parse("price >= 10.5 AND name LIKE 'a%'")``, a PredicateBuilder or col() make one; ``&``, ``|``, ``~`` combine."""

    def __init__(self, pointer: Any) -> None:
        self._predicate: Any = ffi.gc(pointer, lib.paimon_predicate_free)

    @staticmethod
    def parse(text: str) -> "Predicate":
        """Of the text that ``paimon read --where`` takes (docs/cli.md has the grammar)."""
        out = ffi.new("paimon_predicate **")
        call(lib.paimon_predicate_parse, utf8(text), out)
        return Predicate(out[0])

    def __and__(self, other: "Predicate") -> "Predicate":
        return combine(lib.paimon_predicate_and, [self, other]) if isinstance(other, Predicate) else NotImplemented

    def __or__(self, other: "Predicate") -> "Predicate":
        return combine(lib.paimon_predicate_or, [self, other]) if isinstance(other, Predicate) else NotImplemented

    def __invert__(self) -> "Predicate":
        out = ffi.new("paimon_predicate **")
        call(lib.paimon_predicate_not, self._predicate, out)
        return Predicate(out[0])

    def __bool__(self) -> bool:
        raise TypeError("a predicate is neither true nor false: combine predicates with & | ~, not with and, or, not")

    def __str__(self) -> str:
        return take_text(lib.paimon_predicate_print, self._predicate)

    def __repr__(self) -> str:
        return "Predicate.parse(%r)" % str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Predicate.parse, (str(self),)


PredicateLike = Union[Predicate, str]


def as_predicate(value: Optional[PredicateLike]) -> Optional[Predicate]:
    if value is None or isinstance(value, Predicate):
        return value
    if isinstance(value, str):
        return Predicate.parse(value)
    raise TypeError("a predicate is a text or a Predicate, not %s%s" % (type(value).__name__, ": compare it with something" if isinstance(value, col) else ""))


def combine(function: Any, predicates: Sequence[Predicate]) -> Predicate:
    pointers = ffi.new("paimon_predicate *[]", [p._predicate for p in predicates])
    out = ffi.new("paimon_predicate **")
    call(function, pointers, len(predicates), out)
    return Predicate(out[0])


def _set_text(literal: Any, kind: int, value: bytes, held: list[Any]) -> None:
    held.append(ffi.new("char[]", value))
    literal.kind, literal.text, literal.text_size = kind, held[-1], len(value)


def _set_literal(literal: Any, value: Any, held: list[Any]) -> None:
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if value is None:
        literal.kind = lib.PAIMON_LITERAL_NULL
    elif isinstance(value, bool):
        literal.kind, literal.boolean = lib.PAIMON_LITERAL_BOOL, value
    elif isinstance(value, int):
        if -(1 << 63) <= value < 1 << 63:
            literal.kind, literal.integer = lib.PAIMON_LITERAL_INT, value
        else:
            _set_text(literal, lib.PAIMON_LITERAL_NUMBER, b"%d" % value, held)
    elif isinstance(value, float):
        literal.kind, literal.real = lib.PAIMON_LITERAL_DOUBLE, value
    elif isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise InvalidError("a decimal literal that is not a number: %s" % value)
        _set_text(literal, lib.PAIMON_LITERAL_NUMBER, format(value, "f").encode(), held)
    elif isinstance(value, str):
        _set_text(literal, lib.PAIMON_LITERAL_TEXT, value.encode("utf-8", "surrogateescape"), held)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        _set_text(literal, lib.PAIMON_LITERAL_BYTES, bytes(value), held)
    elif isinstance(value, datetime.datetime):
        if value.tzinfo is not None:  # a column without zone has no such values; with one, its texts are in UTC
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        _set_text(literal, lib.PAIMON_LITERAL_TEXT, value.isoformat(" ").encode(), held)
    elif isinstance(value, (datetime.date, datetime.time)):
        _set_text(literal, lib.PAIMON_LITERAL_TEXT, value.isoformat().encode(), held)
    else:
        raise TypeError("a literal of a predicate cannot be %s" % type(value).__name__)


def leaf(column: Union[str, Sequence[str]], op: int, literals: Sequence[Any]) -> Predicate:
    path = Texts(column.split(".") if isinstance(column, str) else names(column, "a column's path"))
    held: list[Any] = []
    values = ffi.new("paimon_literal[]", max(1, len(literals)))
    for i, value in enumerate(literals):
        _set_literal(values[i], value, held)
    out = ffi.new("paimon_predicate **")
    call(lib.paimon_predicate_leaf, path.pointer, path.n, op, values, len(literals), out)
    return Predicate(out[0])


def compared(column: Union[str, Sequence[str]], op: int, literal: Any) -> Predicate:
    """A comparison; with None it would be true of no row, which is hardly what was meant."""
    if literal is None:
        raise InvalidError("nothing compares with None: is_null() and is_not_null() ask for nulls")
    return leaf(column, op, [literal])


def matching(column: Union[str, Sequence[str]], op: int, pattern: Any) -> Predicate:
    if not isinstance(pattern, str):
        raise TypeError("a text to match was expected, not %s" % told(pattern))
    return leaf(column, op, [pattern])


def among(column: Union[str, Sequence[str]], op: int, literals: Iterable[Any]) -> Predicate:
    """Of any iterable: a set, a range, an array. A text is one literal, not its letters."""
    if isinstance(literals, (str, bytes, bytearray, memoryview)) or not hasattr(literals, "__iter__"):
        raise TypeError("a list of literals was expected, not %s" % told(literals))
    return leaf(column, op, list(literals))


class PredicateBuilder:
    """Predicates by name, as pypaimon spells them. ``"a.b"`` is the field b of the row a; a list of names says so where a name has a dot."""

    def equal(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_EQ, literal)

    def not_equal(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_NE, literal)

    def less_than(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_LT, literal)

    def less_or_equal(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_LE, literal)

    def greater_than(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_GT, literal)

    def greater_or_equal(self, field: Union[str, Sequence[str]], literal: Any) -> Predicate:
        return compared(field, lib.PAIMON_OP_GE, literal)

    def is_null(self, field: Union[str, Sequence[str]]) -> Predicate:
        return leaf(field, lib.PAIMON_OP_IS_NULL, [])

    def is_not_null(self, field: Union[str, Sequence[str]]) -> Predicate:
        return leaf(field, lib.PAIMON_OP_IS_NOT_NULL, [])

    def startswith(self, field: Union[str, Sequence[str]], pattern_literal: str) -> Predicate:
        return matching(field, lib.PAIMON_OP_STARTS_WITH, pattern_literal)

    def endswith(self, field: Union[str, Sequence[str]], pattern_literal: str) -> Predicate:
        return matching(field, lib.PAIMON_OP_ENDS_WITH, pattern_literal)

    def contains(self, field: Union[str, Sequence[str]], pattern_literal: str) -> Predicate:
        return matching(field, lib.PAIMON_OP_CONTAINS, pattern_literal)

    def like(self, field: Union[str, Sequence[str]], pattern_literal: str) -> Predicate:
        return matching(field, lib.PAIMON_OP_LIKE, pattern_literal)

    def not_like(self, field: Union[str, Sequence[str]], pattern_literal: str) -> Predicate:
        return matching(field, lib.PAIMON_OP_NOT_LIKE, pattern_literal)

    def is_in(self, field: Union[str, Sequence[str]], literals: Iterable[Any]) -> Predicate:
        return among(field, lib.PAIMON_OP_IN, literals)

    def is_not_in(self, field: Union[str, Sequence[str]], literals: Iterable[Any]) -> Predicate:
        return among(field, lib.PAIMON_OP_NOT_IN, literals)

    def between(self, field: Union[str, Sequence[str]], included_lower_bound: Any, included_upper_bound: Any) -> Predicate:
        return leaf(field, lib.PAIMON_OP_BETWEEN, [included_lower_bound, included_upper_bound])

    def not_between(self, field: Union[str, Sequence[str]], included_lower_bound: Any, included_upper_bound: Any) -> Predicate:
        return leaf(field, lib.PAIMON_OP_NOT_BETWEEN, [included_lower_bound, included_upper_bound])

    @staticmethod
    def and_predicates(predicates: Sequence[Predicate]) -> Optional[Predicate]:
        """None for none."""
        given = items(predicates, Predicate, "predicates")
        return combine(lib.paimon_predicate_and, given) if given else None

    @staticmethod
    def or_predicates(predicates: Sequence[Predicate]) -> Optional[Predicate]:
        """None for none."""
        given = items(predicates, Predicate, "predicates")
        return combine(lib.paimon_predicate_or, given) if given else None


class col:
    """A column to compare: ``(col("a") > 1) & col("b").is_in(["x", "y"])``."""

    def __init__(self, *path: str) -> None:
        for name in path or (None,):
            if not isinstance(name, str):
                raise TypeError("col() takes the name of a column, or the names on the way to a field, not %s" % told(name))
        self._path = path[0].split(".") if len(path) == 1 else list(path)

    def __eq__(self, other: object) -> Predicate:  # type: ignore[override]
        return compared(self._path, lib.PAIMON_OP_EQ, other)

    def __ne__(self, other: object) -> Predicate:  # type: ignore[override]
        return compared(self._path, lib.PAIMON_OP_NE, other)

    def __lt__(self, other: Any) -> Predicate:
        return compared(self._path, lib.PAIMON_OP_LT, other)

    def __le__(self, other: Any) -> Predicate:
        return compared(self._path, lib.PAIMON_OP_LE, other)

    def __gt__(self, other: Any) -> Predicate:
        return compared(self._path, lib.PAIMON_OP_GT, other)

    def __ge__(self, other: Any) -> Predicate:
        return compared(self._path, lib.PAIMON_OP_GE, other)

    __hash__ = None  # type: ignore[assignment]

    def is_null(self) -> Predicate:
        return leaf(self._path, lib.PAIMON_OP_IS_NULL, [])

    def is_not_null(self) -> Predicate:
        return leaf(self._path, lib.PAIMON_OP_IS_NOT_NULL, [])

    def is_in(self, literals: Iterable[Any]) -> Predicate:
        return among(self._path, lib.PAIMON_OP_IN, literals)

    def is_not_in(self, literals: Iterable[Any]) -> Predicate:
        return among(self._path, lib.PAIMON_OP_NOT_IN, literals)

    def between(self, low: Any, high: Any) -> Predicate:
        return leaf(self._path, lib.PAIMON_OP_BETWEEN, [low, high])

    def like(self, pattern: str) -> Predicate:
        return matching(self._path, lib.PAIMON_OP_LIKE, pattern)

    def startswith(self, text: str) -> Predicate:
        return matching(self._path, lib.PAIMON_OP_STARTS_WITH, text)

    def endswith(self, text: str) -> Predicate:
        return matching(self._path, lib.PAIMON_OP_ENDS_WITH, text)

    def contains(self, text: str) -> Predicate:
        return matching(self._path, lib.PAIMON_OP_CONTAINS, text)

    def __repr__(self) -> str:
        return "col(%s)" % ", ".join(map(repr, self._path))
