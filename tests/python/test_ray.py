"""Ray reads tables: a local cluster of two processors."""
import os
import pickle

import every_type
import paimon_c
import pyarrow as pa
import pytest
from ray_cluster import data_files, killer, ray_cluster, wait_to_be_killed  # noqa: F401

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
import paimon_c.ray  # noqa: E402
from paimon_c.ray import PaimonDatasource, read_ray, write_ray  # noqa: E402

pytestmark = pytest.mark.usefixtures("ray_cluster")


@pytest.fixture
def numbers(tmp_path):
    """Three files in three partitions: 0 … 999, 1000 … 1999, 2000 … 2999."""
    table = paimon_c.create_table(tmp_path / "numbers", paimon_c.Schema([("a", "BIGINT"), ("s", "STRING"), ("p", "INT")], partition_keys=["p"]))
    for p in range(3):
        table.write(pa.table({"a": range(p * 1000, p * 1000 + 1000), "s": ["s%d" % (k % 7) for k in range(1000)], "p": pa.array([p] * 1000, pa.int32())}))
    return table


def remove_files_of(table, p):
    for path in data_files(table):
        if "p=%d" % p in path:
            os.remove(path)


def values(dataset, column="a"):
    return sorted(row[column] for row in dataset.take_all())


def test_all_rows_come_once(numbers):
    dataset = read_ray(numbers, override_num_blocks=2)
    assert dataset.count() == 3000 and dataset.columns() == ["a", "s", "p"]
    assert values(dataset) == list(range(3000))
    assert values(read_ray(numbers, columns=["s", "a"], filter="p = 1 AND a >= 1990", concurrency=1)) == list(range(1990, 2000))
    assert read_ray(numbers, limit=1500).count() == 1500 and read_ray(numbers).limit(5).count() == 5


def test_every_type_goes_through(tmp_path):
    table = every_type.make(tmp_path / "every", files=2, rows_each=50)
    rows = pa.concat_tables(ray.get(read_ray(table).to_arrow_refs())).sort_by("id")
    assert rows.schema.equals(pa.schema(table.schema()))
    assert repr(rows.to_pylist()) == repr(pa.table(table).sort_by("id").to_pylist())  # as texts, in which NaN equals NaN


def test_an_empty_table_has_its_columns(tmp_path):
    table = paimon_c.create_table(tmp_path / "empty", paimon_c.Schema([("a", "BIGINT"), ("b", "STRING")]))
    dataset = read_ray(table)
    assert dataset.count() == 0
    assert dataset.columns() == ["a", "b"] or not hasattr(ray.data.Datasource, "apply_predicate")  # old Rays take no schema of a read without rows
    table.write(pa.table({"a": [1], "b": ["x"]}))
    assert read_ray(table, filter="a > 5").take_all() == []


def test_workers_list_nothing_and_get_bytes(numbers):
    tasks = PaimonDatasource(numbers, ["a"], "a < 1500").get_read_tasks(2)
    assert len(tasks) == 2
    for folder in ("snapshot", "manifest", "schema"):
        os.rename(os.path.join(numbers.path, folder), os.path.join(numbers.path, folder + "-away"))
    run = ray.remote(lambda task: sum(len(block) for block in task()))
    assert sorted(ray.get([run.remote(task) for task in tasks])) == [500, 1000]
    assert max(len(pickle.dumps(task._read_fn)) for task in tasks) < 8000


def test_a_dataset_keeps_its_snapshot(numbers):
    dataset = read_ray(numbers)
    numbers.write(pa.table({"a": [-1], "s": ["late"], "p": pa.array([0], pa.int32())}))
    assert dataset.count() == 3000 and read_ray(numbers).count() == 3001
    assert read_ray(numbers.at(1)).count() == 1000


pushes = pytest.mark.skipif(not hasattr(ray.data.Datasource, "apply_predicate"), reason="this Ray pushes nothing into a datasource")


