"""Street networks of networkx and OSMnx as CSV maps (docs/SPEC.md, section 8)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from meshcloak._arguments import describe
from meshcloak._crs import is_in_degrees
from meshcloak._meshcloak import Error

#: Members of a graph that the conversion uses.
MEMBERS = ("graph", "nodes", "edges", "is_directed", "is_multigraph")


class CsvMap:
    """A graph written as a CSV map, and the translation of errors about the files."""

    def __init__(self, graph: Any, name: str, folder: Path) -> None:
        """Writes the nodes and edges of a graph."""
        if isinstance(graph, type) or not all(hasattr(graph, member) for member in MEMBERS):
            raise TypeError(f"graph is {describe(graph)}; expected a graph of networkx")
        #: Name of the map in errors.
        self.name = name
        #: Path of the file of nodes.
        self.nodes = folder / "map.nodes.csv"
        self._streets = folder / "map.streets.csv"
        points = [(node, *_position(node, data)) for node, data in graph.nodes(data=True)]
        streets = list(_streets(graph))
        if not points or not streets:
            missing = "edges" if points else "nodes"
            raise Error(f"{name}: the graph has no {missing}; expected at least one street")
        degrees = is_in_degrees(graph.graph.get("crs"), points)
        _write(self.nodes, ["id", *(("lon", "lat") if degrees else ("x", "y"))], points)
        columns = ["id", "from", "to", "length", "oneway", "shape", "name", "class"]
        _write(self._streets, columns, streets)
        self._rows = {
            self.nodes: [f"node {node!r}" for node, *_ in points],
            self._streets: [f"edge {label}" for label, *_ in streets],
        }

    def message(self, text: str) -> str:
        """Returns an error of the reader with the node or edge instead of the file and line."""
        for path, rows in self._rows.items():
            if found := re.match(re.escape(str(path)) + r", line (\d+)", text):
                line = int(found[1])  # the header is line 1
                row = rows[line - 2] if 2 <= line < len(rows) + 2 else f"row {line - 1}"
                return f"{self.name}, {row}{text[found.end():]}"
        return text.replace(str(self.nodes), self.name).replace(str(self._streets), self.name)


def _write(path: Path, columns: list[str], rows: Iterable[Iterable[object]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def _position(node: object, data: dict[str, Any]) -> tuple[float, float]:
    if "x" not in data or "y" not in data:
        raise Error(f"node {node!r} has no `x` and `y`")
    x, y = (_number(f"`{axis}` of node {node!r}", data[axis]) for axis in "xy")
    return x, y


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Error(f"{name} is {describe(value)}; expected a number") from None


def _streets(graph: Any) -> Iterable[list[object]]:
    """Edges as rows. Two opposite edges of one way with one length are a two-way street."""
    edges = []
    if graph.is_multigraph():
        edges = [(u, v, key, data) for u, v, key, data in graph.edges(keys=True, data=True)]
    else:
        edges = [(u, v, 0, data) for u, v, data in graph.edges(data=True)]
    ways = [_way(f"{u}-{v}-{key}", data) for u, v, key, data in edges]
    opposite: dict[object, list[int]] = {}
    if graph.is_directed():
        for index, (u, v, *_) in enumerate(edges):
            opposite.setdefault((u, v, ways[index]), []).append(index)
    merged: set[int] = set()
    for index, (u, v, key, data) in enumerate(edges):
        if index in merged:
            continue
        one_way = graph.is_directed()
        for other in opposite.get((v, u, ways[index]), []):
            if other > index and other not in merged:
                merged.add(other)
                one_way = False
                break
        label = f"{u}-{v}-{key}"
        yield [
            label,
            u,
            v,
            data.get("length", ""),
            int(one_way),
            _shape(label, data.get("geometry")),
            _text(data.get("name")),
            _text(data.get("highway")),
        ]


def _way(label: str, data: dict[str, Any]) -> object:
    way = data.get("osmid", "")
    way = tuple(sorted(map(str, way))) if isinstance(way, list) else str(way)
    length = data.get("length")
    return way, None if length is None else round(_number(f"`length` of edge {label}", length), 3)


def _shape(label: str, geometry: Any) -> str:
    if geometry is None:
        return ""
    try:
        points = ", ".join(f"{float(x)!r} {float(y)!r}" for x, y, *_ in geometry.coords)
    except (AttributeError, NotImplementedError, TypeError, ValueError):
        raise Error(f"`geometry` of edge {label} is {describe(geometry)}; expected a line, an object "
                    "with `coords`, pairs of numbers") from None
    return f"LINESTRING ({points})"


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    # A missing value of pandas differs from itself.
    return "" if value is None or value != value else str(value)
