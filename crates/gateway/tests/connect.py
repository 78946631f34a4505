"""Runs every command of docs/CONNECT.md and of the getting-started pages, and compares its output.

connect.py PROGRAM ASK [PAGE…]     `meshcloak`, and the gateway's example `ask`

In `console` blocks, lines after `$ ` are commands; the lines that follow are the expected output,
with `…` for any text. Lines of `sh` blocks are commands that must succeed. A `toml` block whose first
line is a comment with a file name is written to that file. Placeholders are replaced: keys and tokens
by those printed before, ports by free ones, the database and the map by temporary ones.
"""
import glob, http.server, json, os, re, socket, subprocess, sys, tempfile, threading, time, urllib.parse
from pathlib import Path

from researchers import run_researchers

ROOT = Path(__file__).resolve().parents[3]
PROGRAM, ASK = (Path(argument).resolve() for argument in sys.argv[1:3])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def script(path, text):
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)


class Database:
    """A PostgreSQL with PostGIS in a temporary folder."""

    def __init__(self, folder):
        newest = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        self.programs, self.folder, self.port = newest, folder, free_port()
        folder.mkdir()
        if os.getuid() == 0:
            subprocess.run(["chown", "postgres", folder], check=True)
        self.run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "me")
        options = f"-F -h 127.0.0.1 -p {self.port} -k {folder}"
        self.run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-o", options, "start")
        self.run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "me", "city")
        self.run("psql", "-q", "-c", "CREATE EXTENSION postgis", self.url())

    def url(self):
        return f"postgresql://me@127.0.0.1:{self.port}/city"

    def run(self, program, *arguments):
        prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        done = subprocess.run([*prefix, f"{self.programs}/{program}", *arguments], cwd="/tmp",
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert done.returncode == 0, (program, arguments)

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")


class Overpass(http.server.BaseHTTPRequestHandler):
    """Returns all cafés, wherever they are: a superset of every range."""

    places = None

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        wanted = '["amenity"="cafe"](around:' in form["data"][0]
        features = json.loads(Overpass.places.read_text())["features"] if wanted else []
        cafes = [f for f in features if f["properties"].get("category") == "cafe"]
        elements = [{"type": "node", "id": number, "tags": {"amenity": "cafe"},
                     "lon": f["geometry"]["coordinates"][0], "lat": f["geometry"]["coordinates"][1]}
                    for number, f in enumerate(cafes)]
        body = json.dumps({"version": 0.6, "elements": elements}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Shell:
    """A shell that runs the commands of the page."""

    def __init__(self, folder, fill):
        self.folder, self.fill, self.output, self.count = folder, fill, "", 0
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, text=True, bufsize=1,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=open(folder / "errors", "w"), start_new_session=True)

    def filled(self, text):
        for old, new in self.fill.items():
            text = text.replace(old, new)
        for mark in re.findall(r"(m[cp]_)…", text):
            text = text.replace(mark + "…", re.findall(mark + r"\w+", self.output)[-1])
        return text

    def run(self, command, expected):
        """Runs a command and compares its output; waits until a background command listens."""
        command = self.filled(command)
        print("$", command, flush=True)
        background = re.sub(r"\s#.*", "", command).rstrip().endswith("&")
        self.process.stdin.write(command + '\nSTATUS=$?; echo; echo "=== $STATUS"\n')
        lines = []
        for line in self.process.stdout:
            if line.startswith("=== "):
                break
            lines.append(line)
        status, text = int(line.split()[1]) if not background else 0, "".join(lines).strip()
        self.output += text
        print(text[:300], flush=True)
        ids = re.findall(r'"id":"(\w{12})","token"', text)
        self.fill.update({"5f0c9d1e77aa": ids[0]} if ids else {})
        if expected:
            lines = "\n".join(expected)
            for old, new in self.fill.items():
                lines = lines.replace(old, new)
            pattern = ".*".join(re.escape(part) for part in lines.split("…"))
            assert re.match(pattern, text, re.DOTALL), (expected, text)
        else:
            assert status == 0 and '"refused"' not in text, (status, text)
        if background:
            wait(re.findall(r"(?:--port|\.geojson) (\d+)", command) or [self.fill["127.0.0.1:8080"].split(":")[1]])
        self.count += 1


def wait(ports):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", int(ports[-1]))).close()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no process listens on port {ports[-1]}")


