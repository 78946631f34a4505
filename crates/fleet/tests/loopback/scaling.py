"""Throughput, delay and CPU per query of a cluster on loopback, beside the single process.

python3 scaling.py PROGRAM [--users N,N…] [--seconds N] [--json FILE]

The same crowd asks the single process, then clusters of 1, 2 and 4 frontends with 1 and 2 engines, which
divide the city by cells. CPU is that of each role's processes from the begin to the end of the crowd,
divided by the queries. Everything shares this machine: CPU per query, not queries per second, tells what
more machines would do.
"""
import argparse, json, os, subprocess, sys, tempfile, time
from pathlib import Path

from members import Members
from nats_servers import NatsServers
from processes import Processes, free_ports

CITY = "city:5000:7"
CELLS = {"engine.region": "cell", "engine.cell_length": 3000}
FORMS = [(0, 0), (1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (4, 2)]
ROLES = ("frontend", "engine", "nats", "crowd")
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """Time that a process has used, in user and kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Form:
    """A single process (0 frontends), or a cluster."""

    def __init__(self, program, folder, frontends, engines):
        self.program, self.processes, self.frontends = program, Processes(folder), frontends
        self.addresses, self.roles = [], {}
        settings = {"map.source": CITY, **CELLS, "limits.rate": 10_000_000, "limits.user_rate": 6000, "limits.people": 1_000_000,
                    "engine.dc_max": 1000, "limits.dc_max": 1000, "log.level": "warn"}
        if frontends == 0:
            self.single(settings)
            return
        servers = NatsServers(self.processes)
        servers.wait()
        self.members = Members(program, self.processes, servers.urls(), {**settings, "cluster.shards": engines})
        for number in range(engines):
            self.members.start("engine", f"engine-{number}")
        self.addresses = [self.members.start("frontend", f"frontend-{number}")[0] for number in range(frontends)]
        self.members.wait("owners of all shards", lambda: self.is_up(engines, frontends))

    def single(self, settings):
        self.members = Members(self.program, self.processes, "", settings)
        port, metrics = free_ports(2)
        command = [self.program, "serve", *self.members.settings, "--listen", f"127.0.0.1:{port}", "--set",
                   f"server.metrics=127.0.0.1:{metrics}", "--set", "engine.record="]
        self.processes.start("frontend-0", command)
        self.addresses = [port]
        self.members.wait("the gateway is ready", lambda: self.members.get(port, "/ready")[0] == 200)

    def is_up(self, engines, frontends):
        state = self.members.status()
        ready = all(self.members.get(port, "/ready")[0] == 200 for port in self.addresses)
        return ready and len(state["shards"]) == engines and len(state["frontends"]) == frontends

    def used(self):
        """CPU seconds by role."""
        used = dict.fromkeys(ROLES, 0.0)
        for name, child in self.processes.children.items():
            if child.poll() is None:
                used[name.split("-")[0]] += cpu_seconds(child.pid)
        return used

    def drive(self, users, seconds):
        """Runs a crowd; returns the row of the table."""
        before, began = self.used(), time.monotonic()
        share = max(1, users // len(self.addresses))
        crowds = [subprocess.Popen([self.program, "drive", "--target", f"http://127.0.0.1:{port}", "--key",
                                    self.members.key, "--map", CITY, "--users", str(share), "--seconds", str(seconds),
                                    "--k", "2-5", "--seed", str(number + 1), "--check-one-in", "100", "--json", "--quiet"],
                                   stdout=subprocess.PIPE, text=True) for number, port in enumerate(self.addresses)]
        results = [json.loads(crowd.communicate()[0]) for crowd in crowds]
        assert not self.processes.ended(), self.processes.ended()
        after, took = self.used(), time.monotonic() - began
        queries = sum(result["queries"] for result in results)
        outcomes = {}
        for result in results:
            for name, count in result["outcomes"].items():
                outcomes[name] = outcomes.get(name, 0) + count
        reasons = {}
        for result in results:
            for name, count in result["refused"].items():
                reasons[name] = reasons.get(name, 0) + count
        ended = sum(outcomes.values())
        answered = outcomes.get("answered", 0)
        cpu = {role: 1e6 * (after[role] - before[role]) / queries for role in ROLES[:3]}
        return {"users": users, "queries": queries, "per_second": queries / seconds, "took": took,
                "answered": answered / max(1, ended), "outcomes": outcomes, "reasons": reasons,
                "wrong": sum(result["disagreed"] for result in results),
                "checked": sum(result["checked"] for result in results),
                "p50_ms": max(result["after_batch_ms"][0] for result in results),
                "p99_ms": max(result["after_batch_ms"][1] for result in results),
                "latency_p99_ms": max(result["latency_ms"][1] for result in results), "cpu_us": cpu}

    def warnings(self):
        """Lines in which processes of the cluster complain."""
        lines = []
        for name in self.processes.children:
            if not name.startswith("nats"):
                lines += [f"  {name}: {line}" for line in self.processes.log(name, 5).splitlines() if line]
        return lines


def name(frontends, engines):
    return "single process" if frontends == 0 else f"{frontends} frontend{'s' * (frontends > 1)}, {engines} engine{'s' * (engines > 1)}"


def refused(row):
    return row["outcomes"].get("refused", 0) + row["outcomes"].get("failed", 0)


def line(form, row):
    cpu, total = row["cpu_us"], sum(row["cpu_us"].values())
    return (f"{form:<24}{row['per_second']:>8,.0f}{100 * row['answered']:>10.1f}{refused(row):>9}{row['p50_ms']:>8.0f}"
            f"{row['p99_ms']:>8.0f}{row['wrong']:>5}/{row['checked']:<4}{cpu['frontend']:>11.1f}{cpu['engine']:>9.1f}{cpu['nats']:>7.1f}{total:>8.1f}")


def main():
    parser = argparse.ArgumentParser(description="Throughput and CPU per query of a cluster.")
    parser.add_argument("program", type=Path, help="the binary `meshcloak`")
    parser.add_argument("--users", default="12000,40000", help="sizes of the crowd")
    parser.add_argument("--seconds", type=int, default=15, help="length of each crowd")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{CITY}, cells of 3 km, k 2-5, {options.seconds} s each, {os.cpu_count()} cores, load {load:.1f} before\n")
    head = f"{'':<24}{'per s':>8}{'answered':>10}{'refused':>9}{'p50 ms':>8}{'p99 ms':>8}{'wrong':>10}{'frontend':>11}{'engine':>9}{'NATS':>7}{'µs sum':>8}"
    figures = []
    for users in map(int, options.users.split(",")):
        print(f"{users:,} users\n{head}", flush=True)
        for frontends, engines in FORMS:
            with tempfile.TemporaryDirectory(prefix="meshcloak-scaling-") as folder:
                form = None
                try:
                    form = Form(options.program.resolve(), Path(folder), frontends, engines)
                    row = form.drive(users, options.seconds)
                    warnings = form.warnings()
                finally:
                    if form:
                        form.processes.stop()
            print(line(name(frontends, engines), row), flush=True)
            if refused(row):
                print(f"  {row['outcomes']}, {row['reasons']}", *warnings, sep="\n", flush=True)
            figures.append({"frontends": frontends, "engines": engines, **row})
        print()
    if options.json:
        options.json.write_text(json.dumps({"load": load, "rows": figures}, indent=1))
    return int(any(row["wrong"] for row in figures))


if __name__ == "__main__":
    sys.exit(main())
