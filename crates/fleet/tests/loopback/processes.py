"""Child processes that never outlive this one.

Each child has its own session, so that Ctrl-C reaches only this process, which then stops the
children in order. If this process is killed, the kernel kills its children.
"""
import ctypes, os, signal, socket, subprocess, time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Returns distinct loopback ports that are free at present."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Processes:
    """Children by name, in order of start. Their standard error is a file in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        self.children = {}
        self.commands = {}

    def start(self, name, command, environment=None):
        self.commands[name] = (command, environment)
        log = open(self.folder / f"{name}.log", "ab")
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=log, start_new_session=True, preexec_fn=die_with_parent,
                                 env={**os.environ, **(environment or {})})
        log.close()
        self.children[name] = child
        return child

    def restart(self, name):
        return self.start(name, *self.commands[name])

    def ended(self):
        """Returns names and exit codes of the children that have ended."""
        return {name: child.returncode for name, child in self.children.items() if child.poll() is not None}

    def log(self, name, lines=15):
        text = (self.folder / f"{name}.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self, patience=10):
        """Stops the children, the last started first: SIGTERM, then SIGKILL after `patience` seconds."""
        for child in reversed(self.children.values()):
            if child.poll() is None:
                child.terminate()
        end = time.monotonic() + patience
        for child in reversed(self.children.values()):
            try:
                child.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
