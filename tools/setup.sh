#!/usr/bin/env bash
# Install what is missing to build on Debian 12 (and its relatives). Does nothing, and says so, when all is there.
#
#     tools/setup.sh            what a build needs
#     tools/setup.sh --python   and what `pip install .` needs besides
#     tools/setup.sh --tests    and what the tests need besides, the Python tests' environment (build/python-venv) included
set -euo pipefail

build="gcc libc6-dev cmake ninja-build pkg-config libzstd-dev liblz4-dev libdeflate-dev liblzma-dev libsnappy-dev libbz2-dev
       libbrotli-dev libjansson-dev libcmocka-dev"
python="python3 python3-dev python3-venv"
tests="g++ clang-14 libclang-rt-14-dev mandoc binutils tzdata"

wanted=$build
case ${1:-} in
--python) wanted="$build $python" ;;
--tests) wanted="$build $python $tests" ;;
esac

# The tests of the Python package run in an environment of their own; without a network they say that they are skipped.
make_environment() {
    [ "$mode" != --tests ] || python3 "$here/../tests/python/package.py" --venv "$here/../build/python-venv" --packages-only
}
mode=${1:-} here=$(cd "$(dirname "$0")" && pwd)
if ! command -v dpkg-query >/dev/null; then
    echo "setup: no dpkg here; install the counterparts of these Debian packages by hand:" $wanted >&2
    exit 0
fi
# dpkg-query fails for a package that it has never heard of, which is not installed either.
is_installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
missing=
for package in $wanted; do
    is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "setup: everything is installed"
    make_environment
    exit 0
fi
run=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: not root and no sudo; please install:$missing" >&2
        exit 1
    fi
    run=sudo
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
quiet="-qq -o Dpkg::Use-Pty=0"
if ! $run apt-get install $quiet -y --no-install-recommends $missing >/dev/null 2>&1; then
    # The lists of packages may be missing or old: fetch them and try once more, aloud this time.
    $run apt-get update $quiet
    $run apt-get install $quiet -y --no-install-recommends $missing >/dev/null
fi
make_environment
echo "setup: done"
