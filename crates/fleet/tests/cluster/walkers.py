"""Simulated users under `history`: a few at each stop, who walk about it, ask, and sometimes travel.

A user has one query at a time, repeats it with the same ticket after a lost connection, at the other
frontend, and keeps a record of every attempt.
"""
import http.client, json, random, re, threading, time
from dataclasses import dataclass

from users import QUESTIONS, Attempt, Query, TIME_STEP

SPEED = 12.0  # declared, metres per second
DT, INTERVAL = 6, 75  # seconds; dc is speed × interval
K = (2, 2, 3)
STOPS, USERS_EACH, APART = 20, 3, 320
LONGEST_TRAVEL, TRAVEL_SHARE = 500, 0.08
HELD_LONGEST = DT + 10  # seconds for which the engine may hold a query whose connection was lost
REPLY_TIMEOUT = 45


@dataclass
class Step(Attempt):
    """One POST with the place of the user, and (time, place) of the user's last answered query."""
    place: tuple = (0, 0.0)
    speed: float = SPEED
    previous: tuple | None = None


class Walker(threading.Thread):
    """A user with a connection to one frontend at a time."""

    def __init__(self, number, stop, world):
        super().__init__(daemon=True)
        self.name, self.world, self.random = f"soak-{number}", world, random.Random(number)
        self.stop, self.k, self.frontend = stop, K[number % len(K)], number
        self.queries, self.connection, self.last_answered, self.waits_since = [], None, None, None
        self.begun = time.monotonic()

    def run(self):
        time.sleep(self.random.uniform(0, 2))
        while not self.world.finished.is_set():
            self.ask()
            if self.random.random() < TRAVEL_SHARE:
                self.travel()
            else:
                self.world.finished.wait(self.random.uniform(0.3, 2.0))

    def place(self):
        """Where the user is: within 8 m of the middle of the stop, at walking speed."""
        length = self.world.city.length[self.stop]
        phase = (time.monotonic() - self.begun) / 16 + self.random.uniform(0, 0.1)
        return self.stop, length / 2 + 8 * (2 * abs(2 * (phase % 1) - 1) - 1)

    def travel(self):
        """Moves to another stop, in the time that the declared speed allows."""
        to = self.world.city.reach(self.place(), LONGEST_TRAVEL)
        lengths = [(to((stop, self.world.city.length[stop] / 2)), stop) for stop in self.world.stops]
        near = [entry for entry in lengths if entry[0] <= LONGEST_TRAVEL and entry[1] != self.stop]
        if near:
            length, stop = self.random.choice(near)
            self.world.finished.wait(1.2 * (length + 40) / SPEED)
            self.stop = stop

    def ask(self):
        place, question = self.place(), self.random.choice(QUESTIONS)
        lon, lat = self.world.city.point(place)
        body = {"ticket": f"soak-{self.name}-{len(self.queries)}-{self.begun}", "person": self.name, "lon": lon,
                "lat": lat, "k": self.k, "dt": DT, "speed": SPEED, "interval": INTERVAL,
                "question": question}
        query = Query(self.world.phase, question["category"])
        self.queries.append(query)
        status, reply = 0, b""
        while status == 0 and not self.world.aborted.is_set():
            step = Step(self.name, place[0], self.k, time.monotonic(), place=place, previous=self.last_answered)
            query.attempts.append(step)
            self.waits_since = step.start
            status, reply = self.post(body)
            self.waits_since = None
            step.end = time.monotonic() if status else step.start + HELD_LONGEST
            if status == 0:
                self.frontend += 1
                time.sleep(0.3)
        self.conclude(query, status, reply)

    def conclude(self, query, status, reply):
        result = json.loads(reply) if status else {}
        query.outcome, query.reason = result.get("outcome", "lost"), result.get("reason", "")
        if status and query.outcome in ("lost", "refused"):
            query.outcome = "refused"
            query.reason = query.reason or re.sub(r"\d+", "…", result.get("message", ""))
        receipt, step = result.get("receipt") or {}, query.attempts[-1]
        query.k_reached = receipt.get("k_reached", 0)
        step.publishable = query.outcome not in ("expired", "cancelled", "refused")
        if len(query.attempts) == 1:
            step.earliest = step.start + receipt.get("delay", 0.0) - TIME_STEP
        if query.outcome == "answered":
            self.last_answered = (query.attempts[0].start, step.place)

    def post(self, body):
        """Returns status and body; status 0 if the connection was lost."""
        frontends = self.world.fleet.frontends
        try:
            if self.connection is None:
                port = frontends[self.frontend % len(frontends)].port
                self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=REPLY_TIMEOUT)
            self.connection.request("POST", "/v1/queries", json.dumps(body), {
                "Authorization": f"Bearer {self.world.fleet.key}", "Content-Type": "application/json"})
            response = self.connection.getresponse()
            return response.status, response.read()
        except TimeoutError:
            self.world.hanging += 1
            self.connection = None
            return 0, b""
        except (OSError, http.client.HTTPException):
            self.connection = None
            return 0, b""
