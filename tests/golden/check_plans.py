#!/usr/bin/env python3
"""Compare `paimon plan --format json` of each golden table with the splits that Paimon Java planned, order included.

    check_plans.py --tool build/release/bin/paimon [--dir tests/data/golden] [--only NAME,...]

Every member of Java's split must be there with the same value; times of creation are compared as text.
"""
import argparse
import json
import os
import subprocess
import sys


def lines(text, table):
    return [json.loads(line.replace("file:" + table, "{table}").replace(table, "{table}")) for line in text.splitlines() if line.strip()]


def differences(want, got, path=""):
    if isinstance(want, dict) and isinstance(got, dict):
        for key in want:
            if key not in got:
                yield f"{path}.{key} is missing"
            else:
                yield from differences(want[key], got[key], f"{path}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (a, b) in enumerate(zip(want, got)):
            yield from differences(a, b, f"{path}[{i}]")
    elif want != got:
        yield f"{path}: {json.dumps(got)[:150]} instead of {json.dumps(want)[:150]}"


def check(tool, folder):
    case = json.load(open(os.path.join(folder, "case.json"), encoding="utf-8"))
    table = os.path.abspath(os.path.join(folder, case["table"]))
    with open(os.path.join(folder, "plan.jsonl"), encoding="utf-8") as f:
        want = lines(f.read(), table)
    run = subprocess.run([tool, "plan", table, "--format", "json"], capture_output=True, timeout=60)
    if run.returncode != 0:
        return f"exit {run.returncode}: {run.stderr.decode(errors='replace').strip()[-300:]}"
    got = lines(run.stdout.decode("utf-8"), table)
    return next(differences(want, got), None)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/release/bin/paimon")
    parser.add_argument("--dir", default=os.path.join(here, "..", "data", "golden"))
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    good = bad = 0
    for name in sorted(os.listdir(a.dir)):
        folder = os.path.join(a.dir, name)
        if not os.path.exists(os.path.join(folder, "plan.jsonl")) or (a.only and name not in a.only.split(",")):
            continue
        why = check(a.tool, folder)
        good, bad = good + (why is None), bad + (why is not None)
        if why is not None:
            print("FAIL", name, "|", why)
    print(f"{good} plans passed, {bad} failed")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
