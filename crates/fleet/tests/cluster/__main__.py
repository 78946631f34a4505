"""Failure test of the cluster: real processes on loopback, users under `history`, and an adversary.

python3 cluster PROGRAM NATS-SERVER [--only NAMES] [--json FILE] [--keep FOLDER] [--inject below-k|lost|slow|stale]

Each scenario starts three NATS servers, two engines, two frontends and a recording service, breaks
something, and attacks what the service was asked. Prints a table; exit status 1 if a bound breaks.
`--inject` falsifies the record, to show that the bounds can fail.
"""
import argparse, json, shutil, subprocess, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "gateway/tests/soak"))
import scenarios
from processes import MAP
from street_network import StreetNetwork
from world import World

BEGAN = time.monotonic()
COLUMNS = [("without_owner", "no owner s", "10.2f"), ("accepted", "accepted", "8"), ("answered", "answered", "8"),
           ("expired", "expired", "7"), ("failed", "failed", "6"), ("refused", "refused", "7"),
           ("publications", "publications", "12"), ("below_k", "below k", "7")]


def progress(text):
    print(f"{time.monotonic() - BEGAN:7.1f} s  {text}", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description="Failure test of the cluster.")
    parser.add_argument("program", type=Path, help="the binary `meshcloak`")
    parser.add_argument("nats", type=Path, help="the binary `nats-server`")
    parser.add_argument("--only", default=",".join(scenarios.ALL), help=f"of {', '.join(scenarios.ALL)}")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--keep", type=Path, help="folder for the logs of failed scenarios")
    parser.add_argument("--inject", choices=["below-k", "lost", "slow", "stale"], help="falsify the record")
    options = parser.parse_args()
    options.names = options.only.split(",")
    unknown = [name for name in options.names if name not in scenarios.ALL]
    if unknown:
        parser.error(f"--only {','.join(unknown)}: no such scenario")
    return options


def run(name, options, folder):
    """Runs a scenario. Returns its figures and bounds."""
    map_file = folder / "city.geojson"
    program, nats = options.program.resolve(), options.nats.resolve()
    subprocess.run([program, "map", "convert", MAP, map_file, "-q"], check=True, stdout=subprocess.DEVNULL)
    world = World(name, program, nats, folder, StreetNetwork(map_file), map_file, options.inject)
    try:
        world.start()
        progress(f"{name}: {world.fleet.owner().name} owns the city, {len(world.answers())} queries answered")
        world.load(4)
        bounds = scenarios.ALL[name](world)
        still_waiting = world.drain()
        bounds += world.balances()
        row, further, violations = world.figures(still_waiting)
        bounds += further + [privacy_bound(name, row)] + process_bounds(world)
    finally:
        world.finished.set()
        world.aborted.set()
        world.fleet.stop()
        for proxy in world.proxies:
            proxy.close()
        if hasattr(world, "watcher"):
            world.watcher.finished.set()
    for violation in violations[:5]:
        progress(f"{name}: {violation}")
    return row, bounds


def privacy_bound(name, row):
    details = (f"{row['below_k']} of {row['publications']} requests and {row['answered']} answers, "
               f"{row['with_past']} with a last position; smallest set {row['smallest']}")
    if name == "lost-log":
        return "attack finds sets below k", row["below_k"] > 0, details
    return "none below k", row["below_k"] == 0 and row["with_past"] > 20, details


def process_bounds(world):
    logs = [process.log() for process in [*world.fleet.engines, *world.fleet.frontends]]
    panics, names = (sum(log.count(word) for log in logs) for word in ("panic", "soak-"))
    return [("no panic, no name in logs", panics + names == 0, f"{panics} panics, {names} names")]


def print_table(rows):
    print(f"\n{'scenario':<12}" + "".join(f"{title:>{len(title) + 2}}" for _, title, _ in COLUMNS))
    for name, row in rows.items():
        print(f"{name:<12}" + "".join(f"{format(row[key], style).strip():>{len(title) + 2}}"
                                      for key, title, style in COLUMNS))


def main():
    options = arguments()
    rows, broken, figures = {}, 0, {}
    for name in options.names:
        if not scenarios.is_possible(name):
            print(f"{name}: left out, the program `faketime` is missing")
            continue
        with tempfile.TemporaryDirectory(prefix="meshcloak-cluster") as temporary:
            folder = Path(temporary)
            try:
                rows[name], bounds = run(name, options, folder)
            except AssertionError as problem:
                bounds = [("scenario", False, str(problem))]
            failed = sum(not holds for _, holds, _ in bounds)
            if options.keep and failed:
                shutil.copytree(folder, options.keep / name, dirs_exist_ok=True)
        broken += failed
        print(f"\n{name}: {scenarios.ALL[name].__doc__.split('.')[0]}")
        for title, holds, details in bounds:
            print(f"  {'ok    ' if holds else 'BROKEN'}  {title:<28}{details}", flush=True)
        figures[name] = {"figures": rows.get(name), "bounds": bounds}
    print_table(rows)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    print(f"\n{broken} bounds broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
