"""Ray writes tables: tasks die and jobs fail, and no row is there twice, no file for long."""
import collections
import os
import pickle
import time

import paimon_c
import pyarrow as pa
import pytest
from ray_cluster import data_files, kill, killer, ray_cluster, wait_to_be_killed  # noqa: F401

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
import paimon_c.ray  # noqa: E402
from paimon_c.ray import PaimonDatasink, read_ray, write_ray  # noqa: E402

pytestmark = pytest.mark.usefixtures("ray_cluster")


@pytest.fixture
def target(tmp_path):
    return paimon_c.create_table(tmp_path / "target", paimon_c.Schema([("id", "BIGINT"), ("p", "STRING")], partition_keys=["p"]))


def spread(batch):
    return {"id": batch["id"], "p": ["p%d" % (k % 3) for k in batch["id"]]}


def rows_of(n, blocks=4):
    return ray.data.range(n, override_num_blocks=blocks).map_batches(spread)


def check_rows(table, ids):
    assert sorted(row["id"] for row in table.to_pylist()) == sorted(ids)


def test_what_is_written_is_there_once(target, tmp_path):
    assert write_ray(rows_of(1000), target).snapshot_id == 1
    check_rows(target, range(1000))
    # From table to table; blocks of pandas too.
    numbers = paimon_c.create_table(tmp_path / "numbers", paimon_c.Schema([("a", "BIGINT")]))
    numbers.write(pa.table({"a": range(100)}))
    dataset = read_ray(numbers, columns=["a"], filter="a < 10").map_batches(lambda f: f.assign(id=f["a"] + 5000, p="new")[["id", "p"]], batch_format="pandas")
    assert write_ray(dataset, target, concurrency=1, properties={"made.by": "ray"}).snapshot_id == 2
    check_rows(target, [*range(1000), *range(5000, 5010)])
    assert target.latest_snapshot().properties["made.by"] == "ray"


def test_overwriting(target):
    write_ray(rows_of(300), target)
    write_ray(ray.data.from_arrow(pa.table({"id": [9], "p": ["p1"]})), target, overwrite={"p": "p1"})
    check_rows(target, [9] + [k for k in range(300) if k % 3 != 1])
    write_ray(ray.data.from_arrow(pa.table({"id": [8], "p": ["p2"]})), target, overwrite=True)  # the partitions written
    check_rows(target, [9, 8] + list(range(0, 300, 3)))


def test_rows_are_joined_into_fewer_files(target):
    write_ray(rows_of(300, blocks=6), target, min_rows_per_write=300)
    assert len(data_files(target)) == 3
    check_rows(target, range(300))


def test_nothing_to_write_makes_no_snapshot(target):
    result = write_ray(ray.data.from_arrow(pa.table({"id": pa.array([], pa.int64()), "p": pa.array([], pa.string())})), target)
    assert result.snapshot_id is None and target.latest_snapshot() is None


def once(marker):
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


@pytest.mark.parametrize("where", ["in the middle", "written", "told"])
def test_a_writer_that_dies_leaves_nothing_twice(target, tmp_path, where):
    """Killed from outside while rows come in; or it dies when all its files are there: before it told of them, or after, but before Ray heard."""
    marker, waiting = str(tmp_path / "died"), str(tmp_path / "waiting")

    class Dies(PaimonDatasink):
        def write(self, blocks, ctx):
            if where == "told":
                written = super().write(blocks, ctx)
                if once(marker):
                    os._exit(1)
                return written
            if where == "in the middle":
                return super().write(waits(blocks), ctx)
            task = self._task

            class Silent:
                def write(self, data):
                    written = task.write(data)
                    if once(marker):
                        os._exit(1)
                    return written

            self._task = Silent()
            try:
                return super().write(blocks, ctx)
            finally:
                self._task = task

    def waits(blocks):
        for block in blocks:
            yield block
            if once(marker):
                wait_to_be_killed(waiting)

    sink = Dies(target)
    with killer(waiting):
        rows_of(1000).write_datasink(sink)
    assert os.path.exists(marker) and os.path.exists(waiting) == (where == "in the middle") and sink.result.snapshot_id == 1
    check_rows(target, range(1000))
    orphans = set(data_files(target)) - planned(target)
    assert len(orphans) == {"in the middle": 0, "written": 3, "told": 0}[where]  # harmless: no snapshot has them


def planned(table):
    return {path for split in table.new_read_builder().new_scan().plan() for path in split.file_paths}


