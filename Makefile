# What one does with MeshCloak. `make run` and `make test` do all the set-up they need.

CARGO ?= cargo
DEMO  ?=

.PHONY: run page browser node chromium test bench gates audit bless fmt setup valgrind schemathesis load install postgis ogc python connect

# Builds the page and the program, and starts the demo: a city, its crowd, and the gateway between
# them and the service. Says where to look at it; ends with Ctrl-C.
run: setup page
	$(CARGO) build $(RUN) --bin meshcloak
	@./target/start/meshcloak serve --demo $(REPORT) $(DEMO)

# The profile of the first start: compiles in half the time of a release, runs at about its speed.
RUN = --profile start --no-default-features

# The last evaluation's report is linked from the page.
REPORT ?= $(if $(wildcard results/report.html),--report results)

# The page, for the program to take in. Where there is no Node the program has none, and says so.
page:
	@if $(NODE_IS_NEW) || { command -v npm >/dev/null && $(MAKE) -s $(NODE); }; \
	  then $(MAKE) -s web/dist/index.html; \
	  else echo "no Node here: building without the page (everything else works; \`make node\` gets it)"; fi

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json web/index.html web/vite.config.ts \
    $(shell find web/src web/public -type f)
	cd web && npm run -s build

# The page in Debian's Chromium, against a demo that runs.
browser: setup node chromium page
	$(CARGO) build --bin meshcloak
	cd web && npm test

# The page needs Node 20.19. Where the system's is older, a newer one comes from npm, into a folder
# of our own that is looked into first.
NODE = target/node/node_modules/.bin/node
export PATH := $(CURDIR)/target/node/node_modules/.bin:$(PATH)
NODE_IS_NEW = command -v npm >/dev/null && node -e \
  'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
node:
	@command -v npm >/dev/null || { echo "installing npm"; $(APT) nodejs npm; }
	@$(NODE_IS_NEW) || $(MAKE) -s $(NODE)
$(NODE):
	@echo "Node here is older than 20.19: installing Node 22 into target/node, by npm"
	npm install --prefix target/node --no-audit --no-fund --loglevel=error node@22 npm@11
chromium:
	@command -v chromium >/dev/null || { echo "installing Chromium"; $(APT) chromium; }
APT = $$(command -v sudo) apt-get update -q && $$(command -v sudo) apt-get install -yq

# Everything CI checks: format, lints, tests (on real maps too if MESHCLOAK_MAPS names their
# folder), the documentation, and that nothing has become slower.
test: setup node chromium page valgrind postgis ogc
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
	  || rustup component add rustfmt clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace
	$(CARGO) run -q -p meshcloak --example embed
	$(CARGO) run -q -p meshcloak --example own_scheme
	$(MAKE) browser
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items
	$(MAKE) schemathesis
	$(MAKE) connect
	$(GATES)

# Every command of docs/CONNECT.md, as a reader would run it.
connect: postgis ogc
	$(CARGO) build -q --bin meshcloak
	$(CARGO) build -q -p gateway --example ask
	python3 crates/gateway/tests/connect.py target/debug/meshcloak target/debug/examples/ask

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
install: setup page
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
GATES = CARGO_INCREMENTAL=0 RUSTFLAGS= $(CARGO) bench -q -p bench --bench gates
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
