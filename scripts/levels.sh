#!/usr/bin/env bash
# levels.sh SINEW [CORPUS]: writes docs/levels.md, what changed from the reference version of MuJoCo to the newest one and
# what the command SINEW does with it. Without CORPUS the part about the corpus stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sinew=$1
corpus=${2:-}
out=build/conformance/levels
mkdir -p "$out"

# models that differ are what is looked for: only a run without results is a failure
for oracle in native latest; do
  rm -f "$out/$oracle.json"
  node tests/conformance/run.mjs --sinew "$sinew" --oracle "$oracle" ${corpus:+--corpus "$corpus" --full --tol 1e-8} \
    --json "$out/$oracle.json" >"$out/$oracle.log" || [[ -f $out/$oracle.json ]]
  grep ' passed, ' "$out/$oracle.log" | sed "s/^/$oracle: /"
done
results=("$out/native.json" "$out/latest.json")
build/venv/bin/python tests/conformance/levels.py --sinew "$sinew" --scenes "${results[@]}" ${corpus:+--corpus "${results[@]}"}