def test_processes_that_are_killed_between_write_and_commit_change_nothing(target, tmp_path):
    """All of them: those that wrote, and the one that keeps account of what was written, which dies at the beginning too."""
    pids = tmp_path / "pids"
    pids.mkdir()

    class Kills(PaimonDatasink):
        def write(self, blocks, ctx):
            (pids / str(os.getpid())).touch()
            return super().write(blocks, ctx)

        def on_write_complete(self, write_result):
            kill([int(path.name) for path in pids.iterdir()] + [pid_of(self._journal)])
            super().on_write_complete(write_result)

    sink = Kills(target)
    kill([pid_of(sink._journal)])
    rows_of(300).write_datasink(sink)
    assert list(pids.iterdir()) and sink.result.snapshot_id == 1 and target.snapshot_ids() == [1]
    check_rows(target, range(300))
    assert set(data_files(target)) == planned(target)


def pid_of(actor):
    return ray.get(actor.__ray_call__.remote(lambda self: os.getpid()))


def test_a_driver_that_is_gone_before_the_commit_has_written_nothing(target):
    """Nothing happens after the tasks. The same job again writes its rows once; what the first left are orphan files."""
    class Gone(PaimonDatasink):
        def on_write_complete(self, write_result):
            pass

    for _ in range(2):
        rows_of(100).write_datasink(Gone(target, commit_user="job", commit_identifier=1))
        assert target.latest_snapshot() is None
    orphans = set(data_files(target))
    assert orphans and not write_ray(rows_of(100), target, commit_user="job", commit_identifier=1).already_committed
    check_rows(target, range(100))
    assert set(data_files(target)) - planned(target) == orphans


def test_a_job_that_fails_leaves_no_files(target, tmp_path):
    """One task has written, another fails."""
    marker = str(tmp_path / "told")

    class Tells(PaimonDatasink):
        def write(self, blocks, ctx):
            written = super().write(blocks, ctx)
            open(marker, "w").close()
            return written

    def fails_later(batch):
        for _ in range(600):
            if 99 not in batch["id"]:
                return spread(batch)
            if os.path.exists(marker):
                raise ValueError("bad row")
            time.sleep(0.1)

    with pytest.raises(Exception, match="bad row"):
        ray.data.range(100, override_num_blocks=2).map_batches(fails_later).write_datasink(Tells(target))
    assert os.path.exists(marker) and data_files(target) == [] and target.latest_snapshot() is None


def test_a_task_that_fails_removes_its_files(target):
    """In the middle of its rows; and when its job is over."""
    sink = PaimonDatasink(target)
    with pytest.raises(ZeroDivisionError):
        sink.write((pa.table({"id": [k], "p": ["p"]}) if k < 5 else 1 // 0 for k in range(9)), None)
    assert data_files(target) == []
    late = pickle.loads(pickle.dumps(sink))
    sink.on_write_failed(ValueError("over"))
    with pytest.raises(Exception):
        late.write([pa.table({"id": [1], "p": ["p"]})], None)
    assert data_files(target) == []
    with pytest.raises(Exception, match="nothing"):
        PaimonDatasink(target).write([pa.table({"nothing": [1]})], None)


def test_a_commit_that_fails_leaves_no_files(target, monkeypatch):
    def refuse(self, *arguments, **options):
        raise paimon_c.ConflictError("someone was first")

    monkeypatch.setattr(paimon_c.write.TableCommit, "_send", refuse)
    with pytest.raises(paimon_c.ConflictError):
        write_ray(rows_of(100), target)
    assert data_files(target) == []


def test_files_stay_when_nobody_knows_whether_the_commit_came_through(target, monkeypatch):
    send = paimon_c.write.TableCommit._send

    def lose_the_answer(self, *arguments, **options):
        send(self, *arguments, **options)
        raise paimon_c.StorageError("no answer")

    monkeypatch.setattr(paimon_c.write.TableCommit, "_send", lose_the_answer)
    with pytest.raises(paimon_c.StorageError):
        write_ray(rows_of(100), target)
    monkeypatch.undo()
    check_rows(target, range(100))


def test_a_commit_happens_once(target):
    class Kept(PaimonDatasink):
        def on_write_complete(self, write_result):
            self.told = write_result
            super().on_write_complete(write_result)

    sink = Kept(target, commit_user="job", commit_identifier=7)
    rows_of(100).write_datasink(sink)
    sink.on_write_complete(sink.told)
    assert sink.result.snapshot_id == 1 and target.snapshot_ids() == [1]
    # A driver that was started again after it had committed: the same job writes again, and its files go.
    again = write_ray(rows_of(100), target, commit_user="job", commit_identifier=7)
    assert again.already_committed and target.snapshot_ids() == [1]
    assert set(data_files(target)) == planned(target)
    assert write_ray(rows_of(50), target, commit_user="job", commit_identifier=8).snapshot_id == 2
    counts = collections.Counter(row["id"] for row in target.to_pylist())
    assert counts == {k: 2 if k < 50 else 1 for k in range(100)}
