# make run   install, build the demo lake if there is none, serve http://127.0.0.1:8050
# make test  install what tests need, run everything
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LAKE ?= $(if $(EXPLORER_LAKE),$(EXPLORER_LAKE),data/lake)
PORT ?= 8050

.PHONY: run install test lint bench lock clean browser importer

run: install
	@test -e $(LAKE)/refs/current || $(BIN)/explorer demo --size small --lake $(LAKE)
	$(BIN)/explorer serve --lake $(LAKE) --port $(PORT)

install: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed requirements-test.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.lock
	touch $@

browser:
	@test -x /usr/bin/chromium || { \
	  test "$$(id -u)" = 0 || { echo "Chromium is missing: install the package chromium."; exit 1; }; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; }

# speedscope's own importer, for one test; without npm, or without a network, that test is skipped.
importer:
	@test -d tests/js/node_modules/speedscope || ! command -v npm >/dev/null || \
	  npm ci --prefix tests/js --ignore-scripts --no-audit --no-fund --silent || \
	  echo "speedscope could not be installed: the test with its importer is skipped."

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(VENV)/.installed-test browser importer lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --max-worker-restart 0 $(PYTEST_ARGS)

bench: $(VENV)/.installed-test browser
	$(BIN)/python -m bench

lock: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --extra test -c requirements.lock pyproject.toml -o requirements-test.lock

clean:
	rm -rf $(VENV) data/lake .pytest_cache .mypy_cache .ruff_cache
