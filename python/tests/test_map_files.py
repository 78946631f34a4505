"""Maps from files of OpenStreetMap, read directly and by OSMnx."""

import gzip
import os
from pathlib import Path

import osmnx
import pytest

import meshcloak as mc

SIZE = 5


def town():
    """A grid of streets as OSM XML: rows are two-way, columns alternate between one-way and two-way, and
    the last street of the first row has a bend. A footway and a pond are no streets."""
    nodes, ways = [], []

    def node(number, x, y):
        nodes.append(f'<node id="{number}" lon="{9 + 0.003 * x}" lat="{48 + 0.002 * y}" version="1"/>')
        return number

    def way(members, **tags):
        refs = "".join(f'<nd ref="{member}"/>' for member in members)
        marks = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        ways.append(f'<way id="{len(ways) + 1}" version="1">{refs}{marks}</way>')

    at = {(x, y): node(100 + 10 * x + y, x, y) for x in range(SIZE) for y in range(SIZE)}
    bend = node(900, SIZE - 1.5, 0.4)
    for y in range(SIZE):
        row = [at[x, y] for x in range(SIZE)]
        way(row[:-1] + ([bend] if y == 0 else []) + row[-1:], highway="residential", name=f"Row {y}")
    for x in range(SIZE):
        column = [at[x, y] for y in range(SIZE)]
        way(column if x % 4 else column[::-1], highway="tertiary", oneway="yes" if x % 2 == 0 else "no")
    return f'<osm version="0.6">{"".join(nodes + ways)}</osm>'


def lengths(city, oneway):
    return sorted(street["length"] for street in city.streets() if street["oneway"] is oneway)


def test_a_file_of_openstreetmap_is_a_map(tmp_path):
    path = tmp_path / "town.osm"
    path.write_text(town())
    city = mc.Map.open(path)
    # Two rows of streets in each direction, of which three columns are one-way.
    assert (city.street_count, len(lengths(city, True))) == (2 * SIZE * (SIZE - 1), 3 * (SIZE - 1))
    assert lengths(city, True)[0] == pytest.approx(222.4, abs=0.3)
    packed = tmp_path / "town.osm.gz"
    packed.write_bytes(gzip.compress(town().encode()))
    assert mc.Map.open(packed).streets() == city.streets()
    assert city.cloak(city.simulate(200, seed=1)).summary["succeeded"] > 50


def test_a_street_network_of_osmnx_is_the_map_of_its_file(tmp_path):
    path = tmp_path / "town.osm"
    path.write_text(town())
    graph = osmnx.graph_from_xml(path)
    network, city = mc.Map.from_networkx(graph, name="town"), mc.Map.open(path)
    for oneway in [True, False]:
        # OSMnx measures on a sphere.
        assert lengths(network, oneway) == pytest.approx(lengths(city, oneway), rel=5e-3)
    projected = mc.Map.from_networkx(osmnx.project_graph(graph), name="town")
    assert lengths(projected, False) == pytest.approx(lengths(network, False), rel=1e-3)
    saved = tmp_path / "town.graphml"
    osmnx.save_graphml(graph, saved)
    loaded = mc.Map.from_networkx(osmnx.load_graphml(saved), name="town")
    assert loaded.streets() == network.streets()
    assert lengths(mc.Map.open(saved), False) == pytest.approx(lengths(network, False), rel=5e-3)
    assert network.cloak(network.simulate(200, seed=1)).summary["succeeded"] > 50


def test_a_real_extract_is_a_map():
    folder = os.environ.get("MESHCLOAK_MAPS")
    if not folder:
        pytest.skip("MESHCLOAK_MAPS is not set: real maps are skipped")
    city = mc.Map.open(Path(folder) / "baltimore/baltimore.osm.pbf")
    assert city.street_count > 5_000 and lengths(city, True)
    assert city.cloak(city.simulate(2_000, seed=1)).summary["succeeded"] > 500
