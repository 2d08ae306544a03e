# Everything sets itself up: `make demo` and `make test` work in a fresh clone.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := $(VENV)/.installed
# `make demo PYRAMID="--total-steps 20_000_000"` trains for longer; repeated, it goes on from where it was.
PYRAMID ?=
TOUR ?=
DEMO_ENVS := solitaire/Pyramid-v0,solitaire/TourInfernaleOnePass-v0
DEALS ?= 6_000
# Tests of the page drive this Debian package, half as much work as a whole browser; without it they are skipped.
CHROMIUM := chromium-headless-shell
TOUR_DEALS ?= 1_000
RL := $(BIN)/solitaire-rl
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder
go_on = $(if $(wildcard $(1)/checkpoint.safetensors),--resume) --out $(1)

.PHONY: demo test test-slow test-cluster test-versions test-clients coverage mutants playthroughs faults fuzz audit page check format docs release-check bench clean

demo: $(INSTALLED)  ## the agents at play, then two trained by masked PPO after self-play, and compared
	@echo "1 of 3: the agents that come with the package, on the same 200 deals (within a minute)"
	@$(RL) compare --env $(DEMO_ENVS) --deals 200 --agents uniform,careful,greedy,thrifty,best
	@echo; echo "2 of 3: one of them at play"
	@if [ -t 1 ]; then $(RL) watch --agent best --deal 7 --seconds 0.3; \
	    else $(RL) watch --agent best --deal 7 --seconds 0 | tail -n 14; fi
	@echo; echo "3 of 3: now agents of Pyramid and La tour infernale are trained from nothing: a short self-play, then masked PPO."
	@echo "This takes about ten minutes on two idle cores. Ctrl-C saves; 'make demo' goes on from there."
	$(RL) train $(call go_on,runs/demo/pyramid) --config demo-pyramid $(PYRAMID)
	$(RL) train $(call go_on,runs/demo/tour-infernale) --config demo-tour-infernale $(TOUR)
	$(RL) compare --env solitaire/Pyramid-v0 --option objective=win --deals $(DEALS) \
	    --agents uniform,pyramid-first,careful,runs/demo/pyramid,best
	$(RL) compare --env solitaire/TourInfernaleOnePass-v0 --deals $(TOUR_DEALS) \
	    --agents uniform,greedy,thrifty,runs/demo/tour-infernale,best

test: $(INSTALLED)  ## the tests, in minutes
	$(PYTEST)

test-slow: $(INSTALLED)  ## all tests, those that take long as well
	$(PYTEST) -m "slow or not slow" --hypothesis-profile "other examples"

test-cluster: $(INSTALLED)  ## work on local Ray clusters whose nodes and drivers are killed
	$(BIN)/python -m pytest -m "slow or not slow" tests/training/cluster

test-versions: $(INSTALLED)  ## the tests with the oldest and the newest versions that pyproject.toml allows
	$(BIN)/python -m tests.versions

test-clients: $(INSTALLED)  ## other libraries of the field use this package, each in an environment of its own
	$(BIN)/python -m tests.clients

coverage: $(INSTALLED)  ## share of the lines of rules and engine that the tests reach, with the compiler off
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow and not compiled" tests/envs \
	    --cov=solitaire_envs --cov-report=term-missing --cov-fail-under=99

mutants: $(INSTALLED)  ## break rules, agents and training in turn, and see a test fail each time
	$(BIN)/python -m tests.mutants

playthroughs: $(INSTALLED)  ## write the golden playthroughs anew, after a change that is meant
	$(BIN)/python -m tests.playthroughs

faults: $(INSTALLED)  ## kill, starve and race the commands that write; half an hour
	$(BIN)/python -m tests.faults

fuzz: $(INSTALLED)  ## every reader of files and every argument, with generated input; ten minutes
	$(BIN)/python -m tests.fuzz

audit: $(VENV)-audit/.installed  ## known weaknesses of the pinned packages, where the database can be reached
	$(VENV)-audit/bin/python tests/audit.py

page: $(INSTALLED)  ## hostile requests, pairs of hidden cards, a hundred games in the browser, and a minute of load
	$(BIN)/python -m tests.web.hostile
	$(BIN)/python -m tests.web.pairs
	$(BIN)/python -m tests.web.many_games
	$(BIN)/python benchmarks/web_load.py

check: $(INSTALLED)  ## lint, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-docs  ## the documentation as a site, in build/docs/html; runs the tutorial
	rm -rf build/docs/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going -q -d build/docs/doctrees docs build/docs/html
	$(BIN)/python docs/check_links.py build/docs/html

release-check: $(VENV)-release/.installed  ## build, check and install wheel and sdist in fresh environments, run the README there
	$(VENV)-release/bin/python -m tests.release $(if $(RELEASE_TESTS),--tests $(RELEASE_TESTS))

bench: $(VENV)-bench/.installed  ## speed against peers, side by side; wants a quiet machine
	$(VENV)-bench/bin/python benchmarks/engines.py --json results/benchmark.json

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest $(VENV)-audit $(VENV)-bench $(VENV)-clients $(VENV)-release build dist runs

# torch comes first and by itself: its CPU build where the machine offers one.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) torch
	$(PIP) --editable ".[train,test,cluster]"
	-command -v $(CHROMIUM) >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { \
	    apt-get install -qq -y $(CHROMIUM) >/dev/null 2>&1 || { \
	    apt-get update -qq && apt-get install -qq -y $(CHROMIUM) >/dev/null; }; }; }
	touch $@

$(VENV)/.installed-docs: $(INSTALLED)
	$(PIP) --editable ".[docs]"
	touch $@

$(VENV)-audit/.installed:
	test -x $(VENV)-audit/bin/python || $(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	touch $@

$(VENV)-release/.installed:
	test -x $(VENV)-release/bin/python || $(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check build twine
	touch $@

# The peers pin versions of their own, so they live apart.
$(VENV)-bench/.installed: pyproject.toml
	test -x $(VENV)-bench/bin/python || $(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@
