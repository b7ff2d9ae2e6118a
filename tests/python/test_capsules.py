"""Arrow across the PyCapsule interface: what goes out, what comes in, who releases what."""
import gc

import duckdb
import nanoarrow
import pandas
import paimon_c
import polars
import pyarrow as pa
import pytest
from paimon_c import _capsule
from paimon_c._native import ffi, lib

ROWS = 5000


@pytest.fixture
def table(make_table):
    t = make_table([("a", "BIGINT"), ("s", "STRING"), ("l", "ARRAY<INT>")])
    t.write(pa.table({"a": range(ROWS), "s": ["text %d" % i for i in range(ROWS)],
                      "l": pa.array([[i, None] for i in range(ROWS)], pa.list_(pa.int32()))}))
    return t


def test_a_scan_is_read_by_everyone_who_knows_the_protocol(table):
    scan = table.scan("a >= 4990", columns=["a", "s"])
    expected = [{"a": i, "s": "text %d" % i} for i in range(4990, ROWS)]
    assert pa.table(scan).to_pylist() == expected
    assert polars.DataFrame(scan).to_dicts() == expected
    assert [dict(zip(("a", "s"), row)) for row in duckdb.sql("SELECT a, s FROM scan ORDER BY a").fetchall()] == expected
    assert [dict(zip(("a", "s"), row)) for row in zip(*[c.to_pylist() for c in nanoarrow.ArrayStream(scan).read_all().iter_children()])] == expected
    assert scan.to_pandas().to_dict("records") == expected
    assert scan.to_pylist() == expected
    assert pa.table(scan).to_pylist() == expected  # a scan may be used again and again


def test_a_table_is_arrow_data_itself(table):
    assert pa.table(table).num_rows == ROWS
    assert polars.DataFrame(table).height == ROWS
    mine = table
    assert duckdb.sql("SELECT count(*) FROM mine").fetchall() == [(ROWS,)]
    assert pa.schema(table).names == ["a", "s", "l"]


def buffers_of(array):
    return [b.address if b is not None else 0 for b in array.buffers()]


def test_a_batch_is_shared_not_copied(table):
    with table.scan(threads=1).open() as stream:
        batch = next(stream)
    inside = batch._array
    ours = [int(ffi.cast("uintptr_t", inside.children[0].buffers[1])), int(ffi.cast("uintptr_t", inside.children[1].buffers[2]))]
    first, second = pa.record_batch(batch), pa.record_batch(batch)
    assert buffers_of(first.column("a"))[1] == ours[0] == buffers_of(second.column("a"))[1]
    assert buffers_of(first.column("s"))[2] == ours[1] == buffers_of(second.column("s"))[2]
    small = nanoarrow.Array(batch)
    assert small.child(0).buffers[1]._addr() == ours[0] if hasattr(small.child(0).buffers[1], "_addr") else True
    del batch, second
    gc.collect()
    assert first.column("l")[7].as_py() == [7, None]  # its own hold is enough


def test_batches_of_a_stream_reach_the_consumer_where_they_were_decoded(table, env):
    """pyarrow's buffers are allocated by our environment, and nothing else is."""
    before, arrow_before = table._environment.memory().current, pa.total_allocated_bytes()
    reader = table.scan(threads=1).to_arrow_batch_reader()
    held = reader.read_next_batch()
    assert held.num_rows == ROWS
    assert table._environment.memory().current - before >= held.column("a").nbytes + held.column("s").nbytes
    assert pa.total_allocated_bytes() == arrow_before
    del reader, held
    gc.collect()
    assert table._environment.memory().current == before


def test_what_is_written_is_not_copied_on_the_way_in(make_table):
    """The writer gets the producer's own buffers: nothing of ours is allocated before it encodes."""
    data = pa.table({"a": pa.array(range(1000), pa.int64())})
    from paimon_c.arrow import Incoming

    incoming = Incoming(data)
    (array,) = incoming.arrays()
    assert int(ffi.cast("uintptr_t", array.children[0].buffers[1])) == data.column("a").chunk(0).buffers()[1].address


def test_a_stream_is_handed_over_once(table):
    stream = table.scan().open()
    pa.RecordBatchReader.from_stream(stream)
    with pytest.raises(paimon_c.StateError):
        next(stream)
    with pytest.raises(paimon_c.StateError):
        stream.__arrow_c_stream__()


def test_capsules_have_the_names_of_the_protocol(table):
    assert repr(table.scan().__arrow_c_stream__()).startswith('<capsule object "arrow_array_stream"')
    assert repr(table.__arrow_c_schema__()).startswith('<capsule object "arrow_schema"')
    schema, array = next(table.scan().open()).__arrow_c_array__()
    assert repr(schema).startswith('<capsule object "arrow_schema"') and repr(array).startswith('<capsule object "arrow_array"')


def test_capsules_that_nobody_took_release_their_content(table):
    before = table._environment.memory().current
    for _ in range(20):
        table.scan().__arrow_c_stream__()
        table.__arrow_c_schema__()
        batch = next(table.scan().open())
        batch.__arrow_c_array__()
        batch.__arrow_c_schema__()
        del batch
    gc.collect()
    assert table._environment.memory().current == before


def test_a_consumer_may_take_the_content_or_only_a_child_of_it(table):
    """Moving is setting `release` to NULL in the capsule's struct; children may be moved alone."""
    before = table._environment.memory().current
    batch = next(table.scan(threads=1).open())
    schema, array = batch.__arrow_c_array__()
    struct = ffi.cast("struct ArrowArray *", _capsule.address(array, "arrow_array"))
    child = ffi.new("struct ArrowArray *")
    child[0] = struct.children[0][0]
    struct.children[0].release = ffi.NULL
    del array, batch, schema, struct
    gc.collect()
    numbers = ffi.cast("int64_t *", child.buffers[1])
    assert [numbers[child.offset + i] for i in range(3)] == [0, 1, 2]
    child.release(child)
    assert child.release == ffi.NULL
    assert table._environment.memory().current == before


