"""What the attempts of writing jobs have written: an actor of the driver's. A module of its own: it starts sooner without Ray Data."""
from __future__ import annotations

import collections
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tasks import Written

_REMEMBERED = 10000


class Journal:
    """Ray tells of those attempts only that count, and of none when a job fails.

    One serves all jobs of a driver. If its process dies, Ray starts it again, and what it was told before is forgotten: files of attempts that do not
    count may stay then.
    """

    def __init__(self) -> None:
        self._written: dict[str, dict[str, "Written"]] = {}
        self._over: collections.OrderedDict[str, None] = collections.OrderedDict()  # the last jobs that ended

    def add(self, job: str, attempt: str, written: "Written") -> bool:
        """False: the job is over."""
        if job in self._over:
            return False
        self._written.setdefault(job, {})[attempt] = written
        return True

    def close(self, job: str) -> dict[str, "Written"]:
        self._over[job] = None
        if len(self._over) > _REMEMBERED:
            self._over.popitem(last=False)
        return self._written.pop(job, {})
