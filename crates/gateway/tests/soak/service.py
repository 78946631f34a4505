"""Webhook service of the soak test: records what it is told, and is hostile on command.

service.py CITY.geojson RECORD.ndjson        prints its port when it listens

`PUT /MODE` selects the mode: ok, slow, lying, huge, dead or stalled. Every request is recorded with
the time of arrival, the numbers of the street segments of its region, and the category. No mode
answers `complete: false`, so that every request has the whole region and not a half of it.
"""
import http.server, json, random, sys, threading, time
from pathlib import Path
from city import City

SLOW_SECONDS, STALLED_SECONDS, HUGE_BYTES = 0.6, 8, 64 << 20
NESTED = b'{"complete":true,"features":' + b"[" * 200_000
LIES = [b"<html>no</html>", b"", b"[]", b"null", b'{"type":"FeatureCollection","features":[]}', NESTED,
        b'{"complete":"yes","features":7}', b'{"complete":true,"features":[{"id":[],"geometry":null}]}',
        b'{"complete":true,"features":[{"type":"Feature","id":"a","geometry":{"type":"Point",'
        b'"coordinates":[1e308,-1e308]},"properties":{"category":"cafe"}}]}',
        b'{"complete":true,"features":[' + b'{"id":"' + b"x" * 100_000 + b'"}]}',
        b'{"complete":true,"features":[' + b'{"type":"Feature","id":1,"geometry":{"type":"Polygon",'
        b'"coordinates":[[[9,48],[9,48.1],' + b"[9.1,48]," * 50_000 + b"[9,48]]]}}]}"]


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    city, bodies, record, mode, lock = None, {}, None, "ok", threading.Lock()

    def do_PUT(self):
        Hook.mode = self.path[1:]
        self.reply(b"{}")

    def do_POST(self):
        arrived = time.monotonic()
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(raw)
        lines, properties = request["geometry"]["coordinates"], request["properties"]
        segments, unknown = self.city.segments_of(lines)
        everywhere = len(lines) == 1 and len(lines[0]) == 2 and unknown == 1
        entry = {"at": arrived, "segments": segments, "unknown": unknown, "everywhere": everywhere,
                 "category": properties["category"], "named": b"soak" in raw + str(self.headers).encode()}
        with self.lock:
            self.record.write(json.dumps(entry) + "\n")
        getattr(self, Hook.mode)(properties["category"])

    def ok(self, category):
        self.reply(self.bodies[category])

    def slow(self, category):
        time.sleep(SLOW_SECONDS)
        self.ok(category)

    def lying(self, category):
        if random.random() < 0.2:
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.reply(random.choice(LIES))

    def huge(self, category):
        """Sends many megabytes, under a true or a false length."""
        announced = random.choice([HUGE_BYTES, 1 << 50])
        self.send_response(200)
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b'{"complete":true,"features":[')
        feature = b'{"type":"Feature","id":%d,"geometry":{"type":"Point","coordinates":[9,48]}},'
        for chunk in range(HUGE_BYTES >> 20):
            self.wfile.write(b"".join(feature % n for n in range(chunk * 12_000, (chunk + 1) * 12_000)))

    def dead(self, category):
        self.close_connection = True

    def stalled(self, category):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"complete":')
        time.sleep(STALLED_SECONDS)
        self.close_connection = True

    def reply(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/geo+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512

    def handle_error(self, *_):
        pass  # the gateway closes connections of hostile answers


def answer(pois):
    """All objects, wherever they are: a superset of every range."""
    return json.dumps({"type": "FeatureCollection", "complete": True, "features": [
        {"type": "Feature", "id": poi["properties"]["id"], "geometry": poi["geometry"],
         "properties": poi["properties"]} for poi in pois]}).encode()


def main():
    Hook.city = City(Path(sys.argv[1]))
    Hook.bodies = {category: answer(pois) for category, pois in Hook.city.pois.items()}
    Hook.bodies[None] = answer([poi for pois in Hook.city.pois.values() for poi in pois])
    Hook.record = open(sys.argv[2], "w", buffering=1)
    server = Server(("127.0.0.1", 0), Hook)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
