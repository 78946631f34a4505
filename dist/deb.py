"""Builds a Debian package from the binary: unit, example settings, man pages, completions, SBOM.

deb.py BINARY OUT.deb

Two runs with the same binary give the same bytes: files are sorted, owned by root and dated by
SOURCE_DATE_EPOCH (by default the last commit), and archives hold no time of their own.
"""
import gzip, os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True, cwd=ROOT).stdout.strip()


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def version():
    return re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def packed(data):
    return gzip.compress(data if isinstance(data, bytes) else data.encode(), 9, mtime=0)


def dependencies(binary):
    """Returns the libraries of the binary as packages; glibc with the newest version it needs."""
    symbols = output("readelf", "-VW", str(binary))
    versions = [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", symbols)]
    needed = output("readelf", "-dW", str(binary))
    known = {"libc.so.6": "libc6 (>= %d.%d)" % max(versions), "libgcc_s.so.1": "libgcc-s1 (>= 4.2)"}
    merged = {"libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    names = re.findall(r"NEEDED.*\[(.+)\]", needed)
    unknown = [name for name in names if name not in known and name not in merged]
    assert not unknown, f"no package is known for {unknown}"
    return ", ".join(known[name] for name in sorted(names) if name in known) + ", passwd"


def tree(binary, root):
    """Fills a folder with all files of the package."""
    share = root / "usr/share"
    write(root / "usr/bin/meshcloak", binary.read_bytes(), 0o755)
    subprocess.run(["strip", "--strip-all", root / "usr/bin/meshcloak"], check=True)
    unit = (ROOT / "dist/meshcloak.service").read_text().replace("/usr/local/bin/", "/usr/bin/")
    unit = unit.replace(", installed by `make install`", "").replace(", created by `make install`", "")
    write(root / "lib/systemd/system/meshcloak.service", unit)
    write(root / "etc/meshcloak/meshcloak.toml", (ROOT / "meshcloak.example.toml").read_text())
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([binary, "generate", made], check=True)
        for page in sorted(Path(made, "man").iterdir()):
            write(share / "man/man1" / (page.name + ".gz"), packed(page.read_bytes()))
        for name, place in (("meshcloak.bash", "bash-completion/completions/meshcloak"),
                            ("_meshcloak", "zsh/vendor-completions/_meshcloak"),
                            ("meshcloak.fish", "fish/vendor_completions.d/meshcloak.fish")):
            write(share / place, Path(made, "completions", name).read_bytes())
    doc = share / "doc/meshcloak"
    write(doc / "copyright", (ROOT / "dist/debian/copyright").read_text())
    write(doc / "changelog.gz", packed((ROOT / "CHANGELOG.md").read_text()))
    write(doc / "sbom.cdx.json", output(sys.executable, "dist/sbom.py"))
    for name in ("OPERATING.md", "CONNECT.md", "PRIVACY.md"):
        write(doc / (name + ".gz"), packed((ROOT / "docs" / name).read_text()))
    for folder in ("dist/monitoring", "examples/services", "examples/compose"):
        for file in sorted((ROOT / folder).iterdir()):
            if file.is_file():
                write(doc / "examples" / Path(folder).name / file.name, file.read_bytes())


def control(binary, root):
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    folder = root / "DEBIAN"
    write(folder / "control", f"""Package: meshcloak
Version: {version()}-1
Architecture: {output("dpkg", "--print-architecture")}
Maintainer: MeshCloak maintainers <meshcloak@localhost>
Installed-Size: {-(-size // 1024)}
Depends: {dependencies(binary)}
Recommends: ca-certificates
Section: net
Priority: optional
Description: location-privacy gateway
 Hides each user of a location service among at least k users who can reach
 one another on the street map, asks the service about streets that all of
 them share, and returns to each user exactly that user's answer.
""")
    write(folder / "conffiles", "/etc/meshcloak/meshcloak.toml\n")
    for name in ("postinst", "prerm", "postrm"):
        write(folder / name, (ROOT / "dist/debian" / name).read_text(), 0o755)


def main(binary, target):
    with tempfile.TemporaryDirectory(prefix="meshcloak-deb") as folder:
        root = Path(folder) / "root"
        root.mkdir(mode=0o755)
        tree(binary, root)
        control(binary, root)
        moment = epoch()
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (moment, moment), follow_symlinks=False)
        target.parent.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment)}
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target], check=True,
                       env=environment, stdout=subprocess.DEVNULL)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    assert shutil.which("dpkg-deb"), "dpkg-deb is not installed"
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
