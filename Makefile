# Paiju. `make` alone lists the targets; `make play` opens the page; `make test` is what CI runs.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
PYTEST_ARGS ?=
SETUP_STAMP := $(VENV)/.setup

.DEFAULT_GOAL := help
.PHONY: help setup play test check fix protos protos-check deploy-nats bench bench-peers bots golden screenshots lock sim chaos stampede \
	test-long test-mutants test-stutter engine-fast test-fast wheel wheel-fast clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## / \t/' | expand -t 16

setup: $(SETUP_STAMP) ## make .venv with everything in it

$(SETUP_STAMP): pyproject.toml requirements.lock
	@test -n "$(PYTHON)" || { echo "paiju needs Python 3.11 or newer; none was found" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo "python could not make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

play: setup ## start everything on this machine and open the page
	$(BIN)/paiju up --data $(DATA) --open

# The verdict comes last and stands alone on its line, so that people and machines find it.
test: setup check ## check, then every test; the last line counts them
	@mkdir -p build; rm -f build/tests.xml build/tests-compiled.xml
	@$(BIN)/python -m pytest --junitxml=build/tests.xml $(PYTEST_ARGS); set -- build/tests.xml $$?; \
		if $(BIN)/python .ci/engine_fast.py --possible; then \
			$(MAKE) --no-print-directory test-fast; set -- "$$@" build/tests-compiled.xml $$?; \
		else echo "no C compiler was found: the compiled engine was not tested"; fi; \
		$(BIN)/python .ci/counts.py "$$@"

engine-fast: setup ## build/fast: this checkout with the engine compiled (PYTHONPATH=build/fast runs it)
	$(BIN)/python .ci/engine_fast.py

# Every test of the engine alone, and those that hold it against scoring.
FAST_TESTS := $(wildcard tests/unit/test_engine_*.py tests/unit/test_doudizhu_*.py tests/unit/test_kawuxing_*.py \
	tests/unit/test_qinghunpeng_*.py tests/unit/test_table_fold.py tests/unit/test_table_texts.py \
	tests/unit/test_table_follows.py tests/differential/test_*lockstep.py) tests/golden \
	tests/differential/test_scoring_agrees_with_the_engine.py tests/property/test_every_game_keeps_its_promises.py \
	tests/property/test_every_game_leaks_nothing.py

test-fast: engine-fast ## the engine's tests on the compiled engine
	@cd build/fast && PYTHONPATH=$(CURDIR)/build/fast:$(CURDIR)/build/fast/protos PAIJU_ENGINE=compiled \
		$(CURDIR)/$(BIN)/python -m pytest -m "not plants" --junitxml=$(CURDIR)/build/tests-compiled.xml $(FAST_TESTS) \
		$(PYTEST_ARGS)

wheel: setup ## dist/: the wheel, plain Python
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

wheel-fast: setup ## dist/: the wheel with the engine compiled; plain where that is impossible
	PAIJU_ENGINE_FAST=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --wheel-dir dist .

check: setup protos-check ## lint, format, types, contracts, protos: verify and change nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint
	@tag=$$(git describe --tags --abbrev=0 2>/dev/null) || exit 0; echo "buf breaking --against $$tag"; \
		$(BIN)/buf breaking --against ".git#tag=$$tag"

fix: setup ## repair what ruff can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

protos: setup ## write the Python code of every proto beside it
	$(BIN)/python .ci/protos.py
	$(BIN)/python -m services.gateway.web.tools.page_protos

protos-check: setup ## fail when the committed code is not what the protos give
	$(BIN)/python .ci/protos.py --check

deploy-nats: setup ## write the broker's users and rights from what the services declare
	$(BIN)/python .ci/deploy_nats.py

bench: setup ## measure, as ratios in one run
	@for file in bench/bench_*.py; do \
		echo "== $$file"; $(BIN)/python -m "bench.$$(basename $$file .py)" $(BENCH_ARGS) || exit 1; \
	done

bench-peers: setup ## install the packages that `make bench` measures beside
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'

BOTS_DEALS ?= 120
bots: setup ## the strengths of the bots against each other, over duplicate deals; an hour
	@for game in paohuzi doudizhu kawuxing qinghunpeng; do \
		$(BIN)/python -m bench.bench_bots --game $$game --deals $(BOTS_DEALS) --strict || exit 1; \
	done

golden: setup ## rewrite the golden files; read the diff before you commit it
	GOLDEN_REWRITE=1 $(BIN)/python -m pytest tests/golden $(PYTEST_ARGS)

screenshots: setup ## photograph the page at the sizes it promises, into build/screenshots
	SCREENSHOTS=build/screenshots $(BIN)/python -m pytest -n 0 tests/browser -k screenshot $(PYTEST_ARGS)

sim: setup ## the seeded simulation over all cores: make sim N=2000
	@PYTHONPATH=$(CURDIR):$(CURDIR)/protos $(BIN)/python -m tests.simulation --seeds $(or $(N),$(SEEDS),2000)

test-long: setup ## the tests that take longest; make test has a short form of each
	$(BIN)/python -m pytest -m long $(PYTEST_ARGS)

test-mutants: setup ## every planted mutant must be noticed; half an hour. make test tries the first of them
	SIM_MUTANTS=all $(BIN)/python -m pytest tests/simulation/mutants $(PYTEST_ARGS)

test-stutter: setup ## integration, browser and chaos on a machine that stands still now and then: make test-stutter SEED=7 RATE=2
	$(BIN)/python -m pytest -p tests.support.stutter --stutter-seed $(or $(SEED),1) --stutter-rate $(or $(RATE),1) \
		tests/integration tests/chaos tests/browser $(PYTEST_ARGS)

SECONDS ?= 120
REPLICAS ?= 1
chaos: setup ## real processes killed, stopped, cut off while bots play: make chaos SECONDS=120 SEED=7 REPLICAS=3
	@PYTHONPATH=$(CURDIR):$(CURDIR)/protos $(BIN)/python -m tests.chaos.run --seconds $(SECONDS) \
		--replicas $(REPLICAS) $(if $(SEED),--seed $(SEED)) $(CHAOS_ARGS)

stampede: setup ## a thousand players who lose their connections and come back at once, two gateways, one killed: make stampede SEED=2
	@PYTHONPATH=$(CURDIR):$(CURDIR)/protos $(BIN)/python -m tests.chaos.stampede $(if $(SEED),--seed $(SEED)) $(STAMPEDE_ARGS)

lock: ## write requirements.lock: exact versions, no hosts
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	build/lock/bin/pip-compile --quiet --upgrade --extra dev --strip-extras --allow-unsafe --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file requirements.lock pyproject.toml

clean: ## remove what was built; data/ and .venv stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	find engine services protos tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
