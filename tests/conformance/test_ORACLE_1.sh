#!/usr/bin/env bash
# test_ORACLE_1.sh SINEW: some scenes through the native MuJoCo of PyPI. Its traces have the fields of those of the npm
# package, the two references are compared with each other, and Sinew agrees with the native one.
set -euo pipefail
sinew=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf 'ORACLE_1: %s\n' "$@" >&2
  exit 1
}

if [[ ! -f ../../build/venv/installed.txt || ! -d node_modules ]]; then
  echo "ORACLE_1: not run, because the references are not installed: make setup installs them"
  exit 77
fi

# 1. both oracles record the same fields, and numbers that agree
node --input-type=module - "$scratch" <<'EOF' || fail "the two oracles do not write the same fields"
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { differenceOf } from './trace_difference.mjs';
import { oracleNamed } from './oracles.mjs';

const [scratch] = process.argv.slice(2);
const options = ['--quiet', '--ctrl', 'sine', '--qvel', 'sine', '--applied', 'sine', '--nudge', '1e-3', '--at', '0,3'];
const keysOf = (value) => (Array.isArray(value) ? value.map(keysOf).filter(Boolean)
  : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((k) => [k, keysOf(value[k])])) : 0);
for (const scene of ['scenes/tendon_pulley.xml', 'scenes/constrained/condim_elliptic.xml', 'scenes/mesh_regular.xml']) {
  if (!fs.existsSync(scene)) throw new Error(`there is no ${scene}`);
  const traces = ['npm', 'native'].map((name) => {
    const { command, args } = oracleNamed(name);
    const out = `${scratch}/${name}.json`;
    execFileSync(command, [...args, scene, ...options, '--out', out], { stdio: 'inherit' });
    return JSON.parse(fs.readFileSync(out, 'utf8'));
  });
  const [a, b] = traces.map((trace) => JSON.stringify(keysOf(trace)));
  if (a !== b) throw new Error(`${scene}: other fields in the trace of the native oracle`);
  if (JSON.stringify(traces[0].settings) !== JSON.stringify(traces[1].settings)) throw new Error(`${scene}: other settings`);
  const { error, first } = differenceOf(...traces);
  if (error || first) throw new Error(`${scene}: the references differ: ${error ?? JSON.stringify(first)}`);
  // the comparison sees a number that is off
  traces[1].samples[1].qacc[0] += 1e-3 * Math.max(1, ...traces[1].samples[1].qacc.map(Math.abs));
  const changed = differenceOf(...traces).first;
  if (changed?.where !== 3 || changed.fields[0].field !== 'qacc') throw new Error(`${scene}: a changed number goes unnoticed`);
}
EOF

# 2. a run against the native reference: Sinew agrees, and the references are compared model by model
node run.mjs --sinew "$sinew" --oracle native --cache "$scratch/cache" --filter scenes/tendon_ >"$scratch/log" ||
  fail "Sinew and the native MuJoCo differ" "$(cat "$scratch/log")"
grep -q '^[1-9][0-9]* passed, 0 failed$' "$scratch/log" || fail "no scene passed" "$(cat "$scratch/log")"
grep -q '^references: npm 3.12.0 against native 3.12.0, ' "$scratch/log" || fail "the references were not compared" "$(cat "$scratch/log")"
tail -n 1 "$scratch/log"
