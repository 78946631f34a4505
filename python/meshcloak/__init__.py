"""Location privacy on street maps: simulate users, hide each among k, score and attack the result.

>>> import meshcloak as mc
>>> city = mc.Map.city(500, seed=1)
>>> people = city.simulate(300, seed=1)
>>> out = city.cloak(people, guarantee="reciprocal")
>>> len(out) == len(people)
True
>>> 0 < city.score(people, out)["success_rate"] <= 1
True

Tables go in as any object with ``__arrow_c_stream__`` (pandas, polars, pyarrow, DuckDB) or as the path
of a file (queries: CSV, NDJSON or Parquet; outcomes: NDJSON or Parquet), and come out as :class:`Table`, which has that method as well.
"""

from meshcloak._map import Map
from meshcloak._meshcloak import (
    Disc,
    Error,
    Query,
    Rectangle,
    State,
    __version__,
    attack_names,
    scheme_names,
)
from meshcloak._picture import Picture
from meshcloak._scheme import Scheme
from meshcloak._table import Table

__all__ = [
    "Disc",
    "Error",
    "Map",
    "Picture",
    "Query",
    "Rectangle",
    "Scheme",
    "State",
    "Table",
    "__version__",
    "attack_names",
    "scheme_names",
]
