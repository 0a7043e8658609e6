# One list of commands that people and CI call. Everything lives in .venv, built from this file alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
SOURCES := $(shell find crates python/rbhmc -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name Cargo.toml) \
	Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test test-rust test-python test-oldest fuzz memcheck coverage lint format bench bench-mixing instructions quality calibration compare reproduce results images docs wheel browser clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/installed ## Build, fit 33 animals, print the tree and the verdict, write runs/animals with a report
	$(BIN)/rbhmc demo animals

test: lint test-rust test-python ## Everything that must hold: lint, Rust tests, Python tests

test-rust: ## Rust tests: optimised, with the invariants checked after every kernel
	cargo test --locked -p rbhmc-core

test-python: $(VENV)/installed browser ## Python tests, docstring examples included
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Old packages use names that newer ones deprecate.
test-oldest: $(VENV)/installed $(OLDEST)/installed browser ## Python tests with Python 3.11 and the oldest dependencies that pyproject.toml allows
	$(OLDEST)/bin/python -m pytest -W ignore::DeprecationWarning --numprocesses auto --dist worksteal

SECONDS ?= 60
fuzz: $(VENV)/installed ## Damaged checkpoints, draws, run folders and tables, each for SECONDS=60; failures name their FUZZ_SEED
	FUZZ_SECONDS=$(SECONDS) cargo test --locked -p rbhmc-core --test fuzz_checkpoint -- --nocapture
	FUZZ_SECONDS=$(SECONDS) $(BIN)/python -m pytest tests/fuzz

# What Miri and valgrind, which are a hundred to ten thousand times slower, run of the core's tests.
MIRI_TESTS := state:: numerics::slot_matrix numerics::cholesky numerics::projection labels:: posterior::groups \
	posterior::jaccard posterior::clades
VALGRIND_TESTS := state:: numerics:: model:: labels:: posterior:: predictive:: \
	kernels::components::densities kernels::margins::gaussian kernels::tests::reference
# The threads of rayon never end, so that what they hold may look lost.
VALGRIND := valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
memcheck: ## Tests of the core under Miri, if a nightly toolchain has it, and under valgrind, if it is there
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

coverage: $(VENV)/installed browser ## Lines that tests reach: of the core by its own, of the package by pytest
	@cargo llvm-cov --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-llvm-cov
	@rustup component add llvm-tools
	cargo llvm-cov --locked -p rbhmc-core --ignore-filename-regex 'kernels/tests'
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --cov --cov-report=term:skip-covered

lint: $(VENV)/installed ## Formatting, clippy, ruff, mypy, and the stub against the module
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

bench: $(VENV)/installed ## The sweep against its floor, NumPy, Ward and others; chains a second, and what checkpoints cost
	cargo build --release --locked --quiet -p rbhmc-benches --bins
	$(BIN)/python benches/speed.py
	$(BIN)/python benches/chains.py
	$(BIN)/python benches/measures.py

instructions: ## Instructions of a sweep by callgrind, to compare a change on any machine
	cargo build --release --locked --quiet -p rbhmc-benches --bins
	$(PYTHON) benches/instructions.py

bench-mixing: $(VENV)/installed ## Effective draws a second of every sweep and move, from opposite starts
	$(BIN)/python benches/mixing.py

quality: $(VENV)/installed ## F, purity, AID and AOD against BHMC and Ward, on tables with known classes
	$(BIN)/python benches/quality.py

calibration: $(VENV)/installed ## Whether supports and balls mean what they say, on tables drawn from the model
	$(BIN)/python benches/calibration.py

compare: $(VENV)/installed ## Against BHMC, linkages, genieclust and HDBSCAN on four tables; can be stopped, and goes on
	$(BIN)/python -m pip install --quiet --group compare
	$(BIN)/python benches/compare.py

TABLE ?= animals
reproduce: $(VENV)/installed ## The paper's experiments on TABLE=animals or fashion; OPTIONS="--scheme collapsed --effort medium"; can be stopped and resumed
	$(BIN)/python benches/reproduce.py $(TABLE) $(OPTIONS)

results: $(VENV)/installed ## docs/results.md from runs/reproduce (make reproduce) and runs/compare (make compare)
	PYTHONPATH=benches $(BIN)/python docs/make_results.py

images: $(VENV)/installed browser ## The pictures in docs/images
	$(BIN)/python docs/make_images.py

docs: $(VENV)/installed browser ## The documentation site in site (open site/index.html); a warning is an error
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env docs site
	$(BIN)/python docs/_site/check_pages.py site

wheel: $(VENV)/tools ## A wheel and an sdist in dist, each installed and used where there are no extras, the wheel without Rust
	rm -rf dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/maturin build --release --locked --out dist
	$(PYTHON) -m venv --clear dist/bare
	dist/bare/bin/python -m pip install --quiet dist/*.whl
	cd dist && PATH=/usr/bin:/bin bare/bin/python ../tests/wheel_smoke.py
	$(PYTHON) -m venv --clear dist/from-source
	CARGO_TARGET_DIR=$(CURDIR)/target dist/from-source/bin/python -m pip install --quiet dist/*.tar.gz
	cd dist && from-source/bin/python ../tests/wheel_smoke.py

# The report is tested in a real browser; where none can be installed, its tests say so and skip.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
		|| echo "no chromium here, and no right to install it: the report's tests will skip"

clean: ## Remove what was built
	rm -rf $(VENV) $(OLDEST) target runs dist site

$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group test --group lint "maturin>=1.9,<2"
	touch $@

$(VENV)/installed: $(VENV)/tools $(SOURCES)
	$(BIN)/maturin develop --release --locked --quiet
	touch $@

$(OLDEST)/installed: pyproject.toml | $(VENV)/tools
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python 3.11 $(OLDEST)
	$(BIN)/uv pip install --quiet --python $(OLDEST) --resolution lowest-direct -r pyproject.toml --all-extras --group test
	$(BIN)/uv pip install --quiet --python $(OLDEST) --no-deps --editable .
	touch $@
