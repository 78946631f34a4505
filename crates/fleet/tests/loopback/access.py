"""Tests dist/nats-server.conf with real servers and the real binary.

python3 access.py PROGRAM [--inject open]

Three servers with TLS, one engine and two frontends under `history`. Shows that a crowd is served,
that no process exceeds its permissions, that the user of the frontends can neither read nor write
the log, and that the log reaches no disk. Exit status 1 if not. `--inject open` permits everything
to frontends: the test must fail.
"""
import argparse, json, subprocess, sys, tempfile
from pathlib import Path

from members import Members
from nats_servers import NatsServers
from nkeys import Client, NKey, openssl
from processes import Processes

ROOT = Path(__file__).resolve().parents[4]
CITY = "city:500:7"
NAME = "city"

# Subjects by which a frontend could read or change the log, leases, or what others send.
SECRET = ["mc.log.>", f"mc.log.{NAME}.0", "mc.new.>", f"mc.new.{NAME}.*", "mc.engine.>", "mc.engine.*.*",
          "mc.handover.*", "mc.claim", "$KV.>", "$KV.meshcloak.>", "$JS.>", "$JS.EVENT.>", "_INBOX.>", "$SYS.>", "mc.>", ">"]
GUARDED = [f"mc.log.{NAME}.0", f"mc.log.{NAME}.id", f"mc.new.{NAME}.0", f"$KV.meshcloak.owner.{NAME}.0",
           "mc.handover.0123456789abcdef", "mc.claim", f"mc.beat.engine.{NAME}.0", "mc.beat.process.0123456789abcdef",
           "$JS.API.INFO", f"$JS.API.STREAM.INFO.MC_LOG_{NAME}", f"$JS.API.STREAM.MSG.GET.MC_LOG_{NAME}",
           f"$JS.API.DIRECT.GET.MC_LOG_{NAME}", f"$JS.API.CONSUMER.CREATE.MC_LOG_{NAME}",
           f"$JS.API.STREAM.SNAPSHOT.MC_LOG_{NAME}", f"$JS.API.STREAM.PURGE.MC_LOG_{NAME}",
           f"$JS.API.STREAM.DELETE.MC_LOG_{NAME}", f"$JS.API.STREAM.UPDATE.MC_LOG_{NAME}",
           "$JS.API.STREAM.CREATE.COPY", "$JS.API.STREAM.MSG.GET.KV_meshcloak"]


def certificates(folder):
    """Makes an authority and a certificate of 127.0.0.1."""
    roots, key, certificate = folder / "ca.pem", folder / "server.key", folder / "server.pem"
    authority = folder / "ca.key"
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2]
    openssl(*request, "-subj", "/CN=test", "-keyout", authority, "-out", roots)
    openssl(*request, "-subj", "/CN=server", "-keyout", key, "-out", certificate, "-CA", roots, "-CAkey", authority,
            "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE")
    return {"NATS_ROOTS": str(roots), "NATS_KEY": str(key), "NATS_CERTIFICATE": str(certificate)}


def opened(config, folder):
    """Returns a copy of the configuration that permits everything to frontends."""
    text, rule = config.read_text(), 'subscribe { allow: [ "mc.frontend.*", "mc.beat.>" ] }'
    assert rule in text
    copy = folder / "open.conf"
    copy.write_text(text.replace(rule, 'subscribe { allow: [ ">" ] }'))
    return copy


