#!/usr/bin/env python3
"""The same definitions given to `paimon create` and to Paimon Java: both must write the same schema, byte for byte but for the time, and Java
must read and change a table that we made.

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material
from java_tables import Oracle, TYPES


def random_type(r, depth=2):
    kind = r.choice(["atom"] * 4 + ["ARRAY", "MAP", "ROW", "MULTISET"]) if depth else "atom"
    null = r.choice(["", "", " NOT NULL"])
    if kind == "atom":
        return r.choice(TYPES + ["BINARY(3)", "TIMESTAMP(9)", "STRING"]) + null
    if kind == "MAP":
        return {"type": "MAP" + null, "key": r.choice(["STRING NOT NULL", "INT", "DATE"]), "value": random_type(r, depth - 1)}
    if kind == "ROW":
        fields = [{"id": i, "name": f"f{i}", "type": random_type(r, depth - 1)} for i in range(r.randint(1, 3))]
        return {"type": "ROW" + null, "fields": fields}
    return {"type": kind + null, "element": random_type(r, depth - 1)}


def number_fields(value, counter):
    """Any unique ids: they are given anew."""
    if isinstance(value, dict):
        if "name" in value:
            value["id"] = counter[0]
            counter[0] += 1
        for v in value.values():
            number_fields(v, counter)
    elif isinstance(value, list):
        for v in value:
            number_fields(v, counter)


def definition(r):
    fields = [{"id": i, "name": r.choice(["c", "Spalte ä", "col.x", "q\""]) + str(i), "type": random_type(r)} for i in range(r.randint(1, 6))]
    if r.random() < 0.4:
        fields[0]["description"] = "first, \"é\" \\ 中"
    number_fields(fields, [0])
    atoms = [f["name"] for f in fields if isinstance(f["type"], str)]
    partition = atoms[:1] if len(atoms) > 2 and r.random() < 0.5 else []
    rest = [a for a in atoms if a not in partition]
    primary = partition + rest[:1] if rest and r.random() < 0.4 else []
    options = {"file.format": r.choice(["parquet", "orc", "avro"])} if r.random() < 0.5 else {}
    if rest and r.random() < 0.4 and "," not in rest[0]:
        options.update({"bucket": "4"} if primary else {"bucket": "4", "bucket-key": rest[0]})
    return {"fields": fields, "partitionKeys": partition, "primaryKeys": primary, "options": options, "comment": r.choice([None, "a table"])}


def plain(text):
    """Without the time; options in a fixed order, since Java's is a hash's."""
    schema = json.loads(text)
    schema["timeMillis"] = 0
    schema["options"] = dict(sorted(schema["options"].items()))
    return schema, re.sub(r'"options" : \{.*?\}', "", re.sub(r'"timeMillis" : \d+', "", text), flags=re.S)


def one(tool, oracle, work, i, r):
    wanted = definition(r)
    path = os.path.join(work, "definition.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(wanted, f, ensure_ascii=False)
    refused = None
    try:
        java = oracle.ask("create", os.path.join(work, "java"), f"db.t{i}", path)[-1].strip().replace("file:", "")
    except RuntimeError as e:
        refused = str(e)
    p = subprocess.run([tool, "create", f"db.t{i}", "--warehouse", os.path.join(work, "ours"), "--schema", path], capture_output=True, text=True)
    if refused:
        return None if p.returncode else f"Java refuses what we take: {refused[:300]} | {json.dumps(wanted)}"
    if p.returncode:
        return f"we refuse what Java takes: {p.stderr.strip()} | {json.dumps(wanted)}"
    ours = os.path.join(work, "ours", "db.db", f"t{i}")
    with open(java + "/schema/schema-0", encoding="utf-8") as f:
        theirs = f.read()
    with open(ours + "/schema/schema-0", encoding="utf-8") as f:
        mine = f.read()
    if plain(theirs) != plain(mine):
        return f"schemas differ:\n{theirs}\n{mine}"
    if not wanted["primaryKeys"] and wanted["options"].get("file.format") != "avro":
        oracle.ask("read", ours)
    changes = os.path.join(work, "changes.json")
    with open(changes, "w") as f:
        json.dump([{"op": "set", "key": "snapshot.num-retained.max", "value": "17"}], f)
    oracle.ask("alter", ours, changes)
    p = subprocess.run([tool, "alter", ours, "--set", "snapshot.num-retained.max=18"], capture_output=True, text=True)
    if p.returncode or not os.path.exists(ours + "/schema/schema-2"):
        return f"a schema that Java changed cannot be changed: {p.stderr}"
    oracle.ask("alter", ours, changes)
    return None if os.path.exists(ours + "/schema/schema-3") else "Java did not go on from our schema"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--seed", type=int, default=5)
    a = parser.parse_args()
    script = shared_material.find("oracle", "run.sh")
    for what, missing in (("the oracle (shared/oracle)", script is None), ("java", not shutil.which("java")), ("mvn", not shutil.which("mvn"))):
        if missing:
            shared_material.skip(what + " is not here")
    os.environ["ORACLE_BUILD"] = a.build
    os.makedirs(a.build, exist_ok=True)
    made = subprocess.run([script, "version"], capture_output=True, text=True)
    if made.returncode:
        shared_material.skip("the oracle cannot be built: " + (made.stderr.strip().splitlines() or ["?"])[-1][:200])
    oracle = Oracle(script)
    work = tempfile.mkdtemp(prefix="paimon-schemas-")
    bad = 0
    for i in range(a.tables):
        why = one(os.path.abspath(a.tool), oracle, work, i, random.Random(a.seed * 1000 + i))
        if why is not None:
            bad += 1
            print("FAIL definition", i, "|", why[:3000])
    oracle.process.stdin.close()
    oracle.process.wait()
    shutil.rmtree(work)
    print(f"{a.tables} definitions by Paimon Java and by us, {bad} not alike")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
