"""Soak test of the gateway: honest users beside hostile clients, a hostile service and an operator.

python3 soak PROGRAM [--seconds 600] [--json FILE] [--inject below-k|lost]

A quiet phase with honest users only, then a hostile phase of the same length: floods, slow readers,
slow-loris connections, malformed requests; a slow, lying, huge, dead and stalled service; reloads,
revocations, kill -9 and restart. Prints a table; exit status 1 if a promise is broken.
`--inject` falsifies the record, to show that the checks can fail.
"""
import argparse, json, subprocess, sys, tempfile, threading, time
from pathlib import Path
from types import SimpleNamespace

import privacy_check, report
from city import City
from disturbances import Disturbances
from gateway_process import Gateway
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
    parser.add_argument("--inject", choices=["below-k", "lost"], help="falsify the record")
    options = parser.parse_args()
    if options.seconds < MIN_SECONDS:
        parser.error(f"--seconds {options.seconds:.0f}: at least {MIN_SECONDS}, so that users have calm queries")
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


def judge(world, users, disturbances, metrics, inject):
    """Returns the figures of both phases and the promises."""
    gateway = world.gateway
    queries = [query for user in users for query in user.queries]
    now = time.monotonic()
    attempts = [attempt for query in queries for attempt in query.attempts]
    attempts += [attempt for user in users for attempt in user.repeated]
    for attempt in attempts:
        attempt.end = attempt.end or now
    requests = sorted(read_lines(world.folder / "requests.ndjson"), key=lambda request: request["at"])
    attempts += [Attempt(**entry) for entry in read_lines(world.folder / "hostile.ndjson")]
    spans = gateway.down + [(start, end or now) for start, end in disturbances.bad]
    for request in requests:
        request["calm"] = not report.is_disturbed(request["at"], request["at"], spans)
    if inject == "below-k":
        requests.append(privacy_check.below_k(attempts))
        requests.sort(key=lambda request: request["at"])
    if inject == "lost":
        queries[0].outcome = "lost"
    figures = {phase: report.phase_figures(
        [query for query in queries if query.phase == phase], spans if phase == "hostile" else [],
        [sample for sample in gateway.memory if sample[1] == phase]) for phase in ("quiet", "hostile")}
    violations, smallest = privacy_check.check(requests, queries, attempts)
    for violation in violations[:10]:
        progress(f"violation: {violation}")
    promises = report.service_promises(figures["quiet"], figures["hostile"])
    promises["none below k"] = (not violations and len(requests) > 0,
                                f"{len(violations)} violations in {len(requests)} requests; smallest set {smallest}")
    promises["memory flat"] = report.memory_promise(gateway.memory)
    promises["accepted = ended"] = report.balance_promise(metrics)
    repeats, changed = sum(user.repeats for user in users), sum(user.changed_repeats for user in users)
    promises["one outcome a ticket"] = (changed == 0, f"{changed} of {repeats} repeated tickets got another result")
    promises["attacks took place"] = report.attack_promise(read_lines(world.folder / "counts.ndjson"))
    failed = disturbances.failed_revocations
    promises["revocations"] = (not failed, f"{disturbances.revocations} held, {len(failed)} failed, "
                               f"{disturbances.reloads} reloads beside them")
    return figures, promises


def process_promises(gateway, exit_status):
    log = (gateway.folder / "gateway.log").read_text(errors="replace")
    panics, names = log.count("panic"), log.count("soak-")
    suppressed = gateway.last_metrics.get("meshcloak_suppressed_sets_total", -1)
    return {"no panic": (panics == 0, f"{panics} panics in the log, {len(gateway.down)} kills"),
            "no name in the log": (names == 0, f"{names} names of users, tickets or accounts"),
            "guard": (suppressed == 0, f"{suppressed:.0f} sets rejected by the guard"),
            "orderly end": (exit_status == 0, f"exit status {exit_status} after SIGTERM")}


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
        gateway.last_metrics = run_phases(world, users, options.seconds / 2, attackers, disturbances)
        figures, promises = judge(world, users, disturbances, gateway.last_metrics, options.inject)
        promises.update(process_promises(gateway, gateway.stop()))
    finally:
        service.kill()
        if gateway.process:
            gateway.process.kill()
    return figures, promises


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="meshcloak-soak") as temporary:
        figures, promises = soak(options, Path(temporary))
    report.print_table(figures["quiet"], figures["hostile"], promises)
    if options.json:
        kept = {name: {"holds": holds, "details": details} for name, (holds, details) in promises.items()}
        options.json.write_text(json.dumps({"phases": figures, "promises": kept}, indent=1))
    sys.exit(0 if all(holds for holds, _ in promises.values()) else 1)


if __name__ == "__main__":
    main()
