"""What the tests share: tables in a folder of their own, and the golden tables that Paimon Java wrote."""
import os

import paimon_c
import pytest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(PROJECT, "tests", "data", "golden")
EXAMPLE = os.path.join(PROJECT, "examples", "data", "warehouse", "demo.db", "orders")


@pytest.fixture
def env():
    """An environment of the test's own, so that its memory can be told apart."""
    return paimon_c.Environment()


@pytest.fixture
def catalog(tmp_path, env):
    made = paimon_c.CatalogFactory.create({"warehouse": str(tmp_path / "wh")}, env)
    made.create_database("db")
    return made


@pytest.fixture
def make_table(catalog):
    """make_table([("a", "INT")], partition_keys=…, options=…) -> an empty table."""
    numbers = iter(range(1000))

    def make(fields, **schema):
        name = "db.t%d" % next(numbers)
        made = schema if isinstance(fields, paimon_c.Schema) else paimon_c.Schema(fields, **schema)
        catalog.create_table(name, fields if isinstance(fields, paimon_c.Schema) else made)
        return catalog.get_table(name)

    return make


@pytest.fixture
def orders():
    """A table that Paimon Java wrote."""
    return paimon_c.open_table(EXAMPLE)
