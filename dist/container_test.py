"""Runs the image of `make image` with podman, alone and with examples/compose, from nothing.

container_test.py NATS_SERVER     as root; needs podman, buildah, mmdebstrap, openssl and podman-compose

Without a network of images: PostGIS comes from Debian packages, NATS is the program NATS_SERVER. Both
replace the images that compose.yml names, with the same names, users, volumes and commands.
"""
import json, os, re, resource, shutil, socket, ssl, subprocess, sys, tempfile, time, urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGE, POSTGIS, NATS = "localhost/meshcloak:latest", "localhost/meshcloak-test-postgis", "localhost/meshcloak-test-nats"
PROJECT = "meshcloak-test"

# What the PostGIS image does with the variables of compose.yml.
START_POSTGRES = r"""#!/bin/sh
set -e
bin=$(ls -d /usr/lib/postgresql/*/bin)
data=/var/lib/postgresql/data
chown postgres "$data"
install -d -o postgres /var/run/postgresql
as() { runuser -u postgres -- "$@"; }
if [ ! -e "$data/PG_VERSION" ]; then
  as "$bin/initdb" -D "$data" -A "$POSTGRES_HOST_AUTH_METHOD" -U "$POSTGRES_USER"
  echo "host all all all $POSTGRES_HOST_AUTH_METHOD" >>"$data/pg_hba.conf"
  as "$bin/pg_ctl" -D "$data" -w -o "-c listen_addresses=" start
  as "$bin/createdb" -h /var/run/postgresql -U "$POSTGRES_USER" "$POSTGRES_DB"
  as "$bin/psql" -h /var/run/postgresql -U "$POSTGRES_USER" -c "CREATE EXTENSION postgis" "$POSTGRES_DB"
  as "$bin/pg_ctl" -D "$data" -w stop
fi
exec runuser -u postgres -- "$bin/postgres" -D "$data" -c listen_addresses='*'
"""


def run(*command, check=True, **more):
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    assert done.returncode == 0 or not check, f"{' '.join(map(str, command))}:\n{done.stdout[-3000:]}"
    return done.stdout if check else done.returncode


def until(what, ready):
    for _ in range(240):
        if ready():
            return
        time.sleep(0.5)
    raise AssertionError(f"{what} is not ready")


def image(name, base, tree, *settings):
    """Builds an image from another and a folder or archive."""
    container = run("buildah", "from", "--pull-never", base).strip()
    run("buildah", "add", "--quiet", container, tree, "/")
    if settings:
        run("buildah", "config", *settings, container)
    run("buildah", "commit", "--quiet", "--rm", container, name)


def stand_ins(folder, nats):
    """Builds the images of PostGIS and NATS. The packages of PostGIS are installed once."""
    base = f"{POSTGIS}-packages"
    if run("podman", "image", "exists", base, check=False) != 0:
        packages = "postgresql-15-postgis-3,postgresql-15-postgis-3-scripts"
        run("mmdebstrap", "--variant=minbase", f"--include={packages}", "bookworm", folder / "postgis.tar")
        image(base, "scratch", folder / "postgis.tar")
    (folder / "postgis").mkdir()
    (folder / "postgis/start").write_text(START_POSTGRES)
    (folder / "postgis/start").chmod(0o755)
    path = "PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    image(POSTGIS, base, folder / "postgis", "--entrypoint", '["/start"]', "--env", path)
    (folder / "nats").mkdir()
    shutil.copy(nats, folder / "nats/nats-server")
    image(NATS, "scratch", folder / "nats", "--entrypoint", '["/nats-server"]')


def alone():
    """The image on its own: no root, nothing writable but its volume, no capabilities, healthy."""
    facts = json.loads(run("podman", "image", "inspect", IMAGE))[0]
    assert facts["User"] == "65532:65532" and facts["Healthcheck"]["Test"][:2] == ["CMD", "/usr/bin/meshcloak"], facts
    limits = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", "none"]
    name = f"{PROJECT}-alone"
    run("podman", "rm", "--force", "--ignore", name)
    begin = time.monotonic()
    run("podman", "run", "--detach", "--name", name, *limits, IMAGE, "serve", "--demo", "--map", "city:500:1", "--people", "50")
    until("the image", lambda: run("podman", "healthcheck", "run", name, check=False) == 0)
    print(f"image: {facts['Size'] / 1e6:.0f} MB, healthy after {time.monotonic() - begin:.1f} s, without root and read-only")
    status = run("podman", "exec", name, "/usr/bin/meshcloak", "keys", "add", "app", "--keys", "/etc/meshcloak/keys.json", check=False)
    assert status != 0, "the root of the container is writable"
    process = run("podman", "inspect", "--format", "{{.State.Pid}}", name).strip()
    ids = dict(re.findall(r"^(Uid|CapEff|NoNewPrivs):\s+(\S+)", Path(f"/proc/{process}/status").read_text(), re.MULTILINE))
    assert ids == {"Uid": "65532", "CapEff": "0" * 16, "NoNewPrivs": "1"}, ids
    run("podman", "stop", name)
    assert json.loads(run("podman", "inspect", name))[0]["State"]["ExitCode"] == 0, "SIGTERM is not a clean end"
    run("podman", "rm", name)


