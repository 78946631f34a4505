"""Arrow in from every library, Arrow out to every library, and files in every format."""

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import meshcloak as mc


def forms(people):
    table = arrow = pa.table(people)
    frame = table.to_pandas()
    yield "table", people
    yield "pyarrow", table
    yield "batch", table.combine_chunks().to_batches()[0]
    yield "reader", table.to_reader(max_chunksize=100)
    yield "pandas", frame
    yield "categories", frame.assign(user=frame["user"].astype("category"))
    yield "polars", polars.DataFrame(people)
    yield "duckdb", duckdb.sql("select * from arrow")


def test_every_library_gives_equal_outcomes(city, people, outcomes):
    expected = pa.table(outcomes)
    names = []
    for name, rows in forms(people):
        assert pa.table(city.cloak(rows)).equals(expected), name
        names.append(name)
    assert len(names) == 8


def test_every_library_reads_the_result(outcomes):
    table = arrow = pa.table(outcomes)
    assert table.schema.field("set").type == pa.list_(pa.string())
    assert table.num_rows == len(outcomes)
    frame = polars.DataFrame(outcomes)
    assert frame.height == len(outcomes)
    assert frame["outcome"].to_list() == [row["outcome"] for row in outcomes]
    relation = duckdb.sql("select count(*) from arrow where outcome = 'succeeded'")
    assert relation.fetchone()[0] == outcomes.summary["succeeded"]
    assert list(pandas.DataFrame(outcomes.rows())["at"]) == table["at"].to_pylist()


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "ndjson", "parquet"])
def test_every_file_format_gives_equal_outcomes(city, outcomes, tmp_path, ending):
    queries, written = tmp_path / f"q.{ending}", tmp_path / "o.parquet"
    assert city.simulate(400, seed=1, out=queries) is None
    assert city.cloak(queries, out=written) is None
    assert pq.read_table(written).equals(pa.table(outcomes))
    assert city.score(queries, written) == city.score(queries, outcomes)
    ndjson = tmp_path / "o.ndjson"
    city.cloak(queries, out=ndjson)
    assert city.score(queries, ndjson) == city.score(queries, outcomes)
    assert city.score(queries, ndjson, unique_ids=True) == city.score(queries, outcomes)


def test_scores_with_unique_ids_are_equal_and_need_the_order_of_time(city, people, outcomes):
    expected = city.score(people, outcomes)
    for name, rows in forms(people):
        assert city.score(rows, outcomes, unique_ids=True) == expected, name
    backwards = pa.table(people)[::-1]
    assert city.score(backwards, outcomes) == expected
    with pytest.raises(mc.Error, match="order"):
        city.score(backwards, outcomes, unique_ids=True)


def test_files_of_other_writers_are_read(city, people, outcomes, tmp_path):
    path = tmp_path / "q.parquet"
    expected = pa.table(outcomes)
    for compression in ["zstd", "snappy", "none"]:
        for version in ["1.0", "2.0"]:
            pq.write_table(
                pa.table(people), path, compression=compression, data_page_version=version,
                row_group_size=97, use_dictionary=version == "1.0",
            )
            assert pa.table(city.cloak(path)).equals(expected), (compression, version)
    polars.DataFrame(people).write_parquet(path)
    assert pa.table(city.cloak(path)).equals(expected)
    pq.write_table(pa.table(people), path, compression="gzip")
    with pytest.raises(mc.Error, match="compression with gzip; expected none, snappy or zstd$"):
        city.cloak(path)


def test_a_table_is_written_as_parquet(people, tmp_path):
    people.write_parquet(tmp_path / "q.parquet")
    assert pq.read_table(tmp_path / "q.parquet").equals(pa.table(people))


def test_bad_rows_are_named(city, people):
    table = pa.table(people)
    bad = table.set_column(2, "t", pa.array([None] + table["t"].to_pylist()[1:], pa.float64()))
    assert city.cloak(bad).summary["refusals"]["malformed"] == 1
    with pytest.raises(mc.Error, match="^queries, row 1: no content; expected `t`$"):
        city.cloak(bad, strict=True)
    with pytest.raises(mc.Error, match="^queries: column `dt` is missing"):
        city.cloak(table.drop(["dt"]))
    with pytest.raises(mc.Error, match="column `t` has the type Utf8; expected a number"):
        city.cloak(table.set_column(2, "t", table["t"].cast(pa.string())))
    with pytest.raises(TypeError, match="expected an Arrow table"):
        city.cloak(7)


def test_outcomes_that_contradict_the_queries_are_named(city, people, outcomes):
    table = pa.table(outcomes)
    with pytest.raises(mc.Error, match="^outcomes, row 2: query .* has a second outcome$"):
        city.score(people, pa.concat_tables([table.slice(0, 1), table]))
    with pytest.raises(mc.Error, match="queries without an outcome: 1"):
        city.score(people, table.slice(1))
