"""The package as it is installed: what it needs, what it exports, what it says of its types."""
import os
import re
import subprocess
import sys
import textwrap

import paimon_c
import pytest
from conftest import EXAMPLE, PROJECT

FOLDER = os.path.dirname(paimon_c.__file__)
CACHE = os.path.join(sys.prefix, "mypy-cache")


def test_nothing_but_cffi_is_needed():
    """Reading, writing, planning with every other library made unimportable."""
    code = """
        import sys
        class Refuse:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("pyarrow", "numpy", "pandas", "polars", "duckdb", "nanoarrow", "fsspec", "pypaimon", "ctypes"):
                    raise ImportError(name)
        sys.meta_path.insert(0, Refuse())
        import paimon_c, paimon_c.fs
        table = paimon_c.open_table(sys.argv[1])
        assert table.scan("region = 'EU'").to_pylist() and table.scan().to_pydict() and list(table.scan(limit=2))
        copy = paimon_c.create_table(sys.argv[2], table.schema().to_schema())
        assert copy.write(table).snapshot_id == 1 and copy.scan().count() == table.scan().count()
        print(sorted(m for m in sys.modules if m in ("pyarrow", "numpy", "ctypes")))
    """
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), EXAMPLE, os.path.join(folder, "t")], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "[]\n", done.stderr


