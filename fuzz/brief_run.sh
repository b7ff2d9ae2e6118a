#!/usr/bin/env bash
# Fuzz for a short while: brief_run.sh PROGRAM CORPUS SCRATCH; $FUZZ_SECONDS (20) a target. The seed is fixed, so that a run of the tests
# tells about the change at hand; FUZZ_SEED=0 looks for something new.
set -euo pipefail
mkdir -p "$3"
exec "$1" -max_total_time="${FUZZ_SECONDS:-20}" -timeout=60 -seed="${FUZZ_SEED:-1}" -rss_limit_mb=1024 -max_len=65536 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$3/" "$3" "$2"
