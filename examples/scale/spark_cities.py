"""Cloaks many cities with Spark: python spark_cities.py FOLDER"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from cities import CITIES, OUTCOMES, cloak_city, expected, in_order, write_queries


def cloak_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Cloaks the cities of a partition, each on its own."""
    rows = list(batches)
    if not rows:
        return
    table = pa.Table.from_batches(rows)
    for city in table["city"].unique().to_pylist():
        yield from cloak_city(table.filter(pc.equal(table["city"], city))).to_batches()


def main(folder: Path) -> None:
    queries, results = folder / "queries", folder / "outcomes"
    write_queries(queries)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", str(len(CITIES)))
        .getOrCreate()
    )
    table = spark.read.parquet(str(queries)).withColumn("city", spark_long("city"))
    outcomes = table.repartition("city").mapInArrow(cloak_partition, from_arrow_schema(OUTCOMES))
    outcomes.write.partitionBy("city").parquet(str(results))
    spark.stop()
    import pyarrow.dataset as ds

    alone = expected(queries)
    found = in_order(ds.dataset(results, partitioning="hive", exclude_invalid_files=True).to_table())
    assert found.equals(alone), "mapInArrow differs from one machine"
    print(f"Spark: {alone.num_rows} outcomes of {len(CITIES)} cities, equal to one machine")


def spark_long(name: str):
    from pyspark.sql.functions import col

    return col(name).cast("long")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
