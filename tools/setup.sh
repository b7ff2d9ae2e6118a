#!/usr/bin/env bash
# Install what is missing to build on Debian 12 (and its relatives). Does nothing, and says so, when all is there.
#
#     tools/setup.sh            what a build needs
#     tools/setup.sh --tests    and what the tests need besides
set -euo pipefail

build="gcc libc6-dev cmake ninja-build pkg-config libzstd-dev liblz4-dev libdeflate-dev liblzma-dev libsnappy-dev libbz2-dev
       libbrotli-dev libjansson-dev libcmocka-dev"
tests="g++ clang-14 libclang-rt-14-dev python3 python3-venv mandoc binutils"

wanted=$build
if [ "${1:-}" = --tests ]; then
    wanted="$build $tests"
fi
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
echo "setup: done"
