"""What goes wrong, as exceptions: one class for each status of the library, each also the builtin that fits."""
from __future__ import annotations

__all__ = [
    "PaimonError", "InvalidError", "NotFoundError", "AlreadyExistsError", "UnsupportedError", "CorruptError", "StorageError",
    "ConflictError", "CancelledError", "OutOfMemoryError", "StateError", "InternalError",
]


class PaimonError(Exception):
    """Anything that the library refuses or fails at. The text names the file, the place, what was found and what was expected."""

    status: int = 0  #: the number of include/paimon-c/status.h
    sys_errno: int = 0  #: errno or HTTP status behind it; 0 if none


class InvalidError(PaimonError, ValueError):
    """An argument is wrong."""

    status = 1


class NotFoundError(PaimonError, FileNotFoundError):
    """A table, snapshot, tag, file or column is not there."""

    status = 2


class AlreadyExistsError(PaimonError, FileExistsError):
    """It is there already."""

    status = 3


class UnsupportedError(PaimonError, NotImplementedError):
    """A feature, option, type or version that is not implemented, by name."""

    status = 4


class CorruptError(PaimonError, ValueError):
    """Bytes that do not parse or contradict each other."""

    status = 5


class StorageError(PaimonError, OSError):
    """The storage failed."""

    status = 6


class ConflictError(PaimonError, RuntimeError):
    """Another writer was first; the commit may be tried again."""

    status = 7


class CancelledError(PaimonError, RuntimeError):
    """Cancelled by the caller."""

    status = 8


class OutOfMemoryError(PaimonError, MemoryError):
    """The environment's memory limit, or the machine, refused."""

    status = 9


class StateError(PaimonError, RuntimeError):
    """The object is not in a state for this call: closed, handed over, committed already."""

    status = 10


class InternalError(PaimonError, RuntimeError):
    """A fault of this library; please report it."""

    status = 11


BY_STATUS = {
    c.status: c
    for c in (InvalidError, NotFoundError, AlreadyExistsError, UnsupportedError, CorruptError, StorageError, ConflictError, CancelledError,
              OutOfMemoryError, StateError, InternalError)
}
