#!/usr/bin/env bash
# From a fresh clone to a first result: install what is missing, build, then make a table of a small
# data set, commit it, plan it and read it back, and read a table that Paimon Java wrote.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
echo "building (build/release)"
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" >build/release/build.log 2>&1 || { tail -40 build/release/build.log >&2; exit 1; }

run() {
    local word
    printf '\n$ build/release/bin/paimon'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_,.=/-]*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    build/release/bin/paimon "$@"
}

# A table of our own, partitioned, from a CSV file.
warehouse=build/quickstart
rm -rf "$warehouse"
run create space.bodies --warehouse "$warehouse" --partition-by kind \
    --columns "name STRING NOT NULL, kind STRING, parent STRING, discovered DATE, radius_km DOUBLE, mass_e24kg DECIMAL(12, 5), orbit_days DOUBLE"
run write space.bodies examples/data/solar_system.csv --warehouse "$warehouse"
run snapshots space.bodies --warehouse "$warehouse"
run plan space.bodies --warehouse "$warehouse" --where "kind = 'moon'"
run read space.bodies --warehouse "$warehouse" --where "kind = 'moon' AND radius_km > 1500" --columns name,parent,discovered,mass_e24kg

# A table that Paimon Java wrote.
run read examples/data/warehouse/demo.db/orders --where "region = 'EU' AND amount > 250" --columns order_id,day,customer,amount,tags
printf '\nThe command is build/release/bin/paimon; README.md and docs/ tell more.\n'
