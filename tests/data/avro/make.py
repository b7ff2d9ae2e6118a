#!/usr/bin/env python3
"""Write the Avro files of this folder with fastavro (needs cramjam, and zstandard or backports.zstd): manifests whose values
follow from the number of the entry, in every codec and in the shapes that writers may give a schema. tests/unit/meta/test_manifest.c
knows the same rule."""
import os
import struct

import fastavro

HERE = os.path.dirname(os.path.abspath(__file__))
NULLABLE_LONGS = {"type": "array", "items": ["null", "long"]}


def stats(name):
    return {"type": "record", "name": name, "fields": [
        {"name": "_MIN_VALUES", "type": "bytes"},
        {"name": "_MAX_VALUES", "type": "bytes"},
        {"name": "_NULL_COUNTS", "type": ["null", NULLABLE_LONGS], "default": None}]}


def nullable(name, type_):
    return {"name": name, "type": ["null", type_], "default": None}


TEXTS = {"type": "array", "items": "string"}
FILE_FIELDS = [
    {"name": "_FILE_NAME", "type": "string"}, {"name": "_FILE_SIZE", "type": "long"}, {"name": "_ROW_COUNT", "type": "long"},
    {"name": "_MIN_KEY", "type": "bytes"}, {"name": "_MAX_KEY", "type": "bytes"},
    {"name": "_KEY_STATS", "type": stats("record__FILE__KEY_STATS")}, {"name": "_VALUE_STATS", "type": stats("record__FILE__VALUE_STATS")},
    {"name": "_MIN_SEQUENCE_NUMBER", "type": "long"}, {"name": "_MAX_SEQUENCE_NUMBER", "type": "long"},
    {"name": "_SCHEMA_ID", "type": "long"}, {"name": "_LEVEL", "type": "int"}, {"name": "_EXTRA_FILES", "type": TEXTS},
    nullable("_CREATION_TIME", {"type": "long", "logicalType": "timestamp-millis"}), nullable("_DELETE_ROW_COUNT", "long"),
    nullable("_EMBEDDED_FILE_INDEX", "bytes"), nullable("_FILE_SOURCE", "int"), nullable("_VALUE_STATS_COLS", TEXTS),
    nullable("_EXTERNAL_PATH", "string"), nullable("_FIRST_ROW_ID", "long"), nullable("_WRITE_COLS", TEXTS),
    nullable("_WRITE_COLS_SEQUENCES", {"type": "array", "items": "long"})]


def manifest_schema(file_fields, file_type=lambda t: t):
    return {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": [
        {"name": "_VERSION", "type": "int"}, {"name": "_KIND", "type": "int"}, {"name": "_PARTITION", "type": "bytes"},
        {"name": "_BUCKET", "type": "int"}, {"name": "_TOTAL_BUCKETS", "type": "int"},
        {"name": "_FILE", "type": file_type({"type": "record", "name": "record__FILE", "fields": file_fields})}]}


def row(value):
    return struct.pack(">i", 1) + bytes(8) + struct.pack("<q", value)


def entry(i):
    odd = i % 2 == 1
    return {"_VERSION": 2, "_KIND": 1 if i % 7 == 6 else 0, "_PARTITION": row(i // 10), "_BUCKET": i % 4, "_TOTAL_BUCKETS": 4, "_FILE": {
        "_FILE_NAME": "data-%d.parquet" % i, "_FILE_SIZE": 1000 + i, "_ROW_COUNT": 10 * i,
        "_MIN_KEY": row(i), "_MAX_KEY": row(i + 5),
        "_KEY_STATS": {"_MIN_VALUES": row(i), "_MAX_VALUES": row(i + 5), "_NULL_COUNTS": [0]},
        "_VALUE_STATS": {"_MIN_VALUES": row(-i), "_MAX_VALUES": row(i * i), "_NULL_COUNTS": [i, None, 3] if odd else None},
        "_MIN_SEQUENCE_NUMBER": 100 * i, "_MAX_SEQUENCE_NUMBER": 100 * i + 99, "_SCHEMA_ID": i // 20, "_LEVEL": i % 6,
        "_EXTRA_FILES": ["data-%d.index" % i, "x"] if i % 3 == 0 else [], "_CREATION_TIME": 1700000000000 + i,
        "_DELETE_ROW_COUNT": i if odd else None, "_EMBEDDED_FILE_INDEX": b"index%d" % i if i % 5 == 0 else None,
        "_FILE_SOURCE": i % 2 if i % 4 else None, "_VALUE_STATS_COLS": ["a", "column %d" % i] if odd else None,
        "_EXTERNAL_PATH": "s3://bucket/é/data-%d.parquet" % i if i % 11 == 0 else None, "_FIRST_ROW_ID": 10 * i if odd else None,
        "_WRITE_COLS": ["w%d" % i] if i % 13 == 0 else None, "_WRITE_COLS_SEQUENCES": [i, -1] if i % 13 == 0 else None}}


