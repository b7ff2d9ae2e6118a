#!/usr/bin/env python3
"""Commit messages between Paimon Java and us: what Java writes we show as Java shows it and commit, and the other way round; compactions and
deletion vectors that we commit are what Java then reads; thousands of random messages are the same in both.

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from java_tables import TYPES, start_oracle, value

VERSION = "10"  # what Paimon Java 1.3.1 writes, and the newest that it reads
NEWER = ("_WRITE_COLS_SEQUENCES", "_GLOBAL_INDEX")  # what it does not know


def as_java_shows(thing):
    if isinstance(thing, dict):
        return {k: as_java_shows(v) for k, v in thing.items() if k not in NEWER}
    return [as_java_shows(v) for v in thing] if isinstance(thing, list) else thing


class Exchange:
    def __init__(self, tool, maker, oracle, work):
        self.tool, self.maker, self.oracle, self.work = tool, maker, oracle, work
        self.tables = self.messages = self.faults = 0

    def fault(self, *words):
        self.faults += 1
        print("FAULT", *[str(w)[:600] for w in words])

    def file(self, name, content):
        path = os.path.join(self.work, name)
        with open(path, "wb" if isinstance(content, bytes) else "w", **({} if isinstance(content, bytes) else {"encoding": "utf-8"})) as f:
            f.write(content)
        return path

    def table(self, fields, partition=(), **options):
        self.tables += 1
        schema = {"fields": [{"name": n, "type": t} for n, t in fields], "partitionKeys": list(partition), "primaryKeys": [],
                  "options": {"file.format": "parquet", "bucket": "-1", **options}, "comment": None}
        path = self.file("schema.json", json.dumps(schema))
        return self.oracle.ask("create", os.path.join(self.work, "wh"), f"db.t{self.tables}", path)[-1].strip().replace("file:", "").rstrip("/")

    def run(self, *words, code=0):
        p = subprocess.run([self.tool, *words], capture_output=True, text=True, encoding="utf-8", timeout=120)
        if p.returncode != code:
            self.fault(words, "exit", p.returncode, p.stderr.strip())
        return p.stdout

    def rows_file(self, rows):
        return self.file("rows.jsonl", "".join(json.dumps(["+I", *r], ensure_ascii=False) + "\n" for r in rows))

    def java_messages(self, table, rows, *more):
        """Java's list of messages, as a file of ours."""
        line = self.oracle.ask("write", table, self.rows_file(rows), "--no-commit", "--list", *more)[-1]
        return self.file(f"java-{self.messages}.bin", bytes.fromhex(line))

    def our_messages(self, table, rows):
        path = os.path.join(self.work, f"ours-{self.messages}.bin")
        self.run("write", table, self.rows_file(rows), "--input-format", "canonical", "--messages", path, "--messages-version", VERSION)
        return path

    def hex_file(self, path):
        with open(path, "rb") as f:
            return self.file("messages.hex", f.read().hex() + "\n")

    def shown_alike(self, name, path):
        """The same list, shown by both."""
        ours = json.loads(self.run("inspect", "--type", "messages", "--version", VERSION, path) or "[]")
        java = [json.loads(line) for line in self.oracle.ask("dump-messages", self.hex_file(path), "--list")]
        self.messages += len(java)
        if as_java_shows(ours) != java:
            self.fault(name, "shown otherwise", json.dumps(as_java_shows(ours)), json.dumps(java))

    def commit(self, table, path, *more):
        return self.run("commit", table, "--messages", path, "--messages-version", VERSION, *more)

    def java_commits(self, table, path, *more):
        self.oracle.ask("commit-messages", table, self.hex_file(path), "--list", *more)

    def read_alike(self, name, table, n=None):
        java = sorted(self.oracle.ask("read", table))
        ours = sorted(self.run("read", table, "--format", "canonical").splitlines())
        if ours != java or (n is not None and len(java) != n):
            self.fault(name, f"{len(ours)} rows of ours, {len(java)} of Java's, {n} expected", ours[:2], java[:2])


def random_tables(x, r, n):
    """Tables of all types; each committer commits what the other wrote, and its own."""
    for i in range(n):
        fields = [(f"c{k}", r.choice(TYPES)) for k in range(r.randint(1, 6))]
        keys = [("p", r.choice(["STRING", "INT", "DATE", "BOOLEAN", "TIMESTAMP(3)"])), ("q", "BIGINT")][:r.randint(0, 2)]
        options = r.choice([{}, {"bucket": "3", "bucket-key": "k"}, {"metadata.stats-mode": "full"}, {"metadata.stats-dense-store": "false"}])
        fields = keys + [("k", "INT")] + fields
        table = x.table(fields, [k for k, _ in keys], **options)
        rows = lambda: [[r.randrange(99) if name == "k" else value(r, t) for name, t in fields] for _ in range(r.randint(1, 12))]
        count = 0
        for _ in range(3):
            more = rows()
            path = x.java_messages(table, more)
            x.shown_alike(f"table {i}, Java's", path)
            x.commit(table, path)
            count += len(more)
            more = rows()
            path = x.our_messages(table, more)
            x.shown_alike(f"table {i}, ours", path)
            x.java_commits(table, path)
            count += len(more)
        x.read_alike(f"table {i}", table, count)
        with open(os.path.join(table, "snapshot", "LATEST"), encoding="utf-8") as f:
            if f.read().strip() != "6":
                x.fault(f"table {i}: not 6 snapshots")


