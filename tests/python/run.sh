#!/usr/bin/env bash
# run.sh PACKAGE_FOLDER [PYTEST ARGUMENT...]: runs the tests of the Python package that was built into that folder, with
# the Python of build/venv. Ends with 77 where there is none of them.
set -euo pipefail
package=$(realpath -m "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [[ ! -x build/venv/bin/pytest ]]; then
  echo "python: not run, because build/venv is absent: make setup makes it where PyPI is within reach"
  exit 77
fi
if [[ ! -f $package/sinew/_core.pyi ]]; then
  echo "python: not run, because the package is not built: make python builds it"
  exit 77
fi
PYTHONPATH=$package exec build/venv/bin/python -m pytest tests/python "$@"
