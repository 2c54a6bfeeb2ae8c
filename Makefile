# Everything a developer does, from an empty clone on. `make` alone lists the targets.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Wheels only, our own project excepted: whoever has no compiler must never need one.
PIP    := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --only-binary :all:

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

# --- the environment: stamps, so that a second `make run` starts at once ---

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Cartagena needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python could not make an environment here; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/run-installed: $(VENV)/made pyproject.toml constraints.txt hatch_build.py
	@echo "installing what the server needs ..."
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/dev-installed: $(VENV)/run-installed
	@echo "installing what the tests need ..."
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

$(VENV)/bench-installed: $(VENV)/dev-installed
	@echo "installing what ours is measured beside ..."
	@$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@

.PHONY: install
install: $(VENV)/dev-installed ## make .venv with everything, without starting anything

# --- playing ---

.PHONY: run
run: $(VENV)/run-installed ## serve a table on this machine (SQLite) and print its address
	@exec $(BIN)/cartagena serve

.PHONY: cluster
cluster: $(VENV)/dev-installed ## PostgreSQL, Redis, WORKERS=3 workers and Caddy here without Docker; DATA=folder keeps the games
	@exec $(BIN)/python -m tools.cluster --workers $(or $(WORKERS),3) --port $(or $(PORT),8000) $(if $(DATA),--data $(DATA))

# --- checking ---

.PHONY: test
test: $(VENV)/dev-installed ## everything CI runs: lint, types, all tests, real databases, real browser
	@$(BIN)/python tools/run_tests.py

.PHONY: test-all
test-all: $(VENV)/dev-installed ## the same and the slow parts
	@$(BIN)/python tools/run_tests.py --slow

PART  ?=
SCALE ?= 1
.PHONY: soak
soak: $(VENV)/dev-installed ## ninety minutes of kills, outages, bad networks and long play (PART=network, SCALE=0.1, RECORD=1)
	@$(BIN)/python -m tools.soak --scale $(SCALE) $(if $(RECORD),--record --plot docs/soak.svg) $(PART)

COUNT ?=
SEED  ?= 1
.PHONY: fuzz
fuzz: $(VENV)/dev-installed ## an hour of nonsense at every door (PART=frames, lines, records, api, unseen or timing; COUNT, SEED)
	@$(BIN)/python -m tools.fuzz $(PART) $(if $(COUNT),--count $(COUNT)) --seed $(SEED)

.PHONY: audit
audit: $(VENV)/dev-installed ## ask the public advisories about every pinned package (needs the network)
	@$(BIN)/python tools/audit.py

.PHONY: sbom
sbom: $(VENV)/dev-installed ## write dist/sbom.json: what the server is made of, as CycloneDX
	@$(BIN)/python tools/sbom.py

.PHONY: lint
lint: $(VENV)/dev-installed ## ruff, rules and layout
	@$(BIN)/python tools/run_tests.py lint

.PHONY: types
types: $(VENV)/dev-installed ## mypy --strict
	@$(BIN)/python tools/run_tests.py types

.PHONY: format
format: $(VENV)/dev-installed ## lay the code out and fix what ruff can fix
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: bench
bench: $(VENV)/bench-installed ## measure: the rules beside python-chess (bench/README.md keeps the tables)
	@$(BIN)/python -m bench.rules

.PHONY: bench-scale
bench-scale: $(VENV)/dev-installed ## measure how the server grows: workers, rooms, sockets, spectators, stored games (docs/scale.md)
	@$(BIN)/python -m bench.scale

PEERS := bench/peers/boardgameio/node_modules/made bench/peers/colyseus/node_modules/made

%/node_modules/made: %/package-lock.json | $(VENV)/bench-installed
	@$(BIN)/python -m bench.peers.node $*
	@touch $@

.PHONY: bench-peers
bench-peers: $(VENV)/bench-installed $(PEERS) ## measure the server beside boardgame.io, Colyseus and a bare broadcast (two idle cores; ROUNDS=1 SCENARIOS=spec: a short try)
	@$(BIN)/python -m bench.peers.run $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCENARIOS),--scenarios $(SCENARIOS))

.PHONY: golden
golden: $(VENV)/dev-installed ## play the golden games and chance vectors anew; read the difference as a change of the rules
	@$(BIN)/python tools/make_vectors.py
	@$(BIN)/python tools/make_golden.py

# --- keeping ---

.PHONY: lock
lock: $(VENV)/made ## look for newer versions of everything and pin them in constraints.txt, each with a wheel for every Python
	@$(BIN)/python -m tools.lock

.PHONY: screenshots
screenshots: $(VENV)/dev-installed ## take the pictures in docs/screenshots anew
	@$(BIN)/python tools/screenshots.py

.PHONY: wheel
wheel: $(VENV)/dev-installed ## build dist/*.whl
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist .

.PHONY: image-test
image-test: $(VENV)/dev-installed ## build the container image here, run it, play, kill it, start it again (Debian, root)
	@$(BIN)/python -m tools.image

.PHONY: clean
clean: ## remove the environment and every trace of tools; games stay
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
