#!/usr/bin/env python3
"""Paimon Java and `paimon write` commit to one local table at the same time: no commit of Java's may be lost, and of ours only
those whose snapshot Java overwrote (it checks, then renames: docs/compatibility.md).

Needs the oracle (shared/oracle: Paimon Java behind a command), a JDK and Maven; says so and stops where they are missing.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material
from java_tables import Oracle


def our_commits(tool, table, first, n, done, faults):
    """One-row commits of ours, each a process; done[id] = the snapshot that was told."""
    for i in range(first, first + n):
        p = subprocess.run([tool, "write", table, "--input-format", "csv"], input=f"id,who\n{i},ours\n", capture_output=True, text=True)
        if p.returncode != 0:
            faults.append(f"our commit of row {i}: exit {p.returncode}: {p.stderr.strip()}")
        else:
            done[i] = int("".join(c if c.isdigit() else " " for c in p.stdout).split()[0])


def java_commits(oracle, work, table, first, n, done):
    """One-row commits of Java's; it gives up on one when it loses too often, which is its own affair."""
    for i in range(first, first + n):
        rows = os.path.join(work, f"java-{i}.jsonl")
        with open(rows, "w", encoding="utf-8") as f:
            f.write(json.dumps(["+I", i, "java"]) + "\n")
        try:
            oracle.ask("write", table, rows)
            done.append(i)
        except RuntimeError as e:
            print("Java gave up on row", i, "|", e)


def is_ours(table, snapshot):
    """Each of our snapshots says which library wrote it."""
    with open(os.path.join(table, "snapshot", f"snapshot-{snapshot}"), encoding="utf-8") as f:
        return json.load(f).get("writerVersion", "").startswith("paimon-c")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--build", required=True, help="where the oracle may be built")
    a.add_argument("--commits", type=int, default=20, help="of each writer")
    a = a.parse_args()
    script = shared_material.find("oracle", "run.sh")
    if not script or not shutil.which("java") or not shutil.which("mvn"):
        shared_material.skip("Paimon Java beside us (needs shared/oracle, java and mvn)")
    os.environ.setdefault("ORACLE_BUILD", os.path.abspath(a.build))
    work = tempfile.mkdtemp(prefix="paimon-beside-")
    table = os.path.join(work, "t")
    subprocess.run([a.tool, "create", table, "--columns", "id INT, who STRING"], check=True, capture_output=True)
    oracle = Oracle(script)
    ours, java, faults = {}, [], []
    threads = [threading.Thread(target=our_commits, args=(a.tool, table, 1000 * k, a.commits, ours, faults)) for k in (1, 2)]
    threads.append(threading.Thread(target=java_commits, args=(oracle, work, table, 0, a.commits, java)))
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    read = subprocess.run([a.tool, "read", table, "--format", "canonical"], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in read.stdout.splitlines()]
    there = {r[1] for r in rows}
    if len(there) != len(rows):
        faults.append("a row is there twice")
    lost_java = [i for i in java if i not in there]
    if lost_java:
        faults.append(f"rows of Java's are lost: {lost_java}")
    overwritten = [i for i in ours if i not in there]
    faults += [f"row {i} of ours is lost, and snapshot {ours[i]} is not Java's" for i in overwritten if is_ours(table, ours[i])]
    ids = sorted(int(n[9:]) for n in os.listdir(os.path.join(table, "snapshot")) if n.startswith("snapshot-") and n[9:].isdigit())
    if ids != list(range(1, len(ids) + 1)):
        faults.append(f"snapshots have gaps: {ids}")
    print(f"{len(ours)} commits of ours, {len(java)} of Java's, {len(ids)} snapshots; Java overwrote {len(overwritten)} of ours")
    for f in faults:
        print("FAULT", f)
    if faults:
        print("kept:", work)
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
