# Everything a developer runs. Needs Python 3.11 or newer, git and make; the rest is set up here.

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV    := .venv
BIN     := $(VENV)/bin
PORT    ?= 8000
DATA_DIR ?=
JOBS    ?= 3
ARGS    ?=
PYTHON  ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PIP     := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := $(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --upgrade \
	--generate-hashes --no-emit-index-url --no-annotate --no-header

.PHONY: help run clients test check coverage mutants bench image-test soak lock types clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.runtime ## serve on http://127.0.0.1:8000 (PORT=, DATA_DIR=, ARGS="--workers 4")
	@exec $(BIN)/qwirkle serve --port $(PORT) $(if $(DATA_DIR),--data-dir '$(DATA_DIR)') $(ARGS)

.PHONY: postman
postman: ## make a Postman collection of the contract, for the service at PORT= (needs npm)
	@mkdir -p build
	@sed -e 's|{ url: /,|{ url: "http://127.0.0.1:$(PORT)",|' \
		-e 's|pattern: "^\[a-z2-7\]{26}$$" }|example: "{{game_id}}" }|' openapi.yaml > build/openapi.yaml
	@npm exec --yes --package=openapi-to-postmanv2@6.3.3 -- openapi2postmanv2 -s build/openapi.yaml \
		-o build/qwirkle.postman_collection.json \
		-O folderStrategy=Tags,parametersResolution=Example,enableOptionalParameters=false >/dev/null
	@echo "import build/qwirkle.postman_collection.json into Postman, and set its variables" \
		"game_id and bearerToken once you have created a game"

clients: $(VENV)/.dev ## play a game with a client of every generator and write docs/clients.md (needs apt, npm)
	@$(BIN)/python -m tests.generators.run

test: $(VENV)/.dev ## run every test but the soak tests (JOBS=, ARGS="-k name")
	@sh tests/tools.sh
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

check: $(VENV)/.dev ## lint, formatting, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

coverage: $(VENV)/.dev ## run every test and say which branches none of them takes
	@sh tests/tools.sh
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal --timeout 600 $(ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --include='service/rules/*' --fail-under=100
	@$(BIN)/coverage report --fail-under=95

mutants: $(VENV)/.dev ## change the rules a thousand times over and see whether the tests notice
	@# Asked to try a few, mutmut makes all of them and finds out which test touches what.
	@$(BIN)/mutmut run --max-children $(JOBS) 'service.rules.cells.x_xy__mutmut_*'
	@$(BIN)/python tests/mutants/run.py $(JOBS) 0.5
	@$(BIN)/python tests/mutants/run.py $(JOBS) 60
	@$(BIN)/python tests/mutants/report.py

bench: $(VENV)/.dev ## run every benchmark and write docs/benchmarks.md (ARGS=--quick)
	@$(BIN)/python bench/report.py $(ARGS)

image-test: $(VENV)/.dev ## build the image and run it with Docker (installs Debian's as root)
	@$(BIN)/python -m tests.image.run

soak: $(VENV)/.dev ## run the tests that take minutes (ARGS="--soak-minutes 5")
	@$(BIN)/python -m pytest -m soak --timeout 3600 $(ARGS)

lock: $(VENV)/lock ## pin the newest versions that fit pyproject.toml
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(COMPILE) tests/deploy/checkov.in -o tests/deploy/checkov.lock

types: $(VENV)/.dev ## regenerate the clients' types after a change to openapi.yaml (needs npm)
	@$(BIN)/python clients/python/generate_types.py openapi.yaml
	@cd clients/typescript && npm install --silent --no-package-lock && npm run --silent types

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) build dist mutants .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; name one with PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "make: $(PYTHON) has no venv module;" \
		"install it (on Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(BIN)/python requirements.lock pyproject.toml hatch_build.py $(wildcard service/core/*.[ch])
	@echo "installing what the service needs into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@echo "installing what tests and checks need into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/lock: $(BIN)/python
	@$(PYTHON) -m venv $@
	@$@/bin/python -m pip --disable-pip-version-check --quiet install uv
