# Development tasks. `make run` and `make test` install what they need.

CARGO ?= cargo
DEMO  ?=

.PHONY: run page browser node chromium test served computed bench gates audit bless fmt setup valgrind schemathesis load install postgis ogc nats python python3 python-module python-test python-scale connect clients soak fuzz deb deb-test deb-twice image container-test sbom operators js parquet-memory cluster-test faketime cluster cluster-access cluster-load pir rivals results-check peers peers-ready ready

# Builds the web page and the binary, and starts the demo: built-in city, simulated users, gateway
# and service. Prints the address of the page. Ctrl-C stops it.
run: setup page
	$(CARGO) build $(RUN) --bin meshcloak
	@./target/start/meshcloak serve --demo $(REPORT) $(DEMO)

# Profile `start` compiles in about half the time of a release build; see Cargo.toml.
RUN = --profile start --no-default-features

# Evaluation report that the page links to, if there is one.
REPORT ?= $(if $(wildcard results/paper/report.html),--report results/paper)

# Builds the web page that the binary embeds. Without Node the binary is built without the page.
page:
	@if $(NODE_IS_NEW) || { command -v npm >/dev/null && $(MAKE) -s $(NODE); }; \
	  then $(MAKE) -s web/dist/index.html; \
	  else echo "Node is not installed: building without the web page (run \`make node\` to install it)"; fi

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json web/index.html web/vite.config.ts web/vite.app.config.ts \
    $(shell find web/src web/public web/app -type f)
	cd web && npm run -s build

# Builds the command for tests. `make test` skips it: `cargo test` has built the command.
COMMAND = $(CARGO) build -q --bin meshcloak

# Tests the page in Debian's Chromium against a running demo.
browser: setup node chromium page nats
	$(COMMAND)
	cd web && npm test

# The page needs Node 20.19 or newer. If the system's Node is older, npm installs Node 22 into
# target/node, which comes first in PATH.
NODE = target/node/node_modules/.bin/node
export PATH := $(CURDIR)/target/node/node_modules/.bin:$(PATH)
NODE_IS_NEW = command -v npm >/dev/null && node -e \
  'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
node:
	@command -v npm >/dev/null || { echo "installing npm"; $(APT) nodejs npm; }
	@$(NODE_IS_NEW) || $(MAKE) -s $(NODE)
$(NODE):
	@echo "Node is older than 20.19: installing Node 22 into target/node with npm"
	npm install --prefix target/node --no-audit --no-fund --loglevel=error node@22 npm@11
chromium:
	@command -v chromium >/dev/null || { echo "installing Chromium"; $(APT) chromium; }
APT = $$(command -v sudo) apt-get update -q && $$(command -v sudo) apt-get install -yq

# All checks of CI: format, lints, tests (with real maps if MESHCLOAK_MAPS names their folder),
# documentation and instruction counts.
test: setup node chromium page valgrind postgis ogc nats
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
	  || rustup component add rustfmt clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace --no-run
	$(MAKE) python-module
	@$(MAKE) served COMMAND= ASK= >target/served.log 2>&1 & $(MAKE) computed; computed=$$?; \
	  wait $$!; served=$$?; cat target/served.log; exit $$((computed | served))

# `make test` runs both at once: neither uses two cores all the time.
served:
	$(MAKE) schemathesis
	$(MAKE) connect MODULE=
	$(MAKE) js
	$(MAKE) python-test MODULE=
	$(MAKE) browser
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items
	$(GATES)
computed:
	$(CARGO) test --workspace --no-fail-fast
	target/debug/examples/embed
	target/debug/examples/own_scheme

# Fails if the code gives other answers than the code that wrote results/, if a report is not that of
# its results, or if a figure of a document differs from its source. Part of `cargo test`.
results-check: setup
	$(CARGO) test --workspace --test results_check
	$(CARGO) test --workspace --test cli figures

