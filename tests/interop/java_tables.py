#!/usr/bin/env python3
"""Random append tables in all formats that Paimon Java writes, with the filters it is asked for: `paimon read` must give the same rows.

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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import shared_material
from check_golden import where as where_text


class Oracle:
    """One Java process that answers many commands."""

    def __init__(self, script):
        self.process = subprocess.Popen([script, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        encoding="utf-8")

    def ask(self, *words):
        self.process.stdin.write(json.dumps(list(words)) + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith('{"rc":'):
                if json.loads(line)["rc"] != 0:
                    raise RuntimeError(f"the oracle refuses {words[:2]}: {lines[-1:]}")
                return lines
            lines.append(line.rstrip("\n"))
        raise RuntimeError("the oracle ended")


def start_oracle(build):
    """The oracle, built in this folder; ends the test as skipped where something is missing."""
    script = shared_material.find("oracle", "run.sh")
    for what, missing in (("the oracle (shared/oracle)", script is None), ("java", not shutil.which("java")), ("mvn", not shutil.which("mvn"))):
        if missing:
            shared_material.skip(what + " is not here")
    os.environ["ORACLE_BUILD"] = build
    os.makedirs(build, exist_ok=True)
    made = subprocess.run([script, "version"], capture_output=True, text=True)
    if made.returncode:
        shared_material.skip("the oracle cannot be built: " + (made.stderr.strip().splitlines() or ["?"])[-1][:200])
    return Oracle(script)


TYPES = ["BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "CHAR(4)", "VARCHAR(9)", "BYTES", "DATE",
         "TIMESTAMP(3)", "TIMESTAMP(6)", "DECIMAL(9, 2)", "DECIMAL(30, 5)", "TIME(3)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"]


def value(r, t):
    if r.random() < 0.1:
        return None
    name = t.split("(")[0].split(" ")[0]
    if name == "BOOLEAN":
        return r.random() < 0.5
    bits = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}.get(name)
    if bits:
        return r.choice([-(1 << bits - 1), (1 << bits - 1) - 1, r.randrange(-50, 50), r.randrange(-50, 50)])
    if name in ("FLOAT", "DOUBLE"):
        return r.choice([0.0, 0.5, -2.25, 1024.0, r.randrange(-50, 50) / 4])
    if name in ("STRING", "VARCHAR"):
        return r.choice(["", "a", "ab", "b%", "zé", "中", "k%d" % r.randrange(20)])
    if name == "CHAR":
        return "%04d" % r.randrange(30)
    if name == "BYTES":
        return bytes(r.randrange(256) for _ in range(r.randrange(5))).hex()
    if name == "DATE":
        return "20%02d-0%d-%02d" % (r.randrange(100), r.randrange(1, 10), r.randrange(1, 29))
    if name == "TIME":
        return "%02d:%02d:%02d" % (r.randrange(24), r.randrange(60), r.randrange(60))
    if name == "TIMESTAMP":
        text = "19%02d-0%d-%02dT%02d:30:00" % (r.randrange(100), r.randrange(1, 10), r.randrange(1, 29), r.randrange(24))
        return text + r.choice(["", ".5", ".123"]) + ("Z" if "ZONE" in t else "")
    digits = 2 if "9" in t else 5
    return f"%d.%0{digits}d" % (r.randrange(0, 100), r.randrange(10**digits))


def random_filter(r, fields, rows, depth=1):
    if depth and r.random() < 0.4:
        return {"op": r.choice(["and", "or"]), "args": [random_filter(r, fields, rows, depth - 1) for _ in range(2)]}
    i = r.randrange(len(fields))
    name, t = fields[i]["name"], fields[i]["type"]
    sample = [x[i + 1] for x in rows if x[i + 1] is not None]
    if r.random() < 0.15 or not sample or t.startswith(("BYTES", "TIME(", "CHAR")):
        return {"op": r.choice(["isNull", "isNotNull"]), "field": name}
    if r.random() < 0.2:
        return {"op": r.choice(["in", "notIn"]), "field": name, "values": [r.choice(sample) for _ in range(r.randint(1, 4))]}
    if t in ("STRING", "VARCHAR(9)") and r.random() < 0.3:
        return {"op": r.choice(["startsWith", "endsWith", "contains"]), "field": name, "value": r.choice(["a", "k1", "%", "é"])}
    op = r.choice(["=", "<>"]) if t == "BOOLEAN" else r.choice(["=", "<>", "<", "<=", ">", ">="])
    return {"op": op, "field": name, "value": r.choice(sample)}


def format_options(r, fields):
    kind = r.choice(["parquet", "parquet", "orc", "avro"])
    options = {"file.format": kind}
    if kind == "parquet":
        options.update({"file.compression": r.choice(["zstd", "snappy", "lz4", "gzip"]), "parquet.enable.dictionary": r.choice(["true", "false"])})
    elif kind == "orc":
        options.update({"file.compression": r.choice(["zstd", "snappy", "lz4", "zlib", "none"]), "orc.dictionary.key.threshold": r.choice(["0", "0.8", "1"]),
                        "orc.row.index.stride": "1000", "orc.bloom.filter.columns": r.choice(["", ",".join(f["name"] for f in fields)])})
    else:
        options["file.compression"] = r.choice(["zstd", "snappy", "deflate", "null", "bzip2"])
    return options


def one_table(tool, oracle, work, number, r):
    fields = [{"name": f"c{i}", "type": r.choice(TYPES)} for i in range(r.randint(2, 7))]
    plain = [f["name"] for f in fields if f["type"] in ("INT", "STRING", "DATE", "BOOLEAN", "BIGINT")]
    partition = plain[:1] if len(fields) > 2 and r.random() < 0.5 else []
    options = {**format_options(r, fields), "metadata.stats-mode": r.choice(["truncate(16)", "full", "none", "counts"])}
    if r.random() < 0.3:
        options.update({"bucket": "3", "bucket-key": next(f["name"] for f in fields if f["name"] not in partition)})
    path = os.path.join(work, "schema.json")
    json.dump({"fields": fields, "partitionKeys": partition, "primaryKeys": [], "options": options, "comment": None}, open(path, "w"))
    table = oracle.ask("create", os.path.join(work, "wh"), f"db.t{number}", path)[-1].strip().replace("file:", "")
    rows = []
    for _ in range(r.randint(1, 3)):
        part = [["+I"] + [value(r, f["type"]) for f in fields] for _ in range(r.choice([1, 30, 400, 2500]))]
        lines = os.path.join(work, "rows.jsonl")
        with open(lines, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(x, ensure_ascii=False) + "\n" for x in part)
        oracle.ask("write", table, lines)
        rows += part
    for k in range(8):
        wanted = random_filter(r, fields, rows) if k else None
        extra = ["--filter", json.dumps(wanted)] if wanted else []
        want = sorted(oracle.ask("read", table, "--sort", *extra))
        words = [tool, "read", table, "--format", "canonical"] + (["--where", where_text(wanted)] if wanted else [])
        p = subprocess.run(words, capture_output=True, timeout=60)
        got = sorted(p.stdout.decode("utf-8").splitlines())
        if p.returncode:
            return f"exit {p.returncode}: {p.stderr.decode(errors='replace')[-300:]} | {words[5:]}"
        if [json.loads(x) for x in got] != [json.loads(x) for x in want]:
            lost, extra_rows = [x for x in want if x not in got][:1], [x for x in got if x not in want][:1]
            return f"{len(got)} rows instead of {len(want)}; missing {lost} extra {extra_rows} | {words[5:]} | {table}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seed", type=int, default=77)
    a = parser.parse_args()
    oracle = start_oracle(a.build)
    work = tempfile.mkdtemp(prefix="paimon-java-")
    bad = 0
    for i in range(a.tables):
        why = one_table(a.tool, oracle, work, i, random.Random(a.seed * 1000 + i))
        if why is not None:
            bad += 1
            print("FAIL table", i, "|", why[:1000])
    oracle.process.stdin.close()
    oracle.process.wait()
    if not bad:
        shutil.rmtree(work)
    print(f"{a.tables} tables by Paimon Java, {bad} read wrongly")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
