"""The programs in README.md, docs/engines.md and docs/ray.md run, as they stand."""
import os
import re

import paimon_c
import pyarrow as pa
import pytest
from conftest import PROJECT
from ray_cluster import ray_cluster  # noqa: F401


def programs(*name):
    with open(os.path.join(PROJECT, *name), encoding="utf-8") as f:
        return re.findall(r"```python\n(.*?)```", f.read(), flags=re.S)


FIELDS = [("order_id", "BIGINT"), ("customer_id", "INT"), ("customer", "STRING"), ("region", "STRING"), ("amount", "DECIMAL(10, 2)"), ("day", "DATE")]


@pytest.fixture
def shop(tmp_path):
    """What the documents speak of."""
    orders = paimon_c.create_table(tmp_path / "shop.db" / "orders", paimon_c.Schema(FIELDS))
    rows = [{"order_id": k, "customer_id": k % 3, "customer": "c%d" % (k % 3), "region": ["EU", "US"][k % 2], "amount": k, "day": k} for k in range(300)]
    schema = pa.schema(orders.schema())
    orders.write(pa.Table.from_pylist([{**r, "amount": None, "day": None} for r in rows], schema=schema)
                 .set_column(4, schema.field(4), pa.array(range(300), pa.int32()).cast(pa.decimal128(12, 2)).cast(pa.decimal128(10, 2)))
                 .set_column(5, schema.field(5), pa.array([19700 + k for k in range(300)], pa.int32()).cast(pa.date32())))
    people = paimon_c.create_table(tmp_path / "shop.db" / "people", paimon_c.Schema([("customer_id", "INT"), ("name", "STRING")]))
    people.write(pa.table({"customer_id": pa.array([0, 1, 2], pa.int32()), "name": ["Ann", "Ben", "Cy"]}))
    target = paimon_c.create_table(tmp_path / "shop.db" / "taxed", paimon_c.Schema(FIELDS))
    return {"orders": orders, "people": people, "target": target, "paimon_c": paimon_c, "where": str(tmp_path)}


def run(block, names):
    exec(compile(block.replace("/data/wh", names["where"]).replace("ProcessPoolExecutor", "ThreadPoolExecutor"), "a document's block", "exec"), names)


def test_the_guide_to_engines_runs(shop, capsys):
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    pytest.importorskip("dask.dataframe")
    shop.update(duckdb=duckdb, pl=pl, parts=[pa.table({"order_id": [1]}), pa.table({"order_id": [2]})])
    in_duckdb, in_polars, processes, in_dask = programs("docs", "engines.md")
    run(in_duckdb, shop)
    assert {name for name, _ in shop["con"].sql("SELECT name, count(*) FROM orders JOIN p USING (customer_id) GROUP BY 1").fetchall()} == {"Ann", "Ben", "Cy"}
    run(in_polars, shop)
    assert shop["lazy"].collect().height == 199
    run(processes, shop)
    assert capsys.readouterr().out == "199\n" and shop["target"].scan().count() == 2
    run(in_dask, shop)
    assert shop["target"].scan().count() == 2 + 99


def test_the_readme_s_engines_run(shop, ray_cluster):  # noqa: F811
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    shop.update(con=duckdb.connect(), pl=pl, my_function=lambda batch: batch)
    run(programs("README.md")[1], shop)
    assert shop["target"].scan().count() == 150


def test_the_guide_to_ray_runs(shop, ray_cluster):  # noqa: F811
    shop["add_tax"] = lambda table: table
    run(programs("docs", "ray.md")[0], shop)
    assert shop["target"].scan().count() == 99
