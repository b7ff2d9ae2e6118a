"""Tables as LazyFrames of Polars."""
import datetime
import decimal
import math
import random

import every_type
import paimon_c
import pyarrow as pa
import pytest
from conftest import EXAMPLE

pl = pytest.importorskip("polars")
pytest.importorskip("polars.io.plugins")
import paimon_c.polars  # noqa: E402


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return every_type.make(tmp_path_factory.mktemp("polars") / "every")


c = pl.col


def leaves():
    compare = [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: b >= a]
    literals = {"i8": [5, 1.5, 300], "i32": [3, -7], "i64": [5, (1 << 53) + 1, float(1 << 53)], "f32": [0.5, 0.1, 5, 0.0, math.inf, math.nan],
                "f64": [0.1, 5, 0.0, -math.inf, math.nan], "dec": [decimal.Decimal("1.500"), decimal.Decimal("0.0001"), 5], "s": ["ab", "", "ä"], "c": ["a", "ab"],
                "b": [True, False], "bin": [b"a", b""], "d": [datetime.date(2024, 2, 29)], "ts": [every_type.MOMENTS[2], datetime.date(2024, 3, 1)],
                "us": [every_type.MOMENTS[2]], "tz": [every_type.MOMENTS[2].replace(tzinfo=datetime.timezone.utc)]}
    for name, values in literals.items():
        for value in values:
            for made in compare:
                yield made(c(name), pl.lit(value))
        yield c(name).is_null()
        yield c(name).is_not_null()
        yield c(name).eq_missing(pl.lit(values[0]))
    yield c("i32").is_in([3, 5])
    yield c("i32").is_in([3, None])
    yield c("i32").is_in([3, None], nulls_equal=True)
    yield c("s").is_in(["ab", "zz"])
    yield c("d").is_in([datetime.date(2024, 2, 29), datetime.date(1970, 1, 1)])
    yield c("f64").is_in([0.1, math.nan])
    for closed in ("both", "left", "right", "none"):
        yield c("i64").is_between(-3, 5, closed=closed)
    yield c("b")
    yield c("r").struct.field("x") > 1
    yield c("r").struct.field("y").is_null()
    yield c("l").list.len() > 1
    yield c("s").str.starts_with("a")
    yield c("s").str.ends_with("b")
    yield c("s").str.contains("%", literal=True)
    yield c("s").str.contains("^a.b$")
    yield c("s").str.len_bytes() == 2
    yield c("f64").is_nan()
    yield c("f32").is_finite()
    yield c("i64") == c("id")
    yield c("b") ^ (c("i32") > 0)


def test_every_expression_gives_polars_s_rows(every):
    whole, lazy, draw = pl.DataFrame(every), paimon_c.polars.scan(every), random.Random(5)
    alone = list(leaves())
    for k in range(len(alone) + 200):
        expression = alone[k] if k < len(alone) else None
        if expression is None:
            for one in draw.sample(alone, draw.randint(2, 4)):
                one = ~one if draw.random() < 0.3 else one
                expression = one if expression is None else expression & one if draw.random() < 0.5 else expression | one
        try:
            expected = whole.filter(expression)["id"].sort()
        except pl.exceptions.PolarsError:  # not an expression of Polars': literals of all kinds meet all columns here
            continue
        assert lazy.filter(expression).select("id").collect()["id"].sort().equals(expected), expression