def overwriting(x):
    table = x.table([("p", "INT"), ("v", "STRING")], ["p"])
    x.commit(table, x.java_messages(table, [[1, "a"], [2, "b"]]))
    path = x.java_messages(table, [[1, "new"]], "--overwrite", "p=1")
    x.commit(table, path, "--overwrite")
    x.read_alike("overwritten by us", table, 2)
    path = x.our_messages(table, [[2, "newer"], [2, "newest"]])
    x.java_commits(table, path, "--overwrite", "p=2")
    x.read_alike("overwritten by Java", table, 3)


def compactions(x):
    for ours in (True, False):
        table = x.table([("id", "INT"), ("v", "STRING")])
        before, again = x.our_messages(table, [[1, "a"], [2, "b"]]), os.path.join(x.work, "before.bin")
        shutil.copy(before, again)
        x.commit(table, before)
        x.messages += 1
        other = x.java_messages(table, [[3, "c"]])
        x.commit(table, other)
        x.messages += 1
        after = x.our_messages(table, [[1, "a"], [2, "b"]])
        path = os.path.join(x.work, "compaction.bin")
        subprocess.run([x.maker, "compose", path, "--before", again, "--after", after], check=True)
        x.shown_alike("a compaction", path)
        if ours:
            x.commit(table, path)
        else:
            x.java_commits(table, path)
        x.read_alike("compacted by " + ("us" if ours else "Java"), table, 3)
        kinds = [json.loads(line)["commitKind"] for line in x.run("snapshots", table, "--format", "json").splitlines()] if ours else []
        if ours and kinds[-1:] != ["COMPACT"]:
            x.fault("kinds of snapshots", kinds)
        # What the compaction took away cannot be taken away again.
        x.run("commit", table, "--messages", path, "--messages-version", VERSION, code=1)
        x.run("commit", table, "--messages", again, "--messages-version", VERSION, code=1)
        x.read_alike("compacted and refused", table, 3)


def deletion_vectors(x):
    """Java deletes rows in a copy of the table; the same index files are then committed to the table itself, by us."""
    table = x.table([("id", "INT"), ("v", "STRING")], **{"deletion-vectors.enabled": "true"})
    x.oracle.ask("write", table, x.rows_file([[i, "r%d" % i] for i in range(20)]))
    for number, positions in enumerate(("3,4,17", "5", "0,19")):
        copy = table + f"-copy{number}"
        shutil.copytree(table, copy)
        data = os.path.basename(glob.glob(table + "/bucket-0/*.parquet")[0])
        x.oracle.ask("delete-positions", copy, f"{data}={positions}")
        old = set(os.listdir(table + "/index")) if os.path.isdir(table + "/index") else set()
        os.makedirs(table + "/index", exist_ok=True)
        for name in set(os.listdir(copy + "/index")) - old:
            shutil.copy(os.path.join(copy, "index", name), os.path.join(table, "index", name))
        latest = lambda t: json.load(open(os.path.join(t, "snapshot", "snapshot-" + open(t + "/snapshot/LATEST").read().strip()), encoding="utf-8"))
        words = [x.maker, "compose", os.path.join(x.work, "vectors.bin"), "--vectors", os.path.join(copy, "manifest", latest(copy)["indexManifest"])]
        if latest(table).get("indexManifest"):
            words += ["--unvectors", os.path.join(table, "manifest", latest(table)["indexManifest"])]
        subprocess.run(words, check=True)
        x.shown_alike("deletion vectors", words[2])
        x.commit(table, words[2])
        if latest(table)["commitKind"] != "OVERWRITE":
            x.fault("deletion vectors are an OVERWRITE", latest(table))
        java, there = sorted(x.oracle.ask("read", table)), sorted(x.oracle.ask("read", copy))
        if java != there or len(java) != (17, 16, 14)[number]:
            x.fault("rows with deletion vectors", len(java), len(there), java[:3])
        x.run("commit", table, "--messages", words[2], "--messages-version", VERSION, code=1)


def random_messages(x, n, seed):
    made = subprocess.run([x.maker, "random", str(n), str(seed)], capture_output=True, text=True, encoding="utf-8", check=True).stdout.splitlines()
    pairs = [line.split("\t") for line in made]
    path = x.file("random.hex", "".join(p[0] + "\n" for p in pairs))
    java = x.oracle.ask("dump-messages", path)
    x.messages += len(java)
    if len(java) != n:
        x.fault("Java read", len(java), "of", n)
    for i, (ours, theirs) in enumerate(zip(pairs, java)):
        if as_java_shows(json.loads(ours[1])) != [json.loads(theirs)]:
            x.fault("random message", i, ours[1], theirs)
            break


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--maker", required=True)
    a.add_argument("--build", required=True, help="where the oracle may be built")
    a.add_argument("--tables", type=int, default=10)
    a.add_argument("--messages", type=int, default=4000)
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    oracle = start_oracle(os.path.abspath(a.build))
    work = tempfile.mkdtemp(prefix="paimon-messages-")
    x = Exchange(os.path.abspath(a.tool), os.path.abspath(a.maker), oracle, work)
    random_messages(x, a.messages, a.seed)
    random_tables(x, random.Random(a.seed), a.tables)
    overwriting(x)
    compactions(x)
    deletion_vectors(x)
    print(f"{x.messages} messages, {x.tables} tables, {x.faults} faults")
    if x.faults:
        print("kept:", work)
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
