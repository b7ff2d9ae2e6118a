"""File systems written in Python, and one over fsspec.

    env = paimon_c.Environment()
    env.register("s3", paimon_c.fs.FsspecFileSystem(fsspec.filesystem("s3")))
    table = paimon_c.open_table("s3://bucket/warehouse/shop.db/orders", environment=env)

A file system is any object with the methods of `FileSystem`; it need not inherit from it. Paths come whole, with their scheme. Methods are called
from the library's threads, several at once, each holding the interpreter's lock. FileNotFoundError, FileExistsError, NotImplementedError and other
OSErrors keep their meaning; whatever is raised is the cause of the exception that the user's call raises.
"""
from __future__ import annotations

import errno
import inspect
import itertools
import os
import threading
import uuid
from typing import Any, Callable, Iterable, NamedTuple, Optional, Sequence, Union

from . import errors
from ._core import INTERRUPTED, call, remember_raised, utf8
from ._given import function, told
from ._native import ffi, lib
from .environment import Environment

__all__ = ["FileInfo", "FileSystem", "FsspecFileSystem", "ReadFile", "WriteFile"]

Buffer = Union[bytes, bytearray, memoryview]

_CONFLICTS = 5  # answers of "somebody else is writing it" before we give up


class FileInfo(NamedTuple):
    """An entry of a listing, or what stat() tells (the name does not matter there)."""

    name: str
    size: int = 0
    is_directory: bool = False
    modified_ms: int = 0  #: since 1970, UTC; 0: unknown


class ReadFile:
    """An open file. `size` in bytes, and read_range(); read_ranges(), if it is there, is asked for several at once instead."""

    size: int

    def read_range(self, offset: int, length: int) -> Buffer:
        raise NotImplementedError("read_range")

    def close(self) -> None:
        """May be left out."""


class WriteFile:
    """A file that is being written, by one thread at a time."""

    def write(self, data: memoryview) -> Any:
        """All of it; the memory is the library's and not to be kept."""
        raise NotImplementedError("write")

    def finish(self) -> None:
        """Make it whole and visible, and close it."""
        raise NotImplementedError("finish")

    def abort(self) -> None:
        """Close it and take it away."""
        raise NotImplementedError("abort")


class FileSystem:
    """What a file system has to answer. What is not overridden is refused by name."""

    def open_read(self, path: str, size: Optional[int]) -> ReadFile:
        """Open for reading; `size` saves asking when it is known. FileNotFoundError if it is not there."""
        raise NotImplementedError("this file system does not read files")

    def stat(self, path: str) -> FileInfo:
        raise NotImplementedError("this file system does not stat files")

    def list(self, path: str) -> Iterable[FileInfo]:
        """The direct entries of a directory, in any order. FileNotFoundError if it is not there."""
        raise NotImplementedError("this file system does not list directories")

    def open_write(self, path: str) -> WriteFile:
        """A new file; missing directories are made. FileExistsError if the path exists."""
        raise NotImplementedError("this file system does not write files")

    def remove(self, paths: Sequence[str]) -> None:
        """Remove files; an absent one counts as removed. All are tried."""
        raise NotImplementedError("this file system does not remove files")

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""
        raise NotImplementedError("this file system does not remove directories")

    def make_directories(self, path: str) -> None:
        raise NotImplementedError("this file system does not make directories")

    def publish_if_absent(self, path: str, data: bytes) -> Optional[bool]:
        """Create `path` with these bytes if it does not exist, atomically: no reader may see a part of them, and of two writers one gets True.

        True: created. False: it was there, and nothing was changed. None: the answer was lost.
        """
        raise NotImplementedError("this file system does not create files atomically, so nothing can be committed on it")

    def replace(self, path: str, data: bytes) -> None:
        """Create or replace: a reader sees the old or the new bytes."""
        raise NotImplementedError("this file system does not replace files")

    # rename_directory(self, source: str, target: str) -> None may be there: at once for every reader, FileExistsError if the target is taken.


