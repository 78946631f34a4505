"""A Debian root that systemd has booted as the first process of a container with a network of its own."""
import subprocess, time
from pathlib import Path

PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}


class Booted:
    """Boots a root with systemd-nspawn; as root. `with Booted(root) as system: system.run("systemctl", …)`."""

    def __init__(self, root):
        self.root = root

    def __enter__(self):
        options = ["--quiet", "--register=no", "--keep-unit", "--private-network", "--console=pipe"]
        self.container = subprocess.Popen(
            ["systemd-nspawn", *options, "--directory", self.root, "--boot"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.until("systemd", lambda: self.first() and self.status("systemctl", "is-active", "basic.target") == 0)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.container.poll() is None and self.first():
            self.status("systemctl", "poweroff")
        try:
            self.container.wait(60)
        except subprocess.TimeoutExpired:
            self.container.kill()
            self.container.wait()

    def first(self):
        """Returns the process of systemd inside, or None."""
        process = self.container.pid
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return children[0] if children else None

    def until(self, what, ready):
        for _ in range(240):
            if ready():
                return
            assert self.container.poll() is None, f"{what}: the container has ended"
            time.sleep(0.25)
        raise AssertionError(f"{what} is not ready")

    def done(self, *command, spaces=("--all",)):
        inside = ["nsenter", "--target", self.first(), *spaces, "--", *map(str, command)]
        return subprocess.run(inside, text=True, env=PATH, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def status(self, *command):
        return self.done(*command).returncode

    def run(self, *command):
        done = self.done(*command)
        assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout[-3000:]}"
        return done.stdout

    def fetch(self, *arguments):
        """Runs curl of this machine in the network inside; returns status and body."""
        done = self.done("curl", "--silent", "--max-time", "60", "--write-out", "\n%{http_code}", *arguments, spaces=("--net",))
        body, _, status = done.stdout.rpartition("\n")
        return int(status), body

    def facts(self, unit, *names):
        """Returns properties of a unit."""
        lines = self.run("systemctl", "show", unit, *(f"--property={name}" for name in names)).splitlines()
        return dict(line.split("=", 1) for line in lines)