@pushes
def test_filters_and_columns_of_the_dataset_reach_the_files(numbers, monkeypatch):
    from ray.data.expressions import col

    told = []
    for name in ("apply_projection", "apply_predicate"):
        def spy(self, argument, _its_own=getattr(PaimonDatasource, name), _name=name):
            told.append((_name, sorted(argument) if isinstance(argument, dict) else argument))
            return _its_own(self, argument)

        monkeypatch.setattr(PaimonDatasource, name, spy)
    remove_files_of(numbers, 2)  # a read of these would fail
    dataset = read_ray(numbers).filter(expr=(col("a") >= 500) & (col("a") < 1500)).select_columns(["a"])
    assert values(dataset) == list(range(500, 1500))
    assert {name for name, _ in told} == {"apply_projection", "apply_predicate"} and ("apply_projection", ["a"]) in told
    assert values(read_ray(numbers).filter(expr=(col("p") < 2) & (col("a") % 1000 == 7))) == [7, 1007]  # half of it is pyarrow's
    renamed = read_ray(numbers, filter="p < 2").rename_columns({"a": "b"}).filter(expr=col("b") == 1234).select_columns(["s", "b"])
    assert renamed.take_all() == [{"s": "s3", "b": 1234}]
    assert read_ray(numbers).filter(expr=col("p") == 1).count() == 1000
    with pytest.raises(Exception, match="data-"):
        read_ray(numbers).take_all()


@pushes
def test_floats_compare_as_ray_s_do(tmp_path):
    from ray.data.expressions import col

    table = every_type.make(tmp_path / "every", files=1)
    dataset = read_ray(table, columns=["id", "f64"])
    for expression in (col("f64") > 0, col("f64") <= 5.0, ~(col("f64") > 0), col("f64") != 5.0, col("f64").is_in([0.0, 5.0])):
        expected = sorted(pa.table(table).filter(expression.to_pyarrow())["id"].to_pylist())
        assert values(dataset.filter(expr=expression), "id") == expected, expression


def test_rays_that_push_nothing_give_the_same_rows(numbers, monkeypatch):
    monkeypatch.setattr(PaimonDatasource, "supports_projection_pushdown", lambda self: False)
    monkeypatch.setattr(PaimonDatasource, "supports_predicate_pushdown", lambda self: False)
    dataset = ray.data.read_datasource(PaimonDatasource(numbers, filter="p <> 1")).select_columns(["a"]).filter(lambda row: row["a"] % 100 == 0)
    assert values(dataset) == [*range(0, 1000, 100), *range(2000, 3000, 100)]


@pytest.mark.parametrize("killed", [False, True])
def test_a_reader_that_dies_is_run_again(numbers, tmp_path, killed):
    """By itself, when it has given all its rows; or killed from outside, when it has given some."""
    marker, waiting = str(tmp_path / "died"), str(tmp_path / "waiting")

    class Dies(PaimonDatasource):
        def get_read_tasks(self, *arguments, **options):
            tasks = super().get_read_tasks(*arguments, **options)
            for task in tasks:
                task._read_fn = dying(task._read_fn)
            return tasks

    def dying(read):
        def once():
            for block in read():
                if not killed:
                    yield block
                    continue
                yield block.slice(0, 10)
                if first():
                    wait_to_be_killed(waiting)
                yield block.slice(10)
            if not killed and first():
                os._exit(1)

        return once

    def first():
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            return False

    with killer(waiting):
        assert values(ray.data.read_datasource(Dies(numbers), override_num_blocks=3)) == list(range(3000))
    assert os.path.exists(marker) and os.path.exists(waiting) == killed


def test_mistakes_are_told_at_once(numbers):
    with pytest.raises(paimon_c.NotFoundError):
        read_ray(numbers, columns=["nothing"])
    with pytest.raises(paimon_c.InvalidError):
        read_ray(numbers, filter="a = 'x'")
    with pytest.raises(paimon_c.InvalidError, match="environment"):
        read_ray(paimon_c.open_table(numbers.path, environment=paimon_c.Environment()))
    with pytest.raises(paimon_c.InvalidError, match="together"):
        write_ray(ray.data.range(1), numbers, commit_user="u")
    for call, text in [(lambda: read_ray(numbers, columns="a"), "columns"), (lambda: read_ray(numbers, colums=["a"]), "'colums'"),
                       (lambda: read_ray(numbers.path), "paimon_c.Table"), (lambda: read_ray(numbers, environment=paimon_c.Environment()), "function"),
                       (lambda: write_ray(numbers, ray.data.range(1)), "Dataset"), (lambda: write_ray(ray.data.range(1), numbers, overwrite=None), "overwrite"),
                       (lambda: write_ray(ray.data.range(1), numbers, properties="by=me"), "properties")]:
        with pytest.raises(TypeError, match=text):
            call()
    assert numbers.latest_snapshot().id == 3


def test_a_table_of_its_own_environment_is_read_with_a_function_that_makes_one(numbers):
    own = paimon_c.open_table(numbers.path, environment=paimon_c.Environment(threads=1))
    assert read_ray(own, environment=paimon_c.Environment).count() == 3000
