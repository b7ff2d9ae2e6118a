#!/usr/bin/env bash
# Every test: gcc release, address and undefined-behaviour sanitizers, thread sanitizer, clang, fuzzers. Installs what is missing,
# builds each preset, then one ctest runs them all; the tests of the other presets are tests of that run.
#
#     tools/test.sh             all
#     tools/test.sh --quick     the release preset alone
set -euo pipefail
cd "$(dirname "$0")/.."
started=$(date +%s)
tools/setup.sh --tests

presets="asan tsan clang fuzz"
[ "${1:-}" != --quick ] || presets=
jobs=$(nproc)

build() {
    local from target=all
    from=$(date +%s)
    [ "$1" != fuzz ] || target=fuzzers
    cmake --preset "$1" "${@:2}" >"build/$1.configure.log" 2>&1 || { cat "build/$1.configure.log" >&2; exit 1; }
    cmake --build --preset "$1" --target $target -j "$jobs" >"build/$1.build.log" 2>&1 || { grep -A15 -E 'error|FAILED|warning' "build/$1.build.log" | head -80 >&2; exit 1; }
    echo "built $1 without a warning in $(($(date +%s) - from)) s"
}
mkdir -p build
list=$(echo $presets | tr ' ' ';')
build release -DPAIMON_TEST_PRESETS="$list"
for preset in $presets; do
    build "$preset"
done

shared=${PAIMON_SHARED:-$(dirname "$PWD")/shared}
say_missing() { echo "NOT RUN HERE: $1"; }
[ -d "$shared/corpus" ] || say_missing "the Parquet files of other writers, good and damaged (no $shared/corpus)"
[ -d "$shared/golden" ] || say_missing "byte vectors of the serialized forms beyond those in tests/data (no $shared/golden)"
[ -d "$shared/oracle" ] && command -v java >/dev/null && command -v mvn >/dev/null || say_missing "tables that Paimon Java writes on the spot (needs $shared/oracle, java, mvn)"

# Sanitizer options for every program that a test starts. (A program that had threads would sleep a second before it ends, else.)
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}" TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:atexit_sleep_ms=20}"
status=0
ctest --test-dir build/release -j "$jobs" --output-on-failure --no-label-summary >build/release/tests.log 2>&1 || status=$?
# What a test skipped it says on its own output, which ctest keeps in its log.
log=build/release/Testing/Temporary/LastTest.log
if [ -f "$log" ] && grep -q '^SKIPPED:' "$log"; then
    grep '^SKIPPED:' "$log" | sort -u
fi
echo "built and tested in $(($(date +%s) - started)) s"
cat build/release/tests.log
exit $status
