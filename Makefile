# SPDX-License-Identifier: Apache-2.0
# Shortcuts for what people do here. The build itself is CMake's, see
# CMakePresets.json.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
HOLLOW_GPU ?= 2.11.0 2.13.0

CXX_FILES = $$(find src tests bench -name '*.h' -o -name '*.cc')

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo test test-hollow bench bench-proofs fuzz lint format wheel install clean
.PHONY: setup setup-test setup-lint setup-fuzz

help:  ## List these targets.
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

build: setup build/release/build.ninja  ## Build the program: build/rematch.
	@cmake --build --preset release -j $(JOBS) --target rematch_cli_main
	@ln -sfn release/bin/rematch build/rematch

demo: build  ## Build, then plan a real graph at several budgets.
	@tools/demo

test: setup-test build build/asan/build.ninja  ## Run every test, also with sanitizers.
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS)

test-hollow: build  ## Run the GPU tests on a GPU that computes nothing.
	@for version in $(HOLLOW_GPU); do tools/hollow_gpu $$version || exit 1; done

bench: build  ## Run the micro-benchmarks.
	@cmake --build --preset release -j $(JOBS)
	@for source in $(wildcard bench/*_bench.cc); do \
	  build/release/bench/$$(basename $$source .cc) || exit 1; \
	done

bench-proofs: build  ## Time proofs, also on the public graphs in PUBLIC_DATA.
	@python3 -B bench/proofs.py $(PUBLIC_DATA)

fuzz: setup-fuzz build/fuzz/build.ninja  ## Fuzz each target for FUZZ_SECONDS (60).
	@cmake --build --preset fuzz -j $(JOBS)
	@tools/fuzz $(FUZZ_SECONDS)

lint: setup-lint build/tidy/build.ninja  ## Check format, clang-tidy and layers.
	@clang-format --dry-run -Werror $(CXX_FILES)
	@.venv/bin/python tests/arch/check_layers.py .
	@cmake --build --preset tidy -j $(JOBS)

format: setup-lint  ## Format the C++ in place.
	@clang-format -i $(CXX_FILES)

wheel: setup  ## Build the Python wheel and try it: build/wheel.
	@tools/wheel

install: build  ## Install the program and the library under PREFIX.
	@cmake --install build/release --prefix $(PREFIX)

clean:  ## Remove what was built, but not .venv.
	@rm -rf build

setup:
	@tools/setup build test

setup-test:
	@tools/setup build test browser torch

setup-lint:
	@tools/setup build lint

setup-fuzz:
	@tools/setup build fuzz

# CMake looks after its own files from here on; presets it reads only once.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $* > build/configure-$*.log || \
	  { cat build/configure-$*.log; exit 1; }
	@touch $@
