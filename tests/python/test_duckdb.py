"""Tables in DuckDB: SQL over them, with columns and filters that reach the files."""
import decimal
import random

import every_type
import paimon_c
import pyarrow as pa
import pytest
from conftest import EXAMPLE

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return every_type.make(tmp_path_factory.mktemp("duckdb") / "every")


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


def ordered(relation):
    return sorted(map(repr, relation.fetchall()))


def test_two_tables_are_joined_in_sql(tmp_path, connection):
    orders = paimon_c.create_table(tmp_path / "orders", paimon_c.Schema([("id", "BIGINT"), ("who", "INT"), ("amount", "DECIMAL(10, 2)")]))
    people = paimon_c.create_table(tmp_path / "people", paimon_c.Schema([("who", "INT"), ("name", "STRING")]))
    orders.write(pa.table({"id": range(1000), "who": pa.array([k % 10 for k in range(1000)], pa.int32()),
                           "amount": pa.array(map(decimal.Decimal, range(1000)), pa.decimal128(10, 2))}))
    people.write(pa.table({"who": pa.array(range(10), pa.int32()), "name": ["n%d" % k for k in range(10)]}))
    orders.to_duckdb(connection)
    assert people.to_duckdb(connection, "p").columns == ["who", "name"]
    told = connection.sql("SELECT name, count(*), sum(amount) FROM orders JOIN p USING (who) WHERE id < 500 AND who IN (1, 3) GROUP BY name ORDER BY name")
    assert [(n, c, float(s)) for n, c, s in told.fetchall()] == [("n1", 50, sum(range(1, 500, 10))), ("n3", 50, sum(range(3, 500, 10)))]


def test_a_query_sees_what_was_committed_before_it(tmp_path, connection):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "INT")]))
    table.write(pa.table({"a": pa.array([1], pa.int32())}))
    table.to_duckdb(connection, "live")
    table.at(1).to_duckdb(connection, "first")
    table.write(pa.table({"a": pa.array([2], pa.int32())}))
    assert connection.sql("SELECT (SELECT count(*) FROM live), (SELECT count(*) FROM first)").fetchall() == [(2, 1)]


CONDITIONS = {
    "i8": ["{} > 0", "{} = 5", "{} <> 5", "{} IN (1, 5)", "{} NOT IN (1, 5)", "{} BETWEEN -1 AND 5", "{} > 1.5", "{} > 300"],
    "i32": ["{} >= 3", "{} < -7", "NOT ({} = 5)", "{} IN (3, 5, NULL)", "{} % 2 = 1"],
    "i64": ["{} > 4", "{} = 9007199254740993", "{} > 9007199254740992.0::DOUBLE", "{} <= -9223372036854775808", "abs({} // 2) = 2"],
    "f32": ["{} > 0", "{} = 0.5", "{} = 0.1", "{} >= 'inf'", "{} = 'nan'", "{} <> 5", "NOT ({} > 0)", "{} = 0"],
    "f64": ["{} > 0", "{} = 0.1", "{} >= 'inf'", "{} = 'nan'", "{} <> 5", "NOT ({} > 0)", "{} < 'nan'", "{} IN (0.1, 5)", "isnan({})"],
    "dec": ["{} > 1.5", "{} = 5", "{} < 0.0001", "{} <> 1.500", "{} IN (1.5, 5.000)"],
    "s": ["{} = 'ab'", "{} > 'a'", "{} LIKE 'a%'", "{} LIKE '%b'", "{} LIKE 'a\\_b' ESCAPE '\\'", "starts_with({}, 'a')", "contains({}, '%')", "{} IN ('', 'zz')",
          "{} <> ''", "length({}) = 2", "{} ILIKE 'B'", "NOT starts_with({}, 'a')"],
    "c": ["{} = 'a'", "{} > 'ab'", "{} = 'a '"],
    "b": ["{}", "NOT {}", "{} IS TRUE", "{} = false", "{} IS NOT FALSE"],
    "bin": ["{} = 'a'::BLOB", "{} > '\\x00'::BLOB", "{} <> ''::BLOB"],
    "d": ["{} > DATE '2024-02-29'", "{} = DATE '1970-01-01'", "{} >= TIMESTAMP '2024-02-29 12:00:00'", "year({}) = 2024", "{} IN (DATE '2024-03-01')"],
    "ts": ["{} > TIMESTAMP '2024-02-29 12:30:15.123'", "{} = TIMESTAMP '1970-01-01'", "{} < TIMESTAMP '2024-02-29 12:30:15.1234'", "{} >= DATE '2024-03-01'"],
    "us": ["{} > TIMESTAMP '2024-02-29 12:30:15.123'", "{} = TIMESTAMP '2024-02-29 12:30:15.123456'", "{} < TIMESTAMP '1970-01-01'"],
    "tz": ["{} > TIMESTAMPTZ '2024-02-29 12:30:15.123+00'", "{} = TIMESTAMPTZ '1970-01-01 01:00:00+01'", "{} IS DISTINCT FROM TIMESTAMPTZ '1970-01-01 00:00:00+00'"],
    "r": ["{}.x > 1", "{}.y = 'a'", "{}.x IS NULL", "{}.y IS NOT NULL AND {}.x IS NULL"],
    "l": ["len({}) > 1", "{}[1] = 5"],
}


