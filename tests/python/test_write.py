"""Writers and committers: batch and streaming, overwriting, aborting, beside each other."""
import os
import threading

import pandas
import paimon_c
import pyarrow as pa
import pytest
from paimon_c import Schema


def files_of(table):
    return sorted(n for base, _, names in os.walk(table.path) for n in names if n.endswith(".parquet"))


def rows(**columns):
    return pa.table(columns)


@pytest.fixture
def table(make_table):
    return make_table([("a", "BIGINT"), ("p", "STRING")], partition_keys=["p"])


def test_a_dict_with_a_key_that_is_no_column_is_refused(table):
    with pytest.raises(paimon_c.InvalidError, match="no column aa, zz"):
        table.write([{"a": 1, "p": "x"}, {"aa": 2, "p": "y"}, {"zz": 3}])
    table.write([{"a": 1}, {"p": "y"}])
    assert sorted(map(tuple, (r.values() for r in table.to_pylist())), key=str) == [(1, None), (None, "y")]
    assert len(files_of(table)) == 2


def test_a_batch_is_written_as_with_pypaimon(table):
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(rows(a=[1, 2], p=["x", "y"]))
    write.write_arrow_batch(pa.record_batch({"a": [3], "p": ["x"]}))
    write.write_pandas(pandas.DataFrame({"a": [4, 5], "p": ["z", None]}))
    assert write.rows_written == 5
    messages = write.prepare_commit()
    assert len(messages) == 4  # one a partition
    result = commit.commit(messages)
    assert result == (1, 1, 1, False) and result.snapshot_id == 1
    write.close()
    commit.close()
    assert sorted(table.to_pylist(), key=lambda r: r["a"]) == [{"a": i + 1, "p": p} for i, p in enumerate(["x", "y", "x", "z", None])]
    assert table.latest_snapshot().commit_user == builder.commit_user


def test_messages_of_many_writers_make_one_commit(table):
    builder = table.new_batch_write_builder()
    messages = []
    for i in range(3):
        with builder.new_write() as write:
            write.write_arrow(rows(a=[i], p=["p%d" % i]))
            messages += write.prepare_commit()
    with builder.new_commit() as commit:
        assert commit.commit(messages).snapshot_id == 1
    assert table.scan().count() == 3


def test_overwriting_partitions_and_tables(table, make_table):
    table.write(rows(a=[1, 2, 3], p=["x", "y", None]))
    table.write(rows(a=[9], p=["x"]), overwrite={"p": "x"})
    assert sorted(r["a"] for r in table.to_pylist()) == [2, 3, 9]
    table.write(rows(a=[8], p=["y"]), overwrite=True)  # the partitions written, by default
    assert sorted(r["a"] for r in table.to_pylist()) == [3, 8, 9]
    table.write(rows(a=[7], p=pa.array([None], pa.string())), overwrite={"p": None})
    assert sorted(r["a"] for r in table.to_pylist()) == [7, 8, 9]
    static = table.copy({"dynamic-partition-overwrite": "false"})
    static.write(rows(a=[0], p=["q"]), overwrite=True)
    assert table.to_pylist() == [{"a": 0, "p": "q"}]
    flat = make_table([("a", "BIGINT")])
    flat.write(rows(a=[1, 2]))
    flat.write(rows(a=[3]), overwrite=True)
    assert flat.to_pylist() == [{"a": 3}]
    assert flat.latest_snapshot().commit_kind == "OVERWRITE"


def test_nothing_written_makes_no_snapshot_but_an_empty_overwrite_does(table):
    assert table.write(rows(a=[], p=pa.array([], pa.string())).cast(pa.schema([("a", pa.int64()), ("p", pa.string())]))).snapshot_id is None
    table.write(rows(a=[1], p=["x"]))
    builder = table.new_batch_write_builder().overwrite({"p": "x"})
    with builder.new_commit() as commit:
        assert commit.commit([]).snapshot_id == 2
    assert table.to_pylist() == []


