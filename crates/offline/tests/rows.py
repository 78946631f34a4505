"""Memory of `meshcloak cloak` over the number of rows: it depends on who waits, not on the rows.

rows.py PROGRAM ROWS [ROWS…] [--readers] [-- OPTIONS OF CLOAK]     needs pyarrow

The queries of a simulation are repeated, each time later and with new ids and users, so that in all files
equally many wait at a time. Prints rows, size, seconds, peak memory and success of each file. With
`--unique-ids` among the options, it fails if a file needs more than half as much again as the first;
without it, a hash of every id is kept, and the bytes per row are printed. `--readers` also measures what
reads queries and outcomes: `score`, `score --unique-ids`, which must not grow either, and `attack`.
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


def peak(*command):
    """Runs a command; returns its JSON, its peak memory in MB and its time."""
    begin = time.monotonic()
    child = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    printed = json.load(child.stdout)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command[1]} ended with {status}"
    seconds, processor = time.monotonic() - begin, usage.ru_utime + usage.ru_stime
    return printed, usage.ru_maxrss / 1000, f"{seconds:.0f} s, {processor:.0f} s of processor time"


READERS = {"score": ["score"], "score --unique-ids": ["score", "--unique-ids"],
           "attack --attacks A": ["attack", MAP, "--attacks", "A"]}


def read(program, queries, out, summary, peaks):
    """Measures what reads the outcomes; adds the peaks by name."""
    for name, command in READERS.items():
        printed, memory, took = peak(program, *command, "--queries", queries, "--outcomes", out)
        peaks.setdefault(name, []).append(memory)
        print(f"{'':>12}  {name}: {took}, peak {memory:.0f} MB", flush=True)
        assert command[0] != "score" or printed["success_rate"] == summary["success_rate"], name


def check(name, peaks, counts, is_bounded):
    """Fails if bounded memory grows with the rows; prints the bytes per row otherwise."""
    if is_bounded:
        assert max(peaks) < MAX_GROWTH * peaks[0], f"{name}: memory grows with the rows"
    elif counts[-1] > counts[0]:
        print(f"{name}: {(peaks[-1] - peaks[0]) * 1e6 / (counts[-1] - counts[0]):.1f} bytes per row")


def main(program, counts, with_readers, options):
    peaks = {}
    with tempfile.TemporaryDirectory(prefix="meshcloak-rows") as temporary:
        folder = Path(temporary)
        first, queries, out = folder / "first.parquet", folder / "queries.parquet", folder / "outcomes.parquet"
        subprocess.run([program, "simulate", MAP, "--users", USERS, "--out", first], check=True, stdout=subprocess.DEVNULL)
        base = pq.read_table(first)
        for rows in counts:
            write(base, rows, queries)
            summary, memory, took = peak(program, "cloak", MAP, "--queries", queries, "--out", out, *options)
            peaks.setdefault("cloak", []).append(memory)
            assert pq.read_metadata(out).num_rows == rows
            sizes = [path.stat().st_size / 1e6 for path in (queries, out)]
            print(f"{rows:>12,} rows, {sizes[0]:.0f} MB in, {sizes[1]:.0f} MB out: {took}, peak {memory:.0f} MB, {summary['success_rate']:.1%} served", flush=True)
            if with_readers:
                read(program, queries, out, summary, peaks)
    for name, found in peaks.items():
        check(name, found, counts, "--unique-ids" in (options if name == "cloak" else name))


if __name__ == "__main__":
    arguments = sys.argv[2:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    mine = arguments[:end]
    numbers = [int(text) for text in mine if text != "--readers"]
    main(Path(sys.argv[1]).resolve(), numbers, "--readers" in mine, arguments[end + 1:])
