#!/usr/bin/env bash
# The symbols that the shared library exports must be those of the checked-in list, so that a review sees every change.
#   check_exports.sh LIBRARY EXPORTS.TXT [--update]
set -euo pipefail
library=$1 list=$2
now=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(__|_init$|_fini$)' | LC_ALL=C sort)
if [ "${3:-}" = --update ]; then
    echo "$now" >"$list"
fi
if ! diff <(LC_ALL=C sort "$list") <(echo "$now"); then
    echo "exports differ from $list (< list, > library); if that is meant: tests/abi/check_exports.sh $library $list --update" >&2
    exit 1
fi
echo "$(echo "$now" | wc -l) exports, as listed"
