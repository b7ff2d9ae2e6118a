#!/usr/bin/env python3
"""The random Parquet files of the writer's unit test, read by pyarrow: it must see the values that `paimon decode` shows, checksums must hold,
and the statistics must be those of the values."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import judges
import random_files


def values(array, t):
    """An Arrow array as Python values: dates, times and timestamps as numbers."""
    import pyarrow as pa
    if pa.types.is_date(t) or pa.types.is_time(t) or pa.types.is_timestamp(t):
        return array.cast(pa.int32() if t.bit_width == 32 else pa.int64()).to_pylist()
    if pa.types.is_struct(t):
        children = [values(x, f.type) for x, f in zip(array.flatten(), t)]
        return [{f.name: c[i] for f, c in zip(t, children)} if array[i].is_valid else None for i in range(len(array))]
    if pa.types.is_map(t) or pa.types.is_list(t):
        flat = list(zip(values(array.keys, t.key_type), values(array.items, t.item_type))) if pa.types.is_map(t) else values(array.values, t.value_type)
        ends, valid = array.offsets.to_pylist(), array.is_valid().to_pylist()
        return [flat[ends[i]:ends[i + 1]] if valid[i] else None for i in range(len(array))]
    return array.to_pylist()


def check_statistics(file):
    import pyarrow as pa
    import pyarrow.compute as pc
    for g in range(file.metadata.num_row_groups):
        group = file.read_row_group(g)
        for c in range(file.metadata.num_columns):
            chunk = file.metadata.row_group(g).column(c)
            if not chunk.has_offset_index or (chunk.physical_type == "INT96") == chunk.has_column_index and not has_nan(group, chunk):
                return f"group {g}, column {chunk.path_in_schema}: page indexes are missing or too many"
            if chunk.path_in_schema not in group.column_names:
                continue
            column, s = group[chunk.path_in_schema], chunk.statistics
            if s is None and chunk.physical_type == "INT96":
                continue
            if s.null_count != column.null_count:
                return f"group {g}, column {chunk.path_in_schema}: {s.null_count} nulls instead of {column.null_count}"
            t = column.type
            if not s.has_min_max or not (pa.types.is_integer(t) or pa.types.is_boolean(t) or pa.types.is_string(t) or pa.types.is_binary(t)):
                continue
            bounds = pc.min_max(column.cast(pa.int8()) if pa.types.is_boolean(t) else column).as_py()
            if (s.min, s.max) != (bounds["min"], bounds["max"]):
                return f"group {g}, column {chunk.path_in_schema}: bounds {s.min!r}, {s.max!r} instead of {bounds}"
    return None


def has_nan(group, chunk):
    """Is the column of floats, which have no bounds when there is a NaN among them?"""
    return chunk.physical_type in ("FLOAT", "DOUBLE") and not chunk.has_column_index


def one_file(tool, path):
    import pyarrow.parquet as pq
    file = pq.ParquetFile(path, page_checksum_verification=True)
    table = file.read().combine_chunks()
    columns = [values(c.chunk(0), c.type) if c.num_chunks else [] for c in table.columns]
    want = [[random_files.plain(c[i], f.type) for c, f in zip(columns, table.schema)] for i in range(table.num_rows)]
    got, why = random_files.run(tool, "decode", path)
    return why or random_files.compare(want, got, table.column_names) or check_statistics(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--venv", required=True)
    parser.add_argument("--writer", required=True)
    parser.add_argument("--files", type=int, default=80)
    a = parser.parse_args()
    judges.run_inside(a.venv)
    work = tempfile.mkdtemp(prefix="paimon-written-")
    made = subprocess.run([a.writer], env=dict(os.environ, PAIMON_KEEP_WRITTEN=work), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if made.returncode:
        print("FAIL the writer's own test fails")
        return 1
    names = sorted(os.listdir(work))[:a.files]
    bad = sum(random_files.report(name, lambda: one_file(a.tool, os.path.join(work, name))) for name in names)
    if bad == 0 and names:
        shutil.rmtree(work)
    else:
        print("kept:", work)
    print(f"{len(names)} files read by pyarrow, {bad} wrongly")
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
