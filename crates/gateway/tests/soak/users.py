"""Honest users: each has one query at a time, repeats it after a lost connection, and keeps a record."""
import http.client, json, random, threading, time
from dataclasses import dataclass, field

DC, DT, K = 900, 6, (2, 2, 3, 4)
QUESTIONS = [{"find": "nearest", "count": 3, "category": "cafe"},
             {"find": "within", "radius": 500, "category": "pharmacy"},
             {"find": "within", "radius": 200, "category": "bakery", "along": "plane"}]
REPEATED_SHARE = 0.1
REPLY_TIMEOUT = 60
TIME_STEP = 0.005  # rounding of the delay in a receipt


@dataclass
class Attempt:
    """One POST: the time in which the gateway may hold the query. `end` is None while it waits.

    A request for the query can arrive between `earliest` and `end`; never if not `publishable`.
    """
    user: str
    segment: int
    k: int
    start: float
    end: float | None = None
    earliest: float = 0.0
    publishable: bool = True


@dataclass
class Query:
    """A query from its first attempt to its outcome (a refusal has the outcome `refused`)."""
    phase: str
    category: str
    attempts: list = field(default_factory=list)
    outcome: str = "lost"
    reason: str = ""
    k_reached: int = 0

    def start(self):
        return self.attempts[0].start

    def end(self):
        return self.attempts[-1].end


class User(threading.Thread):
    """A user of one neighbourhood, with a connection of its own."""

    def __init__(self, number, key, group, world):
        super().__init__(daemon=True)
        self.name, self.key, self.group, self.world = f"soak-{number}", key, group, world
        self.random, self.queries, self.changed_repeats, self.repeats = random.Random(number), [], 0, 0
        self.connection, self.repeated = None, []

    def run(self):
        while not self.world.finished.is_set():
            self.ask()
            time.sleep(self.random.uniform(0.2, 1.5))

    def ask(self):
        segment, question = self.random.choice(self.group), self.random.choice(QUESTIONS)
        lon, lat = self.world.city.middle[segment]
        ticket = f"soak-{self.name}-{len(self.queries)}"
        body = {"ticket": ticket, "person": self.name, "lon": lon, "lat": lat, "k": self.random.choice(K),
                "dt": DT, "dc": DC, "question": question}
        query = Query(self.world.gateway.phase, question["category"])
        self.queries.append(query)
        status, reply = 0, b""
        while status == 0 and not self.world.aborted.is_set():
            attempt = Attempt(self.name, segment, body["k"], time.monotonic())
            query.attempts.append(attempt)
            generation = self.world.gateway.generation
            status, reply = self.post(body)
            attempt.end = time.monotonic()
            if status == 0:
                time.sleep(0.3)
        self.conclude(query, status, reply)
        if query.outcome == "answered" and self.random.random() < REPEATED_SHARE:
            self.repeat(body, reply, generation)

    def conclude(self, query, status, reply):
        result = json.loads(reply) if status else {}
        query.outcome = result.get("outcome", "lost")
        query.reason = result.get("reason", "") or (result.get("message", "") if query.outcome == "failed" else "")
        receipt, attempt = result.get("receipt") or {}, query.attempts[-1]
        query.k_reached = receipt.get("k_reached", 0)
        attempt.publishable = query.outcome not in ("expired", "cancelled", "refused")
        if len(query.attempts) == 1:
            # The gateway counts the delay from the arrival of the POST, which is after `start`.
            attempt.earliest = attempt.start + receipt.get("delay", 0.0) - TIME_STEP

    def repeat(self, body, reply, generation):
        """A repeated ticket must get the same bytes, unless the gateway was restarted."""
        attempt = Attempt(self.name, self.queries[-1].attempts[0].segment, body["k"], time.monotonic())
        status, again = self.post(body)
        attempt.end = time.monotonic()
        if status and self.world.gateway.generation == generation:
            self.repeats += 1
            self.changed_repeats += again != reply
        else:
            self.repeated.append(attempt)

    def post(self, body):
        """Returns status and body; status 0 if the connection was lost."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.world.gateway.client_port,
                                                             timeout=REPLY_TIMEOUT)
            self.connection.request("POST", "/v1/queries", json.dumps(body), {
                "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
            response = self.connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return 0, b""
