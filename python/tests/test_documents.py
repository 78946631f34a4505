"""The Python code of the documents runs, with small cities, and so do their shell commands as written."""

import doctest
import os
import re
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import meshcloak as mc

ROOT = Path(__file__).resolve().parents[2]
SMALLER = {"7000": "500", "7_000": "500", "10_000": "400", "5_000": "300"}
#: First words of commands that install; their blocks are not run.
INSTALLS = ("make", "pip", "python3")


def blocks(path, language):
    """The blocks of a document in one language."""
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)


def code(path):
    """The Python blocks of a document as one program, with fewer streets and users."""
    program = "\n".join(blocks(path, "python"))
    for large, small in SMALLER.items():
        program = program.replace(large, small)
    return program


@pytest.mark.parametrize("path, calls", [("docs/PYTHON.md", 7), ("python/README.md", 3)])
def test_the_code_of_a_document_runs(path, calls):
    program = code(path)
    assert len(re.findall(r"\bcity\.\w+\(|\bmc\.Map\.\w+\(", program)) >= calls, program
    exec(compile(program, path, "exec"), {})


def public_objects():
    """The objects of the package and their public methods, by name."""
    for name in mc.__all__:
        value = getattr(mc, name)
        if not callable(value) or issubclass(type(value), type) and issubclass(value, Exception):
            continue
        yield name, value
        members = vars(value).items() if isinstance(value, type) else ()
        for method, function in members:
            if not method.startswith("_") and callable(getattr(value, method)):
                yield f"{name}.{method}", getattr(value, method)


@pytest.mark.parametrize("name, value", public_objects())
def test_everything_public_has_an_example_that_runs(name, value):
    """`--doctest-modules` runs those of the Python modules; here are also those of the native one."""
    test = doctest.DocTestParser().get_doctest(value.__doc__ or "", {}, name, None, 0)
    assert test.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert (runner.tries, runner.failures) == (len(test.examples), 0)


def command():
    """The path of the command: MESHCLOAK_BIN, or the build of `cargo test`."""
    named = os.environ.get("MESHCLOAK_BIN")
    binary = Path(named) if named else ROOT / "target/debug/meshcloak"
    if not binary.is_file():
        if named:
            pytest.fail(f"MESHCLOAK_BIN is {named}: no such file")
        pytest.skip(f"{binary} does not exist; build it (cargo build --bin meshcloak) or set MESHCLOAK_BIN")
    return binary.resolve()


@pytest.fixture
def shell(tmp_path):
    """Runs shell code with the command in PATH, in a folder with a map and partitioned queries."""
    programs, folder = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    (programs / "meshcloak").symlink_to(command())
    partition = folder / "queries/city=porto/date=2026-05-01"
    partition.mkdir(parents=True)
    (folder / "maps").mkdir()

    def run(lines):
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        result = subprocess.run(
            ["sh", "-eu", "-c", lines], cwd=folder, env={**os.environ, "PATH": path},
            capture_output=True, text=True, timeout=300,
        )
        assert result.returncode == 0, f"{lines}\n{result.stdout}{result.stderr}"
        return folder, result.stdout

    run("meshcloak map convert city:500:1 maps/porto.meshmap")
    run(f"meshcloak simulate maps/porto.meshmap --users 300 --out {partition}/part-0.parquet")
    return run


def test_the_shell_commands_of_the_document_run(shell):
    """Every block runs, except those that install. Each command writes what the document says."""
    commands = []
    for block in blocks("docs/PYTHON.md", "sh"):
        words = [line.split()[0] for line in block.splitlines() if line.strip()]
        if all(word in INSTALLS for word in words):
            continue
        assert set(words) == {"meshcloak"}, f"a block is either commands of meshcloak or installs:\n{block}"
        folder, printed = shell(block)
        commands += re.findall(r"^meshcloak (\w+)", block, re.MULTILINE)
        if commands[-1] == "score":
            assert "success rate" in printed
    assert commands == ["simulate", "cloak", "score", "cloak"]
    written = {path.relative_to(folder).as_posix() for path in folder.glob("outcomes/**/*.parquet")}
    assert written == {"outcomes/city=porto/date=2026-05-01/outcomes.parquet"}
    partition = "city=porto/date=2026-05-01"
    for queries, outcomes in [
        ("queries.parquet", "outcomes.parquet"),
        (f"queries/{partition}/part-0.parquet", f"outcomes/{partition}/outcomes.parquet"),
    ]:
        # A file, without the columns that pyarrow derives from the names of folders.
        asked, settled = pq.ParquetFile(folder / queries), pq.ParquetFile(folder / outcomes)
        assert asked.metadata.num_rows == settled.metadata.num_rows > 0
