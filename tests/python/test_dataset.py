"""A table as a dataset of pyarrow's: expressions become predicates where both mean the same, and pyarrow applies the rest."""
import datetime
import decimal
import math
import pickle
import random

import every_type
import paimon_c
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pytest
from conftest import EXAMPLE

from paimon_c._arrow_expression import split


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return every_type.make(tmp_path_factory.mktemp("dataset") / "every")


def leaves():
    """Conditions as expressions, literals typed as their columns and otherwise."""
    compare = [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: b >= a]
    literals = {"i8": [5, 1.5, 2.0], "i32": [3, -7], "i64": [5, (1 << 53) + 1, float(1 << 53), 4.0], "f32": [0.5, 0.1, 5, 0.0, math.inf],
                "f64": [0.1, 5, 0.0, -math.inf, math.nan], "dec": [pa.scalar(decimal.Decimal("1.500"), pa.decimal128(12, 3))],
                "s": ["ab", "", "ä"], "c": ["a", "ab"], "b": [True, False], "bin": [b"a", b""], "d": [datetime.date(2024, 2, 29)],
                "ts": [pa.scalar(every_type.MOMENTS[2], pa.timestamp("ms"))],
                "us": [pa.scalar(every_type.MOMENTS[2], pa.timestamp("us")), pa.scalar(1709209815123456789, pa.timestamp("ns"))],
                "tz": [pa.scalar(every_type.MOMENTS[2], pa.timestamp("us", "UTC"))]}
    for name, values in literals.items():
        for value in values:
            for made in compare:
                yield made(pc.field(name), pc.scalar(value))
        yield pc.field(name).isin(pa.array(every_type.VALUES[name][1:3], pa.scalar(values[0]).type if isinstance(values[0], pa.Scalar) else None)
                                  if name not in ("i8", "i32", "f32") else [1, 5])
        yield pc.field(name).is_null()
        yield pc.field(name).is_valid()
    yield pc.field("b")
    yield pc.field("f64").is_null(nan_is_null=True)
    yield pc.field("r", "x") > 1
    yield pc.field("r", "y").is_null()
    yield pc.field("l").is_null()
    yield pc.field("i64") == pc.field("id")
    yield pc.field("i32").isin([3, None])
    yield pc.starts_with(pc.field("s"), "a")
    yield pc.starts_with(pc.field("s"), "A", ignore_case=True)
    yield pc.ends_with(pc.field("s"), "b")
    yield pc.match_substring(pc.field("s"), "%")
    yield pc.match_like(pc.field("s"), "a\\_b")
    yield pc.is_nan(pc.field("f32"))
    yield pc.utf8_length(pc.field("s")) == 2
    yield pc.scalar(True)


def test_every_expression_gives_pyarrow_s_rows(every):
    rows, dataset, draw = pa.table(every), every.to_dataset(), random.Random(3)
    alone, ours = list(leaves()), 0
    for k in range(len(alone) + 300):
        expression = alone[k] if k < len(alone) else None
        if expression is None:
            for one in draw.sample(alone, draw.randint(2, 4)):
                one = ~one if draw.random() < 0.3 else one
                expression = one if expression is None else expression & one if draw.random() < 0.5 else expression | one
        try:
            expected = sorted(rows.filter(expression)["id"].to_pylist())
        except pa.ArrowInvalid:  # a literal that pyarrow cannot bring into the column's type
            continue
        assert sorted(dataset.to_table(columns=["id"], filter=expression)["id"].to_pylist()) == expected, expression
        ours += split(every, expression, ieee=True).predicate is not None
    assert ours > len(alone) * 0.6


def test_what_is_understood_is_not_tested_again():
    table = paimon_c.open_table(EXAMPLE)
    f = pc.field
    for expression, text in [
        (f("order_id") > 5, "order_id > 5"),
        ((5 < f("order_id")) & ~(f("region") == "EU"), "order_id > 5 AND NOT (region = 'EU')"),
        (f("day") >= datetime.date(2026, 1, 2), "day >= 20455"),
        (f("region").isin(["EU", "US"]), "region IN ('EU', 'US') AND region IS NOT NULL"),
    ]:
        parts = split(table, expression)
        assert str(parts.predicate) == text and parts.rest is None
    parts = split(table, (f("order_id") > 5) & (f("order_id") + 1 > f("order_id")))
    assert str(parts.predicate) == "order_id > 5" and parts.rest is not None and parts.columns == ["order_id"]
    assert split(table, pc.field(0) == 5).predicate is None
    assert split(table, f("nothing") == 5).predicate is None and split(table, f("order_id") == "x").predicate is None


def test_it_is_a_dataset(every):
    dataset, rows = every.to_dataset(), pa.table(every)
    assert isinstance(dataset, pyarrow.dataset.Dataset) and dataset.schema.names == rows.column_names
    assert dataset.count_rows() == len(rows) and dataset.count_rows(filter=pc.field("i8") > 0) == len(rows.filter(pc.field("i8") > 0))
    assert dataset.head(7).num_rows == 7 and dataset.to_table(columns=["s", "id"]).column_names == ["s", "id"]
    assert sum(b.num_rows for b in dataset.to_batches(batch_size=50)) == len(rows)
    doubled = dataset.to_table(columns={"twice": pc.field("i32").cast("int64") * 2}, filter=pc.field("i32") == 5)
    assert doubled["twice"].unique().to_pylist() == [10]
    scanner = dataset.scanner(columns=["id"], filter=pc.field("id") < 10, use_threads=False)
    assert scanner.projected_schema.names == ["id"] and scanner.count_rows() == 10 == scanner.to_table().num_rows
    again = pickle.loads(pickle.dumps(every.to_dataset("id < 5")))
    assert again.count_rows() == 5
    with pytest.raises(NotImplementedError):
        list(dataset.get_fragments())


def test_metrics_tell_what_was_saved(every):
    dataset = every.to_dataset()
    dataset.to_table()
    dataset.to_table(columns=["id"], filter=pc.field("id") >= 200000)
    whole, part = dataset.scan_metrics
    assert whole.files == 3 and part.files == 1 and part.bytes_read < whole.bytes_read / 3 and part.rows_returned == 200
