"""Packs a binary twice, compares the packages, installs one into a clean Debian root, and boots that
with systemd: the unit starts, answers, reloads and stops.

deb_test.py BINARY      as root; the root is made with mmdebstrap, in a temporary folder
"""
import hashlib, json, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from booted import Booted

ROOT = Path(__file__).resolve().parents[1]


def run(*command, **more):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout[-3000:]}"
    return done.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def release():
    lines = Path("/etc/os-release").read_text().splitlines()
    return next(line.split("=")[1] for line in lines if line.startswith("VERSION_CODENAME"))


def prepare(inside):
    """Map and key as in docs/START_OPERATORS.md, in /etc/meshcloak; returns the key."""
    commands = (ROOT / "docs/START_OPERATORS.md").read_text()
    step = commands.split("## 2.")[1].split("## 3.")[0]
    lines = [line.removeprefix("$ ").split(" # ")[0].strip() for line in step.splitlines() if line.startswith("$ ")]
    assert len(lines) == 4, lines
    printed = inside("sh", "-e", "-c", "cd /etc/meshcloak\n" + "\n".join(lines))
    return re.search(r"mc_\w+", printed)[0]


def serve(system, key):
    """The unit: confined, it answers users, keeps settings of users, reloads and stops in order."""
    settings = system.root / "etc/meshcloak/meshcloak.toml"
    changed = settings.read_text().replace('file = ""', 'file = "/var/lib/meshcloak/users.json"', 1)
    for line, value in (("guarantee", '"history"'), ("after_start", '"new"'), ("record", '"/var/lib/meshcloak/served.record"')):
        changed, count = re.subn(rf"^{line} = .*$", f"{line} = {value}", changed, flags=re.MULTILINE)
        assert count == 1, line
    settings.write_text(changed)
    system.run("systemctl", "enable", "--now", "meshcloak")
    healthy = lambda: system.status("meshcloak", "health", "http://127.0.0.1:8080") == 0
    system.until("the gateway", healthy)
    process = system.facts("meshcloak", "MainPID")["MainPID"]
    status = dict(re.findall(r"^(\w+):\s+(\S+)", system.run("cat", f"/proc/{process}/status"), re.MULTILINE))
    assert status["Uid"] != "0" and (status["CapEff"], status["NoNewPrivs"], status["Seccomp"]) == ("0" * 16, "1", "2"), status
    exposure = system.run("systemd-analyze", "security", "meshcloak")
    assert float(re.search(r"exposure level for meshcloak.service: ([\d.]+)", exposure)[1]) <= 2.0, exposure
    ask(system, key)
    keep_settings(system, key)
    system.run("systemctl", "reload", "meshcloak")
    system.until("the gateway after a reload", healthy)
    ask(system, key)
    assert system.facts("meshcloak", "MainPID", "NRestarts") == {"MainPID": process, "NRestarts": "0"}
    system.run("systemctl", "stop", "meshcloak")
    ended = system.facts("meshcloak", "Result", "ExecMainStatus", "ExecMainCode")
    assert ended == {"Result": "success", "ExecMainStatus": "0", "ExecMainCode": "1"}, ended


def request(system, key, method, path, body):
    """Sends JSON to the gateway; returns status and body."""
    return system.fetch("--request", method, "--header", f"Authorization: Bearer {key}", "--header",
                        "Content-Type: application/json", "--data", json.dumps(body), f"http://127.0.0.1:8080/v1/{path}")


def ask(system, key):
    """Two users on one street ask at the same time, and both are answered."""
    name = time.monotonic()
    query = lambda user: {
        "ticket": f"{user}-{name}", "person": f"{user}-{name}", "lon": 9.0002, "lat": 48.0001, "k": 2, "dt": 20, "dc": 400,
        "speed": 20, "question": {"find": "nearest", "count": 3}}
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda user: request(system, key, "POST", "queries", query(user)), ("jo", "al")))
    assert all(status == 200 and json.loads(body)["outcome"] == "answered" for status, body in answers), answers


def keep_settings(system, key):
    """Settings of users are written. A file of another group cannot be given back to it, by `fchown`, which
    the unit refuses: that is an error of the request and not the end of the gateway."""
    put = lambda k: request(system, key, "PUT", "people/jo/settings", {"k": k, "dt": 5})
    file = "/var/lib/meshcloak/users.json"
    assert put(3)[0] == 200
    # As restored by root from a copy: the next change replaces the file.
    system.run("sh", "-e", "-c", f"cp -p {file} {file}.copy; chgrp adm {file}.copy; mv {file}.copy {file}")
    status, body = put(4)
    assert status == 503 and json.loads(body)["reason"] == "not-kept", (status, body)
    system.run("chgrp", "meshcloak", file)
    assert put(4)[0] == 200


def main(binary):
    assert os.getuid() == 0, "needs root"
    with tempfile.TemporaryDirectory(prefix="meshcloak-deb-test") as temporary:
        folder = Path(temporary)
        first, second = folder / "first.deb", folder / "second.deb"
        for package in (first, second):
            run(sys.executable, ROOT / "dist/deb.py", binary, package)
        assert digest(first) == digest(second), "two packages of one binary differ"
        print(f"two packages of one binary are equal: {digest(first)[:16]}, {first.stat().st_size / 1e6:.1f} MB")
        root = folder / "root"
        run("mmdebstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus", release(), root)
        begin = time.monotonic()
        (root / "meshcloak.deb").write_bytes(first.read_bytes())
        inside = lambda *command: run("chroot", root, *command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        inside("apt-get", "install", "--yes", "--no-install-recommends", "/meshcloak.deb")
        print(f"installed on a clean {release()} in {time.monotonic() - begin:.1f} s")
        assert inside("meshcloak", "--version").startswith("meshcloak ")
        assert "meshcloak" in inside("getent", "passwd", "meshcloak")
        for path in ("lib/systemd/system/meshcloak.service", "etc/meshcloak/meshcloak.toml",
                     "usr/share/bash-completion/completions/meshcloak", "usr/share/doc/meshcloak/sbom.cdx.json",
                     "usr/share/doc/meshcloak/examples/monitoring/alerts.yml"):
            assert (root / path).exists(), path
        # minbase leaves out man pages by a rule of dpkg, so that they are looked for in the package.
        assert "man1/meshcloak-serve.1.gz" in run("dpkg-deb", "--contents", first)
        unit = (root / "lib/systemd/system/meshcloak.service").read_text()
        assert "ExecStart=/usr/bin/meshcloak " in unit and "make install" not in unit
        key = prepare(inside)
        findings = inside("su", "-s", "/bin/sh", "meshcloak", "-c",
                          "cd /etc/meshcloak && meshcloak doctor --set engine.record=/tmp/record --config meshcloak.toml")
        print(findings)
        owner = (root / "etc/meshcloak/keys.json").stat()
        assert (owner.st_mode & 0o777, owner.st_uid) == (0o600, (root / "etc/meshcloak").stat().st_uid)
        with Booted(root) as system:
            begin = time.monotonic()
            serve(system, key)
            print(f"unit: started by systemd, asked, reloaded and stopped in {time.monotonic() - begin:.1f} s")
        inside("dpkg", "--remove", "meshcloak")
        assert not (root / "usr/bin/meshcloak").exists() and (root / "etc/meshcloak/keys.json").exists()
        inside("dpkg", "--purge", "meshcloak")
        assert not (root / "etc/meshcloak").exists()
    print("installed, examined, removed and purged")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
