#!/usr/bin/env python3
"""Random append tables that this library writes: Paimon Java and pypaimon must read the same rows, plan the same splits and find the same
statistics as for rows that Java wrote; each appends to the other's table; overwriting, truncating and dropping partitions are judged by
what Java reads then.

Java writes rows to a source table, the program copy_rows copies them. Needs the oracle (shared/oracle), a JDK and Maven; pypaimon is
asked when it can be installed. Says so where something is missing.
"""
import argparse
import datetime
import decimal
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "..", "golden")]


# --- pypaimon, in an interpreter of its own: rows in canonical form -----------------------------------------------------------------

def canonical(t, v):
    if v is None:
        return None
    if isinstance(t, dict):
        if t["type"].startswith("ARRAY"):
            return [canonical(t["element"], x) for x in v]
        if t["type"].startswith("MAP"):
            pairs = [[canonical(t["key"], k), canonical(t["value"], x)] for k, x in (v.items() if isinstance(v, dict) else v)]
            return sorted(pairs, key=lambda p: json.dumps(p[0], ensure_ascii=False).encode())
        return [canonical(f["type"], v[f["name"]]) for f in t["fields"]]
    name = t.split("(")[0].split(" ")[0]
    if name == "FLOAT":
        return struct.pack(">f", v).hex()
    if name == "DOUBLE":
        return struct.pack(">d", v).hex()
    if name == "BYTES":
        return bytes(v).hex()
    if name == "DECIMAL":
        scale = int(t.split(",")[1].strip(" )"))
        return str(v.quantize(decimal.Decimal(1).scaleb(-scale), context=decimal.Context(prec=60)))
    if name == "DATE":
        return v.isoformat()
    if name in ("TIME", "TIMESTAMP"):
        if isinstance(v, datetime.datetime):
            v = v.replace(tzinfo=None)
            text = v.strftime("%Y-%m-%dT%H:%M:%S") if v.year > 999 else v.isoformat(timespec="seconds")
        else:
            text = v.strftime("%H:%M:%S")
        if v.microsecond:
            text += (".%06d" % v.microsecond).rstrip("0")
        return text + ("Z" if "ZONE" in t else "")
    return v


def pypaimon_server():
    """One JSON request a line: {warehouse, table, fields}; one answer a line: {rows} or {error}."""
    import judges
    judges.run_inside(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from pypaimon import CatalogFactory
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        q = json.loads(line)
        try:
            table = CatalogFactory.create({"warehouse": q["warehouse"]}).get_table(q["table"])
            builder = table.new_read_builder()
            data = builder.new_read().to_arrow(builder.new_scan().plan().splits())
            columns = [data.column(f["name"]).to_pylist() for f in q["fields"]] if data is not None and data.num_rows else []
            rows = [["+I"] + [canonical(f["type"], x) for f, x in zip(q["fields"], row)] for row in zip(*columns)]
            answer = {"rows": rows}
        except Exception as e:  # told to the caller, who knows the table
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)


if len(sys.argv) > 2 and sys.argv[1] == "--pypaimon-server":
    pypaimon_server()

import java_tables as J  # noqa: E402
import shared_material  # noqa: E402
from check_plans import differences  # noqa: E402


