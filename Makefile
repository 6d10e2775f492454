# `make run` and `make test` are all a newcomer needs: on a fresh Debian machine each sets up, builds and runs.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
SINEW := build/release/bin/sinew
CORPUS ?=
ORACLE ?= npm
FULL ?=
ARGS ?=
TARGET ?=
# SECONDS counts in the shell, so only the command line sets ours
FUZZ_SECONDS := $(if $(filter command line,$(origin SECONDS)),$(SECONDS),60)
# the compiler, and its libraries for sanitizers and fuzzing
CLANG := clang libclang-rt-14-dev

configure = cmake --preset $(1) --log-level=WARNING >/dev/null
build = $(configure) && cmake --build --preset $(1) --parallel $(JOBS)

# all that the site needs; `make run` and `make test` do without
DOCS := python3-sphinx furo python3-myst-parser python3-breathe doxygen

.PHONY: bench bench-costs bench-growth bench-hard bench-native bench-python bench-render bench-rollout bench-soft bench-view build clean conformance docs format fuzz hashes help levels packages python python-module run sanitize setup smoke test test-debug tidy validate

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F "|" '{ printf "  make %-12s %s\n", $$1, $$2 }'

setup: ## install the Debian, npm and (below build/) Python packages that are missing
	@scripts/setup.sh

packages:
	@scripts/setup.sh --without-python

build: packages ## build everything, optimized
	@$(call build,release)

run: ## build the library, the command and the viewer's page, show the demo; ARGS="model.xml" runs a model
	@scripts/setup.sh --run
	@test -d build/release || $(call configure,release) -D SINEW_BUILD_TESTS=OFF -D SINEW_BUILD_BENCH=OFF
	@cmake --build build/release --parallel $(JOBS) --target sinew_cli
	@$(SINEW) $(if $(ARGS),run $(ARGS),demo)

test: setup build python-module ## build and run every test, the conformance scenes, and `make smoke`
	@ctest --preset release --parallel $(JOBS)
	@scripts/conformance.sh $(SINEW)
	@$(MAKE) smoke

docs: ## build the documentation site, pictures and replays included: build/docs/html/index.html
	@scripts/setup.sh --without-python $(DOCS)
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_cli sinew_docs_game
	@scripts/docs.py $(SINEW) --jobs $(JOBS) --program game=build/release/bin/sinew_docs_game

python: setup ## build the Python package; `make python` says how to import it
	@$(call configure,release)
	@test -f build/venv/installed.txt || { echo "python: build/venv could not be made, see above" >&2; exit 1; }
	@cmake --build --preset release --parallel $(JOBS) --target sinew_python
	@echo "built. Import it with: PYTHONPATH=$(CURDIR)/build/release/python build/venv/bin/python -c 'import sinew'"
	@echo "or install it into a virtual environment of yours: pip install $(CURDIR)"

# for the tests: nothing happens where there is no build/venv
python-module:
	@if test -f build/venv/installed.txt; then $(call configure,release) && \
	  cmake --build --preset release --parallel $(JOBS) --target sinew_python; fi

bench-python: python ## cost of calls from Python
	@PYTHONPATH=build/release/python build/venv/bin/python bench/python_calls.py

smoke: build ## some models and a minute of fuzzing under Clang and sanitizers
	@scripts/setup.sh $(CLANG)
	@$(call build,smoke)
	@ctest --preset smoke

test-debug: setup ## the same tests with assertions on and fresh matrices filled with NaN
	@$(call build,debug)
	@ctest --preset debug --parallel $(JOBS)

bench: bench-soft bench-hard bench-threads bench-rollout bench-view bench-render ## time the benchmark scenes against the npm MuJoCo, piles against Bullet and ODE, one step on threads, batches, the viewer, pictures

bench-render: packages ## milliseconds per picture; ARGS="model.xml" adds models
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_render
	@build/release/bin/sinew_bench_render $(ARGS)

