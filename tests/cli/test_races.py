#!/usr/bin/env python3
"""Many processes at one table: appending, overwriting, dropping partitions, truncating, changing options, some killed at random; and tables
that are renamed, or dropped and made again, under those who write. Every snapshot must hold exactly the rows that follow from the one before.

    test_races.py --tool build/release/bin/paimon [--seed N] [--rounds N] [--oracle BUILD]

With --oracle and the shared material, Paimon Java reads the snapshots too.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "interop")]
FAULTS = []


def fault(*words):
    FAULTS.append(" ".join(str(w) for w in words))


class Tool:
    def __init__(self, tool, warehouse):
        self.tool, self.env = tool, {**os.environ, "PAIMON_WAREHOUSE": warehouse}

    def run(self, *words, text="", kill_after=None):
        p = subprocess.Popen([self.tool, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env)
        timer = threading.Timer(kill_after, p.kill) if kill_after is not None else None
        if timer:
            timer.start()
        out, err = p.communicate(text)
        if timer:
            timer.cancel()
        return p.returncode, out, err


def snapshots_of(table):
    return sorted(int(n[9:]) for n in os.listdir(os.path.join(table, "snapshot")) if n.startswith("snapshot-"))


def snapshot(table, number):
    with open(os.path.join(table, "snapshot", f"snapshot-{number}"), encoding="utf-8") as f:
        return json.load(f)


# --- everything at once on one table -------------------------------------------------------------------------------------------------

class Crowd:
    """Workers, each a row of commands; what each asked for is kept by its commit user, or by the snapshot that it was told."""

    def __init__(self, tool, table, seed, rounds):
        self.tool, self.table, self.seed, self.rounds = tool, table, seed, rounds
        self.asked, self.told, self.failed, self.lock = {}, {}, [], threading.Lock()

    def ask(self, r, name):
        """One act: (what, rows, partition, words, input)."""
        what = r.choice(["append"] * 6 + ["overwrite", "static", "truncate", "drop", "alter", "read"])
        part = r.randrange(3)
        rows = [(part if what == "static" else r.randrange(3), f"{name}-{j}") for j in range(r.randrange(1, 5))]
        write = ["write", self.table, "--input-format", "csv", "--commit-user", name]
        words = {"append": write, "overwrite": write + ["--overwrite"], "static": write + ["--overwrite", "--partition", f"p={part}"],
                 "truncate": ["truncate", self.table], "drop": ["drop", self.table, "--partition", f"p={part}"],
                 "alter": ["alter", self.table, "--set", f"k={name}"], "read": ["read", self.table, "--format", "count"]}[what]
        text = "p,id\n" + "".join(f"{p},{i}\n" for p, i in rows) if words[0] == "write" else ""
        return what, rows, part, words, text

    def work(self, k):
        r = random.Random(self.seed * 100 + k)
        for i in range(self.rounds):
            name = f"w{k}-{i}"
            what, rows, part, words, text = self.ask(r, name)
            kill = r.random() * 0.03 if words[0] == "write" and r.random() < 0.25 else None
            with self.lock:
                self.asked[name] = (what, rows, part)
            code, out, err = self.tool.run(*words, text=text, kill_after=kill)
            with self.lock:
                if code == 0 and out.startswith("snapshot"):
                    number = int("".join(c if c.isdigit() else " " for c in out).split()[0])
                    if number in self.told:
                        fault("snapshot", number, "was told to", self.told[number], "and", name)
                    self.told[number] = name
                elif code not in (0, -9):
                    fault(what, "failed:", err.strip())

    def run(self):
        threads = [threading.Thread(target=self.work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def replay(self):
        """What each snapshot must hold."""
        ids, rows, held, users = snapshots_of(self.table), set(), {}, collections.Counter()
        if ids != list(range(1, len(ids) + 1)):
            fault("snapshots have gaps:", ids)
        for number in ids:
            found = snapshot(self.table, number)
            name = found["commitUser"] if found["commitUser"] in self.asked else self.told.get(number)
            users[name] += 1
            if name is None or (number in self.told and self.told[number] != name) or users[name] > 1:
                fault("snapshot", number, "of", found["commitUser"], "was told to", self.told.get(number), "and is its number", users[name])
                continue
            what, new, part = self.asked[name]
            gone = {"append": lambda p: False, "overwrite": lambda p: p in {q for q, _ in new}, "truncate": lambda p: True}.get(what, lambda p: p == part)
            rows = {x for x in rows if not gone(x[0])} | (set(new) if what in ("append", "overwrite", "static") else set())
            held[number] = rows
            if found["totalRecordCount"] != len(rows):
                fault("snapshot", number, "counts", found["totalRecordCount"], "rows, not", len(rows))
        for number in self.told:
            if number not in held:
                fault("snapshot", number, "was told and is lost")
        return held

    def compare(self, held, every, oracle):
        for number in sorted(held)[::every] + sorted(held)[-1:]:
            code, out, err = self.tool.run("read", self.table, "--format", "canonical", "-o", f"scan.snapshot-id={number}")
            rows = [tuple(json.loads(line)[1:]) for line in out.splitlines()]
            if code or len(rows) != len(set(rows)) or set(rows) != held[number]:
                fault("snapshot", number, "reads as", len(rows), "rows, not", len(held[number]), err.strip())
            if oracle and sorted(oracle.ask("read", self.table, "--snapshot", str(number))) != sorted(out.splitlines()):
                fault("Java reads snapshot", number, "otherwise")


def crowd(tool, warehouse, seed, rounds, buckets, oracle):
    table = os.path.join(warehouse, f"crowd{seed}{buckets}")
    options = ["-o", "commit.max-retries=1000", "-o", "commit.min-retry-wait=1 ms", "-o", "commit.max-retry-wait=50 ms", "-o", "manifest.merge-min-count=5"]
    options += ["-o", f"bucket={buckets}", "-o", "bucket-key=id"] if buckets > 0 else []
    tool.run("create", table, "--columns", "p INT, id STRING", "--partition-by", "p", *options)
    c = Crowd(tool, table, seed, rounds)
    c.run()
    held = c.replay()
    c.compare(held, 7, oracle)
    print(f"seed {seed}, {buckets} buckets: {len(held)} snapshots, {len(c.told)} told")


# --- names that change hands ---------------------------------------------------------------------------------------------------------

class Names:
    """Four writers and a reader at db.t, while somebody renames it or drops it and makes it anew."""

    def __init__(self, tool, seed, rounds):
        self.tool, self.seed, self.rounds = tool, seed, rounds
        self.stop, self.done, self.lock = False, set(), threading.Lock()

    def write(self, k):
        i = 0
        while not self.stop:
            i += 1
            code, _, _ = self.tool.run("write", "db.t", "--input-format", "csv", text=f"id,g\n{k * 100000 + i},{i}\n")
            if code == 0:
                with self.lock:
                    self.done.add(k * 100000 + i)
            elif code != 1:
                fault("a write ended with", code)

    def read(self):
        while not self.stop:
            code, _, err = self.tool.run("read", "db.t", "--format", "count")
            if code not in (0, 1):
                fault("a read ended with", code, err)

    def run(self, act):
        threads = [threading.Thread(target=self.write, args=(k,)) for k in range(4)] + [threading.Thread(target=self.read)]
        for t in threads:
            t.start()
        r = random.Random(self.seed)
        for i in range(self.rounds):
            time.sleep(r.random() * 0.1)
            act(i)
        self.stop = True
        for t in threads:
            t.join()

    def must(self, *words):
        code, _, err = self.tool.run(*words)
        if code:
            fault(*words[:2], "failed:", err.strip())

    def rows(self):
        code, out, err = self.tool.run("read", "db.t", "--format", "canonical", "--columns", "id")
        if code:
            fault("the table cannot be read any more:", err.strip())
        return [int(json.loads(line)[1]) for line in out.splitlines()]


def renamed(tool, seed, rounds):
    n = Names(tool, seed, rounds)
    n.must("create", "db.t", "--columns", "id STRING, g INT")

    def act(_):
        n.must("rename", "db.t", "u")
        n.must("rename", "db.u", "t")
    n.run(act)
    rows = n.rows()
    if len(rows) != len(set(rows)) or not n.done <= set(rows):
        fault("renaming lost rows", sorted(n.done - set(rows)), "or doubled them:", len(rows) - len(set(rows)))
    n.must("drop", "db.t")
    print(f"renamed {rounds} times there and back: {len(n.done)} commits")


def dropped(tool, warehouse, seed, rounds):
    n = Names(tool, seed, rounds)
    columns = ["id STRING, g INT", "g STRING, id INT, z BIGINT"]
    n.must("create", "db.t", "--columns", columns[1])
    commits = [0]

    def act(i):
        n.must("drop", "db.t")
        with n.lock:
            commits[0] += len(n.done)
            n.done = set()
        n.must("create", "db.t", "--columns", columns[i % 2])
    n.run(act)
    rows = n.rows()
    # Who was told between the drop and the clearing of `done` wrote to the table that is gone, so more may be there, but nothing twice.
    if len(rows) != len(set(rows)):
        fault("a row is there twice")
    table = os.path.join(warehouse, "db.db", "t")
    last = snapshots_of(table) if os.path.isdir(table + "/snapshot") else []
    if last != list(range(1, len(last) + 1)):
        fault("a table made anew begins with old snapshots:", last)
    n.must("drop", "db.t")
    left = os.listdir(os.path.join(warehouse, "db.db"))
    if left:
        fault("drops left", left)
    print(f"dropped and made again {rounds} times: {commits[0] + len(n.done)} commits")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--oracle", help="where Paimon Java's reader may be built; not given: not asked")
    a = a.parse_args()
    oracle = None
    if a.oracle:
        from java_tables import start_oracle
        oracle = start_oracle(a.oracle)
    warehouse = tempfile.mkdtemp(prefix="paimon-races-")
    tool = Tool(os.path.abspath(a.tool), warehouse)
    for buckets in (-1, 3):
        crowd(tool, warehouse, a.seed, a.rounds, buckets, oracle)
    renamed(tool, a.seed, a.rounds)
    dropped(tool, warehouse, a.seed, a.rounds)
    if oracle:
        oracle.process.stdin.close()
        oracle.process.wait()
    for f in FAULTS:
        print("FAULT", f)
    if FAULTS:
        print("kept:", warehouse)
        return 1
    shutil.rmtree(warehouse)
    return 0


if __name__ == "__main__":
    sys.exit(main())
