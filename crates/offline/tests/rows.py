"""Memory of `meshcloak cloak` over the number of rows: it depends on who waits, not on the rows.

rows.py PROGRAM ROWS [ROWS…] [-- OPTIONS OF CLOAK]     needs pyarrow

The queries of a simulation are repeated, each time later and with new ids and users, so that in all files
equally many wait at a time. Prints rows, size, seconds, peak memory and success of each file. With
`--unique-ids` among the options, it fails if a file needs more than half as much again as the first;
without it, a hash of every id is kept, and the bytes per row are printed.
"""
import json, os, subprocess, sys, tempfile, time
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


def peak(program, queries, out, options):
    """Runs `cloak`; returns its peak memory in MB and its success rate."""
    command = [program, "cloak", MAP, "--queries", queries, "--out", out, "--json", *options]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    summary = json.load(child.stdout)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"cloak ended with {status}"
    return usage.ru_maxrss / 1000, summary["success_rate"]


def main(program, counts, options):
    peaks = []
    with tempfile.TemporaryDirectory(prefix="meshcloak-rows") as temporary:
        folder = Path(temporary)
        first, queries, out = folder / "first.parquet", folder / "queries.parquet", folder / "outcomes.parquet"
        subprocess.run([program, "simulate", MAP, "--users", USERS, "--out", first], check=True, stdout=subprocess.DEVNULL)
        base = pq.read_table(first)
        for rows in counts:
            write(base, rows, queries)
            begin = time.monotonic()
            memory, success = peak(program, queries, out, options)
            peaks.append(memory)
            seconds = time.monotonic() - begin
            assert pq.read_metadata(out).num_rows == rows
            sizes = [path.stat().st_size / 1e6 for path in (queries, out)]
            print(f"{rows:>12,} rows, {sizes[0]:.0f} MB in, {sizes[1]:.0f} MB out: {seconds:.0f} s, peak {memory:.0f} MB, {success:.1%} served", flush=True)
    if "--unique-ids" in options:
        assert max(peaks) < MAX_GROWTH * peaks[0], "memory grows with the rows"
    elif counts[-1] > counts[0]:
        print(f"{(peaks[-1] - peaks[0]) * 1e6 / (counts[-1] - counts[0]):.1f} bytes per row")


if __name__ == "__main__":
    arguments = sys.argv[2:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    main(Path(sys.argv[1]).resolve(), [int(text) for text in arguments[:end]], arguments[end + 1:])
