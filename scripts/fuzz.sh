#!/usr/bin/env bash
# fuzz.sh [--built] SECONDS [TARGET...]: builds the fuzz targets with Clang, libFuzzer and the address and undefined behavior
# sanitizers (unless --built says that this has happened), and runs each target (or those named) for its share of the time,
# one on each core. What was found is kept below build/fuzz/findings, what was learned below build/fuzz/corpus. Another
# build than that of the preset fuzz is used if SINEW_FUZZ_PRESET names it. Exit status 1 if anything was found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built=0
if [[ ${1:-} == --built ]]; then built=1 && shift; fi
seconds=${1:?usage: fuzz.sh [--built] SECONDS [TARGET...]}
shift
jobs=${JOBS:-$(nproc)}
preset=${SINEW_FUZZ_PRESET:-fuzz}
out=build/$preset
program=$out/tests/fuzz/sinew_fuzz

if ((!built)); then
  cmake --preset "$preset" --log-level=WARNING >/dev/null
  cmake --build --preset "$preset" --parallel "$jobs"
fi
rm -rf $out/seeds $out/logs
mkdir -p $out/seeds $out/logs $out/findings
$out/tests/fuzz/sinew_fuzz_seeds $out/seeds >$out/targets

targets=("$@")
if ((${#targets[@]} == 0)); then mapfile -t targets < <(cut -d ' ' -f 1 $out/targets); fi
at_once=$((jobs < ${#targets[@]} ? jobs : ${#targets[@]}))
share=$((seconds * at_once / ${#targets[@]}))
((share > 0)) || share=1

run_target() {
  local target=$1 share=$2 longest text words=() folders=()
  read -r _ longest text < <(grep "^$target " "$out/targets") || {
    echo "no target '$target'; there are: $(cut -d ' ' -f 1 $out/targets | tr '\n' ' ')" >&2
    return 2
  }
  if [[ $text == 1 ]]; then words=("-dict=$out/seeds/dictionary"); fi
  mkdir -p "$out/corpus/$target"
  if [[ -d tests/fuzz/regressions/$target ]]; then folders=("tests/fuzz/regressions/$target"); fi
  local status=0
  SINEW_FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    "$program" -max_total_time="$share" -max_len="$longest" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$out/findings/$target-" "${words[@]}" \
    "$out/corpus/$target" "$out/seeds/$target" "${folders[@]}" >"$out/logs/$target" 2>&1 || status=$?
  awk -v target="$target" -v status="$status" '
    /cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
    /stat::number_of_executed_units/ { units = $2 }
    /stat::average_exec_per_sec/ { rate = $2 }
    END { printf "%-10s %9d inputs %6d per second, %6d edges covered%s\n", target, units, rate, cov,
          status ? "  FINDING: see '"$out/logs/$target"' and '"$out/findings"'" : "" }' "$out/logs/$target"
  return "$status"
}
export -f run_target
export out program

echo "fuzz: ${#targets[@]} targets, $share s each, $at_once at a time"
printf '%s\n' "${targets[@]}" | xargs -P "$at_once" -I{} bash -c "run_target {} $share" || {
  echo "fuzz: findings are below $out/findings; once cured, move them to tests/fuzz/regressions/TARGET" >&2
  exit 1
}
