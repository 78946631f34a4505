"""Memory of `meshcloak cloak` over the number of rows: it depends on who waits, not on the rows.

rows.py PROGRAM ROWS [ROWS…]     needs pyarrow

The queries of a simulation are repeated, each time later and with new ids and users, so that in all files
equally many wait at a time. Prints rows, size, seconds and peak memory of each file, and fails if a file
needs more than half as much again as the first.
"""
import os, subprocess, sys, tempfile, time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MAP, USERS, MAX_GROWTH = "city:2000:1", "20000", 1.5


def write(base, rows, path):
    """Writes the queries again and again until there are `rows`."""
    period = pc.max(base["t"]).as_py() + 60
    written = 0
    with pq.ParquetWriter(path, base.schema, compression="zstd") as file:
        while written < rows:
            number = written // base.num_rows
            part = base.slice(0, min(base.num_rows, rows - written))
            for name in ("query", "user"):
                renamed = pc.binary_join_element_wise(part[name].cast(pa.string()), str(number), ".")
                part = part.set_column(part.schema.names.index(name), base.schema.field(name), renamed)
            later = pc.add(part["t"], float(number * period))
            file.write_table(part.set_column(part.schema.names.index("t"), base.schema.field("t"), later))
            written += part.num_rows


def peak(program, queries, out):
    """Runs `cloak` and returns its peak memory in MB."""
    child = subprocess.Popen([program, "cloak", MAP, "--queries", queries, "--out", out, "--unique-ids"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"cloak ended with {status}"
    return usage.ru_maxrss / 1000


def main(program, counts):
    peaks = []
    with tempfile.TemporaryDirectory(prefix="meshcloak-rows") as temporary:
        folder = Path(temporary)
        first, queries, out = folder / "first.parquet", folder / "queries.parquet", folder / "outcomes.parquet"
        subprocess.run([program, "simulate", MAP, "--users", USERS, "--out", first], check=True, stdout=subprocess.DEVNULL)
        base = pq.read_table(first)
        for rows in counts:
            write(base, rows, queries)
            begin = time.monotonic()
            peaks.append(peak(program, queries, out))
            seconds = time.monotonic() - begin
            assert pq.read_metadata(out).num_rows == rows
            sizes = [path.stat().st_size / 1e6 for path in (queries, out)]
            print(f"{rows:>12,} rows, {sizes[0]:.0f} MB in, {sizes[1]:.0f} MB out: {seconds:.0f} s, peak {peaks[-1]:.0f} MB", flush=True)
    assert max(peaks) < MAX_GROWTH * peaks[0], "memory grows with the rows"


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), [int(text) for text in sys.argv[2:]])
