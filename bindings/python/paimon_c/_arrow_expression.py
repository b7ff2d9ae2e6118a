"""pyarrow's expressions as predicates. DuckDB, Ray and pyarrow's own datasets say their filters in them.

pyarrow has no way to look into an expression but the form it pickles: an Arrow file whose schema's metadata lists the tree (a key and a
value for each token, keys repeating) and whose one row holds the literals. That is what is read here.

    call greater | field_ref a | literal 0 | end greater        column 0: [5]          is a > 5
    nested_field_ref 2 | field_ref r | field_ref p               is the field p of r
    call is_in | field_ref a | options 0 | end is_in             column 0: a struct, the function's options
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import pyarrow

from . import _capsule
from ._native import ffi
from ._translate import SWAPPED, Columns, Literal, all_of, any_of
from .predicate import Predicate

if TYPE_CHECKING:
    from .table import Table

__all__ = ["Split", "split"]

_COMPARISONS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_MATCHES = {"starts_with": "starts_with", "ends_with": "ends_with", "match_substring": "contains"}
_IN_GIVES_NULL = (2, 3)  # EMIT_NULL and INCONCLUSIVE of arrow::compute::SetLookupOptions
_MOST_VALUES = 10000  # of an IN: past that the engine is quicker
_DEEPEST = 100


class _Field(NamedTuple):
    path: list[str]


class _Call(NamedTuple):
    name: str
    arguments: list["_Node"]
    options: dict[str, Any]


_Node = Union[_Field, _Call, Any]  # anything else: a pyarrow.Scalar


class Split(NamedTuple):
    """A filter in two: both together are the filter."""

    predicate: Optional[Predicate]  #: for us
    rest: Optional["pyarrow.compute.Expression"]  #: for pyarrow
    columns: Optional[list[str]]  #: that the rest needs; None: they are not known


def split(table: "Table", expression: Any, ieee: bool = False) -> Split:
    try:
        tree = _Reader(expression).tree()
    except (pyarrow.ArrowException, AttributeError, KeyError, IndexError, TypeError, ValueError):
        return Split(None, expression, None)
    columns = Columns(table, ieee)
    ours: list[Predicate] = []
    rest: list[_Node] = []
    for part in _parts(tree):
        predicate = columns.bound(_predicate(columns, part))
        if predicate is None:
            rest.append(part)
        else:
            ours.append(predicate)
    if not ours:
        return Split(None, expression, _columns_of(rest))
    if not rest:
        return Split(all_of(ours), None, [])
    # The parts cannot be cut out of pyarrow's expression, so all of it is tested again. NaN is the one thing that the two may see in
    # different ways, which is why DuckDB does not hand comparisons of floats over.
    return Split(all_of(ours), expression, _columns_of([tree]))


# ---- pyarrow's form ----


def _pairs(schema: Any) -> list[tuple[str, bytes]]:
    """A schema's metadata with repeated keys, which pyarrow's own dict loses. Layout: n, then length and bytes of each key and value."""
    capsule = schema.__arrow_c_schema__()
    pointer = ffi.cast("struct ArrowSchema *", _capsule.address(capsule, "arrow_schema"))
    if pointer.metadata == ffi.NULL:
        return []
    at = 4

    def text() -> bytes:
        nonlocal at
        n = ffi.cast("int32_t *", pointer.metadata + at)[0]
        at += 4 + n
        return bytes(ffi.buffer(pointer.metadata + at - n, n))

    return [(text().decode(), text()) for _ in range(ffi.cast("int32_t *", pointer.metadata)[0])]


class _Reader:
    def __init__(self, expression: Any) -> None:
        buffer = expression.__reduce__()[1][0]
        with pyarrow.ipc.open_file(buffer) as file:
            self._tokens = _pairs(file.schema)
            self._row = file.get_batch(0) if file.num_record_batches else None
        self._at = 0

    def _value(self, index: bytes) -> Any:
        assert self._row is not None
        return self._row.column(int(index))[0]

    def tree(self) -> _Node:
        node = self._node(0)
        if self._at != len(self._tokens):
            raise ValueError("more than one expression")
        return node

    def _node(self, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        key, value = self._tokens[self._at]
        self._at += 1
        if key == "literal":
            return self._value(value)
        if key == "field_ref":
            return _Field([value.decode()])
        if key == "nested_field_ref":
            path: list[str] = []
            for _ in range(int(value)):
                inner, name = self._tokens[self._at]
                if inner != "field_ref":
                    raise ValueError(inner)
                path.append(name.decode())
                self._at += 1
            return _Field(path)
        if key != "call":
            raise ValueError(key)
        arguments: list[_Node] = []
        options: dict[str, Any] = {}
        while self._tokens[self._at][0] != "end":
            if self._tokens[self._at][0] == "options":
                held = self._value(self._tokens[self._at][1])
                options = {name: held[name] for name in held.type.names} if hasattr(held.type, "names") else dict(held.items())
                self._at += 1
            else:
                arguments.append(self._node(depth + 1))
        self._at += 1
        return _Call(value.decode(), arguments, options)


# ---- to ours ----


def _parts(node: _Node) -> list[_Node]:
    """The members of a conjunction."""
    if isinstance(node, _Call) and node.name in ("and_kleene", "and"):
        return [part for argument in node.arguments for part in _parts(argument)]
    return [node]


def _columns_of(nodes: list[_Node]) -> list[str]:
    names: list[str] = []
    for node in nodes:
        found = [node.path[0]] if isinstance(node, _Field) else _columns_of(node.arguments) if isinstance(node, _Call) else []
        names += [name for name in found if name not in names]
    return names


def _predicate(columns: Columns, node: _Node) -> Optional[Predicate]:
    """The same condition, or None."""
    if isinstance(node, _Field):
        return columns.is_true(node.path)
    if not isinstance(node, _Call):
        return None
    name, arguments = node.name, node.arguments
    if name in ("and_kleene", "or_kleene"):
        return (all_of if name == "and_kleene" else any_of)([_predicate(columns, a) for a in arguments])
    if name == "invert":
        inner = _predicate(columns, arguments[0])
        return None if inner is None else ~inner
    if name in _COMPARISONS:
        return _comparison(columns, _COMPARISONS[name], *arguments)
    if name == "if_else":
        return _in_of_sql(columns, arguments)
    if not arguments or not isinstance(arguments[0], _Field):
        return None
    path = arguments[0].path
    if name == "is_valid":
        return columns.is_null(path, True)
    if name == "is_null":
        counts_nan = "nan_is_null" in node.options and node.options["nan_is_null"].as_py()
        return None if counts_nan else columns.is_null(path)
    if name == "is_in":
        made = _is_in(columns, node)
        behavior = node.options["null_matching_behavior"].as_py() if "null_matching_behavior" in node.options else 0
        return made if behavior in _IN_GIVES_NULL else all_of([made, columns.is_null(path, True)])  # false for null
    if name in _MATCHES and not node.options["ignore_case"].as_py():
        pattern = node.options["pattern"].as_py()
        return columns.match(path, _MATCHES[name], pattern.decode() if isinstance(pattern, bytes) else pattern)
    return None


def _comparison(columns: Columns, op: str, left: _Node, right: _Node) -> Optional[Predicate]:
    if not isinstance(left, _Field):
        left, right, op = right, left, SWAPPED[op]
    if not isinstance(left, _Field) or isinstance(right, (_Field, _Call)):
        return None
    literal = _literal(right)
    return None if literal is None else columns.compare(left.path, op, literal)


def _is_in(columns: Columns, node: _Call) -> Optional[Predicate]:
    if not isinstance(node.arguments[0], _Field):
        return None
    values = node.options["value_set"].values
    if values is None or values.null_count or not 0 < len(values) <= _MOST_VALUES:
        return None
    literals = [_literal(v) for v in values]
    return None if None in literals else columns.is_in(node.arguments[0].path, [v for v in literals if v is not None])


def _in_of_sql(columns: Columns, arguments: list[_Node]) -> Optional[Predicate]:
    """if_else(is_valid(a), is_in(a, …), null), as DuckDB says a IN (…): null for null, as ours is."""
    test, found, other = arguments
    if not (isinstance(test, _Call) and test.name == "is_valid" and isinstance(found, _Call) and found.name == "is_in"):
        return None
    if test.arguments != found.arguments or isinstance(other, (_Field, _Call)) or other.is_valid:
        return None
    return _is_in(columns, found)


def _literal(scalar: Any) -> Optional[Literal]:
    t = scalar.type
    if not scalar.is_valid:
        return None
    is_ = pyarrow.types
    if is_.is_boolean(t):
        return Literal("bool", scalar.as_py())
    if is_.is_integer(t):
        return Literal("int", scalar.as_py())
    if is_.is_float32(t) or is_.is_float64(t):
        return Literal("float", scalar.as_py())
    if is_.is_decimal(t):
        return Literal("decimal", scalar.as_py())
    if is_.is_string(t) or is_.is_large_string(t) or t == getattr(pyarrow, "string_view", pyarrow.string)():
        return Literal("text", scalar.as_py())
    if is_.is_binary(t) or is_.is_large_binary(t) or is_.is_fixed_size_binary(t):
        return Literal("bytes", scalar.as_py())
    if is_.is_date32(t):
        return Literal("date", scalar.value)
    per = {"s": 1000000000, "ms": 1000000, "us": 1000, "ns": 1}
    if is_.is_time(t):
        return Literal("time", scalar.value * per[t.unit])
    if is_.is_timestamp(t):
        return Literal("timestamp" if t.tz is None else "instant", scalar.value * per[t.unit])
    return None
