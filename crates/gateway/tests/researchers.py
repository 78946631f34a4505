"""Runs the getting-started page of researchers, docs/PYTHON.md: installation, Python and shell commands.

Called by connect.py. `make python` is not repeated: the wheel is packed from target/python-module, which
`make python-module` has built. The environment of the page holds the wheel and no other package.
"""
import json, os, re, subprocess, sys, sysconfig, time, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MODULE = ROOT / "target/python-module/meshcloak"
PAGE = ROOT / "docs/PYTHON.md"
#: What the page assumes: a map, and a folder of queries by partition.
PARTITION = "city=porto/date=2026-05-01"
PREPARED = f"""mkdir -p maps queries/{PARTITION}
meshcloak map convert city:500:1 maps/porto.meshmap
meshcloak simulate maps/porto.meshmap --users 300 --out queries/{PARTITION}/part-0.parquet"""


def pack(folder):
    """Packs the module as a wheel."""
    assert MODULE.is_dir(), f"{MODULE} does not exist: run `make python-module`"
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    tag = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    about = f"meshcloak-{version}.dist-info"
    written = {f"{about}/METADATA": f"Metadata-Version: 2.1\nName: meshcloak\nVersion: {version}\n",
               f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: connect\nRoot-Is-Purelib: false\nTag: {tag}\n"}
    modules = {f"meshcloak/{path.relative_to(MODULE)}": path for path in sorted(MODULE.rglob("*"))
               if path.is_file() and "__pycache__" not in path.parts}
    names = [*modules, *written, f"{about}/RECORD"]
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / f"meshcloak-{version}-{tag}.whl", "w") as wheel:
        for name, path in modules.items():
            wheel.write(path, name)
        for name, text in written.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{about}/RECORD", "".join(f"{name},,\n" for name in names))


class Page:
    """The blocks of the page, run in a folder."""

    def __init__(self, folder, program):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin/meshcloak").symlink_to(program)
        make = folder / "bin/make"
        make.write_text('#!/bin/sh\ntest "$*" = python\n')
        make.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "PIP_NO_INDEX": "1",
                            "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600)
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout[-3000:]}"
        return done.stdout

    def shell(self, text):
        print(text.rstrip(), flush=True)
        return self.run("bash", "-euo", "pipefail", "-c", text)

    def scored(self, queries, outcomes):
        """Whether each query of a file has an outcome in another file."""
        files = ("--queries", queries, "--outcomes", outcomes)
        return json.loads(self.run("meshcloak", "score", *files, "--json"))["queries"] > 0


def run_researchers(folder, program):
    """Runs the page in a folder with the command at `program`."""
    assert program.is_file(), f"{program} does not exist: build it with `cargo build --bin meshcloak`"
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    pack(folder / "target/wheels")
    page, begin = Page(folder, program), time.monotonic()
    page.run("bash", "-euc", PREPARED)
    code = "".join(text for kind, text in blocks if kind == "python")
    assert [kind for kind, _ in blocks][:2] == ["sh", "python"] and "Map.city(" in code, "installation, then code"
    commands = 0
    for number, (kind, text) in enumerate(blocks):
        if kind == "sh":
            printed = page.shell(text)
            commands += sum(bool(line.strip()) for line in text.splitlines())
            assert "meshcloak score" not in text or "success rate" in printed, printed
        if number == 0:
            assert (folder / "notebooks/bin/python").exists(), "the first block makes an environment"
            print(code.rstrip(), flush=True)
            page.run(str(folder / "notebooks/bin/python"), "-I", "-c", code)
    assert page.scored("queries.parquet", "outcomes.parquet")
    outcomes = [path.relative_to(folder).as_posix() for path in (folder / "outcomes").rglob("*.parquet")]
    assert outcomes == [f"outcomes/{PARTITION}/outcomes.parquet"], outcomes
    assert page.scored(f"queries/{PARTITION}/part-0.parquet", outcomes[0])
    print(f"{commands} commands and the code of docs/PYTHON.md succeeded in {time.monotonic() - begin:.0f} s")
