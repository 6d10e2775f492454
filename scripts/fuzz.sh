#!/usr/bin/env bash
# fuzz.sh [--quick] SECONDS [TARGET...]: builds the fuzz targets with Clang, libFuzzer and the address and undefined behavior
# sanitizers, and runs each target (or those named) for its share of the time, one on each core. MJCF has by far the most
# code behind it: it gets one core for all of the time, the others share the rest. What was found is kept below
# build/fuzz/findings, what was learned below build/fuzz/corpus. Another build than that of the preset fuzz is used if
# SINEW_FUZZ_PRESET names it. --quick takes what is built, leaves out what earlier runs learned and
# draws the same random numbers every time. Exit status 1 if
# anything was found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

quick=0
if [[ ${1:-} == --quick ]]; then quick=1 && shift; fi
seconds=${1:?usage: fuzz.sh [--quick] SECONDS [TARGET...]}
shift
jobs=${JOBS:-$(nproc)}
preset=${SINEW_FUZZ_PRESET:-fuzz}
out=build/$preset
program=$out/tests/fuzz/sinew_fuzz

if ((!quick)); then
  cmake --preset "$preset" --log-level=WARNING >/dev/null
  cmake --build --preset "$preset" --parallel "$jobs"
fi
rm -rf $out/seeds $out/logs
if ((quick)); then rm -rf $out/corpus; fi
mkdir -p $out/seeds $out/logs $out/findings
$out/tests/fuzz/sinew_fuzz_seeds $out/seeds >$out/targets

targets=("$@")
if ((${#targets[@]} == 0)); then mapfile -t targets < <(cut -d ' ' -f 1 $out/targets); fi
at_once=$((jobs < ${#targets[@]} ? jobs : ${#targets[@]}))
# seconds of each target, MJCF first
shares=() others=()
for target in "${targets[@]}"; do if [[ $target != mjcf ]]; then others+=("$target"); fi; done
if ((${#others[@]} < ${#targets[@]})); then
  shares=("mjcf $((at_once > 1 || ${#targets[@]} == 1 ? seconds : seconds / 2))")
fi
if ((${#others[@]} > 0)); then
  cores=$((at_once > 1 ? at_once - ${#shares[@]} : 1))
  share=$((seconds * cores / ${#others[@]} / (at_once > 1 || ${#shares[@]} == 0 ? 1 : 2)))
  for target in "${others[@]}"; do shares+=("$target $((share > 0 ? share : 1))"); done
fi

run_target() {
  local target=$1 share=$2 longest text words=()
  read -r _ longest text < <(grep "^$target " "$out/targets") || {
    echo "no target '$target'; there are: $(cut -d ' ' -f 1 $out/targets | tr '\n' ' ')" >&2
    return 2
  }
  if [[ $text == 1 ]]; then words=("-dict=$out/seeds/dictionary"); fi
  if ((quick)); then words+=(-seed=1); fi  # what is found can be found again
  mkdir -p "$out/corpus/$target"
  # all seeds are run before any is changed: of many no more than leave time for that
  local seeds=() most=$((2 * share)) count
  count=$(find "$out/seeds/$target" -type f | wc -l)
  mapfile -t seeds < <(find "$out/seeds/$target" -type f | sort |
    awk -v count="$count" -v most="$((most < count ? most : count))" \
      'int(NR * most / count) > int((NR - 1) * most / count)')
  if [[ -d tests/fuzz/regressions/$target ]]; then seeds+=("tests/fuzz/regressions/$target"/*); fi
  printf '%s' "$(IFS=, && echo "${seeds[*]}")" >"$out/logs/$target.seeds"
  local status=0
  SINEW_FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    "$program" -max_total_time="$share" -max_len="$longest" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$out/findings/$target-" "${words[@]}" \
    -seed_inputs="@$out/logs/$target.seeds" "$out/corpus/$target" >"$out/logs/$target" 2>&1 || status=$?
  awk -v target="$target" -v status="$status" '
    /cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
    /stat::number_of_executed_units/ { units = $2 }
    /stat::average_exec_per_sec/ { rate = $2 }
    END { printf "%-10s %9d inputs %6d per second, %6d edges covered%s\n", target, units, rate, cov,
          status ? "  FINDING: see '"$out/logs/$target"' and '"$out/findings"'" : "" }' "$out/logs/$target"
  return "$status"
}
export -f run_target
export out program quick

echo "fuzz: ${#targets[@]} targets, $at_once at a time; seconds of each: ${shares[*]}"
printf '%s\n' "${shares[@]}" | xargs -P "$at_once" -L 1 bash -c 'run_target "$0" "$1"' || {
  echo "fuzz: findings are below $out/findings; once cured, move them to tests/fuzz/regressions/TARGET" >&2
  exit 1
}
