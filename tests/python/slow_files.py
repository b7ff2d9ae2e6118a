"""A file system in plain Python over a local disk: what the tests register in the place of the library's own."""
import os
import uuid

from paimon_c.fs import FileInfo


def local(path):
    return path.partition(":")[2] if ":" in path.split("/")[0] else path


class File:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.size = os.fstat(self.file.fileno()).st_size

    def read_range(self, offset, length):
        return os.pread(self.file.fileno(), length, offset)

    def close(self):
        self.file.close()


class NewFile:
    def __init__(self, path):
        self.path, self.file = path, open(path, "xb")

    def write(self, data):
        self.file.write(data)

    def finish(self):
        self.file.close()

    def abort(self):
        self.file.close()
        os.unlink(self.path)


class LocalFiles:
    """Inherits from nothing: the methods are enough."""

    def open_read(self, path, size):
        return File(local(path))

    def stat(self, path):
        found = os.stat(local(path))
        return FileInfo("", found.st_size, os.path.isdir(local(path)), int(found.st_mtime * 1000))

    def list(self, path):
        with os.scandir(local(path)) as entries:
            return [FileInfo(e.name, 0 if e.is_dir() else e.stat().st_size, e.is_dir()) for e in entries]

    def open_write(self, path):
        os.makedirs(os.path.dirname(local(path)), exist_ok=True)
        return NewFile(local(path))

    def remove(self, paths):
        for p in paths:
            if os.path.exists(local(p)):
                os.unlink(local(p))

    def remove_directory(self, path):
        os.rmdir(local(path))

    def make_directories(self, path):
        os.makedirs(local(path), exist_ok=True)

    def publish_if_absent(self, path, data):
        os.makedirs(os.path.dirname(local(path)), exist_ok=True)
        temporary = "%s.%s" % (local(path), uuid.uuid4())
        with open(temporary, "xb") as f:
            f.write(data)
        try:
            os.link(temporary, local(path))
            return True
        except FileExistsError:
            return False
        finally:
            os.unlink(temporary)

    def replace(self, path, data):
        temporary = "%s.%s" % (local(path), uuid.uuid4())
        with open(temporary, "xb") as f:
            f.write(data)
        os.replace(temporary, local(path))

    def rename_directory(self, source, target):
        if os.path.exists(local(target)):
            raise FileExistsError(target)
        os.rename(local(source), local(target))
