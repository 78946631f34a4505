"""Pictures for notebooks and files."""

from __future__ import annotations

import os


class Picture:
    """A PNG image, shown by Jupyter as the value of a cell."""

    def __init__(self, png: bytes) -> None:
        #: The bytes of the PNG file.
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<meshcloak.Picture: PNG of {len(self.png)} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        with open(path, "wb") as file:
            file.write(self.png)