def test_truncating_and_dropping_partitions(table, catalog):
    table.write(rows(a=[1, 2, 3], p=["x", "y", "z"]))
    assert table.drop_partitions([{"p": "x"}]).snapshot_id == 2
    assert catalog.drop_partitions(table.identifier, [{"p": "y"}]).snapshot_id == 3
    assert [r["a"] for r in table.to_pylist()] == [3]
    assert table.truncate().snapshot_id == 4
    assert table.to_pylist() == []
    with pytest.raises(paimon_c.InvalidError):
        table.drop_partitions([])


def test_a_stream_is_written_under_rising_identifiers(table):
    builder = table.new_stream_write_builder().with_commit_user("job")
    write, commit = builder.new_write(), builder.new_commit()
    for identifier in (1, 2):
        write.write_arrow(rows(a=[identifier], p=["x"]))
        result = commit.commit(write.prepare_commit(identifier), identifier, snapshot_properties={"k": "v"}, watermark=identifier * 1000)
        assert result.snapshot_id == identifier
    assert commit.commit(write.prepare_commit(3), 3).snapshot_id == 3  # an empty one counts too
    latest = table.snapshot(2)
    assert (latest.commit_identifier, latest.watermark, latest.properties, latest.commit_user) == (2, 2000, {"k": "v"}, "job")

    write.write_arrow(rows(a=[4], p=["x"]))
    late = write.prepare_commit(4)
    after = table.new_stream_write_builder().with_commit_user("job").new_commit()  # the job starts again
    done = after.filter_and_commit({4: late, 2: []})
    assert [r.already_committed for r in done] == [True, False]
    assert after.filter_and_commit({4: late})[0].already_committed
    assert sorted(r["a"] for r in table.to_pylist()) == [1, 2, 4]


def test_aborting_removes_exactly_the_files_of_the_messages(table):
    table.write(rows(a=[1], p=["x"]))
    kept = files_of(table)
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(rows(a=[2, 3], p=["x", "y"]))
        messages = write.prepare_commit()
        assert len(files_of(table)) == 3
        commit.abort(messages)
    assert files_of(table) == kept and table.scan().count() == 1


def test_a_write_that_cannot_be_committed_leaves_no_files(table):
    with pytest.raises(paimon_c.InvalidError, match="partition"):
        table.write(rows(a=[1], p=["y"]), overwrite={"p": "x"})
    assert files_of(table) == [] and table.latest_snapshot() is None


def test_a_writer_that_is_closed_or_dropped_takes_its_files_along(table):
    write = table.new_batch_write_builder().new_write()
    write.write_arrow(rows(a=[1], p=["x"]))
    write.abort()
    assert files_of(table) == []
    with pytest.raises(paimon_c.StateError):
        write.write_arrow(rows(a=[1], p=["x"]))
    with pytest.raises(paimon_c.StateError):
        write.prepare_commit()
    write = table.new_batch_write_builder().new_write()
    write.write_arrow(rows(a=[1], p=["x"]))
    del write
    assert files_of(table) == []


def test_columns_are_matched_by_name_and_may_be_left_out(make_table):
    t = make_table([("a", "BIGINT NOT NULL"), ("b", "STRING"), ("c", "INT")])
    with t.new_batch_write_builder().new_write() as write:
        write.write_arrow(rows(b=["x"], a=[1]))
        write.write_arrow(rows(c=pa.array([7], pa.int32()), a=[2]))
        messages = write.prepare_commit()
        t.new_batch_write_builder().new_commit().commit(messages)
    assert sorted(t.to_pylist(), key=lambda r: r["a"]) == [{"a": 1, "b": "x", "c": None}, {"a": 2, "b": None, "c": 7}]
    with pytest.raises(paimon_c.InvalidError, match="zz"):
        t.write(rows(a=[1], zz=[2]))
    with pytest.raises(paimon_c.InvalidError, match="'?a'?"):
        t.write(rows(b=["x"]))
    with pytest.raises(paimon_c.InvalidError, match="zz"):
        with t.new_batch_write_builder().new_write() as write:
            write.write_pandas(pandas.DataFrame({"a": [1], "zz": [2]}))
    with pytest.raises(paimon_c.InvalidError):
        t.write(pa.table({"a": pa.array([None], pa.int64())}))
    with pytest.raises((paimon_c.UnsupportedError, paimon_c.InvalidError)):
        t.write(rows(a=["text"]))


