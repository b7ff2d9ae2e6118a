"""Arrow arrays as Python values, for those who have no Arrow library at hand.

Written for every type that the library reads (docs/api.md), not for speed: pyarrow and Polars convert faster. What Python's own types
cannot hold (a year after 9999, nanoseconds in a datetime) is an error, never another value.
"""
from __future__ import annotations

import datetime
import decimal
import struct
from typing import Any, Callable, Optional

from ._native import ffi

_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
_EPOCH = datetime.datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "m": 1000, "u": 1000000, "n": 1000000000}
_PLAIN = {"c": ("b", 1), "C": ("B", 1), "s": ("h", 2), "S": ("H", 2), "i": ("i", 4), "I": ("I", 4), "l": ("q", 8), "L": ("Q", 8),
          "f": ("f", 4), "g": ("d", 8), "e": ("e", 2)}


def name_of(schema: Any) -> str:
    return "" if schema.name == ffi.NULL else ffi.string(schema.name).decode("utf-8", "replace")


def columns_in_order(schema: Any, array: Any) -> list[list[Any]]:
    """The columns of a struct array."""
    return [_values(schema.children[i], array.children[i], array.offset, array.length) for i in range(schema.n_children)]


def columns(schema: Any, array: Any) -> dict[str, list[Any]]:
    names = [name_of(schema.children[i]) for i in range(schema.n_children)]
    return dict(zip(names, columns_in_order(schema, array)))


def _bytes(pointer: Any, at: int, n: int) -> memoryview:
    return memoryview(b"") if n == 0 else memoryview(ffi.buffer(ffi.cast("const char *", pointer) + at, n))


def _numbers(pointer: Any, code: str, width: int, first: int, n: int) -> list[Any]:
    return list(struct.unpack("=%d%s" % (n, code), _bytes(pointer, first * width, n * width)))


def _bits(pointer: Any, first: int, n: int) -> list[bool]:
    if n == 0:
        return []
    word = int.from_bytes(_bytes(pointer, first >> 3, ((first + n - 1) >> 3) - (first >> 3) + 1), "little") >> (first & 7)
    text = bin(word & ((1 << n) - 1))[2:].zfill(n)
    return [c == "1" for c in reversed(text)]


def _values(schema: Any, array: Any, start: int, n: int) -> list[Any]:
    """`n` values from `start` on, counted from the array's own offset."""
    format = ffi.string(schema.format).decode()
    first = array.offset + start
    if schema.dictionary != ffi.NULL:
        code, width = _PLAIN[format]
        words = _values(schema.dictionary, array.dictionary, 0, array.dictionary.length)
        present = _present(array, first, n)
        indices = _numbers(array.buffers[1], code, width, first, n)
        return [words[k] if p else None for k, p in zip(indices, present or [True] * n)]
    found = _decode(format, schema, array, first, start, n)
    present = None if format == "n" else _present(array, first, n)
    return found if present is None else [v if p else None for v, p in zip(found, present)]


def _present(array: Any, first: int, n: int) -> Optional[list[bool]]:
    if array.null_count == 0 or array.n_buffers == 0 or array.buffers[0] == ffi.NULL:
        return None
    return _bits(array.buffers[0], first, n)


def _decode(format: str, schema: Any, array: Any, first: int, start: int, n: int) -> list[Any]:
    """Values at the places of nulls are whatever lies there; those that cannot be made into a Python value there are None."""
    if format in _PLAIN:
        code, width = _PLAIN[format]
        return _numbers(array.buffers[1], code, width, first, n)
    if format == "n":
        return [None] * n
    if format == "b":
        return _bits(array.buffers[1], first, n)
    if format in ("u", "z", "U", "Z"):
        return _texts(format, array, first, n)
    if format == "+s":
        fields = [_values(schema.children[i], array.children[i], first, n) for i in range(schema.n_children)]
        names = [name_of(schema.children[i]) for i in range(schema.n_children)]
        return [dict(zip(names, row)) for row in zip(*fields)] if fields else [{} for _ in range(n)]
    if format in ("+l", "+L", "+m"):
        return _lists(format, schema, array, first, n)
    kind, _, rest = format.partition(":")
    if kind == "w" or kind == "+w":
        width = int(rest)
        if kind == "w":
            return [bytes(_bytes(array.buffers[1], (first + k) * width, width)) for k in range(n)]
        flat = _values(schema.children[0], array.children[0], first * width, n * width)
        return [flat[k * width:(k + 1) * width] for k in range(n)]
    present = _present(array, first, n)
    convert, code, width = _converter(kind, rest)
    if code == "":
        raw: list[Any] = [int.from_bytes(_bytes(array.buffers[1], (first + k) * width, width), "little", signed=True) for k in range(n)]
    else:
        raw = _numbers(array.buffers[1], code, width, first, n)
    if present is None:
        return [convert(v) for v in raw]
    return [convert(v) if p else None for v, p in zip(raw, present)]


