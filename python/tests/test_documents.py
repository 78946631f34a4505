"""The Python code of the documents runs, with small cities. `make connect` runs docs/PYTHON.md as written."""

import doctest
import re
from pathlib import Path

import pytest

import meshcloak as mc

ROOT = Path(__file__).resolve().parents[2]
SMALLER = {"7000": "500", "7_000": "500", "10_000": "400", "5_000": "300"}


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
