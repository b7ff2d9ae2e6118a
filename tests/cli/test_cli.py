#!/usr/bin/env python3
"""The `paimon` command as a user meets it: exit codes, messages, help, formats, where tables are looked for, hostile arguments.

    test_cli.py --tool build/release/bin/paimon [unittest arguments]
"""
import json
import os
import pty
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAREHOUSE = os.path.join(PROJECT, "examples", "data", "warehouse")
ORDERS = os.path.join(WAREHOUSE, "demo.db", "orders")
GOLDEN = os.path.join(PROJECT, "tests", "data", "golden")
TOOL = "build/release/bin/paimon"

COMMANDS = ["read", "plan", "create", "write", "truncate", "drop", "rename", "alter", "ls", "schema", "snapshots", "files", "inspect", "decode"]
LATER = ["changes", "compact", "check", "expire", "clean-orphans", "tag", "branch", "rollback", "delete", "get"]


def golden(name):
    return os.path.join(GOLDEN, name, "wh", "db.db", "t")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def run(*words, env=None, stdin=None, limits=None, timeout=60):
    full = {**os.environ, **(env or {})}
    if "PAIMON_WAREHOUSE" not in (env or {}):
        full.pop("PAIMON_WAREHOUSE", None)
    return subprocess.run([TOOL, *words], capture_output=True, env=full, stdin=stdin, preexec_fn=limits, timeout=timeout)


class Command(unittest.TestCase):
    def done(self, *words, **more):
        p = run(*words, **more)
        self.assertEqual((p.returncode, p.stderr.decode()), (0, ""), words)
        return p.stdout.decode("utf-8")

    def fails(self, code, *words, says="", **more):
        """Ends with this code, says why on one line of standard error, and puts nothing on standard output."""
        p = run(*words, **more)
        err = p.stderr.decode(errors="replace")
        self.assertEqual(p.returncode, code, (words, err))
        self.assertEqual(p.stdout, b"", words)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith("paimon"), err)
        self.assertIn(says, err)
        return err


class HelpAndVersion(Command):
    def test_version_prints_name_and_number(self):
        self.assertRegex(self.done("--version"), r"^paimon \d+\.\d+\.\d+\n$")

    def test_help_lists_every_command(self):
        text = self.done("--help")
        for name in COMMANDS:
            self.assertIn(f"  {name} ", text)
        self.assertEqual(text, self.done("-h"))

    def test_each_command_explains_itself_with_an_example(self):
        for name in COMMANDS:
            text = self.done(name, "--help")
            self.assertIn(f"Usage: paimon {name} ", text)
            self.assertIn(f"Example:\n  paimon {name} ", text)
            self.assertEqual(text, self.done(name, "-h"))

    def test_no_command_shows_the_help_as_wrong_use(self):
        p = run()
        self.assertEqual((p.returncode, p.stdout), (2, b""))
        self.assertIn(b"Usage:", p.stderr)