# Runs every command of docs/CONNECT.md and of the getting-started pages of app makers, operators and
# researchers. The wheel of the last one is packed from the module of `make python-module`.
ASK = $(CARGO) build -q -p gateway --example ask
PAGES ?= CONNECT.md START_APPS.md START_OPERATORS.md PYTHON.md
connect: postgis ogc clients python3
	$(COMMAND)
	$(ASK)
	$(if $(filter PYTHON.md,$(PAGES)),$(MODULE))
	python3 -B crates/gateway/tests/connect.py target/debug/meshcloak target/debug/examples/ask $(PAGES)

# Fuzzes the client API with valid and invalid requests generated from its OpenAPI document.
schemathesis:
	$(COMMAND)
	crates/gateway/tests/schemathesis.sh target/debug/meshcloak

# Load test on loopback: the gateway, a bare echo server and the engine alone, in one run.
load: setup
	$(CARGO) build --release --bin meshcloak
	./target/release/meshcloak drive --bench

# Time and memory until the first answers, by stage: `make ready READY="MAP --users 100000"`.
READY ?= city
ready: setup
	$(CARGO) build --release --bin meshcloak
	python3 -B crates/gateway/tests/ready.py target/release/meshcloak $(READY)

# Honest users beside hostile clients, a hostile service, reloads, revocations and kill -9, after a
# quiet phase of the same length. `make soak SECONDS=60` is shorter; SOAK holds further options.
SOAK_SECONDS ?= $(or $(SECONDS),600)
SOAK ?=
soak: setup
	$(COMMAND)
	python3 -B crates/gateway/tests/soak/test_privacy_check.py
	python3 -B crates/gateway/tests/soak/test_promises.py
	python3 -B crates/gateway/tests/soak target/debug/meshcloak --seconds $(SOAK_SECONDS) $(SOAK)

# Runs every fuzz target for SECONDS (60), or the one that FUZZ names, from the inputs of fuzz/seeds and
# fuzz/seeds.py. A crash ends it with the input.
# RUSTC_BOOTSTRAP allows the coverage flags with a stable compiler.
FUZZ_SECONDS = $(or $(SECONDS),60)
FUZZ ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
fuzz: setup
	@command -v cargo-fuzz >/dev/null || $(CARGO) install cargo-fuzz --locked
	$(COMMAND)
	python3 -B fuzz/seeds.py target/debug/meshcloak fuzz/corpus
	for target in $(FUZZ); do \
	  mkdir -p fuzz/corpus/$$target; seeds=$$(ls -d fuzz/seeds/$$target 2>/dev/null); \
	  RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run --sanitizer none $$target fuzz/corpus/$$target $$seeds -- -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -rss_limit_mb=2048 || exit 1; \
	done

# Failures of a cluster of real processes on loopback: kills, a zombie, a partition, clock skew. One
# scenario: `make cluster-test CLUSTER_TEST="--only owner"`. Takes about seven minutes.
CLUSTER_TEST ?=
NATS_SERVER = $(or $(MESHCLOAK_NATS),$(NATS)/bin/nats-server)
cluster-test: setup nats faketime
	$(COMMAND)
	python3 -B crates/fleet/tests/cluster/test_reach_check.py
	python3 -B crates/fleet/tests/cluster target/debug/meshcloak $(NATS_SERVER) $(CLUSTER_TEST)

# A cluster on loopback: three NATS servers, two engines, two frontends and a crowd in each city, with
# a status table and a page. Ctrl-C stops it; `make cluster SECONDS=30` ends by itself and checks the answers.
CLUSTER_SECONDS = $(if $(SECONDS),--seconds $(SECONDS))
cluster: setup page nats
	$(CARGO) build $(RUN) --bin meshcloak
	@python3 -B crates/fleet/tests/loopback/demo.py target/start/meshcloak $(CLUSTER_SECONDS)

