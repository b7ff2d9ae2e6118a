"""pypaimon reads what we write, and we read what it writes; and its users find their names."""
import datetime
import decimal

import paimon_c
import pyarrow as pa
import pytest

pypaimon = pytest.importorskip("pypaimon")

SCHEMA = pa.schema([
    pa.field("id", pa.int64(), nullable=False), ("s", pa.string()), ("d", pa.decimal128(12, 3)), ("day", pa.date32()), ("ts", pa.timestamp("us")),
    ("l", pa.list_(pa.int32())), ("f", pa.float64()), ("o", pa.bool_()), ("b", pa.binary()), ("p", pa.string()),
])


def some_rows(start, n):
    return pa.Table.from_pylist([
        {"id": i, "s": None if i % 7 == 0 else "é%d" % i, "d": decimal.Decimal(i) / 8, "day": datetime.date(2024, 1, 1) + datetime.timedelta(i),
         "ts": datetime.datetime(1970, 1, 1) + datetime.timedelta(hours=i, microseconds=i), "l": None if i % 5 == 0 else [i, None], "f": i / 3,
         "o": i % 2 == 0, "b": b"%d" % i, "p": "p%d" % (i % 3)} for i in range(start, start + n)], schema=SCHEMA)


def ids(table):
    return sorted(table.column("id").to_pylist())


def catalogs(tmp_path):
    options = {"warehouse": str(tmp_path)}
    return paimon_c.CatalogFactory.create(options), pypaimon.CatalogFactory.create(options)


def write(package, table, rows, overwrite=None):
    """The same lines for both packages."""
    builder = table.new_batch_write_builder()
    if overwrite is not None:
        builder = builder.overwrite(overwrite)
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(rows)
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def read(table, predicate=None, projection=None, limit=None):
    """The same lines for both packages."""
    builder = table.new_read_builder()
    if predicate is not None:
        builder = builder.with_filter(predicate(builder.new_predicate_builder()))
    if projection is not None:
        builder = builder.with_projection(projection)
    if limit is not None:
        builder = builder.with_limit(limit)
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


@pytest.mark.parametrize("options, partition_keys", [({}, None), ({}, ["p"]), ({"bucket": "3", "bucket-key": "id"}, ["p"])])
def test_each_reads_what_the_other_wrote(tmp_path, options, partition_keys):
    ours, theirs = catalogs(tmp_path)
    ours.create_database("db", False)
    ours.create_table("db.a", paimon_c.Schema.from_pyarrow_schema(SCHEMA, partition_keys=partition_keys, options=options), False)
    theirs.create_table("db.b", pypaimon.Schema.from_pyarrow_schema(SCHEMA, partition_keys=partition_keys, options=options), False)
    for name in ("db.a", "db.b"):
        write(paimon_c, ours.get_table(name), some_rows(0, 50))
        write(pypaimon, theirs.get_table(name), some_rows(50, 50))
        write(paimon_c, ours.get_table(name), some_rows(100, 20))
        a, b = read(ours.get_table(name)), read(theirs.get_table(name))
        assert ids(a) == ids(b) == list(range(120))
        expected = some_rows(0, 120)
        for got in (a, b):
            assert got.cast(SCHEMA).sort_by("id").to_pylist() == expected.to_pylist()
        for predicate in (lambda p: p.equal("id", 77), lambda p: p.and_predicates([p.greater_than("id", 30), p.is_not_null("s"), p.less_or_equal("f", 20.0)]),
                          lambda p: p.or_predicates([p.startswith("s", "é1"), p.is_in("p", ["p1"])]), lambda p: p.between("id", 90, 110),
                          lambda p: p.is_null("l"), lambda p: p.not_equal("p", "p0")):
            assert ids(read(ours.get_table(name), predicate)) == ids(read(theirs.get_table(name), predicate))
        assert read(ours.get_table(name), projection=["s", "id"]).column_names == ["s", "id"] == read(theirs.get_table(name), projection=["s", "id"]).column_names
        assert read(ours.get_table(name), limit=5).num_rows == 5
    if partition_keys:
        for name in ("db.a", "db.b"):
            write(paimon_c, ours.get_table(name), some_rows(999, 1), {"p": "p0"})
            assert ids(read(theirs.get_table(name))) == ids(read(ours.get_table(name))) == [i for i in range(120) if i % 3] + [999]
            write(pypaimon, theirs.get_table(name), some_rows(997, 1), {"p": "p1"})
            assert ids(read(theirs.get_table(name))) == ids(read(ours.get_table(name))) == [i for i in range(120) if i % 3 == 2] + [997, 999]


def test_streams_of_both_commit_in_turn(tmp_path):
    ours, theirs = catalogs(tmp_path)
    ours.create_database("db", False)
    ours.create_table("db.t", paimon_c.Schema.from_pyarrow_schema(SCHEMA), False)
    for identifier, catalog in enumerate([ours, theirs, ours, theirs], 1):
        builder = catalog.get_table("db.t").new_stream_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        writer.write_arrow(some_rows(identifier * 10, 10))
        commit.commit(writer.prepare_commit(identifier), identifier)
        writer.close()
        commit.close()
    assert ours.get_table("db.t").latest_snapshot().id == 4
    assert ids(read(ours.get_table("db.t"))) == ids(read(theirs.get_table("db.t"))) == list(range(10, 50))


@pytest.mark.parametrize("ours, theirs", [
    (paimon_c.Catalog, "catalog.catalog.Catalog"), (paimon_c.ReadBuilder, "read.read_builder.ReadBuilder"), (paimon_c.TableScan, "read.table_scan.TableScan"),
    (paimon_c.TableRead, "read.table_read.TableRead"), (paimon_c.Plan, "read.plan.Plan"), (paimon_c.PredicateBuilder, "common.predicate_builder.PredicateBuilder"),
    (paimon_c.BatchWriteBuilder, "write.write_builder.BatchWriteBuilder"), (paimon_c.StreamWriteBuilder, "write.write_builder.StreamWriteBuilder"),
    (paimon_c.BatchTableWrite, "write.table_write.BatchTableWrite"), (paimon_c.StreamTableWrite, "write.table_write.StreamTableWrite"),
    (paimon_c.BatchTableCommit, "write.table_commit.BatchTableCommit"), (paimon_c.StreamTableCommit, "write.table_commit.StreamTableCommit"),
    (paimon_c.Identifier, "common.identifier.Identifier"), (paimon_c.Schema, "schema.schema.Schema")], ids=lambda v: v if isinstance(v, str) else "")
def test_shared_names_take_what_pypaimon_s_take(ours, theirs):
    """Where a method of ours has a name of theirs, their positional arguments fit it. docs/migrating-from-pypaimon.md lists what is missing."""
    import importlib
    import inspect

    module, _, name = theirs.rpartition(".")
    other = getattr(importlib.import_module("pypaimon." + module), name)
    shared = [n for n in vars(other) if not n.startswith("_") and hasattr(ours, n) and inspect.isfunction(getattr(other, n))]
    assert shared, theirs
    for method in shared:
        wanted = [p for p in inspect.signature(getattr(other, method)).parameters.values()
                  if p.kind == p.POSITIONAL_OR_KEYWORD and p.default is p.empty and p.name != "self"]
        inspect.signature(getattr(ours, method)).bind(*([None] * (len(wanted) + (0 if isinstance(inspect.getattr_static(ours, method), staticmethod) else 1))))
