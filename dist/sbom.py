"""Prints the software bill of materials, CycloneDX 1.5: the crates of the release build from `cargo tree`,
the packages of the web page that the binary embeds, and its font.

The output depends on the manifests, Cargo.lock and web/package-lock.json alone, so that it is the same on
every machine.
"""
import base64, hashlib, json, re, subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


TARGET = "x86_64-unknown-linux-gnu"


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def metadata():
    return json.loads(cargo("metadata", "--format-version=1", "--locked", f"--filter-platform={TARGET}"))


def linked():
    """Returns the packages that each package of the release build needs, by (name, version).

    `cargo tree` selects packages and features as `cargo build` does, while `cargo metadata` also has crates
    behind features that nothing turns on, or that only tests turn on."""
    # DEPTH NAME vVERSION …, without the dependencies of a package that was printed before.
    tree = cargo("tree", "--locked", f"--target={TARGET}", "--edges=normal,build", "--prefix=depth", "--format= {p}")
    needed, path = {}, []
    for depth, name, version in re.findall(r"^(\d+) (\S+) v(\S+)", tree, re.MULTILINE):
        package = (name, version)
        del path[int(depth):]
        needed.setdefault(package, set())
        if path:
            needed[path[-1]].add(package)
        path.append(package)
    return needed


def checksums():
    """Returns the SHA-256 of each crate, by name and version."""
    text = (ROOT / "Cargo.lock").read_text()
    found = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', text)
    return {(name, version): checksum for name, version, checksum in found}


def reached(needed, start):
    """Returns the packages that the binary links or that build it, with the packages that each needs."""
    found, open_packages = {}, [start]
    while open_packages:
        package = open_packages.pop()
        if package not in found:
            found[package] = sorted(needed[package])
            open_packages += found[package]
    return found


def web_packages():
    """Returns the packages of the web page by name, without those that only build or test it."""
    lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    found, open_names = {}, list(lock[""]["dependencies"])
    while open_names:
        name = open_names.pop()
        if name not in found:
            found[name] = lock[f"node_modules/{name}"]
            open_names += found[name].get("dependencies", {})
    return found


def web_reference(name, facts):
    return f"pkg:npm/{name.replace('@', '%40')}@{facts['version']}"


def web_components():
    """Returns the components of the web page, and their dependencies."""
    packages = web_packages()
    reference = lambda name: web_reference(name, packages[name])
    components, dependencies = [], []
    for name in sorted(packages, key=reference):
        facts = packages[name]
        digest = base64.b64decode(facts["integrity"].removeprefix("sha512-")).hex()
        components.append({"type": "library", "bom-ref": reference(name), "name": name, "version": facts["version"],
                           "purl": reference(name), "scope": "required",
                           "licenses": [{"expression": facts["license"].strip("()")}],
                           "hashes": [{"alg": "SHA-512", "content": digest}]})
        dependencies.append({"ref": reference(name),
                             "dependsOn": sorted(map(reference, facts.get("dependencies", {})))})
    return components, dependencies


# The crate `notosans` has a licence of its own; the font in it has this one.
FONT = {"type": "file", "bom-ref": "font:noto-sans", "name": "Noto Sans", "scope": "required",
        "licenses": [{"license": {"id": "OFL-1.1"}}]}


def main():
    packages, sums = {(package["name"], package["version"]): package for package in metadata()["packages"]}, checksums()
    start = next(package for package in packages if package[0] == "cli")
    graph = reached(linked(), start)
    reference = lambda package: f"pkg:cargo/{package[0]}@{package[1]}"
    components = []
    for package in sorted(graph, key=reference):
        facts = packages[package]
        if package == start:
            continue
        component = {"type": "library", "bom-ref": reference(package), "name": facts["name"],
                     "version": facts["version"], "purl": reference(package), "scope": "required"}
        if facts["license"]:
            component["licenses"] = [{"expression": facts["license"].replace("/", " OR ")}]
        checksum = sums.get(package)
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    web, web_dependencies = web_components()
    # The gateway embeds the page, the pictures their font.
    page = web_reference("maplibre-gl", web_packages()["maplibre-gl"])
    embedded = {"gateway": [page], "notosans": [FONT["bom-ref"]]}
    depends = lambda package: [reference(other) for other in graph[package]] + embedded.pop(package[0], [])
    dependencies = [{"ref": reference(package), "dependsOn": depends(package)} for package in sorted(graph, key=reference)]
    assert not embedded, f"no crate embeds {embedded}"
    locks = b"".join((ROOT / name).read_bytes() for name in ("Cargo.lock", "web/package-lock.json"))
    lock = hashlib.sha256(locks).hexdigest()
    serial = f"urn:uuid:{lock[:8]}-{lock[8:12]}-5{lock[13:16]}-8{lock[17:20]}-{lock[20:32]}"
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": serial, "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": reference(start), "name": "meshcloak",
                                   "version": start[1]}},
        "components": [*components, *web, FONT],
        "dependencies": [*dependencies, *web_dependencies],
    }, indent=1))


if __name__ == "__main__":
    main()