class Compose:
    """The files of examples/compose in a folder, with a certificate and a key."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "examples/compose", folder)
        # A machine may allow fewer open files, and podman sets a number of processes that it may not.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        text = (folder / "compose.yml").read_text()
        (folder / "compose.yml").write_text(text.replace("nofile: 65536", f"nofile: {min(65536, most)}, nproc: 1000"))
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "chain.pem", cwd=folder)
        (folder / "key.pem").chmod(0o600)
        (folder / "secret").write_bytes(os.urandom(32))
        os.chown(folder / "secret", 65532, 65532)
        (folder / "secret").chmod(0o600)
        self.environment = {**os.environ, "POSTGIS_IMAGE": POSTGIS, "NATS_IMAGE": NATS}

    def documented(self):
        """Runs the commands of README.md; returns what they print. A pod would need an image of its own."""
        [commands] = re.findall(r"^```sh\n(.*?)^```$", (self.folder / "README.md").read_text(), re.MULTILINE | re.DOTALL)
        commands = commands.replace("NAME=meshcloak\n", f"NAME={PROJECT}\n").replace("podman-compose", "podman-compose --in-pod false")
        return run("sh", "-e", "-c", commands, cwd=self.folder, env=self.environment)

    def compose(self, *arguments):
        return run("podman-compose", "--in-pod", "false", "-p", PROJECT, *arguments, cwd=self.folder, env=self.environment)

    def healthy(self, service):
        name = f"{PROJECT}_{service}_1"
        until(service, lambda: run("podman", "healthcheck", "run", name, check=False) == 0)

    def enable_cluster(self):
        """Removes the comments of the section [cluster], as the example says."""
        path = self.folder / "meshcloak.toml"
        lines = path.read_text().splitlines()
        start = lines.index("# [cluster]")
        path.write_text("\n".join(lines[:start] + [line.removeprefix("# ") for line in lines[start:]]) + "\n")
        compose = self.folder / "compose.yml"
        text = compose.read_text()
        compose.write_text(text.replace("      # - ./secret:", "      - ./secret:"))


def answer(folder):
    """What a client outside gets from the published port."""
    context = ssl.create_default_context(cafile=folder / "chain.pem")
    with urllib.request.urlopen("https://localhost:8443/v1/map", context=context) as response:
        return json.load(response)


def together(folder):
    """compose.yml with PostGIS and NATS: one process first, then the cluster."""
    compose = Compose(folder)
    try:
        begin = time.monotonic()
        printed = compose.documented()
        compose.healthy("gateway")
        assert answer(folder)["guarantee"] == "reciprocal"
        print(f"compose: healthy after {time.monotonic() - begin:.0f} s by the commands of its README")
        assert re.search(r"^mc_\w+", printed, re.MULTILINE), printed
        for topic in ("service", "memory"):
            assert re.search(rf"^ok +{topic}", printed, re.MULTILINE), printed
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", 5432)) != 0, "PostGIS is reachable from outside"
        compose.compose("stop", "gateway")
        run("podman", "rm", "--force", f"{PROJECT}_gateway_1")
        compose.enable_cluster()
        compose.compose("up", "--detach", "--no-deps", "gateway")
        compose.healthy("gateway")
        assert answer(folder)["guarantee"] == "reciprocal"
        print("compose: healthy as a cluster on NATS")
    finally:
        compose.compose("down", "--volumes")


def main(nats):
    assert os.getuid() == 0, "needs root"
    with tempfile.TemporaryDirectory(prefix="meshcloak-containers") as temporary:
        folder = Path(temporary)
        alone()
        stand_ins(folder, nats)
        together(folder / "compose")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
