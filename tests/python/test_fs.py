"""File systems written in Python, and fsspec's."""
import threading

import fsspec
import paimon_c
import pyarrow as pa
import pytest
from paimon_c import fs
from slow_files import LocalFiles


def run_a_warehouse(warehouse, env):
    """All that a file system is asked for."""
    catalog = paimon_c.CatalogFactory.create({"warehouse": warehouse}, env)
    catalog.create_database("db")
    catalog.create_database("other")
    catalog.create_table("db.t", paimon_c.Schema([("a", "BIGINT"), ("p", "STRING")], partition_keys=["p"]))
    table = catalog.get_table("db.t")
    table.write(pa.table({"a": range(1000), "p": [str(i % 3) for i in range(1000)]}))
    table.write(pa.table({"a": [5000], "p": ["1"]}))
    assert table.scan("p = '1'").count() == 334 and table.scan().count() == 1001
    table.write(pa.table({"a": [1], "p": ["2"]}), overwrite={"p": "2"})
    assert table.scan("p = '2'").to_pylist() == [{"a": 1, "p": "2"}]
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(pa.table({"a": [1], "p": ["9"]}))
        commit.abort(write.prepare_commit())
    with builder.new_write() as write:
        write.write_arrow(pa.table({"a": [1], "p": ["9"]}))
    assert table.at(2).scan().count() == 1001 and table.snapshot_ids() == [1, 2, 3]
    assert catalog.list_databases() == ["db", "other"] and catalog.list_tables("db") == ["t"]
    table.set_options({"k": "v"})
    assert catalog.get_table("db.t").option("k") == "v"
    with pytest.raises(FileNotFoundError):
        catalog.get_table("db.nothere")
    return catalog


def test_a_file_system_in_plain_python(tmp_path):
    env = paimon_c.Environment()
    env.register("py", LocalFiles())
    catalog = run_a_warehouse("py:" + str(tmp_path), env)
    catalog.rename_table("db.t", "db.u")
    assert paimon_c.open_table(str(tmp_path / "db.db" / "u")).scan().count() == catalog.get_table("db.u").scan().count()
    catalog.drop_table("db.u")
    assert catalog.list_tables("db") == []


@pytest.mark.parametrize("scheme", ["memory", "file", "other"])
def test_fsspec(tmp_path, scheme):
    env = paimon_c.Environment()
    if scheme == "memory":
        inner, warehouse = fsspec.filesystem("memory"), "memory://wh-%s" % tmp_path.name
    else:
        inner, warehouse = fsspec.filesystem("file"), "%s:%s" % (scheme, tmp_path)
    env.register(scheme, fs.FsspecFileSystem(inner))
    catalog = run_a_warehouse(warehouse, env)
    with pytest.raises(NotImplementedError):
        catalog.rename_table("db.t", "db.u")  # no rename of a folder in one step
    catalog.drop_table("db.t")
    assert catalog.list_tables("db") == []


