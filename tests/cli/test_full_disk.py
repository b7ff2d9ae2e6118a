#!/usr/bin/env python3
"""A small real disk that is full to the brim again and again while a table on it is written, overwritten, truncated and altered: what is told as
done is there, what failed has changed nothing and left no file.

    test_full_disk.py --tool build/release/bin/paimon [--rounds N]

Mounts a tmpfs of 2 MB, in a mount namespace of its own where root may not; says so where neither is allowed.
"""
import argparse
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material

LEAVE = [0, 4096, 8192, 12288, 16384, 20480, 24576, 28672, 32768, 40960, 65536, 131072]  # bytes that the disk has left


class Disk:
    def __init__(self, tool, place, seed):
        self.tool, self.place, self.table, self.r = tool, place, os.path.join(place, "t"), random.Random(seed)
        self.rows, self.done, self.failed, self.faults = 0, 0, 0, []
        self.begin()

    def run(self, *words, text=""):
        return subprocess.run([self.tool, *words], input=text, capture_output=True, text=True, timeout=60)

    def begin(self):
        shutil.rmtree(self.table, ignore_errors=True)
        self.rows = 0
        self.run("create", self.table, "--columns", "p INT, v STRING", "--partition-by", "p")

    def files(self):
        return sorted(os.path.join(folder, f) for folder, _, names in os.walk(self.table) for f in names)

    def fill(self):
        free = os.statvfs(self.place).f_bavail * os.statvfs(self.place).f_frsize
        leave = self.r.choice(LEAVE)
        if free > leave:
            with open(os.path.join(self.place, "fill"), "wb") as f:
                f.write(b"x" * (free - leave))

    def act(self, k):
        n = self.r.choice([1, 10, 1000, 3000])
        text = "p,v\n" + "".join(f"{self.r.randrange(3)},{self.r.random()}\n" for _ in range(n))
        what = self.r.choice(["write", "write", "write", "overwrite", "truncate", "drop", "alter"])
        write = ["write", self.table, "--input-format", "csv"]
        words = {"write": write, "overwrite": write + ["--overwrite", "-o", "dynamic-partition-overwrite=false"], "truncate": ["truncate", self.table],
                 "drop": ["drop", self.table, "--partition", "p=1"], "alter": ["alter", self.table, "--set", f"k{k}=1"]}[what]
        want = {"write": self.rows + n, "overwrite": n, "truncate": 0, "alter": self.rows}.get(what)
        return what, self.run(*words, text=text if words[0] == "write" else ""), want

    def step(self, k):
        before = self.files()
        self.fill()
        what, p, want = self.act(k)
        for f in glob.glob(os.path.join(self.place, "fill")):
            os.remove(f)
        read = self.run("read", self.table, "--format", "count")
        if read.returncode:
            self.faults.append(f"step {k}, {what}: the table cannot be read: {read.stderr.strip()}")
            return self.begin()
        got = int(read.stdout)
        if p.returncode == 0:
            self.done += 1
            if want is not None and got != want:
                self.faults.append(f"step {k}, {what}: {got} rows, not {want}")
        else:
            self.failed += 1
            left = sorted(set(self.files()) - set(before))
            if p.returncode != 1 or got != self.rows or left:
                self.faults.append(f"step {k}, {what}: exit {p.returncode}, {self.rows} rows became {got}, left {left}: {p.stderr.strip()}")
        self.rows = got
        if got > 20000 or len(before) > 300:
            self.begin()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--rounds", type=int, default=150)
    a.add_argument("--inside", action="store_true")
    a = a.parse_args()
    place = tempfile.mkdtemp(prefix="paimon-full-")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True).returncode:
        os.rmdir(place)
        tried = None if a.inside or not shutil.which("unshare") else subprocess.run(["unshare", "-rm", "true"], capture_output=True)
        if tried is None or tried.returncode:
            shared_material.skip("a full disk (mounting one is not allowed here)")
        os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv, "--inside"])
    try:
        disk = Disk(os.path.abspath(a.tool), place, 7)
        for k in range(a.rounds):
            disk.step(k)
    finally:
        subprocess.run(["umount", place], capture_output=True)
        os.rmdir(place)
    for f in disk.faults:
        print("FAULT", f)
    print(f"{disk.done} done, {disk.failed} failed for want of room, {len(disk.faults)} faults")
    return 1 if disk.faults or disk.failed < a.rounds // 5 else 0


if __name__ == "__main__":
    sys.exit(main())
