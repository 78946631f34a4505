"""Webhook service for a MeshCloak gateway: points of a GeoJSON file, found near lines.

python3 server.py POINTS.geojson [PORT]        prints its URL when it listens
"""
import json, math, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

features = json.load(open(sys.argv[1], encoding="utf-8"))["features"]
POINTS = sorted((str(f.get("id", f["properties"].get("id"))), f["geometry"]["coordinates"], f["properties"])
                for f in features if f["geometry"]["type"] == "Point")
MAX_OBJECTS = 5000  # per answer

def near(point, lines, radius):
    """Returns whether a point is within `radius` metres of the lines (WGS 84, plane at the point)."""
    lon, lat = point
    w = 1 - 0.00669438 * math.sin(math.radians(lat)) ** 2
    north = math.radians(6335439 / w**1.5)  # metres per degree
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
        self.reply({"categories": sorted({p["category"] for _, _, p in POINTS})})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        lines, p = request["geometry"]["coordinates"], request["properties"]
        found = [(i, point, q) for i, point, q in POINTS if i > (p["after"] or "")
                 and p["category"] in (None, q["category"]) and near(point, lines, p["radius_m"])]
        page = found[:min(MAX_OBJECTS, p["limit"])]
        self.reply({"type": "FeatureCollection", "complete": len(page) == len(found), "features": [
            {"type": "Feature", "id": i, "geometry": {"type": "Point", "coordinates": point},
             "properties": {"name": q.get("name", ""), "category": q["category"]}} for i, point, q in page]})

    def reply(self, answer):
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/geo+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # requests hold the regions of users

server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv + ["0", "0"])[2])), Hook)
print("http://127.0.0.1:%d/" % server.server_port, flush=True)
server.serve_forever()
