# Developer commands. `make` without a target lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Wheels only, except for this project itself: no step may need a compiler.
PIP    := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --only-binary :all:

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

# --- environment (stamp files make the second `make run` start at once) ---

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Cartagena needs Python 3.11 or newer. Choose one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python could not create a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/run-installed: $(VENV)/made pyproject.toml constraints.txt hatch_build.py
	@echo "Installing the server ..."
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/dev-installed: $(VENV)/run-installed tools/js/package-lock.json
	@echo "Installing the test tools ..."
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@$(BIN)/python -m tools.js install
	@touch $@

$(VENV)/bench-installed: $(VENV)/dev-installed
	@echo "Installing the benchmark tools ..."
	@$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@

.PHONY: install
install: $(VENV)/dev-installed ## Create .venv with everything in it, without starting anything

# --- run ---

.PHONY: run
run: $(VENV)/run-installed ## Start a server on this machine (SQLite) and print its address
	@exec $(BIN)/cartagena serve

.PHONY: cluster
cluster: $(VENV)/dev-installed ## Start PostgreSQL, Redis, WORKERS=3 workers and Caddy without Docker; DATA=folder keeps the games
	@exec $(BIN)/python -m tools.cluster --workers $(or $(WORKERS),3) --port $(or $(PORT),8000) $(if $(DATA),--data $(DATA))

# --- check ---

.PHONY: test
test: $(VENV)/dev-installed ## Run everything CI runs: lint, types, all tests on real databases and in a real browser
	@$(BIN)/python tools/run_tests.py

.PHONY: test-all
test-all: $(VENV)/dev-installed ## Run make test and the slow parts
	@$(BIN)/python tools/run_tests.py --slow

PART  ?=
SCALE ?= 1
.PHONY: soak
soak: $(VENV)/dev-installed ## Test kills, outages, bad networks and long play for 90 minutes (PART=network, SCALE=0.1, RECORD=1)
	@$(BIN)/python -m tools.soak --scale $(SCALE) $(if $(RECORD),--record --plot docs/soak.svg) $(PART)

COUNT ?=
SEED  ?= 1
.PHONY: fuzz
fuzz: $(VENV)/dev-installed ## Fuzz every input for an hour (PART=frames, lines, records, api, unseen or timing; COUNT, SEED)
	@$(BIN)/python -m tools.fuzz $(PART) $(if $(COUNT),--count $(COUNT)) --seed $(SEED)

.PHONY: audit
audit: $(VENV)/dev-installed ## Check every pinned package against public advisories (needs the network)
	@$(BIN)/python -m tools.audit

.PHONY: sbom
sbom: $(VENV)/dev-installed ## Write dist/sbom.json: the server's components as CycloneDX
	@$(BIN)/python -m tools.sbom

.PHONY: lint
lint: $(VENV)/dev-installed ## Run ruff and Biome: rules and formatting
	@$(BIN)/python tools/run_tests.py lint

.PHONY: types
types: $(VENV)/dev-installed ## Run mypy --strict and tsc --checkJs --strict
	@$(BIN)/python tools/run_tests.py types

.PHONY: format
format: $(VENV)/dev-installed ## Format the code and apply the fixes of ruff and Biome
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/python -m tools.js format

.PHONY: bench
bench: $(VENV)/bench-installed ## Measure the rules beside python-chess (results in bench/README.md)
	@$(BIN)/python -m bench.rules

.PHONY: bench-scale
bench-scale: $(VENV)/dev-installed ## Measure scaling: workers, rooms, sockets, spectators, stored games (docs/scale.md)
	@$(BIN)/python -m bench.scale

PEERS := bench/peers/boardgameio/node_modules/made bench/peers/colyseus/node_modules/made

%/node_modules/made: %/package-lock.json | $(VENV)/bench-installed
	@$(BIN)/python -m tools.node $*
	@touch $@

.PHONY: bench-peers
bench-peers: $(VENV)/bench-installed $(PEERS) ## Measure the server beside boardgame.io, Colyseus and a bare broadcast (needs two idle cores; ROUNDS=1 SCENARIOS=spec for a short run)
	@$(BIN)/python -m bench.peers.run $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCENARIOS),--scenarios $(SCENARIOS))

.PHONY: golden
golden: $(VENV)/dev-installed ## Regenerate golden games and shuffle vectors; any difference is a change of the rules
	@$(BIN)/python tools/make_vectors.py
	@$(BIN)/python tools/make_golden.py

# --- maintain ---

.PHONY: lock
lock: $(VENV)/made ## Pin the newest versions that have wheels for every supported Python in constraints.txt
	@$(BIN)/python -m tools.lock

.PHONY: screenshots
screenshots: $(VENV)/dev-installed ## Retake the pictures in docs/screenshots
	@$(BIN)/python tools/screenshots.py

.PHONY: wheel
wheel: $(VENV)/dev-installed ## Build dist/*.whl
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist .

.PHONY: image-test
image-test: $(VENV)/dev-installed ## Build the container image, run it, play, kill it and start it again (Debian, root)
	@$(BIN)/python -m tools.image

.PHONY: clean
clean: ## Remove the environment and all build and test output; games stay
	@rm -rf $(VENV) tools/js/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
