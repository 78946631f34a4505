# What one does with MeshCloak. `make run` and `make test` do all the set-up they need.

CARGO ?= cargo
OUT   ?= out

.PHONY: run test bench gates audit bless fmt setup valgrind schemathesis load install

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
test: setup valgrind
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
	  || rustup component add rustfmt clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace
	$(CARGO) run -q -p meshcloak --example embed
	$(CARGO) run -q -p meshcloak --example own_scheme
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items
	$(MAKE) schemathesis
	$(GATES)

# Tries what the gateway's own description of itself allows, and what it does not.
schemathesis:
	$(CARGO) build -q --bin meshcloak
	crates/gateway/tests/schemathesis.sh target/debug/meshcloak

# The gateway under load, beside a bare echo server and the engine alone; one run, on loopback.
load: setup
	$(CARGO) build --release --bin meshcloak
	./target/release/meshcloak drive --bench

# The program, its settings and a service of systemd.
PREFIX  ?= /usr/local
DESTDIR ?=
install: setup
	$(CARGO) build --release --bin meshcloak
	install -D -m 755 target/release/meshcloak $(DESTDIR)$(PREFIX)/bin/meshcloak
	test -e $(DESTDIR)/etc/meshcloak/meshcloak.toml || \
	  install -D -m 644 meshcloak.example.toml $(DESTDIR)/etc/meshcloak/meshcloak.toml
	install -D -m 644 dist/meshcloak.service $(DESTDIR)/etc/systemd/system/meshcloak.service
	@test -n "$(DESTDIR)" || id meshcloak >/dev/null 2>&1 || \
	  useradd --system --home-dir /etc/meshcloak --shell /usr/sbin/nologin meshcloak
	@test -n "$(DESTDIR)" || chown meshcloak: /etc/meshcloak

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
bless: setup valgrind
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