def crowd(members, port):
    """Returns the summary of a short load."""
    command = [members.program, "drive", "--target", f"http://127.0.0.1:{port}", "--key", members.key, "--map", CITY,
               "--users", "400", "--seconds", "6", "--k", "2-3", "--json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def files_with(folder, needle):
    return [file.name for file in folder.rglob("*") if file.is_file() and needle in file.read_bytes()]


class Checks:
    """Prints each result and remembers whether one failed."""

    def __init__(self):
        self.failed = []

    def __call__(self, what, is_good, detail=""):
        print(f"{'ok    ' if is_good else 'FAILED'}  {what}{f': {detail}' if detail else ''}", flush=True)
        if not is_good:
            self.failed.append(what)


def run(options, folder, processes, check):
    environment = certificates(folder)
    frontend, engine = NKey(folder, "frontend"), NKey(folder, "engine")
    environment |= {"MESHCLOAK_FRONTEND_NKEY": frontend.public, "MESHCLOAK_ENGINE_NKEY": engine.public}
    config = ROOT / "dist/nats-server.conf"
    if options.inject:
        config = opened(config, folder)
    servers = NatsServers(processes, config, environment)
    servers.wait()
    roots = environment["NATS_ROOTS"]
    members = Members(options.program, processes, servers.urls("tls"), {
        "map.source": CITY, "engine.guarantee": "history", "engine.after_start": "new",
        "cluster.tls_roots": roots, "limits.rate": 100000})
    as_engine = ["--nkey", engine.seed_file, "--tls-roots", roots]
    members.start("engine", "engine-1", [f"cluster.nkey={engine.seed_file}"])
    fronts = [members.start("frontend", f"frontend-{number}", [f"cluster.nkey={frontend.seed_file}"])[0]
              for number in (1, 2)]
    state = {}

    def is_up():
        state.update(members.status(as_engine))
        return len(state["shards"]) == 1 and len(state["frontends"]) == 2

    members.wait("one owner and two frontends", is_up)
    for number, port in enumerate(fronts, 1):
        outcomes = crowd(members, port)["outcomes"]
        check(f"frontend {number} serves a crowd", outcomes.get("answered", 0) > 0, outcomes)
    check_disk(members.status(as_engine), folder, check)
    violations = "".join(processes.log(f"nats-{number}", 10_000) for number in (1, 2, 3)).count("Violation")
    check("no process exceeds its permissions", violations == 0, f"{violations} violations")
    check_permissions(servers, roots, frontend, engine, check)


def check_disk(state, folder, check):
    """Searches the stores of the servers for the number of the log, which every record holds."""
    (shard,) = state["shards"]
    stores = [folder / f"nats-{number}" for number in (1, 2, 3)]
    leases = [name for store in stores for name in files_with(store, f"{shard['engine']:016x}".encode())]
    check("the search finds the lease on the disk", len(leases) >= 3, f"{len(leases)} files")
    log = shard["seen"]["log"].to_bytes(8, "little")
    records = [name for store in stores for name in files_with(store, log)]
    check("no record of the log is on the disk", not records, f"{shard['seen']['sequence']} records, {records}")


def check_permissions(servers, roots, frontend, engine, check):
    client = Client(servers.ports[0], roots, frontend)
    for subject in ("mc.frontend.0123456789abcdef", "mc.beat.>"):
        check(f"frontend may subscribe to {subject}", client.subscribe(subject))
    check("frontend may publish to mc.engine", client.publish(f"mc.engine.{NAME}.0"))
    readable = [subject for subject in SECRET if client.subscribe(subject)]
    check(f"frontend is refused {len(SECRET)} subscriptions, the log among them", not readable, readable or "")
    writable = [subject for subject in GUARDED if client.publish(subject)]
    check(f"frontend is refused {len(GUARDED)} subjects for messages", not writable, writable or "")
    client = Client(servers.ports[1], roots, engine)
    check("engine may ask for records", client.publish(f"$JS.API.STREAM.MSG.GET.MC_LOG_{NAME}"))
    check("engine may not delete the log", not client.publish(f"$JS.API.STREAM.DELETE.MC_LOG_{NAME}"))


def main():
    parser = argparse.ArgumentParser(description="Tests dist/nats-server.conf.")
    parser.add_argument("program", type=Path, help="the binary `meshcloak`")
    parser.add_argument("--inject", choices=["open"], help="permit everything to frontends")
    options = parser.parse_args()
    check = Checks()
    with tempfile.TemporaryDirectory(prefix="meshcloak-access-") as name:
        folder = Path(name)
        processes = Processes(folder)
        try:
            run(options, folder, processes, check)
        finally:
            processes.stop()
    sys.exit(1 if check.failed else 0)


main()
