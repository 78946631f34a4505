"""Hostile clients of the soak test.

attackers.py CITY.geojson PORT KEYS RECORD.ndjson       runs until it is ended; a result line per second

Floods, streams that are not read, slow-loris connections and malformed requests, with keys of their
own. Their users are in the east of the city, the honest ones in the west, so that no anonymity set
holds both. Every query is recorded with the longest time that the gateway may hold it.
"""
import itertools, json, random, socket, sys, threading, time
from collections import Counter
from pathlib import Path
from city import City

DT, K, DC = 10, 2, 1500
LONGEST_SECONDS = DT + 1 + 5 + 8 + 5  # dt + tick + service.wait + service.question_timeout, and slack
FLOOD_PER_SECOND, POSTS_PER_SECOND, GARBAGE_PER_SECOND = 300, 20, 10
USERS, LORIS_COUNT = 4000, 150
TICKETS = itertools.count()
COUNTS = Counter()


class Hostile:
    """What all attacks share: address, keys, places and the record of queries."""

    def __init__(self, city, port, keys, record):
        self.city, self.port, self.keys, self.record = city, port, keys, record
        self.groups, self.lock = city.neighbourhoods("east", 6), threading.Lock()

    def query(self, question):
        """A new query of a random user, as JSON."""
        group, number = random.choice(self.groups), random.randrange(USERS)
        segment, user = random.choice(group), f"soak-bad-{number}"
        now, (lon, lat) = time.monotonic(), self.city.middle[segment]
        entry = {"user": user, "segment": segment, "k": K, "start": now, "end": now + LONGEST_SECONDS}
        with self.lock:
            self.record.write(json.dumps(entry) + "\n")
        return json.dumps({"ticket": f"soak-bad-{next(TICKETS)}-{now}", "person": user, "lon": lon, "lat": lat,
                           "k": K, "dt": DT, "dc": DC, "question": question}).encode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def head(self, path, key, rest):
        return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
                f"Content-Type: application/{'x-ndjson' if 'stream' in path else 'json'}\r\n{rest}\r\n\r\n").encode()

    def open_stream(self, key):
        connection = self.connect()
        connection.sendall(self.head("/v1/queries/stream", key, "Transfer-Encoding: chunked"))
        return connection


def chunk(lines):
    data = b"\n".join(lines) + b"\n"
    return b"%x\r\n%b\r\n" % (len(data), data)


def flood(hostile):
    """Sends queries on one stream as fast as allowed, and reads the results."""
    connection = hostile.open_stream(hostile.keys[0])
    connection.setblocking(True)
    threading.Thread(target=discard, args=(connection,), daemon=True).start()
    while True:
        lines = [hostile.query({"find": "within", "radius": 500, "category": random.choice(["bar", "hotel"])})
                 for _ in range(FLOOD_PER_SECOND // 10)]
        connection.sendall(chunk(lines))
        COUNTS["flood sent"] += len(lines)
        time.sleep(0.1)


def discard(connection):
    """Reads the results of the flood and counts them."""
    try:
        while data := connection.recv(1 << 16):
            COUNTS["flood ended"] += data.count(b'"outcome"')
            COUNTS["flood refused"] += data.count(b'"reason"')
    except OSError:
        pass


def slow_reader(hostile):
    """Asks for large answers on a stream and reads none."""
    connection = hostile.open_stream(hostile.keys[1])
    for _ in range(20):
        connection.sendall(chunk([hostile.query({"find": "within", "radius": 2000}) for _ in range(15)]))
        COUNTS["unread sent"] += 15
        time.sleep(1)
    connection.close()


def abandoned_posts(hostile):
    """Posts queries and closes the connection before the answer."""
    while True:
        body = hostile.query({"find": "nearest", "count": 30, "category": "restaurant"})
        with hostile.connect() as connection:
            connection.sendall(hostile.head("/v1/queries", hostile.keys[0], f"Content-Length: {len(body)}") + body)
        COUNTS["abandoned posts"] += 1
        time.sleep(1 / POSTS_PER_SECOND)


def slow_loris(hostile):
    """Holds connections with a request head of one byte per second."""
    connections = []
    while True:
        connections += [hostile.connect() for _ in range(min(20, LORIS_COUNT - len(connections)))]
        alive = []
        for connection in connections:
            try:
                connection.sendall(random.choice([b"G", b"POST /v1", b"X: y\r\n"]))
                alive.append(connection)
            except OSError:
                connection.close()
                COUNTS["slow-loris closed"] += 1
        connections = alive
        time.sleep(1)


def garbage(hostile):
    """Sends malformed, nested and oversized requests."""
    while True:
        body = random.choice([b"{", b"[" * 60_000, b"\xff" * 100, b"{}", b'{"ticket":1e999}', b"0" * (1 << 20)])
        key = random.choice([hostile.keys[1], "mc_" + "0" * 64, "é"])
        announced = random.choice([len(body), len(body), 1 << 40])
        with hostile.connect() as connection:
            connection.sendall(hostile.head(random.choice(["/v1/queries", "/v1/queries/stream", "/v1/live"]),
                                            key, f"Content-Length: {announced}") + body)
            connection.settimeout(1)
            connection.recv(1000)
        COUNTS["garbage refused"] += 1
        time.sleep(1 / GARBAGE_PER_SECOND)


def forever(attack, hostile):
    """Repeats an attack; the gateway may close its connections or be restarted."""
    while True:
        try:
            attack(hostile)
        except OSError:
            time.sleep(0.2)


def main():
    path, port, keys, record = sys.argv[1:]
    hostile = Hostile(City(Path(path)), int(port), keys.split(","), open(record, "w", buffering=1))
    attacks = [flood, *[slow_reader] * 4, abandoned_posts, slow_loris, garbage]
    threads = [threading.Thread(target=forever, args=(attack, hostile), daemon=True) for attack in attacks]
    for thread in threads:
        thread.start()
    while True:
        time.sleep(1)
        print(json.dumps(COUNTS), flush=True)


if __name__ == "__main__":
    main()
