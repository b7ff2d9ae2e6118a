"""docs/recipe-java-plans.md, run: Paimon Java plans and commits, our workers read and write; and the other way round."""
import concurrent.futures
import importlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys

import paimon_c
import pyarrow as pa
import pytest
from conftest import PROJECT

sys.path.insert(0, os.path.join(PROJECT, "tests"))
import shared_material  # noqa: E402


class Oracle:
    """Paimon Java 1.3.1 behind a command: one process answers all."""

    def __init__(self, script):
        self._process = subprocess.Popen([script, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def ask(self, *words):
        self._process.stdin.write(json.dumps([str(w) for w in words]) + "\n")
        self._process.stdin.flush()
        lines = []
        for line in self._process.stdout:
            if line.startswith('{"rc":'):
                assert json.loads(line)["rc"] == 0, lines
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError("the oracle ended")

    def rows(self, *words):
        """Sorted, without their kinds."""
        return sorted(json.loads(line)[1:] for line in self.ask("read", *words))

    def close(self):
        self._process.stdin.close()
        self._process.wait()


@pytest.fixture(scope="module")
def java():
    script = shared_material.find("oracle", "run.sh")
    if script is None or not shutil.which("java") or not shutil.which("mvn"):
        pytest.skip("Paimon Java is not here (needs shared/oracle, java and mvn)")
    os.environ.setdefault("ORACLE_BUILD", os.path.join(PROJECT, "build", "oracle"))
    os.makedirs(os.environ["ORACLE_BUILD"], exist_ok=True)
    if subprocess.run([script, "version"], capture_output=True).returncode:
        pytest.skip("the oracle cannot be built")
    oracle = Oracle(script)
    yield oracle
    oracle.close()


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    """The document's Python, as a module that other processes can import too."""
    with open(os.path.join(PROJECT, "docs", "recipe-java-plans.md"), encoding="utf-8") as f:
        code = "\n".join(re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S))
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "recipe_java_plans.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("recipe_java_plans")
    sys.path.remove(str(folder))


@pytest.fixture
def pool():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as made:
        yield made


@pytest.fixture
def table(java, tmp_path):
    """Made and filled by Java: (path, schema as Java has it)."""
    schema = {"fields": [{"name": "id", "type": "BIGINT"}, {"name": "name", "type": "STRING"}, {"name": "price", "type": "DECIMAL(10, 2)"},
                         {"name": "day", "type": "DATE"}], "partitionKeys": ["day"], "primaryKeys": [], "options": {"bucket": "-1"}, "comment": None}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    path = java.ask("create", tmp_path / "wh", "db.t", tmp_path / "schema.json")[-1]
    path = path[len("file:"):] if path.startswith("file:") else path
    rows = [["+I", k, None if k % 7 == 0 else "n%d" % k, "%d.50" % k, "2024-01-%02d" % (k % 4 + 1)] for k in range(200)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    java.ask("write", path, tmp_path / "rows.jsonl")
    with open(os.path.join(path, "schema", "schema-0")) as f:
        return path, f.read()


def test_java_plans_and_commits_while_we_read_and_write(java, recipe, pool, table, tmp_path):
    path, schema = table
    splits = [bytes.fromhex(line) for line in java.ask("plan", path, "--hex")]
    assert len(splits) == 4
    tables = list(pool.map(recipe.read_rows, [path] * 2, [schema] * 2, [splits[:2], splits[2:]]))
    ours = sorted([r["id"], r["name"], str(r["price"]), str(r["day"])] for t in tables for r in t.to_pylist())
    assert ours == java.rows(path) and len(ours) == 200
    some = pool.submit(recipe.read_rows, path, schema, splits, ["name", "id"], "id < 20 AND name IS NULL").result()
    assert some.column_names == ["name", "id"] and sorted(some["id"].to_pylist()) == [0, 7, 14]

    # Half the prices, in new partitions; the messages in Java's version.
    version = int(re.search(r"\b10\b", " ".join(java.ask("version"))).group())
    new = [pa.table({"id": t["id"], "name": t["name"], "price": pa.array([p / 2 for p in t["price"].to_pylist()], pa.decimal128(10, 2)),
                     "day": pa.array([19800 + k % 2 for k in range(len(t))], pa.date32())}) for t in tables]
    messages = [m for part in pool.map(recipe.write_rows, [path] * 2, [schema] * 2, new, [version] * 2) for m in part]
    (tmp_path / "messages").write_text("".join(m.hex() + "\n" for m in messages))
    assert java.rows(path) == ours  # nothing shows before the commit
    java.ask("commit-messages", path, tmp_path / "messages", "--version", version)
    both = java.rows(path)
    assert len(both) == 400 and sorted(r[0] for r in both) == sorted(2 * list(range(200)))
    again = paimon_c.open_table(path)
    assert again.scan().count() == 400 and sorted([r["id"], r["name"], str(r["price"]), str(r["day"])] for r in again.to_pylist()) == both


def test_we_plan_and_commit_while_java_reads_and_writes(java, table, tmp_path):
    path, _ = table
    ours = paimon_c.open_table(path)
    splits = ours.new_read_builder().new_scan().plan().splits()
    (tmp_path / "splits").write_text("".join(s.to_bytes(8).hex() + "\n" for s in splits))
    read = sorted(json.loads(line)[1:] for line in java.ask("read-splits", path, tmp_path / "splits"))
    assert read == java.rows(path)
    (tmp_path / "new.jsonl").write_text(json.dumps(["+I", 1000, "java", "1.25", "2024-02-01"]) + "\n")
    lines = java.ask("write", path, tmp_path / "new.jsonl", "--no-commit")
    messages = [paimon_c.CommitMessage.from_bytes(bytes.fromhex(line), 10) for line in lines]
    with ours.new_batch_write_builder().new_commit() as commit:
        assert commit.commit(messages).snapshot_id == 2
    assert ours.scan("id = 1000").to_pylist()[0]["name"] == "java" and [1000, "java", "1.25", "2024-02-01"] in java.rows(path)