def test_schemas_are_copied_whole(table):
    nested = pa.schema([pa.field("m", pa.map_(pa.string(), pa.list_(pa.decimal128(9, 2))), metadata={"k": "v", "": "x"}),
                        pa.field("d", pa.dictionary(pa.int8(), pa.large_string()))])
    from paimon_c.arrow import SchemaCapsule

    held = SchemaCapsule(nested.__arrow_c_schema__())
    copies = [pa.schema(held) for _ in range(3)]
    del held
    assert all(c.equals(nested, check_metadata=True) for c in copies)


@pytest.mark.parametrize("make", [
    lambda: pa.table({"a": [1, 2], "s": ["x", None]}),
    lambda: pa.record_batch({"a": [1, 2], "s": ["x", None]}),
    lambda: pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64()), ("s", pa.string())]), iter([pa.record_batch({"a": [1, 2], "s": ["x", None]})])),
    lambda: pa.table({"s": ["x", None], "a": [1, 2]}),
    lambda: pa.table({"a": [1, 2], "s": pa.array(["x", None], pa.large_string())}),
    lambda: pa.table({"a": [1, 2], "s": pa.array(["x", None]).dictionary_encode()}),
    lambda: pa.table({"a": [0, 1, 2], "s": ["w", "x", None]}).slice(1),
    lambda: polars.DataFrame({"a": [1, 2], "s": ["x", None]}),
    lambda: pandas.DataFrame({"a": [1, 2], "s": ["x", None]}),
    lambda: duckdb.sql("SELECT * FROM (VALUES (1::BIGINT, 'x'), (2, NULL)) v(a, s)"),
    lambda: nanoarrow.ArrayStream(pa.table({"a": [1, 2], "s": ["x", None]})),
    lambda: [{"a": 1, "s": "x"}, {"a": 2, "s": None}],
    lambda: (b for b in [pa.record_batch({"a": [1], "s": ["x"]}), pa.record_batch({"a": [2], "s": pa.array([None], pa.string())})]),
], ids=["pyarrow table", "pyarrow batch", "pyarrow reader", "other order", "large strings", "dictionary", "slice", "polars", "pandas", "duckdb",
        "nanoarrow", "dicts", "generator"])
def test_rows_of_anyone_are_written(make_table, make):
    t = make_table([("a", "BIGINT"), ("s", "STRING")])
    result = t.write(make())
    assert result.snapshot_id == 1
    assert t.to_pylist() == [{"a": 1, "s": "x"}, {"a": 2, "s": None}]


def test_our_own_tables_scans_streams_and_batches_are_written_too(table, make_table):
    copy = make_table(table.schema().to_schema())
    copy.write(table)
    copy.write(table.scan("a < 10"))
    copy.write(table.scan("a < 10").open())
    copy.write(next(table.scan("a < 10").open()))
    assert copy.scan().count() == ROWS + 30


def test_what_is_no_arrow_data_is_refused(make_table):
    t = make_table([("a", "BIGINT")])
    for wrong in (5, "text", {"a": [1]}, object()):
        with pytest.raises(TypeError):
            t.write(wrong)
    with pytest.raises(paimon_c.InvalidError, match="rows were expected"):
        t.write(pa.array([1, 2]))
    taken = pa.table({"a": [1]}).__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(taken)

    class Taken:
        def __arrow_c_stream__(self, requested_schema=None):
            return taken

    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.schema([]).__arrow_c_schema__()

    with pytest.raises(paimon_c.InvalidError, match="handed over"):
        t.write(Taken())
    with pytest.raises(ValueError, match="arrow_array_stream"):
        t.write(Wrong())
    with pytest.raises(ValueError):
        _capsule.address(5, "arrow_schema")
    assert t.latest_snapshot() is None


def test_a_producer_that_fails_in_the_middle_leaves_nothing(make_table, tmp_path):
    t = make_table([("a", "BIGINT")])
    schema = pa.schema([("a", pa.int64())])

    def batches():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the source broke")

    with pytest.raises(paimon_c.PaimonError, match="the source broke"):
        t.write(pa.RecordBatchReader.from_batches(schema, batches()))
    assert t.latest_snapshot() is None
    assert not list((tmp_path / "wh").rglob("*.parquet"))


def test_errors_inside_a_stream_reach_the_consumer(table):
    path = table.scan().plan().splits()[0].file_paths[0]
    with open(path, "r+b") as f:
        f.seek(4)
        f.write(b"\xff" * 64)
    with pytest.raises(paimon_c.PaimonError, match="parquet"):
        table.scan().to_pylist()
    with pytest.raises((pa.ArrowException, OSError), match="parquet"):
        pa.table(table.scan())


def test_a_requested_schema_is_left_to_the_consumer(table):
    wanted = pa.schema([("a", pa.int64()), ("s", pa.large_string())])
    capsule = table.scan(columns=["a", "s"]).__arrow_c_stream__(wanted.__arrow_c_schema__())
    assert pa.RecordBatchReader._import_from_c_capsule(capsule).schema.field("s").type == pa.string()


def test_a_bare_file_is_a_stream(table):
    path = table.scan().plan().splits()[0].file_paths[0]
    assert pa.table(paimon_c.open_file(path, columns=["a"])).column_names == ["a"]
    assert pa.table(paimon_c.open_file(path)).num_rows == ROWS


def test_the_library_s_enumeration_of_types_is_complete():
    assert lib.PAIMON_INTERNAL == 11  # the constants come from the headers
