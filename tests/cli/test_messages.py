#!/usr/bin/env python3
"""Commit messages as files: write --messages here, commit there, abort what nobody wants; altered, foreign and repeated ones.

    test_messages.py --tool build/release/bin/paimon [unittest arguments]
"""
import json
import os
import shutil
import sys
import unittest

import test_write
from test_write import Writing


class Messages(Writing):
    def setUp(self):
        super().setUp()
        self.done("create", "db.t", "--columns", "p STRING, v INT", "--partition-by", "p")

    def file(self, name):
        return os.path.join(self.warehouse, name)

    def left(self, name, rows, *more, table="db.t"):
        """Messages of these rows, in a file."""
        self.done("write", table, "--input-format", "csv", "--messages", self.file(name), *more, stdin="p,v\n" + rows)
        return self.file(name)

    def state(self, table="t"):
        folder = os.path.join(self.warehouse, "db.db", table)
        return {f: sorted(os.listdir(os.path.join(folder, f))) for f in ("snapshot", "manifest") if os.path.isdir(os.path.join(folder, f))}

    def refused(self, path, *more, says="", code=1):
        before = self.state()
        self.fails(code, "commit", "db.t", "--messages", path, *more, says=says)
        self.assertEqual(self.state(), before)

    def test_several_files_are_one_snapshot(self):
        one, two, three = self.left("1", "a,1\n"), self.left("2", "b,2\nc,3\n", "--messages-version", "13"), self.left("3", "")
        self.assertEqual(self.rows("db.t"), [])
        self.assertEqual(self.done("commit", "db.t", "--messages", one, "--messages", two, three), "snapshot 1, 3 rows, 3 files\n")
        self.assertEqual(self.rows("db.t"), ['["+I","a",1]', '["+I","b",2]', '["+I","c",3]'])
        self.assertEqual(self.done("commit", "db.t", "--messages", three), "nothing to commit\n")

    def test_every_version_that_is_written(self):
        for version in (10, 11, 12, 13):
            path = self.left("m", f"a,{version}\n", "--messages-version", str(version))
            shown = json.loads(self.done("inspect", path, "--type", "messages", "--version", str(version)))
            self.assertEqual([m["newFiles"][0]["_ROW_COUNT"] for m in shown], [1])
            self.done("commit", "db.t", "--messages", path, "--messages-version", str(version))
        self.assertEqual(len(self.rows("db.t")), 4)
        path = self.left("m", "a,1\n", "--messages-version", "10")
        self.refused(path, says="is that the version?")
        self.refused(path, "--messages-version", "14", says="version 14", code=3)
        self.fails(3, "write", "db.t", "--input-format", "csv", "--messages", self.file("n"), "--messages-version", "9", stdin="p,v\na,1\n", says="version 9")
        self.assertEqual(len(self.data_files()), 5)  # the last ones are gone again

    def test_a_prepared_commit_is_printed_and_not_made(self):
        path, again = self.left("m", "a,1\nb,2\n"), ("--commit-user", "me", "--commit-identifier", "4", "--prepare-only")
        line = self.done("commit", "db.t", "--messages", path, *again, "--table-id", "id \"x\"")
        self.assertEqual(line.count("\n"), 1)
        request = json.loads(line)
        self.assertEqual((request["tableId"], request["baseSnapshotUuid"], request["snapshot"]["id"], request["snapshot"]["commitIdentifier"]), ('id "x"', None, 1, 4))
        self.assertEqual([s["spec"] for s in request["statistics"]], [{"p": "a"}, {"p": "b"}])
        self.assertEqual(self.rows("db.t"), [])
        os.makedirs(os.path.join(self.warehouse, "db.db", "t", "snapshot"))  # what the catalog would do
        with open(os.path.join(self.warehouse, "db.db", "t", "snapshot", "snapshot-1"), "w", encoding="utf-8") as f:
            json.dump(request["snapshot"], f)
        self.assertEqual(self.rows("db.t"), ['["+I","a",1]', '["+I","b",2]'])
        told = self.run_tool("commit", "db.t", "--messages", path, *again)
        self.assertEqual((told.returncode, told.stdout, told.stderr), (0, b"", b"already committed: nothing was done\n"))  # there is nothing to send
        self.assertIsNone(json.loads(self.done("commit", "db.t", "--messages", self.left("n", "a,1\n"), "--prepare-only"))["tableId"])
        self.fails(2, "commit", "db.t", "--messages", path, "--table-id", "x", says="--prepare-only")

    def test_rewriting_gives_the_same_bytes(self):
        path = self.left("m", "a,1\nb,2\n")
        self.done("inspect", path, "--type", "messages", "--rewrite", self.file("again"))
        with open(path, "rb") as a, open(self.file("again"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        old = self.left("old", "a,1\n", "--messages-version", "10")
        self.done("inspect", old, "--type", "messages", "--version", "10", "--rewrite", self.file("new"))
        shown = [self.done("inspect", p, "--type", "messages", "--version", v) for p, v in ((old, "10"), (self.file("new"), "13"))]
        self.assertEqual(shown[0], shown[1])

    def test_a_list_counts_once(self):
        path = self.left("m", "a,1\n")
        self.done("commit", "db.t", "--messages", path)
        self.refused(path, says="in the table already")
        self.done("truncate", "db.t")
        self.refused(path, says="in the table before")
        fresh = self.left("n", "a,2\n")
        self.refused(fresh, fresh, says="named twice")

    def test_a_numbered_commit_is_done_once(self):
        path, name = self.left("m", "a,1\n"), ("--commit-user", "job", "--commit-identifier", "7")
        self.assertEqual(self.done("commit", "db.t", "--messages", path, *name), "snapshot 1, 1 rows, 1 files\n")
        for _ in range(2):
            self.assertEqual(self.done("commit", "db.t", "--messages", path, *name), "already committed: nothing was done\n")
        self.assertEqual(len(self.rows("db.t")), 1)

    def test_an_overwrite_of_messages(self):
        self.done("write", "db.t", "--input-format", "csv", stdin="p,v\na,1\nb,2\n")
        self.done("commit", "db.t", "--overwrite", "--messages", self.left("m", "a,3\n"))
        self.assertEqual(self.rows("db.t"), ['["+I","a",3]', '["+I","b",2]'])
        self.refused(self.left("n", "a,4\n"), "--overwrite", "--partition", "p=b", says="of partition p=a does not belong")
        self.fails(2, "write", "db.t", "--overwrite", "--messages", self.file("x"), stdin="", says="paimon commit --overwrite")

    def test_abort_removes_what_nobody_has(self):
        path = self.left("m", "a,1\nb,2\n")
        self.assertEqual(len(self.data_files()), 2)
        self.done("abort", "db.t", "--messages", path)
        self.assertEqual(self.data_files(), [])
        self.refused(path, says="is gone")
        path = self.left("n", "a,1\n")
        self.done("commit", "db.t", "--messages", path)
        self.done("truncate", "db.t")
        self.fails(1, "abort", "db.t", "--messages", path, says="has been committed")
        self.assertEqual(len(self.data_files()), 1)

    def test_messages_of_another_table_are_refused(self):
        path = self.left("m", "a,1\n")
        for name, words in (("k", ["--columns", "p STRING, v INT"]), ("b", ["--columns", "p STRING, v INT", "--partition-by", "p", "-o", "bucket=2", "-o", "bucket-key=v"]),
                            ("i", ["--columns", "p INT, v INT", "--partition-by", "p"]), ("s", ["--columns", "p STRING, v INT", "--partition-by", "p"])):
            self.done("create", "db." + name, *words)
            self.fails(1, "commit", "db." + name, "--messages", path)
            self.assertEqual(self.state(name), {})
        other = self.left("o", "a,1\n", table="db.b")
        self.refused(other, says="for 2 buckets")

    def test_altered_messages_never_break_the_table(self):
        self.done("write", "db.t", "--input-format", "csv", stdin="p,v\nold,0\n")
        path = self.left("m", "a,1\na longer one,2\n")
        table, saved = self.warehouse + "/db.db/t", self.warehouse + "/saved"
        shutil.copytree(table, saved)
        with open(path, "rb") as f:
            good = f.read()
        altered = self.file("altered")
        codes = set()
        for i in range(0, len(good), 13):
            with open(altered, "wb") as f:
                f.write(good[:i] + bytes([good[i] ^ 0x21]) + good[i + 1:])
            before = self.state()
            p = self.run_tool("commit", "db.t", "--messages", altered)
            codes.add(p.returncode)
            self.assertIn(p.returncode, (0, 1, 3), (i, p.stderr))
            if p.returncode == 0:
                self.assertEqual(len(self.rows("db.t")), 3, i)
                shutil.rmtree(table)
                shutil.copytree(saved, table)
            else:
                self.assertEqual(self.state(), before, i)
        for cut in range(0, len(good), 101):
            with open(altered, "wb") as f:
                f.write(good[:cut])
            self.refused(altered)
        self.assertEqual(codes, {0, 1})

    def test_wrong_use(self):
        self.fails(2, "commit", "db.t", says="--messages is missing")
        self.fails(2, "commit", "db.t", "--messages", "x", "--partition", "p=a", says="--overwrite")
        self.fails(2, "commit", "db.t", "--messages", "x", "--commit-identifier", "1", says="--commit-user")
        self.fails(2, "write", "db.t", "--messages-version", "10", says="--messages")
        self.fails(1, "commit", "db.t", "--messages", self.file("nothing"), says="No such file")
        self.fails(1, "inspect", self.file("db.db"), "--type", "messages")
        self.fails(1, "write", "db.t", "--input-format", "csv", "--messages", self.file("no/such/folder"), stdin="p,v\na,1\n", says="there is no folder")
        self.assertEqual(self.data_files(), [])


if __name__ == "__main__":
    if "--tool" in sys.argv:
        at = sys.argv.index("--tool")
        test_write.TOOL = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
