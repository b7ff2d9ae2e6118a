"""Plans and reads: the builders of pypaimon's users, and the shorter ways."""
import datetime
import decimal
import json
import os

import paimon_c
import pyarrow as pa
import pytest
from conftest import GOLDEN
from paimon_c import col


def golden(name):
    return paimon_c.open_table(os.path.join(GOLDEN, name, "wh", "db.db", "t"))


def test_builders_read_as_pypaimon_s_do(orders):
    builder = orders.new_read_builder()
    predicates = builder.new_predicate_builder()
    builder = builder.with_filter(predicates.and_predicates([predicates.equal("region", "EU"), predicates.greater_than("amount", decimal.Decimal("250"))]))
    builder = builder.with_projection(["customer", "amount"])
    splits = builder.new_scan().plan().splits()
    table = builder.new_read().to_arrow(splits)
    assert table.column_names == ["customer", "amount"]
    assert table.num_rows == len(orders.scan("region = 'EU' AND amount > 250").to_pylist()) > 0
    assert builder.new_read().to_pandas(splits).shape == (table.num_rows, 2)
    assert builder.new_read().to_arrow_batch_reader(splits).read_all() == table
    assert builder.new_read().to_arrow(splits, parallelism=1) == table
    rows = list(builder.new_read().to_iterator(splits))
    assert [r[0] for r in rows] == table["customer"].to_pylist() == [r.get_field("customer") for r in rows]
    assert rows[0].as_dict() == table.to_pylist()[0]
    connection = builder.new_read().to_duckdb(splits, "t")
    assert connection.sql("SELECT count(*) FROM t").fetchall() == [(table.num_rows,)]


def test_splits_tell_what_they_hold(orders):
    plan = orders.new_read_builder().new_scan().plan()
    assert plan.snapshot_id == 3 and len(plan) == len(plan.splits()) > 0
    assert sum(s.row_count for s in plan) == orders.scan().count() == 60
    for split in plan.splits():
        assert split.snapshot_id == 3
        assert sum(f.row_count for f in split.files) == split.row_count
        assert sum(f.file_size for f in split.files) == split.file_size
        assert all(os.path.getsize(p) == f.file_size for p, f in zip(split.file_paths, split.files))
        assert json.loads(split.to_json())["snapshotId" if "snapshotId" in split.to_json() else "snapshot"] == 3


def test_splits_can_be_read_apart_and_outlive_their_plan(orders):
    read = orders.new_read_builder().new_read()
    splits = orders.new_read_builder().new_scan().plan().splits()
    apart = [row for split in splits for row in read.to_pylist([split])]
    assert apart == orders.to_pylist()
    assert read.to_pylist([]) == [] and read.to_arrow([]).num_rows == 0


def test_limits_projections_and_counts(orders):
    assert orders.scan(limit=7).count() == 7 == len(orders.scan(limit=7).to_pylist())
    assert orders.scan(columns=[]).to_arrow().num_columns == 0
    assert orders.scan(columns=[]).count() == 60
    assert pa.schema(orders.scan(columns=["amount", "day"])).names == ["amount", "day"]
    assert orders.new_read_builder().with_projection(["day"]).read_type().names == ["day"]
    assert max(len(b) for b in orders.scan(batch_rows=8).open()) <= 8
    with pytest.raises(paimon_c.NotFoundError, match="nothere"):
        orders.scan(columns=["nothere"]).to_pylist()
    with pytest.raises(paimon_c.UnsupportedError):
        orders.new_read_builder().with_projection({"a": "day"})