# ---- objects that C knows by a number ----

_numbers = itertools.count(1)
_objects: dict[int, Any] = {}


def _keep(value: Any) -> int:
    number = next(_numbers)
    _objects[number] = value
    return number


def register(environment: Environment, scheme: str, file_system: FileSystem) -> None:
    if not hasattr(file_system, "open_read"):
        hint = ": FsspecFileSystem(…) makes one of it" if hasattr(file_system, "_strip_protocol") else ""
        raise TypeError("a file system is an object with the methods of paimon_c.fs.FileSystem, not %s%s" % (told(file_system), hint))
    number = _keep(file_system)
    out = ffi.new("paimon_fs **")
    try:
        call(lib.paimon_py_fs_new, number, hasattr(file_system, "rename_directory"), out)
    except BaseException:
        _objects.pop(number, None)
        raise
    held = ffi.gc(out[0], lib.paimon_fs_free)
    call(lib.paimon_env_register_fs, environment._env, utf8(scheme), held)


# ---- exceptions become statuses ----

_STATUS = [
    (FileNotFoundError, lib.PAIMON_NOT_FOUND), (FileExistsError, lib.PAIMON_ALREADY_EXISTS), (NotImplementedError, lib.PAIMON_UNSUPPORTED),
    (MemoryError, lib.PAIMON_NOMEM), (OSError, lib.PAIMON_IO), (KeyboardInterrupt, INTERRUPTED), (SystemExit, lib.PAIMON_CANCELLED),
]


def _fail(err: Any, exception: BaseException, what: str) -> int:
    said = str(exception)
    told = "%s: %s: %s" % (what, type(exception).__name__, said) if said else "%s: %s" % (what, type(exception).__name__)
    told = told.replace("\n", " ").replace("\0", " ")
    if isinstance(exception, errors.PaimonError):
        status = exception.status or lib.PAIMON_INTERNAL
    else:
        status = next((s for kind, s in _STATUS if isinstance(exception, kind)), lib.PAIMON_IO)
    if status != INTERRUPTED:
        remember_raised(told, exception)
    lib.paimon_py_fail(err, status if status != INTERRUPTED else lib.PAIMON_CANCELLED, getattr(exception, "errno", None) or 0, told.encode("utf-8", "replace"))
    return int(status)


def _outside(kind: Any, exception: BaseException, traceback: Any) -> int:
    """What is raised before a callback's first line or behind its last one: Ctrl-C, which C sets again for Python to see later."""
    if isinstance(exception, KeyboardInterrupt):
        return INTERRUPTED
    raise exception  # is told on standard error


def _path(pointer: Any) -> str:
    return str(ffi.string(pointer).decode("utf-8", "surrogateescape"))


def _on_path(body: Callable[..., int]) -> Any:
    """A callback (number, path, …, err) over the file system of that number."""

    def run(number: int, path: Any, *args: Any) -> int:
        name = _path(path)
        try:
            return body(_objects[number], name, *args) or 0
        except BaseException as e:
            return _fail(args[-1], e, name)

    return ffi.def_extern(name=body.__name__, error=lib.PAIMON_INTERNAL, onerror=_outside)(run)


def _on_object(what: str) -> Any:
    """A callback (number, …, err) over the object of that number, which is asked for `what`."""

    def decorate(body: Callable[..., int]) -> Any:
        def run(number: int, *args: Any) -> int:
            try:
                return body(_objects[number], *args) or 0
            except BaseException as e:
                return _fail(args[-1], e, what)

        return ffi.def_extern(name=body.__name__, error=lib.PAIMON_INTERNAL, onerror=_outside)(run)

    return decorate


