#!/usr/bin/env python3
"""Indexes of row ids that pypaimon builds, in tables with data evolution: each of its commits is turned back into messages, which we commit to a
twin of the table. The twin has the same index files and row ids then, pypaimon reads it through them, and goes on with it.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judges

VERSION = "13"


class Twins:
    def __init__(self, tool, maker, work):
        import pypaimon
        self.tool, self.maker, self.work = tool, maker, work
        self.catalogs = {n: pypaimon.CatalogFactory.create({"warehouse": os.path.join(work, n)}) for n in ("theirs", "ours")}
        self.faults = self.snapshots = self.indexes = 0

    def fault(self, *words):
        self.faults += 1
        print("FAULT", *[str(w)[:600] for w in words])

    def folder(self, who):
        return os.path.join(self.work, who, "db.db", "t")

    def table(self, who):
        return self.catalogs[who].get_table("db.t")

    def make(self, schema, **options):
        import pypaimon
        self.catalogs["theirs"].create_database("db", True)
        self.catalogs["theirs"].create_table("db.t", pypaimon.Schema.from_pyarrow_schema(schema, options={"bucket": "-1", **options}), True)
        shutil.copytree(os.path.join(self.work, "theirs"), os.path.join(self.work, "ours"), dirs_exist_ok=True)

    def snapshot(self, who, number):
        with open(os.path.join(self.folder(who), "snapshot", f"snapshot-{number}"), encoding="utf-8") as f:
            return json.load(f)

    def latest(self, who):
        try:
            with open(os.path.join(self.folder(who), "snapshot", "LATEST"), encoding="utf-8") as f:
                return int(f.read())
        except FileNotFoundError:
            return 0

    def inspect(self, who, kind, name):
        path = os.path.join(self.folder(who), "manifest", name)
        p = subprocess.run([self.tool, "inspect", "--type", kind, path], capture_output=True, text=True, encoding="utf-8", check=True)
        return json.loads(p.stdout)["records"]

    def content(self, who, number):
        s = self.snapshot(who, number)
        indexes = self.inspect(who, "index-manifest", s["indexManifest"]) if s.get("indexManifest") else []
        files = [e for m in self.inspect(who, "manifest-list", s["deltaManifestList"]) for e in self.inspect(who, "manifest", m["_FILE_NAME"])]
        text = lambda lines: sorted(json.dumps(line, sort_keys=True) for line in lines)
        return {"kind": s["commitKind"], "rows": s["totalRecordCount"], "next row id": s["nextRowId"], "files": text(files), "index files": text(indexes)}

    def step(self, name, act):
        """pypaimon does it to its table, we to ours."""
        before = self.latest("theirs")
        act(self.table("theirs"))
        if self.latest("theirs") == before:
            self.fault(name, "made no snapshot")
        for place, _, files in os.walk(self.folder("theirs")):
            to = os.path.join(self.folder("ours"), os.path.relpath(place, self.folder("theirs")))
            for f in files:
                if "/snapshot" not in place and "/manifest" not in place and not os.path.exists(os.path.join(to, f)):
                    os.makedirs(to, exist_ok=True)
                    shutil.copy(os.path.join(place, f), os.path.join(to, f))
        for number in range(before + 1, self.latest("theirs") + 1):
            path = os.path.join(self.work, f"messages-{number}.bin")
            subprocess.run([self.maker, "replay", path, self.folder("theirs"), str(number), VERSION], check=True)
            p = subprocess.run([self.tool, "commit", self.folder("ours"), "--messages", path, "--messages-version", VERSION], capture_output=True, text=True)
            if p.returncode:
                self.fault(name, "snapshot", number, p.stderr.strip())
                return
            self.snapshots += 1
            theirs, ours = self.content("theirs", number), self.content("ours", number)
            self.indexes += len(ours["index files"])
            for k in theirs:
                if ours[k] != theirs[k]:
                    self.fault(name, "snapshot", number, k, ours[k], "pypaimon:", theirs[k])

    def read(self, who, **condition):
        table = self.table(who)
        builder = table.new_read_builder()
        for column, value in condition.items():
            builder = builder.with_filter(builder.new_predicate_builder().equal(column, value))
        plan = builder.new_scan().plan()
        return sorted(map(str, builder.new_read().to_arrow(plan.splits()).to_pylist()))

    def same_rows(self, name, n, **condition):
        theirs, ours = self.read("theirs", **condition), self.read("ours", **condition)
        if theirs != ours or len(ours) != n:
            self.fault(name, len(ours), "rows of ours,", len(theirs), "of pypaimon's,", n, "expected", ours[:3])


def write(rows):
    def act(table):
        import pyarrow
        builder = table.new_batch_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        writer.write_arrow(pyarrow.Table.from_pylist(rows, pyarrow.schema([("id", pyarrow.int32()), ("v", pyarrow.string())])))
        commit.commit(writer.prepare_commit())
        writer.close()
        commit.close()
    return act


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tool", required=True)
    a.add_argument("--maker", required=True)
    a.add_argument("--venv", required=True, help="where the judges are installed")
    a = a.parse_args()
    judges.run_inside(os.path.abspath(a.venv))
    import pyarrow
    work = tempfile.mkdtemp(prefix="paimon-indexed-")
    x = Twins(os.path.abspath(a.tool), os.path.abspath(a.maker), work)
    x.make(pyarrow.schema([("id", pyarrow.int32()), ("v", pyarrow.string())]), **{"row-tracking.enabled": "true", "data-evolution.enabled": "true"})
    x.step("rows", write([{"id": i, "v": "v%d" % (i % 7)} for i in range(100)]))
    x.step("index", lambda t: t.create_global_index("id"))
    x.step("index of texts", lambda t: t.create_global_index("v", index_type="bitmap"))
    x.same_rows("indexed", 1, id=42)
    x.same_rows("indexed", 14, v="v3")
    x.step("more rows", write([{"id": i, "v": "w"} for i in range(100, 120)]))
    x.step("index of more rows", lambda t: t.create_global_index("id"))
    x.same_rows("indexed, more", 1, id=110)
    x.step("no index", lambda t: t.drop_global_index("id"))
    x.same_rows("all", 120)
    if x.indexes != 1 + 2 + 2 + 3 + 1:
        x.fault(x.indexes, "index files")
    table = x.table("ours")  # pypaimon goes on where we committed
    table.create_global_index("id")
    if x.read("ours", id=110) != x.read("theirs", id=110):
        x.fault("rows after pypaimon went on", x.read("ours", id=110))
    print(f"{x.snapshots} snapshots, {x.indexes} index files as pypaimon's, {x.faults} faults")
    if x.faults:
        print("kept:", work)
        return 1
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
