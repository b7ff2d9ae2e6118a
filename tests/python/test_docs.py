"""The programs in docs/python.md and README.md run, one after the other, as they stand."""
import os
import re

import pytest
from conftest import PROJECT


def programs(name):
    with open(os.path.join(PROJECT, name), encoding="utf-8") as f:
        return re.findall(r"```python\n(.*?)```", f.read(), flags=re.S)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    return str(tmp_path_factory.mktemp("docs"))


def test_the_guide_runs(warehouse):
    names = {}
    blocks = programs(os.path.join("docs", "python.md"))
    assert len(blocks) > 5
    for i, block in enumerate(blocks):
        exec(compile(block.replace("/data/wh", warehouse), "docs/python.md, block %d" % (i + 1), "exec"), names)
    assert names["rows"].count() == 0 and names["orders"].latest_snapshot().id == 7
    assert names["copy"].scan().count() == names["orders"].scan().count() > 0


def test_the_readme_runs(warehouse):
    block = programs("README.md")[0]  # the other one: test_engine_docs.py
    exec(compile(block.replace("/data/wh", warehouse), "README.md", "exec"), {})


def test_the_list_of_what_is_like_pypaimon_is_true():
    """Each name in the table "The same" is ours."""
    import paimon_c

    with open(os.path.join(PROJECT, "docs", "migrating-from-pypaimon.md"), encoding="utf-8") as f:
        same = f.read().partition("## The same")[2].partition("## Different")[0]
    holders = [paimon_c] + [getattr(paimon_c, n) for n in paimon_c.__all__] + [paimon_c.snapshot.SnapshotManager]
    for code in re.findall(r"`([^`]+)`", same):
        for name in re.findall(r"[A-Za-z_]+(?=\(|$)", code.split("(")[0].split(".")[-1]):
            assert any(hasattr(h, name) or name in getattr(h, "__dict__", {}) for h in holders) or name in ("comment", "identifier"), code