def _on_file(body: Callable[..., int]) -> Any:
    """A callback (number, …, err) over the open file of that number."""

    def run(number: int, *args: Any) -> int:
        name = "?"
        try:
            file, name = _objects[number]
            return body(file, *args) or 0
        except BaseException as e:
            return _fail(args[-1], e, name)

    return ffi.def_extern(name=body.__name__, error=lib.PAIMON_INTERNAL, onerror=_outside)(run)


@_on_path
def paimon_py_open_read(fs: Any, path: str, known_size: int, out: Any, size: Any, err: Any) -> int:
    file = fs.open_read(path, known_size if known_size >= 0 else None)
    size[0] = file.size
    out[0] = _keep((file, path))
    return 0


@_on_file
def paimon_py_read_ranges(file: Any, ranges: Any, n: int, err: Any) -> int:
    wanted = [(ranges[i].offset, ranges[i].length) for i in range(n)]
    together = getattr(file, "read_ranges", None)
    pieces = together(wanted) if together is not None and n > 1 else (file.read_range(o, k) for o, k in wanted)
    filled = 0
    for i, piece in enumerate(pieces):
        if i >= n:
            break
        got = memoryview(piece).nbytes
        if got != wanted[i][1]:
            raise OSError("%d bytes instead of %d at %d: the file is short" % (got, wanted[i][1], wanted[i][0]))
        ffi.memmove(ranges[i].dst, piece, got)
        filled += 1
    if filled != n:
        raise OSError("%d ranges instead of %d" % (filled, n))
    return 0


@ffi.def_extern(onerror=_outside)  # type: ignore[untyped-decorator]
def paimon_py_close_read(number: int) -> int:
    file, _ = _objects.pop(number, (None, ""))
    close = getattr(file, "close", None)
    if close is not None:
        close()
    return 0


def _fill(info: Any, entry: FileInfo, name: Any) -> None:
    info.name = name
    info.size_bytes, info.modified_ms, info.is_directory = entry.size, entry.modified_ms, entry.is_directory


@_on_path
def paimon_py_stat(fs: Any, path: str, info: Any, err: Any) -> int:
    _fill(info, fs.stat(path), ffi.NULL)
    return 0


@_on_path
def paimon_py_list(fs: Any, path: str, fn: Any, arg: Any, err: Any) -> int:
    info = ffi.new("paimon_file_info *")
    for entry in fs.list(path):
        name = ffi.new("char[]", utf8(entry.name))
        _fill(info, entry, name)
        if fn(arg, info):
            break
    return 0


@_on_path
def paimon_py_open_write(fs: Any, path: str, out: Any, err: Any) -> int:
    out[0] = _keep((fs.open_write(path), path))
    return 0


@_on_file
def paimon_py_write(file: Any, data: Any, n: int, err: Any) -> int:
    with memoryview(ffi.buffer(data, n)).toreadonly() as view:
        file.write(view)
    return 0


@ffi.def_extern(error=lib.PAIMON_INTERNAL, onerror=_outside)  # type: ignore[untyped-decorator]
def paimon_py_finish_write(number: int, err: Any) -> int:
    file, path = _objects.pop(number)
    try:
        file.finish()
        return 0
    except BaseException as e:
        status = _fail(err, e, path)
        try:
            file.abort()
        except Exception:
            pass  # the first failure is the one to tell
        return status


@ffi.def_extern(onerror=_outside)  # type: ignore[untyped-decorator]
def paimon_py_abort_write(number: int) -> int:
    file, _ = _objects.pop(number, (None, ""))
    if file is not None:
        file.abort()
    return 0


@ffi.def_extern(error=lib.PAIMON_INTERNAL, onerror=_outside)  # type: ignore[untyped-decorator]
def paimon_py_remove(number: int, paths: Any, n: int, err: Any) -> int:
    names = [_path(paths[i]) for i in range(n)]
    try:
        _objects[number].remove(names)
        return 0
    except BaseException as e:
        return _fail(err, e, names[0] if names else "?")


