"""Environments: memory, threads, log and file systems of everything that is opened from them."""
from __future__ import annotations

import atexit
import itertools
import logging
import os
import weakref
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Union

from ._core import call, struct, utf8
from ._given import function, of, whole
from ._native import ffi, lib

if TYPE_CHECKING:
    from .fs import FileSystem

__all__ = ["Environment", "Memory", "default_environment", "LOG_ERROR", "LOG_WARN", "LOG_INFO", "LOG_DEBUG"]

LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG = 1, 2, 3, 4
_LOGGING_LEVEL = {LOG_ERROR: logging.ERROR, LOG_WARN: logging.WARNING, LOG_INFO: logging.INFO, LOG_DEBUG: logging.DEBUG}

LogFunction = Callable[[int, str], None]

_numbers = itertools.count(1)
_log_functions: dict[int, LogFunction] = {}

# Called before the interpreter winds down: from then on no thread of the library asks for its lock.
atexit.register(lib.paimon_py_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lib.paimon_py_after_fork)


class Memory(NamedTuple):
    """Bytes that the library has allocated: batches that are still held included."""

    current: int
    peak: int


class Environment:
    """Where memory, threads, log and file systems come from.

    :param memory_limit: bytes; past it calls raise OutOfMemoryError. 0: no limit
    :param threads: of the pool that decodes and encodes; 0: one a processor
    :param log: called with (level, text) from any thread, or a logging.Logger. None: silent
    :param log_level: LOG_ERROR … LOG_DEBUG
    :param durable: files on the local disk are synced before a call says that they are written, which is slower

    Objects made from an environment keep what they need of it.
    """

    def __init__(self, *, memory_limit: int = 0, threads: int = 0, log: Union[LogFunction, logging.Logger, None] = None,
                 log_level: int = LOG_WARN, durable: bool = False) -> None:
        options = struct("paimon_env_options")
        options.memory_limit_bytes = whole(memory_limit, "memory_limit")
        options.n_threads = whole(threads, "threads")
        options.local_sync = lib.PAIMON_SYNC_DURABLE if durable else lib.PAIMON_SYNC_ORDERED
        if log is not None:
            number = next(_numbers)
            _log_functions[number] = _log_to(log) if isinstance(log, logging.Logger) else function(log, "log")
            # A line that comes after this object is gone finds no function and is dropped.
            weakref.finalize(self, _log_functions.pop, number, None)
            options.log = lib.paimon_py_log
            options.log_ctx = ffi.cast("void *", number)
            options.log_level = log_level
        out = ffi.new("paimon_env **")
        call(lib.paimon_env_new, options, out)
        self._env: Any = ffi.gc(out[0], lib.paimon_env_free)

    def register(self, scheme: str, file_system: "FileSystem") -> None:
        """Use a file system written in Python (paimon_c.fs) for paths that begin with ``scheme:``. Before the environment is shared by threads."""
        from . import fs

        fs.register(self, scheme, file_system)

    def register_memory(self, scheme: str) -> None:
        """Use a new, empty file system in memory, the library's own, for paths that begin with ``scheme:``."""
        out = ffi.new("paimon_fs **")
        call(lib.paimon_fs_memory, self._env, out)
        held = ffi.gc(out[0], lib.paimon_fs_free)
        call(lib.paimon_env_register_fs, self._env, utf8(scheme), held)

    def memory(self) -> Memory:
        """What is allocated now, and the most there was."""
        current, peak = ffi.new("int64_t *"), ffi.new("int64_t *")
        lib.paimon_env_memory(self._env, current, peak)
        return Memory(current[0], peak[0])

    def __repr__(self) -> str:
        return "<paimon_c.Environment, %d bytes in use>" % self.memory().current


def _log_to(logger: logging.Logger) -> LogFunction:
    return lambda level, line: logger.log(_LOGGING_LEVEL.get(level, logging.DEBUG), "%s", line)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def paimon_py_log_line(number: int, level: int, message: Any) -> None:
    function = _log_functions.get(number)
    if function is not None:
        function(level, ffi.string(message).decode("utf-8", "replace"))


_default: Optional[Environment] = None


def default_environment() -> Environment:
    """The environment of everything that is opened without one."""
    global _default
    if _default is None:
        _default = Environment()
    return _default


def environment_of(given: Optional[Environment]) -> Environment:
    return default_environment() if given is None else of(given, Environment, "environment")


def processors() -> int:
    """How many threads can run at once here: what a container gives, not what the machine has."""
    try:
        return max(1, min(256, len(os.sched_getaffinity(0))))
    except AttributeError:
        return max(1, min(256, os.cpu_count() or 1))