def test_filters_by_text_builder_and_column_are_the_same(orders):
    predicates = orders.new_read_builder().new_predicate_builder()
    day = datetime.date(2024, 5, 2)
    pairs = [
        ("region = 'EU'", predicates.equal("region", "EU"), col("region") == "EU"),
        ("region <> 'EU'", predicates.not_equal("region", "EU"), col("region") != "EU"),
        ("amount < 100.5", predicates.less_than("amount", 100.5), col("amount") < decimal.Decimal("100.5")),
        ("amount >= 100", predicates.greater_or_equal("amount", 100), col("amount") >= 100),
        ("order_id <= 1010", predicates.less_or_equal("order_id", 1010), col("order_id") <= 1010),
        ("day > '2024-05-02'", predicates.greater_than("day", day), col("day") > day),
        ("customer LIKE 'A%'", predicates.startswith("customer", "A"), col("customer").startswith("A")),
        ("customer LIKE '%a'", predicates.endswith("customer", "a"), col("customer").endswith("a")),
        ("customer LIKE '%n%'", predicates.contains("customer", "n"), col("customer").contains("n")),
        ("customer LIKE '_e%'", predicates.like("customer", "_e%"), col("customer").like("_e%")),
        ("tags IS NULL", predicates.is_null("tags"), col("tags").is_null()),
        ("paid_at IS NOT NULL", predicates.is_not_null("paid_at"), col("paid_at").is_not_null()),
        ("region IN ('EU', 'US')", predicates.is_in("region", ["EU", "US"]), col("region").is_in(["EU", "US"])),
        ("region NOT IN ('EU', 'US')", predicates.is_not_in("region", ["EU", "US"]), col("region").is_not_in(("EU", "US"))),
        ("order_id BETWEEN 1005 AND 1010", predicates.between("order_id", 1005, 1010), col("order_id").between(1005, 1010)),
    ]
    for text, built, column in pairs:
        rows = orders.scan(text).to_pylist()
        assert orders.scan(built).to_pylist() == rows == orders.scan(column).to_pylist(), text
        assert orders.scan(~built).count() <= 60 - len(rows)
    both = predicates.or_predicates([predicates.equal("region", "EU"), predicates.is_null("tags")])
    assert orders.scan(both).to_pylist() == orders.scan((col("region") == "EU") | col("tags").is_null()).to_pylist()
    assert orders.scan((col("region") == "EU") & (col("amount") > 250)).to_pylist() == orders.scan("region = 'EU' AND amount > 250").to_pylist()
    assert predicates.and_predicates([]) is None
    with pytest.raises(TypeError, match="& |"):
        (col("region") == "EU") and (col("amount") > 250)
    with pytest.raises(TypeError):
        col("region") == object()
    with pytest.raises(paimon_c.InvalidError):
        paimon_c.Predicate.parse("region = ")


def test_literals_of_every_kind_fit_their_columns(make_table):
    t = make_table([("i", "BIGINT"), ("d", "DECIMAL(38, 4)"), ("ts", "TIMESTAMP(6)"), ("tz", "TIMESTAMP(6) WITH LOCAL TIME ZONE"), ("b", "BYTES"),
                    ("f", "DOUBLE"), ("t", "TIME(3)"), ("o", "BOOLEAN")])
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456)
    t.write(pa.table({"i": [2**62], "d": pa.array([decimal.Decimal("12345678901234567890123.5000")], pa.decimal128(38, 4)),
                      "ts": pa.array([moment], pa.timestamp("us")), "tz": pa.array([moment], pa.timestamp("us", "UTC")), "b": [b"\0\xff"], "f": [1.5],
                      "t": pa.array([datetime.time(1, 2, 3)], pa.time32("ms")), "o": [True]}))
    elsewhere = moment.replace(tzinfo=datetime.timezone.utc).astimezone(datetime.timezone(datetime.timedelta(hours=5)))
    for column, value in [("i", 2**62), ("d", decimal.Decimal("12345678901234567890123.5")), ("ts", moment), ("tz", elsewhere), ("b", b"\0\xff"),
                          ("b", bytearray(b"\0\xff")), ("f", 1.5), ("t", datetime.time(1, 2, 3)), ("o", True)]:
        assert t.scan(col(column) == value).count() == 1, column
        assert t.scan(col(column) != value).count() == 0, column
    assert t.scan(col("i") < 2**80).count() == 1
    numpy = pytest.importorskip("numpy")
    assert t.scan(col("i") == numpy.int64(2**62)).count() == 1