def test_partition_and_bucket_may_be_said(make_table):
    t = make_table([("a", "BIGINT"), ("p", "STRING")], partition_keys=["p"])
    builder = t.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow_to(rows(a=[1, 2], p=["x", "x"]), ["x"], 0)
        with pytest.raises(paimon_c.InvalidError):
            write.write_arrow_to(rows(a=[1], p=["y"]), ["x"], 0)
        commit.commit(write.prepare_commit())
    assert t.scan().count() == 2


def test_messages_are_committed_whole_and_once(table):
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(rows(a=[1, 2], p=["x", "y"]))
        messages = write.prepare_commit()
        with pytest.raises(paimon_c.InvalidError, match="twice"):
            commit.commit(messages + messages)
        with pytest.raises(TypeError):
            commit.commit([1])
        commit.commit(messages)
        commit.close()
        with pytest.raises(paimon_c.StateError):
            commit.commit(messages)


def test_many_threads_commit_at_the_same_time(table):
    failed = []

    def job(i):
        try:
            for k in range(5):
                table.write(rows(a=[i * 100 + k], p=["p%d" % i]), threads=1)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=job, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert table.latest_snapshot().id == 20 and table.scan().count() == 20


def test_buckets_follow_the_key(make_table):
    t = make_table([("a", "BIGINT"), ("b", "STRING")], options={"bucket": 4, "bucket-key": "a"})
    t.write(rows(a=range(1000), b=[str(i) for i in range(1000)]))
    plan = t.new_read_builder().new_scan().plan()
    assert {s.bucket for s in plan} == {0, 1, 2, 3} and all(s.total_buckets == 4 for s in plan)
    assert t.scan("a = 77").to_pylist() == [{"a": 77, "b": "77"}]


def test_types_go_in_and_come_out_unchanged(make_table):
    import datetime
    import decimal

    schema = pa.schema([
        ("i8", pa.int8()), ("i16", pa.int16()), ("i32", pa.int32()), ("i64", pa.int64()), ("f", pa.float32()), ("d", pa.float64()), ("o", pa.bool_()),
        ("s", pa.string()), ("b", pa.binary()), ("dec", pa.decimal128(20, 5)), ("day", pa.date32()), ("ts", pa.timestamp("us")), ("ms", pa.timestamp("ms")),
        ("tz", pa.timestamp("us", "UTC")), ("l", pa.list_(pa.field("element", pa.int32()))), ("m", pa.map_(pa.string(), pa.int64())),
        ("r", pa.struct([("x", pa.int32()), ("y", pa.list_(pa.field("element", pa.string())))])),
    ])
    row = {"i8": -1, "i16": 2, "i32": 3, "i64": -4, "f": 1.5, "d": -2.25, "o": True, "s": "déjà", "b": b"\0x", "dec": decimal.Decimal("-12.34500"),
           "day": datetime.date(1969, 12, 31), "ts": datetime.datetime(2024, 1, 2, 3, 4, 5, 678901), "ms": datetime.datetime(1950, 1, 1),
           "tz": datetime.datetime(2024, 1, 2, 3, tzinfo=datetime.timezone.utc), "l": [1, None], "m": {"k": 5}, "r": {"x": 1, "y": ["a", None]}}
    t = make_table(Schema.from_arrow(schema))
    data = [row, dict.fromkeys(row)]
    t.write(pa.Table.from_pylist([{**row, "m": [("k", 5)]}, data[1]], schema=schema))
    assert t.to_pylist() == data
    back = t.to_arrow()
    assert [f.type for f in back.schema] == [f.type for f in schema]
