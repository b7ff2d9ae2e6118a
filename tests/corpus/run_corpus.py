#!/usr/bin/env python3
"""Judge `paimon decode` by files of one format, or by damaged ones of all, that other writers made, where that corpus is at hand."""
import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import shared_material


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--what", required=True, choices=["parquet", "orc", "avro", "bad"])
    parser.add_argument("--instrumented", default="")
    a = parser.parse_args()
    judge = shared_material.find("corpus", "check_corpus.py")
    if judge is None:
        shared_material.skip("the file corpus (shared/corpus) is not here")
    base = [sys.executable, judge, "--tool", f"{os.path.abspath(a.tool)} decode {{file}}"]
    if a.what != "bad":
        return subprocess.run(base + ["--format", a.what]).returncode
    # A sanitizer reserves terabytes of addresses, so only its own reports bound the memory then.
    return subprocess.run(base + ["--bad"] + (["--bad-mem-mb", "-1"] if a.instrumented else [])).returncode


if __name__ == "__main__":
    sys.exit(main())
