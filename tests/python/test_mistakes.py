"""What callers get wrong is said, and nothing is guessed: texts for lists, None, one thing for many, closed objects, values that would be cut."""
import datetime
import decimal
import os

import paimon_c
import paimon_c.tasks
import pyarrow as pa
import pytest
from paimon_c import Identifier, Predicate, PredicateBuilder, Schema, SchemaChange, col, fs


@pytest.fixture
def table(make_table):
    made = make_table([("a", "BIGINT"), ("amount", "STRING"), ("p", "STRING")], partition_keys=["p"])
    made.write(pa.table({"a": [1, 2], "amount": ["x", "y"], "p": ["1", "2"]}))
    return made


def refused(call, *expected, error=TypeError):
    with pytest.raises(error) as told:
        call()
    for text in expected:
        assert text in str(told.value), told.value


# ---- reading ----


def test_a_text_is_no_list_of_columns(table, orders):
    named = ("columns", "['amount']")
    refused(lambda: table.scan(columns="amount"), *named)
    refused(lambda: table.new_read_builder().with_projection("amount"), *named)
    refused(lambda: paimon_c.TableRead(table, None, "amount"), *named)
    refused(lambda: paimon_c.tasks.plan_read(table, columns="amount"), *named)
    refused(lambda: table.to_dataset().to_table(columns="amount"), *named)
    (split,) = table.new_read_builder().with_filter("p = '1'").new_scan().plan().splits()
    refused(lambda: paimon_c.open_file(split.file_paths[0], columns="amount"), *named)
    refused(lambda: table.scan(columns=["a", 1]), "1 is none")
    refused(lambda: table.scan(columns=5), "columns", "5")
    assert table.scan(columns=("amount",)).to_pydict() == table.scan(columns=(n for n in ["amount"])).to_pydict() == {"amount": ["x", "y"]}


def test_numbers_are_whole_and_not_negative(table):
    for wrong in ("x", 1.5, True):
        refused(lambda: table.scan(limit=wrong), "limit", repr(wrong))
        refused(lambda: table.scan(threads=wrong), "threads")
        refused(lambda: table.scan(batch_rows=wrong), "batch_rows")
    refused(lambda: table.scan(limit=-1), "limit", "-1", error=paimon_c.InvalidError)
    refused(lambda: table.at("x"), "snapshot_id")
    refused(lambda: table.snapshot("1"), "snapshot_id")
    refused(lambda: table.at(timestamp="2024-01-01"), "timestamp")
    refused(lambda: paimon_c.Environment(memory_limit="2GB"), "memory_limit")
    numpy = pytest.importorskip("numpy")
    assert table.scan(limit=numpy.int32(1)).count() == 1


def test_predicates(table):
    for made in (lambda: col("a").is_in("xyz"), lambda: PredicateBuilder().is_in("amount", "xyz"), lambda: PredicateBuilder().is_not_in("amount", b"x")):
        refused(made, "list of literals")
    assert table.scan(col("amount").is_in({"x"})).count() == table.scan(col("a").is_in(range(2))).count() == 1
    for made in (lambda: col("a") == None, lambda: col("a") < None, lambda: PredicateBuilder().not_equal("a", None)):  # noqa: E711
        refused(made, "is_null", error=paimon_c.InvalidError)
    refused(lambda: (col("a") == 1) & "amount = 'x'", "unsupported operand")
    refused(lambda: PredicateBuilder.and_predicates(col("a") == 1), "put the Predicate into [ ]")
    refused(lambda: PredicateBuilder.or_predicates(["a = 1"]), "list of Predicate")
    refused(lambda: table.scan(col("a")), "compare it")
    refused(lambda: table.scan(["a = 1"]), "a text or a Predicate")
    refused(lambda: col(5), "name of a column")
    refused(lambda: col(), "name of a column")
    refused(lambda: col("amount").like(5), "text to match")
    refused(lambda: Predicate.parse(None), "text")


