"""Street maps and what can be done on them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, overload

from meshcloak import _arguments, _meshcloak
from meshcloak._networkx import CsvMap
from meshcloak._picture import Picture
from meshcloak._progress import ProgressBar
from meshcloak._scheme import Scheme
from meshcloak._table import PathLike, Table

Guarantee = Literal["paper", "reciprocal", "history"]
RegionName = Literal["reach", "printed", "cells", "cell"]
#: Any object with ``__arrow_c_stream__``, or the path of a file: queries as CSV, NDJSON or Parquet,
#: outcomes as NDJSON or Parquet.
Rows = Any


class Map:
    """A street map: :meth:`open`, :meth:`city` or :meth:`from_networkx` make one.

    >>> import meshcloak as mc
    >>> city = mc.Map.city(500, seed=1)
    >>> city
    <meshcloak.Map city:500:1: 502 streets, 110 km>
    """

    def __init__(self, native: _meshcloak.Map, name: str | None = None) -> None:
        self._native = native
        #: Name of the map.
        self.name = name or native.source

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        whole_map: bool = False,
        highways: Literal["drive", "all"] = "drive",
        origin: tuple[float, float] | None = None,
        pois: PathLike | None = None,
        progress: bool = True,
    ) -> Map:
        """Reads a map: OpenStreetMap (.osm.pbf, .osm), Brinkhoff, CSV, GraphML, GeoJSON, shapefile or
        prepared, plain or gzipped. The content decides, not the name.

        `whole_map` keeps all streets, not only the largest strongly connected component. `origin` is
        (lon, lat) of a map in metres, `pois` a CSV file with further points of interest.

        >>> import meshcloak as mc
        >>> mc.Map.open("nowhere.osm.pbf")
        Traceback (most recent call last):
        meshcloak.Error: nowhere.osm.pbf: no such file
        """
        source = _arguments.file_path("path", path)
        extra = None if pois is None else _arguments.file_path("pois", pois)
        centre = None if origin is None else _arguments.lon_lat(origin)
        with ProgressBar(progress) as report:
            native = _meshcloak.Map.open(
                source, whole_map, highways == "all", centre, extra, report
            )
        return cls(native)

    @classmethod
    def city(cls, streets: int = 7000, *, seed: int = 1) -> Map:
        """Generates a city with about that many streets, 500 to 200,000; equal on every machine.

        >>> import meshcloak as mc
        >>> mc.Map.city(1000, seed=7).street_count
        1000
        """
        return cls.open(f"city:{streets}:{seed}", progress=False)

    @classmethod
    def from_networkx(cls, graph: Any, *, name: str = "graph", whole_map: bool = False) -> Map:
        """Converts a street network of networkx, such as those of OSMnx.

        Nodes need `x` and `y`: degrees if `graph.graph["crs"]` is a geographic system such as EPSG:4326
        (or is missing and all values are possible degrees), metres if it is a projected one. Edges may have `length` in metres, `geometry`
        with `coords`, `name` and `highway`. Two opposite edges of one `osmid` and length are one
        two-way street; other directed edges are one-way.

        >>> import meshcloak as mc
        >>> import networkx as nx
        >>> graph = nx.Graph(crs="EPSG:32629")
        >>> graph.add_nodes_from([(1, {"x": 0, "y": 0}), (2, {"x": 300, "y": 0}), (3, {"x": 0, "y": 400})])
        >>> nx.add_cycle(graph, [1, 2, 3])
        >>> mc.Map.from_networkx(graph, name="triangle")
        <meshcloak.Map triangle: 3 streets, 1 km>
        """
        with tempfile.TemporaryDirectory() as folder:
            written = CsvMap(graph, name, Path(folder))
            try:
                native = cls.open(written.nodes, whole_map=whole_map, progress=False)._native
            except _meshcloak.Error as error:
                raise _meshcloak.Error(written.message(str(error))) from None
        return cls(native, name)

    def __deepcopy__(self, memo: object) -> Map:
        """A map does not change, so that a copy is the map itself: schemes may hold one."""
        return self

    @property
    def street_count(self) -> int:
        """Number of streets."""
        return self._native.street_count

    @property
    def metres(self) -> float:
        """Length of all streets in metres."""
        return self._native.metres

    def streets(self) -> list[dict[str, Any]]:
        """Returns label, ends, length in metres and direction of all streets.

        >>> import meshcloak as mc
        >>> street = mc.Map.city(500, seed=1).streets()[0]
        >>> sorted(street)
        ['from', 'length', 'oneway', 'street', 'to']
        """
        names = ("street", "from", "to", "length", "oneway")
        return [dict(zip(names, row, strict=True)) for row in self._native.streets()]

    def __repr__(self) -> str:
        kilometres = self.metres / 1000
        return f"<meshcloak.Map {self.name}: {self.street_count} streets, {kilometres:.0f} km>"

    @overload
    def simulate(
        self,
        users: int = ...,
        *,
        profile: str = ...,
        k: tuple[int, int] = ...,
        dt: float = ...,
        seed: int = ...,
        ask_share: int | None = ...,
        places: Literal["uniform"] | None = ...,
        out: None = ...,
        progress: bool = ...,
    ) -> Table: ...
    @overload
    def simulate(
        self,
        users: int = ...,
        *,
        profile: str = ...,
        k: tuple[int, int] = ...,
        dt: float = ...,
        seed: int = ...,
        ask_share: int | None = ...,
        places: Literal["uniform"] | None = ...,
        out: PathLike,
        progress: bool = ...,
    ) -> None: ...
    def simulate(
        self,
        users: int = 10_000,
        *,
        profile: str = "p1",
        k: tuple[int, int] = (2, 5),
        dt: float = 3.0,
        seed: int = 1,
        ask_share: int | None = None,
        places: Literal["uniform"] | None = None,
        out: PathLike | None = None,
        progress: bool = True,
    ) -> Table | None:
        """Simulates users who move along streets and ask; returns their queries in order of time.

        `profile` is p1, p2 (those of the paper), city, or a TOML file. `k` is the range of k, `dt`
        the patience in seconds. With `ask_share` only that percentage of users ask; the others report
        their presence. `places="uniform"` draws starts and destinations evenly, as the paper does,
        instead of by the profile. `out` writes a file (.parquet, .csv, .ndjson) and returns ``None``.

        >>> import meshcloak as mc
        >>> people = mc.Map.city(500, seed=1).simulate(100, profile="p1", seed=1)
        >>> people[0]["t"], people[0]["k"] in range(2, 6), people[0]["dt"]
        (0.0, True, 3.0)
        """
        people = _arguments.whole_number("users", users)
        kind = _arguments.text("profile", profile)
        share = None if ask_share is None else _arguments.whole_number("ask_share", ask_share, 100)
        patience = _arguments.millis("dt", dt)
        bounds = _arguments.k_range(k)
        start = _arguments.whole_number("seed", seed, _arguments.U64)
        is_uniform = _arguments.uniform_places(places)
        target = None if out is None else _arguments.file_path("out", out)
        with ProgressBar(progress) as report:
            table = self._native.simulate(
                people, kind, bounds, patience, start, share, is_uniform, target, report
            )
        return None if table is None else Table(table)

    @overload
    def cloak(
        self,
        queries: Rows,
        *,
        guarantee: Guarantee = ...,
        region: RegionName = ...,
        cell_length: float | None = ...,
        scheme: str | Scheme | None = ...,
        batch: float = ...,
        snap: float = ...,
        strict: bool = ...,
        unique_ids: bool = ...,
        out: None = ...,
        progress: bool = ...,
    ) -> Table: ...
    @overload
    def cloak(
        self,
        queries: Rows,
        *,
        guarantee: Guarantee = ...,
        region: RegionName = ...,
        cell_length: float | None = ...,
        scheme: str | Scheme | None = ...,
        batch: float = ...,
        snap: float = ...,
        strict: bool = ...,
        unique_ids: bool = ...,
        out: PathLike,
        progress: bool = ...,
    ) -> None: ...
    def cloak(
        self,
        queries: Rows,
        *,
        guarantee: Guarantee = "reciprocal",
        region: RegionName = "reach",
        cell_length: float | None = None,
        scheme: str | Scheme | None = None,
        batch: float = 1.0,
        snap: float = 50.0,
        strict: bool = False,
        unique_ids: bool = False,
        out: PathLike | None = None,
        progress: bool = True,
    ) -> Table | None:
        """Hides each query among k users; returns the outcome of each (docs/SPEC.md, section 8).

        Queries have the columns query, user, t, x, y (or lon, lat), k, dt, dc (or speed, interval)
        and optionally asks, in order of t. `scheme` names a rival (:func:`meshcloak.scheme_names`),
        MeshCloak with settings ("meshcloak/history/cells-600"), or is a :class:`Scheme`; `guarantee`,
        `region` and `cell_length` are settings of MeshCloak. `batch` is the time between two batches
        in seconds, `snap` the largest distance from a street in metres (0: any). `strict` makes a malformed
        row, a duplicate id or a descending time an error instead of a refusal. `out` writes a file
        (.parquet or .ndjson; outcomes are not written as CSV) and returns ``None``; with `unique_ids`, which skips the search
        for duplicates, memory then holds the waiting queries only.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> people = city.simulate(500, seed=1)
        >>> out = city.cloak(people, guarantee="history", region="cells")
        >>> served = [row for row in out if row["outcome"] == "succeeded"]
        >>> all(len(row["set"]) >= row["k"] for row in served) and len(served) > 0
        True
        >>> city.cloak(people, region="cloud")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        meshcloak.Error: guarantee="reciprocal", region="cloud": expected a guarantee of paper, ...
        """
        rows = _arguments.table("queries", queries)
        chosen = _scheme(guarantee, region, cell_length, scheme)
        interval = _arguments.millis("batch", batch)
        limit = _arguments.real_number("snap", snap, 0, "metres")
        target = None if out is None else _arguments.file_path("out", out)
        with ProgressBar(progress) as report:
            table, metrics = self._native.cloak(
                rows, chosen, interval, limit, strict, unique_ids, target, report
            )
        return None if table is None else Table(table, json.loads(metrics))

    def score(
        self,
        queries: Rows,
        outcomes: Rows,
        *,
        batch: float = 1.0,
        unique_ids: bool = False,
        progress: bool = True,
    ) -> dict[str, Any]:
        """Returns all metrics of outcomes of any program, such as `success_rate`, `mesh_length` (in
        metres), `relative_k` and `mean_delay`. Outcomes that contradict the queries are an error.
        With `unique_ids` memory holds the waiting queries only; ids must then differ, and both tables
        must be in order of time, as those of :meth:`cloak` are.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> people = city.simulate(300, seed=1)
        >>> metrics = city.score(people, city.cloak(people))
        >>> metrics["queries"] == len(people), metrics["below_k"]
        (True, 0)
        """
        asked, settled = _arguments.table("queries", queries), _arguments.table("outcomes", outcomes)
        interval = _arguments.millis("batch", batch)
        with ProgressBar(progress) as report:
            text = self._native.score(asked, settled, interval, unique_ids, report)
        metrics: dict[str, Any] = json.loads(text)
        return metrics

    def attack(
        self,
        queries: Rows,
        outcomes: Rows | Scheme | str,
        attacks: Iterable[str],
        *,
        victims: int = 1000,
        regions: str = "mesh",
        batch: float = 1.0,
        progress: bool = True,
    ) -> Table:
        """Attacks outcomes, or a scheme: one row for the disclosure as shown and for each attack.

        `outcomes` are those of :meth:`cloak` or of any program; `regions` is then what the adversary
        knows about regions (see :class:`Scheme`). If it is a scheme, the scheme runs on the queries,
        and attacks that run the algorithm again apply as well; all queries then need `speed` and one
        `dt`. `attacks` are names or letters of :func:`meshcloak.attack_names`, `victims` the number
        of users that are attacked (0: all). Columns: `below_k` and `alone` are the shares of
        publications after which fewer than k candidates, or one, remain.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> people = city.simulate(500, seed=1)
        >>> out = city.cloak(people, guarantee="history")
        >>> city.attack(people, out, ["known-point"]).rows()[-1]["below_k"]
        0.0
        """
        rows = _arguments.table("queries", queries)
        names = _arguments.attacks(attacks)
        targets = _arguments.whole_number("victims", victims, _arguments.U64)
        interval = _arguments.millis("batch", batch)
        is_scheme = isinstance(outcomes, (Scheme, str)) and not _is_file(outcomes)
        if not is_scheme:
            expected = f"{_arguments.TABLE}, or a scheme"
            outcomes = _arguments.table("outcomes", outcomes, expected)
        with ProgressBar(progress) as report:
            if is_scheme:
                native = self._native.attack_schemes(
                    rows, [outcomes], names, targets, interval, report
                )
            else:
                native = self._native.attack_outcomes(
                    rows, outcomes, names, regions, targets, report
                )
        return Table(native)

    def evaluate(
        self,
        schemes: Iterable[str | Scheme],
        *,
        users: int = 10_000,
        profile: str = "p1",
        k: tuple[int, int] = (2, 5),
        dt: float = 3.0,
        seed: int = 1,
        places: Literal["uniform"] | None = None,
        attacks: Iterable[str] = (),
        victims: int = 1000,
        batch: float = 1.0,
        progress: bool = True,
    ) -> Table:
        """Compares schemes on the same simulated users: success, region, delay and attacks.

        The users are those of :meth:`simulate` with the same arguments.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> table = city.evaluate(["meshcloak/paper", "meshcloak/history", "casper"], users=500)
        >>> [row["scheme"] for row in table]
        ['meshcloak/paper', 'meshcloak/history', 'casper']
        """
        compared, names = _arguments.schemes(schemes), _arguments.attacks(attacks)
        targets = _arguments.whole_number("victims", victims, _arguments.U64)
        interval = _arguments.millis("batch", batch)
        people = self.simulate(
            users, profile=profile, k=k, dt=dt, seed=seed, places=places, progress=progress
        )
        with ProgressBar(progress) as report:
            native = self._native.attack_schemes(
                people, compared, names, targets, interval, report
            )
        return Table(native)

    def draw(
        self,
        outcomes: Rows,
        which: int | str,
        *,
        queries: Rows | None = None,
        width: int = 1000,
    ) -> Picture:
        """Draws a published region on the streets around it, as a PNG image.

        `which` is a number among the succeeded outcomes, from 0, or the id of a query. With `queries`
        the positions of the members are drawn as well.

        >>> import meshcloak as mc
        >>> city = mc.Map.city(500, seed=1)
        >>> people = city.simulate(300, seed=1)
        >>> picture = city.draw(city.cloak(people), 17, queries=people)
        >>> picture.png[:4]
        b'\\x89PNG'
        """
        rows = _arguments.table("outcomes", outcomes)
        members = None if queries is None else _arguments.table("queries", queries)
        if not isinstance(which, str):
            which = _arguments.outcome_number(which)
        pixels = _arguments.whole_number("width", width)
        return Picture(self._native.draw(rows, which, members, pixels))


def _scheme(
    guarantee: str, region: str, cell_length: float | None, scheme: str | Scheme | None
) -> str | Scheme:
    if scheme is None:
        names = _arguments.text("guarantee", guarantee), _arguments.text("region", region)
        return _meshcloak.meshcloak_name(*names, cell_length)
    if (guarantee, region, cell_length) != ("reciprocal", "reach", None):
        raise _meshcloak.Error("guarantee, region and cell_length are settings of MeshCloak; "
                               "leave them out, or leave out `scheme`")
    return _arguments.scheme("scheme", scheme)


def _is_file(outcomes: object) -> bool:
    """Whether outcomes are the path of a file and not the name of a scheme."""
    if not isinstance(outcomes, str):
        return False
    return os.path.exists(outcomes) or outcomes.endswith((".parquet", ".ndjson", ".gz"))
