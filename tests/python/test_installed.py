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


def test_a_user_s_program_is_typed(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent("""
        import paimon_c
        table = paimon_c.open_table("x")
        reveal_type(table.scan("a = 1").count())
        reveal_type(table.write([]))
        reveal_type(table.new_read_builder().with_limit(5).new_scan().plan().splits())
        with table.new_batch_write_builder().new_write() as w:
            reveal_type(w)
        table.scan(limit="x")
    """))
    told = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", CACHE, str(program)], capture_output=True, text=True).stdout
    for expected in ('"int"', "CommitResult", "Split]", "BatchTableWrite", 'incompatible type "str"'):
        assert expected in told, told
    assert "untyped" not in told, told


def test_stubs_are_those_of_the_modules(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "paimon_c._capsule", "--mypy-config-file", os.path.join(PROJECT, "pyproject.toml")],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
