"""Snapshots: what the table was at one commit."""
from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .table import Table

__all__ = ["Snapshot", "SnapshotManager"]


class Snapshot:
    """A snapshot's file. Members that it lacks are None; `data` has all of it."""

    def __init__(self, text: str) -> None:
        self.json = text
        self.data: dict[str, Any] = json.loads(text)
        self.id: int = self.data["id"]
        self.schema_id: int = self.data["schemaId"]
        self.commit_user: Optional[str] = self.data.get("commitUser")
        self.commit_identifier: Optional[int] = self.data.get("commitIdentifier")
        self.commit_kind: Optional[str] = self.data.get("commitKind")
        self.time_millis: Optional[int] = self.data.get("timeMillis")
        self.total_record_count: Optional[int] = self.data.get("totalRecordCount")
        self.delta_record_count: Optional[int] = self.data.get("deltaRecordCount")
        self.watermark: Optional[int] = self.data.get("watermark")
        self.properties: Optional[dict[str, str]] = self.data.get("properties")

    @property
    def time(self) -> Optional[datetime.datetime]:
        """When it was committed, in UTC."""
        if self.time_millis is None:
            return None
        return datetime.datetime.fromtimestamp(0, datetime.timezone.utc) + datetime.timedelta(milliseconds=self.time_millis)

    def __repr__(self) -> str:
        return "<paimon_c.Snapshot %d, %s by %s, %s rows>" % (self.id, self.commit_kind, self.commit_user, self.total_record_count)


class SnapshotManager:
    """The names that users of pypaimon know; Table.snapshots() and its fellows do the same."""

    def __init__(self, table: "Table") -> None:
        self._table = table

    def get_latest_snapshot(self) -> Optional[Snapshot]:
        return self._table.latest_snapshot()

    def get_snapshot_by_id(self, snapshot_id: int) -> Snapshot:
        return self._table.snapshot(snapshot_id)
