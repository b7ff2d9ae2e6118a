#!/usr/bin/env bash
# Each public header must compile alone, as C11 and as C++17, without a warning.
#   check_headers.sh PROJECT CC CXX
set -euo pipefail
project=$1 cc=$2 cxx=$3
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$project/include"
n=0
for header in "$project"/include/paimon-c/*.h; do
    line="#include \"paimon-c/$(basename "$header")\""
    echo "$line" | $cc -std=c11 $flags -x c -
    echo "$line" | $cxx -std=c++17 $flags -x c++ -
    n=$((n + 1))
done
echo "$n headers compile alone as C11 and as C++17"
