"""Pictures for notebooks and files."""

from __future__ import annotations

import os


class Picture:
    """A PNG image, shown by Jupyter as the value of a cell.

    >>> import meshcloak as mc
    >>> city = mc.Map.city(500, seed=1)
    >>> city.draw(city.cloak(city.simulate(300, seed=1)), 0, width=400)  # doctest: +ELLIPSIS
    <meshcloak.Picture: PNG of ... bytes>
    """

    def __init__(self, png: bytes) -> None:
        #: The bytes of the PNG file.
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<meshcloak.Picture: PNG of {len(self.png)} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG file.

        >>> import os, tempfile
        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> picture = city.draw(city.cloak(city.simulate(300, seed=1)), 0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     picture.save(os.path.join(folder, "region.png"))
        ...     os.listdir(folder)
        ['region.png']
        """
        with open(path, "wb") as file:
            file.write(self.png)
