#!/usr/bin/env bash
# setup.sh [--without-python] [PACKAGE...]: installs what Sinew needs (and the Debian packages named) and this machine
# lacks: Debian packages by name, the npm packages of the conformance tests and, unless told otherwise, the virtual
# environments of scripts/python.sh. Does nothing, quickly, when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

with_python=1
if [[ ${1:-} == --without-python ]]; then
  with_python=
  shift
fi

packages=(
  # tools
  build-essential cmake ninja-build ccache clang-format
  # the engine
  libeigen3-dev libfmt-dev libpugixml-dev libqhull-dev libtinyobjloader-dev libtbb-dev libpng-dev
  # pictures
  libembree-dev
  # the command
  libcli11-dev nlohmann-json3-dev
  # tests and benchmarks
  libgtest-dev librapidcheck-dev libbenchmark-dev
  "$@"
)
# Node may come from elsewhere than Debian, and then Debian's would clash with it
command -v node >/dev/null || packages+=(nodejs ca-certificates)
command -v npm >/dev/null || packages+=(npm)
# Python too; Debian's lacks venv until its package is installed
if [[ $with_python ]]; then
  case $(command -v python3 || true) in
    '' | /usr/bin/* | /bin/*) python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv) ;;
  esac
fi

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

missing=()
if command -v dpkg-query >/dev/null; then
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
  done
else
  # not a Debian machine: take it that the packages are there under other names, CMake says which one is not
  { command -v cmake && command -v ninja; } >/dev/null ||
    fail "no dpkg on this machine, so nothing can be installed by name." \
      "Install the equivalents of these Debian packages, then try again: ${packages[*]}"
fi

if ((${#missing[@]})); then
  command -v apt-get >/dev/null || fail "apt-get not found. Please install: ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "not root and no sudo. Please have these packages installed: ${missing[*]}" \
        "    apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}")
  # package lists may be absent or stale: fetch them only when the first try fails
  "${install[@]}" || { "${as_root[@]}" apt-get update && "${install[@]}"; } ||
    fail "apt-get could not install: ${missing[*]}"
fi

# npm ci, when package-lock.json is newer than what it installed
npm_dir=tests/conformance
if [[ -f $npm_dir/package-lock.json && ! $npm_dir/node_modules/.package-lock.json -nt $npm_dir/package-lock.json ]]; then
  echo "setup: npm ci in $npm_dir"
  (cd "$npm_dir" && npm ci --no-audit --no-fund --loglevel=error) ||
    fail "npm ci failed in $npm_dir; the conformance tests need the packages pinned there"
  touch "$npm_dir/node_modules/.package-lock.json"
fi

if [[ $with_python ]]; then scripts/python.sh; fi
