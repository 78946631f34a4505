"""The gateway under test: `meshcloak serve` as a child process on loopback ports."""
import http.client, re, signal, socket, subprocess, threading, time
from pathlib import Path

SETTINGS = """[server]
listen = "127.0.0.1:{client_port}"
metrics = "127.0.0.1:{metrics_port}"
page = ""
request_timeout = 5
idle_timeout = 20
[limits]
dt_max = 15
user_rate = 120
[results]
keep = 30
megabytes = 32
[service]
source = "webhook.toml"
timeout = 2
wait = 5
held_megabytes = 128
"""
SERVICE = """protocol = "webhook"
url = "http://127.0.0.1:{service_port}/"
timeout = 2
outline = 0
[categories]
{categories}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gateway:
    """Starts, signals, kills and measures the process. `generation` counts its starts."""

    def __init__(self, program, folder, service_port, categories):
        self.program, self.folder = Path(program).resolve(), folder
        self.client_port, self.metrics_port = free_port(), free_port()
        self.process, self.generation, self.down, self.memory = None, 0, [], []
        self.lock, self.phase = threading.RLock(), "quiet"
        (folder / "soak.toml").write_text(SETTINGS.format(
            client_port=self.client_port, metrics_port=self.metrics_port))
        names = "\n".join(f'{name} = "{name}"' for name in categories)
        (folder / "webhook.toml").write_text(SERVICE.format(service_port=service_port, categories=names))

    def keys(self, *arguments):
        """Runs `meshcloak keys` and returns what it prints."""
        done = subprocess.run([self.program, "keys", *arguments], cwd=self.folder, text=True,
                              capture_output=True, check=True)
        return done.stdout + done.stderr

    def add_key(self, account):
        """Returns the new key and its id."""
        printed = self.keys("add", account)
        return re.search(r"mc_\w+", printed)[0], re.search(r"key (\w{12})", printed)[1]

    def start(self):
        with self.lock:
            log = open(self.folder / "gateway.log", "a")
            self.process = subprocess.Popen([self.program, "serve", "--config", "soak.toml"], cwd=self.folder,
                                            stdout=log, stderr=log)
            self.generation += 1
            for _ in range(1200):
                if self.get(self.client_port, "/ready")[0] == 200:
                    return
                assert self.process.poll() is None, (self.folder / "gateway.log").read_text()[-2000:]
                time.sleep(0.1)
            raise AssertionError("the gateway is not ready after 120 s")

    def kill(self):
        """Ends the process as a crash does, and starts a new one."""
        with self.lock:
            began = time.monotonic()
            self.process.kill()
            self.process.wait()
            self.start()
            self.down.append((began, time.monotonic()))

    def reload(self):
        with self.lock:
            self.process.send_signal(signal.SIGHUP)

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "not stopped 60 s after SIGTERM"

    def get(self, port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def metrics(self):
        """Values of the metrics by name with labels."""
        text = self.get(self.metrics_port, "/metrics")[1]
        rows = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in rows}

    def sample_memory(self, finished):
        """Records (time, phase, generation, resident kB) until the event `finished`."""
        while not finished.wait(0.5):
            try:
                status = Path(f"/proc/{self.process.pid}/status").read_text()
            except OSError:
                continue
            resident = re.search(r"VmRSS:\s+(\d+)", status)
            if resident:
                self.memory.append((time.monotonic(), self.phase, self.generation, int(resident[1])))

    def drain(self, longest=40):
        """Waits until no query is in progress, and returns the metrics."""
        end, earlier = time.monotonic() + longest, None
        while True:
            metrics = self.metrics()
            idle = metrics.get("meshcloak_under_way") == 0
            counts = {name: value for name, value in metrics.items() if "accepted" in name or "ended" in name}
            if (idle and counts == earlier) or time.monotonic() > end:
                return metrics
            earlier = counts if idle else None
            time.sleep(2)
