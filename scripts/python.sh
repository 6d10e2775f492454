#!/usr/bin/env bash
# python.sh: makes the virtual environments of the Python tests and the native oracle below build/, from any python3 of
# 3.9 or newer, and installs into them the versions pinned in tests/*/requirements*.txt. Nothing goes into the
# system's Python. Does nothing, quickly, when nothing is missing. Where there is no Python, or no package index, it says
# so and ends with status 0: the library, the command and their tests need none of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

give_up() {
  printf 'setup: %s\n' "$@" "tests that need Python will be reported as not run" >&2
  exit 0
}

# environment and the files of requirements it holds
environments=(build/venv build/venv-latest)
requirements=("tests/conformance/requirements.txt tests/python/requirements.txt" tests/conformance/requirements-latest.txt)

is_ready() { # ENVIRONMENT REQUIREMENTS...
  cmp -s <(cat "${@:2}") "$1/installed.txt" && "$1/bin/python" -c '' 2>/dev/null
}

# the first one that is new enough for every wheel; else the first of 3.9 or newer, for which some wheels are left out
find_python() {
  local least name
  for least in 11 9; do
    for name in python3 python3.{14,13,12,11,10,9} /usr/bin/python3; do
      if command -v "$name" >/dev/null && "$name" -c "import sys; sys.exit(sys.version_info < (3, $least))" 2>/dev/null; then
        command -v "$name"
        return
      fi
    done
  done
  return 1
}

python=
for i in "${!environments[@]}"; do
  environment=${environments[i]}
  read -ra wanted <<<"${requirements[i]}"
  is_ready "$environment" "${wanted[@]}" && continue

  [[ -n $python ]] || python=$(find_python) || give_up "there is no python3 of 3.9 or newer"
  # Debian keeps what venv needs in a package of its own
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    give_up "$python cannot make virtual environments; Debian's package for it is python3-venv"
  echo "setup: $environment from $python, as pinned in ${wanted[*]}"
  rm -rf "$environment"
  "$python" -m venv "$environment" || give_up "$python -m venv $environment failed"
  "$environment/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps --only-binary :all: \
    --retries 1 --timeout 20 "${wanted[@]/#/-r}" ||
    give_up "pip could not install ${wanted[*]}: no package index within reach, or no wheel for this Python and machine"
  cat "${wanted[@]}" >"$environment/installed.txt"
done
