"""Street networks of networkx and OSMnx as CSV maps (docs/SPEC.md, section 8)."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_csv_map(graph: Any, stem: Path) -> Path:
    """Writes the nodes and edges of a graph; returns the path of the nodes."""
    columns = _axes(graph)
    nodes = stem.with_suffix(".nodes.csv")
    with open(nodes, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *columns])
        for node, data in graph.nodes(data=True):
            if "x" not in data or "y" not in data:
                raise ValueError(f"node {node!r} has no `x` and `y`")
            rows.writerow([node, repr(float(data["x"])), repr(float(data["y"]))])
    with open(stem.with_suffix(".streets.csv"), "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "from", "to", "length", "oneway", "shape", "name", "class"])
        rows.writerows(_streets(graph))
    return nodes


def _axes(graph: Any) -> list[str]:
    """Degrees if the graph says so, or if it says nothing and all nodes could be degrees."""
    crs = str(graph.graph.get("crs", "")).lower()
    if crs:
        return ["lon", "lat"] if "4326" in crs or "wgs84" in crs.replace(" ", "") else ["x", "y"]
    points = [(float(d.get("x", 1e9)), float(d.get("y", 1e9))) for _, d in graph.nodes(data=True)]
    degrees = all(abs(x) <= 180 and abs(y) <= 90 for x, y in points)
    return ["lon", "lat"] if degrees else ["x", "y"]


def _streets(graph: Any) -> Iterable[list[object]]:
    """Edges as rows. Two opposite edges of one way with one length are a two-way street."""
    edges = []
    if graph.is_multigraph():
        edges = [(u, v, key, data) for u, v, key, data in graph.edges(keys=True, data=True)]
    else:
        edges = [(u, v, 0, data) for u, v, data in graph.edges(data=True)]
    opposite: dict[object, list[int]] = {}
    if graph.is_directed():
        for index, (u, v, _, data) in enumerate(edges):
            opposite.setdefault((u, v, _way(data)), []).append(index)
    merged: set[int] = set()
    for index, (u, v, key, data) in enumerate(edges):
        if index in merged:
            continue
        one_way = graph.is_directed()
        for other in opposite.get((v, u, _way(data)), []):
            if other > index and other not in merged:
                merged.add(other)
                one_way = False
                break
        yield [
            f"{u}-{v}-{key}",
            u,
            v,
            data.get("length", ""),
            int(one_way),
            _shape(data.get("geometry")),
            _text(data.get("name")),
            _text(data.get("highway")),
        ]


def _way(data: dict[str, Any]) -> object:
    way = data.get("osmid", "")
    way = tuple(sorted(map(str, way))) if isinstance(way, list) else str(way)
    length = data.get("length")
    return way, round(float(length), 3) if length is not None else None


def _shape(geometry: Any) -> str:
    if geometry is None:
        return ""
    points = ", ".join(f"{float(x)!r} {float(y)!r}" for x, y, *_ in geometry.coords)
    return f"LINESTRING ({points})"


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    return "" if value is None else str(value)
