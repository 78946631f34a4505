"""Checks what operators install beside the binary: unit, alert rules, dashboard, bill of materials."""
import json, re, subprocess, tempfile
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parents[1]
LARGEST_EXPOSURE = 2.0


def run(*command, folder=ROOT):
    command = list(map(str, command))
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}"
    return done.stdout


def unit():
    # The command is not installed here; everything else of the unit is verified.
    text = (ROOT / "dist/meshcloak.service").read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "meshcloak.service")
        path.write_text(text.replace("/usr/local/bin/meshcloak", "/bin/true"))
        found = run("systemd-analyze", "verify", "--man=no", path)
    assert not found.strip(), found
    assert "SystemCallErrorNumber=EPERM" in text, "a refused system call would end the gateway"
    text = run("systemd-analyze", "security", "--offline=true", "dist/meshcloak.service")
    exposure = float(re.search(r"exposure level for meshcloak.service: ([\d.]+)", text)[1])
    assert exposure <= LARGEST_EXPOSURE, text
    return f"exposure {exposure}"


def alerts():
    folder = ROOT / "dist/monitoring"
    run("promtool", "check", "rules", "alerts.yml", folder=folder)
    run("promtool", "check", "config", "prometheus.yml", folder=folder)
    run("promtool", "test", "rules", "alerts.test.yml", folder=folder)
    return f"{(folder / 'alerts.yml').read_text().count('- alert:')} alerts"


def dashboard():
    panels = json.loads((ROOT / "dist/monitoring/grafana.json").read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["targets"] and panel["title"] for panel in panels)
    return f"{len(panels)} panels"


def bill():
    first, second = (run("python3", "dist/sbom.py") for _ in range(2))
    assert first == second
    document = json.loads(first)
    known = {component["bom-ref"] for component in document["components"]}
    known.add(document["metadata"]["component"]["bom-ref"])
    for entry in document["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= known, entry
    external = [c for c in document["components"] if "hashes" in c]
    assert all("licenses" in component for component in external)
    assert {"tokio", "maplibre-gl", "Noto Sans"} <= {component["name"] for component in document["components"]}
    # A path leads from the binary to each component.
    needed, open_refs = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}, [document["metadata"]["component"]["bom-ref"]]
    while open_refs:
        open_refs += needed.pop(open_refs.pop(), [])
    assert not needed, f"nothing depends on {sorted(needed)}"
    invalid = JsonStrictValidator(SchemaVersion.V1_5).validate_str(first)
    assert invalid is None, f"not CycloneDX 1.5: {invalid}"
    return f"{len(document['components'])} components, {len(external)} with a hash, valid by the schema"


if __name__ == "__main__":
    for check in (unit, alerts, dashboard, bill):
        print(f"{check.__name__}: {check()}")
