"""The Python code of the documents runs, with small cities."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALLER = {"7000": "500", "7_000": "500", "10_000": "400", "5_000": "300"}


def code(path):
    """The blocks of a document as one program, with fewer streets and users."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)
    program = "\n".join(blocks)
    for large, small in SMALLER.items():
        program = program.replace(large, small)
    return program


@pytest.mark.parametrize("path, calls", [("docs/PYTHON.md", 7), ("python/README.md", 3)])
def test_the_code_of_a_document_runs(path, calls):
    program = code(path)
    assert len(re.findall(r"\bcity\.\w+\(|\bmc\.Map\.\w+\(", program)) >= calls, program
    exec(compile(program, path, "exec"), {})