class ExitCodes(Command):
    def test_commands_of_later_versions_are_named_and_not_supported(self):
        for name in LATER:
            self.fails(3, name, "t", says=name)

    def test_unknown_words_are_wrong_use(self):
        self.fails(2, "reed", ORDERS, says="reed")
        self.fails(2, "--nope", says="--nope")
        self.fails(2, "read", ORDERS, "--nope", says="--nope")
        self.fails(2, "read", ORDERS, "--limi", "3", says="--limi")
        self.fails(2, "read", ORDERS, "-x", says="-x")
        self.fails(2, "read", ORDERS, "another", says="another")
        self.fails(2, "read", says="TABLE")

    def test_wrong_values_are_wrong_use(self):
        for value in ("-1", "x", "", "1x", "9223372036854775808", " "):
            self.fails(2, "read", ORDERS, "--limit", value, says="--limit")
        self.fails(2, "read", ORDERS, "--limit", says="wants a value")
        self.fails(2, "read", ORDERS, "--format", "xml", says="xml")
        self.fails(2, "read", ORDERS, "--format", "parquet", says="-O")
        self.fails(2, "plan", ORDERS, "--format", "csv", says="csv")
        self.fails(2, "read", ORDERS, "-o", "nothing", says="KEY=VALUE")
        self.fails(2, "read", ORDERS, "--columns", "a,,b", says="a,,b")
        self.fails(2, "read", ORDERS, "--columns", "", says="list of names")
        self.fails(2, "ls", "--all=yes", "--warehouse", WAREHOUSE, says="no value")

    def test_a_predicate_that_does_not_parse_is_wrong_use_and_tells_the_place(self):
        for text in ("amount >", "amount > > 1", "(amount > 1", "amount > 1 1", "'x", "", "amount LIKE", "AND"):
            self.fails(2, "read", ORDERS, "--where", text)

    def test_unsupported_features_are_named(self):
        self.fails(3, "read", ORDERS + "$files", says="files")
        self.fails(3, "read", "demo.orders$snapshots", "--warehouse", WAREHOUSE, says="snapshots")

    def test_what_is_missing_is_a_failure_by_name(self):
        self.fails(1, "read", "/nowhere/at/all", says="/nowhere/at/all")
        self.fails(1, "read", ORDERS, "--columns", "nope", says="nope")
        self.fails(1, "read", ORDERS, "--where", "nope = 1", says="nope")
        self.fails(1, "read", ORDERS, "-o", "scan.snapshot-id=99", says="99")
        self.fails(1, "read", ORDERS, "-o", "scan.tag-name=gone", says="gone")
        self.fails(1, "read", ORDERS, "--branch", "gone", says="gone")
        self.fails(1, "inspect", "/nowhere/file", says="/nowhere/file")
        self.fails(1, "decode", "/nowhere/file", says="/nowhere/file")
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe.parquet")
            os.mkfifo(pipe)
            self.fails(1, "decode", pipe, says=pipe, timeout=20)  # and does not wait for a writer
            self.fails(1, "inspect", pipe, says=pipe, timeout=20)
        self.fails(1, "ls", "gone", "--warehouse", WAREHOUSE, says="gone")
        self.fails(1, "read", "demo.gone", "--warehouse", WAREHOUSE, says="gone")

    def test_columns_named_twice_are_wrong_use(self):
        self.fails(2, "read", ORDERS, "--columns", "day,day", says="day")

    def test_a_file_that_is_no_data_file_fails_with_its_name(self):
        self.fails(1, "decode", os.path.join(ORDERS, "snapshot", "LATEST"), says="LATEST")