class Pypaimon:
    """None of it where the judges are missing."""

    def __init__(self, venv):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--pypaimon-server", venv], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        first = self.process.stdout.readline()
        self.there = first.strip() == '"ready"'
        if not self.there:
            print("NOTE: pypaimon is not asked:", first.strip() or "it cannot be started")

    def rows(self, warehouse, table, fields):
        self.process.stdin.write(json.dumps({"warehouse": warehouse, "table": table, "fields": fields}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError("pypaimon: " + answer["error"])
        return answer["rows"]


# --- tables ---------------------------------------------------------------------------------------------------------------------------

PARTITION_TYPES = ["STRING", "INT", "BIGINT", "DATE", "BOOLEAN", "TINYINT", "SMALLINT", "TIMESTAMP(3)", "DECIMAL(9, 2)", "VARCHAR(9)"]


def random_type(r, depth=2):
    if depth and r.random() < 0.3:
        kind = r.choice(["ARRAY", "MAP", "ROW"])
        if kind == "ARRAY":
            return {"type": "ARRAY", "element": random_type(r, depth - 1)}
        if kind == "MAP":
            return {"type": "MAP", "key": r.choice(["INT NOT NULL", "STRING NOT NULL", "BIGINT NOT NULL"]), "value": random_type(r, depth - 1)}
        return {"type": "ROW", "fields": [{"name": f"f{i}", "type": random_type(r, depth - 1)} for i in range(r.randint(1, 3))]}
    return r.choice(J.TYPES)


def number_fields(t, counter):
    """Field ids of nested rows, as Paimon numbers them: behind those of the columns."""
    if isinstance(t, dict):
        for f in t.get("fields", []):
            f["id"] = counter[0]
            counter[0] += 1
            number_fields(f["type"], counter)
        for part in ("element", "key", "value"):
            if part in t:
                number_fields(t[part], counter)
    return t


def random_value(r, t):
    if isinstance(t, dict):
        if r.random() < 0.15:
            return None
        if t["type"] == "ARRAY":
            return [random_value(r, t["element"]) for _ in range(r.randrange(4))]
        if t["type"] == "MAP":
            keys = {json.dumps(k): k for k in (random_value(r, t["key"]) for _ in range(r.randrange(4))) if k is not None}
            return [[keys[k], random_value(r, t["value"])] for k in sorted(keys, key=lambda k: json.dumps(keys[k], ensure_ascii=False).encode())]
        return [random_value(r, f["type"]) for f in t["fields"]]
    v = J.value(r, t.replace(" NOT NULL", ""))
    if v is not None and t.split("(")[0] in ("FLOAT", "DOUBLE"):
        return struct.pack(">f" if t == "FLOAT" else ">d", r.choice([v, v, float("inf")])).hex()
    return v


class Table:
    def __init__(self, oracle, work, name, schema):
        path = os.path.join(work, "schema.json")
        json.dump(schema, open(path, "w"))
        self.oracle, self.work, self.name = oracle, work, name
        self.path = oracle.ask("create", os.path.join(work, "wh"), "db." + name, path)[-1].strip().replace("file:", "")

    def java_writes(self, rows, *words):
        lines = os.path.join(self.work, "rows.jsonl")
        with open(lines, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(x, ensure_ascii=False) + "\n" for x in rows)
        self.oracle.ask("write", self.path, lines, *words)

    def java_reads(self):
        return sorted(json.dumps(json.loads(x)) for x in self.oracle.ask("read", self.path))


class Wrong(Exception):
    pass


def run(*words):
    p = subprocess.run(words, capture_output=True, timeout=120)
    if p.returncode:
        raise Wrong(f"exit {p.returncode}: {p.stderr.decode(errors='replace')[-400:]} | {' '.join(words)}")
    return p.stdout.decode("utf-8")


def same(what, got, want):
    if got != want:
        lost, extra = [x for x in want if x not in got][:1], [x for x in got if x not in want][:1]
        raise Wrong(f"{what}: {len(got)} rows instead of {len(want)}; missing {lost} extra {extra}")


def check_reads(a, judge, table, fields, want):
    same("Java reads", table.java_reads(), want)
    same("we read", sorted(json.dumps(json.loads(x)) for x in run(a.tool, "read", table.path, "--format", "canonical").splitlines()), want)
    if judge.there and want:
        got = sorted(json.dumps(x) for x in judge.rows(os.path.join(table.work, "wh"), "db." + table.name, fields))
        same("pypaimon reads", got, want)
    java = [json.loads(x.replace("file:", "")) for x in table.oracle.ask("plan", table.path)]
    ours = [json.loads(x.replace("file:", "")) for x in run(a.tool, "plan", table.path, "--format", "json").splitlines()]
    why = next(differences(java, ours), None)
    if why:
        raise Wrong("plan: " + why)


def check_statistics(a, source, table):
    """Of one file of the same rows, ours and Java's."""
    def files(path):
        return [f for line in run(a.tool, "plan", path, "--format", "json").splitlines() for f in json.loads(line)["dataFiles"]]
    theirs, ours = files(source.path), files(table.path)
    if len(theirs) != 1 or len(ours) != 1:
        return
    for key in theirs[0]:
        if key not in ("_FILE_NAME", "_FILE_SIZE", "_CREATION_TIME") and theirs[0][key] != ours[0][key]:
            raise Wrong(f"{key}: {ours[0][key]} where Java has {theirs[0][key]}")


def partition_text(t, v):
    """As an overwrite names it."""
    return "__DEFAULT_PARTITION__" if v is None or v == "" or v == " " else v


def random_schema(r):
    columns = [random_type(r) for _ in range(r.randint(2, 7))]
    counter = [len(columns) + 2]
    fields = [{"name": f"c{i}", "type": number_fields(t, counter)} for i, t in enumerate(columns)]
    partition = []
    for i in range(r.choice([0, 0, 1, 1, 2])):
        fields.insert(r.randrange(len(fields) + 1), {"name": f"p{i}", "type": r.choice(PARTITION_TYPES)})
        partition.append(f"p{i}")
    options = {"bucket": "-1", "file.compression": r.choice(["zstd", "snappy", "lz4", "gzip", "uncompressed"]), "parquet.enable.dictionary": r.choice(["true", "false"]),
               "metadata.stats-mode": r.choice(["truncate(16)", "truncate(2)", "full", "none", "counts"])}
    if r.random() < 0.2:
        options["metadata.stats-dense-store"] = "false"
    if r.random() < 0.2:
        options["target-file-row-num"] = "50"
    keys = [f["name"] for f in fields if f["name"] not in partition and isinstance(f["type"], str)]
    integers = [f["name"] for f in fields if f["name"] in keys and f["type"] in ("INT", "BIGINT")]
    if keys and r.random() < 0.5:
        options.update({"bucket": "3", "bucket-key": ",".join(r.sample(keys, min(len(keys), r.choice([1, 1, 2]))))})
        if integers and r.random() < 0.5:
            options.update({"bucket-key": integers[0], "bucket-function.type": "mod"})
    if partition and r.random() < 0.2:
        options["partition.legacy-name"] = "false"
    return {"fields": fields, "partitionKeys": partition, "primaryKeys": [], "options": options, "comment": None}


def distinct_partitions(r, schema):
    """A few values of each partition column, so that partitions repeat."""
    return {f["name"]: [random_value(r, f["type"]) for _ in range(3)] for f in schema["fields"] if f["name"] in schema["partitionKeys"]}


def random_rows(r, schema, pool, n):
    # Java refuses a null key of the function "mod".
    needed = schema["options"]["bucket-key"] if "bucket-function.type" in schema["options"] else None

    def one(f):
        if f["name"] in pool:
            return r.choice(pool[f["name"]])
        v = random_value(r, f["type"])
        return 5 if v is None and f["name"] == needed else v
    return [["+I"] + [one(f) for f in schema["fields"]] for _ in range(n)]


def as_lines(rows):
    return sorted(json.dumps(x) for x in rows)


def overwrite(a, oracle, table, judge, schema, new_source, r, rows, pool):
    """One of the ways to take rows out; what Java reads then is what is left."""
    fields, partition = schema["fields"], schema["partitionKeys"]
    places = [next(i for i, f in enumerate(fields) if f["name"] == p) + 1 for p in partition]

    def place(row):
        return [partition_text(None, row[i]) for i in places]
    how = r.choice(["truncate", "all"] + (["dynamic", "static", "drop", "drop"] if partition else []))
    if how == "truncate":
        run(a.writer, "-", table.path, how)
        return []
    if how in ("all", "dynamic"):
        part = random_rows(r, schema, pool, 20)
        run(a.writer, new_source(part).path, table.path, how)
        taken = [place(x) for x in part]
        return part + ([x for x in rows if place(x) not in taken] if how == "dynamic" else [])
    chosen = r.choice(rows)
    texts = [chosen[i] for i in places]
    # Values as text: some types have more than one spelling; only plain ones are named.
    plain = [i for i, p in enumerate(partition) if next(f for f in fields if f["name"] == p)["type"] in ("STRING", "INT", "BIGINT", "TINYINT", "SMALLINT", "VARCHAR(9)", "DATE")
             and (texts[i] is None or str(texts[i]).isalnum() or next(f for f in fields if f["name"] == p)["type"] not in ("STRING", "VARCHAR(9)"))]
    if not plain:
        return rows
    spec = ",".join(f"{partition[i]}={partition_text(None, texts[i])}" for i in plain)
    left = [x for x in rows if any(x[places[i]] != texts[i] for i in plain)]
    if how == "drop":
        run(a.writer, "-", table.path, "drop:" + spec)
        return left
    part = [x for x in random_rows(r, schema, pool, 40) if all(x[places[i]] == texts[i] for i in plain)]
    run(a.writer, new_source(part).path, table.path, spec)
    return left + part


def one_table(a, oracle, judge, work, number, r):
    schema = random_schema(r)
    fields = schema["fields"]
    pool = distinct_partitions(r, schema)
    table = Table(oracle, work, f"t{number}", schema)
    n_sources = [0]

    def new_source(rows):
        source = Table(oracle, work, f"s{number}_{n_sources[0]}", schema)
        n_sources[0] += 1
        if rows:
            source.java_writes(rows)
        return source
    rows = random_rows(r, schema, pool, r.choice([1, 3, 60, 400]))
    source = new_source(rows)
    run(a.writer, source.path, table.path, "append")
    check_reads(a, judge, table, fields, as_lines(rows))
    if not any(f["type"] == "BYTES" for f in fields):  # Java 1.3.1 leaves their bounds out
        check_statistics(a, source, table)
    # Java after us, us after Java.
    for by_java in (True, False):
        part = random_rows(r, schema, pool, 30)
        if by_java:
            table.java_writes(part)
        else:
            run(a.writer, new_source(part).path, table.path, "append")
        rows += part
    check_reads(a, judge, table, fields, as_lines(rows))
    rows = overwrite(a, oracle, table, judge, schema, new_source, r, rows, pool)
    check_reads(a, judge, table, fields, as_lines(rows))
    part = random_rows(r, schema, pool, 5)
    table.java_writes(part)
    check_reads(a, judge, table, fields, as_lines(rows + part))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--writer", required=True, help="the program copy_rows")
    parser.add_argument("--build", required=True)
    parser.add_argument("--venv", required=True)
    parser.add_argument("--tables", type=int, default=15)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--only", type=int)
    a = parser.parse_args()
    oracle = J.start_oracle(a.build)
    judge = Pypaimon(a.venv)
    work = tempfile.mkdtemp(prefix="paimon-written-")
    bad = 0
    for i in range(a.tables) if a.only is None else [a.only]:
        try:
            one_table(a, oracle, judge, work, i, random.Random(a.seed * 1000 + i))
        except (Wrong, RuntimeError) as why:
            bad += 1
            print("FAIL table", i, "|", str(why)[:1200], "|", work)
    oracle.process.stdin.close()
    oracle.process.wait()
    judge.process.stdin.close()
    judge.process.wait()
    if not bad:
        shutil.rmtree(work)
    print(f"{a.tables} tables written, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