def test_splits_connections_and_bytes(table):
    read, (first, second) = table.new_read_builder().new_read(), table.new_read_builder().new_scan().plan()
    refused(lambda: read.to_arrow(first), "put the Split into [ ]")
    refused(lambda: read.to_arrow(None), "splits is a list")
    refused(lambda: read.to_pylist([first.to_bytes()]), "list of Split")
    assert len(read.to_pylist(s for s in (first, second))) == 2
    refused(lambda: paimon_c.Split.from_bytes("text"), "bytes")
    refused(lambda: paimon_c.Split.from_bytes(5), "bytes", "5")
    refused(lambda: paimon_c.CommitMessage.from_bytes(5), "bytes")
    pytest.importorskip("duckdb")
    refused(lambda: table.to_duckdb("orders"), "connection", "'orders'")


def test_a_dataset_knows_its_options(table):
    import pyarrow.compute as pc

    data = table.to_dataset()
    assert data.to_table(columns=["a"], filter=pc.field("a") > 1, use_threads=False).num_rows == 1
    refused(lambda: data.to_table(column=["a"]), "unexpected keyword argument 'column'")
    refused(lambda: data.to_table(filter="a > 1"), "expression")


# ---- tables and catalogs ----


def test_opening_and_creating(tmp_path, table):
    refused(lambda: paimon_c.open_table(None), "text", "None")
    refused(lambda: paimon_c.open_table(b"path"), "text")
    refused(lambda: paimon_c.open_table(table.path, paimon_c.Environment()), "options is a mapping", "Environment")
    refused(lambda: paimon_c.open_table(table.path, environment={}), "environment is a Environment")
    refused(lambda: paimon_c.open_table(table.path, {"scan.snapshot-id": None}), "options['scan.snapshot-id'] is None", error=paimon_c.InvalidError)
    refused(lambda: paimon_c.create_table(tmp_path / "n", [("a", "INT")]), "paimon_c.Schema")
    refused(lambda: paimon_c.create_table(tmp_path / "n", pa.schema([("a", pa.int64())])), "Schema.from_arrow()")
    refused(lambda: paimon_c.create_table(tmp_path / "n", table.schema()), "to_schema()")
    refused(lambda: paimon_c.open_table_with_schema(table.path, table.schema()), "text")
    refused(lambda: table.copy("scan.snapshot-id=1"), "options is a mapping")
    refused(lambda: table.set_options("k=v"), "changes is a mapping")
    refused(lambda: paimon_c.feature(None), "text")
    assert not os.path.exists(tmp_path / "n")


def test_schemas(catalog):
    refused(lambda: Schema([("day", "INT")], partition_keys="day"), "partition_keys", "['day']")
    refused(lambda: Schema([("day", "INT")], primary_keys="day"), "primary_keys", "['day']")
    refused(lambda: Schema({"id": "INT"}), "list of pairs")
    refused(lambda: Schema("id INT"), "list of pairs")
    refused(lambda: Schema(["id INT"]), "pair of name and type")
    refused(lambda: Schema([("id", "INT", "words")]), "pair of name and type")
    refused(lambda: Schema([("id", pa.int64())]), "type of field 'id'")
    refused(lambda: Schema(pa.schema([("id", pa.int64())])), "Schema.from_arrow()")
    refused(lambda: Schema([("id", "INT")], options="bucket=1"), "options is a mapping")
    for value, error in ((None, paimon_c.InvalidError), (["a", "b"], TypeError), (b"a", TypeError), (object(), TypeError)):
        refused(lambda: catalog.create_table("db.n", Schema([("id", "INT")], options={"sequence.field": value})), "options['sequence.field']", error=error)
    assert catalog.list_tables("db") == []


