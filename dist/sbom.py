"""Prints the software bill of materials: CycloneDX 1.5 from `cargo metadata`, crates of the binary only.

The output depends on Cargo.lock alone, so that it is the same on every machine.
"""
import hashlib, json, re, subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def metadata():
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)


def checksums():
    """Returns the SHA-256 of each crate, by name and version."""
    text = (ROOT / "Cargo.lock").read_text()
    found = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', text)
    return {(name, version): checksum for name, version, checksum in found}


def reached(resolve, start):
    """Returns the packages that the binary links or that build it, without those of tests."""
    nodes = {node["id"]: node for node in resolve["nodes"]}
    found, open_ids = {}, [start]
    while open_ids:
        package = open_ids.pop()
        if package in found:
            continue
        deps = nodes[package]["deps"]
        found[package] = sorted(dep["pkg"] for dep in deps
                                if any(kind["kind"] in (None, "build") for kind in dep["dep_kinds"]))
        open_ids += found[package]
    return found


def main():
    data = metadata()
    packages, sums = {package["id"]: package for package in data["packages"]}, checksums()
    start = next(package["id"] for package in data["packages"] if package["name"] == "cli")
    graph = reached(data["resolve"], start)
    reference = lambda package: f"pkg:cargo/{packages[package]['name']}@{packages[package]['version']}"
    components = []
    for package in sorted(graph, key=reference):
        facts = packages[package]
        if package == start:
            continue
        component = {"type": "library", "bom-ref": reference(package), "name": facts["name"],
                     "version": facts["version"], "purl": reference(package), "scope": "required"}
        if facts["license"]:
            component["licenses"] = [{"expression": facts["license"].replace("/", " OR ")}]
        checksum = sums.get((facts["name"], facts["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    lock = hashlib.sha256((ROOT / "Cargo.lock").read_bytes()).hexdigest()
    serial = f"urn:uuid:{lock[:8]}-{lock[8:12]}-5{lock[13:16]}-8{lock[17:20]}-{lock[20:32]}"
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": serial, "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": reference(start), "name": "meshcloak",
                                   "version": packages[start]["version"]}},
        "components": components,
        "dependencies": [{"ref": reference(package), "dependsOn": [reference(other) for other in graph[package]]}
                         for package in sorted(graph, key=reference)],
    }, indent=1))


if __name__ == "__main__":
    main()
