"""Soak test of the gateway: honest users beside hostile clients, a hostile service and an operator.

python3 soak PROGRAM [--seconds 600] [--json FILE] [--inject NAME]

A quiet phase with honest users only, then a hostile phase of the same length: floods, slow readers,
slow-loris connections, malformed requests; a slow, lying, huge, dead and stalled service; reloads,
revocations, kill -9 and restart. Prints a table; exit status 1 if a promise is broken.
At the end every injection of `injections.py` falsifies a copy of the record, and must break its
promise; `--inject NAME` falsifies the record itself, so that the run fails.
"""
import argparse, json, subprocess, sys, tempfile, threading, time
from pathlib import Path
from types import SimpleNamespace

import report
from city import City
from disturbances import Disturbances
from evidence import Evidence, overlaps
from gateway_process import Gateway
from injections import INJECTIONS
from promises import PROMISES
from users import Attempt, User

HERE = Path(__file__).parent
NEIGHBOURHOODS, USERS_EACH = 6, 8
MIN_SECONDS = 40
BEGAN = time.monotonic()


def progress(text):
    print(f"{time.monotonic() - BEGAN:7.1f} s  {text}", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description="Soak test of the gateway.")
    parser.add_argument("program", help="the binary `meshcloak`")
    parser.add_argument("--seconds", type=float, default=600, help="length of both phases together")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--inject", choices=sorted(INJECTIONS), help="falsify the record")
    options = parser.parse_args()
    if options.seconds < MIN_SECONDS:
        parser.error(f"--seconds {options.seconds:.0f}: at least {MIN_SECONDS}, so that there are queries without a disturbance")
    return options


def start_service(folder, map_file):
    command = [sys.executable, HERE / "service.py", map_file, folder / "requests.ndjson"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def start_users(world):
    keys = [world.gateway.add_key(account)[0] for account in ("soak-app-a", "soak-app-b")]
    groups = world.city.neighbourhoods("west", NEIGHBOURHOODS)
    assert len(groups) == NEIGHBOURHOODS, len(groups)
    return [User(number, keys[number % 2], group, world) for number, group in
            enumerate(group for group in groups for _ in range(USERS_EACH))]


def show_progress(world, users):
    while not world.finished.wait(10):
        queries = [query for user in users for query in user.queries[-5:] if query.end]
        answered = sum(query.outcome == "answered" for query in queries)
        resident = world.gateway.memory[-1][3] // 1024 if world.gateway.memory else 0
        progress(f"{world.gateway.phase}: {sum(len(user.queries) for user in users)} honest queries, "
                 f"{answered} of the last {len(queries)} answered, {resident} MB")


def run_phases(world, users, seconds, attackers, disturbances):
    """Returns the metrics after both phases."""
    for user in users:
        user.start()
    progress(f"quiet phase of {seconds:.0f} s")
    time.sleep(seconds)
    world.gateway.phase = "hostile"
    progress(f"hostile phase of {seconds:.0f} s")
    process = subprocess.Popen(attackers, stdout=open(world.folder / "counts.ndjson", "w"))
    try:
        disturbances.run(seconds)
        died = process.poll()
    finally:
        process.kill()
        process.wait()
    world.finished.set()
    progress("waiting until all queries have ended")
    for user in users:
        user.join(70)
    world.aborted.set()
    assert died is None, f"the attackers ended with {died}"
    return world.gateway.drain()


def read_lines(path):
    """Complete lines of a record; its writer may have been ended within the last one."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


RECOVERY_SECONDS = 8  # of the privacy check: a service that was hostile may read a request late


def collect(world, users, disturbances, metrics):
    """Returns what was recorded."""
    gateway, now = world.gateway, time.monotonic()
    queries = [query for user in users for query in user.queries]
    attempts = [attempt for query in queries for attempt in query.attempts]
    attempts += [attempt for user in users for attempt in user.repeated]
    for attempt in attempts:
        attempt.end = attempt.end or now
    requests = sorted(read_lines(world.folder / "requests.ndjson"), key=lambda request: request["at"])
    attempts += [Attempt(**entry) for entry in read_lines(world.folder / "hostile.ndjson")]
    bad = [(start, end or now) for start, end in disturbances.bad]
    late = [(start, end + RECOVERY_SECONDS) for start, end in gateway.down + bad]
    for request in requests:
        request["calm"] = not overlaps(request["at"] - 1e-9, request["at"] + 1e-9, late)
    return Evidence(queries, attempts, requests, gateway.memory, metrics,
                    read_lines(world.folder / "counts.ndjson"), killed=list(gateway.down), bad=bad,
                    repeats=sum(user.repeats for user in users),
                    changed_repeats=sum(user.changed_repeats for user in users),
                    revocations=disturbances.revocations, failed_revocations=disturbances.failed_revocations,
                    reloads=disturbances.reloads)


def unnoticed(evidence):
    """Injections that break no promise. A promise that cannot fail shows nothing."""
    return [name for name, (promise, falsify) in INJECTIONS.items() if PROMISES[promise](falsify(evidence))[0]]


def soak(options, folder):
    map_file = folder / "city.geojson"
    program = Path(options.program).resolve()
    subprocess.run([program, "map", "convert", "city", map_file, "-q"], check=True, stdout=subprocess.DEVNULL)
    city = City(map_file)
    service, service_port = start_service(folder, map_file)
    gateway = Gateway(program, folder, service_port, sorted(city.pois))
    world = SimpleNamespace(city=city, gateway=gateway, folder=folder, finished=threading.Event(),
                            aborted=threading.Event())
    try:
        users = start_users(world)
        keys = ",".join(gateway.add_key(account)[0] for account in ("soak-flood", "soak-unread"))
        gateway.start()
        for task in ((gateway.sample_memory, world.aborted), (show_progress, world, users)):
            threading.Thread(target=task[0], args=task[1:], daemon=True).start()
        disturbances = Disturbances(gateway, service_port, progress)
        attackers = [sys.executable, HERE / "attackers.py", map_file, str(gateway.client_port), keys,
                     folder / "hostile.ndjson"]
        metrics = run_phases(world, users, options.seconds / 2, attackers, disturbances)
        evidence = collect(world, users, disturbances, metrics)
        evidence.exit_status = gateway.stop()
        evidence.log = (folder / "gateway.log").read_text(errors="replace")
    finally:
        service.kill()
        if gateway.process:
            gateway.process.kill()
    return evidence


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="meshcloak-soak") as temporary:
        evidence = soak(options, Path(temporary))
    if options.inject:
        evidence = INJECTIONS[options.inject][1](evidence)
    figures = {phase: report.phase_figures(evidence, phase) for phase in ("quiet", "hostile")}
    promises = report.judge(evidence)
    if all(holds for holds, _ in promises.values()):
        missed = unnoticed(evidence)
        promises["each promise can fail"] = (
            not missed, f"{len(INJECTIONS) - len(missed)} of {len(INJECTIONS)} falsified records are found{missed and f'; missed: {missed}' or ''}")
    report.print_table(figures, promises)
    if options.json:
        kept = {name: {"holds": holds, "details": details} for name, (holds, details) in promises.items()}
        options.json.write_text(json.dumps({"phases": figures, "promises": kept}, indent=1))
    sys.exit(0 if all(holds for holds, _ in promises.values()) else 1)


if __name__ == "__main__":
    main()