def _texts(format: str, array: Any, first: int, n: int) -> list[Any]:
    code, width = ("i", 4) if format in "uz" else ("q", 8)
    ends = _numbers(array.buffers[1], code, width, first, n + 1)
    if not ends:
        return []
    base = ends[0]
    data = bytes(_bytes(array.buffers[2], base, ends[-1] - base))
    pieces = [data[a - base:b - base] for a, b in zip(ends, ends[1:])]
    return pieces if format in "zZ" else [p.decode("utf-8", "surrogateescape") for p in pieces]


def _lists(format: str, schema: Any, array: Any, first: int, n: int) -> list[Any]:
    code, width = ("q", 8) if format == "+L" else ("i", 4)
    ends = _numbers(array.buffers[1], code, width, first, n + 1)
    if not ends:
        return []
    base = ends[0]
    if format != "+m":
        flat = _values(schema.children[0], array.children[0], base, ends[-1] - base)
        return [flat[a - base:b - base] for a, b in zip(ends, ends[1:])]
    entries, entry_schema = array.children[0], schema.children[0]
    keys = _values(entry_schema.children[0], entries.children[0], entries.offset + base, ends[-1] - base)
    values = _values(entry_schema.children[1], entries.children[1], entries.offset + base, ends[-1] - base)
    return [_map(keys[a - base:b - base], values[a - base:b - base]) for a, b in zip(ends, ends[1:])]


def _map(keys: list[Any], values: list[Any]) -> Any:
    """A dict; pairs where a key is itself a list or dict."""
    try:
        return dict(zip(keys, values))
    except TypeError:
        return list(zip(keys, values))


def _converter(kind: str, rest: str) -> tuple[Callable[[int], Any], str, int]:
    """Function, code and width for what is a number underneath."""
    if kind == "d":
        parts = rest.split(",")
        return _decimal(int(parts[1])), "", int(parts[2]) // 8 if len(parts) > 2 else 16
    if kind == "tdD":
        return lambda days: datetime.date.fromordinal(_EPOCH_DAY + days), "i", 4
    if kind == "tdm":
        return lambda ms: datetime.date.fromordinal(_EPOCH_DAY + ms // 86400000), "q", 8
    if kind[:2] == "tt":
        return _time(kind[2]), "i" if kind[2] in "sm" else "q", 4 if kind[2] in "sm" else 8
    if kind[:2] == "ts":
        return _timestamp(kind[2], rest), "q", 8
    raise TypeError("values of Arrow format '%s' have no Python form here" % (kind + (":" + rest if rest else "")))


def _decimal(scale: int) -> Callable[[int], decimal.Decimal]:
    # Not by arithmetic, which would round to the precision of the context.
    return lambda v: decimal.Decimal((1 if v < 0 else 0, tuple(map(int, str(abs(v)))), -scale))


def _microseconds(value: int, unit: str) -> int:
    per = _PER_SECOND[unit]
    if per <= 1000000:
        return value * (1000000 // per)
    if value % 1000:
        raise ValueError("a time with nanoseconds (%d since the epoch or midnight) has no Python form; read it with an Arrow library" % value)
    return value // 1000


def _time(unit: str) -> Callable[[int], datetime.time]:
    return lambda v: (_EPOCH + datetime.timedelta(microseconds=_microseconds(v, unit))).time()


def _timestamp(unit: str, zone: str) -> Callable[[int], datetime.datetime]:
    if not zone:
        return lambda v: _EPOCH + datetime.timedelta(microseconds=_microseconds(v, unit))
    utc = _EPOCH.replace(tzinfo=datetime.timezone.utc)
    if zone == "UTC":
        return lambda v: utc + datetime.timedelta(microseconds=_microseconds(v, unit))
    import zoneinfo

    there = zoneinfo.ZoneInfo(zone)
    return lambda v: (utc + datetime.timedelta(microseconds=_microseconds(v, unit))).astimezone(there)
