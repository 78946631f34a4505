"""Times of other programs on the inputs that the bench `peers` wrote.

usage: peers.py FOLDER

Prints one line for each task and program: task, program, seconds, answer, separated by tabs. Each time
is the best of three on one thread, or one run if it takes more than five seconds.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import shutil
import subprocess
import sys
import time
from pathlib import Path

import igraph
import networkit
import numpy
import osmium
import pandana
import pandas
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

import pgrouting

DATA = Path(sys.argv[1])
# Libraries print to the standard output, too: theirs goes to standard error.
ROWS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
UNITS = 32  # lengths are multiples of 1/32 m
RADIUS = 1000.0
LIMIT = 50.0
LONG = 5.0


def measure(task, program, run, count=lambda answer: answer):
    """Prints the best time of `run`; `count` computes the answer from its result, untimed."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
        if best > LONG:
            break
    print(task, program, best, float(count(result)), sep="\t", file=ROWS, flush=True)


def read(name, kind, columns):
    return numpy.fromfile(DATA / name, kind).reshape(-1, columns)


def cliques():
    for file in sorted(DATA.glob("maximal cliques*.u32")):
        (head, *_), edges = (rows := read(file.name, "<u4", 2)), rows[1:]
        nodes = int(head[0])
        graph = networkit.Graph(nodes)
        for a, b in edges.tolist():
            graph.addEdge(a, b)

        def by_networkit():
            search = networkit.clique.MaximalCliques(graph)
            search.run()
            return len(search.getCliques())

        measure(file.stem, "networkit", by_networkit)
        other = igraph.Graph(n=nodes, edges=edges.tolist())
        measure(file.stem, "igraph", lambda: len(other.maximal_cliques()))


def matrix():
    task = "distance matrix, 1000 m"
    rows = read(f"{task}.u32", "<u4", 3)
    (nodes, limit, _), arcs = rows[0], rows[1:]
    graph = sparse(arcs, nodes)

    def by_scipy():
        pairs = 0
        for start in range(0, nodes, 500):
            sources = range(start, min(start + 500, nodes))
            found = dijkstra(graph, indices=sources, limit=limit)
            pairs += numpy.count_nonzero(found <= limit)
        return pairs

    measure(task, "scipy, dijkstra with limit", by_scipy)


def sparse(arcs, nodes):
    """Adjacency matrix; of parallel arcs the shortest is kept, loops are left out."""
    arcs = arcs[arcs[:, 0] != arcs[:, 1]]
    arcs = arcs[numpy.lexsort((arcs[:, 2], arcs[:, 1], arcs[:, 0]))]
    first = numpy.ones(len(arcs), bool)
    first[1:] = (arcs[1:, :2] != arcs[:-1, :2]).any(axis=1)
    arcs = arcs[first]
    return csr_matrix((arcs[:, 2].astype(float), (arcs[:, 0], arcs[:, 1])), (nodes, nodes))


def snapping():
    for file in DATA.glob("nearest street*points.f64"):
        points = read(file.name, "<f8", 2)
        tree = cKDTree(read(f"{file.stem}, samples.f64", "<f8", 2))

        def nearest():
            distances, _ = tree.query(points, distance_upper_bound=LIMIT)
            return numpy.count_nonzero(distances <= LIMIT)

        measure(file.stem, "scipy, k-d tree of points every 5 m", nearest)


def streets():
    rows = read("streets.u32", "<u4", 3)
    (nodes, objects, count), rest = rows[0], rows[1:]
    places, arcs = rest[:objects, 0], rest[objects:]
    points = read("streets.f64", "<f8", 2)
    nearest = "10 nearest along streets, from all terminals"
    within = "objects within 1000 m along streets"
    metres = pandas.DataFrame({"metres": arcs[:, 2] / UNITS})
    frame = pandas.Series(arcs[:, 0].astype(int)), pandas.Series(arcs[:, 1].astype(int))
    x, y = pandas.Series(points[:, 0]), pandas.Series(points[:, 1])
    network = pandana.Network(x, y, *frame, metres, twoway=False)
    network.set_pois("object", 1e5, int(count), x[places], y[places])

    def sum_of_nearest():
        found = network.nearest_pois(1e5, "object", num_pois=int(count))
        return found.to_numpy(dtype=float).sum()

    measure(nearest, "pandana", sum_of_nearest)
    network.set(pandas.Series(places.astype(int)), name="object")
    flat = {"type": "count", "decay": "flat", "name": "object"}
    measure(within, "pandana, count only", lambda: network.aggregate(RADIUS, **flat).sum())
    with pgrouting.Database(arcs, places, UNITS) as database:
        measure(within, "pgRouting, pgr_drivingDistance", lambda: database.within(RADIUS))
        measure(nearest, "pgRouting, pgr_dijkstraCost", lambda: database.nearest(int(count)))


def osm():
    task = "read the streets of an OSM extract"
    file = DATA / f"{task}.txt"
    if not file.exists():
        return
    path = file.read_text()
    measure(task, "osmium for Python, node locations", lambda: way_count(path))
    if shutil.which("osmium"):
        output = str(DATA / "streets.osm.pbf")
        command = ["osmium", "tags-filter", "--overwrite", "-o", output, path]
        run = [*command, "w/highway=" + ",".join(FOR_CARS)]
        count = lambda _: way_count(output)
        measure(task, "osmium tags-filter", lambda: subprocess.run(run, check=True), count)


LINKED = ["motorway", "trunk", "primary", "secondary", "tertiary"]
FOR_CARS = [*LINKED, *(f"{name}_link" for name in LINKED)]
FOR_CARS += ["unclassified", "residential", "living_street", "service", "road"]


def way_count(path):
    """Reads the ways for cars with the positions of their nodes and returns their number."""
    ways = osmium.FileProcessor(path, osmium.osm.NODE | osmium.osm.WAY).with_locations()
    ways.with_filter(osmium.filter.EntityFilter(osmium.osm.WAY))
    ways.with_filter(osmium.filter.TagFilter(*(("highway", name) for name in FOR_CARS)))
    count = 0
    for way in ways:
        nodes = [(node.ref, node.lon, node.lat) for node in way.nodes if node.location.valid()]
        count += len({node[0] for node in nodes}) > 1 and way.tags.get("area") != "yes"
    return count


for task in [cliques, matrix, snapping, streets, osm]:
    task()