# Queries per second, delay and CPU per query with 1, 2 and 4 frontends and 1 and 2 engines, beside the
# single process, in one run. Wants a quiet machine.
CLUSTER_LOAD ?=
cluster-load: setup nats
	$(CARGO) build --release --bin meshcloak
	python3 -B crates/fleet/tests/loopback/scaling.py target/release/meshcloak $(CLUSTER_LOAD)

# Tests dist/nats-server.conf: a cluster with TLS works, and frontends cannot read the log.
cluster-access: setup nats
	$(COMMAND)
	python3 -B crates/fleet/tests/loopback/access.py target/debug/meshcloak

# Lints and tests private information retrieval (feature `pir`), which `make test` leaves out: it
# compiles C++ and 25 crates for the processor of this machine.
pir: setup
	@command -v c++ >/dev/null || { echo "installing a C++ compiler"; $(APT) g++; }
	$(CARGO) clippy -p neighbours -p cli --features neighbours/pir,cli/pir --all-targets -- -D warnings
	$(CARGO) test -p neighbours --features pir pir
	$(CARGO) test -p cli --features pir --test cli neighbours::pir

# Runs, attacks and measures all schemes and other architectures (experiments/rivals.sh): hours. Needs
# MESHCLOAK_MAPS. `make rivals STEPS="costs report"` runs some steps.
RIVALS ?= results/rivals
rivals: setup
	@command -v c++ >/dev/null || { echo "installing a C++ compiler"; $(APT) g++; }
	$(CARGO) build --release -p cli --features pir
	STEPS="$(STEPS)" experiments/rivals.sh target/release/meshcloak $(RIVALS)

# Installs the binary, the settings file and the systemd unit.
PREFIX  ?= /usr/local
DESTDIR ?=
install: setup page
	$(RELEASE)
	install -D -m 755 target/release/meshcloak $(DESTDIR)$(PREFIX)/bin/meshcloak
	test -e $(DESTDIR)/etc/meshcloak/meshcloak.toml || \
	  install -D -m 644 meshcloak.example.toml $(DESTDIR)/etc/meshcloak/meshcloak.toml
	install -D -m 644 dist/meshcloak.service $(DESTDIR)/etc/systemd/system/meshcloak.service
	@test -n "$(DESTDIR)" || id meshcloak >/dev/null 2>&1 || \
	  useradd --system --home-dir /etc/meshcloak --shell /usr/sbin/nologin meshcloak
	@test -n "$(DESTDIR)" || chown meshcloak: /etc/meshcloak

# Release build for installation: paths of this machine are replaced and files dated by the last commit,
# so that the same sources give the same bytes.
CRATES = $(or $(CARGO_HOME),$(HOME)/.cargo)
RELEASE = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
  RUSTFLAGS="$(RUSTFLAGS) --remap-path-prefix=$(CURDIR)=meshcloak --remap-path-prefix=$(CRATES)=crates" \
  CFLAGS="$(CFLAGS) -ffile-prefix-map=$(CURDIR)=meshcloak -ffile-prefix-map=$(CRATES)=crates" \
  $(CARGO) build --release --locked --bin meshcloak

# Debian package of the release build: target/meshcloak.deb. The same sources give the same contents.
deb: setup page
	$(RELEASE)
	python3 dist/deb.py target/release/meshcloak target/meshcloak.deb

# Packs the release build twice, compares the packages, and installs one into a clean Debian root; `make
# deb-test BINARY=…` packs another build. systemd boots that root and runs the unit. Needs root, mmdebstrap
# and systemd-nspawn.
BINARY ?= target/release/meshcloak
deb-test:
	@command -v mmdebstrap >/dev/null && command -v systemd-nspawn >/dev/null || { \
	  echo "installing mmdebstrap and systemd-nspawn"; $(APT) mmdebstrap systemd-container curl; }
	python3 dist/deb_test.py $(BINARY)

