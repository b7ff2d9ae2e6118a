#!/usr/bin/env python3
"""Messages of tables of every kind, by Paimon Java, committed by us: what we make of them is held against what Java makes of the same messages in
a copy of the table, entry by entry; then Java reads the table, and goes on writing to it and compacting it.

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from java_messages import VERSION, Exchange
from java_tables import start_oracle

NAMES = ("_FILE_NAME", "_FILE_SIZE", "_VERSION")  # of manifests: each committer has its own


def less(entries, fields):
    """Without these fields of files."""
    entries = [json.loads(t) for t in entries or []]
    for entry in entries:
        for field in fields:
            entry["_FILE"].pop(field)
    return entries


class Twins(Exchange):
    """A table that we commit to, and after each step a copy in which Java made the same step."""

    def __init__(self, *words, thorough):
        super().__init__(*words)
        self.thorough = thorough
        self.snapshots = self.entries = self.indexes = self.copies = 0

    def keyed(self, fields, keys, partition=(), **options):
        self.tables += 1
        schema = {"fields": [{"name": n, "type": t} for n, t in fields], "partitionKeys": list(partition), "primaryKeys": list(keys),
                  "options": {"file.format": "parquet", **options}, "comment": None}
        path = self.file("schema.json", json.dumps(schema))
        return self.oracle.ask("create", os.path.join(self.work, "wh"), f"db.t{self.tables}", path)[-1].strip().replace("file:", "").rstrip("/")

    def copy(self, table):
        self.copies += 1
        copy = f"{table}-copy{self.copies}"
        shutil.copytree(table, copy)
        return copy

    @staticmethod
    def latest(table):
        try:
            with open(os.path.join(table, "snapshot", "LATEST"), encoding="utf-8") as f:
                return int(f.read())
        except FileNotFoundError:
            return 0

    @staticmethod
    def snapshot(table, number):
        with open(os.path.join(table, "snapshot", f"snapshot-{number}"), encoding="utf-8") as f:
            return json.load(f)

    def content(self, table, number):
        """What a snapshot says and brought, without the names of manifests."""
        s = self.snapshot(table, number)
        out = {k: s.get(k) for k in ("schemaId", "commitKind", "totalRecordCount", "deltaRecordCount", "changelogRecordCount", "watermark", "nextRowId",
                                     "properties", "statistics")}
        out["changelogRecordCount"] = out["changelogRecordCount"] or None
        for k in ("changelogManifestList", "indexManifest"):
            out[k] = s.get(k) is not None
        which = None
        for line in self.oracle.ask("dump-manifests", table, "--snapshot", str(number)):
            line = json.loads(line)
            if "list" in line:
                which = line["list"]
                if which != "base":
                    meta = {k: v for k, v in line["manifest"].items() if k not in NAMES}
                    out.setdefault("manifests " + which, []).append(json.dumps(meta, sort_keys=True))
            elif "index" in line:
                self.indexes += 1
                out.setdefault("index files", []).append(json.dumps(line["index"], sort_keys=True))
            elif which != "base":
                self.entries += 1
                out.setdefault("entries " + which, []).append(json.dumps(line["entry"], sort_keys=True))
        return {k: sorted(v) if isinstance(v, list) else v for k, v in out.items()}

    def same_snapshots(self, name, table, copy, since, without=()):
        ours, java = self.latest(table), self.latest(copy)
        if ours != java:
            self.fault(name, "latest snapshot", ours, "Java has", java)
            return
        for number in range(since + 1, ours + 1):
            self.snapshots += 1
            a, b = self.content(table, number), self.content(copy, number)
            for k in sorted(set(a) | set(b)):
                left, right = a.get(k), b.get(k)
                if k == "entries delta":
                    left, right = less(left, without), less(right, without)
                if left != right:
                    self.fault(name, "snapshot", number, k, left, "Java:", right)

    def rows(self, name, table, copy):
        a, b = sorted(self.oracle.ask("read", table)), sorted(self.oracle.ask("read", copy))
        if a != b:
            self.fault(name, len(a), "rows where we committed,", len(b), "where Java did", a[:3], b[:3])
        return a

    def step(self, name, table, rows, *more, compare=True, without=()):
        """Java writes; both commit. Rows that Java reads then."""
        since = self.latest(table)
        self.messages += 1
        lines = self.oracle.ask("write", table, self.file("rows.jsonl", "".join(json.dumps(r) + "\n" for r in rows)), "--no-commit", "--list", *more)
        path = self.file(f"java-{self.messages}.bin", bytes.fromhex(lines[-1]))
        if self.thorough:
            self.shown_alike(name, path)
        copy = self.copy(table)
        overwrite = [w for w in more if w == "--overwrite"]
        self.commit(table, path, *overwrite)
        self.java_commits(copy, path, *more)
        if compare:
            self.same_snapshots(name, table, copy, since, without)
        self.run("commit", table, "--messages", path, "--messages-version", VERSION, *overwrite, code=1)  # not a second time
        read = self.rows(name, table, copy)
        shutil.rmtree(copy)
        return read

    def repeat(self, name, table, command, *words, without=()):
        """Java does something in a copy of the table; we commit the messages that it was made of to the table itself."""
        since = self.latest(table)
        copy = self.copy(table)
        self.oracle.ask(command, copy, *words)
        for place, _, files in os.walk(copy):
            for f in files:
                to = os.path.join(table, os.path.relpath(os.path.join(place, f), copy))
                if "/snapshot" not in place and "/manifest" not in place and not os.path.exists(to):
                    os.makedirs(os.path.dirname(to), exist_ok=True)
                    shutil.copy(os.path.join(place, f), to)
        for number in range(since + 1, self.latest(copy) + 1):
            self.messages += 1
            path = os.path.join(self.work, f"replayed-{self.messages}.bin")
            subprocess.run([self.maker, "replay", path, copy, str(number)], check=True)
            if self.thorough:
                self.shown_alike(name, path)
            self.commit(table, path)
        self.same_snapshots(name, table, copy, since, without)
        read = self.rows(name, table, copy)
        shutil.rmtree(copy)
        return read

    def goes_on(self, name, table, rows, n):
        """Java writes to what we committed, and compacts it."""
        self.oracle.ask("write", table, self.file("rows.jsonl", "".join(json.dumps(r) + "\n" for r in rows)))
        self.oracle.ask("compact", table, "full")
        there = self.oracle.ask("read", table)
        if len(there) != n:
            self.fault(name, len(there), "rows after Java went on,", n, "expected")


def keyed_rows(r, n, keys):
    return [["+I", "p%d" % r.randrange(2), r.randrange(keys), "v%d" % r.randrange(1000)] for _ in range(n)]


# Paimon Java 1.3.1 does not yet take what an overwrite brings to the highest level.
KEYED = {
    "fixed buckets": {"bucket": "2", "overwrite-upgrade": "false"},
    "eager compaction": {"bucket": "1", "num-sorted-run.compaction-trigger": "2"},
    "dynamic buckets": {"bucket": "-1", "dynamic-bucket.target-row-num": "5", "overwrite-upgrade": "false"},
    "deletion vectors": {"bucket": "2", "deletion-vectors.enabled": "true"},
    "deletion vectors beside data": {"bucket": "1", "deletion-vectors.enabled": "true", "index-file-in-data-file-dir": "true"},
    "deletion vectors, dynamic buckets": {"bucket": "-1", "deletion-vectors.enabled": "true", "dynamic-bucket.target-row-num": "5"},
    "changelogs of input": {"bucket": "1", "changelog-producer": "input"},
    "changelogs of lookups": {"bucket": "2", "changelog-producer": "lookup"},
    "changelogs of full compactions": {"bucket": "1", "changelog-producer": "full-compaction", "full-compaction.delta-commits": "1"},
    "partial update": {"bucket": "1", "merge-engine": "partial-update", "num-sorted-run.compaction-trigger": "2"},
    "postponed buckets": {"bucket": "-2"},
}


def keyed_tables(x, r):
    fields = [("p", "STRING NOT NULL"), ("k", "INT NOT NULL"), ("v", "STRING")]
    for name, options in KEYED.items():
        full = x.thorough or name in ("fixed buckets", "dynamic buckets")
        table = x.keyed(fields, ["p", "k"], ["p"], **options)
        model = {}
        for _ in range(4 if x.thorough else 2):
            rows = keyed_rows(r, 12, 20)
            model.update({(p, k): v for _, p, k, v in rows})
            read = x.step(name, table, rows)
            expected = sorted(json.dumps(["+I", p, k, v], separators=(",", ":")) for (p, k), v in model.items())
            if read != expected and options["bucket"] != "-2":
                x.fault(name, "rows", read[:3], "expected", expected[:3])
        if options["bucket"] == "-2":  # rows are seen after a compaction that needs an engine
            continue
        if full:
            gone = [["-D", p, k, v] for (p, k), v in list(model.items())[:5]] if "update" not in name else []
            if gone:
                x.step(name + ", deletes", table, gone)
                for _, p, k, _ in gone:
                    del model[p, k]
            x.repeat(name + ", compacted", table, "compact", "full")
            model = {k: v for k, v in model.items() if k[0] != "p0"}
            model["p0", 100] = "new"
            upgrades = options.get("overwrite-upgrade") != "false"
            read = x.step(name + ", overwritten", table, [["+I", "p0", 100, "new"]], "--overwrite", "p=p0", compare=not upgrades)
            if len(read) != len(model):
                x.fault(name, "overwritten", len(read), "rows,", len(model), "expected")
        if full or "vectors" in name:
            rows = keyed_rows(r, 6, 20)
            model.update({(p, k): v for _, p, k, v in rows})
            x.goes_on(name, table, rows, len(model))


def upgraded(x):
    """What an overwrite brings is on the highest level at once, where Java reads it, compacts it and adds to it."""
    table = x.keyed([("k", "INT NOT NULL"), ("v", "STRING")], ["k"], bucket="1")
    x.step("to be overwritten", table, [["+I", k, "old"] for k in range(10)])
    x.step("upgraded", table, [["+I", k, "new"] for k in range(5)], "--overwrite", "all", compare=False)
    levels = [json.loads(line)["entry"]["_FILE"]["_LEVEL"] for line in x.oracle.ask("dump-manifests", table) if '"entry"' in line and '"_KIND":0' in line]
    if levels[-1:] != [5]:
        x.fault("levels after an overwrite", levels)
    x.goes_on("upgraded", table, [["+I", 4, "newer"], ["+I", 5, "newer"]], 6)


def aborted(x):
    """What messages brought that nobody commits goes, index files and what they compacted themselves too; what was committed stays."""
    for options in ({"bucket": "-1"}, {"bucket": "1", "deletion-vectors.enabled": "true"}):
        table = x.keyed([("k", "INT NOT NULL"), ("v", "STRING")], ["k"], **options)
        rows = x.file("rows.jsonl", '["+I",1,"a"]\n["+I",2,"b"]\n')
        there = lambda: sorted(f for place, _, files in os.walk(table) for f in files if "schema" not in place)

        def write():
            x.messages += 1
            return x.file(f"aborted-{x.messages}.bin", bytes.fromhex(x.oracle.ask("write", table, rows, "--no-commit", "--list")[-1]))

        came = []
        for _ in range(2):
            before = there()
            path = write()
            came += [f for f in there() if f not in before]
            x.run("abort", table, "--messages", path, "--messages-version", VERSION)
            if there() != before:
                x.fault("aborted, but there is", options, there(), "there was", before)
            path = write()
            x.commit(table, path)
            before = there()
            x.run("abort", table, "--messages", path, "--messages-version", VERSION, code=1)
            if there() != before:
                x.fault("abort of a committed message removed files", options)
        if len(came) < 2 or options["bucket"] == "-1" and not any(f.startswith("index-") for f in came):
            x.fault("what was aborted", options, came)
        if len(x.oracle.ask("read", table)) != 2:
            x.fault("rows after aborts", options)


def append_vectors(x):
    for name, options in (("vectors, no buckets", {"bucket": "-1"}), ("vectors in buckets", {"bucket": "2", "bucket-key": "id"})):
        table = x.table([("id", "INT"), ("v", "STRING")], **{"deletion-vectors.enabled": "true", **options})
        for start in (0, 20):
            x.step(name, table, [["+I", i, "r%d" % i] for i in range(start, start + 20)])
        files = lambda: sorted(f for place, _, names in os.walk(table) for f in names if f.startswith("data-"))
        first, *_, last = files()
        x.repeat(name + ", deleted", table, "delete-positions", first + "=0,2,4")
        x.repeat(name + ", deleted elsewhere", table, "delete-positions", last + "=1")
        read = x.repeat(name + ", deleted again", table, "delete-positions", first + "=1")
        if len(read) != 40 - 5:
            x.fault(name, len(read), "rows left")
        x.repeat(name + ", compacted", table, "compact", "full")
        x.goes_on(name, table, [["+I", 100, "new"]], 36)


def tracked(x):
    # Java 1.3.1 calls compacted rows, and those that it deletes, as new as the snapshot; later releases leave them as old as they are.
    without = ("_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER")
    for name, options in (("row tracking", {}), ("row tracking, partitions", {}), ("data evolution", {"data-evolution.enabled": "true"})):
        partition = ["p"] if "partitions" in name else []
        table = x.table([("p", "INT"), ("v", "STRING")], partition, **{"bucket": "-1", "row-tracking.enabled": "true", **options})
        for n in range(3):
            x.step(name, table, [["+I", i % 2, "r%d" % i] for i in range(4 * (n + 1))])
        if x.snapshot(table, 3)["nextRowId"] != 24:
            x.fault(name, x.snapshot(table, 3))
        x.repeat(name + ", compacted", table, "compact", "full", without=without)
        x.step(name + ", overwritten", table, [["+I", 0, "new"]], "--overwrite", "p=0" if partition else "all", without=without)
        n = 1 + (12 if partition else 0)
        x.goes_on(name, table, [["+I", 1, "more"]], n + 1)
        if x.snapshot(table, x.latest(table))["nextRowId"] != 26:
            x.fault(name, "row ids after Java went on", x.snapshot(table, x.latest(table)))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--maker", required=True)
    a.add_argument("--build", required=True, help="where the oracle may be built")
    a.add_argument("--thorough", action="store_true", help="every step on every table, which takes a minute or two")
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    oracle = start_oracle(os.path.abspath(a.build))
    work = tempfile.mkdtemp(prefix="paimon-commits-")
    x = Twins(os.path.abspath(a.tool), os.path.abspath(a.maker), oracle, work, thorough=a.thorough)
    keyed_tables(x, random.Random(a.seed))
    upgraded(x)
    append_vectors(x)
    tracked(x)
    aborted(x)
    print(f"{x.messages} messages, {x.tables} tables, {x.snapshots} snapshots with {x.entries // 2} entries and {x.indexes // 2} index files as Java's, {x.faults} faults")
    if x.faults:
        print("kept:", work)
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