def test_catalogs(catalog, table, tmp_path):
    refused(lambda: paimon_c.CatalogFactory.create(str(tmp_path)), "catalog_options is a mapping")
    refused(lambda: catalog.get_table(None), "Identifier")
    refused(lambda: catalog.get_table(("db", "t")), "Identifier")
    refused(lambda: Identifier("db", None), "table's name")
    refused(lambda: Identifier("", "t"), "empty", error=paimon_c.InvalidError)
    refused(lambda: catalog.list_tables(None), "text")
    name = str(table.identifier)
    refused(lambda: catalog.alter_table(name, SchemaChange.set_option("k", "v")), "changes are a list")
    refused(lambda: SchemaChange.set_option("k", None), "option 'k' is None", error=paimon_c.InvalidError)
    refused(lambda: catalog.alter_table(name, [paimon_c.catalog.SetOption("k", None)]), "option 'k' is None", error=paimon_c.InvalidError)
    refused(lambda: catalog.drop_partitions(name, {"p": "1"}), "partitions is a list")


def test_what_is_said_of_a_branch_does_not_happen_to_its_table(catalog, table):
    branch = str(table.identifier) + "$branch_b"
    assert not catalog.table_exists(branch) and catalog.table_exists(table.identifier)
    for call in (lambda: catalog.drop_table(branch), lambda: catalog.drop_table(branch, True), lambda: catalog.rename_table(branch, "db.new"),
                 lambda: catalog.rename_table(table.identifier, "db.t$branch_b"), lambda: catalog.create_table(branch, Schema([("a", "INT")]))):
        refused(call, "branch", error=paimon_c.UnsupportedError)
    assert table.refresh().scan().count() == 2


# ---- writing ----


def rows_of(table):
    return sorted(map(repr, table.refresh().to_pylist()))


def test_overwriting_is_never_guessed(table):
    before = rows_of(table)
    for wrong in (None, 0, 1, "p=1", ["p"], [("p", "1")]):
        refused(lambda: table.write(pa.table({"a": [9], "p": ["1"]}), overwrite=wrong), "overwrite is True, False or a mapping")
        refused(lambda: paimon_c.tasks.WriteJob(table, overwrite=wrong), "overwrite is True, False or a mapping")
    refused(lambda: table.new_batch_write_builder().overwrite("p=1"), "static_partition is a mapping")
    refused(lambda: table.write(pa.table({"a": [9]}), overwrite={"p": b"1"}), "partition['p']")
    refused(lambda: table.drop_partitions({"p": "1"}), "put the dict into [ ]")
    refused(lambda: table.drop_partitions("p=1"), "partitions is a list")
    for wrong, error in (({}, paimon_c.PaimonError), ({"nothere": 1}, paimon_c.PaimonError)):
        refused(lambda: table.drop_partitions([wrong]), error=error)
    assert rows_of(table) == before and table.latest_snapshot().id == 1


def test_properties_are_refused_before_anything_is_written(table):
    files = sum(len(names) for _, _, names in os.walk(table.path))
    refused(lambda: table.write(pa.table({"a": [9]}), properties="by=me"), "properties is a mapping")
    refused(lambda: table.write(pa.table({"a": [9]}), properties={"by": None}), "properties['by'] is None", error=paimon_c.InvalidError)
    refused(lambda: table.write(pa.table({"a": [9]}), properties={"by": ["me"]}), "properties['by']")
    assert sum(len(names) for _, _, names in os.walk(table.path)) == files


def test_what_is_no_rows(table):
    refused(lambda: table.write({"a": 1}), "put a row into a list")
    refused(lambda: table.write("rows"), "list of dicts")
    refused(lambda: table.write(None), "list of dicts", "None")
    refused(lambda: table.write([[1, "x", "1"]]), "Arrow data was expected")
    with table.new_batch_write_builder().new_write() as write:
        refused(lambda: write.write_pylist({"a": 1}), "list of dicts")
        refused(lambda: write.write_pylist(["a"]), "a row is a dict")
        refused(lambda: write.write_pandas([1]), "DataFrame")
        refused(lambda: write.write_arrow_to(pa.table({"a": [1], "p": ["1"]}), "1", 0), "partition is a list")
        refused(lambda: write.write_arrow_to(pa.table({"a": [1], "p": ["1"]}), ["1"], "0"), "bucket")
    with pytest.raises(paimon_c.PaimonError):
        table.write(pa.table([[1], [2]], names=["a", "a"]))
    pandas = pytest.importorskip("pandas")
    refused(lambda: table.write(pandas.DataFrame([[1, 2]], columns=["a", "a"])), "twice", error=paimon_c.InvalidError)
    assert table.latest_snapshot().id == 1


