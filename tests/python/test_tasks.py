"""Workers of multiprocessing and of Dask: they get bytes, they bring back bytes, one process plans and commits."""
import concurrent.futures
import multiprocessing
import os
import pickle

import every_type
import paimon_c
import paimon_c.tasks
import pyarrow as pa
import pytest


@pytest.fixture
def numbers(tmp_path):
    table = paimon_c.create_table(tmp_path / "numbers", paimon_c.Schema([("a", "BIGINT"), ("s", "STRING"), ("p", "INT")], partition_keys=["p"]))
    for p in range(3):
        table.write(pa.table({"a": range(p * 1000, p * 1000 + 1000), "s": ["s%d" % (k % 7) for k in range(1000)], "p": pa.array([p] * 1000, pa.int32())}))
    return table


def total(task):
    with task.open() as stream:
        return sum(sum(batch.to_pydict()["a"]) for batch in stream)


def write_some(task, first):
    return task.write(pa.table({"a": range(first, first + 10), "p": pa.array([7] * 10, pa.int32())}))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_read_and_write(numbers, method):
    tasks = paimon_c.tasks.plan_read(numbers, 2, columns=["a"], filter="a < 2500")
    assert len(tasks) == 2 and max(len(pickle.dumps(t)) for t in tasks) < 8000
    job = paimon_c.tasks.WriteJob(numbers)
    for folder in ("manifest", "schema"):  # workers look into neither
        os.rename(os.path.join(numbers.path, folder), os.path.join(numbers.path, folder + "-away"))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert sum(pool.map(total, tasks)) == sum(range(2500))
        written = list(pool.map(write_some, [job.task] * 3, [10000, 20000, 30000]))
    for folder in ("manifest", "schema"):
        os.rename(os.path.join(numbers.path, folder + "-away"), os.path.join(numbers.path, folder))
    assert sum(w.rows for w in written) == 30 and sum(w.files for w in written) == 3
    assert job.commit(written, {"by": "processes"}).snapshot_id == 4
    assert job.commit(written).already_committed and numbers.scan("a >= 10000").count() == 30


def test_tasks_are_of_about_one_size(numbers):
    tasks = paimon_c.tasks.plan_read(numbers)
    assert [len(t.splits) for t in tasks] == [1, 1, 1] and [len(t.to_pylist()) for t in tasks] == [1000, 1000, 1000]
    assert sorted(len(t.splits) for t in paimon_c.tasks.plan_read(numbers, 2)) == [1, 2]
    assert paimon_c.tasks.plan_read(numbers, 5, filter="p = 9") == []
    assert pa.table(tasks[0]).num_rows == tasks[0].to_arrow().num_rows == len(tasks[0].to_pandas()) == 1000
    assert sum(t.to_arrow().num_rows for t in paimon_c.tasks.plan_read(numbers, 3, limit=10)) <= 30


def test_paths_mean_the_same_elsewhere(numbers, monkeypatch):
    monkeypatch.chdir(os.path.dirname(numbers.path))
    task = paimon_c.tasks.plan_read(paimon_c.open_table("numbers"), 1)[0]
    job = paimon_c.tasks.WriteJob(paimon_c.open_table("numbers"))
    monkeypatch.chdir("/")
    assert task.to_arrow().num_rows == 3000 and job.commit([write_some(job.task, 5000)]).snapshot_id == 4


def test_a_crash_between_commit_and_answer_commits_once(numbers):
    def job():
        return paimon_c.tasks.WriteJob(numbers, commit_user="me", commit_identifier=3, overwrite={"p": 7})

    written = pickle.loads(pickle.dumps([write_some(job().task, 0)]))
    assert job().commit(written).snapshot_id == 4
    assert job().commit(written).already_committed and numbers.scan("p = 7").count() == 10 and numbers.snapshot_ids() == [1, 2, 3, 4]
    lost = job().task.write(pa.table({"a": [1], "p": pa.array([8], pa.int32())}))
    job().abort([lost])
    assert not any("p=8" in folder and names for folder, _, names in os.walk(numbers.path))


# ---- Dask ----


def test_dask_reads_and_writes(numbers, tmp_path):
    pytest.importorskip("dask.dataframe")
    import paimon_c.dask

    frame = paimon_c.dask.read_dask(numbers, filter="a >= 500", npartitions=2)
    assert frame.npartitions == 2 and list(frame.columns) == ["a", "s", "p"]
    assert frame.a.sum().compute(scheduler="processes") == sum(range(500, 3000))
    assert len(frame[frame.s == "s3"].compute(scheduler="threads")) == numbers.scan("a >= 500 AND s = 's3'").count()
    copy = paimon_c.create_table(tmp_path / "copy", numbers.schema().to_schema())
    assert paimon_c.dask.write_dask(frame[frame.p < 2], copy, scheduler="processes").snapshot_id == 1
    assert sorted(map(repr, copy.to_pylist())) == sorted(map(repr, numbers.scan("a >= 500 AND p < 2").to_pylist()))
    assert paimon_c.dask.write_dask(frame[frame.p == 1], copy, overwrite={"p": 1}, commit_user="u", commit_identifier=1).already_committed is False
    assert len(paimon_c.dask.read_dask(numbers, filter="a > 100000").compute()) == 0


def test_dask_reads_the_columns_that_are_used(numbers, monkeypatch):
    pytest.importorskip("dask.dataframe")
    import paimon_c.dask

    asked = []
    open_ = paimon_c.tasks.ReadTask.open
    monkeypatch.setattr(paimon_c.tasks.ReadTask, "open", lambda self, *a: asked.append(self.columns) or open_(self, *a))
    assert paimon_c.dask.read_dask(numbers).a.sum().compute(scheduler="synchronous") == sum(range(3000))
    assert asked and all(columns == ["a"] for columns in asked)


def test_types_survive_dask(tmp_path):
    pytest.importorskip("dask.dataframe")
    import paimon_c.dask

    table = every_type.make(tmp_path / "every", files=2, rows_each=50)
    copy = paimon_c.create_table(tmp_path / "copy", table.schema().to_schema())
    paimon_c.dask.write_dask(paimon_c.dask.read_dask(table), copy, scheduler="threads")
    assert sorted(map(repr, copy.to_pylist())) == sorted(map(repr, table.to_pylist()))


def test_an_index_of_pandas_is_not_a_column(numbers):
    pytest.importorskip("pandas")
    frame = numbers.scan("a < 100").to_pandas()
    numbers.write(frame[frame.a % 2 == 1])
    assert numbers.scan("a < 100").count() == 150
