# Two commands set everything up by themselves: `make demo` and `make test`.

PYTHON ?= python3
MINIMUM_PYTHON ?= $(PYTHON)
PIP_QUIET = --quiet --quiet --disable-pip-version-check

.PHONY: demo test lint types tests coverage minimum ecosystem docs bench clean

demo: .venv/installed
	.venv/bin/honesteval demo --output honesteval-demo.html

test: lint types tests minimum
	$(MAKE) --jobs 2 docs ecosystem

.venv/installed: pyproject.toml $(shell find honesteval -type f -not -name '*.pyc')
	$(PYTHON) -m venv .venv
	.venv/bin/pip install $(PIP_QUIET) .
	touch $@

.venv-test/installed: pyproject.toml
	$(PYTHON) -m venv .venv-test
	.venv-test/bin/pip install $(PIP_QUIET) --editable '.[dev]'
	touch $@

.venv-minimum/installed: pyproject.toml tests/minimum_versions.py
	$(MINIMUM_PYTHON) -m venv .venv-minimum
	.venv-minimum/bin/pip install $(PIP_QUIET) $$($(MINIMUM_PYTHON) tests/minimum_versions.py)
	.venv-minimum/bin/pip install $(PIP_QUIET) --no-deps --editable .
	touch $@

lint: .venv-test/installed
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .

types: .venv-test/installed
	.venv-test/bin/mypy

tests: .venv-test/installed
	.venv-test/bin/pytest -n 2 --durations=20

coverage: .venv-test/installed
	.venv-test/bin/pytest -n 2 --cov --cov-report=term:skip-covered

minimum: .venv-minimum/installed
	.venv-minimum/bin/pytest -n 2 --hypothesis-profile=few --ignore tests/test_console_blocks.py \
		-m 'not slow and not browser and not data' tests

# The wheel in an empty environment: alone, then with the packages that it is used together with
ecosystem: .venv-test/installed
	rm -rf .venv-ecosystem build/ecosystem
	.venv-test/bin/python -m build --no-isolation --outdir build/ecosystem . > /dev/null
	$(PYTHON) -m venv .venv-ecosystem
	.venv-ecosystem/bin/pip install $(PIP_QUIET) build/ecosystem/*.whl
	.venv-ecosystem/bin/python tests/packaging/fresh_installation.py
	.venv-ecosystem/bin/pip install $(PIP_QUIET) "$$(ls build/ecosystem/*.whl)[ecosystem]" pytest hypothesis
	.venv-ecosystem/bin/pytest -o pythonpath= $$(grep -l "extra 'ecosystem'" tests/ecosystem/test_*.py)

docs: .venv-test/installed
	.venv-test/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: .venv-test/installed
	.venv-test/bin/python benchmarks/run.py $(BENCH)

clean:
	rm -rf .venv .venv-test .venv-minimum .venv-ecosystem docs/_build docs/api/generated .venv-peers build dist