# Compiles and packs the last commit twice, from clean clones in different folders, and compares the
# contents of the packages. `make deb-twice KEEP=FOLDER` keeps both.
deb-twice: setup
	python3 dist/reproducible.py $(KEEP)

# Image for containers, built offline, by root without a network: localhost/meshcloak:latest.
OFFLINE = $$(unshare --net true 2>/dev/null && echo unshare --net)
image: setup page
	@command -v buildah >/dev/null || { echo "installing buildah"; $(APT) --no-install-recommends buildah; }
	$(RELEASE)
	$(OFFLINE) dist/image.sh target/release/meshcloak

# Runs the image alone and with PostGIS and NATS as in examples/compose. Needs root, and `make image`.
CONTAINERS = target/containers
container-test: nats $(CONTAINERS)/ready
	@command -v mmdebstrap >/dev/null || { echo "installing mmdebstrap"; $(APT) mmdebstrap; }
	@command -v podman >/dev/null && command -v iptables >/dev/null || { \
	  echo "installing podman"; $(APT) --no-install-recommends podman runc netavark aardvark-dns iptables; }
	CONTAINERS_CONF=$(CURDIR)/dist/containers.conf PATH="$(CURDIR)/$(CONTAINERS)/bin:$(PATH)" python3 dist/container_test.py $(NATS_SERVER)
$(CONTAINERS)/ready: dist/requirements.txt
	python3 -m venv --clear $(CONTAINERS)
	$(CONTAINERS)/bin/pip install -q --disable-pip-version-check -r dist/requirements.txt
	@touch $@

# Bill of materials of the binary, CycloneDX.
sbom:
	python3 dist/sbom.py >target/sbom.cdx.json

# Checks the unit, the alert rules and the bill of materials.
operators: python3 $(CONTAINERS)/ready
	@command -v promtool >/dev/null || { echo "installing promtool"; $(APT) --no-install-recommends prometheus; }
	$(CONTAINERS)/bin/python -B dist/check.py

# Builds and tests the client for browsers and Node against a running gateway, in Node and in Chromium.
js: setup node chromium
	$(COMMAND)
	cd clients/js && npm ci --no-audit --no-fund && npm run -s build && npm test

# Prints the benchmark tables; includes real maps if MESHCLOAK_MAPS names their folder.
bench: setup valgrind peers-ready
	$(CARGO) bench --workspace --benches

# MeshCloak beside other programs on the same inputs: cliques, distances, snapping, import, questions
# along streets. Installs them from PyPI and Debian.
peers: setup peers-ready
	$(CARGO) bench -p bench --bench peers
