#!/usr/bin/env bash
# hashes.sh [few]: builds the engine with GCC and Clang, at -O2 and -O3, steps the same models with each and with 1, 2
# and 4 threads, and compares the hashes of the compiled models and of the states. With `few`: Clang at -O2 against the
# release build alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
fewest=40
if [[ ${1:-} == few ]]; then variants=(clang-o2); else variants=(gcc-o2 clang-o2 clang-o3); fi

# hashes PRESET: builds and runs
hashes() {
  cmake --preset "$1" --log-level=WARNING >/dev/null
  cmake --build --preset "$1" --parallel "$jobs" --target sinew_hashes
  "build/$1/tests/hashes/sinew_hashes" >"build/$1/hashes.txt"
}

hashes release
count=$(wc -l <build/release/hashes.txt)
((count >= fewest)) || { echo "hashes: only $count models, expected at least $fewest" >&2; exit 1; }
failed=0
for variant in "${variants[@]}"; do
  hashes "$variant"
  if diff build/release/hashes.txt "build/$variant/hashes.txt" >"build/$variant/hashes.diff"; then
    echo "hashes: $count models, 1, 2 and 4 threads: $variant like release (GCC, -O3)"
  else
    echo "hashes: $variant differs from release (GCC, -O3) in $(grep -c '^<' "build/$variant/hashes.diff") of $count models:" >&2
    head -20 "build/$variant/hashes.diff" >&2
    failed=1
  fi
done
exit $failed
