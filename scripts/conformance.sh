#!/usr/bin/env bash
# conformance.sh SINEW [CORPUS]: the scenes of tests/conformance, and every model below CORPUS, through MuJoCo and
# through the command SINEW, compared. In the environment, FULL=1 runs the corpus with constraints and contacts, to 1e-8,
# and ORACLE names the reference: npm (the default), native or latest, see tests/conformance/oracles.mjs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sinew=$1
corpus=${2:-}
runner=tests/conformance/run.mjs

if [[ ! -x $sinew ]]; then
  echo "conformance: there is no $sinew; make build makes it" >&2
  exit 1
fi
exec node "$runner" --sinew "$sinew" --oracle "${ORACLE:-npm}" ${corpus:+--corpus "$corpus"} ${FULL:+--full --tol 1e-8}