@_on_path
def paimon_py_remove_directory(fs: Any, path: str, err: Any) -> int:
    fs.remove_directory(path)
    return 0


@_on_path
def paimon_py_make_directories(fs: Any, path: str, err: Any) -> int:
    fs.make_directories(path)
    return 0


@_on_path
def paimon_py_publish(fs: Any, path: str, data: Any, n: int, result: Any, err: Any) -> int:
    created = fs.publish_if_absent(path, bytes(ffi.buffer(data, n)) if n else b"")
    result[0] = lib.PAIMON_PUBLISH_UNKNOWN if created is None else lib.PAIMON_PUBLISH_CREATED if created else lib.PAIMON_PUBLISH_EXISTS
    return 0


@_on_path
def paimon_py_replace(fs: Any, path: str, data: Any, n: int, err: Any) -> int:
    fs.replace(path, bytes(ffi.buffer(data, n)) if n else b"")
    return 0


@_on_path
def paimon_py_rename_directory(fs: Any, source: str, target: Any, err: Any) -> int:
    fs.rename_directory(source, _path(target))
    return 0


@ffi.def_extern(onerror=_outside)  # type: ignore[untyped-decorator]
def paimon_py_release(number: int) -> int:
    _objects.pop(number, None)
    return 0


# ---- fsspec ----