PEERS = target/peers
PEERS_NEEDS = crates/bench/benches/peers/requirements.txt
peers-ready: python3 postgis $(PEERS)/ready
	@command -v osmium >/dev/null || { echo "installing osmium"; $(APT) --no-install-recommends osmium-tool; }
	@ls /usr/share/postgresql/*/extension/pgrouting.control >/dev/null 2>&1 || { \
	  echo "installing pgRouting"; \
	  package=$$(apt-cache search --names-only '^postgresql-[0-9]+-pgrouting$$' | cut -d' ' -f1 | sort -V | tail -n 1) && \
	  $(APT) --no-install-recommends $$package; }
$(PEERS)/ready: $(PEERS_NEEDS)
	python3 -m venv --clear $(PEERS)
	$(PEERS)/bin/pip install -q --disable-pip-version-check -r $(PEERS_NEEDS)
	@touch $@

# Compares the instruction count of each engine stage with the committed count. RUSTFLAGS is
# cleared, so that the counted code is the portable code of a release. A development build of the
# gateway would share generic code of other crates, so that its counts depended on them.
GATES = CARGO_INCREMENTAL=0 RUSTFLAGS= $(CARGO) bench -q -p bench --bench gates
GATEWAY_GATES = CARGO_INCREMENTAL=0 RUSTFLAGS= $(CARGO) bench -q -p gateway --bench gates
gates: setup valgrind
	$(GATES)
	$(GATEWAY_GATES)

# Checks licences, duplicate and banned crates, and sources of dependencies.
audit:
	@command -v cargo-deny >/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny --all-features check licenses bans sources

# Replaces golden files and committed instruction counts with the current ones. Review the diff.
bless: setup valgrind postgis nats
	MESHCLOAK_BLESS=1 $(CARGO) test --workspace
	MESHCLOAK_BLESS=1 $(GATES)
	MESHCLOAK_BLESS=1 $(GATEWAY_GATES)

fmt:
	$(CARGO) fmt --all

# Checks for Rust and installs a C linker if there is none.
setup:
	@command -v $(CARGO) >/dev/null || { echo "cargo not found: install Rust 1.88 or newer from https://rust-lang.org" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "installing a C linker"; $(APT) gcc libc6-dev; }

# Installs valgrind, which counts instructions for `make gates`.
valgrind:
	@command -v valgrind >/dev/null || { echo "installing valgrind"; $(APT) valgrind; }

# Installs PostgreSQL with PostGIS in the distribution's version. The tests start their own server in
# a temporary folder.
postgis:
	@ls /usr/share/postgresql/*/extension/postgis.control >/dev/null 2>&1 || { \
	  echo "installing PostgreSQL with PostGIS"; \
	  $$(command -v sudo) apt-get update -q && \
	  package=$$(apt-cache search --names-only '^postgresql-[0-9]+-postgis-[0-9.]+$$' | cut -d' ' -f1 | sort -V | tail -n 1) && \
	  test -n "$$package" && \
	  $$(command -v sudo) apt-get install -yq --no-install-recommends $$package $$package-scripts; }

# Installs an OGC API Features server from PyPI into target/ogc. The tests start it.
OGC = target/ogc
OGC_NEEDS = crates/gateway/tests/services/requirements.txt
ogc: python3 $(OGC)/ready
$(OGC)/ready: $(OGC_NEEDS)
	python3 -m venv --clear $(OGC)
	$(OGC)/bin/pip install -q --disable-pip-version-check -r $(OGC_NEEDS)
	@touch $@

# Installs clients of Overpass, Google Places and Photon from PyPI into target/clients.
CLIENTS = target/clients
CLIENTS_NEEDS = examples/compatible/requirements.txt
clients: python3 $(CLIENTS)/ready
$(CLIENTS)/ready: $(CLIENTS_NEEDS)
	python3 -m venv --clear $(CLIENTS)
	$(CLIENTS)/bin/pip install -q --disable-pip-version-check -r $(CLIENTS_NEEDS)
	@touch $@

# Installs a NATS server from PyPI into target/nats. The tests start it. MESHCLOAK_NATS names another.
NATS = target/nats
NATS_NEEDS = crates/cluster/src/testing/requirements.txt
nats: python3 $(NATS)/ready
$(NATS)/ready: $(NATS_NEEDS)
	python3 -m venv --clear $(NATS)
	$(NATS)/bin/pip install -q --disable-pip-version-check -r $(NATS_NEEDS)
	@touch $@

# Installs faketime, which shifts the wall clock of one engine for `make cluster-test`.
faketime:
	@command -v faketime >/dev/null || { echo "installing faketime"; $(APT) faketime; }

# Builds the Python package as a wheel, prints its size and the time of an import, and tests it in a
# clean environment: lints, types, documentation, API and the notebooks. Not part of `make test`;
# WHEEL_PROFILE=dev shares the compiled crates of the other tests.
WHEEL_PROFILE ?= release
PYTHON = target/python
# Ends a notebook that hangs. With the real maps the longest takes 304 s in all on two cores at load 16.
CELL_SECONDS = 1200
python: setup python3 $(PYTHON)/ready
	$(CARGO) fmt -p python --check
	python/build.sh $(PYTHON) $(WHEEL_PROFILE)
	cd python && ../$(PYTHON)/bin/mypy meshcloak
	cd python/tests && ../../$(PYTHON)/bin/python -m pytest . --doctest-modules --pyargs meshcloak
	$(PYTHON)/bin/python -m pytest -q --nbmake --nbmake-timeout=$(CELL_SECONDS) examples/notebooks
