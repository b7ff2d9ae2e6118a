#!/usr/bin/env bash
# Install into an empty folder, move it elsewhere, and build a program there through pkg-config and through find_package.
#   check_package.sh PROJECT BUILD CC
set -euo pipefail
project=$1 build=$2 cc=$3
work=$(mktemp -d "$build/package.XXXXXX")
trap 'rm -rf "$work"' EXIT
table=$project/tests/data/golden/part-multi/wh/db.db/t

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
lib=$(dirname "$(find "$prefix" -name libpaimon-c.so)")
for file in bin/paimon include/paimon-c/paimon.h share/man/man1/paimon.1 share/bash-completion/completions/paimon; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done
[ "$("$prefix/bin/paimon" read "$table" --format count)" = 4 ] || { echo "the installed command does not read" >&2; exit 1; }

export PKG_CONFIG_PATH=$lib/pkgconfig
$cc "$project/tests/package/consumer.c" $(pkg-config --cflags --libs paimon-c) -Wl,-rpath,"$lib" -o "$work/shared"
"$work/shared" "$table"
mkdir "$work/only-static" && cp "$lib/libpaimon-c.a" "$work/only-static/"
$cc "$project/tests/package/consumer.c" $(pkg-config --cflags paimon-c) -L"$work/only-static" $(pkg-config --static --libs paimon-c | sed "s#-L[^ ]*pkgconfig/\.\. ##") -o "$work/static"
"$work/static" "$table"
if ldd "$work/static" | grep -q libpaimon; then echo "the static program needs the shared library" >&2; exit 1; fi

cmake -G Ninja -S "$project/tests/package" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/with_shared" "$table"
"$work/cmake/with_static" "$table"
echo "installed, moved, and built against through pkg-config and CMake"
