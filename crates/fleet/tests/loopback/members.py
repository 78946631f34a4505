"""Engines and frontends of a cluster on loopback, with keys of accounts."""
import json, os, subprocess, time, urllib.error, urllib.request

from processes import free_ports

READY = 60


class Members:
    """Starts engines and frontends with common settings."""

    def __init__(self, program, processes, servers, settings):
        self.program, self.processes, self.servers = program, processes, servers
        secret, self.key_file = processes.folder / "secret", processes.folder / "keys.json"
        secret.write_bytes(os.urandom(32))
        self.key = self.add_key("app")
        common = {"cluster.secret": secret, "accounts.keys": self.key_file, **settings}
        self.settings = [word for key, value in common.items() for word in ("--set", f"{key}={value}")]

    def add_key(self, account):
        """Returns the key of a new account. Processes that run do not know it."""
        command = [self.program, "keys", "add", account, "--keys", self.key_file]
        added = subprocess.run(command, capture_output=True, text=True, check=True)
        return next(word for word in added.stdout.split() if word.startswith("mc_"))

    def start(self, role, name, settings=()):
        """Starts a process and returns the ports of its client API and its metrics."""
        api, metrics = free_ports(2)
        command = [self.program, "serve", "--role", role, "--cluster", self.servers, *self.settings,
                   "--listen", f"127.0.0.1:{api}", "--set", f"server.metrics=127.0.0.1:{metrics}",
                   "--set", f"cluster.name={name}"]
        for setting in settings:
            command += ["--set", setting]
        self.processes.start(name, command)
        return api, metrics

    def get(self, port, path):
        """Returns status and body of a request with the key."""
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}",
                                         headers={"Authorization": f"Bearer {self.key}"})
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait(self, what, is_done):
        """Waits for a condition; ends the program if a child has ended."""
        end = time.monotonic() + READY
        while not is_done():
            ended = self.processes.ended()
            if ended or time.monotonic() > end:
                names = ended or self.processes.children
                logs = "\n".join(f"{name}:\n{self.processes.log(name)}" for name in names)
                raise SystemExit(f"waited in vain: {what}; ended: {ended}\n{logs}")
            time.sleep(0.2)

    def status(self, connection=()):
        """Returns what `cluster status --json` prints; empty if it fails."""
        command = [self.program, "cluster", "status", "--json", "--cluster", self.servers, *connection]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        return json.loads(run.stdout) if run.returncode == 0 else {"shards": [], "frontends": []}