def test_predicates_travel_as_their_text():
    import pickle

    p = (col("a") == "x'y") & (col("b.c") > 3)
    assert str(pickle.loads(pickle.dumps(p))) == str(p)
    assert eval(repr(p), {"Predicate": paimon_c.Predicate}).__str__() == str(p)


@pytest.mark.parametrize("name", ["types-parquet", "nested-parquet", "part-multi", "default-values", "append-fixed"])
def test_python_values_are_those_of_pyarrow(name):
    """Our own conversion against pyarrow's, over every type that Paimon Java wrote."""
    table = golden(name)
    compared = 0
    for column in table.field_names:
        for batch in table.scan(batch_rows=3, columns=[column]).open():
            theirs = pa.record_batch(batch).column(0)
            if pa.types.is_timestamp(theirs.type) and theirs.type.unit == "ns":
                continue  # pyarrow's values are those of pandas here
            try:
                expected = theirs.to_pylist()
            except (ValueError, OverflowError) as e:
                with pytest.raises(type(e)):
                    batch.to_pydict()
                continue
            assert [plain(v) for v in batch.to_pydict()[column]] == [plain(v) for v in expected], column
            compared += 1
    assert compared > 0


def plain(value):
    """Maps as pairs, floats by their bits: NaN is NaN."""
    if isinstance(value, dict):
        return sorted((str(k), plain(v)) for k, v in value.items())
    if isinstance(value, tuple):
        return (str(value[0]), plain(value[1]))
    if isinstance(value, list):
        made = [plain(v) for v in value]
        return sorted(made) if value and isinstance(value[0], tuple) else made
    return repr(value) if isinstance(value, float) else value


def test_python_values_of_slices_nulls_and_dictionaries():
    from paimon_c.arrow import Batch, SchemaCapsule

    data = pa.record_batch({
        "i": pa.array([1, None, 3, 4, None, 6], pa.int16()), "b": pa.array([True, None, False, True, True, None]),
        "s": ["a", "", None, "déjà", "e", "f"], "l": pa.array([[1], None, [], [2, None], [3], [4, 5]], pa.large_list(pa.int8())),
        "d": pa.array(["x", None, "y", "x", "y", "x"]).dictionary_encode(), "f": pa.array([b"ab", None, b"cd", b"ef", b"gh", b"ij"], pa.binary(2)),
        "n": pa.nulls(6), "h": pa.array([1.5, None, 2, 3, 4, 5], pa.float16() if False else pa.float32()),
        "m": pa.array([[("k", 1)], None, [], [("a", None), ("b", 2)], [], []], pa.map_(pa.string(), pa.int32())),
        "r": pa.array([{"x": 1}, None, {"x": None}, {"x": 4}, {"x": 5}, {"x": 6}]),
        "u": pa.array([2**64 - 1, None, 0, 1, 2, 3], pa.uint64()), "fl": pa.array([[1, 2], None, [3, 4], [5, None], [7, 8], [9, 0]], pa.list_(pa.int32(), 2)),
        "t": pa.array([datetime.time(1, 2, 3, 4), None] * 3, pa.time64("us")), "D": pa.array([decimal.Decimal("-1.25"), None] * 3, pa.decimal256(60, 2)),
    })
    for start, length in [(0, 6), (1, 4), (3, 0), (5, 1)]:
        piece = data.slice(start, length)
        batch = Batch(SchemaCapsule(piece.schema.__arrow_c_schema__()), piece.__arrow_c_array__()[1])
        assert [{k: plain(v) for k, v in row.items()} for row in batch.to_pylist()] == [{k: plain(v) for k, v in row.items()} for row in piece.to_pylist()]
        assert len(list(batch.rows())) == len(batch) == length


