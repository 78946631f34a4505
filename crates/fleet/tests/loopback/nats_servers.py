"""Three NATS servers on loopback."""
import os, time, urllib.error, urllib.request
from pathlib import Path

from processes import free_ports

READY = 30


def program():
    """Returns the path of the server: that of MESHCLOAK_NATS, or the one of `make nats`."""
    root = Path(__file__).resolve().parents[4]
    path = Path(os.environ.get("MESHCLOAK_NATS", root / "target/nats/bin/nats-server"))
    if not path.exists():
        raise SystemExit(f"{path} is missing: run `make nats`, or set MESHCLOAK_NATS")
    return path


class NatsServers:
    """Three servers that form a cluster. `config` replaces the generated configuration."""

    def __init__(self, processes, config=None, environment=None):
        self.processes = processes
        ports = free_ports(9)
        self.ports, routes, self.monitors = ports[:3], ports[3:6], ports[6:]
        peers = ",".join(f"nats://127.0.0.1:{port}" for port in routes)
        for number, (port, route, monitor) in enumerate(zip(self.ports, routes, self.monitors), 1):
            name = f"nats-{number}"
            store = processes.folder / name
            store.mkdir()
            command = [program(), "-n", name, "-a", "127.0.0.1", "-p", port, "-m", monitor,
                       "--cluster", f"nats://127.0.0.1:{route}", "--routes", peers]
            if config:
                command += ["-c", config]
            else:
                command += ["-js", "-sd", store, "--cluster_name", "loopback"]
            processes.start(name, command, {**(environment or {}), "NATS_STORE": str(store)})

    def urls(self, scheme="nats"):
        return ",".join(f"{scheme}://127.0.0.1:{port}" for port in self.ports)

    def wait(self):
        """Waits until every server is healthy: JetStream has a leader."""
        end = time.monotonic() + READY
        for number, port in enumerate(self.monitors, 1):
            while not is_healthy(port):
                if time.monotonic() > end or self.processes.ended():
                    raise SystemExit(f"NATS does not start:\n{self.processes.log(f'nats-{number}')}")
                time.sleep(0.1)


def is_healthy(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).status == 200
    except (OSError, urllib.error.URLError):
        return False