class Tables(Command):
    def count(self, *words, **more):
        return int(self.done("read", *words, "--format", "count", **more))

    def test_a_table_is_found_by_path_and_by_name(self):
        self.assertEqual(self.count(ORDERS), 60)
        self.assertEqual(self.count(ORDERS + "/"), 60)
        self.assertEqual(self.count("demo.orders", "--warehouse", WAREHOUSE), 60)
        self.assertEqual(self.count("demo.orders", "--warehouse=" + WAREHOUSE), 60)
        self.assertEqual(self.count("demo.orders", env={"PAIMON_WAREHOUSE": WAREHOUSE}), 60)
        self.assertEqual(self.count(ORDERS, env={"PAIMON_WAREHOUSE": "/nowhere"}), 60)

    def test_a_catalog_file_holds_lines_or_json(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, object_, bad = (os.path.join(folder, x) for x in ("a", "b", "c"))
            for path, text in ((lines, f"# the shop\nwarehouse = {WAREHOUSE}\nmetastore: filesystem\n"),
                               (object_, json.dumps({"warehouse": WAREHOUSE})), (bad, "nonsense\n")):
                write(path, text.encode())
            self.assertEqual(self.count("demo.orders", "--catalog-config", lines), 60)
            self.assertEqual(self.count("demo.orders", "--catalog-config", object_), 60)
            self.fails(1, "read", "demo.orders", "--catalog-config", bad, says="line 1")
            self.fails(1, "read", "demo.orders", "--catalog-config", folder + "/gone", says="gone")

    def test_a_name_without_a_warehouse_is_told_what_it_needs(self):
        self.fails(1, "read", "demo.orders", says="no schema in demo.orders/schema); as db.table it needs --warehouse DIR")
        p = run("read", "./demo.orders")
        self.assertEqual((p.returncode, b"--warehouse" in p.stderr), (1, False))

    def test_no_warehouse_is_wrong_use_for_ls(self):
        self.fails(2, "ls", says="warehouse")

    def test_ls_lists_databases_and_tables(self):
        self.assertEqual(self.done("ls", "--warehouse", WAREHOUSE), "demo\n")
        self.assertEqual(self.done("ls", "demo", "--warehouse", WAREHOUSE), "orders\n")
        self.assertEqual(self.done("ls", "-a", "--warehouse", WAREHOUSE), "demo.orders\n")

    def test_time_travel_and_branches_go_through_options(self):
        self.assertEqual(self.count(ORDERS, "-o", "scan.snapshot-id=1"), 20)
        self.assertEqual(self.count(ORDERS, "-oscan.snapshot-id=2"), 40)
        branch = golden("tags-branches")
        b = self.count(branch, "--branch", "from-tag")
        self.assertEqual(self.count(branch + "$branch_from-tag"), b)
        self.assertEqual(self.count(branch, "-o", "branch=from-tag"), b)


class Rows(Command):
    def test_where_columns_and_limit(self):
        self.assertEqual(self.done("read", ORDERS, "--where", "order_id = 1001", "--columns", "customer,order_id", "--format", "csv"),
                         "customer,order_id\nBen,1001\n")
        self.assertEqual(len(self.done("read", ORDERS, "--limit", "7", "--format", "canonical").splitlines()), 7)
        self.assertEqual(self.done("read", ORDERS, "--limit", "0", "--format", "count"), "0\n")
        self.assertEqual(self.done("read", ORDERS, "--where", "order_id = -1", "--format", "count"), "0\n")

    def test_a_filter_may_use_a_column_that_is_not_read(self):
        self.assertEqual(self.done("read", ORDERS, "--where", "order_id IN (1001, 1003)", "--columns", "customer", "--format", "canonical"),
                         '["+I","Ben"]\n["+I","Grace"]\n')

    def test_formats_agree_on_the_number_of_rows(self):
        self.assertEqual(self.done("read", ORDERS, "--format", "count"), "60\n")
        self.assertEqual(len(self.done("read", ORDERS, "--format", "csv").splitlines()), 61)
        self.assertEqual(len(self.done("read", ORDERS, "--format", "table").splitlines()), 62)
        self.assertEqual(len([json.loads(x) for x in self.done("read", ORDERS, "--format", "jsonl").splitlines()]), 60)

    def test_threads_change_nothing(self):
        one = self.done("read", ORDERS, "--format", "canonical", "--threads", "1")
        for n in ("2", "5", "64"):
            self.assertEqual(self.done("read", ORDERS, "--format", "canonical", "--threads", n), one)
        self.assertEqual(self.done("read", ORDERS, "--format", "canonical", "--batch-rows", "1"), one)

    def test_jsonl_is_readable(self):
        row = json.loads(self.done("read", ORDERS, "--where", "order_id = 1002", "--format", "jsonl"))
        self.assertEqual(row, {"order_id": 1002, "day": "2026-01-02", "region": "EU", "customer": "Ben", "amount": "283.54",
                               "paid_at": "2026-01-02T11:02:05", "tags": []})

    def test_checksum_counts_nulls_and_sums(self):
        sums = json.loads(self.done("read", ORDERS, "--format", "checksum"))
        self.assertEqual(sums["order_id"], [0, sum(range(1001, 1061))])
        self.assertNotIn("tags", sums)
        rows = [json.loads(x) for x in self.done("read", ORDERS, "--format", "canonical").splitlines()]
        self.assertEqual(sums["amount"], [0, sum(int(x[5].replace(".", "")) for x in rows)])
        self.assertEqual(sums["customer"], [0, sum(len(x[4].encode()) for x in rows)])
        self.assertEqual(sums["paid_at"][0], sum(x[6] is None for x in rows))

    def test_csv_tells_null_from_empty_text(self):
        text = self.done("read", golden("part-null"), "--format", "csv")
        rows = [json.loads(x) for x in self.done("read", golden("part-null"), "--format", "canonical").splitlines()]
        if any("" in x for x in rows):
            self.assertIn('""', text)
        self.assertTrue(any(line.endswith(",") or ",," in line for line in text.splitlines()))

    def test_splits_travel_as_files(self):
        table = golden("append-fixed")
        whole = sorted(self.done("read", table, "--format", "canonical").splitlines())
        plan = self.done("plan", table, "--format", "json").splitlines()
        for version in (None, "9", "8"):
            with tempfile.TemporaryDirectory() as folder:
                more = ["--split-version", version] if version else []
                told = json.loads(self.done("plan", table, "--splits", os.path.join(folder, "splits"), *more))
                names = [os.path.join(folder, "splits", name) for name in sorted(os.listdir(os.path.join(folder, "splits")))]
                self.assertEqual(told["splits"], len(names))
                self.assertEqual([self.done("inspect", name).strip() for name in names], plan)
                each = [self.done("read", table, "--split", name, "--format", "canonical").splitlines() for name in names]
                self.assertEqual(sorted(sum(each, [])), whole)
                together = self.done("read", table, *sum((["--split", n] for n in names), []), "--format", "canonical")
                self.assertEqual(together.splitlines(), sum(each, []))
                self.assertEqual(self.done("read", table, "--split", *names, "--format", "canonical"), together)
                again = os.path.join(folder, "again")
                self.assertEqual(self.done("inspect", names[0], "--rewrite", again, *(["--version", version] if version else [])), "")
                self.assertEqual(read(again), read(names[0]))

    def test_a_folder_of_splits_holds_one_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(json.loads(self.done("plan", ORDERS, "--splits", folder))["splits"], 1)
            for other in ("split-000001x", "split-00001", "split-000000001", "mine"):
                write(os.path.join(folder, other), b"")
            self.done("plan", ORDERS, "--where", "region = 'EU'", "--splits", folder)
            self.assertEqual(sorted(os.listdir(folder)), ["mine", "split-000000", "split-000001x", "split-00001"])
            self.assertEqual(self.done("read", ORDERS, "--split", os.path.join(folder, "split-000000"), "--where", "region <> 'EU'", "--format", "count"), "0\n")

    def test_help_stands_in_columns(self):
        for command in COMMANDS + ["commit", "abort"]:
            options = [line for line in self.done(command, "--help").splitlines() if line.startswith("  -") and len(line.split("  ")[1]) < 25]
            self.assertEqual([line for line in options if line[26:28] != "  " or line[28] == " "], [], command)

    def test_what_is_no_split_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            self.done("plan", ORDERS, "--splits", folder)
            good = read(os.path.join(folder, "split-000000"))
            path = os.path.join(folder, "x")
            for bad in (b"", b"x", good[:-1], good[:100], good + b"abc", b"{}" * 100):
                write(path, bad)
                self.fails(1, "read", ORDERS, "--split", path, says=path)
                self.fails(1, "inspect", path, "--type", "split", says=path)
            write(path, good[:11] + b"\x63" + good[12:])
            self.fails(3, "read", ORDERS, "--split", path, says="version 99, where this library reads 1 to 9")
            self.fails(1, "read", ORDERS, "--split", os.path.join(folder, "nothing"), says="nothing")
            self.fails(2, "read", ORDERS, os.path.join(folder, "split-000000"), says="unexpected word")
            self.fails(3, "plan", ORDERS, "--splits", folder, "--split-version", "7", says="versions 8 and 9")
            self.fails(2, "plan", ORDERS, "--split-version", "8", says="--splits")
            self.fails(1, "plan", ORDERS, "--splits", path, says=path)
            self.fails(3, "inspect", os.path.join(ORDERS, "bucket-0"), "--type", "parquet", "--rewrite", path, says="rewriting")

    def test_metadata_is_decoded_and_encoded_again(self):
        with tempfile.TemporaryDirectory() as folder:
            once, twice = os.path.join(folder, "once"), os.path.join(folder, "twice")
            for part, kind in (("schema/schema-0", "schema"), ("snapshot/snapshot-1", "snapshot")):
                self.done("inspect", os.path.join(ORDERS, part), "--rewrite", once)
                self.done("inspect", once, "--type", kind, "--rewrite", twice)
                self.assertEqual(read(once), read(twice))
                now, was = json.loads(read(once)), json.loads(read(os.path.join(ORDERS, part)))
                self.assertEqual({k: v for k, v in now.items() if v}, {k: v for k, v in was.items() if v})
            for name in os.listdir(os.path.join(ORDERS, "manifest")):
                kind = "manifest-list" if name.startswith("manifest-list") else "manifest"
                self.done("inspect", os.path.join(ORDERS, "manifest", name), "--rewrite", once)
                self.done("inspect", once, "--type", kind, "--rewrite", twice)
                self.assertEqual(read(once), read(twice))
                before = json.loads(self.done("inspect", os.path.join(ORDERS, "manifest", name)))["records"]
                after = json.loads(self.done("inspect", once, "--type", kind))["records"]
                self.assertEqual([len(before)] + [r.get("_FILE_NAME") or r["_FILE"]["_FILE_NAME"] for r in before],
                                 [len(after)] + [r.get("_FILE_NAME") or r["_FILE"]["_FILE_NAME"] for r in after])

    def test_the_plan_as_json_has_one_split_a_line(self):
        lines = self.done("plan", ORDERS, "--format", "json").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual({json.loads(x)["snapshot"] for x in lines}, {3})
        self.assertEqual(len(self.done("plan", ORDERS, "--where", "region = 'EU'", "--format", "json").splitlines()), 1)

    def test_files_schema_and_snapshots_as_json(self):
        self.assertEqual(sum(json.loads(x)["_ROW_COUNT"] for x in self.done("files", ORDERS, "--format", "json").splitlines()), 60)
        self.assertEqual(json.loads(self.done("schema", ORDERS, "--format", "json"))["partitionKeys"], ["region"])
        self.assertEqual([json.loads(x)["id"] for x in self.done("snapshots", ORDERS, "--format", "json").splitlines()], [1, 2, 3])
        self.assertIn("DECIMAL(10, 2)", self.done("schema", ORDERS))
        self.assertEqual(len(self.done("snapshots", ORDERS).splitlines()), 5)
        self.assertEqual(len(self.done("files", ORDERS).splitlines()), 11)

    def test_decode_prints_the_rows_of_a_file(self):
        folder = os.path.join(ORDERS, "region=EU", "bucket-0")
        rows = []
        for name in os.listdir(folder):
            rows += [json.loads(x) for x in self.done("decode", os.path.join(folder, name)).splitlines()]
        self.assertEqual(len(rows), 18)
        self.assertTrue(all(len(x) == 7 and x[2] == "EU" for x in rows))

    def test_damage_that_would_lose_rows_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "orders")
            shutil.copytree(ORDERS, copy)
            snapshot = os.path.join(copy, "snapshot", "snapshot-3")
            good = json.loads(read(snapshot))
            for key in ("baseManifestList", "deltaManifestList"):
                for change in ({key: None}, {key: ""}):
                    write(snapshot, json.dumps({**good, **change}).encode())
                    self.fails(1, "read", copy, says=key)
                write(snapshot, json.dumps({k: v for k, v in good.items() if k != key}).encode())
                self.fails(1, "plan", copy, says=key)
            write(snapshot, b"")
            self.fails(1, "read", copy, says="snapshot-3: not JSON: it is empty")
            shutil.rmtree(os.path.join(copy, "snapshot"))
            write(os.path.join(copy, "snapshot"), b"a file in the folder's place")
            self.fails(1, "read", copy, says="expected a folder")
            self.fails(1, "ls", "--warehouse", os.path.join(copy, "snapshot"), says="expected a folder")

    def test_checksums_of_pages_are_compared_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "orders")
            shutil.copytree(ORDERS, copy)
            bucket = os.path.join(copy, "region=EU", "bucket-0")
            names = sorted(os.listdir(bucket))
            rows = self.done("read", copy, "--format", "canonical")
            for name in names:
                data = bytearray(read(os.path.join(bucket, name)))
                self.assertEqual(self.done("decode", os.path.join(bucket, name)), self.done("decode", os.path.join(bucket, name), "--verify-checksums"))
                # The first page's header: type, two sizes and the CRC, each one byte of field and a varint (bit 7: it goes on).
                at = 4
                for field in range(4):
                    self.assertEqual(data[at], 0x15, (name, field))
                    crc, at = at + 1, at + 1
                    while data[at] & 0x80:
                        at += 1
                    at += 1
                data[crc] ^= 0x10
                write(os.path.join(bucket, name), data)
            name = os.path.join(bucket, names[0])
            self.fails(1, "decode", name, "--verify-checksums", says="checksum")
            self.assertIn("[", self.done("decode", name))
            self.assertEqual(rows, self.done("read", copy, "--format", "canonical"))
            on = "parquet.page.verify-checksum.enabled"
            p = run("read", copy, "--format", "count", "-o", on + "=true")
            self.assertEqual(p.returncode, 1)
            self.assertIn(b"checksum", p.stderr)
            self.assertIn(b".parquet", p.stderr)
            self.fails(2, "read", copy, "-o", on + "=perhaps", says=on)

    def test_inspect_shows_each_kind_of_file(self):
        files = [os.path.join(ORDERS, "snapshot", "snapshot-1"), os.path.join(ORDERS, "schema", "schema-0")]
        files += [os.path.join(ORDERS, "manifest", x) for x in os.listdir(os.path.join(ORDERS, "manifest"))]
        files += [os.path.join(ORDERS, "region=EU", "bucket-0", x) for x in os.listdir(os.path.join(ORDERS, "region=EU", "bucket-0"))]
        for name in files:
            json.loads(self.done("inspect", name))


