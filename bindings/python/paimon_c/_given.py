"""What callers give, held to what was meant.

Python takes a text for a list of its letters, a mapping for a list of its keys, and None for whatever a branch makes of it, without a word. Here such
things are errors that say what was expected. Wrong types are TypeError, as everywhere in Python.
"""
from __future__ import annotations

import datetime
import decimal
import numbers
import operator
import os
from typing import Any, Iterable, Mapping, Optional, TypeVar, Union

from .errors import InvalidError

__all__ = ["blob", "checked_arguments", "columns", "function", "items", "mapping", "name", "names", "of", "option_text", "overwriting", "whole"]

_T = TypeVar("_T")


def told(value: Any) -> str:
    """What was given, short."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, (str, bytes)):
        return repr(value if len(value) <= 60 else value[:60])
    return type(value).__name__


def name(value: Any, what: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str):
        raise TypeError("%s is a text, not %s" % (what, told(value)))
    if not value:
        raise InvalidError("%s is empty" % what)
    return value


def items(value: Iterable[_T], kind: Union[type, tuple[type, ...]], what: str) -> list[_T]:
    """A list of things of one kind, never one thing alone, a text, or a mapping's keys."""
    one = kind[0] if isinstance(kind, tuple) else kind
    if isinstance(value, kind):
        raise TypeError("%s is a list: put the %s into [ ]" % (what, type(value).__name__))
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not hasattr(value, "__iter__"):
        raise TypeError("%s is a list, not %s" % (what, told(value)))
    listed = list(value)
    for item in listed:
        if not isinstance(item, kind):
            raise TypeError("%s is a list of %s, and %s is none" % (what, one.__name__, told(item)))
    return listed


def names(value: Any, what: str) -> list[str]:
    """A list of texts."""
    if isinstance(value, (str, bytes)):
        raise TypeError("%s is a list of names: [%r], not %r" % (what, value, value))
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError("%s is a list of names, not %s" % (what, told(value)))
    listed = list(value)
    for item in listed:
        if not isinstance(item, str):
            raise TypeError("%s is a list of names, and %s is none" % (what, told(item)))
    return listed


def columns(value: Any) -> Optional[list[str]]:
    """None: all."""
    return None if value is None else names(value, "columns")


def mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("%s is a mapping {name: value}, not %s" % (what, told(value)))
    for key in value:
        if not isinstance(key, str):
            raise TypeError("%s is a mapping {name: value}, and %s is no name" % (what, told(key)))
    return dict(value)


def whole(value: Any, what: str) -> int:
    """A whole number, NumPy's too; not True, and not 1.0."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError("%s is a whole number, not %s" % (what, told(value)))


def function(value: Any, what: str) -> Any:
    """Something to call, or None."""
    if value is not None and not callable(value):
        raise TypeError("%s is a function, not %s" % (what, told(value)))
    return value


def of(value: Any, kind: type[_T], what: str, hint: str = "") -> _T:
    if not isinstance(value, kind):
        raise TypeError("%s is a %s, not %s%s" % (what, kind.__name__, told(value), hint and ": " + hint))
    return value


def blob(value: Any, what: str) -> bytes:
    """Bytes; a number would be so many zeros."""
    try:
        return bytes(memoryview(value))
    except TypeError:
        raise TypeError("%s are bytes, not %s" % (what, told(value))) from None


def overwriting(value: Any) -> Optional[dict[str, Any]]:
    """False: None. True: {}. A mapping: itself. None is neither: it would take a table's rows away where a caller has forgotten to say what."""
    if value is False:
        return None
    if value is True:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError("overwrite is True, False or a mapping of partition values, not %s" % told(value))
    return mapping(value, "overwrite")


def option_text(value: Any, what: str) -> str:
    """Options and partition values are texts in Paimon; Python's True is "true"."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(name(os.fspath(value), what))
    if isinstance(value, (numbers.Real, decimal.Decimal, datetime.date, datetime.time)):
        return str(value)
    if value is None:
        raise InvalidError("%s is None" % what)
    raise TypeError("%s is a text, a number, True or False, not %s" % (what, told(value)))


def checked_arguments(given: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Of ``**options`` that are handed on to someone who drops those that he does not know."""
    unknown = sorted(set(given).difference(known))
    if unknown:
        raise TypeError("%s got an unexpected keyword argument '%s'" % (what, unknown[0]))