def test_committing(table):
    builder = table.new_stream_write_builder()
    refused(lambda: builder.with_commit_user(None), "commit_user")
    refused(lambda: builder.with_commit_user(""), "empty", error=paimon_c.InvalidError)
    refused(lambda: builder.with_progress("x"), "progress is a function")
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(pa.table({"a": [3], "p": ["1"]}))
        refused(lambda: write.prepare_commit(None), "commit_identifier")
        messages = write.prepare_commit(1)
        refused(lambda: commit.commit(messages[0], 1), "put the CommitMessage into [ ]")
        refused(lambda: commit.commit(None, 1), "messages is a list")
        refused(lambda: commit.commit(messages, "1"), "commit_identifier")
        refused(lambda: commit.commit(messages, 1, watermark="x"), "watermark")
        refused(lambda: commit.filter_and_commit(messages), "mapping {commit identifier: messages}")
        refused(lambda: commit.filter_and_commit({1: messages, 2: None}), "messages is a list")
        assert table.latest_snapshot().id == 1
        assert commit.commit(messages, 1).snapshot_id == 2
    assert write.rows_written == 1  # closed or not
    job = paimon_c.tasks.WriteJob(table, environment=paimon_c.Environment)
    refused(lambda: job.commit(job.task.write(pa.table({"a": [3], "p": ["1"]}))), "put the Written into [ ]")
    refused(lambda: paimon_c.tasks.WriteJob(table, commit_user="", commit_identifier=1), "empty", error=paimon_c.InvalidError)


# ---- rows of Python values ----


@pytest.fixture
def nested(make_table):
    return make_table([("r", "ROW<x INT, y ROW<z STRING>>"), ("l", "ARRAY<ROW<x INT>>"), ("m", "MAP<STRING, ROW<x INT>>"), ("i", "INT"), ("d", "DATE"),
                       ("ms", "TIMESTAMP(3)"), ("t", "TIME(3)"), ("s", "ARRAY<STRING>"), ("f", "DOUBLE"), ("n", "DECIMAL(10, 2)")])


@pytest.mark.parametrize("row, path", [
    ({"r": {"x": 1, "zz": 2}}, "r.zz"), ({"r": {"y": {"z": "a", "Z": "b"}}}, "r.y.Z"), ({"l": [None, {"x": 1}, {"xx": 2}]}, "l.element.xx"),
    ({"m": {"k": {"q": 1}}}, "m.value.q"), ({"m": [("k", {"q": 1})]}, "m.value.q"), ({"r": [("x", 1), ("zz", 2)]}, "r.zz"), ({1: 2}, "1"),
])
def test_a_key_inside_that_is_no_field_is_refused(nested, row, path):
    refused(lambda: nested.write([{"r": None}, row]), "no column " + path, error=paimon_c.InvalidError)
    assert nested.latest_snapshot() is None


@pytest.mark.parametrize("row", [
    {"i": 1.5}, {"i": decimal.Decimal("1.5")}, {"l": [{"x": 1.5}]}, {"d": datetime.datetime(2024, 1, 1, 5)}, {"ms": datetime.datetime(2024, 1, 1, 0, 0, 0, 1)},
    {"t": datetime.time(1, 2, 3, 4567)},
])
def test_a_value_that_would_be_cut_is_refused(nested, row):
    refused(lambda: nested.write([row]), "not rounded", error=paimon_c.InvalidError)


@pytest.mark.parametrize("row", [{"s": "abc"}, {"l": b"abc"}, {"m": "ab"}, {"r": "ab"}, {"r": 5}])
def test_a_text_is_no_list_of_values(nested, row):
    refused(lambda: nested.write([row]), "column " + next(iter(row)))