class FsspecFileSystem:
    """Any file system of fsspec.

    :param fs: ``fsspec.filesystem("s3", …)`` and the like
    :param publish: how a commit's file is created if, and only if, it is absent, in one step: a function (path, data) -> True or False. None: the way
        known for the backend: a link on local disks, a lock in memory, a conditional write (``pipe_file(mode="create")``) on S3 and Google
        Cloud Storage. On other backends, of which nobody here knows that they can, committing is refused unless this is given

    Before its first conditional write, a store is asked to write a small file twice: one that does not refuse the second time (an old s3fs, gcsfs or
    botocore, a server that ignores ``If-None-Match``) would let one commit overwrite another, and committing is refused.
    """

    #: protocols whose pipe_file(mode="create") is one conditional request
    CONDITIONAL = {"s3", "s3a", "gs", "gcs"}

    def __init__(self, fs: Any, publish: Optional[Callable[[str, bytes], Optional[bool]]] = None) -> None:
        if not hasattr(fs, "_strip_protocol") or isinstance(fs, type):
            raise TypeError("a file system of fsspec was expected, such as fsspec.filesystem('s3'), not %s" % told(fs))
        self._fs = fs
        protocol = fs.protocol
        self._protocols = {protocol} if isinstance(protocol, str) else set(protocol)
        self._lock = threading.Lock()
        self._publish: Optional[Callable[[str, bytes], Optional[bool]]] = function(publish, "publish")
        self._is_local = bool(self._protocols & {"file", "local"})
        self._is_memory = "memory" in self._protocols
        self._is_object_store = bool(self._protocols & self.CONDITIONAL)
        self._refuses_second = False  # proved

    def _inner(self, path: str) -> str:
        """fsspec's own spelling of a path, whatever scheme it was registered under."""
        scheme, found, rest = path.partition(":")
        if found and scheme not in self._protocols:
            path = rest if self._is_local or self._is_memory else rest.lstrip("/")
            if self._is_local or self._is_memory:
                path = "/" + path.lstrip("/")
        return str(self._fs._strip_protocol(path))

    def _info(self, entry: dict[str, Any]) -> FileInfo:
        modified = entry.get("mtime") or entry.get("LastModified") or entry.get("last_modified") or entry.get("created") or 0
        if hasattr(modified, "timestamp"):
            modified = modified.timestamp()
        is_directory = entry["type"] == "directory"
        return FileInfo(str(entry["name"]).rstrip("/").rpartition("/")[2], 0 if is_directory else int(entry.get("size") or 0), is_directory,
                        int(modified * 1000) if isinstance(modified, (int, float)) else 0)

    def _now(self, inner: str) -> dict[str, Any]:
        """What is there now: of other writers, the listings that fsspec remembers say nothing."""
        self._fs.invalidate_cache(inner)
        found: dict[str, Any] = self._fs.info(inner)
        return found

    def _is_there(self, inner: str) -> bool:
        try:
            self._now(inner)
            return True
        except FileNotFoundError:
            return False

    def open_read(self, path: str, size: Optional[int]) -> "_FsspecReadFile":
        inner = self._inner(path)
        if size is None:
            found = self._now(inner)
            if found["type"] == "directory":
                raise IsADirectoryError("%s is a directory" % path)
            size = int(found["size"])
        return _FsspecReadFile(self._fs, inner, size)

    def stat(self, path: str) -> FileInfo:
        return self._info(self._now(self._inner(path)))

    def list(self, path: str) -> Iterable[FileInfo]:
        inner = self._inner(path)
        self._fs.invalidate_cache(inner)  # other writers come and go
        entries = self._fs.ls(inner, detail=True)
        # Object stores tell of a folder by a marker of the same name, and list a file as its own only entry.
        itself = [e for e in entries if e["name"].rstrip("/") == inner.rstrip("/")]
        if itself and len(entries) == 1 and itself[0]["type"] != "directory" and not itself[0]["name"].endswith("/"):
            raise NotADirectoryError("%s is a file" % path)
        return [self._info(e) for e in entries if e not in itself]

    def open_write(self, path: str) -> "_FsspecWriteFile":
        inner = self._inner(path)
        if self._is_there(inner):  # names of data files are random: this only tells a mistake
            raise FileExistsError(path)
        self._make_parent(inner)
        return _FsspecWriteFile(self._fs, inner, self._is_local)

    def _make_parent(self, inner: str) -> None:
        if self._is_local or self._is_memory:
            self._fs.makedirs(inner.rpartition("/")[0], exist_ok=True)

    def remove(self, paths: Sequence[str]) -> None:
        first: Optional[Exception] = None
        for path in paths:
            try:
                self._fs.rm_file(self._inner(path))
            except FileNotFoundError:
                pass
            except Exception as e:
                first = first or e
        if first is not None:
            raise first

    def remove_directory(self, path: str) -> None:
        inner = self._inner(path)
        if not self._is_object_store:
            self._fs.rmdir(inner)
        elif [*self.list(path)]:
            raise OSError(errno.ENOTEMPTY, "%s is not empty" % path)
        else:
            self._fs.rm_file(inner + "/")  # the marker

    def make_directories(self, path: str) -> None:
        inner = self._inner(path)
        self._fs.makedirs(inner, exist_ok=True)
        if self._is_object_store and not self._is_there(inner):
            # Which keeps no empty folder; a marker, an empty object of the folder's name with a slash, is what others leave there.
            self._fs.pipe_file(inner + "/", b"")
            if not self._is_there(inner) or self._now(inner)["type"] != "directory":
                raise NotImplementedError("this version of fsspec's file system does not make an empty folder on an object store")

    def publish_if_absent(self, path: str, data: bytes) -> Optional[bool]:
        if self._publish is not None:
            return self._publish(path, data)
        inner = self._inner(path)
        if self._is_local:
            return self._publish_local(inner, data)
        if self._is_memory:
            with self._lock:
                if self._is_there(inner):
                    return False
                self._make_parent(inner)
                self._fs.pipe_file(inner, data)
                return True
        if self._protocols & self.CONDITIONAL:
            self._prove(inner)
            return self._create(inner, data)
        raise NotImplementedError("it is not known whether fsspec's '%s' can create a file only if it is absent, in one step: give "
                                  "FsspecFileSystem a function `publish`" % "', '".join(sorted(self._protocols)))

    def _create(self, inner: str, data: bytes) -> bool:
        """One conditional request. If its answer is lost and it is sent again, "no" may be the answer to our own: whoever publishes reads back."""
        for attempt in itertools.count(1):
            try:
                self._fs.pipe_file(inner, data, mode="create")
                return True
            except FileExistsError:
                return False
            except OSError as e:
                if e.errno != errno.EBUSY or attempt == _CONFLICTS:  # S3's 409: another conditional write of this name is under way
                    raise
        raise AssertionError("counted to the end")

    def _prove(self, inner: str) -> None:
        """Does the store refuse to create what is there? Asked once."""
        if self._refuses_second:
            return
        takes = inspect.signature(getattr(self._fs, "_pipe_file", self._fs.pipe_file)).parameters
        trial = "%s/.create-%s.tmp" % (inner.rpartition("/")[0], uuid.uuid4())
        if "mode" not in takes:  # it would be dropped, and the file overwritten
            raise NotImplementedError("this version of fsspec's '%s' has no conditional writes, so nothing can be committed safely: a newer one has "
                                      "pipe_file(mode='create')" % "', '".join(sorted(self._protocols)))
        try:
            if not self._create(trial, b"1") or self._create(trial, b"2"):
                raise NotImplementedError("the store ignores the condition of a conditional write (it let a file be created twice), so one commit could "
                                          "overwrite another: nothing is committed")
        finally:
            try:
                self._fs.rm_file(trial)
            except Exception:
                pass  # a small file stays, whose name nobody reads
        self._refuses_second = True

    def _publish_local(self, inner: str, data: bytes) -> bool:
        """A finished file is given its name by a link, which fails where the name is taken."""
        self._make_parent(inner)
        folder, _, name = inner.rpartition("/")
        temporary = "%s/.%s.%s.tmp" % (folder, name, uuid.uuid4())
        with open(temporary, "xb") as f:
            f.write(data)
        try:
            os.link(temporary, inner)
            return True
        except FileExistsError:
            return False
        finally:
            os.unlink(temporary)

    def replace(self, path: str, data: bytes) -> None:
        inner = self._inner(path)
        self._make_parent(inner)
        if self._is_local:
            temporary = "%s.%s.tmp" % (inner, uuid.uuid4())
            with open(temporary, "xb") as f:
                f.write(data)
            os.replace(temporary, inner)
        else:
            self._fs.pipe_file(inner, data)


