"""Tables on S3 by way of fsspec: a local server that speaks S3, and stores that do less than S3 does."""
import os
import threading

import paimon_c
import pyarrow as pa
import pytest
from paimon_c import fs
from test_fs import run_a_warehouse

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(scope="module")
def s3():
    """s3() -> a file system over a bucket of a server of our own."""
    s3fs = pytest.importorskip("s3fs")
    server_module = pytest.importorskip("moto.server")
    import logging

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith("AWS_")]:
            patch.delenv(name)
        for name, value in [("AWS_ACCESS_KEY_ID", "x"), ("AWS_SECRET_ACCESS_KEY", "x"), ("AWS_DEFAULT_REGION", "us-east-1"), ("AWS_EC2_METADATA_DISABLED", "true")]:
            patch.setenv(name, value)
        server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        url = "http://127.0.0.1:%d" % server.get_host_and_port()[1]

        def make(kind=s3fs.S3FileSystem):
            return kind(endpoint_url=url, skip_instance_cache=True)

        make().mkdir("bucket")
        yield make
        server.stop()


def environment(file_system):
    env = paimon_c.Environment()
    env.register("s3", fs.FsspecFileSystem(file_system))
    return env


SCHEMA = paimon_c.Schema([("a", "BIGINT")])


def test_a_warehouse_on_s3(s3):
    catalog = run_a_warehouse("s3://bucket/wh", environment(s3()))
    catalog.drop_table("db.t")
    assert catalog.list_tables("db") == []
    catalog.drop_database("db")
    assert catalog.list_databases() == ["other"]
    assert not [key for key in s3().find("bucket/wh") if "/db.db/" in key]


def test_of_two_committers_each_row_is_there_once(s3):
    """Each with a file system of its own, as in two processes: nothing but the store stands between them."""
    paimon_c.create_table("s3://bucket/race/t", SCHEMA, environment=environment(s3()))
    failed, attempts, barrier = [], [], threading.Barrier(2)

    def job(first):
        try:
            table = paimon_c.open_table("s3://bucket/race/t", environment=environment(s3()))
            for k in range(2):
                barrier.wait(60)
                attempts.append(table.write(pa.table({"a": [first + k]}), threads=1).attempts)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=job, args=(first,)) for first in (0, 10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    table = paimon_c.open_table("s3://bucket/race/t", environment=environment(s3()))
    assert not failed and table.snapshot_ids() == [1, 2, 3, 4]
    assert sorted(r["a"] for r in table.to_pylist()) == [0, 1, 10, 11]
    assert max(attempts) > 1  # they did race


def test_what_others_commit_is_seen_at_once(s3):
    """fsspec remembers listings: what is asked of one file is not answered from them."""
    mine, others = environment(s3()), environment(s3())
    table = paimon_c.create_table("s3://bucket/seen/t", SCHEMA, environment=mine)
    for k in (1, 2):
        paimon_c.open_table("s3://bucket/seen/t", environment=others).write(pa.table({"a": [k]}))
        assert table.scan().count() == k and table.latest_snapshot().id == k
    inner = s3()
    inner.ls("bucket/seen/t/snapshot")
    table.write(pa.table({"a": [3]}))
    assert not inner.exists("bucket/seen/t/snapshot/snapshot-3")  # which is why
    assert fs.FsspecFileSystem(inner).stat("s3://bucket/seen/t/snapshot/snapshot-3").size > 0


# ---- stores that do less ----


class Objects(fsspec.get_filesystem_class("memory")):
    """Conditional writes in memory, under S3's name."""

    protocol = "s3"
    store, pseudo_dirs, _lock = {}, [""], threading.Lock()
    cachable = False

    def pipe_file(self, path, value, mode="overwrite", **options):
        with self._lock:
            if mode == "create" and self.exists(path):
                raise FileExistsError(path)
            if not path.endswith("/"):
                super().pipe_file(path, value)


def commit_once(file_system, name):
    table = paimon_c.create_table("s3://stores/%s" % name, SCHEMA, environment=environment(file_system))
    table.write(pa.table({"a": [1]}))
    return table


def test_a_store_that_refuses_the_second_is_taken():
    assert commit_once(Objects(), "good").scan().count() == 1
    assert not [path for path in Objects.store if ".create-" in path]  # the trial is gone


def test_a_store_that_ignores_the_condition_is_refused():
    class Ignores(Objects):
        store, pseudo_dirs = {}, [""]

        def pipe_file(self, path, value, mode="overwrite", **options):
            super().pipe_file(path, value)

    with pytest.raises(NotImplementedError, match="created twice"):
        commit_once(Ignores(), "ignores")
    assert Ignores.store == {}


def test_an_old_file_system_that_would_drop_the_condition_is_refused():
    class Old(Objects):
        store, pseudo_dirs = {}, [""]

        def pipe_file(self, path, value, **options):
            super().pipe_file(path, value)

    with pytest.raises(NotImplementedError, match="no conditional writes"):
        commit_once(Old(), "old")
    assert Old.store == {}


def test_a_conflict_is_tried_again_and_a_lost_answer_is_read_back():
    class Troubled(Objects):
        store, pseudo_dirs = {}, [""]
        trouble = []

        def pipe_file(self, path, value, mode="overwrite", **options):
            first = mode == "create" and "snapshot-" in path and path not in self.trouble
            if first:
                self.trouble.append(path)
                if path.endswith("1"):  # S3's 409
                    raise OSError(16, "ConditionalRequestConflict")
            super().pipe_file(path, value, mode)
            if first and path.endswith("2"):  # it was sent twice, and the second was told of the first
                raise FileExistsError(path)
            if first and path.endswith("3"):
                raise OSError(5, "the connection broke")

    table = commit_once(Troubled(), "troubled")
    table.write(pa.table({"a": [2]}))
    table.write(pa.table({"a": [3]}))
    assert len(Troubled.trouble) == 3 and table.snapshot_ids() == [1, 2, 3]
    assert sorted(r["a"] for r in table.to_pylist()) == [1, 2, 3]
