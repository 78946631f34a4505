# What one does with MeshCloak. `make run` and `make test` do all the set-up they need.

CARGO ?= cargo
OUT   ?= out

.PHONY: run test bench gates audit bless fmt setup valgrind postgis ogc python

# Builds, lets people live in the built-in city, and hides them among one another; then a picture.
run: setup
	$(CARGO) build --release --bin meshcloak
	@mkdir -p $(OUT)
	@./target/release/meshcloak simulate --users 20000 --out $(OUT)/queries.csv.gz
	@echo
	@./target/release/meshcloak cloak --queries $(OUT)/queries.csv.gz --out $(OUT)/outcomes.ndjson \
	  --disclosures $(OUT)/disclosures.ndjson
	@./target/release/meshcloak map draw $(OUT)/city.png
	@echo
	@echo "What became of each query: $(OUT)/outcomes.ndjson. What the service sees: $(OUT)/disclosures.ndjson."
	@echo "The city: $(OUT)/city.png. Your own: ./target/release/meshcloak map draw FILE.osm.pbf $(OUT)/mine.png"

# Everything CI checks: format, lints, tests (on real maps too if MESHCLOAK_MAPS names their
# folder), the documentation, and that nothing has become slower.
test: setup valgrind postgis ogc
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
	  || rustup component add rustfmt clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace
	$(CARGO) run -q -p meshcloak --example embed
	$(CARGO) run -q -p meshcloak --example own_scheme
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items
	$(GATES)

# Speed, as a table: real maps too if MESHCLOAK_MAPS names their folder.
bench: setup valgrind
	$(CARGO) bench --workspace --benches

# Instructions that each stage of the engine needs, against the committed numbers. What is counted
# is portable code as it is released, whatever flags are set here.
GATES = CARGO_INCREMENTAL=0 RUSTFLAGS= $(CARGO) bench -q -p traffic --bench gates
gates: setup valgrind
	$(GATES)

# Licences, duplicate and banned crates, sources.
audit:
	@command -v cargo-deny >/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny --all-features check licenses bans sources

# Accept the present answers and instruction counts as the expected ones; look at the diff
# afterwards.
bless: setup valgrind postgis
	MESHCLOAK_BLESS=1 $(CARGO) test --workspace
	MESHCLOAK_BLESS=1 $(GATES)

fmt:
	$(CARGO) fmt --all

# A C linker is all that Rust needs from the system.
setup:
	@command -v $(CARGO) >/dev/null || { echo "meshcloak needs Rust 1.88 or newer: see rust-lang.org" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "installing a C linker"; \
	  $$(command -v sudo) apt-get update -q && $$(command -v sudo) apt-get install -yq gcc libc6-dev; }

# Counts instructions.
valgrind:
	@command -v valgrind >/dev/null || { echo "installing valgrind"; \
	  $$(command -v sudo) apt-get update -q && $$(command -v sudo) apt-get install -yq valgrind; }

# A real database for the tests: of whatever version the system has. Nothing is started here; the
# tests start their own in a temporary folder.
postgis:
	@ls /usr/share/postgresql/*/extension/postgis.control >/dev/null 2>&1 || { \
	  echo "installing PostgreSQL with PostGIS"; \
	  $$(command -v sudo) apt-get update -q && \
	  package=$$(apt-cache search --names-only '^postgresql-[0-9]+-postgis-[0-9.]+$$' | cut -d' ' -f1 | sort -V | tail -n 1) && \
	  test -n "$$package" && \
	  $$(command -v sudo) apt-get install -yq --no-install-recommends $$package $$package-scripts; }

# A server for OGC API Features, from PyPI, in a folder of its own: the tests start it.
OGC = target/ogc
OGC_NEEDS = crates/gateway/tests/services/requirements.txt
ogc: python $(OGC)/ready
$(OGC)/ready: $(OGC_NEEDS)
	python3 -m venv --clear $(OGC)
	$(OGC)/bin/pip install -q --disable-pip-version-check -r $(OGC_NEEDS)
	@touch $@

# Runs that server, and the example of a webhook.
python:
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "installing python3"; \
	  $$(command -v sudo) apt-get update -q && $$(command -v sudo) apt-get install -yq python3 python3-venv; }
