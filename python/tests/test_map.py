"""Maps from files, generators and networkx; pictures."""

import sys

import networkx as nx
import pyproj
import pytest

import meshcloak as mc


def grid(size=6, block=200.0):
    graph = nx.MultiDiGraph(crs="epsg:32629")
    for x in range(size):
        for y in range(size):
            graph.add_node((x, y), x=x * block, y=y * block)
    for x in range(size):
        for y in range(size):
            for other in [(x + 1, y), (x, y + 1)]:
                if other in graph:
                    data = {"osmid": 1, "length": block, "highway": "residential"}
                    graph.add_edge((x, y), other, **data)
                    graph.add_edge(other, (x, y), **data)
    return graph


class Line:
    """Like a LineString of shapely."""

    def __init__(self, *coords):
        self.coords = coords


def test_opposite_edges_are_a_two_way_street():
    city = mc.Map.from_networkx(grid(), name="grid")
    assert (city.street_count, city.metres) == (60, 12_000.0)
    assert not any(street["oneway"] for street in city.streets())
    assert repr(city) == "<meshcloak.Map grid: 60 streets, 12 km>"


def test_one_way_streets_and_shapes_are_kept():
    graph = grid(3)
    bent = Line((0.0, 0.0), (100.0, 150.0), (200.0, 200.0))
    graph.add_edge((0, 0), (1, 1), osmid=[7, 8], geometry=bent, name=["Main", "Side"])
    city = mc.Map.from_networkx(graph)
    streets = [street for street in city.streets() if street["oneway"]]
    assert [street["from"] for street in streets] == ["(0, 0)"]
    assert streets[0]["length"] == pytest.approx(180.28 + 111.80, abs=0.01)


def test_degrees_are_projected():
    graph = nx.Graph(crs="EPSG:4326")
    for number, (lon, lat) in enumerate([(8.0, 53.0), (8.01, 53.0), (8.01, 53.01)]):
        graph.add_node(number, x=lon, y=lat)
    nx.add_cycle(graph, range(3))
    city = mc.Map.from_networkx(graph)
    assert city.street_count == 3
    assert sorted(street["length"] for street in city.streets())[0] == pytest.approx(671, abs=2)


GEOGRAPHIC = ["EPSG:4326", "epsg:4258", "OGC:CRS84", "WGS84", "+proj=longlat +datum=WGS84"]


@pytest.mark.parametrize("has_pyproj", [True, False])
def test_geographic_systems_are_degrees_and_projected_ones_metres(monkeypatch, has_pyproj):
    if not has_pyproj:
        monkeypatch.setitem(sys.modules, "pyproj", None)

    def metres(crs, scale=1.0):
        graph = grid(3, block=200.0 * scale)
        for *_, data in graph.edges(data=True):
            del data["length"]
        graph.graph["crs"] = crs
        return mc.Map.from_networkx(graph).metres

    # 0.002 degrees are 222 m, and a little more along a meridian than along the equator.
    for crs in GEOGRAPHIC + [pyproj.CRS("EPSG:4269")]:
        assert metres(crs, 1e-5) == pytest.approx(12 * 222.0, rel=0.01), crs
    utm = "+proj=utm +zone=29 +datum=WGS84"
    for crs in ["EPSG:32629", "epsg:3857", utm, pyproj.CRS("EPSG:2154")]:
        # A square of 40 m has values that could be degrees.
        assert (metres(crs), metres(crs, 0.1)) == pytest.approx((2400.0, 240.0)), crs
    for crs, named in [("EPSG:2263", "US survey foot"), ("my town", "is 'my town', which is not known")]:
        if has_pyproj or crs == "my town":
            with pytest.raises(mc.Error, match=named):
                metres(crs, 0.1)


def test_a_geometry_of_several_lines_is_named():
    class Lines:
        @property
        def coords(self):
            raise NotImplementedError("multi-part geometries have none")

    graph = grid(2)
    graph.add_edge((0, 0), (1, 1), geometry=Lines(), name=float("nan"))
    with pytest.raises(mc.Error, match=r"`geometry` of edge \(0, 0\)-\(1, 1\)-0 is an object of the type"):
        mc.Map.from_networkx(graph)


def test_a_node_without_a_position_is_named():
    graph = nx.Graph()
    graph.add_node("a")
    with pytest.raises(ValueError, match="node 'a' has no `x` and `y`"):
        mc.Map.from_networkx(graph)


def test_a_city_of_networkx_is_simulated_and_cloaked():
    city = mc.Map.from_networkx(grid(10))
    people = city.simulate(300, seed=3)
    assert city.cloak(people).summary["succeeded"] > 100


def test_a_missing_file_and_a_bad_size_have_the_sentences_of_the_command():
    with pytest.raises(mc.Error, match="^nowhere.osm: no such file$"):
        mc.Map.open("nowhere.osm")
    with pytest.raises(mc.Error, match="is `3`; expected a number of streets from 500 to 200000"):
        mc.Map.city(3)


def test_regions_are_drawn(city, people, outcomes, tmp_path):
    picture = city.draw(outcomes, 17, queries=people)
    assert picture._repr_png_() == picture.png
    served = [row for row in outcomes if row["outcome"] == "succeeded"]
    assert city.draw(outcomes, served[17]["query"], queries=people).png == picture.png
    assert city.draw(outcomes, 17).png != picture.png, "the members are not drawn"
    picture.save(tmp_path / "region.png")
    assert (tmp_path / "region.png").read_bytes() == picture.png
    for name in ["outcomes.ndjson", "outcomes.parquet"]:
        city.cloak(people, out=tmp_path / name)
        assert city.draw(tmp_path / name, 17, queries=people).png == picture.png, name
    with pytest.raises(mc.Error, match=f"outcome {len(served)}: only {len(served)} queries"):
        city.draw(outcomes, len(served))
    expired = next(row["query"] for row in outcomes if row["outcome"] == "expired")
    with pytest.raises(mc.Error, match=f"query `{expired}` is expired: it has no region"):
        city.draw(outcomes, expired)


def test_rectangles_and_discs_are_drawn(city, people):
    for scheme in ["casper", "clique-cloak"]:
        assert city.draw(city.cloak(people, scheme=scheme), 0).png[:4] == b"\x89PNG"
