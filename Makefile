# Everything sets itself up: `make demo` and `make test` work in a fresh clone.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := $(VENV)/.installed
# `make demo STEPS=10_000_000 TOUR_STEPS=10_000_000` trains for longer; repeated, it goes on from where it was.
STEPS ?= 200_000
TEACHER_STEPS ?= 800_000
TOUR_STEPS ?= 600_000
TOUR_TEACHER_STEPS ?= 2_000_000
DEALS ?= 6_000
TOUR_DEALS ?= 1_000
RL := $(BIN)/solitaire-rl
go_on = $(if $(wildcard $(1)/checkpoint.safetensors),--resume) --out $(1)

.PHONY: demo test test-slow coverage mutants playthroughs check format bench clean

demo: $(INSTALLED)  ## train masked PPO on both games and compare it with the heuristics on the same deals
	$(RL) train $(call go_on,runs/demo/pyramid) --config training/configs/pyramid_win.yaml \
	    --total-steps $(STEPS) --teacher-steps $(TEACHER_STEPS)
	$(RL) train $(call go_on,runs/demo/tour-infernale) --config training/configs/tour_infernale_one_pass.yaml \
	    --total-steps $(TOUR_STEPS) --teacher-steps $(TOUR_TEACHER_STEPS)
	$(RL) compare --env solitaire/Pyramid-v0 --deals $(DEALS) \
	    --agents uniform,pyramid-first,careful,runs/demo/pyramid
	$(RL) compare --env solitaire/TourInfernaleOnePass-v0 --deals $(TOUR_DEALS) \
	    --agents uniform,greedy,thrifty,runs/demo/tour-infernale@sample

test: $(INSTALLED)  ## the tests, in minutes
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(INSTALLED)  ## all tests, those that take long as well
	$(BIN)/python -m pytest -n 2

coverage: $(INSTALLED)  ## share of the lines of rules and engine that the tests reach, with the compiler off
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m "not slow" tests --ignore tests/agents --ignore tests/training --ignore tests/test_examples.py --ignore tests/examples \
	    --cov=solitaire_envs --cov-report=term-missing --cov-fail-under=99

mutants: $(INSTALLED)  ## break rules, agents and training in turn, and see a test fail each time
	$(BIN)/python -m tests.mutants

playthroughs: $(INSTALLED)  ## write the golden playthroughs anew, after a change that is meant
	$(BIN)/python -m tests.playthroughs

check: $(INSTALLED)  ## lint, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)-bench/.installed  ## speed against peers, side by side; wants a quiet machine
	$(VENV)-bench/bin/python benchmarks/engines.py --json results/benchmark.json --plot docs/images/benchmark.png

clean:
	rm -rf $(VENV) $(VENV)-bench build dist runs

# torch comes first and by itself: its CPU build where the machine offers one.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) torch
	$(PIP) --editable ".[train,test]"
	touch $@

# The peers pin versions of their own, so they live apart.
$(VENV)-bench/.installed: pyproject.toml
	test -x $(VENV)-bench/bin/python || $(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@
