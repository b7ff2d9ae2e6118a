"""What all attempts of a job's tasks have written. A module of its own: the actor that holds it starts sooner without Ray Data."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .tasks import Written


class Journal:
    """Ray tells of those attempts only that count, and of none when a job fails."""

    def __init__(self) -> None:
        self._written: Optional[dict[str, "Written"]] = {}

    def add(self, key: str, written: "Written") -> bool:
        """False: the job is over."""
        if self._written is None:
            return False
        self._written[key] = written
        return True

    def close(self) -> dict[str, "Written"]:
        written, self._written = self._written, None
        return written or {}
