"""What the examples share: a partitioned data set of small cities, and cloaking one of them."""

import functools
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

import meshcloak as mc

CITIES = [1, 2, 3, 4]
OUTCOMES = pa.schema(
    [
        ("city", pa.int64()),
        ("query", pa.string()),
        ("outcome", pa.string()),
        ("at", pa.float64()),
        ("k", pa.int64()),
        ("set", pa.list_(pa.string())),
        ("length", pa.float64()),
    ]
)


@functools.cache
def city_map(city: int) -> mc.Map:
    """The map of a city, once per process. Real data: `mc.Map.open(f"maps/{city}.meshmap")`."""
    return mc.Map.city(500, seed=city)


def write_queries(folder: Path) -> None:
    """Writes `folder/city=N/queries.parquet` for every city."""
    for city in CITIES:
        part = folder / f"city={city}"
        part.mkdir(parents=True)
        city_map(city).simulate(300, seed=city, out=part / "queries.parquet", progress=False)


def cloak_city(table: pa.Table) -> pa.Table:
    """Cloaks all queries of one city, in order of time."""
    # Ray reads the value of a partition as text.
    cities = [int(city) for city in table["city"].unique().to_pylist()]
    assert len(cities) == 1, f"expected the queries of one city, not {cities}"
    table = table.sort_by([("t", "ascending"), ("query", "ascending")])
    outcomes = pa.table(city_map(cities[0]).cloak(table, progress=False))
    column = pa.array([cities[0]] * outcomes.num_rows, pa.int64())
    return outcomes.append_column("city", column).select(OUTCOMES.names).cast(OUTCOMES)


def expected(folder: Path) -> pa.Table:
    """The same on one machine, city after city."""
    queries = ds.dataset(folder, partitioning="hive").to_table()
    parts = [cloak_city(queries.filter(ds.field("city") == city)) for city in CITIES]
    return in_order(pa.concat_tables(parts))


def in_order(outcomes: pa.Table) -> pa.Table:
    """Outcomes by city and query, for comparisons."""
    order = [("city", "ascending"), ("query", "ascending")]
    return outcomes.select(OUTCOMES.names).cast(OUTCOMES).sort_by(order).combine_chunks()
