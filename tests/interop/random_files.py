#!/usr/bin/env python3
"""Random Parquet files by pyarrow, read back by `paimon decode`; random append tables by pypaimon, read back by `paimon read`.

Types, nesting, nulls, page and row-group sizes, encodings and codecs are drawn from a seeded generator, so a failure can be
repeated with --seed. Values are compared in the text forms that docs/cli.md describes.
"""
import argparse
import datetime
import decimal
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import judges


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--venv", required=True)
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=20260101)
    a = parser.parse_args()
    judges.run_inside(a.venv)
    work = tempfile.mkdtemp(prefix="paimon-interop-")
    bad = 0
    for i in range(a.files):
        bad += report(f"file {i}", lambda: one_file(a.tool, work, random.Random(a.seed + i)))
    for i in range(a.tables):
        bad += report(f"table {i}", lambda: one_table(a.tool, work, i, random.Random(a.seed - 1 - i)))
    if bad == 0:
        shutil.rmtree(work)
    else:
        print("kept:", work)
    print(f"{a.files} files by pyarrow and {a.tables} tables by pypaimon, {bad} read wrongly")
    return 1 if bad else 0


def report(label, check):
    why = check()
    if why is not None:
        print("FAIL", label, "|", why)
    return why is not None


# ------------------------------------------------------------------ types, values

SCALARS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "string", "binary",
           "fixed", "date", "time", "timestamp", "decimal"]


def random_type(r, depth):
    import pyarrow as pa
    nested = ["list", "struct", "map"] if depth > 0 else []
    kind = r.choice(SCALARS + nested * 2)
    if kind == "list":
        return pa.list_(random_type(r, depth - 1))
    if kind == "struct":
        return pa.struct([(f"f{i}", random_type(r, depth - 1)) for i in range(r.randint(1, 3))])
    if kind == "map":
        return pa.map_(r.choice([pa.string(), pa.int32()]), random_type(r, depth - 1))
    if kind == "fixed":
        return pa.binary(r.choice([1, 5, 16]))
    if kind == "date":
        return pa.date32()
    if kind == "time":
        return r.choice([pa.time32("ms"), pa.time64("us"), pa.time64("ns")])
    if kind == "timestamp":
        return pa.timestamp(r.choice(["ms", "us", "ns"]), r.choice([None, "UTC"]))
    if kind == "decimal":
        p = r.randint(1, 38)
        return pa.decimal128(p, r.randint(0, p))
    return {"bool": pa.bool_(), "float": pa.float32(), "double": pa.float64()}.get(kind) or getattr(pa, kind)()


