"""A table with a column of each type that filters compare, nulls and edges among its values, in several files."""
import datetime
import decimal
import math
import random

import paimon_c
import pyarrow as pa

FIELDS = [("i8", "TINYINT"), ("i32", "INT"), ("i64", "BIGINT"), ("f32", "FLOAT"), ("f64", "DOUBLE"), ("dec", "DECIMAL(12, 3)"), ("s", "STRING"),
          ("c", "CHAR(4)"), ("b", "BOOLEAN"), ("bin", "BYTES"), ("d", "DATE"), ("ts", "TIMESTAMP(3)"), ("us", "TIMESTAMP(6)"),
          ("tz", "TIMESTAMP(6) WITH LOCAL TIME ZONE"), ("r", "ROW<x BIGINT, y STRING>"), ("l", "ARRAY<INT>")]
TEXTS = ["", "a", "ab", "abc", "b", "B", "ä", "a%b", "a_b", "zz", "a\\b"]
MOMENTS = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), datetime.datetime(1970, 1, 1), datetime.datetime(2024, 2, 29, 12, 30, 15, 123000),
           datetime.datetime(2024, 3, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)]
VALUES = {
    "i8": [-128, -1, 0, 1, 5, 127],
    "i32": [-2147483648, -7, 0, 3, 5, 2147483647],
    "i64": [-(1 << 63), -3, 0, 4, 5, (1 << 53) + 1, (1 << 63) - 1],
    "f32": [-math.inf, -1.5, -0.0, 0.0, 0.5, 5.0, math.inf, math.nan],
    "f64": [-math.inf, -1.5, -0.0, 0.0, 0.1, 5.0, 1e300, math.inf, math.nan],
    "dec": [decimal.Decimal(t) for t in ("-999999999.999", "-0.001", "0.000", "1.500", "5.000", "999999999.999")],
    "s": TEXTS,
    "c": ["a", "ab", "abcd", "b"],
    "b": [True, False],
    "bin": [b"", b"\x00", b"a", b"ab", b"\xff"],
    "d": [m.date() for m in MOMENTS],
    "ts": MOMENTS,
    "us": MOMENTS + [datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)],
    "tz": [m.replace(tzinfo=datetime.timezone.utc) for m in MOMENTS],
    "r": [{"x": 1, "y": "a"}, {"x": 5, "y": None}, {"x": None, "y": "b"}],
    "l": [[], [1, None], [5]],
}


def rows(n, seed):
    draw = random.Random(seed)
    return [{"id": seed * 100000 + k, **{name: None if draw.random() < 0.15 else draw.choice(values) for name, values in VALUES.items()}} for k in range(n)]


def make(path, files=3, rows_each=200):
    """The table; the environment is the default one, so that it pickles."""
    table = paimon_c.create_table(path, paimon_c.Schema([("id", "BIGINT NOT NULL")] + FIELDS))
    schema = pa.schema(table.schema())
    for k in range(files):
        table.write(pa.Table.from_pylist(rows(rows_each, k), schema=schema))
    return table