def test_filters_are_understood():
    """As the optimizer hands them over. If this fails with a new Polars, rows are right and more is read: see _predicate() in polars.py."""
    table = paimon_c.open_table(EXAMPLE)
    seen = []
    source = paimon_c.polars.Source(table, None, 0)

    def spy(with_columns, predicate, n_rows, batch_size):
        yield from source(with_columns, predicate, n_rows, batch_size)
        seen.append(str(source.predicate))

    from polars.io.plugins import register_io_source

    lazy = register_io_source(spy, schema=source.schema())
    for expression, text in [
        (c.order_id > 1005, "order_id > 1005"),
        ((c.order_id > 1005) & ~(c.region == "EU"), "order_id > 1005 AND region <> 'EU'"),
        (c.order_id.is_in([1, 2]) | c.customer.is_null(), "order_id IN (1, 2) OR customer IS NULL"),
        (c.order_id.is_between(3, 9), "order_id >= 3 AND order_id <= 9"),
        (c.day >= datetime.date(2026, 1, 2), "day >= 20455"),
        (c.amount > decimal.Decimal("10.5"), "amount > 10.5"),
        (c.paid_at < datetime.datetime(2026, 1, 1, 1, 2, 3), "paid_at < '2026-01-01 01:02:03'"),
        (c.region.str.starts_with("E"), "region LIKE 'E%'"),
        ((c.order_id + 1 > 5) & (c.region == "EU"), "region = 'EU'"),
    ]:
        lazy.filter(expression).collect()
        if seen[-1] not in (text, text.replace("10.5", "10.50")):
            assert seen[-1] == text


def test_columns_filters_and_first_rows_reach_the_files(tmp_path):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT"), ("wide", "STRING")]))
    draw = random.Random(1)
    for k in range(3):
        table.write(pa.table({"a": range(k * 10000, k * 10000 + 10000), "wide": ["%030x" % draw.getrandbits(120) for _ in range(10000)]}))
    source = paimon_c.polars.Source(table, None, 0)

    def cost(*arguments):
        rows = sum(frame.height for frame in source(*arguments))
        return rows, source.stream.metrics

    rows, everything = cost(None, None, None, None)
    assert rows == 30000 and everything.files == 3
    rows, narrow = cost(["a"], None, None, None)
    assert rows == 30000 and narrow.bytes_read < everything.bytes_read / 3
    rows, filtered = cost(["wide"], (c.a >= 12000) & (c.a < 12005), None, None)
    assert rows == 5 and filtered.files == 1 and filtered.rows_returned == 5 and filtered.bytes_read < everything.bytes_read / 2
    rows, first = cost(None, None, 10, None)
    assert rows == 10 and first.files == 1 and first.bytes_read < everything.bytes_read / 2
    rows, neither = cost(None, c.a + 0 == 25000, None, None)
    assert rows == 1 and neither.files == 3 and neither.rows_returned == 30000


def test_first_rows_are_counted_before_filters(every):
    whole, lazy = pl.DataFrame(every), paimon_c.polars.scan(every)
    for engine in ("in-memory", "streaming"):
        assert lazy.head(50).filter(c.i32 > 0).collect(engine=engine).height == whole.head(50).filter(c.i32 > 0).height
        assert lazy.filter(c.i32 > 0).head(50).collect(engine=engine).height == 50
        assert lazy.slice(10, 5).select("id").collect(engine=engine)["id"].to_list() == whole["id"][10:15].to_list()
    assert lazy.select(pl.len()).collect().item() == whole.height


def test_lazyframes_join_and_see_new_commits(tmp_path):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "INT"), ("b", "STRING")]))
    lazy = paimon_c.polars.scan(table)
    assert lazy.collect().height == 0 and lazy.collect_schema().names() == ["a", "b"]
    table.write(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]}))
    joined = lazy.join(paimon_c.polars.scan(table, "a > 1"), on="a").collect()
    assert joined.to_dicts() == [{"a": 2, "b": "y", "b_right": "y"}]
    held = paimon_c.polars.scan(table.at(1))
    table.write(pa.table({"a": pa.array([3], pa.int32()), "b": ["z"]}))
    assert lazy.collect().height == 3 and held.collect().height == 2


def test_polars_writes_back(tmp_path, every):
    copy = paimon_c.create_table(tmp_path / "copy", every.schema().to_schema())
    copy.write(paimon_c.polars.scan(every).filter(c.i32 > 0).collect())
    assert copy.scan().count() == every.scan("i32 > 0").count()
