#!/usr/bin/env bash
# From a fresh clone to a first result: install what is missing, build, then plan and read a small table that Paimon Java wrote.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
echo "building (build/release)"
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" >build/release/build.log 2>&1 || { tail -40 build/release/build.log >&2; exit 1; }

table=examples/data/warehouse/demo.db/orders
show() {
    local word
    printf '\n$ build/release/bin/paimon %s %s' "$1" "$table"
    for word in "${@:2}"; do
        case $word in
        *[!A-Za-z0-9_,.=/-]*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    build/release/bin/paimon "$1" "$table" "${@:2}"
}
show schema
show snapshots
show plan --where "region = 'EU'"
show read --where "region = 'EU' AND amount > 250" --columns order_id,day,customer,amount,tags
printf '\nThe command is build/release/bin/paimon; README.md and docs/ tell more.\n'