# A schema as another writer might give it: fields in reverse, unions the other way round, the root in a union, and unknown fields
# of every kind, one of them referring to itself.
STRANGERS = [
    {"name": "_TREE", "type": {"type": "record", "name": "tree", "fields": [
        {"name": "v", "type": "double"}, {"name": "children", "type": {"type": "array", "items": "tree"}},
        {"name": "next", "type": ["null", "tree"]}]}},
    {"name": "_MAP", "type": {"type": "map", "values": ["string", "int", "null"]}},
    {"name": "_ENUM", "type": {"type": "enum", "name": "e", "symbols": ["A", "B"]}},
    {"name": "_FIXED", "type": {"type": "fixed", "name": "f", "size": 5}},
    {"name": "_FLAGS", "type": {"type": "record", "name": "flags", "fields": [
        {"name": "b", "type": "boolean"}, {"name": "f", "type": "float"}, {"name": "n", "type": "null"}, {"name": "again", "type": "e"}]}}]


def strange_values(i):
    leaf = {"v": 0.5, "children": [], "next": None}
    return {"_TREE": {"v": float(i), "children": [leaf] * (i % 3), "next": {"v": 1.0, "children": [leaf], "next": leaf}},
            "_MAP": {"k%d" % k: [k, "t", None][k % 3] for k in range(i % 5)}, "_ENUM": "B", "_FIXED": b"12345",
            "_FLAGS": {"b": True, "f": 1.5, "n": None, "again": "A"}}


def reversed_fields(type_):
    if isinstance(type_, list):
        return [reversed_fields(t) for t in reversed(type_)]
    if isinstance(type_, dict) and type_["type"] == "record":
        return dict(type_, fields=[{"name": f["name"], "type": reversed_fields(f["type"])} for f in reversed(type_["fields"])])
    if isinstance(type_, dict) and type_["type"] == "array":
        return dict(type_, items=reversed_fields(type_["items"]))
    return type_


def strange_schema():
    schema = reversed_fields(manifest_schema(FILE_FIELDS))
    fields = schema["fields"]
    schema["fields"] = [STRANGERS[0], STRANGERS[1]] + fields[:3] + STRANGERS[2:] + fields[3:]
    return [schema, "null"]


def write(name, schema, records, codec, interval=2000):
    with open(os.path.join(HERE, name), "wb") as out:
        fastavro.writer(out, fastavro.parse_schema(schema), records, codec=codec, sync_interval=interval, sync_marker=b"0123456789abcdef")


def old_file(e):
    keep = [f["name"] for f in FILE_FIELDS[:15]]
    return dict(e, _FILE={k: v for k, v in e["_FILE"].items() if k in keep})


def old_schema():
    fields = [dict(f, type=["null", f["type"]], default=None) if f["name"].endswith("_STATS") else f for f in FILE_FIELDS[:15]]
    return ["null", manifest_schema(fields, lambda t: ["null", t])]


