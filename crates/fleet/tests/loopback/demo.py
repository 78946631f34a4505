"""A cluster on loopback: three NATS servers, two engines, two frontends, and a crowd in each city.

python3 demo.py PROGRAM [--seconds N]

Prints a status table every two seconds until Ctrl-C, or for N seconds, and the address of the page.
Processes that end, for example by `kill -9`, are started again after ten seconds. With --seconds the
exit status is 1 if a crowd got no answer or a wrong one, or if another process ended.
"""
import argparse, json, re, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

from members import Members
from nats_servers import NatsServers
from processes import Processes, die_with_parent

PLAN = "city:500:7"
CITIES = {"west": "8.0,53.0", "middle": "9.0,53.0", "east": "10.0,53.0"}
USERS = 600
REFRESH = 2
RESTART = 10
DAY = 86_400


class Stop(Exception):
    """A signal has arrived."""


def stop(number, _):
    raise Stop(signal.Signals(number).name)


def has_cities(program):
    example = subprocess.run([program, "serve", "--example"], capture_output=True, text=True, check=True)
    return "\ncities = " in example.stdout


class Demo:
    """The processes of the cluster and their crowds."""

    def __init__(self, program, processes, seconds):
        self.program, self.processes, self.seconds = program, processes, seconds
        self.several = has_cities(program)
        self.cities = CITIES if self.several else {"city": None}
        self.died, self.codes = {}, {}
        self.probes, self.text = [], ""
        self.crowds, self.page = [], ""

    def start(self):
        servers = NatsServers(self.processes)
        servers.wait()
        maps = {"map.cities": ";".join(f"{name}={PLAN}@{origin}" for name, origin in CITIES.items())}
        settings = maps if self.several else {"map.source": PLAN}
        self.members = Members(self.program, self.processes, servers.urls(), {
            **settings, "engine.after_start": "new", "limits.rate": 100_000})
        cities = list(self.cities) if self.several else 2 * list(self.cities)
        keys = [self.members.add_key(f"crowd-{number}") for number in range(len(cities))]
        engines = {name: self.members.start("engine", name)[1] for name in ("engine-1", "engine-2")}
        fronts = {name: self.members.start("frontend", name) for name in ("frontend-1", "frontend-2")}
        self.metrics = engines | {name: ports[1] for name, ports in fronts.items()}
        self.members.wait("an owner of every city", self.is_up)
        self.page = f"http://127.0.0.1:{fronts['frontend-1'][1]}/#cluster"
        addresses = [ports[0] for ports in fronts.values()]
        for number, (city, key) in enumerate(zip(cities, keys), 1):
            self.start_crowd(f"crowd-{number}", city, key, addresses[number % 2])

    def is_up(self):
        state = self.members.status()
        return len(state["shards"]) == len(self.cities) and len(state["frontends"]) == 2

    def start_crowd(self, name, city, key, port):
        command = [self.program, "drive", "--target", f"http://127.0.0.1:{port}", "--key", key, "--map", PLAN,
                   "--users", USERS, "--seconds", self.seconds or DAY, "--k", "2-3", "--json", "--quiet"]
        if self.several:
            command += ["--origin", CITIES[city]]
        self.crowds.append(name)
        self.processes.start(name, command)

    def probe(self):
        """Starts a `cluster status`, which listens for two seconds, and takes the text of finished ones."""
        command = [self.program, "cluster", "status", "--cluster", self.members.servers]
        self.probes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                            start_new_session=True, preexec_fn=die_with_parent))
        for probe in [probe for probe in self.probes if probe.poll() is not None]:
            self.text = probe.communicate()[0]
            self.probes.remove(probe)

    def revive(self):
        """Starts processes again that ended a while ago, except crowds of a bounded run."""
        now = time.monotonic()
        for name, code in self.processes.ended().items():
            self.codes[name] = code
            if (name not in self.crowds or not self.seconds) and now - self.died.setdefault(name, now) > RESTART:
                del self.died[name]
                self.processes.restart(name)

    def counters(self, name):
        """Returns totals of a process: takeovers and refused appends, or outcomes."""
        status, text = self.members.get(self.metrics[name], "/metrics")
        if status != 200:
            return "no metrics"
        rows = re.findall(r'^meshcloak_(?:engine_(takeovers|refused_appends)_total|ended_total\{outcome="(\w+)"\}) '
                          r'(\d+)$', text, re.M)
        return ", ".join(f"{(engine or outcome).replace('_', ' ')} {count}" for engine, outcome, count in rows)

    def table(self):
        ended = self.processes.ended()
        lines = [self.text.rstrip() or "waiting for the first status", ""]
        for name, child in self.processes.children.items():
            state = f"ended with {ended[name]}" if name in ended else "runs"
            totals = self.counters(name) if name in self.metrics and name not in ended else ""
            lines.append(f"{name:<11} pid {child.pid:<8} {state:<15} {totals}".rstrip())
        lines += ["", f"page: {self.page}", "Ctrl-C ends all. `kill -9 PID` shows a takeover; the process returns after 10 s."]
        return "\n".join(lines)

    def run(self):
        """Shows the table until the crowds of a bounded run have finished."""
        while not (self.seconds and all(name in self.processes.ended() for name in self.crowds)):
            began = time.monotonic()
            self.probe()
            self.revive()
            clear = "\033[H\033[2J" if sys.stdout.isatty() else "\n"
            print(clear + self.table(), flush=True)
            time.sleep(max(0, REFRESH - (time.monotonic() - began)))
        return self.summary()

    def summary(self):
        """Prints what the crowds got; returns the exit status."""
        is_good = True
        for name in self.crowds:
            line = (self.processes.folder / f"{name}.log").read_text().splitlines()[-1:]
            print(f"{name}: {line[0] if line else 'no result'}")
            result = json.loads(line[0]) if line and line[0].startswith("{") else {}
            answered = result.get("outcomes", {}).get("answered", 0)
            is_good &= answered > 0 and result.get("disagreed") == 0
        self.revive()
        ended = {name: code for name, code in self.codes.items() if name not in self.crowds}
        if ended:
            print(f"ended with a code: {ended}")
        return 0 if is_good and not ended else 1

    def stop(self):
        for probe in self.probes:
            probe.kill()
            probe.wait()
        self.processes.stop()


def main():
    parser = argparse.ArgumentParser(description="A cluster on loopback.")
    parser.add_argument("program", type=Path, help="the binary `meshcloak`")
    parser.add_argument("--seconds", type=int, help="length of the crowds; without it until Ctrl-C")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    folder = Path(tempfile.mkdtemp(prefix="meshcloak-cluster-"))
    demo = Demo(options.program.resolve(), Processes(folder), options.seconds)
    status = 1
    try:
        print(f"starting; logs are in {folder}", flush=True)
        demo.start()
        status = demo.run()
    except Stop as signal_name:
        status = 130
        print(f"\n{signal_name}: stopping", flush=True)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        demo.stop()
    if status in (0, 130):
        shutil.rmtree(folder)
    sys.exit(status)


main()