def commands(lines):
    """Yields commands with their expected output; a command continues until bash can parse it."""
    command, expected = None, []
    for line in lines:
        unfinished = command is not None and not expected and subprocess.run(
            ["bash", "-n"], input=command, text=True, stderr=subprocess.DEVNULL).returncode
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        elif unfinished or command.endswith("\\"):
            command += "\n" + line
        else:
            expected.append(line)
    yield command, expected


def prepare(folder, gateway):
    """Puts `meshcloak`, `cargo` and `python3` into a folder, with free ports and what is installed."""
    (folder / "bin").mkdir()
    real = "exec " + str(PROGRAM)
    script(folder / "bin/meshcloak", f'if [ "$1" = serve ] && [ "$2" != --example ]; then {real} "$@" --set server.listen=127.0.0.1:{gateway}'
           f' --set server.metrics= >gateway.log 2>&1; fi\n{real} "$@"\n')
    script(folder / "bin/cargo", f'[ "$1 $2 $3 $4 $5" = "run -p gateway --example ask" ] && shift 6 && exec {ASK} "$@"\n')
    script(folder / "bin/python3", 'if [ "$1 $2" = "-m venv" ]; then exit 0; fi\nexec ' + sys.executable + ' "$@"\n')
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "tipg").symlink_to(ROOT / "target/ogc")
    (folder / "clients").symlink_to(ROOT / "target/clients")


def run_page(folder, name, fill):
    """Runs the commands of a page in a folder."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shell = Shell(folder, fill)
    for kind, text in blocks:
        file = re.match(r"# ([\w-]+\.toml)\n", text)
        if kind == "toml" and file:
            text = re.sub(r"^authorization.*\n", "", text, flags=re.MULTILINE)
            (folder / file[1]).write_text(shell.filled(text))
    begin = time.monotonic()
    try:
        for kind, text in blocks:
            if kind == "console":
                for command, expected in commands(text.splitlines()):
                    shell.run(command, expected)
            elif kind == "sh":
                for command in text.splitlines():
                    shell.run(command, [])
    except BaseException:
        print((folder / "errors").read_text()[-3000:])
        raise
    finally:
        os.killpg(shell.process.pid, 15)
    print(f"{shell.count} commands of docs/{name} succeeded in {time.monotonic() - begin:.0f} s")


def run_connect(folder):
    gateway, tipg, hook, overpass = (free_port() for _ in range(4))
    prepare(folder, gateway)
    database = Database(folder / "database")
    Overpass.places = folder / "places.geojson"
    subprocess.run([PROGRAM, "map", "convert", "city", Overpass.places], check=True, stdout=subprocess.DEVNULL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(overpass)), Overpass)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fill = {"127.0.0.1:8080": f"127.0.0.1:{gateway}", "127.0.0.1:8000": f"127.0.0.1:{tipg}",
            "--port 8000": f"--port {tipg}", "9001": hook, "127.0.0.1:12345": f"127.0.0.1:{overpass}",
            "postgresql://me@localhost/city": database.url(), "your-map.osm.pbf": "city",
            "examples/services/webhook.toml": "webhook.toml"}
    try:
        run_page(folder, "CONNECT.md", fill)
    finally:
        database.stop()


def run_start(folder, name):
    gateway = free_port()
    prepare(folder, gateway)
    run_page(folder, name, {"127.0.0.1:8080": f"127.0.0.1:{gateway}"})


def main(folder):
    wanted = sys.argv[3:] or ["CONNECT.md"]
    for name in wanted:
        page = folder / name
        page.mkdir(mode=0o755)
        if name == "CONNECT.md":
            run_connect(page)
        elif name == "PYTHON.md":
            run_researchers(page, PROGRAM)
        else:
            run_start(page, name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="meshcloak-connect") as temporary:
        os.chmod(temporary, 0o755)
        main(Path(temporary))