def random_value(r, t, nulls):
    import pyarrow as pa
    if r.random() < nulls:
        return None
    if pa.types.is_boolean(t):
        return r.random() < 0.5
    if pa.types.is_integer(t):
        top = 1 << t.bit_width
        low = -(top // 2) if pa.types.is_signed_integer(t) else 0
        return r.choice([low, low + top - 1, r.randrange(low, low + top), min(r.randrange(100), low + top - 1)])
    if pa.types.is_floating(t):
        v = r.choice([0.0, -0.0, math.inf, -math.inf, math.nan, r.gauss(0, 1e6), r.random()])
        return struct.unpack("f", struct.pack("f", v))[0] if t.bit_width == 32 else v
    if pa.types.is_string(t):
        return r.choice(["", "abc", "é中", "\"\\\n", "x" * r.randrange(40), "k%d" % r.randrange(5)])
    if pa.types.is_binary(t):
        return bytes(r.randrange(256) for _ in range(r.randrange(20)))
    if pa.types.is_fixed_size_binary(t):
        return bytes(r.randrange(256) for _ in range(t.byte_width))
    if pa.types.is_date(t):
        return r.randrange(-200000, 200000)
    if pa.types.is_time(t):
        return r.randrange(86400 * {"ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit])
    if pa.types.is_timestamp(t):
        return r.randrange(-2**33, 2**33) * {"ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit] // 7
    if pa.types.is_decimal(t):
        return decimal.Decimal(r.randrange(-(10**t.precision) + 1, 10**t.precision)).scaleb(-t.scale, decimal.Context(prec=60))
    if pa.types.is_struct(t):
        return {t.field(i).name: random_value(r, t.field(i).type, nulls) for i in range(t.num_fields)}
    if pa.types.is_map(t):
        keys = {k for k in (random_value(r, t.key_type, 0) for _ in range(r.randrange(4)))}
        return [(k, random_value(r, t.item_type, nulls)) for k in sorted(keys)]
    return [random_value(r, t.value_type, nulls) for _ in range(r.choice([0, 1, 2, 5]))]


def make_array(values, t):
    import pyarrow as pa
    if pa.types.is_date(t):
        return pa.array(values, pa.int32()).cast(t)
    if pa.types.is_time(t):
        return pa.array(values, pa.int32() if t.bit_width == 32 else pa.int64()).cast(t)
    if pa.types.is_timestamp(t):
        return pa.array(values, pa.int64()).cast(t)
    if pa.types.is_struct(t):
        children = [make_array([None if v is None else v[f.name] for v in values], f.type) for f in t]
        mask = pa.array([v is None for v in values], pa.bool_())
        return pa.StructArray.from_arrays(children, fields=list(t), mask=mask)
    if pa.types.is_list(t) or pa.types.is_map(t):
        offsets, flat = [], []
        for v in values:
            offsets.append(None if v is None else len(flat))
            flat += v or []
        offsets = pa.array(offsets + [len(flat)], pa.int32())
        if pa.types.is_list(t):
            return pa.ListArray.from_arrays(offsets, make_array(flat, t.value_type), type=t)
        return pa.MapArray.from_arrays(offsets, make_array([k for k, _ in flat], t.key_type), make_array([x for _, x in flat], t.item_type), type=t)
    return pa.array(values, t)


# ------------------------------------------------------------------ expected text

def plain(v, t):
    """A value in the form of `paimon decode`, as a Python object that compares with parsed JSON."""
    import pyarrow as pa
    if v is None:
        return None
    if pa.types.is_floating(t):
        if math.isnan(v):
            return "NaN"
        return v if not math.isinf(v) else "Infinity" if v > 0 else "-Infinity"
    if pa.types.is_binary(t) or pa.types.is_fixed_size_binary(t):
        return v.hex()
    if pa.types.is_time(t):
        return v * {"ms": 10**6, "us": 10**3, "ns": 1}[t.unit]
    if pa.types.is_timestamp(t):
        unit = {"ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        return [v // unit, v % unit * (10**9 // unit)]
    if pa.types.is_decimal(t):
        return format(v, "f") if t.scale else str(int(v))
    if pa.types.is_struct(t):
        return [plain(v[f.name], f.type) for f in t]
    if pa.types.is_map(t):
        return [[plain(k, t.key_type), plain(x, t.item_type)] for k, x in v]
    if pa.types.is_list(t):
        return [plain(x, t.value_type) for x in v]
    return v


def same(a, b):
    if isinstance(a, float) and isinstance(b, (float, int)) and not isinstance(b, bool):
        return struct.pack("d", a) == struct.pack("d", float(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, str) and isinstance(b, str) and a != b:
        try:
            return decimal.Decimal(a) == decimal.Decimal(b) and not decimal.Decimal(a).is_nan()
        except decimal.InvalidOperation:
            return False
    return type(a) is type(b) and a == b or a is b


def run(tool, *words):
    p = subprocess.run([tool, *words], capture_output=True, timeout=120)
    if p.returncode:
        return None, f"exit {p.returncode}: {p.stderr.decode(errors='replace').strip()[-300:]}"
    return [json.loads(x) for x in p.stdout.decode("utf-8").splitlines()], None


def compare(want, got, names):
    if len(want) != len(got):
        return f"{len(got)} rows instead of {len(want)}"
    for i, (w, g) in enumerate(zip(want, got)):
        for name, x, y in zip(names, w, g):
            if not same(x, y):
                return f"row {i}, column {name}: {y!r} instead of {x!r}"[:400]
    return None


# ------------------------------------------------------------------ files by pyarrow

def writer_options(r, schema):
    import pyarrow as pa
    options = {"compression": r.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]), "data_page_version": r.choice(["1.0", "2.0"]),
               "data_page_size": r.choice([50, 500, 5000, 1 << 20]), "version": "2.6", "write_page_index": r.random() < 0.5,
               "row_group_size": r.choice([7, 100, 1000, 100000]), "use_dictionary": r.random() < 0.5,
               "write_batch_size": r.choice([3, 64, 1024]), "write_page_checksum": r.random() < 0.3}
    if not options["use_dictionary"] and r.random() < 0.7:
        encodings = {}
        for f in schema:
            t = f.type
            if pa.types.is_string(t) or pa.types.is_binary(t):
                encodings[f.name] = r.choice(["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
            elif t in (pa.int32(), pa.int64()):
                encodings[f.name] = r.choice(["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"])
            elif pa.types.is_floating(t):
                encodings[f.name] = r.choice(["PLAIN", "BYTE_STREAM_SPLIT"])
        options["column_encoding"] = encodings or None
    return options


def one_file(tool, work, r):
    import pyarrow as pa
    import pyarrow.parquet as pq
    rows = r.choice([0, 1, 5, 100, 1000, 3000])
    nulls = r.choice([0, 0.1, 0.5])
    fields = [pa.field(f"c{i}", random_type(r, 3)) for i in range(r.randint(1, 6))]
    columns = [[random_value(r, f.type, nulls) for _ in range(rows)] for f in fields]
    table = pa.Table.from_arrays([make_array(c, f.type) for c, f in zip(columns, fields)], schema=pa.schema(fields))
    path = os.path.join(work, "file.parquet")
    options = writer_options(r, table.schema)
    pq.write_table(table, path, **options)
    got, why = run(tool, "decode", path)
    if why is None:
        want = [[plain(c[i], f.type) for c, f in zip(columns, fields)] for i in range(rows)]
        why = compare(want, got, [f.name for f in fields])
    if why is not None:
        shutil.copy(path, os.path.join(work, f"bad-{os.getpid()}-{random.randrange(10**6)}.parquet"))
        return f"{why} | {options} | {table.schema.to_string(show_schema_metadata=False)}".replace("\n", "; ")
    return None


# ------------------------------------------------------------------ tables by pypaimon

def canonical(v, t):
    """A value in canonical text, parsed."""
    import pyarrow as pa
    if v is None:
        return None
    if pa.types.is_floating(t):
        if math.isnan(v):
            return "7fc00000" if t.bit_width == 32 else "7ff8000000000000"
        return struct.pack(">f" if t.bit_width == 32 else ">d", v).hex()
    if pa.types.is_date(t):
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=v)).isoformat()
    if pa.types.is_timestamp(t):
        unit = {"ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        text = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=v // unit)).strftime("%Y-%m-%dT%H:%M:%S")
        fraction = f"{v % unit * (10**9 // unit):09d}".rstrip("0")
        return text + ("." + fraction if fraction else "") + ("Z" if t.tz else "")
    return plain(v, t)


def table_type(r):
    import pyarrow as pa
    kind = r.choice(["bool", "int8", "int16", "int32", "int64", "float", "double", "string", "binary", "date", "timestamp", "decimal"])
    if kind == "decimal":
        p = r.randint(1, 38)
        return pa.decimal128(p, r.randint(0, p))
    if kind == "date":
        return pa.date32()
    if kind == "timestamp":
        return pa.timestamp(r.choice(["ms", "us"]))
    return {"bool": pa.bool_(), "float": pa.float32(), "double": pa.float64()}.get(kind) or getattr(pa, kind)()


def table_value(r, t, nulls):
    import pyarrow as pa
    if pa.types.is_date(t) and r.random() >= nulls:
        return r.randrange(-20000, 40000)
    return random_value(r, t, nulls)


def one_table(tool, work, number, r):
    import pyarrow as pa
    from pypaimon import CatalogFactory, Schema
    catalog = CatalogFactory.create({"warehouse": os.path.join(work, "wh")})
    catalog.create_database("db", True)
    partitioned = r.random() < 0.5
    fields = [pa.field("p", pa.int32()), pa.field("k", pa.int64())] + [pa.field(f"c{i}", table_type(r)) for i in range(r.randint(1, 6))]
    schema = pa.schema(fields)
    options = {"file.format": "parquet", "file.compression": r.choice(["zstd", "snappy", "none"])}
    catalog.create_table(f"db.t{number}", Schema.from_pyarrow_schema(schema, partition_keys=["p"] if partitioned else [], options=options), False)
    table = catalog.get_table(f"db.t{number}")
    rows = []
    for _ in range(r.randint(1, 4)):
        n = r.choice([1, 20, 300])
        part = [[r.randrange(3), r.randrange(1000)] + [table_value(r, f.type, 0.1) for f in fields[2:]] for _ in range(n)]
        builder = table.new_batch_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        writer.write_arrow(pa.Table.from_arrays([make_array([x[i] for x in part], f.type) for i, f in enumerate(fields)], schema=schema))
        commit.commit(writer.prepare_commit())
        writer.close()
        commit.close()
        rows += part
    key = r.randrange(1000)
    for where, keep in ((None, lambda x: True), (f"k >= {key}", lambda x: x[1] >= key), ("p = 1", lambda x: x[0] == 1),
                        (f"p IN (0, 2) AND NOT k < {key}", lambda x: x[0] != 1 and x[1] >= key)):
        got, why = run(tool, "read", f"{work}/wh/db.db/t{number}", "--format", "canonical", *(["--where", where] if where else []))
        if why is None:
            want = sorted(json.dumps(["+I"] + [canonical(v, f.type) for v, f in zip(x, fields)]) for x in rows if keep(x))
            have = sorted(json.dumps(x) for x in got)
            if want != have:
                only = [x for x in have if x not in want][:1] + [x for x in want if x not in have][:1]
                why = f"{len(have)} rows instead of {len(want)}, or other values: {only}"
        if why is not None:
            return f"where {where}: {why} | {schema}".replace("\n", "; ")[:800]
    return None


if __name__ == "__main__":
    sys.exit(main())
