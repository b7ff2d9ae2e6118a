"""Splits, messages and tables between processes: pickled, and as the bytes of Paimon Java."""
import json
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
import multiprocessing

import paimon_c
import pyarrow as pa
import pytest
from conftest import GOLDEN


@pytest.fixture
def table(tmp_path):
    made = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT"), ("p", "STRING")], partition_keys=["p"]))
    made.write(pa.table({"a": range(300), "p": ["p%d" % (i % 3) for i in range(300)]}))
    return made


def test_splits_come_back_from_their_bytes(table):
    read = table.new_read_builder().with_filter("a < 100").new_read()
    for split in table.new_read_builder().new_scan().plan():
        for again in (paimon_c.Split.from_bytes(split.to_bytes()), paimon_c.Split.from_bytes(bytearray(split.to_bytes(8))), pickle.loads(pickle.dumps(split))):
            assert json.loads(again.to_json()) == json.loads(split.to_json())
            assert again.files == split.files and again.row_count == split.row_count
            assert read.to_pylist([again]) == read.to_pylist([split]) != []
        assert pickle.dumps(pickle.loads(pickle.dumps(split))) == pickle.dumps(split)
    with pytest.raises(paimon_c.UnsupportedError):
        split.to_bytes(3)
    with pytest.raises(paimon_c.CorruptError):
        paimon_c.Split.from_bytes(split.to_bytes()[:-1])
    with pytest.raises(paimon_c.CorruptError):
        paimon_c.Split.from_bytes(b"")


def test_messages_come_back_from_their_bytes(table):
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(pa.table({"a": [1000, 1001], "p": ["p0", "p1"]}))
        messages = write.prepare_commit()
        again = pickle.loads(pickle.dumps(messages))
        assert [json.loads(m.to_json()) for m in again] == [json.loads(m.to_json()) for m in messages]
        assert paimon_c.CommitMessage.from_bytes(messages[0].to_bytes(10), 10).to_json() == messages[0].to_json()
        listed = paimon_c.CommitMessage.list_from_bytes(paimon_c.CommitMessage.list_to_bytes(messages, 10), 10)
        assert [m.to_json() for m in listed] == [m.to_json() for m in messages]
        with pytest.raises(paimon_c.CorruptError):
            paimon_c.CommitMessage.from_bytes(b"x", 13)
        assert commit.commit(again).snapshot_id == 2
    assert table.scan("a >= 1000").count() == 2


def test_some_of_a_writer_s_messages_are_committed(table):
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(pa.table({"a": [1000, 1001, 1002], "p": ["p0", "p1", "p2"]}))
        first, second, third = write.prepare_commit()
        commit.abort([second])
        assert commit.commit([third, first]).snapshot_id == 2
    assert table.scan("a >= 1000").count() == 2


def test_a_table_travels_with_its_schema(table):
    there = pickle.loads(pickle.dumps(table.at(1)))
    assert there.scan().count() == 300 and there.path == table.path and there.option("scan.snapshot-id") == "1"
    os.rename(os.path.join(table.path, "schema"), os.path.join(table.path, "elsewhere"))  # which it does not look into
    again = pickle.loads(pickle.dumps(table))
    assert again.new_read_builder().new_read().to_arrow(table.new_read_builder().new_scan().plan().splits()).num_rows == 300
    own = paimon_c.open_table_with_schema(table.path, table.schema().json, environment=paimon_c.Environment())
    assert own.field_names == ["a", "p"]
    with pytest.raises(TypeError):
        pickle.dumps(own)


def test_branches_travel():
    path = os.path.join(GOLDEN, "tags-branches", "wh", "db.db", "t")
    for branch in [n[7:] for n in os.listdir(os.path.join(path, "branch"))]:
        table = paimon_c.open_table(path + "$branch_" + branch)
        there = pickle.loads(pickle.dumps(table))
        assert there.branch == branch and there.to_pylist() == table.to_pylist()


def read_sum(read, split):
    return sum(row["a"] for row in read.to_pylist([split]))


def write_rows(builder_table, n):
    with builder_table.new_batch_write_builder().new_write() as write:
        write.write_arrow(pa.table({"a": [n], "p": ["new"]}))
        return write.prepare_commit()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_read_splits_and_write_messages(table, method):
    """Planned and committed here, read and written there."""
    read, plan = table.new_read_builder().with_projection(["a"]).new_read(), table.new_read_builder().new_scan().plan()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert sum(pool.map(read_sum, [read] * len(plan), plan.splits())) == sum(range(300))
        messages = [m for part in pool.map(write_rows, [table] * 3, range(3)) for m in part]
    with table.new_batch_write_builder().new_commit() as commit:
        assert commit.commit(messages).snapshot_id == 2
    assert table.scan("p = 'new'").count() == 3
