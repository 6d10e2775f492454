#!/usr/bin/env bash
# setup.sh [--run | --without-python] [PACKAGE...]: installs what Sinew needs (and the Debian packages named) and this
# machine lacks: Debian packages by name, npm packages as pinned, and the virtual environments of scripts/python.sh.
# --run leaves out all that the command itself does without. Does nothing, quickly, when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

with_tests=1
with_python=1
case ${1:-} in
  --run) with_tests= with_python= && shift ;;
  --without-python) with_python= && shift ;;
esac

packages=(
  # tools
  build-essential cmake ninja-build
  # the engine
  libeigen3-dev libfmt-dev libpugixml-dev libqhull-dev libtinyobjloader-dev libtbb-dev libpng-dev
  # the command; viewer and replay files; pictures
  libcli11-dev nlohmann-json3-dev libboost-dev zlib1g-dev libembree-dev
  "$@"
)
npm_folders=(viewer)
if [[ $with_tests ]]; then
  packages+=(
    ccache clang-format libgtest-dev librapidcheck-dev libbenchmark-dev valgrind
    # optional parts that the tests cover: rollouts over MPI, results in HDF5, the page in a browser, films
    libopenmpi-dev openmpi-bin libhdf5-dev chromium ffmpeg
  )
  npm_folders+=(tests/conformance)
fi
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
for folder in "${npm_folders[@]}"; do
  [[ $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]] && continue
  echo "setup: npm ci in $folder"
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error) ||
    fail "npm ci failed in $folder, which needs the packages pinned in its package-lock.json"
  touch "$folder/node_modules/.package-lock.json"
done

if [[ $with_python ]]; then scripts/python.sh; fi