class Output(Command):
    def test_a_file_gets_what_the_output_would(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            self.assertEqual(self.done("read", ORDERS, "--format", "csv", "-O", path), "")
            self.assertEqual(read(path).decode("utf-8"), self.done("read", ORDERS, "--format", "csv"))
            self.fails(1, "read", ORDERS, "-O", os.path.join(folder, "no", "such"), says="no/such")

    def test_a_parquet_file_gets_the_rows_in_place_of_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.parquet")
            for options in ((), ("-o", "file.compression=snappy"), ("--limit", "2"), ("--columns", "amount,region"), ("--where", "amount < 0")):
                self.assertEqual(self.done("read", ORDERS, "--format", "parquet", "-O", path, *options), "")
                rows = self.done("read", ORDERS, "--format", "canonical", *[o for o in options if "compression" not in o and o != "-o"])
                self.assertEqual(self.done("decode", path).count("\n"), rows.count("\n"))
                self.assertEqual(os.listdir(folder), ["out.parquet"])
            self.fails(1, "read", ORDERS, "--format", "parquet", "-O", os.path.join(path, "no"), says="no")
            for form in ("parquet", "csv"):
                self.fails(1, "read", ORDERS, "--format", form, "-O", os.path.join(folder, "a/b/x"), says="there is no folder " + os.path.join(folder, "a/b"))
            self.assertEqual(os.listdir(folder), ["out.parquet"])
            self.fails(2, "read", ORDERS, "--format", "parquet", "-O", path, "-o", "file.compression=middle-out", says="file.compression")

    def test_a_failed_read_leaves_no_half_file(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "t")
            shutil.copytree(ORDERS, copy)
            bucket = os.path.join(copy, "region=EU", "bucket-0")
            for name in os.listdir(bucket):
                os.remove(os.path.join(bucket, name))
            path = os.path.join(folder, "out")
            p = run("read", copy, "--format", "csv", "-O", path)
            self.assertEqual(p.returncode, 1)
            self.assertFalse(os.path.exists(path))

    def test_a_full_disk_is_told(self):
        if os.path.exists("/dev/full"):
            self.fails(1, "read", ORDERS, "-O", "/dev/full", says="/dev/full")

    def test_a_reader_that_went_away_is_a_quiet_end(self):
        r, w = os.pipe()
        os.close(r)
        p = subprocess.run([TOOL, "read", golden("many-commits") if os.path.exists(golden("many-commits")) else ORDERS, "--format", "csv"],
                           stdout=w, stderr=subprocess.PIPE, timeout=60)
        os.close(w)
        self.assertEqual((p.returncode, p.stderr), (0, b""))

    def test_standard_output_that_is_closed_is_a_failure_not_a_crash(self):
        p = subprocess.run(["sh", "-c", f'exec "{TOOL}" read "{ORDERS}" >&-'], stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(p.returncode, 1, p.stderr)

    def test_nothing_but_text_when_piped(self):
        for words in (["read", ORDERS], ["schema", ORDERS], ["plan", ORDERS], ["--help"]):
            self.assertNotIn("\x1b", self.done(*words))

    def test_a_terminal_gets_lines_that_fit(self):
        try:
            master, slave = pty.openpty()
        except OSError as why:  # a bare chroot has no /dev/pts
            self.skipTest(str(why))
        env = {**os.environ, "COLUMNS": "76", "TERM": "xterm"}
        p = subprocess.Popen([TOOL, "read", ORDERS, "--limit", "5"], stdout=slave, stderr=slave, env=env)
        os.close(slave)
        data = b""
        while select.select([master], [], [], 20)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            data += piece
        self.assertEqual(p.wait(20), 0)
        os.close(master)
        text = data.decode("utf-8").replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\r\n", "\n")
        self.assertNotIn("\x1b", text)
        self.assertTrue(all(len(line) <= 76 for line in text.splitlines()), text)
        self.assertEqual(len(text.splitlines()), 7)


class Hostile(Command):
    def never_crashes(self, *words, **more):
        p = run(*words, **more)
        self.assertIn(p.returncode, (0, 1, 2, 3), (words[:3], p.stderr[-2000:]))
        self.assertNotIn(b"Sanitizer", p.stderr)
        return p

    def test_odd_words_never_crash(self):
        for word in ("", " ", "-", "--", "---", "=", "--=", "-o", "$", "a$b$c", "a" * 5000, "../" * 500, "\x01\x1b[31m", "%s%n%s", "é" * 300,
                     "file:", "s3://bucket/x", "file:///", "$branch_", ".", "/"):
            for command in COMMANDS:
                self.never_crashes(command, word)
            self.never_crashes("read", ORDERS, "--where", word)
            self.never_crashes("read", ORDERS, "--columns", word)
            self.never_crashes("read", ORDERS, "--branch", word)
            self.never_crashes("read", ORDERS, "-o", word + "=" + word)
            self.never_crashes("read", word, "--warehouse", WAREHOUSE)

    def test_messages_hold_no_control_characters(self):
        p = run("read", "/no\nwhere\x1b[31m/x")
        self.assertEqual(p.stderr.count(b"\n"), 1)
        self.assertNotIn(b"\x1b", p.stderr)

    def test_deep_and_long_predicates_are_refused_or_read(self):
        self.never_crashes("read", ORDERS, "--where", "(" * 5000 + "order_id = 1" + ")" * 5000)
        self.never_crashes("read", ORDERS, "--where", "NOT " * 5000 + "order_id = 1")
        self.never_crashes("read", ORDERS, "--where", " OR ".join(f"order_id = {i}" for i in range(5000)))
        self.never_crashes("read", ORDERS, "--where", "order_id IN (" + ",".join(map(str, range(20000))) + ")")

    def test_options_with_odd_values_never_crash(self):
        for key in ("scan.snapshot-id", "scan.timestamp-millis", "scan.version", "scan.tag-name", "scan.watermark", "source.split.target-size",
                    "source.split.open-file-cost", "scan.mode", "branch", "incremental-between", "bucket"):
            for value in ("", "-1", "0", "x", "1,2", "9" * 40, "1 gb", "'", "\\", "99999999999999999999 mb"):
                self.never_crashes("read", ORDERS, "-o", f"{key}={value}", "--format", "count")

    def test_damaged_tables_never_crash(self):
        files = []
        for base, _, names in os.walk(ORDERS):
            files += [os.path.relpath(os.path.join(base, x), ORDERS) for x in names]
        with tempfile.TemporaryDirectory() as folder:
            for name in sorted(files):
                for damage in ("cut", "empty", "turn", "junk"):
                    copy = os.path.join(folder, "t")
                    shutil.copytree(ORDERS, copy)
                    path = os.path.join(copy, name)
                    data = bytearray(read(path))
                    if damage == "cut":
                        data = data[:len(data) // 2]
                    elif damage == "empty":
                        data = b""
                    elif damage == "turn" and data:
                        data[len(data) * 2 // 3] ^= 0x55
                    else:
                        data = b"junk" * 10
                    write(path, bytes(data))
                    self.never_crashes("read", copy, "--format", "count")
                    if damage != "cut":
                        self.never_crashes("inspect", path)
                    shutil.rmtree(copy)

    def test_little_memory_is_told(self):
        if "asan" in TOOL or "tsan" in TOOL:
            self.skipTest("a sanitizer needs its address space")
        for mb in (20, 40, 80):
            self.never_crashes("read", ORDERS, "--format", "count", "--threads", "1",
                               limits=lambda: resource.setrlimit(resource.RLIMIT_AS, (mb << 20, mb << 20)))


class RealFiles(Command):
    def test_an_interrupt_ends_it(self):
        p = subprocess.Popen([TOOL, "read", ORDERS, "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=20)
        self.assertIn(p.returncode, (0, -signal.SIGINT))


if __name__ == "__main__":
    if "--tool" in sys.argv:
        at = sys.argv.index("--tool")
        TOOL = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    else:
        TOOL = os.path.abspath(TOOL)
    unittest.main()
