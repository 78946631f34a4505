"""Time and memory until the first answers on a map, through `serve` and `cloak`, by stage.

usage: ready.py PROGRAM [--runs N] [--users N --seconds N] MAP...

For each map and run: a gateway starts and is polled until it is ready, answers four queries of four
users some 30 m apart, and serves the load of `drive` if `--users` is given; then `cloak` answers a file
of the same four queries. Prints time on the clock and processor time since the start of the process,
and the peak and present resident memory (Linux). Fails if a query is not answered.
"""
import argparse, json, os, signal, socket, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request
from pathlib import Path

SETTINGS = """[server]
listen = "127.0.0.1:{port}"
metrics = ""
page = ""
connections = 100000
[map]
source = "{source}"
snap = 0
{origin}
[limits]
rate = 10000000
people = 100000000
person_rate = 60000
[engine]
queue = 1000000
"""
ORIGIN = "8.2,53.1"  # of maps without lon/lat, anywhere
PAUSE = 0.01
PATIENCE = 300
TICKS = os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("maps", nargs="+")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--users", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    print(f"{'map':28} {'stage':34} {'clock':>8} {'processor':>10} {'peak':>8} {'resident':>9}")
    for source in arguments.maps:
        for _ in range(arguments.runs):
            with tempfile.TemporaryDirectory() as folder:
                Trial(program, source, Path(folder)).run(arguments.users, arguments.seconds)


class Trial:
    def __init__(self, program, source, folder):
        self.program, self.folder = program, folder
        # A built-in city has no file.
        self.source = str(Path(source).resolve()) if os.path.exists(source) else source
        self.name, self.start = Path(source).name, 0.0
        info = json.loads(self.output("map", "info", self.source, "--json", "--quiet"))
        self.origin = ["--origin", ORIGIN] if info["format"].startswith("Brinkhoff") else []

    def output(self, *arguments):
        run = subprocess.run([self.program, *arguments], cwd=self.folder, check=True, capture_output=True)
        return run.stdout.decode()

    def run(self, users, seconds):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        origin = f'origin = "{ORIGIN}"' if self.origin else ""
        settings = SETTINGS.format(port=port, source=self.source, origin=origin)
        (self.folder / "ready.toml").write_text(settings)
        printed = self.output("keys", "add", "ready").split()
        self.key = next(word for word in printed if word.startswith("mc_"))
        log = open(self.folder / "log", "wb")
        self.start = time.monotonic()
        gateway = subprocess.Popen([self.program, "serve", "--config", "ready.toml"], cwd=self.folder,
                                   stdout=log, stderr=log)
        try:
            self.serve(gateway, users, seconds)
        finally:
            gateway.send_signal(signal.SIGTERM)
            gateway.wait(60)
        self.cloak()

    def serve(self, gateway, users, seconds):
        while not self.is_ready():
            if gateway.poll() is not None or time.monotonic() - self.start > PATIENCE:
                sys.exit(f"{self.name}: not ready\n{(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(PAUSE)
        self.report("serve: ready", gateway.pid)
        extent = json.loads(urllib.request.urlopen(f"{self.url}/v1/map").read())["extent"]
        lon, lat = (extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2
        self.places = [(lon + 0.0003 * (n % 2), lat + 0.0003 * (n // 2)) for n in range(4)]
        asking = [threading.Thread(target=self.ask, args=(user,)) for user in range(4)]
        self.outcomes = []
        [thread.start() for thread in asking]
        [thread.join() for thread in asking]
        if self.outcomes != ["answered"] * 4:
            sys.exit(f"{self.name}: four queries ended as {self.outcomes}")
        self.report("serve: four answers", gateway.pid)
        if users:
            load = ["--users", str(users), "--seconds", str(seconds), "--check-one-in", "0", "--json"]
            target = ["--target", self.url, "--key", self.key, "--map", self.source, *self.origin]
            done = json.loads(self.output("drive", *target, *load, "--quiet"))
            rate = done["queries"] / seconds
            share = 100 * done["outcomes"].get("answered", 0) / max(done["queries"], 1)
            self.report(f"serve: {seconds} s of {rate:,.0f}/s, {share:.1f} %", gateway.pid)

    def is_ready(self):
        try:
            return urllib.request.urlopen(f"{self.url}/ready", timeout=10).status == 200
        except (OSError, urllib.error.URLError):
            return False

    def ask(self, user):
        lon, lat = self.places[user]
        query = {"ticket": f"t{user}", "person": f"p{user}", "lon": lon, "lat": lat, "k": 2, "dt": 30,
                 "dc": 1000, "speed": 20, "question": {"find": "nearest", "count": 1}}
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/queries", json.dumps(query).encode(), headers)
        try:
            self.outcomes.append(json.loads(urllib.request.urlopen(request).read())["outcome"])
        except urllib.error.HTTPError as error:
            self.outcomes.append(error.read().decode())

    def cloak(self):
        rows = [f"q{n},u{n},0.5,{lon},{lat},2,5,1000,20" for n, (lon, lat) in enumerate(self.places)]
        (self.folder / "four.csv").write_text("\n".join(["query,user,t,lon,lat,k,dt,dc,speed", *rows, ""]))
        command = [self.program, "cloak", self.source, *self.origin, "--queries", "four.csv", "--snap", "0",
                   "--out", "outcomes", "--json", "--quiet"]
        self.start = time.monotonic()
        child = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        summary = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status or summary["succeeded"] != 4:
            sys.exit(f"{self.name}: cloak served {summary['succeeded']} of 4")
        processor = usage.ru_utime + usage.ru_stime
        self.print("cloak: file of four queries", processor, usage.ru_maxrss, None)

    def report(self, stage, process):
        stat = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        peak, resident = (int(status[name].split()[0]) for name in ("VmHWM", "VmRSS"))
        self.print(stage, (int(stat[11]) + int(stat[12])) / TICKS, peak, resident)

    def print(self, stage, processor, peak, resident):
        elapsed = time.monotonic() - self.start
        resident = "" if resident is None else f"{resident / 1024:.0f} MB"
        print(f"{self.name:28} {stage:34} {elapsed:6.2f} s {processor:8.2f} s {peak / 1024:5.0f} MB {resident:>9}",
              flush=True)


main()
