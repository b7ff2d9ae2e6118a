"""Rows of Python values on their way to Arrow: pyarrow makes the arrays, and leaves out what it finds no place for.

It drops a dict's keys that the row type has not, cuts 1.5 down to 1 for an integer, a datetime to its date, microseconds to milliseconds, and takes a text for a
list of letters. None of that is what a writer meant, so such values are found first and refused by name.
"""
from __future__ import annotations

import datetime
import decimal
import math
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import pyarrow

from ._given import told
from .errors import InvalidError

__all__ = ["check_frame", "table_of"]

_Check = Callable[[Any, str], None]


def table_of(rows: Iterable[Any], schema: Any) -> "pyarrow.Table":
    """Of dicts."""
    listed = list(rows)
    for row in listed:
        if not isinstance(row, Mapping):
            raise TypeError("a row is a dict of Python values, not %s" % told(row))
    unknown = set().union(*listed).difference(schema.names) if listed else set()
    if unknown:
        raise InvalidError("the table has no column %s" % ", ".join(sorted(map(str, unknown))))
    for field in schema:
        check = _check_of(field.type)
        if check is not None:
            for row in listed:
                check(row.get(field.name), field.name)
    return pyarrow.Table.from_pylist(listed, schema=schema)


def check_frame(frame: Any, fields: Sequence[Any]) -> None:
    """Of pandas: columns of objects hold Python values; others are converted by casts, which pyarrow checks, but for the fields of a row."""
    for field in fields:
        column = frame[field.name]
        given = getattr(column.dtype, "pyarrow_dtype", None)
        if given is not None:
            _check_fields(given, field.type, field.name)
        elif column.dtype == object:
            check = _check_of(field.type)
            if check is not None:
                for value in column:
                    check(value, field.name)


def _check_fields(given: Any, wanted: Any, path: str) -> None:
    """A cast to a row of fewer fields drops the others."""
    types = pyarrow.types
    if types.is_struct(given) and types.is_struct(wanted):
        inside = {field.name: field.type for field in wanted}
        for field in given:
            if field.name not in inside:
                raise InvalidError("the table has no column %s.%s" % (path, field.name))
            _check_fields(field.type, inside[field.name], path + "." + field.name)
    elif given.num_fields == wanted.num_fields:
        for i in range(given.num_fields):
            _check_fields(given.field(i).type, wanted.field(i).type, path + "." + wanted.field(i).name)


# ---- values ----


def _check_of(type: Any) -> Optional[_Check]:
    """None: pyarrow is as strict as we are."""
    types = pyarrow.types
    if types.is_integer(type):
        return _integer
    if types.is_date(type):
        return _date
    if types.is_time(type) or types.is_timestamp(type):
        return _moment(type)
    if types.is_struct(type):
        return _struct(type)
    if types.is_map(type):
        return _map(type)
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        return _list(type)
    return None


def _lost(value: Any, path: str, what: str) -> InvalidError:
    return InvalidError("column %s: %s is not %s, and is not rounded to one" % (path, value, what))


def _is_null(value: Any) -> bool:
    """None, and what pandas says instead."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NaTType", "NAType")


def _integer(value: Any, path: str) -> None:
    if isinstance(value, int) or _is_null(value):
        return
    if isinstance(value, decimal.Decimal):
        if value.is_finite() and value != value.to_integral_value():
            raise _lost(value, path, "a whole number")
    elif hasattr(value, "is_integer") and not value.is_integer():  # float, and NumPy's
        raise _lost(value, path, "a whole number")


def _date(value: Any, path: str) -> None:
    if isinstance(value, datetime.datetime):
        if not _is_null(value) and value.time() != datetime.time():
            raise _lost(value, path, "a date")
    else:
        _integer(value, path)


def _moment(type: Any) -> _Check:
    """Of a timestamp or time in the column's unit."""
    nanoseconds = {"s": 1000000000, "ms": 1000000, "us": 1000, "ns": 1}[type.unit]
    what = "a whole number of %s" % {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[type.unit]

    def check(value: Any, path: str) -> None:
        if isinstance(value, (datetime.datetime, datetime.time)) and not _is_null(value):
            if (value.microsecond * 1000 + getattr(value, "nanosecond", 0)) % nanoseconds:
                raise _lost(value, path, what)
        else:
            _integer(value, path)

    return check


def _struct(type: Any) -> _Check:
    inside = {field.name: _check_of(field.type) for field in type}

    def check(value: Any, path: str) -> None:
        if _is_null(value):
            return
        if isinstance(value, Mapping):
            pairs: Iterable[Any] = value.items()
        elif isinstance(value, tuple):
            pairs = zip(inside, value)  # by position; pyarrow counts them
        elif isinstance(value, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
            pairs = value
        else:
            raise TypeError("column %s: a row is a dict, not %s" % (path, told(value)))
        for key, inner in pairs:
            if key not in inside:
                raise InvalidError("the table has no column %s.%s" % (path, key))
            further = inside[key]
            if further is not None:
                further(inner, "%s.%s" % (path, key))

    return check


def _map(type: Any) -> _Check:
    of_key, of_value = _check_of(type.key_type), _check_of(type.item_type)

    def check(value: Any, path: str) -> None:
        if _is_null(value):
            return
        _not_a_text(value, path, "a map is a dict or a list of pairs")
        for key, inner in value.items() if isinstance(value, Mapping) else value:
            if of_key is not None:
                of_key(key, path + ".key")
            if of_value is not None:
                of_value(inner, path + ".value")

    return check


def _list(type: Any) -> _Check:
    of_element = _check_of(type.value_type)

    def check(value: Any, path: str) -> None:
        if _is_null(value):
            return
        _not_a_text(value, path, "an array is a list of values")
        if of_element is not None and hasattr(value, "__iter__"):
            for inner in value:
                of_element(inner, path + ".element")

    return check


def _not_a_text(value: Any, path: str, what: str) -> None:
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        raise TypeError("column %s: %s, not %s" % (path, what, told(value)))