class _FsspecReadFile(ReadFile):
    def __init__(self, fs: Any, path: str, size: int) -> None:
        self._fs, self._path, self.size = fs, path, size

    def read_range(self, offset: int, length: int) -> Buffer:
        if length == 0:
            return b""
        data: bytes = self._fs.cat_file(self._path, start=offset, end=offset + length)
        return data

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> Iterable[Buffer]:
        """Asynchronous backends fetch them at once."""
        found = self._fs.cat_ranges([self._path] * len(ranges), [o for o, _ in ranges], [o + n for o, n in ranges], on_error="raise")
        return [b"" if n == 0 else piece for (_, n), piece in zip(ranges, found)]


class _FsspecWriteFile(WriteFile):
    def __init__(self, fs: Any, path: str, is_local: bool) -> None:
        self._fs, self._path = fs, path
        # On a local disk it gets its name when it is whole; elsewhere a file appears when it is closed.
        self._temporary = "%s.%s.tmp" % (path, uuid.uuid4()) if is_local else path
        self._file = fs.open(self._temporary, "wb")

    def write(self, data: memoryview) -> None:
        self._file.write(bytes(data))

    def finish(self) -> None:
        self._file.close()
        if self._temporary != self._path:
            os.replace(self._temporary, self._path)

    def abort(self) -> None:
        discard = getattr(self._file, "discard", None)
        if discard is not None:
            try:
                discard()
                return
            except Exception:
                pass  # then by closing and removing
        try:
            self._file.close()
        finally:
            for path in {self._temporary, self._path}:
                if self._fs.exists(path):
                    self._fs.rm_file(path)
