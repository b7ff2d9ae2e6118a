"""Databases, tables, schemas, and the exceptions they answer with."""
import paimon_c
import pyarrow as pa
import pytest
from paimon_c import DataField, Identifier, Schema, SchemaChange


def test_databases_are_made_listed_and_dropped(catalog):
    catalog.create_database("b")
    catalog.create_database("b", True)
    with pytest.raises(FileExistsError):
        catalog.create_database("b", False)
    assert catalog.list_databases() == ["b", "db"]
    assert catalog.get_database("b").name == "b"
    with pytest.raises(FileNotFoundError, match="zz"):
        catalog.get_database("zz")
    catalog.create_table("b.t", Schema([("a", "INT")]))
    with pytest.raises(paimon_c.StateError):
        catalog.drop_database("b")
    catalog.drop_database("b", cascade=True)
    catalog.drop_database("b", ignore_if_not_exists=True)
    assert catalog.list_databases() == ["db"]
    with pytest.raises(paimon_c.UnsupportedError):
        catalog.create_database("c", properties={"k": "v"})


def test_tables_are_made_listed_renamed_and_dropped(catalog):
    schema = Schema([("a", "BIGINT NOT NULL"), ("b", "ARRAY<STRING>")], options={"file.compression": "snappy", "bucket": -1}, comment="words")
    catalog.create_table("db.t", schema, False)
    catalog.create_table("db.t", schema, True)
    with pytest.raises(paimon_c.AlreadyExistsError):
        catalog.create_table(Identifier.create("db", "t"), schema)
    assert catalog.list_tables("db") == ["t"] and catalog.table_exists("db.t") and not catalog.table_exists("db.u")
    table = catalog.get_table("db.t")
    assert table.comment == "words" and table.options["file.compression"] == "snappy" and table.options["bucket"] == "-1"
    assert table.column_types() == {"a": "BIGINT NOT NULL", "b": "ARRAY<STRING>"}
    assert str(table.identifier) == table.name == "db.t"
    catalog.rename_table("db.t", "db.u")
    assert catalog.list_tables("db") == ["u"]
    catalog.drop_table("db.u")
    catalog.drop_table("db.u", ignore_if_not_exists=True)
    with pytest.raises(paimon_c.NotFoundError):
        catalog.drop_table("db.u")
    with pytest.raises(FileNotFoundError):
        catalog.get_table("db.u")
    with pytest.raises(FileNotFoundError):
        catalog.list_tables("nothere")


def test_schemas_come_from_anything_with_an_arrow_schema(catalog, orders):
    arrow = pa.schema([pa.field("k", pa.int32(), nullable=False), ("v", pa.struct([("x", pa.decimal128(10, 2))])), ("p", pa.string())])
    for i, source in enumerate([arrow, arrow.empty_table()]):
        catalog.create_table("db.a%d" % i, Schema.from_pyarrow_schema(source.schema if hasattr(source, "schema") else source, partition_keys=["p"]))
        table = catalog.get_table("db.a%d" % i)
        assert pa.schema(table).types == arrow.types and table.partition_keys == ["p"]
    catalog.create_table("db.c", Schema.from_arrow(orders))
    assert catalog.get_table("db.c").column_types() == orders.column_types()
    catalog.create_table("db.d", orders.schema().to_schema())
    assert catalog.get_table("db.d").schema().fields == orders.schema().fields
    with pytest.raises(TypeError):
        Schema.from_arrow({"a": 1})
    with pytest.raises(paimon_c.InvalidError, match="without columns"):
        catalog.create_table("db.e", Schema([]))
    with pytest.raises(paimon_c.InvalidError):
        catalog.create_table("db.e", Schema([DataField(0, "a", "NOTATYPE")]))
    with pytest.raises(paimon_c.InvalidError, match="zz"):
        catalog.create_table("db.e", Schema([("a", "INT")], partition_keys=["zz"]))


def test_options_are_changed(catalog):
    catalog.create_table("db.t", Schema([("a", "INT")], options={"k": "1", "l": "2"}))
    before = catalog.get_table("db.t")
    catalog.alter_table("db.t", [SchemaChange.set_option("k", "9"), SchemaChange.remove_option("l")])
    after = before.refresh()
    assert (before.option("k"), after.option("k"), after.option("l"), after.schema_id) == ("1", "9", None, 1)
    assert after.set_options({"l": 3, "k": None}).options.get("l") == "3"
    catalog.alter_table("db.nothere", [SchemaChange.set_option("k", "9")], ignore_if_not_exists=True)
    with pytest.raises(paimon_c.UnsupportedError):
        catalog.alter_table("db.t", [object()])


def test_identifiers():
    assert str(Identifier.from_string("a.b.c")) == "a.b.c" and Identifier.from_string("a.b.c").get_table_name() == "b.c"
    assert Identifier.from_string("a.b$branch_x").get_branch_name() == "x"
    assert Identifier.create("a", "b") == Identifier.from_string("a.b") and hash(Identifier.create("a", "b")) == hash(Identifier.from_string("a.b"))
    with pytest.raises(paimon_c.InvalidError):
        Identifier.from_string("nodot")


def test_tables_without_a_catalog(tmp_path):
    path = tmp_path / "bare"
    table = paimon_c.create_table(path, Schema([("a", "INT")]))
    with pytest.raises(FileExistsError):
        paimon_c.create_table(path, Schema([("a", "INT")]))
    assert paimon_c.create_table(path, Schema([("a", "INT")]), ignore_if_exists=True).path == table.path
    assert paimon_c.open_table(str(path)).field_names == ["a"]
    with pytest.raises(FileNotFoundError):
        paimon_c.open_table(tmp_path / "nothere")
    with pytest.raises(paimon_c.InvalidError, match="zero byte"):
        paimon_c.open_table("a\0b")


def test_catalogs_that_are_not_there_are_refused_by_name(tmp_path):
    with pytest.raises(NotImplementedError, match="hive"):
        paimon_c.CatalogFactory.create({"warehouse": str(tmp_path), "metastore": "hive"})
    with pytest.raises(paimon_c.InvalidError):
        paimon_c.CatalogFactory.create({})
    with pytest.raises(NotImplementedError):
        paimon_c.CatalogFactory.create({"warehouse": "weird://x"}).list_databases()


@pytest.mark.parametrize("name, builtin", [
    ("InvalidError", ValueError), ("NotFoundError", FileNotFoundError), ("AlreadyExistsError", FileExistsError), ("UnsupportedError", NotImplementedError),
    ("CorruptError", ValueError), ("StorageError", OSError), ("ConflictError", RuntimeError), ("CancelledError", RuntimeError),
    ("OutOfMemoryError", MemoryError), ("StateError", RuntimeError), ("InternalError", RuntimeError)])
def test_each_exception_is_a_builtin_too(name, builtin):
    import pickle

    error = getattr(paimon_c, name)("what happened")
    assert isinstance(error, paimon_c.PaimonError) and isinstance(error, builtin) and str(error) == "what happened"
    assert type(pickle.loads(pickle.dumps(error))) is type(error)


def test_a_memory_limit_is_an_exception_and_leaks_nothing(orders):
    small = paimon_c.Environment(memory_limit=100000)
    with pytest.raises(MemoryError):
        paimon_c.open_table(orders.path, environment=small).scan().to_pylist()
    assert small.memory().current < 100000
    import gc

    gc.collect()
    assert small.memory().peak <= 100000