def test_the_modules_are_for_every_python_3_and_hide_the_library():
    names = [n for n in os.listdir(FOLDER) if n.endswith(".so")]
    assert sorted(names) == ["_capsule.abi3.so", "_native.abi3.so"]
    for name in names:
        try:
            told = subprocess.run(["nm", "-D", "--defined-only", os.path.join(FOLDER, name)], capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            pytest.skip("no nm here")
        symbols = [line.split()[-1] for line in told.splitlines()]
        assert symbols == ["PyInit_" + name.partition(".")[0]]


def test_it_imports_fast():
    best = min(float(subprocess.run([sys.executable, "-c", "import time; t = time.perf_counter(); import paimon_c; print(time.perf_counter() - t)"],
                                    capture_output=True, text=True, check=True).stdout) for _ in range(3))
    assert best < 0.5, best


def test_versions_agree():
    import importlib.metadata

    with open(os.path.join(PROJECT, "include", "paimon-c", "version.h")) as f:
        assert '"%s"' % paimon_c.__version__ in f.read()
    assert importlib.metadata.version("paimon-c") == paimon_c.__version__
    assert importlib.metadata.requires("paimon-c")[0].startswith("cffi")
    assert paimon_c.feature("parquet") and not paimon_c.feature("nothing")


def test_every_public_name_is_there_and_told():
    for name in paimon_c.__all__:
        value = getattr(paimon_c, name)
        assert name.isupper() or value.__doc__ or name in ("BatchTableWrite", "StreamTableWrite", "BatchTableCommit", "StreamTableCommit", "Database",
                                                           "CatalogFactory"), name


def test_types_are_checked_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    assert os.path.exists(os.path.join(FOLDER, "py.typed"))
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(PROJECT, "pyproject.toml"), "--cache-dir", CACHE,
                           "-p", "paimon_c"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


PROGRAM = """
import datetime
import paimon_c, paimon_c.dataset, paimon_c.fs, paimon_c.tasks
import paimon_c.dask, paimon_c.polars, paimon_c.ray
from paimon_c import col

# catalog
catalog = paimon_c.CatalogFactory.create({"warehouse": "w"})
reveal_type(catalog.list_tables("db"))  # list[str]
catalog.create_table("db.t", paimon_c.Schema([("a", "INT"), paimon_c.DataField(1, "b", "STRING")], partition_keys=("b",), options={"bucket": 2}))
catalog.alter_table("db.t", [paimon_c.SchemaChange.set_option("k", "v"), paimon_c.SchemaChange.remove_option("l")])
table = catalog.get_table(paimon_c.Identifier("db", "t"), {"scan.snapshot-id": 1})
reveal_type(table)  # Table
reveal_type(table.at(timestamp=datetime.datetime.now()).latest_snapshot())  # Snapshot | None
reveal_type(table.schema().fields)  # list[paimon_c.schema.DataField]

# predicate
predicate = (col("a") == 1) & ~col("b").is_in(["x"])
reveal_type(predicate)  # Predicate
reveal_type(paimon_c.PredicateBuilder().between("a", 1, 2) | predicate)  # Predicate

# read
reveal_type(table.scan("a = 1").count())  # int
reveal_type(table.scan(predicate, columns=["a"], limit=5).to_pylist())  # list[dict[str, Any]]
builder = table.new_read_builder().with_filter(predicate).with_limit(5)
reveal_type(builder.new_scan().plan().splits())  # list[paimon_c.read.Split]
for row in builder.new_read().to_iterator(builder.new_scan().plan()):
    reveal_type(row)  # Row
with table.scan(progress=lambda p: print(p.rows)).open() as stream:
    for batch in stream:
        reveal_type(batch)  # Batch
    if stream.metrics is not None:
        reveal_type(stream.metrics.files)  # int

# write
reveal_type(table.write([{"a": 1}], overwrite={"b": "x"}).snapshot_id)  # int | None
with table.new_batch_write_builder().overwrite().with_threads(2).new_write() as w:
    reveal_type(w)  # BatchTableWrite
    reveal_type(w.prepare_commit())  # list[paimon_c.write.CommitMessage]
with table.new_stream_write_builder().with_commit_user("u").new_commit() as c:
    reveal_type(c.filter_and_commit({1: []})[0].already_committed)  # bool

# fs
class Files(paimon_c.fs.FileSystem):
    def stat(self, path: str) -> paimon_c.fs.FileInfo:
        return paimon_c.fs.FileInfo("x", 5)

def environment() -> paimon_c.Environment:
    made = paimon_c.Environment(memory_limit=1 << 30, log=lambda level, line: print(line))
    made.register("x", Files())
    return made

# tasks
for task in paimon_c.tasks.plan_read(table, 4, columns=["a"], environment=environment):
    reveal_type(task)  # ReadTask
job = paimon_c.tasks.WriteJob(table, overwrite=True)
reveal_type(job.commit([job.task.write([])]).snapshot_id)  # int | None

# dataset, dask, polars, ray
reveal_type(table.to_dataset(predicate))  # TableDataset
frame = paimon_c.dask.read_dask(table, npartitions=2)
reveal_type(paimon_c.dask.write_dask(frame, table).snapshots)  # int
lazy = paimon_c.polars.scan(table, "a = 1")
dataset = paimon_c.ray.read_ray(table, columns=["a"], filter=predicate, environment=environment)
reveal_type(paimon_c.ray.write_ray(dataset, table, properties={"by": "me"}).attempts)  # int

# mistakes
table.scan(limit="x")  # error: incompatible type "str"
paimon_c.Schema([("a", 1)])  # error: List item 0 has incompatible type
catalog.get_table(5)  # error: incompatible type "int"
table.write([], overwrite=None)  # error: incompatible type "None"
job.commit("x")  # error: incompatible type "str"
paimon_c.ray.read_ray("path")  # error: incompatible type "str"
table.scan(colums=["a"])  # error: Unexpected keyword argument "colums"
"""


def test_a_user_s_program_is_typed(tmp_path):
    """Over all modules; what a line is told, or why it is wrong, stands behind it."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    told = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", os.path.join(PROJECT, "pyproject.toml"), "--cache-dir", CACHE, str(program)],
                          capture_output=True, text=True, cwd=tmp_path).stdout
    lines = {}
    for number, text in re.findall(r"program\.py:(\d+): (?:error|note): (.*)", told):
        lines.setdefault(int(number), []).append(text)
    for number, line in enumerate(PROGRAM.split("\n"), 1):
        code, _, expected = line.partition("  # ")
        found = " ".join(lines.pop(number, []))
        if not expected:
            assert found == "", "line %d, %s: %s" % (number, line, found)
        elif expected.startswith("error: "):
            assert expected[7:] in found, (line, found)
        else:
            revealed = re.search(r'"(.*)"', found)
            assert revealed and revealed.group(1).replace("builtins.", "").endswith(expected), (line, found)
    assert not lines


QUICK = """
[mypy]
strict = True
[mypy-pyarrow.*,pandas.*,numpy.*,polars.*,duckdb.*,fsspec.*,ray.*,dask.*]
ignore_missing_imports = True
follow_imports = skip
"""
NOT_OURS = r"""
paimon_c\..*\.(pyarrow|pandas|duckdb|pl|polars|dask|ray)
paimon_c\._native\..*
paimon_c\.read\.Row
"""


def test_stubs_are_those_of_the_modules(tmp_path):
    """Of every module: the two stubs against what C made, the rest against what runs. Left out: names imported for their types only, and that a tuple is what it is."""
    pytest.importorskip("mypy")
    (tmp_path / "allowed").write_text(NOT_OURS)
    (tmp_path / "mypy.ini").write_text(QUICK)
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "paimon_c", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed",
                           "--ignore-unused-allowlist"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "paimon_c._capsule" not in done.stdout


def test_a_second_interpreter_is_refused_and_harms_nothing():
    """Whoever imports first. Its end would shut the way into Python for the whole process."""
    code = """
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import paimon_c, paimon_c.fs
        sys.path.insert(0, sys.argv[2])
        from slow_files import LocalFiles
        environment = paimon_c.Environment()
        environment.register("py", LocalFiles())
        other = interpreters.create()
        try:
            told = interpreters.run_string(other, "import paimon_c")
        except Exception as e:
            told = e
        interpreters.destroy(other)
        print("ImportError" in str(told) and "interpreter" in str(told), paimon_c.open_table("py:" + sys.argv[1], environment=environment).scan().count())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), EXAMPLE, os.path.dirname(__file__)], capture_output=True, text=True)
    if "No module named '_xxsubinterpreters'" in done.stderr:
        pytest.skip("this Python makes no interpreters")
    assert done.returncode == 0 and done.stdout == "True 60\n", done.stdout + done.stderr
