"""Builds the package twice, compares the contents, and installs it into a clean Debian root.

deb_test.py BINARY      as root; the root is made with mmdebstrap, in a temporary folder
"""
import hashlib, os, subprocess, sys, tempfile, time
from pathlib import Path

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


def main(binary):
    assert os.getuid() == 0, "needs root"
    with tempfile.TemporaryDirectory(prefix="meshcloak-deb-test") as temporary:
        folder = Path(temporary)
        first, second = folder / "first.deb", folder / "second.deb"
        for package in (first, second):
            run(sys.executable, ROOT / "dist/deb.py", binary, package)
        assert digest(first) == digest(second), "two builds differ"
        print(f"two builds are equal: {digest(first)[:16]}, {first.stat().st_size / 1e6:.1f} MB")
        root = folder / "root"
        run("mmdebstrap", "--variant=minbase", release(), root)
        begin = time.monotonic()
        (root / "meshcloak.deb").write_bytes(first.read_bytes())
        inside = lambda *command: run("chroot", root, *command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        inside("dpkg", "--install", "/meshcloak.deb")
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
        inside("sh", "-c", "cd /etc/meshcloak && su -s /bin/sh meshcloak -c 'meshcloak keys add app'")
        findings = inside("su", "-s", "/bin/sh", "meshcloak", "-c",
                          "cd /etc/meshcloak && meshcloak doctor --set engine.record=/tmp/record --config meshcloak.toml")
        print(findings)
        owner = (root / "etc/meshcloak/keys.json").stat()
        assert (owner.st_mode & 0o777, owner.st_uid) == (0o600, (root / "etc/meshcloak").stat().st_uid)
        inside("dpkg", "--remove", "meshcloak")
        assert not (root / "usr/bin/meshcloak").exists() and (root / "etc/meshcloak/keys.json").exists()
        inside("dpkg", "--purge", "meshcloak")
        assert not (root / "etc/meshcloak").exists()
    print("installed, examined, removed and purged")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