def test_values_that_fit_are_written(nested):
    row = {"r": {"x": 1, "y": {"z": "a"}}, "l": [{"x": 2}, None], "m": {"k": {"x": 3}, "n": None}, "i": 4.0, "d": datetime.datetime(2024, 1, 1),
           "ms": datetime.datetime(2024, 1, 1, 0, 0, 0, 5000), "t": datetime.time(1, 2, 3, 4000), "s": ("a",), "f": 1, "n": 5}
    assert nested.write([row, {}, dict.fromkeys(row), {"r": {"x": 7}, "l": []}]).snapshot_id == 1
    rows = nested.to_pylist()
    assert rows[0] == {**row, "i": 4, "d": datetime.date(2024, 1, 1), "s": ["a"], "f": 1.0, "n": decimal.Decimal("5.00")}
    assert set(map(str, rows[1].values())) == {"None"} and rows[1] == rows[2] and rows[3]["r"] == {"x": 7, "y": None}
    nested.write(rows)  # what comes out goes in
    nested.write([{"r": (1, None)}])  # by position
    assert nested.scan().count() == 9


def test_frames_lose_nothing_either(nested):
    pandas = pytest.importorskip("pandas")
    refused(lambda: nested.write(pandas.DataFrame({"r": [{"x": 1, "zz": 2}]})), "r.zz", error=paimon_c.InvalidError)
    arrow = pandas.ArrowDtype(pa.struct([("x", pa.int32()), ("zz", pa.int32())]))
    refused(lambda: nested.write(pandas.DataFrame({"r": pandas.array([{"x": 1, "zz": 2}], dtype=arrow)})), "r.zz", error=paimon_c.InvalidError)
    refused(lambda: nested.write(pandas.DataFrame({"i": [1.5]}, dtype=object)), "not rounded", error=paimon_c.InvalidError)
    refused(lambda: nested.write(pa.table({"r": [{"x": 1, "zz": 2}]})), "zz", error=paimon_c.PaimonError)
    nested.write(pandas.DataFrame({"i": [1, None], "r": [{"x": 1}, None], "d": [pandas.NaT, pandas.Timestamp("2024-01-01")], "s": [["a"], None]}))
    assert [r["i"] for r in nested.to_pylist()] == [1, None] and nested.to_pylist()[1]["d"] == datetime.date(2024, 1, 1)


# ---- file systems, tasks, environments ----


def test_file_systems_and_logs():
    env = paimon_c.Environment()
    refused(lambda: env.register("x", object()), "methods of paimon_c.fs.FileSystem")
    refused(lambda: env.register("x", None), "None")
    refused(lambda: fs.FsspecFileSystem("s3"), "fsspec.filesystem")
    refused(lambda: paimon_c.Environment(log="print"), "log is a function")
    fsspec = pytest.importorskip("fsspec")
    refused(lambda: env.register("x", fsspec.filesystem("memory")), "FsspecFileSystem")
    refused(lambda: fs.FsspecFileSystem(fsspec.filesystem("memory"), publish=True), "publish is a function")


def test_tasks_and_engines(table):
    bare = paimon_c.open_table(table.path)  # of the environment that all processes have
    refused(lambda: paimon_c.tasks.plan_read(table.path), "paimon_c.Table", "open_table()")
    refused(lambda: paimon_c.tasks.plan_read(table, environment=paimon_c.Environment()), "a function that makes an Environment")
    with pytest.raises(paimon_c.NotFoundError):
        paimon_c.tasks.plan_read(bare, columns=["nothing"])  # told by the one who plans
    refused(lambda: paimon_c.tasks.plan_read(bare, "2"), "n_tasks")
    pytest.importorskip("dask.dataframe")
    from paimon_c.dask import read_dask, write_dask

    refused(lambda: write_dask([], bare, overwrit=True), "unexpected keyword argument 'overwrit'")
    refused(lambda: read_dask(bare, columns="amount"), "columns")
    refused(lambda: read_dask(table.path), "paimon_c.Table")
    refused(lambda: write_dask(table, bare), "dask.dataframe")


def test_polars_takes_tables(table):
    pytest.importorskip("polars")
    from paimon_c.polars import scan

    refused(lambda: scan(table.path), "paimon_c.Table")
