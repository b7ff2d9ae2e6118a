#!/usr/bin/env python3
"""A Ray job of two workers over a table: paimon_c beside pypaimon, in turn, in one Ray.

    ray_read.py WAREHOUSE DB.TABLE [--rounds 5] [--columns a,b] [--materialize] [--workers 2]

Each worker reads its share and counts rows and the bytes of one column (so that no reader is lazy); with --materialize the rows go into
Ray's object store instead. The first round of each is not counted: it starts the workers. Prints a line of JSON a run, then the medians.
"""
import argparse
import json
import os
import statistics
import sys
import time


def tally(rows):
    import pyarrow as pa

    return pa.table({"rows": [rows.num_rows], "nulls": [sum(column.null_count for column in rows.columns)]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warehouse")
    parser.add_argument("table")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--columns")
    parser.add_argument("--materialize", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=["paimon_c", "pypaimon"])
    a = parser.parse_args()
    import paimon_c
    import paimon_c.ray
    import ray.data

    contenders = ["paimon_c", "pypaimon"] if a.only is None else [a.only]
    path = os.pathsep.join([os.path.dirname(os.path.dirname(paimon_c.__file__)), os.path.dirname(os.path.abspath(__file__))])
    ray.init(num_cpus=a.workers, include_dashboard=False, object_store_memory=(4 << 30 if a.materialize else 1 << 30), logging_level="ERROR",
             log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    ray.data.DataContext.get_current().enable_progress_bars = False
    columns = a.columns.split(",") if a.columns else None

    def read(who):
        if who == "paimon_c":
            db, name = a.table.split(".")
            table = paimon_c.open_table("%s/%s.db/%s" % (a.warehouse, db, name))
            return paimon_c.ray.read_ray(table, columns=columns, override_num_blocks=a.workers)
        from pypaimon.ray import read_paimon

        return read_paimon(a.table, {"warehouse": a.warehouse}, projection=columns, override_num_blocks=a.workers)

    seconds = {who: [] for who in contenders}
    rows = {}
    for k in range(a.rounds + 1):
        for who in contenders if k % 2 else reversed(contenders):
            started = time.perf_counter()
            dataset = read(who)
            if a.materialize:
                rows[who] = dataset.materialize().count()
            else:
                rows[who] = sum(r["rows"] for r in dataset.map_batches(tally, batch_format="pyarrow", batch_size=None).take_all())
            took = time.perf_counter() - started
            if k:
                seconds[who].append(took)
            print(json.dumps({"reader": who, "round": k, "rows": rows[who], "seconds": round(took, 3)}), flush=True)
    ray.shutdown()
    if len(set(rows.values())) != 1:
        sys.exit("the readers do not agree on the rows: %s" % rows)
    for who in contenders:
        print("%-9s median %.2f s, best %.2f s, %d rows" % (who, statistics.median(seconds[who]), min(seconds[who]), rows[who]))


if __name__ == "__main__":
    main()