def list_schema(newest):
    fields = [{"name": "_VERSION", "type": "int"}, {"name": "_FILE_NAME", "type": "string"}, {"name": "_FILE_SIZE", "type": "long"},
              {"name": "_NUM_ADDED_FILES", "type": "long"}, {"name": "_NUM_DELETED_FILES", "type": "long"}]
    partition_stats = stats("record__PARTITION_STATS")
    fields.append({"name": "_PARTITION_STATS", "type": partition_stats if newest else ["null", partition_stats]})
    fields.append({"name": "_SCHEMA_ID", "type": "long"})
    if newest:
        fields += [nullable(n, "int") for n in ("_MIN_BUCKET", "_MAX_BUCKET", "_MIN_LEVEL", "_MAX_LEVEL")]
        fields += [nullable(n, "long") for n in ("_MIN_ROW_ID", "_MAX_ROW_ID")]
    record = {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": fields}
    return record if newest else ["null", record]


def listed(i, newest):
    values = {"_VERSION": 2, "_FILE_NAME": "manifest-%d" % i, "_FILE_SIZE": 100 + i, "_NUM_ADDED_FILES": i, "_NUM_DELETED_FILES": 2 * i, "_SCHEMA_ID": i,
              "_PARTITION_STATS": {"_MIN_VALUES": row(i), "_MAX_VALUES": row(i + 1), "_NULL_COUNTS": [i, None]} if i or newest else None}
    if newest:
        values.update(_MIN_BUCKET=-1, _MAX_BUCKET=i, _MIN_LEVEL=0, _MAX_LEVEL=5, _MIN_ROW_ID=10 * i if i else None, _MAX_ROW_ID=10 * i + 9 if i else None)
    return values


def index_schema(newest):
    fields = [{"name": "_VERSION", "type": "int"}, {"name": "_KIND", "type": "int"}, {"name": "_PARTITION", "type": "bytes"},
              {"name": "_BUCKET", "type": "int"}, {"name": "_INDEX_TYPE", "type": "string"}, {"name": "_FILE_NAME", "type": "string"},
              {"name": "_FILE_SIZE", "type": "long"}, {"name": "_ROW_COUNT", "type": "long"}]
    vector = {"type": "record", "name": "vector", "fields": [{"name": "f0", "type": "string"}, {"name": "f1", "type": "int"}, {"name": "f2", "type": "int"}]}
    if newest:
        vector["fields"].append(nullable("_CARDINALITY", "long"))
    fields.append(nullable("_DELETIONS_VECTORS_RANGES", {"type": "array", "items": ["null", vector]}))
    if newest:
        fields.append(nullable("_EXTERNAL_PATH", "string"))
        fields.append(nullable("_GLOBAL_INDEX", {"type": "record", "name": "global", "fields": [
            {"name": "_ROW_RANGE_START", "type": "long"}, {"name": "_ROW_RANGE_END", "type": "long"}, {"name": "_INDEX_FIELD_ID", "type": "int"},
            nullable("_EXTRA_FIELD_IDS", {"type": "array", "items": "int"}), nullable("_INDEX_META", "bytes"), nullable("_SOURCE_META", "bytes")]}))
    return {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": fields}


def index_entries(newest):
    base = {"_VERSION": 1, "_KIND": 0, "_PARTITION": row(7), "_BUCKET": 3, "_INDEX_TYPE": "HASH", "_FILE_NAME": "index-0", "_FILE_SIZE": 40, "_ROW_COUNT": 10}
    vectors = [{"f0": "data-%d.orc" % i, "f1": 1 + 50 * i, "f2": 50, "_CARDINALITY": i if i % 2 else None} for i in range(20)]
    if not newest:
        vectors = [{k: v[k] for k in ("f0", "f1", "f2")} for v in vectors]
    entries = [base, dict(base, _INDEX_TYPE="DELETION_VECTORS", _FILE_NAME="index-1", _ROW_COUNT=20, _DELETIONS_VECTORS_RANGES=vectors)]
    if newest:
        entries[1]["_EXTERNAL_PATH"] = "s3://b/index-1"
        entries.append(dict(base, _INDEX_TYPE="btree", _FILE_NAME="g.index", _GLOBAL_INDEX={
            "_ROW_RANGE_START": 100, "_ROW_RANGE_END": 199, "_INDEX_FIELD_ID": 4, "_EXTRA_FIELD_IDS": [5, 6], "_INDEX_META": b"meta", "_SOURCE_META": None}))
    return entries


def main():
    entries = [entry(i) for i in range(60)]
    for codec in ("null", "deflate", "snappy", "zstandard", "bzip2", "xz"):
        write("manifest-%s.avro" % codec, manifest_schema(FILE_FIELDS), entries, codec)
    write("manifest-strange.avro", strange_schema(), [dict(e, **strange_values(i)) for i, e in enumerate(entries)], "deflate")
    write("manifest-old.avro", old_schema(), [old_file(e) for e in entries], "deflate")
    write("manifest-version-1.avro", manifest_schema(FILE_FIELDS), [dict(entry(0), _VERSION=1)], "null")
    write("manifest-version-3.avro", manifest_schema(FILE_FIELDS), [dict(entry(0), _VERSION=3)], "null")
    write("manifest-null-record.avro", old_schema(), [old_file(entry(0)), None], "null")
    write("manifest-no-name.avro", manifest_schema([f for f in FILE_FIELDS if f["name"] != "_FILE_NAME"]), [entry(0)], "null")
    write("manifest-wrong-type.avro", manifest_schema([dict(f, type="string") if f["name"] == "_FILE_SIZE" else f for f in FILE_FIELDS]),
          [dict(entry(0), _FILE=dict(entry(0)["_FILE"], _FILE_SIZE="many"))], "null")
    write("manifest-list-new.avro", list_schema(True), [listed(i, True) for i in range(40)], "deflate")
    write("manifest-list-old.avro", list_schema(False), [listed(i, False) for i in range(3)], "null")
    write("index-manifest-new.avro", index_schema(True), index_entries(True), "snappy")
    write("index-manifest-old.avro", index_schema(False), index_entries(False), "null")
    write("index-manifest-version-2.avro", index_schema(False), [dict(index_entries(False)[0], _VERSION=2)], "null")
    write("manifest-empty.avro", manifest_schema(FILE_FIELDS), [], "xz")


main()
