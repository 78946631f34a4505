"""The processes of a cluster on loopback: three NATS servers, engines, frontends, and the service."""
import http.client, os, random, re, shutil, signal, socket, subprocess, sys, time
from pathlib import Path

import gateway_process
from nats_client import api

MAP = "city:500:7"
LOG = "MC_LOG_city"
BUCKET = "KV_meshcloak"
LEASE = 2
FAKETIME = "faketime"
SERVER = """server_name: n{number}
listen: "127.0.0.1:{port}"
jetstream {{ store_dir: "{folder}/js{number}", max_memory_store: 256MB, max_file_store: 256MB }}
cluster {{
  name: test, listen: "127.0.0.1:{route}", no_advertise: true
  routes: [{routes}]
}}
"""


def free_port():
    """A port below those of outgoing connections: a restarted process finds it free."""
    while True:
        port = random.randrange(12_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Process:
    """A child process that can be killed and started again with the same arguments."""

    def __init__(self, name, command, folder, metrics_port=0, port=0, environment=None):
        self.name, self.command, self.folder, self.environment = name, command, folder, environment
        self.port, self.metrics_port, self.child = port, metrics_port, None

    def start(self):
        log = open(self.folder / f"{self.name}.log", "a")
        self.child = subprocess.Popen(self.command, cwd=self.folder, stdout=log, stderr=log, env=self.environment)
        return self

    def is_alive(self):
        return self.child is not None and self.child.poll() is None

    def kill(self):
        """Ends the process as a crash does."""
        if self.child:
            self.child.send_signal(signal.SIGCONT)
            self.child.kill()
            self.child.wait()
            self.child = None

    def send(self, number):
        self.child.send_signal(number)

    def get(self, port, path, timeout=3):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def metrics(self, timeout=3):
        """Values of the metrics by name with labels; empty if the process does not answer."""
        text = self.get(self.metrics_port, "/metrics", timeout)[1]
        rows = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in rows}

    def log(self):
        return (self.folder / f"{self.name}.log").read_text(errors="replace")


class Fleet:
    """All processes of a scenario."""

    def __init__(self, program, nats, folder, map_file, categories, settings):
        self.program, self.nats, self.folder, self.settings = program, nats, folder, settings
        self.service = self.start_service(map_file)
        names = "\n".join(f'{name} = "{name}"' for name in categories)
        (folder / "webhook.toml").write_text(gateway_process.SERVICE.format(
            service_port=self.service_port, categories=names))
        (folder / "secret").write_bytes(os.urandom(32))
        added = subprocess.run([program, "keys", "add", "soak-app", "--keys", "keys.json"], cwd=folder,
                               text=True, capture_output=True, check=True)
        self.key = re.search(r"mc_\w+", added.stdout + added.stderr)[0]
        self.servers = self.prepare_servers()
        self.engines, self.frontends = [], []

    def start_service(self, map_file):
        script = Path(gateway_process.__file__).parent / "service.py"
        process = subprocess.Popen([sys.executable, "-B", script, map_file, self.folder / "requests.ndjson"],
                                   stdout=subprocess.PIPE, text=True)
        self.service_port = int(process.stdout.readline())
        return process

    def prepare_servers(self):
        ports = [(free_port(), free_port()) for _ in range(3)]
        routes = ", ".join(f'"nats://127.0.0.1:{route}"' for _, route in ports)
        servers = []
        for number, (port, route) in enumerate(ports):
            file = self.folder / f"n{number}.conf"
            file.write_text(SERVER.format(number=number, port=port, route=route, routes=routes, folder=self.folder))
            servers.append(Process(f"n{number}", [self.nats, "-c", file], self.folder, port=port))
        return servers

    def ports(self):
        return [server.port for server in self.servers]

    def start_servers(self):
        for server in self.servers:
            server.start()
        self.wait("the NATS servers have a leader", lambda: "error" not in api(self.ports(), "INFO"), 60)

    def command(self, role, name, metrics_port, ports):
        urls = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
        command = [self.program, "serve", "--role", role, "--map", MAP, "--cluster", urls]
        settings = {"cluster.replicas": 3, "cluster.lease": LEASE, "cluster.secret": "secret", "cluster.name": name,
                    "accounts.keys": "keys.json", "engine.guarantee": "history", "engine.after_start": "new",
                    "limits.user_rate": 6000, "server.metrics": f"127.0.0.1:{metrics_port}",
                    "service.source": "webhook.toml", "service.timeout": 2, "service.wait": 2, **self.settings}
        for setting, value in settings.items():
            command += ["--set", f"{setting}={value}"]
        return command

    def add_engine(self, ports=None, skew=None):
        name, metrics = f"e{len(self.engines)}", free_port()
        command = self.command("engine", name, metrics, ports or self.ports())
        environment = skewed_environment(skew) if skew else None
        self.engines.append(Process(name, command, self.folder, metrics, environment=environment).start())

    def add_frontend(self):
        name, metrics, port = f"f{len(self.frontends)}", free_port(), free_port()
        command = self.command("frontend", name, metrics, self.ports()) + ["--listen", f"127.0.0.1:{port}"]
        self.frontends.append(Process(name, command, self.folder, metrics, port).start())

    def wait(self, what, check, longest):
        """Polls until a check holds, and returns its value."""
        end = time.monotonic() + longest
        while True:
            try:
                if value := check():
                    return value
            except OSError:
                pass
            assert time.monotonic() < end, f"not within {longest} s: {what}"
            time.sleep(0.05)

    def wait_ready(self, longest=90):
        for frontend in self.frontends:
            self.wait(f"{frontend.name} is ready", lambda: frontend.get(frontend.port, "/ready")[0] == 200, longest)
        return self.wait("an engine owns the city", self.owner, longest)

    def owner(self):
        """The engine that says it owns the city."""
        for engine in self.engines:
            if engine.is_alive() and any("engine_epoch" in name for name in engine.metrics(timeout=1)):
                return engine
        return None

    def stop(self):
        for process in [*self.frontends, *self.engines, *self.servers]:
            process.kill()
        self.service.kill()
        self.service.wait()


def has_faketime():
    return shutil.which(FAKETIME) is not None


def skewed_environment(skew):
    """Environment in which the wall clock differs. The program itself would be a parent that outlives
    its child's kill; so only its library is used."""
    printed = subprocess.run([FAKETIME, "--exclude-monotonic", "-f", skew, "env", "-0"], capture_output=True, text=True,
                             check=True).stdout
    variables = dict(line.split("=", 1) for line in printed.split("\0") if "=" in line)
    variables.pop("FAKETIME_SHARED", None)
    return variables
