#!/usr/bin/env bash
# Builds the wheel into target/wheels, installs it into a new environment without any other package,
# and prints size and import time: python/build.sh TOOLS PROFILE. TOOLS is an environment with maturin;
# the wheel is installed there as well, for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$1 profile=$2
max_megabytes=20 max_seconds=0.3
rm -rf target/wheels
PATH="$PWD/$tools/bin:$PATH" "$tools/bin/maturin" build -q --profile "$profile" \
  --manifest-path python/Cargo.toml --interpreter python3 --out target/wheels
wheel=$(ls target/wheels/meshcloak-*.whl)
python3 -m venv --clear target/clean
target/clean/bin/pip install -q --disable-pip-version-check --no-index "$wheel"
"$tools/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps --no-index "$wheel"
target/clean/bin/python -I - "$wheel" "$profile" "$max_megabytes" "$max_seconds" <<'PYTHON'
import os, subprocess, sys

wheel, profile, max_megabytes, max_seconds = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:5])
megabytes = os.path.getsize(wheel) / 1e6
code = "import time; t = time.perf_counter(); import meshcloak; print(time.perf_counter() - t)"
run = lambda: float(subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True).stdout)
seconds = min(run() for _ in range(5))
print(f"{os.path.basename(wheel)} ({profile}): {megabytes:.1f} MB, import {seconds:.3f} s")
if megabytes >= max_megabytes:
    sys.exit(f"the wheel is larger than {max_megabytes:.0f} MB")
if seconds >= max_seconds:
    sys.exit(f"the fastest of five imports took {seconds:.3f} s; the limit is {max_seconds} s")
PYTHON
