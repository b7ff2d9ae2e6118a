#!/usr/bin/env python3
"""Random append tables of many small files that Paimon Java writes, planned by both: the splits must be the same bytes, each must read the
other's, and what was read must be written the same again.

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material
from java_tables import TYPES, start_oracle, value

PARTITION_TYPES = ["INT", "STRING", "DATE", "BOOLEAN", "BIGINT", "TIMESTAMP(3)", "DECIMAL(9, 2)"]


def run(words, text=None):
    p = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8", timeout=300)
    if p.returncode:
        raise RuntimeError(f"exit {p.returncode}: {p.stderr[-300:]} | {words[:3]}")
    return p.stdout


def make_table(oracle, work, number, r):
    """A table and the rows' number; each partition and bucket of each commit is a file, and each file a split or a part of one."""
    fields = [{"name": f"c{i}", "type": r.choice(TYPES)} for i in range(r.randint(1, 6))]
    keys = [{"name": f"p{i}", "type": r.choice(PARTITION_TYPES)} for i in range(r.choice([0, 1, 2]))]
    options = {"file.format": "parquet", "source.split.open-file-cost": r.choice(["1 b", "3 kb"]), "source.split.target-size": r.choice(["1 b", "9 kb"]),
               "metadata.stats-mode": r.choice(["truncate(16)", "full", "none", "counts"]),
               "metadata.stats-dense-store": r.choice(["true", "false"]), "partition.legacy-name": r.choice(["true", "false"])}
    if r.random() < 0.6 or not keys:
        options.update({"bucket": str(r.choice([2, 16, 60])), "bucket-key": fields[0]["name"]})
        if fields[0]["type"] in ("BOOLEAN", "FLOAT", "DOUBLE") or "TIME" in fields[0]["type"]:
            fields[0]["type"] = "BIGINT"
    path = os.path.join(work, "schema.json")
    json.dump({"fields": keys + fields, "partitionKeys": [k["name"] for k in keys], "primaryKeys": [], "options": options, "comment": None}, open(path, "w"))
    table = oracle.ask("create", os.path.join(work, "wh"), f"db.t{number}", path)[-1].strip().replace("file:", "")
    for _ in range(r.randint(1, 3)):
        lines = os.path.join(work, "rows.jsonl")
        with open(lines, "w", encoding="utf-8") as f:
            for _ in range(r.choice([3, 300, 600])):
                f.write(json.dumps(["+I"] + [value(r, x["type"]) for x in keys + fields], ensure_ascii=False) + "\n")
        oracle.ask("write", table, lines)
    return table


def same_rows(got, want, what):
    if sorted(json.dumps(json.loads(x)) for x in got) != sorted(json.dumps(json.loads(x)) for x in want):
        raise RuntimeError(f"{what}: {len(got)} rows instead of {len(want)}, or other ones")


def one_table(tool, copier, oracle, work, number, r):
    table = make_table(oracle, work, number, r)
    java = oracle.ask("plan", table, "--hex")
    folder = os.path.join(work, f"splits{number}")
    run([tool, "plan", table, "--splits", folder, "--split-version", "8"])
    names = sorted(os.listdir(folder))
    ours = [open(os.path.join(folder, name), "rb").read().hex() for name in names]
    if ours != java:
        k = next((i for i, (a, b) in enumerate(zip(ours, java)) if a != b), min(len(ours), len(java)))
        raise RuntimeError(f"{table}: {len(ours)} splits, Java {len(java)}; number {k} differs")
    # Java's, read and written again in the version it knows; through today's version and back as well
    again = run([copier, "8"], "\n".join(java) + "\n").split()
    today = run([copier, "9"], "\n".join(java) + "\n").split()
    if again != java or run([copier, "8"], "\n".join(today) + "\n").split() != java:
        raise RuntimeError(f"{table}: a split of Java changes when it is read and written")
    # ours, described and read by Java
    lines = os.path.join(work, "ours.hex")
    with open(lines, "w") as f:
        f.write("\n".join(ours) + "\n")
    described = [json.loads(x) for x in oracle.ask("dump-splits", lines)]
    planned = [json.loads(x) for x in run([tool, "plan", table, "--format", "json"]).splitlines()]
    for split in planned:  # what version 8 and Java 1.3 do not know
        for file in split["dataFiles"]:
            file.pop("_WRITE_COLS_SEQUENCES")
    for split in described:
        for file in split["dataFiles"]:
            file.pop("_WRITE_COLS_SEQUENCES", None)
    if described != planned:
        raise RuntimeError(f"{table}: Java describes our splits otherwise")
    some = r.sample(range(len(names)), min(len(names), 12))
    with open(lines, "w") as f:
        f.write("\n".join(ours[i] for i in some) + "\n")
    want = oracle.ask("read-splits", table, lines)
    words = [w for i in some for w in ("--split", os.path.join(folder, names[i]))]
    same_rows(run([tool, "read", table, "--format", "canonical", *words]).splitlines(), want, table)
    return len(java)


def known_tables(tool, copier, oracle, work):
    """Every table that Java wrote for us, of kinds that we cannot read too: its splits as bytes must come back the same."""
    folders = [os.path.join(shared_material.PROJECT, "tests", "data", "golden"), shared_material.find("golden")]
    splits, planned = [], 0
    for table in sorted(t for f in folders if f for t in glob.glob(os.path.join(f, "*", "wh", "db.db", "t"))):
        try:
            java = oracle.ask("plan", table, "--hex")
        except RuntimeError:
            continue  # newer than this Java
        splits += java
        folder = os.path.join(work, "known", str(len(splits)) + table.replace("/", "_"))
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        p = subprocess.run([tool, "plan", table, "--splits", folder, "--split-version", "8"], capture_output=True, text=True)
        if p.returncode == 3:
            continue
        if [open(os.path.join(folder, name), "rb").read().hex() for name in sorted(os.listdir(folder))] != java:
            raise RuntimeError(f"{table}: our splits are not Java's")
        planned += 1
    if run([copier, "8"], "\n".join(splits) + "\n").split() != splits:
        raise RuntimeError("a split of Java changes when it is read and written")
    return planned, len(splits)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--copier", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    oracle = start_oracle(args.build)
    splits = 0
    with tempfile.TemporaryDirectory() as work:
        planned, known = known_tables(args.tool, args.copier, oracle, work)
        print(f"{planned} known tables planned as Java plans them, {known} splits of all kinds of tables written again")
        for number in range(args.tables):
            splits += one_table(args.tool, args.copier, oracle, work, number, random.Random(args.seed * 1000 + number))
    print(f"{args.tables} tables, {splits} splits: the same bytes both ways")
    return 0


if __name__ == "__main__":
    sys.exit(main())
