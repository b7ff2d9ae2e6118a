#!/usr/bin/env python3
"""Mistakes that readers of Paimon tables have made in public, each as a small table that Paimon Java writes and the rows that are right.

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from java_tables import start_oracle


class Cases:
    def __init__(self, tool, oracle, work):
        self.tool, self.oracle, self.work = tool, oracle, work
        self.tables = self.checks = self.bad = 0

    def table(self, fields, partition=(), **options):
        """A new table; `__` in an option's name stands for a dot, `_` for a dash."""
        self.tables += 1
        path = os.path.join(self.work, "schema.json")
        options = {"file.format": "parquet", **{k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"fields": [{"name": a, "type": b} for a, b in fields], "partitionKeys": list(partition), "primaryKeys": [],
                       "options": options, "comment": None}, f)
        return self.oracle.ask("create", os.path.join(self.work, "wh"), f"db.t{self.tables}", path)[-1].strip().replace("file:", "")

    def write(self, table, *rows):
        path = os.path.join(self.work, "rows.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(["+I", *row], ensure_ascii=False) + "\n" for row in rows)
        self.oracle.ask("write", table, path)

    def alter(self, table, *changes):
        path = os.path.join(self.work, "changes.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(changes, f)
        self.oracle.ask("alter", table, path)

    def run(self, table, where=None, *more):
        words = [self.tool, "read", table, "--format", "canonical", *(["--where", where] if where else []), *more]
        return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=60)

    def check(self, name, got, want):
        self.checks += 1
        if got != want:
            self.bad += 1
            print("FAIL", name, "|", str(got)[:300], "instead of", str(want)[:300])

    def rows(self, name, table, want, where=None, *more):
        """`want`: the rows in any order, or how many there are."""
        p = self.run(table, where, *more)
        got = sorted(p.stdout.splitlines()) if p.returncode == 0 else [p.stderr]
        if isinstance(want, int):
            self.check(f"{name} {where or ''}", len(got) if p.returncode == 0 else p.stderr, want)
        else:
            self.check(f"{name} {where or ''}", got, sorted(json.dumps(["+I", *x], separators=(",", ":"), ensure_ascii=False) for x in want))


def columns_go_by_id(c):
    t = c.table([("id", "INT"), ("c", "INT")])
    c.write(t, (1, 7))
    c.alter(t, {"op": "drop", "name": "c"})
    c.alter(t, {"op": "add", "name": "c", "type": "INT"})
    c.rows("dropped and added", t, [(1, None)])
    c.rows("dropped and added", t, [], "c = 7")
    c.rows("dropped and added", t, [(1, None)], "c IS NULL")
    t = c.table([("a", "INT"), ("b", "INT")])
    c.write(t, (1, 2))
    for old, new in (("a", "x"), ("b", "a"), ("x", "b")):
        c.alter(t, {"op": "rename", "name": old, "to": new})
    c.rows("swapped names", t, [(2, 1)], None, "--columns", "a,b")
    c.rows("swapped names", t, 1, "a = 2")


def time_travel_has_the_schema_of_its_time(c):
    t = c.table([("id", "INT"), ("c", "INT")])
    c.write(t, (1, 7))
    c.oracle.ask("tag", t, "first", "1")
    c.alter(t, {"op": "drop", "name": "c"})
    c.write(t, (2,))
    c.rows("now", t, [(1,), (2,)])
    for option in ("scan.snapshot-id=1", "scan.tag-name=first", "scan.version=first"):
        c.rows(option, t, [(1, 7)], None, "-o", option)
        c.rows(option, t, [(1, 7)], "c = 7", "-o", option)


def dates_and_nulls_as_partitions(c):
    null = "day=__DEFAULT_PARTITION__"
    for options, folders in (({}, ["day=1", null]), ({"partition__default_name": "nil"}, ["day=1", "day=nil"]),
                             ({"partition__legacy_name": "false"}, ["day=1970-01-02", null])):
        t = c.table([("day", "DATE"), ("v", "INT")], ["day"], **options)
        c.write(t, ("1970-01-02", 1), (None, 2))
        c.check("folders", sorted(x for x in os.listdir(t) if "=" in x), folders)
        c.rows("date", t, [("1970-01-02", 1), (None, 2)])
        c.rows("date", t, [(None, 2)], "day IS NULL")
        c.rows("date", t, [("1970-01-02", 1)], "day = '1970-01-02'")
        c.rows("date", t, [], "NOT day = '1970-01-02'")


def timestamps_as_partitions(c):
    for options in ({}, {"partition__legacy_name": "false"}):
        for kind in ("TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP(3) WITH LOCAL TIME ZONE"):
            zone = "Z" if "ZONE" in kind else ""
            first = "2026-01-01T12:00:00" + ("" if "(0)" in kind else ".123") + zone
            second = "2026-01-01T12:00:00" + zone
            t = c.table([("t", kind), ("v", "INT")], ["t"], **options)
            c.write(t, (first, 1))
            c.write(t, (second, 2))
            c.rows(kind, t, [(first, 1), (second, 2)])
            c.rows(kind, t, [(first, 1)] if first != second else [(first, 1), (second, 2)], f"t = '{first.rstrip('Z').replace('T', ' ')}'")
    t = c.table([("t", "TIMESTAMP(3)"), ("v", "INT")], ["t"])
    c.write(t, ("2026-01-01T12:00:00.123", 1), ("2026-01-01T12:00:00", 2))
    c.check("folders", sorted(x for x in os.listdir(t) if "=" in x), ["t=2026-01-01T12%3A00", "t=2026-01-01T12%3A00%3A00.123"])


def hints_are_hints(c):
    t = c.table([("id", "INT")])
    for i in range(3):
        c.write(t, (i,))
    for hint in ("LATEST", "EARLIEST"):
        path = os.path.join(t, "snapshot", hint)
        for text in (None, "junk", "999", "1", "0", "-5", ""):
            if text is None:
                os.remove(path)
            else:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            c.rows(f"{hint} {text}", t, [(0,), (1,), (2,)])
    os.remove(os.path.join(t, "snapshot", "snapshot-1"))
    c.rows("expired", t, 3)
    p = c.run(t, None, "-o", "scan.snapshot-id=1")
    c.check("expired", (p.returncode, "expired" in p.stderr), (1, True))


def null_and_empty_inside_nested_types(c):
    array = {"type": "ARRAY", "element": "INT"}
    t = c.table([("s", {"type": "ROW", "fields": [{"id": 5, "name": "a", "type": "INT"}, {"id": 6, "name": "b", "type": "INT"}]}), ("a", array),
                 ("m", {"type": "MAP", "key": "INT NOT NULL", "value": "INT"}),
                 ("r", {"type": "ROW", "fields": [{"id": 7, "name": "x", "type": array}, {"id": 8, "name": "y", "type": array}]})])
    rows = [([None, None], [], [], [[], []]), (None, None, None, None), ([1, None], [None], [[1, None]], [[], None]),
            ([1, 2], [1], [[1, 2]], [None, [1]])]
    c.write(t, *rows)
    c.rows("nested", t, rows)
    for where, n in (("s IS NULL", 1), ("s.a IS NULL", 2), ("s IS NOT NULL AND s.a IS NULL", 1), ("NOT s.b = 2", 0)):
        c.rows("nested", t, n, where)


def statistics_that_are_missing_prune_nothing(c):
    for mode in ("none", "counts", "truncate(16)", "full"):
        t = c.table([("id", "INT"), ("x", "INT")], metadata__stats_mode=mode)
        c.write(t, *[(i, None) for i in range(1000)])
        c.rows(mode, t, 1000, "x IS NULL")
        c.rows(mode, t, 0, "x IS NOT NULL")


def nan_and_zeros(c):
    for kind, nan, three in (("DOUBLE", "7ff8000000000000", "4008000000000000"), ("FLOAT", "7fc00000", "40400000")):
        t = c.table([("x", kind)])
        c.write(t, (three,), (nan,), (three,))
        c.rows(kind, t, [(nan,)], "x <> 3.0")
        for where, n in (("x > 3", 1), ("x >= 3", 3), ("NOT x = 3", 1), ("x NOT IN (3)", 1), ("x < 3", 0)):
            c.rows(kind, t, n, where)
        zero = "0" * len(nan)
        t = c.table([("x", kind)])
        c.write(t, ("8" + zero[1:],))
        c.write(t, (zero,))
        for where, n in (("x = 0", 2), ("x = -0.0", 2), ("x >= 0", 2), ("x <= 0", 2), ("x < 0", 0), ("x > 0", 0), ("x <> 0", 0)):
            c.rows(kind, t, n, where)
        # NaN in one of many row groups and pages: the bounds of the file know nothing of it.
        t = c.table([("x", kind)], parquet__block__size="100", parquet__page__size="64")
        c.write(t, *([(three,)] * 3000 + [(nan,)] + [(three,)] * 3000))
        c.rows(kind, t, [(nan,)], "x > 3")


def bounds_of_text_that_were_cut(c):
    text = "a" * 15 + "\ud7ff" + "more"
    t = c.table([("s", "STRING")], metadata__stats_mode="truncate(16)")
    c.write(t, (text,))
    c.rows("cut before the surrogates", t, [(text,)], f"s = '{text}'")


CASES = [columns_go_by_id, time_travel_has_the_schema_of_its_time, dates_and_nulls_as_partitions, timestamps_as_partitions, hints_are_hints,
         null_and_empty_inside_nested_types, statistics_that_are_missing_prune_nothing, nan_and_zeros, bounds_of_text_that_were_cut]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--build", required=True)
    a = parser.parse_args()
    oracle = start_oracle(a.build)
    work = tempfile.mkdtemp(prefix="paimon-cases-")
    cases = Cases(a.tool, oracle, work)
    for case in CASES:
        case(cases)
    oracle.process.stdin.close()
    oracle.process.wait()
    if not cases.bad:
        shutil.rmtree(work)
    print(f"{cases.tables} tables by Paimon Java, {cases.checks} checks, {cases.bad} failed")
    return 1 if cases.bad else 0


if __name__ == "__main__":
    sys.exit(main())