$(PYTHON)/ready: python/requirements.txt
	python3 -m venv --clear $(PYTHON)
	$(PYTHON)/bin/pip install -q --disable-pip-version-check -r python/requirements.txt
	@touch $@

# Tests the Python package without a wheel: the module comes from the build of `cargo test --workspace`,
# so that only the package itself is compiled.
PYTHON_MODULE = target/python-module
MODULE = $(MAKE) python-module
python-module:
	$(CARGO) build -q --workspace --lib --tests
	rm -rf $(PYTHON_MODULE) && mkdir -p $(PYTHON_MODULE)
	cp -r python/meshcloak $(PYTHON_MODULE)
	cp target/debug/lib_meshcloak.so $(PYTHON_MODULE)/meshcloak/_meshcloak.abi3.so
python-test: setup python3 $(PYTHON)/ready
	$(MODULE)
	cd python && ../$(PYTHON)/bin/mypy meshcloak
	cd $(PYTHON_MODULE) && $(CURDIR)/$(PYTHON)/bin/python -m mypy.stubtest --concise --ignore-disjoint-bases \
	  --mypy-config-file $(CURDIR)/python/pyproject.toml meshcloak._meshcloak
	cd python/tests && PYTHONPATH=$(CURDIR)/$(PYTHON_MODULE) ../../$(PYTHON)/bin/python -m pytest . --doctest-modules --pyargs meshcloak
	PYTHONPATH=$(CURDIR)/$(PYTHON_MODULE) $(PYTHON)/bin/python -m pytest -q --nbmake --nbmake-timeout=$(CELL_SECONDS) examples/notebooks

# Runs the examples with Ray and Spark, which come from PyPI, over small cities.
SCALE = target/scale
python-scale: setup python3 $(SCALE)/ready $(PYTHON)/ready
	@command -v java >/dev/null || { echo "installing Java"; $(APT) openjdk-17-jre-headless; }
	python/build.sh $(PYTHON) $(WHEEL_PROFILE)
	$(SCALE)/bin/pip install -q --disable-pip-version-check --force-reinstall --no-deps target/wheels/meshcloak-*.whl
	rm -rf target/scale-data && mkdir -p target/scale-data/ray target/scale-data/spark
	cd examples/scale && ../../$(SCALE)/bin/python ray_cities.py ../../target/scale-data/ray
	cd examples/scale && PYSPARK_PYTHON=$(CURDIR)/$(SCALE)/bin/python ../../$(SCALE)/bin/python spark_cities.py ../../target/scale-data/spark
$(SCALE)/ready: examples/scale/requirements.txt
	python3 -m venv --clear $(SCALE)
	$(SCALE)/bin/pip install -q --disable-pip-version-check -r examples/scale/requirements.txt
	@touch $@

# Memory of `cloak` over the number of rows of a Parquet file: ROWS is a list, CLOAK are options of
# `cloak`, such as `CLOAK="--unique-ids --guarantee history"`, or none for the default. `READERS=--readers`
# also measures `score` and `attack`.
ROWS ?= 1_000_000 20_000_000
CLOAK ?= --unique-ids
READERS ?=
parquet-memory: setup $(PYTHON)/ready
	$(CARGO) build --release --bin meshcloak
	$(PYTHON)/bin/python crates/offline/tests/rows.py target/release/meshcloak $(ROWS) $(READERS) -- $(CLOAK)

# Installs Python, which runs the OGC server, the webhook example and the tests of the Python package.
python3:
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "installing python3"; $(APT) python3 python3-venv; }
