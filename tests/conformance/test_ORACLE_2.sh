#!/usr/bin/env bash
# test_ORACLE_2.sh SINEW: docs/levels.md says what the two versions of MuJoCo and Sinew do with every element, attribute
# and default that changed: the generator makes the same, and there is a probe for each change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ ! -f build/venv/installed.txt || ! -f build/venv-latest/installed.txt ]]; then
  echo "ORACLE_2: not run, because build/venv or build/venv-latest is not installed: make setup installs them"
  exit 77
fi
exec build/venv/bin/python tests/conformance/levels.py --sinew "$1" --check
