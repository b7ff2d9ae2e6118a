"""Tables whose versions a catalog owns, such as a REST catalog: it knows the latest snapshot, and a commit asks it to publish the next one.

    class Versions(paimon_c.Versions):
        def latest_snapshot(self, branch):
            return get(".../snapshot")["snapshot"]["snapshot"]
        def publish(self, publication):
            return post(".../commit", publication.request)["success"]

    table = paimon_c.open_table(path, versions=Versions(), table_id="3f0c…")
"""
from __future__ import annotations

import json
from typing import Any, Mapping, NamedTuple, Optional, Union

from ._core import call, utf8
from ._native import ffi, lib
from .fs import _keep, _objects, _on_object, _path

__all__ = ["Publication", "Versions"]

Json = Union[str, bytes, Mapping[str, Any]]  #: a JSON text, or the mapping that one of an object parses to


class Publication(NamedTuple):
    """A snapshot on its way to its table."""

    branch: str  #: "main", or the branch that is committed to
    snapshot_id: int  #: one more than the one it was built on; the first is 1
    snapshot: str  #: JSON, as a snapshot file has it
    base_snapshot_uuid: Optional[str]  #: of the snapshot that it was built on; None: there was none, or it has no uuid
    statistics: str  #: JSON array of Java's PartitionStatistics: what the commit adds to each partition, or takes away (below 0)
    request: str  #: all of it as the body of the REST API's …/commit: for a branch "dev" of "orders", to the URL of "orders$branch_dev"


class Versions:
    """What a catalog's client has to answer for one table. It need not inherit from this.

    Methods are called from the library's threads, each holding the interpreter's lock, and may take their time. What they raise is the cause of
    the exception that the user's call raises. Beside these there may be:

    - ``snapshot(branch, snapshot_id)``: the JSON of one snapshot, None if it has expired. Left out: they are files in the table's folder
    - ``earliest_snapshot_id(branch)``: of the oldest one that has not expired, None if there is none. Left out: the files tell
    - ``schema(branch, schema_id)``: the JSON of a schema, as a schema file has it; id None: the current one. Left out: they are files
    - ``publish(publication)``: make the snapshot the table's newest if, and only if, it follows on the newest one. True: it is. False: another
      was first, so the commit is rebased and comes again. None, or any exception but the next ones: nobody knows, so the library asks for the
      latest snapshot, and deletes nothing that this one names. InvalidError, NotFoundError, UnsupportedError, StateError (and the builtin
      FileNotFoundError, NotImplementedError) are refusals, for certain. Left out: commits to this table can only be prepared
    """

    def latest_snapshot(self, branch: str) -> Optional[Json]:
        """The JSON of the newest snapshot; None: the table has none."""
        raise NotImplementedError("these versions do not tell the latest snapshot")


_OPTIONAL = {"snapshot": lib.PAIMON_PY_SNAPSHOT, "earliest_snapshot_id": lib.PAIMON_PY_EARLIEST, "schema": lib.PAIMON_PY_SCHEMA,
             "publish": lib.PAIMON_PY_PUBLISH}


def native_versions(versions: Any) -> Any:
    """The library's handle on an object with the methods of Versions."""
    if not callable(getattr(versions, "latest_snapshot", None)):
        raise TypeError("versions with a method latest_snapshot were expected, not %s" % type(versions).__name__)
    has = sum(flag for name, flag in _OPTIONAL.items() if getattr(versions, name, None) is not None)
    number, out = _keep(versions), ffi.new("paimon_versions **")
    try:
        call(lib.paimon_py_versions_new, number, has, out)
    except BaseException:
        _objects.pop(number, None)
        raise
    return ffi.gc(out[0], lib.paimon_versions_free)


def _give(answer: Optional[Json], give: Any, arg: Any) -> int:
    if answer is None:
        return 0
    if isinstance(answer, Mapping):
        answer = json.dumps(answer)
    if not isinstance(answer, (str, bytes)):
        raise TypeError("a JSON text or a mapping was expected, not %s" % type(answer).__name__)
    said = utf8(answer) if isinstance(answer, str) else answer
    return int(give(arg, said, len(said)))


@_on_object("latest_snapshot")  # type: ignore[untyped-decorator]
def paimon_py_latest_snapshot(versions: Any, branch: Any, give: Any, arg: Any, err: Any) -> int:
    return _give(versions.latest_snapshot(_path(branch)), give, arg)


@_on_object("snapshot")  # type: ignore[untyped-decorator]
def paimon_py_snapshot(versions: Any, branch: Any, snapshot_id: int, give: Any, arg: Any, err: Any) -> int:
    return _give(versions.snapshot(_path(branch), snapshot_id), give, arg)


@_on_object("earliest_snapshot_id")  # type: ignore[untyped-decorator]
def paimon_py_earliest_snapshot_id(versions: Any, branch: Any, out: Any, err: Any) -> int:
    out[0] = versions.earliest_snapshot_id(_path(branch)) or 0
    return 0


@_on_object("schema")  # type: ignore[untyped-decorator]
def paimon_py_schema(versions: Any, branch: Any, schema_id: int, give: Any, arg: Any, err: Any) -> int:
    return _give(versions.schema(_path(branch), None if schema_id < 0 else schema_id), give, arg)


@_on_object("publish")  # type: ignore[untyped-decorator]
def paimon_py_publish_snapshot(versions: Any, p: Any, result: Any, err: Any) -> int:
    base = None if p.base_snapshot_uuid == ffi.NULL else _path(p.base_snapshot_uuid)
    created = versions.publish(Publication(_path(p.branch), p.snapshot_id, _path(p.snapshot_json), base, _path(p.statistics_json), _path(p.request_json)))
    if created is not None and not isinstance(created, bool):  # an answer that was not looked into is true whatever it says
        raise TypeError("publish() was to answer True, False or None, not %s" % type(created).__name__)
    result[0] = lib.PAIMON_PUBLISH_UNKNOWN if created is None else lib.PAIMON_PUBLISH_CREATED if created else lib.PAIMON_PUBLISH_EXISTS
    return 0
