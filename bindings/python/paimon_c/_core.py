"""Calls into the library: statuses become exceptions, texts become str."""
from __future__ import annotations

import os
import threading
from typing import Any, Mapping, Optional, Sequence, Union

from . import errors
from ._given import mapping, option_text, told
from ._native import ffi, lib

#: What a Python callback raised last. An exception that the library makes of it is raised from the original. A call that succeeds forgets
#: it: its traceback holds on to everything that the callback had in hands.
_raised_in_callback: Optional[tuple[str, BaseException]] = None

#: What ended this thread's call from within: raised by a progress function.
stopped_by = threading.local()

INTERRUPTED = -1  #: what a callback answers after KeyboardInterrupt (src/bridge.c)

#: errno -> status, as streams tell them (include/paimon-c/status.h)
_STATUS_OF_ERRNO = {
    22: 1, 2: 2, 17: 3, 95: 4, 74: 5, 5: 6, 11: 7, 125: 8, 12: 9, 16: 10, 131: 11,
}


def make_error(status: int, message: str, sys_errno: int = 0) -> BaseException:
    """The exception for a status. One that a callback of the user's own raised is its cause, or, for an interrupt, itself."""
    global _raised_in_callback
    stopped = take_stopped()
    if stopped is not None:
        return stopped
    error: errors.PaimonError = errors.BY_STATUS.get(status, errors.InternalError)(message or "unknown error")
    error.sys_errno = sys_errno
    if isinstance(error, errors.StorageError) and sys_errno:
        error.errno = sys_errno
    raised = _raised_in_callback
    if raised is not None and raised[0] in message:
        _raised_in_callback = None
        if not isinstance(raised[1], Exception):
            return raised[1]
        error.__cause__ = raised[1]
    return error


def take_stopped() -> Optional[BaseException]:
    """What a progress function raised to end this thread's call, if it did; told once."""
    exception: Optional[BaseException] = getattr(stopped_by, "exception", None)
    stopped_by.exception = None
    return exception


def remember_raised(text: str, exception: BaseException) -> None:
    global _raised_in_callback
    _raised_in_callback = (text, exception)


def call(function: Any, *args: Any) -> None:
    """Call a function that returns a status and takes, last, an error."""
    global _raised_in_callback
    err = ffi.new("paimon_error *")
    err.struct_size = ffi.sizeof("paimon_error")
    status = function(*args, err)
    if status == 0:
        _raised_in_callback = None
    else:
        message = text(lib.paimon_error_message(err)) or ""
        sys_errno = err.sys_errno
        lib.paimon_error_clear(err)
        raise make_error(status, message, sys_errno)


def stream_error(stream: Any, errno: int) -> BaseException:
    """The exception for a call of an ArrowArrayStream that answered `errno`."""
    told = ffi.NULL if stream.get_last_error == ffi.NULL else stream.get_last_error(stream)
    return make_error(_STATUS_OF_ERRNO.get(errno, 6), text(told) or os.strerror(errno), errno if errno not in _STATUS_OF_ERRNO else 0)


def text(pointer: Any) -> Optional[str]:
    """A borrowed C text."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "surrogateescape")


def take_text(function: Any, *args: Any) -> str:
    """Call a function whose last argument but the error is a text for us to free."""
    out = ffi.new("char **")
    call(function, *args, out)
    try:
        return text(out[0]) or ""
    finally:
        lib.paimon_string_free(out[0])


def take_bytes(function: Any, *args: Any) -> bytes:
    """Call a function whose last arguments but the error are bytes for us to free, and their number."""
    out, n = ffi.new("uint8_t **"), ffi.new("size_t *")
    call(function, *args, out, n)
    try:
        return bytes(ffi.buffer(out[0], n[0])) if n[0] else b""
    finally:
        lib.paimon_bytes_free(out[0], n[0])


def utf8(value: Union[str, "os.PathLike[str]"]) -> bytes:
    """A text for C. A zero byte would cut it short there, so it is refused here."""
    plain = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(plain, str):
        raise TypeError("a text was expected, not %s" % told(plain))
    encoded = plain.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise errors.InvalidError("a text with a zero byte: %r" % (value,))
    return encoded


class Texts:
    """An array of C texts that lives as long as this object."""

    def __init__(self, values: Sequence[Optional[str]]):
        self._held = [None if v is None else ffi.new("char[]", utf8(v)) for v in values]
        self.n = len(self._held)
        self.pointer = ffi.new("const char *[]", [ffi.NULL if h is None else h for h in self._held]) if self._held else ffi.NULL


class Options:
    """An array of paimon_option that lives as long as this object. With `unset`, a value None stays NULL.

    :param what: they are, in errors
    """

    def __init__(self, options: Optional[Mapping[str, Any]], unset: bool = False, what: str = "options"):
        given = {} if options is None else mapping(options, what)
        pairs = [(k, None if v is None and unset else option_text(v, "%s['%s']" % (what, k))) for k, v in given.items()]
        self.n = len(pairs)
        self._held = [(ffi.new("char[]", utf8(k)), ffi.NULL if v is None else ffi.new("char[]", utf8(v))) for k, v in pairs]
        self.pointer = ffi.new("paimon_option[]", self._held) if pairs else ffi.NULL


def struct(name: str) -> Any:
    """A zeroed struct that knows its size."""
    made = ffi.new(name + " *")
    made.struct_size = ffi.sizeof(name)
    return made
