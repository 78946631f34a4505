"""Invalid arguments: the error names the argument, its value and what is expected."""

import networkx as nx
import pytest

import meshcloak as mc


class Own(mc.Scheme):
    name, regions = "own", "fixed"

    def cloak(self, state, now):
        return []


VALUES = {
    "users is -1; expected a whole number from 0 to 4294967295": lambda city, *_: city.simulate(-1),
    "seed is -1; expected a whole number from 0 to 18446744073709551615":
        lambda city, *_: city.simulate(10, seed=-1),
    "ask_share is -1; expected a whole number from 0 to 100":
        lambda city, *_: city.simulate(10, ask_share=-1),
    "MIN of k is -1; expected a whole number from 0 to 4294967295":
        lambda city, *_: city.simulate(10, k=(-1, 5)),
    "dt is nan; expected seconds from 0 to 1000000":
        lambda city, *_: city.simulate(10, dt=float("nan")),
    "dt is inf; expected seconds from 0 to 1000000":
        lambda city, *_: city.simulate(10, dt=float("inf")),
    "batch is 0; expected seconds from 0.001 to 1000000":
        lambda city, people, _: city.cloak(people, batch=0),
    "snap is -1; expected metres from 0 to 1000000":
        lambda city, people, _: city.cloak(people, snap=-1),
    "victims is -1; expected a whole number from 0 to 18446744073709551615":
        lambda city, people, outcomes: city.attack(people, outcomes, ["inversion"], victims=-1),
    "which is -1; expected a number of a succeeded outcome, from 0, or the id of a query as text":
        lambda city, _, outcomes: city.draw(outcomes, -1),
    "places is 'here'; expected \"uniform\", or None for those of the profile":
        lambda city, *_: city.simulate(10, places="here"),
    "width is -1; expected a whole number from 0 to 4294967295":
        lambda city, _, outcomes: city.draw(outcomes, 0, width=-1),
}

SCHEME = "the name of a scheme (`meshcloak.scheme_names()`) or an object of a subclass of `Scheme`"
TABLE = "an Arrow table (an object with `__arrow_c_stream__`) or the path of a file"
TYPES = {
    "users is 2.5; expected a whole number from 0 to 4294967295":
        lambda city, *_: city.simulate(2.5),
    "k is 5; expected (MIN, MAX) with 2 <= MIN <= MAX": lambda city, *_: city.simulate(10, k=5),
    "dt is 'x'; expected seconds from 0 to 1000000": lambda city, *_: city.simulate(10, dt="x"),
    "profile is 5; expected text": lambda city, *_: city.simulate(10, profile=5),
    "out is 5; expected the path of a file": lambda city, *_: city.simulate(10, out=5),
    "path is 5; expected the path of a file": lambda *_: mc.Map.open(5),
    "origin is 5; expected (lon, lat) in degrees": lambda *_: mc.Map.open("a.csv", origin=5),
    "which is None; expected a number of a succeeded outcome, from 0, or the id of a query as text":
        lambda city, _, outcomes: city.draw(outcomes, None),
    f"queries is 7; expected {TABLE}": lambda city, *_: city.cloak(7),
    f"outcomes is an object of the type `list`; expected {TABLE}":
        lambda city, people, _: city.score(people, []),
    f"schemes[1] is an object of the type `object`; expected {SCHEME}":
        lambda city, *_: city.evaluate(["casper", object()]),
    f"schemes[0] is the class `Own`; expected {SCHEME}: write `Own()`":
        lambda city, *_: city.evaluate([Own]),
    f"schemes is the class `Own`; expected a list; each item is {SCHEME}: write `Own()`":
        lambda city, *_: city.evaluate(Own),
    f"scheme is the class `Own`; expected {SCHEME}: write `Own()`":
        lambda city, people, _: city.cloak(people, scheme=Own),
    f"outcomes is the class `Own`; expected {TABLE}, or a scheme: write `Own()`":
        lambda city, people, _: city.attack(people, Own, ["inversion"]),
    "attacks[0] is 5; expected a name of an attack (`meshcloak.attack_names()`)":
        lambda city, people, outcomes: city.attack(people, outcomes, [5]),
    "graph is 5; expected a graph of networkx": lambda *_: mc.Map.from_networkx(5),
    "graph is the class `Graph`; expected a graph of networkx":
        lambda *_: mc.Map.from_networkx(nx.Graph),
}


@pytest.mark.parametrize("message", VALUES)
def test_a_value_outside_its_range_is_named(city, people, outcomes, message):
    with pytest.raises(mc.Error) as raised:
        VALUES[message](city, people, outcomes)
    assert str(raised.value) == message


@pytest.mark.parametrize("message", TYPES)
def test_a_value_of_another_type_is_named(city, people, outcomes, message):
    with pytest.raises(TypeError) as raised:
        TYPES[message](city, people, outcomes)
    assert str(raised.value) == message


def test_one_name_is_a_list_of_one(city):
    table = city.evaluate("casper", users=300, attacks="known-point", victims=50)
    assert [(row["scheme"], row["attack"]) for row in table] == [
        ("casper", "as shown"), ("casper", "known-point")]


def street(length=None, graph=nx.Graph, **edge):
    """A graph with one edge; `a` is at (0, 0)."""
    made = graph(crs="epsg:32629")
    made.add_node("a", x=0.0, y=0.0)
    made.add_node("b", x=100.0, y=0.0)
    made.add_edge("a", "b", length=length, **edge)
    return made


def moved(**position):
    graph = street()
    graph.nodes["a"].update(position)
    return graph


@pytest.mark.parametrize(
    "graph, message",
    [
        (nx.Graph(), "town: the graph has no nodes; expected at least one street"),
        (nx.empty_graph(0, nx.MultiDiGraph), "town: the graph has no nodes; expected at least one street"),
        (moved(x="east"), "`x` of node 'a' is 'east'; expected a number"),
        (moved(y=None), "`y` of node 'a' is None; expected a number"),
        (moved(x=float("nan")),
         "town, node 'a': field `x` is `nan`; expected metres within ±40,000 km"),
        (street(length="long"), "`length` of edge a-b-0 is 'long'; expected a number"),
        (street(length=-5), "town, edge a-b-0: field `length` is `-5`; expected metres above 0"),
        (street(geometry=7), "`geometry` of edge a-b-0 is 7; expected a line, an object with "
                             "`coords`, pairs of numbers"),
        (street(100, nx.DiGraph), "town: the map has no street"),
    ],
)
def test_errors_of_a_graph_name_the_node_or_edge(graph, message):
    """No error names the files that the conversion writes."""
    with pytest.raises(mc.Error) as raised:
        mc.Map.from_networkx(graph, name="town")
    assert str(raised.value) == message


def test_a_graph_without_edges_is_refused():
    graph = nx.Graph()
    graph.add_node("a", x=0.0, y=0.0)
    with pytest.raises(mc.Error, match="^town: the graph has no edges; expected at least one street$"):
        mc.Map.from_networkx(graph, name="town")
