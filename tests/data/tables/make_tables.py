#!/usr/bin/env python3
"""Make the tables of this folder again, with Paimon Java.

    make_tables.py ORACLE [--only NAME,...]

ORACLE is a program that reads one JSON array of words per line and does what it says with Paimon Java: "create", "write",
"alter", "tag", as in the steps below. The tables in the repository come from Paimon 1.3.1; making them again gives other file
names and times, and the same rows. README.md says what each is for.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

NAN = "7ff8000000000000"


def f64(x):
    import struct
    return struct.pack(">d", x).hex()


def schema(fields, partition=(), options=None):
    o = {"bucket": "-1", "file.format": "parquet"}
    o.update(options or {})
    return {"fields": [{"name": n, "type": t} for n, t in fields], "partitionKeys": list(partition), "primaryKeys": [],
            "options": o, "comment": None}


def nested(kind, **more):
    return dict({"type": kind}, **more)


ROWS, ALTER, TAG = "rows", "alter", "tag"

TABLES = {
    # A column dropped and added again is another column (same name, new id).
    "readd-column": (schema([("id", "INT"), ("c", "INT")]), [
        (ROWS, [[1, 7]]), (ALTER, [{"op": "drop", "name": "c"}]), (ALTER, [{"op": "add", "name": "c", "type": "INT"}])]),
    "swap-names": (schema([("id", "INT"), ("a", "STRING"), ("b", "STRING")]), [
        (ROWS, [[1, "a1", "b1"], [2, "a2", None]]),
        (ALTER, [{"op": "rename", "name": "a", "to": "t"}]), (ALTER, [{"op": "rename", "name": "b", "to": "a"}]),
        (ALTER, [{"op": "rename", "name": "t", "to": "b"}]),
        (ROWS, [[3, "new a", "new b"]])]),
    # The read of a snapshot shows its own columns.
    "travel-schema": (schema([("id", "INT"), ("c", "INT")]), [
        (ROWS, [[1, 7]]), (TAG, "before"), (ALTER, [{"op": "drop", "name": "c"}]), (ROWS, [[2]])]),
    "date-partition": (schema([("day", "DATE"), ("v", "INT")], ["day"]), [(ROWS, [["1970-01-02", 1], [None, 2]])]),
    "date-partition-nil": (schema([("day", "DATE"), ("v", "INT")], ["day"], {"partition.default-name": "nil"}), [
        (ROWS, [["1970-01-02", 1], [None, 2]])]),
    "date-partition-new": (schema([("day", "DATE"), ("v", "INT")], ["day"], {"partition.legacy-name": "false"}), [
        (ROWS, [["1970-01-02", 1], [None, 2]])]),
    "timestamp-partition": (schema([("t", "TIMESTAMP(3)"), ("v", "INT")], ["t"]), [
        (ROWS, [["2026-01-01T12:00:00.123", 1], ["2026-01-01T12:00:00", 2]])]),
    # Null, empty and holding nulls are different things.
    "nested-nulls": (schema([
        ("id", "INT"),
        ("s", nested("ROW", fields=[{"id": 2, "name": "x", "type": "INT"}, {"id": 3, "name": "y", "type": "STRING"}])),
        ("r", nested("ROW", fields=[{"id": 5, "name": "list", "type": nested("ARRAY", element="INT")}, {"id": 6, "name": "n", "type": "INT"}])),
        ("a", nested("ARRAY", element="INT")),
        ("m", nested("MAP", key="STRING NOT NULL", value="INT"))]), [
        (ROWS, [[1, [None, None], [[], 1], [], []], [2, None, [None, None], [None], None], [3, [1, None], None, [1], [["k", None]]],
                [4, [2, "y"], [[None, 5], 4], None, [["p", 1], ["q", 2]]]])]),
    "stats-absent": (schema([("id", "INT"), ("x", "INT"), ("s", "STRING")], (), {"metadata.stats-mode": "none"}), [
        (ROWS, [[i, None, None] for i in range(1000)])]),
    "stats-counts": (schema([("id", "INT"), ("x", "INT"), ("s", "STRING")], (), {"metadata.stats-mode": "counts"}), [
        (ROWS, [[i, None, None] for i in range(1000)])]),
    "null-indexes": (schema([("id", "INT"), ("x", "INT"), ("y", "INT"), ("z", "INT")], (), {
        "file-index.bitmap.columns": "x", "file-index.bsi.columns": "y", "file-index.bloom-filter.columns": "z",
        "file-index.bloom-filter.z.items": "1000"}), [(ROWS, [[i, None, None, None] for i in range(1000)])]),
    "nan": (schema([("id", "INT"), ("x", "DOUBLE"), ("f", "FLOAT")]), [
        (ROWS, [[1, f64(3.0), "40400000"], [2, NAN, "7fc00000"], [3, f64(3.0), "40400000"]]),
        (ROWS, [[4, f64(-0.0), "80000000"], [5, f64(0.0), "00000000"]])]),
    "nan-row-groups": (schema([("id", "INT"), ("x", "DOUBLE")], (), {"file.block-size": "16 kb"}), [
        (ROWS, [[i, f64(i / 7.0) if i != 5 else NAN] for i in range(6000)])]),
    # A text cut for its bounds where the next code point would be half a surrogate pair.
    "surrogate-step": (schema([("id", "INT"), ("s", "STRING")]), [
        (ROWS, [[1, "a" * 15 + "\ud7ff" + " and more"], [2, "a" * 16]]), (ROWS, [[3, "b"]])]),
    # A little of everything that may happen to columns without changing a type.
    "columns": (schema([("id", "INT"), ("a", "STRING"), ("b", "BIGINT"), ("c", "DOUBLE"), ("p", "STRING")], ["p"]), [
        (ROWS, [[1, "one", 10, f64(1.5), "x"], [2, "two", 20, f64(2.5), "y"]]),
        (ALTER, [{"op": "add", "name": "d", "type": "DATE"}]),
        (ROWS, [[3, "three", 30, f64(3.5), "x", "2024-02-29"]]),
        (ALTER, [{"op": "rename", "name": "a", "to": "alpha"}, {"op": "move", "name": "c", "move": "first"}]),
        (ROWS, [[f64(4.5), 4, "four", 40, "y", "2024-03-01"]]),
        (ALTER, [{"op": "drop", "name": "b"}, {"op": "add", "name": "b", "type": "STRING", "move": "after", "ref": "id"}]),
        (ROWS, [[f64(5.5), 5, "text b", "five", "x", None]])]),
    "type-change": (schema([("id", "INT"), ("n", "INT"), ("s", "VARCHAR(10)")]), [
        (ROWS, [[1, 9, "short"]]), (ALTER, [{"op": "type", "name": "n", "type": "BIGINT"}]), (ALTER, [{"op": "type", "name": "s", "type": "STRING"}]),
        (ROWS, [[2, 10000000000, "a text of more than ten"]])]),
    "nested-change": (schema([("id", "INT"), ("s", nested("ROW", fields=[{"id": 2, "name": "x", "type": "INT"}, {"id": 3, "name": "y", "type": "INT"}]))]), [
        (ROWS, [[1, [10, 20]]]), (ALTER, [{"op": "add", "name": "s.z", "type": "INT"}]), (ROWS, [[2, [11, 21, 31]]])]),
    "many-files": (schema([("id", "INT"), ("p", "INT"), ("v", "STRING")], ["p"]), [
        (ROWS, [[k * 40 + i, i % 3, "row %d" % (k * 40 + i) if i % 5 else None] for i in range(40)]) for k in range(8)]),
    "bucketed": (schema([("k", "INT"), ("k2", "STRING"), ("v", "INT")], (), {"bucket": "5", "bucket-key": "k,k2"}), [
        (ROWS, [[i, "s%d" % (i % 7), i * 10] for i in range(60)])]),
    "row-tracking": (schema([("id", "INT"), ("v", "STRING")], (), {"row-tracking.enabled": "true"}), [
        (ROWS, [[1, "a"], [2, "b"]]), (ROWS, [[3, "c"]])]),
}


class Oracle:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, *words):
        self.process.stdin.write(json.dumps(list(words)) + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the oracle ended")
            if line.startswith('{"rc":'):
                if json.loads(line)["rc"] != 0:
                    raise SystemExit(f"{words}: {line} {lines}")
                return lines
            lines.append(line.rstrip("\n"))


def make(oracle, name, target, work):
    table_schema, steps = TABLES[name]
    warehouse = os.path.join(work, name)

    def put(value, lines=False):
        path = os.path.join(work, "step.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(json.dumps(v) for v in value) + "\n" if lines else json.dumps(value))
        return path

    oracle.call("create", warehouse, "db.t", put(table_schema))
    table = os.path.join(warehouse, "db.db", "t")
    for kind, value in steps:
        if kind == ROWS:
            oracle.call("write", table, put([["+I"] + row for row in value], True))
        elif kind == ALTER:
            oracle.call("alter", table, put(value))
        else:
            oracle.call("tag", table, value)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(table, target, ignore=shutil.ignore_patterns(".*"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("oracle")
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    oracle = Oracle(a.oracle)
    with tempfile.TemporaryDirectory() as work:
        for name in TABLES:
            if not a.only or name in a.only.split(","):
                make(oracle, name, os.path.join(here, name), work)
                print("made", name)


if __name__ == "__main__":
    main()