def test_values_that_python_cannot_hold_are_errors(make_table):
    t = make_table([("d", "DATE"), ("n", "TIMESTAMP(9)")])
    t.write(pa.table({"d": pa.array([4000000], pa.int32()).cast(pa.date32()), "n": pa.array([1], pa.timestamp("ns"))}))
    with pytest.raises((ValueError, OverflowError)):
        t.scan(columns=["d"]).to_pylist()
    with pytest.raises(ValueError, match="nanoseconds"):
        t.scan(columns=["n"]).to_pylist()
    assert t.to_arrow().num_rows == 1


def test_time_travel_by_options_and_by_name(orders):
    assert orders.at(1).scan().count() == 20
    assert orders.copy({"scan.snapshot-id": 2}).scan().count() == 40
    assert orders.copy({"scan.snapshot-id": 2}).copy({"scan.snapshot-id": None}).scan().count() == 60
    assert orders.at(timestamp=orders.snapshot(1).time).scan().count() == 20
    assert orders.at(version="2").scan().count() == 40
    assert orders.at(snapshot_id=2).options["scan.snapshot-id"] == "2"
    with pytest.raises(paimon_c.NotFoundError):
        orders.at(77).scan().count()
    with pytest.raises(paimon_c.InvalidError):
        orders.at()
    with pytest.raises(paimon_c.InvalidError):
        orders.at(1, tag="x")


def test_tags_and_branches_are_read():
    table = golden("tags-branches")
    folder = os.path.join(table.path, "tag")
    tags = [n[4:] for n in os.listdir(folder) if n.startswith("tag-")]
    assert tags and all(table.at(tag=t).scan().count() >= 0 for t in tags)
    branches = [n[7:] for n in os.listdir(os.path.join(table.path, "branch"))]
    for branch in branches:
        seen = paimon_c.open_table(table.path + "$branch_" + branch)
        assert seen.branch == branch and table.copy({"branch": branch}).branch == branch
        assert seen.to_pylist() == table.copy({"branch": branch}).to_pylist()


def test_snapshots_are_told(orders):
    assert orders.snapshot_ids() == [1, 2, 3] == [s.id for s in orders.snapshots()]
    latest = orders.latest_snapshot()
    assert latest.id == 3 and latest.total_record_count == 60 and latest.commit_kind == "APPEND"
    assert latest.time.tzinfo is datetime.timezone.utc
    assert orders.snapshot_manager().get_latest_snapshot().id == 3 and orders.snapshot_manager().get_snapshot_by_id(2).id == 2
    with pytest.raises(paimon_c.NotFoundError):
        orders.snapshot(9)


def test_a_table_tells_what_it_is(orders):
    assert orders.field_names == [f.name for f in orders.schema().fields]
    assert orders.column_types()["amount"] == "DECIMAL(10, 2)" and orders.column_types()["tags"] == "ARRAY<STRING>"
    assert orders.schema_id == orders.schema().id == 0
    assert orders.branch == "main" and orders.primary_keys == [] and orders.name == "orders"
    assert orders.partition_keys == orders.schema().partition_keys
    assert "order_id BIGINT NOT NULL" in repr(orders)


def test_metrics_and_cancelling(orders):
    stream = orders.scan("order_id = 1001").open()
    assert sum(len(b) for b in stream) == 1
    assert stream.metrics.files >= 1 and stream.metrics.rows_returned == 1 and stream.metrics.bytes_read > 0
    stream = orders.scan(batch_rows=1).open()
    next(stream)
    stream.cancel()
    with pytest.raises(paimon_c.CancelledError):
        for _ in stream:
            pass
    stream = orders.scan(batch_rows=1).open()
    reader = pa.RecordBatchReader.from_stream(stream)
    stream.cancel()
    with pytest.raises((pa.ArrowException, OSError)):
        reader.read_all()
