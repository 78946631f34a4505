"""Arrow tables that calls return."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from meshcloak import _meshcloak

PathLike = str | os.PathLike[str]


class Table:
    """An Arrow table; pandas, polars, pyarrow and DuckDB read it without a copy.

    >>> import meshcloak as mc
    >>> people = mc.Map.city(500, seed=1).simulate(50, seed=1)
    >>> people.column_names[:5]
    ['query', 'user', 't', 'x', 'y']
    >>> people[0]["k"] >= 2
    True

    ``pyarrow.table(people)``, ``polars.DataFrame(people)`` and
    ``pyarrow.table(people).to_pandas()`` convert it.
    """

    #: Metrics of the run that made the table, or ``None``.
    summary: dict[str, Any] | None

    def __init__(
        self, native: _meshcloak.Table, summary: dict[str, Any] | None = None
    ) -> None:
        self._native = native
        self.summary = summary

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __deepcopy__(self, memo: object) -> Table:
        """The rows do not change, so that a copy is the table itself: schemes may hold one."""
        return self

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return repr(self._native)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __getitem__(self, row: int) -> dict[str, Any]:
        return self.rows()[row]

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return self._native.column_names

    def rows(self) -> list[dict[str, Any]]:
        """Returns the rows as dictionaries, for small tables.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> sorted({row["outcome"] for row in city.cloak(city.simulate(300, seed=1)).rows()})
        ['expired', 'succeeded']
        """
        return self._native.rows()

    def write_parquet(self, path: PathLike) -> None:
        """Writes the table to a Parquet file, which appears when it is complete.

        >>> import os, tempfile
        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> people = city.simulate(50, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "people.parquet")
        ...     people.write_parquet(path)
        ...     len(city.cloak(path)) == len(people)
        True
        """
        self._native.write_parquet(os.fspath(path))
