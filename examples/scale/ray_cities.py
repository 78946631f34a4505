"""Cloaks many cities with Ray: python ray_cities.py FOLDER"""

import sys
from pathlib import Path

import pyarrow as pa
import ray

from cities import CITIES, cloak_city, expected, in_order, write_queries


def main(folder: Path) -> None:
    queries = folder / "queries"
    write_queries(queries)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    # One file per city: a batch is a whole city.
    files = ray.data.read_parquet(
        [str(queries / f"city={city}" / "queries.parquet") for city in CITIES],
        partitioning=ray.data.datasource.Partitioning("hive", base_dir=str(queries)),
        override_num_blocks=len(CITIES),
    )
    one_city_each = files.groupby("city").map_groups(cloak_city, batch_format="pyarrow")
    by_group = pa.concat_tables(ray.get(one_city_each.to_arrow_refs()))
    # `map_batches` with batch_size=None passes blocks; here they are repartitioned by city.
    sorted_blocks = files.repartition(len(CITIES), keys=["city"], shuffle=True)
    by_batch = sorted_blocks.map_batches(cloak_block, batch_format="pyarrow", batch_size=None)
    by_batch = pa.concat_tables(ray.get(by_batch.to_arrow_refs()), promote_options="default")
    ray.shutdown()
    alone = expected(queries)
    assert in_order(by_group).equals(alone), "map_groups differs from one machine"
    assert in_order(by_batch).equals(alone), "map_batches differs from one machine"
    print(f"Ray: {alone.num_rows} outcomes of {len(CITIES)} cities, equal to one machine")


def cloak_block(block: pa.Table) -> pa.Table:
    """Cloaks the cities of a block, each on its own."""
    if block.num_rows == 0:
        from cities import OUTCOMES

        return OUTCOMES.empty_table()
    cities = block["city"].unique().to_pylist()
    import pyarrow.compute as pc

    return pa.concat_tables([cloak_city(block.filter(pc.equal(block["city"], c))) for c in cities])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