bench-soft: setup ## the former alone; ARGS="plate --stages" and the like
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target all sinew_bench
	@build/release/bin/sinew_bench $(ARGS)

bench-hard: ## the latter alone; ARGS="pyramid" and the like
	@scripts/setup.sh pkg-config libbullet-dev libode-dev
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target all sinew_bench_hard
	@build/release/bin/sinew_bench_hard $(ARGS)

bench-rollout: setup ## batches on threads, rollouts on processes; for an idle machine
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target all sinew_bench_rollout
	@build/release/bin/sinew_bench_rollout $(ARGS)

bench-threads: packages ## one step on 1 and 2 threads: 100 humanoids, cloths of 80 x 80, piles of 1000; for an idle machine
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_threads
	@build/release/bin/sinew_bench_threads $(ARGS)

bench-view: setup ## what watching costs: the viewer at 60 pictures per second, bytes per picture, size of replay files
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_view
	@build/release/bin/sinew_bench_view $(ARGS)

bench-costs: packages ## measure the constants of src/solve/costs.h, by which solvers and matrices are chosen
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_costs
	@build/release/bin/sinew_bench_costs

bench-growth: setup ## how the cost of a step grows with the size of sheets and solids; some minutes
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_growth
	@build/release/bin/sinew_bench_growth $(ARGS)

bench-native: setup ## against native MuJoCo (PyPI's wheel) on the models of CORPUS=dir; writes bench/results/native.md
	@$(call configure,release)
	@test -f build/venv/installed.txt || { echo "bench-native: there is no mujoco in build/venv" >&2; exit 1; }
	@test -n "$(CORPUS)" || { echo "bench-native: CORPUS=dir says where the models are" >&2; exit 1; }
	@cmake --build --preset release --parallel $(JOBS) --target sinew_bench_native
	@build/release/bin/sinew_bench_native $(CORPUS) --out bench/results/native.md $(ARGS)

sanitize: setup ## run the tests under sanitizers (address, undefined behavior, threads), then `make hashes`
	@scripts/setup.sh $(CLANG)
	@$(call build,asan-ubsan)
	@ctest --preset asan-ubsan --parallel $(JOBS)
	@$(call build,tsan)
	@ctest --preset tsan --parallel $(JOBS)
	@$(MAKE) hashes

hashes: setup ## step the same models built by GCC and Clang, at -O2 and -O3, with 1, 2 and 4 threads: equal states
	@scripts/setup.sh $(CLANG)
	@scripts/hashes.sh

fuzz: setup ## look for inputs that misbehave: SECONDS=600 for so long, TARGET=mjcf for one target alone
	@scripts/setup.sh $(CLANG)
	@JOBS=$(JOBS) scripts/fuzz.sh $(FUZZ_SECONDS) $(TARGET)

validate: packages ## published values, reproduced; writes docs/validation.md and its plot
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS) --target sinew_cli
	@$(SINEW) validate --out docs/validation.md $(ARGS)

conformance: setup build ## compare with MuJoCo, scene by scene; ORACLE=native|latest; CORPUS=dir adds models, FULL=1 contacts
	@ORACLE=$(ORACLE) FULL=$(FULL) scripts/conformance.sh $(SINEW) $(CORPUS)

levels: setup build ## write docs/levels.md: what changed from MuJoCo 3.12 to the newest; CORPUS=dir adds models
	@scripts/levels.sh $(SINEW) $(CORPUS)

format: setup ## clang-format every source
	@git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs -r clang-format -i

tidy: ## clang-tidy every source, several of a folder at once
	@scripts/setup.sh $(CLANG) clang-tidy
	@$(call configure,tidy)
	@run-clang-tidy -quiet -p build/tidy -j $(JOBS) '^$(CURDIR)/(build/tidy/unity|src|cli|tests|bench|scenes|validation|examples)/.*\.cpp$$'

clean: ## remove everything built
	@rm -rf build
