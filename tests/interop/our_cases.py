#!/usr/bin/env python3
"""Mistakes that writers of Paimon tables have made in public, each as a small table that `paimon write` makes: Paimon Java, and we, must read
the rows that are right, in folders that Java calls the same and from buckets where Java looks for them.

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

    def check(self, name, got, want):
        self.checks += 1
        if got != want:
            self.bad += 1
            print("FAIL", name, "|", str(got)[:400], "instead of", str(want)[:400])

    def run(self, *words, text="", env=None):
        p = subprocess.run([self.tool, *words], input=text, capture_output=True, text=True, encoding="utf-8", timeout=60, env={**os.environ, **(env or {})})
        if p.returncode:
            self.check(" ".join(words[:2]), p.stderr, "exit 0")
        return p.stdout

    def definition(self, fields, partition, options):
        path = os.path.join(self.work, "schema.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"fields": [{"name": a, "type": b} for a, b in fields], "partitionKeys": list(partition), "primaryKeys": [],
                       "options": {"file.format": "parquet", **options}, "comment": None}, f)
        return path

    def table(self, fields, partition=(), **options):
        """A new table of ours; `__` in an option's name stands for a dot, `_` for a dash."""
        self.tables += 1
        options = {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}
        path = os.path.join(self.work, "wh", "db.db", f"t{self.tables}")
        self.run("create", path, "--schema", self.definition(fields, partition, options))
        return path

    def lines(self, rows):
        return "".join(json.dumps(["+I", *row], ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)

    def write(self, table, *rows, more=()):
        return self.run("write", table, "--input-format", "canonical", *more, text=self.lines(rows))

    def as_java(self, fields, partition, rows, **options):
        """The same rows in a table that Java makes and writes."""
        self.tables += 1
        options = {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}
        made = self.oracle.ask("create", os.path.join(self.work, "java"), f"db.t{self.tables}", self.definition(fields, partition, options))
        path = os.path.join(self.work, "rows.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.lines(rows))
        table = made[-1].strip().replace("file:", "")
        self.oracle.ask("write", table, path)
        return table

    def rows(self, name, table, want, where=None, java=None):
        """Both read these rows (`want`: rows, or how many), with a filter in either's words."""
        more = ["--filter", json.dumps(java)] if java else []
        both = {"ours": self.run("read", table, "--format", "canonical", *(["--where", where] if where else [])).splitlines()}
        if java or not where:
            both["Java's"] = self.oracle.ask("read", table, *more)
        for who, got in both.items():
            if isinstance(want, int):
                self.check(f"{name} {where or ''}: {who}", len(got), want)
            else:
                self.check(f"{name} {where or ''}: {who}", sorted(got), sorted(self.lines(want).splitlines()))


def op(name, field, value=None):
    return {"op": name, "field": field, "value": value} if value is not None else {"op": name, "field": field}


def folders(table):
    return sorted(os.path.relpath(folder, table) for folder, _, files in os.walk(table) if any(f.endswith(".parquet") for f in files))


def partitions_are_folders_that_java_finds(c):
    stamps = ["2026-01-01T12:00:00.123", "2026-01-01T12:00:00", None]
    kinds = [("DATE", ["1970-01-02", "1969-12-31", "0001-01-01", None]), ("STRING", ["a/b=c", "", " ", "\u3000", "%41", "ü{}[]^", ".", "..", None])]
    kinds += [(f"TIMESTAMP({p}){zone}", [s and s + ("Z" if zone else "") for s in stamps]) for p in (3, 6, 9) for zone in ("", " WITH LOCAL TIME ZONE")]
    kinds += [("TIMESTAMP(0)", ["2026-01-01T12:00:00", None]), ("BOOLEAN", [True, False, None]), ("DECIMAL(10, 2)", ["1.50", "-0.01", None]),
              ("BIGINT", [-9223372036854775808, 0, None]), ("DOUBLE", ["3ff8000000000000", "7ff8000000000000", "8000000000000000", None])]
    for kind, values in kinds:
        for options in ({}, {"partition__default_name": "nil"}, {"partition__legacy_name": "false"}):
            fields, rows = [("p", kind), ("v", "INT")], [(x, i) for i, x in enumerate(values)]
            t = c.table(fields, ["p"], **options)
            c.write(t, *rows)
            c.rows(kind, t, rows)
            c.rows(kind, t, [rows[-1]], "p IS NULL", op("isNull", "p"))
            c.check(f"folders of {kind} {options}", folders(t), folders(c.as_java(fields, ["p"], rows, **options)))
    t = c.table([("day", "DATE"), ("v", "INT")], ["day"])
    c.write(t, ("1970-01-02", 1), (None, 2))
    c.check("a day", folders(t), ["day=1/bucket-0", "day=__DEFAULT_PARTITION__/bucket-0"])
    c.rows("a day", t, [("1970-01-02", 1)], "day = '1970-01-02'", op("=", "day", "1970-01-02"))
    # Java appends to what we made, we drop the null partition that both have filled.
    path = os.path.join(c.work, "rows.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(c.lines([(None, 3), ("1970-01-02", 4)]))
    c.oracle.ask("write", t, path)
    c.run("drop", t, "--partition", "day=__DEFAULT_PARTITION__")
    c.rows("a day", t, [("1970-01-02", 1), ("1970-01-02", 4)])


def rows_lie_in_javas_buckets(c):
    keys = [("DECIMAL(38, 18)", ["1.500000000000000000", "-7.000000000000000000", None]), ("DECIMAL(10, 2)", ["1.50", None]), ("STRING", ["", "a", "abcdefgh", "中文字符测试"]),
            ("INT", [-1, None]), ("BIGINT", [-9223372036854775808]), ("DOUBLE", ["8000000000000000", "0000000000000000", "7ff8000000000000"]),
            ("BOOLEAN", [True]), ("DATE", ["1969-12-31"]), ("BYTES", ["", "00ff"]), ("TIMESTAMP(9)", ["1969-12-31T23:59:59.999999999"]), ("TIMESTAMP(3)", ["2024-01-01T00:00:00.5"])]
    for kind, values in keys:
        for value in values:
            fields, options = [("k", kind), ("v", "INT")], {"bucket": "16", "bucket_key": "k"}
            t = c.table(fields, **options)
            c.write(t, (value, 1))
            c.check(f"the bucket of {kind} {value}", folders(t), folders(c.as_java(fields, [], [(value, 1)], **options)))
            if value is not None:
                c.rows(kind, t, [(value, 1)], None, op("=", "k", value))


def manifests_are_records_that_java_reads(c):
    t = c.table([("id", "INT")])
    c.write(t, (1,))
    dumped = "\n".join(c.oracle.ask("dump-manifests", t))
    c.check("the manifest's file", ("_FILE" in dumped or "data-" in dumped), True)
    name = next(n for n in os.listdir(t + "/manifest") if not n.startswith("manifest-list"))
    with open(os.path.join(t, "manifest", name), "rb") as f:
        head = f.read()
    c.check("_FILE", b'"name":"_FILE","type":{"type":"record"' in head, True)


def identifiers_count_once_for_their_user(c):
    t = c.table([("id", "INT")])
    for user in ("u", "w"):
        for i in (1, 2, 3, 1, 3, 4, 4):
            c.write(t, (10 * i + (user == "w"),), more=["--commit-user", user, "--commit-identifier", str(i)])
    c.rows("identifiers", t, [(10 * i + k,) for i in (1, 2, 3, 4) for k in (0, 1)])
    c.oracle.ask("expire", t, "--retain", "1")
    c.check("an expired history", c.write(t, (99,), more=["--commit-user", "w", "--commit-identifier", "4"]), "already committed: nothing was done\n")
    c.write(t, (5,), more=["--commit-user", "v", "--commit-identifier", "1"])
    c.rows("identifiers", t, 9)


def hints_are_hints(c):
    t = c.table([("id", "INT")])
    want = []
    for n, text in enumerate((None, "junk", "999", "1", "0", "-5", "", "2\n")):
        for hint in ("LATEST", "EARLIEST"):
            path = os.path.join(t, "snapshot", hint)
            if os.path.exists(path):
                os.remove(path)
            if text is not None and os.path.isdir(t + "/snapshot"):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            want.append((n,))
            c.write(t, (n,))
            p = subprocess.run([c.tool, "read", t, "--format", "canonical"], capture_output=True, text=True)
            c.check(f"{hint} {text!r}", sorted(p.stdout.splitlines()), sorted(c.lines(want).splitlines()))
    c.rows("hints", t, want)


def null_and_empty_stay_what_they_are(c):
    fields = [("s", "ROW<a INT, b INT>"), ("a", "ARRAY<INT>"), ("m", "MAP<INT NOT NULL, INT>"), ("r", "ROW<x ARRAY<INT>, y ARRAY<INT>>")]
    rows = [([None, None], [], [], [[], []]), (None, None, None, None), ([1, None], [None], [[1, None]], [[], None]), ([1, 2], [1], [[1, 2]], [None, [1]])]
    t = c.table(fields)
    c.write(t, *rows)
    c.rows("nested", t, rows)


def missing_statistics_prune_nothing(c):
    for mode in ("none", "counts", "truncate(16)", "full"):
        for dense in ("true", "false"):
            t = c.table([("id", "INT"), ("x", "INT")], metadata__stats_mode=mode, metadata__stats_dense_store=dense)
            c.write(t, *[(i, None) for i in range(1000)])
            c.rows(mode, t, 1000, "x IS NULL", op("isNull", "x"))
            c.rows(mode, t, 0, "x IS NOT NULL", op("isNotNull", "x"))


def nan_and_zeros_are_found(c):
    for kind, nan, three in (("DOUBLE", "7ff8000000000000", "4008000000000000"), ("FLOAT", "7fc00000", "40400000")):
        t = c.table([("x", kind)])
        c.write(t, (three,), (nan,), (three,))
        c.rows(kind, t, [(nan,)], "x <> 3.0", op("<>", "x", three))
        c.rows(kind, t, [(nan,)], "x > 3", op(">", "x", three))
        c.rows(kind, t, 2, "x = 3", op("=", "x", three))
        zero = "0" * len(nan)
        t = c.table([("x", kind)])
        c.write(t, ("8" + zero[1:],))
        c.write(t, (zero,))
        c.rows(kind, t, 2, "x <= 0 AND x >= 0")
        c.rows(kind, t, 2)
        # Row groups with and without NaN in one file.
        t = c.table([("x", kind)], file__block_size="2 kb", parquet__page__size="1 kb", parquet__enable__dictionary="false")
        c.write(t, *([(three,)] * 3000 + [(nan,)] + [(three,)] * 3000))
        c.rows(kind, t, [(nan,)], "x > 3", op(">", "x", three))
        c.rows(kind, t, 6000, "x = 3", op("=", "x", three))


def texts_that_are_cut_are_found(c):
    for tail in ("\ud7ff", "\U0010ffff", "\uffff", "é"):
        text = "a" * 15 + tail + "more"
        t = c.table([("s", "STRING"), ("n", "INT")], metadata__stats_mode="truncate(16)")
        c.write(t, (text, 1), ("b", 2))
        c.rows("a text that is cut", t, [(text, 1)], f"s = '{text}'", op("=", "s", text))
        c.rows("a text that is cut", t, [(text, 1)], "s LIKE 'aaa%'", op("startsWith", "s", "aaa"))
    text = "\U0010ffff" * 20  # no greater text exists: the bound is unknown
    t = c.table([("s", "STRING"), ("n", "INT")], metadata__stats_mode="truncate(16)")
    c.write(t, (text, 1))
    c.rows("the greatest text", t, 1, f"s = '{text}'", op("=", "s", text))
    c.rows("the greatest text", t, 1, "s > 'z'", op(">", "s", "z"))


CASES = [partitions_are_folders_that_java_finds, rows_lie_in_javas_buckets, manifests_are_records_that_java_reads, identifiers_count_once_for_their_user,
         hints_are_hints, null_and_empty_stay_what_they_are, missing_statistics_prune_nothing, nan_and_zeros_are_found, texts_that_are_cut_are_found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--build", required=True)
    a = parser.parse_args()
    oracle = start_oracle(a.build)
    work = tempfile.mkdtemp(prefix="paimon-our-cases-")
    cases = Cases(os.path.abspath(a.tool), oracle, work)
    for case in CASES:
        try:
            case(cases)
        except RuntimeError as e:
            cases.check(case.__name__, str(e), "an answer")
    oracle.process.stdin.close()
    oracle.process.wait()
    if not cases.bad:
        shutil.rmtree(work)
    print(f"{cases.tables} tables, {cases.checks} checks, {cases.bad} failed")
    return 1 if cases.bad else 0


if __name__ == "__main__":
    sys.exit(main())
