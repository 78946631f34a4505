"""Compiles and packs the last commit twice, from clean clones, and compares the packages.

reproducible.py [FOLDER]      keeps clones and packages in FOLDER; by default they are deleted

The second build has another folder, another folder of crates, another home, time zone and locale.
"""
import hashlib, os, shutil, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command, **more):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout[-3000:]}"
    return done.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def cargo_home():
    return Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")


def build(clone, commit, **environment):
    """Builds the package of a clean clone of a commit."""
    begin = time.monotonic()
    run("git", "clone", "--quiet", "--no-local", ROOT, clone)
    run("git", "-C", clone, "checkout", "--quiet", commit)
    run("make", "-C", clone, "deb", env={**os.environ, **environment})
    package = clone / "target/meshcloak.deb"
    print(f"{clone}: {package.stat().st_size / 1e6:.1f} MB in {time.monotonic() - begin:.0f} s", flush=True)
    return package


def contents(package, folder):
    """Returns the digest of every file of a package, and its control files."""
    run("dpkg-deb", "--raw-extract", package, folder)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (digest(path), oct(path.stat().st_mode)) for path in files}


def main(folder):
    # Both builds are of this commit, whatever is committed meanwhile.
    commit = run("git", "-C", ROOT, "rev-parse", "--short=12", "HEAD").strip()
    first = build(folder / "one", commit)
    # Crates are copied, not fetched again; their path differs.
    home = folder / "another-home-with-a-longer-name"
    crates = home / "crates"
    shutil.copytree(cargo_home() / "registry", crates / "registry", symlinks=True)
    for settings in cargo_home().glob("config*"):
        shutil.copy(settings, crates)
    toolchain = os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")
    second = build(folder / "a" / "longer" / "path" / "two", commit, CARGO_HOME=str(crates), HOME=str(home),
                   RUSTUP_HOME=toolchain, TZ="Asia/Tokyo", LC_ALL="C", npm_config_cache=str(home / "npm"))
    one, two = contents(first, folder / "contents-1"), contents(second, folder / "contents-2")
    differing = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    assert not differing, f"two builds differ in {differing}"
    same = "the packages are the same bytes" if digest(first) == digest(second) else "only the archives differ"
    print(f"{commit}: {len(one)} files are equal; {same}: {digest(first)[:16]}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="meshcloak-reproducible") as temporary:
            main(Path(temporary))