def test_many_writers_on_fsspec_lose_nothing():
    env = paimon_c.Environment()
    env.register("memory", fs.FsspecFileSystem(fsspec.filesystem("memory")))
    table = paimon_c.create_table("memory://race/t", paimon_c.Schema([("a", "BIGINT")]), environment=env)
    failed = []

    def job(i):
        try:
            for k in range(4):
                table.write(pa.table({"a": [i * 10 + k]}), threads=1)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=job, args=(i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed and table.latest_snapshot().id == 12 and table.scan().count() == 12


def test_a_backend_that_is_not_known_to_create_atomically_is_refused_for_commits():
    class Strange(fsspec.get_filesystem_class("memory")):
        protocol = "strange"

    env = paimon_c.Environment()
    env.register("strange", fs.FsspecFileSystem(Strange()))
    with pytest.raises(NotImplementedError, match="publish"):
        paimon_c.create_table("strange://x/t", paimon_c.Schema([("a", "BIGINT")]), environment=env)
    asked = []

    def publish(path, data):
        asked.append(path)
        if inner.exists(path):
            return False
        inner.pipe_file(path, data)
        return True

    inner = Strange()
    env.register("strange", fs.FsspecFileSystem(inner, publish=publish))
    table = paimon_c.create_table("strange://x/t", paimon_c.Schema([("a", "BIGINT")]), environment=env)
    assert table.write(pa.table({"a": [1]})).snapshot_id == 1 and len(asked) == 2


class Failing(LocalFiles):
    """Fails where it is told to."""

    def __init__(self, where, error):
        self.where, self.error = where, error

    def __getattribute__(self, name):
        if name == object.__getattribute__(self, "where"):
            def fail(*args):
                raise object.__getattribute__(self, "error")
            return fail
        return object.__getattribute__(self, name)


@pytest.mark.parametrize("where, error, expected", [
    ("open_read", PermissionError(13, "not for you"), OSError),
    ("open_read", FileNotFoundError("gone"), FileNotFoundError),
    ("open_read", KeyError("a mistake"), OSError),
    ("open_read", NotImplementedError("no reading"), NotImplementedError),
    ("open_read", MemoryError(), MemoryError),
    ("open_read", paimon_c.CorruptError("bad"), ValueError),
    ("list", PermissionError(13, "not for you"), OSError),
    ("stat", OSError(5, "io"), OSError),
])
def test_what_a_file_system_raises_is_the_cause(tmp_path, where, error, expected):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")]))
    table.write(pa.table({"a": [1]}))
    env = paimon_c.Environment()
    env.register("fail", Failing(where, error))
    try:
        paimon_c.open_table("fail:" + table.path, environment=env).scan().to_pylist()
    except expected as e:
        assert isinstance(e, paimon_c.PaimonError)
        assert e.__cause__ is error and type(error).__name__ in str(e)
        if isinstance(error, PermissionError):
            assert e.sys_errno == 13
    else:
        assert where == "stat"  # which reading has no need of


@pytest.mark.parametrize("where", ["open_write", "publish_if_absent"])
def test_a_failing_write_leaves_the_table_as_it_was(tmp_path, where):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")]))
    table.write(pa.table({"a": [1]}))
    env = paimon_c.Environment()
    env.register("fail", Failing(where, OSError(28, "no space")))
    with pytest.raises(OSError, match="no space"):
        paimon_c.open_table("fail:" + table.path, environment=env).write(pa.table({"a": [2]}))
    assert table.refresh().to_pylist() == [{"a": 1}]


def test_an_interrupt_inside_a_callback_is_an_interrupt(tmp_path):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")]))
    env = paimon_c.Environment()
    env.register("fail", Failing("list", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        paimon_c.open_table("fail:" + table.path, environment=env)


def test_answers_that_are_not_right_are_errors(tmp_path):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")]))
    table.write(pa.table({"a": [1]}))

    class Short(LocalFiles):
        def open_read(self, path, size):
            file = super().open_read(path, size)
            read = file.read_range
            file.read_range = lambda offset, length: read(offset, max(0, length - 1))
            return file

    class Odd(LocalFiles):
        def open_read(self, path, size):
            return object()

    class Many(LocalFiles):
        def open_read(self, path, size):
            file = super().open_read(path, size)
            file.read_ranges = lambda ranges: [file.read_range(o, n) for o, n in ranges][:-1]
            return file

    for kind in (Short, Odd):
        env = paimon_c.Environment()
        env.register("x", kind())
        with pytest.raises(paimon_c.StorageError):
            paimon_c.open_table("x:" + table.path, environment=env).scan().to_pylist()
    env = paimon_c.Environment()
    env.register("x", paimon_c.fs.FileSystem())
    with pytest.raises(NotImplementedError, match="does not"):
        paimon_c.open_table("x:/t", environment=env)
    with pytest.raises(paimon_c.InvalidError):
        env.register("no scheme!", LocalFiles())


def test_a_file_system_lives_as_long_as_something_uses_it(tmp_path):
    import gc
    import weakref

    files = LocalFiles()
    there = weakref.ref(files)
    env = paimon_c.Environment()
    env.register("py", files)
    table = paimon_c.create_table("py:%s/t" % tmp_path, paimon_c.Schema([("a", "BIGINT")]), environment=env)
    table.write(pa.table({"a": [1, 2]}))
    stream = table.scan().open()
    del env, table, files
    gc.collect()
    assert there() is not None
    assert sum(len(b) for b in stream) == 2
    del stream
    gc.collect()
    assert there() is None


def test_no_file_stays_open(tmp_path):
    env = paimon_c.Environment()
    env.register("py", LocalFiles())
    table = paimon_c.create_table("py:%s/t" % tmp_path, paimon_c.Schema([("a", "BIGINT")]), environment=env)
    table.write(pa.table({"a": range(100000)}))
    before = len(fs._objects)
    for _ in range(3):
        stream = table.scan(batch_rows=100).open()
        next(stream)
        stream.close()
        table.scan().count()
    assert len(fs._objects) == before


def test_the_library_s_own_memory_file_system():
    env = paimon_c.Environment()
    env.register_memory("mem")
    run_a_warehouse("mem:/wh", env)
