"""Progress of long calls, and how they are interrupted.

The library calls Python between its steps (a scan's manifests, a read's batches, a write's batches, a commit's attempts): of each object at first, and then at
most ten times a second. Each such call lets the interpreter see Ctrl-C, and tells a function of the user's, if there is one; what is raised there ends the call, as itself.
"""
from __future__ import annotations

import itertools
import weakref
from typing import Any, Callable, NamedTuple, Optional

from ._core import INTERRUPTED, call, stopped_by
from ._given import function as callable_or_none
from ._native import ffi, lib

__all__ = ["Progress", "ProgressFunction"]

SCAN, READ, WRITE, COMMIT = "scan", "read", "write", "commit"
_ACTIVITY = {lib.PAIMON_ACTIVITY_SCAN: SCAN, lib.PAIMON_ACTIVITY_READ: READ, lib.PAIMON_ACTIVITY_WRITE: WRITE, lib.PAIMON_ACTIVITY_COMMIT: COMMIT}


class Progress(NamedTuple):
    """How far a scan, read, write or commit is."""

    activity: str  #: "scan", "read", "write" or "commit"
    done: int  #: manifests read, files opened, batches written, attempts begun
    total: Optional[int]  #: of `done`; None: not known before the end
    rows: int
    files: int
    bytes: int


ProgressFunction = Callable[[Progress], object]

_numbers = itertools.count(1)
_functions: dict[int, ProgressFunction] = {}


def watch(owner: Any, setter: Any, pointer: Any, function: Optional[ProgressFunction]) -> None:
    """Hear of the progress of what `pointer` is, as long as `owner` lives: streams may outlive it, and are silent from then on."""
    number = 0
    function = callable_or_none(function, "progress")
    if function is not None:
        number = next(_numbers)
        _functions[number] = function
        weakref.finalize(owner, _functions.pop, number, None)
    call(setter, pointer, lib.paimon_py_progress, ffi.cast("void *", number))


def _keep(kind: Any, exception: BaseException, traceback: Any) -> int:
    if isinstance(exception, KeyboardInterrupt):
        return INTERRUPTED
    stopped_by.exception = exception
    return 1


@ffi.def_extern(error=1, onerror=_keep)  # type: ignore[untyped-decorator]
def paimon_py_step(number: int, progress: Any) -> int:
    function = _functions.get(number)
    if function is not None:
        function(Progress(_ACTIVITY[progress.activity], progress.done, progress.total if progress.total >= 0 else None, progress.rows, progress.files,
                          progress.bytes))
    return 0
