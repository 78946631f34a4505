"""A service that a MeshCloak gateway can ask: places in a GeoJSON file, found near lines.

python3 server.py PLACES.geojson [PORT]        prints its address when it listens
"""
import json, math, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

features = json.load(open(sys.argv[1], encoding="utf-8"))["features"]
PLACES = sorted((str(f.get("id", f["properties"].get("id"))), f["geometry"]["coordinates"], f["properties"])
                for f in features if f["geometry"]["type"] == "Point")
MOST = 5000  # places in one answer

def near(place, lines, radius):
    """Whether a place is within `radius` metres of the lines (WGS 84, flat around the place)."""
    lon, lat = place
    w = 1 - 0.00669438 * math.sin(math.radians(lat)) ** 2
    north = math.radians(6335439 / w**1.5)  # metres in a degree
    east = math.radians(6378137 / w**0.5) * math.cos(math.radians(lat))
    for line in lines:
        flat = [((x - lon) * east, (y - lat) * north) for x, y in line]
        for (ax, ay), (bx, by) in zip(flat, flat[1:]):
            dx, dy = bx - ax, by - ay
            t = max(0, min(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy or 1)))
            if math.hypot(ax + t * dx, ay + t * dy) <= radius:
                return True

class Hook(BaseHTTPRequestHandler):
    def do_GET(self):
        self.say({"categories": sorted({p["category"] for _, _, p in PLACES})})

    def do_POST(self):
        ask = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        lines, p = ask["geometry"]["coordinates"], ask["properties"]
        found = [(i, place, q) for i, place, q in PLACES if i > (p["after"] or "")
                 and p["category"] in (None, q["category"]) and near(place, lines, p["radius_m"])]
        page = found[:min(MOST, p["limit"])]
        self.say({"type": "FeatureCollection", "complete": len(page) == len(found), "features": [
            {"type": "Feature", "id": i, "geometry": {"type": "Point", "coordinates": place},
             "properties": {"name": q.get("name", ""), "category": q["category"]}} for i, place, q in page]})

    def say(self, answer):
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/geo+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # what is asked says where people are

server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv + ["0", "0"])[2])), Hook)
print("http://127.0.0.1:%d/" % server.server_port, flush=True)
server.serve_forever()
