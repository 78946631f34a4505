"""A running scenario: processes, users, watcher and record; and its figures at the end."""
import json, threading, time
from collections import Counter

import promises, reach_check
from held_proxy import HeldProxy
from processes import Fleet
from scenarios import HORIZON
from walkers import APART, REPLY_TIMEOUT, STOPS, USERS_EACH, Walker
from watcher import Watcher

DEFAULT_HORIZON = 60
OUTCOMES = (*promises.ENDED, "refused")  # an engine refuses queries that a frontend has accepted
SETTINGS = {"servers": {"engine.horizon": HORIZON, "engine.after_start": "refuse"},
            "deleted-log": {"engine.horizon": HORIZON}}


class World:
    """Everything of one scenario."""

    def __init__(self, name, program, nats, folder, city, map_file, inject=None):
        self.inject, self.name, self.city, self.folder, self.phase = inject, name, city, folder, name
        settings = {"engine.horizon": DEFAULT_HORIZON, **SETTINGS.get(name, {})}
        self.horizon = settings["engine.horizon"]
        self.finished, self.aborted = threading.Event(), threading.Event()
        self.hanging, self.without_owner, self.proxies = 0, 0.0, []
        self.stops = city.stops(STOPS, APART)
        self.fleet = Fleet(program, nats, folder, map_file, sorted(city.pois), settings)
        numbered = enumerate(stop for stop in self.stops for _ in range(USERS_EACH))
        self.walkers = [Walker(number, stop, self) for number, stop in numbered]

    def start(self):
        fleet = self.fleet
        fleet.start_servers()
        self.watcher = Watcher(fleet.ports())
        if self.name == "partition":
            self.proxies = [HeldProxy(port) for port in fleet.ports()]
        fleet.add_engine(ports=[proxy.port for proxy in self.proxies] or None)
        fleet.add_engine(skew="+5s" if self.name == "skew" else None)
        fleet.add_frontend()
        fleet.add_frontend()
        fleet.wait_ready()
        for walker in self.walkers:
            walker.start()
        self.fleet.wait("users are answered", lambda: len(self.answers()) >= len(self.walkers), 60)

    def load(self, seconds):
        """Lets the users ask for a while."""
        time.sleep(seconds)

    def queries(self):
        return [query for walker in self.walkers for query in list(walker.queries)]

    def ended(self):
        """Ended queries with the time of their end."""
        pairs = ((query, query.attempts[-1].end) for query in self.queries() if query.attempts)
        return [(query, end) for query, end in pairs if end is not None and query.outcome != "lost"]

    def answers(self):
        return [end for query, end in self.ended() if query.outcome == "answered"]

    def ended_between(self, begin, end):
        """Outcomes of the queries that began and ended between two times."""
        return dict(Counter(query.outcome for query, at in self.ended()
                            if begin < query.attempts[0].start and at < end))

    def reasons_between(self, begin, end):
        return dict(Counter(query.reason for query, at in self.ended() if begin < at < end and query.reason))

    def requests(self):
        """Recorded requests, sorted by arrival; the last line may be incomplete."""
        lines = (self.folder / "requests.ndjson").read_text().split("\n")[:-1]
        return sorted((json.loads(line) for line in lines), key=lambda request: request["at"])

    def drain(self):
        """Ends the load, and waits for the end of every query."""
        self.finished.set()
        for walker in self.walkers:
            walker.join(REPLY_TIMEOUT + 15)
        self.aborted.set()
        return sum(walker.is_alive() for walker in self.walkers)

    def balances(self):
        """Accepted and ended queries by the metrics of each frontend."""
        found = []
        for frontend in self.fleet.frontends:
            holds, details = promises.balance_of(frontend.metrics(timeout=10), OUTCOMES)
            found.append((f"balance of {frontend.name}", holds, details))
        return found

    def figures(self, still_waiting):
        """Figures of the table, and the bounds of every scenario."""
        queries, requests = self.queries(), self.requests()
        if self.inject == "lost":
            queries[0].outcome = "lost"
        attempts = [step for query in queries for step in query.attempts]
        now = time.monotonic()
        for step in attempts:
            step.end = step.end or now
        if self.inject == "below-k":
            requests = sorted(requests + [reach_check.below_k(attempts, self.city, self.horizon)], key=lambda request: request["at"])
        judged = reach_check.check(requests, queries, attempts, self.city, self.horizon)
        outcomes = Counter(query.outcome for query in queries)
        ended = sum(outcomes[outcome] for outcome in ("answered", "expired", "cancelled", "failed", "present", "replaced"))
        row = {"without_owner": self.without_owner, "queries": len(queries),
               "accepted": len(queries) - outcomes["refused"], **{name: outcomes[name] for name in (
                   "answered", "expired", "failed", "refused", "lost")}, "publications": len(requests),
               "below_k": len(judged.violations), "with_past": judged.with_past, "smallest": judged.smallest,
               "reasons": dict(Counter(query.reason for query in queries if query.reason)),
               "repeated": sum(len(query.attempts) > 1 for query in queries), "hanging": self.hanging + still_waiting}
        bounds = [("accepted = ended", row["accepted"] == ended and outcomes["lost"] == 0,
                   f"accepted {row['accepted']}, ended {ended}, without an end {outcomes['lost']}"),
                  ("no hanging request", row["hanging"] == 0, f"{row['hanging']} longer than {REPLY_TIMEOUT} s")]
        return row, bounds, judged.violations