def conditions(n=150, seed=7):
    """All of the above alone, and random ones of several."""
    draw = random.Random(seed)
    alone = [text.replace("{}", name) for name, texts in CONDITIONS.items() for text in texts + ["{} IS NULL", "{} IS NOT NULL"]]
    yield from alone
    for _ in range(n):
        some = [("NOT (%s)" if draw.random() < 0.3 else "(%s)") % draw.choice(alone) for _ in range(draw.randint(2, 4))]
        text = some[0]
        for one in some[1:]:
            text = "(%s %s %s)" % (text, draw.choice(["AND", "OR"]), one)
        yield text


def test_filters_are_duckdb_s_own(every, connection):
    """Every condition gives the rows that it gives over the same rows in DuckDB's own table."""
    connection.execute("SET TimeZone = 'UTC'")
    every.to_duckdb(connection, "ours")
    connection.register("arrow", pa.table(every))
    connection.execute("CREATE TABLE own AS FROM arrow")
    for condition in conditions():
        ours, own = (ordered(connection.sql("SELECT id FROM %s WHERE %s" % (name, condition))) for name in ("ours", "own"))
        assert ours == own, condition


def test_columns_and_filters_reach_the_files(tmp_path, connection):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT"), ("wide", "STRING"), ("p", "INT")], partition_keys=["p"]))
    draw = random.Random(1)
    for p in range(3):
        table.write(pa.table({"a": range(p * 10000, p * 10000 + 10000), "wide": ["%030x" % draw.getrandbits(120) for _ in range(10000)],
                              "p": pa.array([p] * 10000, pa.int32())}))
    source = table.to_dataset()
    connection.register("t", source)

    def cost(sql):
        connection.sql(sql).fetchall()
        return source.scan_metrics[-1]

    everything = cost("SELECT * FROM t")
    assert everything.files == 3 and everything.rows_returned == 30000
    narrow = cost("SELECT sum(a) FROM t")
    assert narrow.files == 3 and narrow.bytes_read < everything.bytes_read / 3
    one_file = cost("SELECT count(wide) FROM t WHERE a >= 12000 AND a < 12005")
    assert one_file.files == 1 and one_file.rows_returned == 5 and one_file.bytes_read < everything.bytes_read / 2
    partition = cost("SELECT max(a) FROM t WHERE p = 2")
    assert partition.files == 1 and partition.rows_returned == 10000
    nothing = cost("SELECT * FROM t WHERE a > 1000000")
    assert nothing.files == 0 and nothing.bytes_read == 0
    # What DuckDB keeps to itself can be said in our own words.
    table.to_duckdb(connection, "filtered", filter="a < 5")
    assert connection.sql("SELECT count(*) FROM filtered WHERE a % 2 = 0").fetchall() == [(3,)]


def test_the_default_name_is_the_folder_s_and_the_connection_duckdb_s():
    table = paimon_c.open_table(EXAMPLE)
    relation = table.to_duckdb()
    try:
        assert duckdb.sql("SELECT count(*) FROM orders").fetchall() == [(table.scan().count(),)]
        assert relation.filter("region = 'EU'").count("*").fetchall() == [(table.scan("region = 'EU'").count(),)]
    finally:
        duckdb.unregister("orders")


def test_a_limit_ends_the_reading(every, connection):
    every.to_duckdb(connection, "t")
    for _ in range(20):
        assert len(connection.sql("SELECT * FROM t LIMIT 3").fetchall()) == 3


def test_errors_reach_the_user(tmp_path, connection):
    import os

    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "INT")]))
    table.write(pa.table({"a": pa.array([1], pa.int32())}))
    for folder, _, names in os.walk(tmp_path / "t"):
        for name in names:
            if name.endswith(".parquet"):
                os.remove(os.path.join(folder, name))
    table.to_duckdb(connection, "t")
    with pytest.raises(Exception, match="parquet"):
        connection.sql("SELECT * FROM t").fetchall()
