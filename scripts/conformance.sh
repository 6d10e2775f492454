#!/usr/bin/env bash
# conformance.sh SINEW [CORPUS]: the scenes of tests/conformance, and every model below CORPUS, through MuJoCo and
# through the command SINEW, compared. FULL=1 in the environment runs the corpus with constraints and contacts, to 1e-8.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sinew=$1
corpus=${2:-}
runner=tests/conformance/run.mjs

if [[ ! -x $sinew ]]; then
  echo "conformance: there is no $sinew; make build makes it" >&2
  exit 1
fi
exec node "$runner" --sinew "$sinew" ${corpus:+--corpus "$corpus"} ${FULL:+--full --tol 1e-8}
