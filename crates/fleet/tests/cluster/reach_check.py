"""Attack A with last positions (L2) on the recorded requests, with full knowledge of all positions.

The adversary knows where each user was at the last query that was answered. A member B of a set hides
target A only if B can be A: B's place is within `v_A · (t_A − t_prev)` along the streets of A's last
place. The largest lawful set of a request is found by removing candidates (see privacy_check.py) with
fewer than k candidates in reach, until all are met. A run is lawful only if

1. the largest lawful set of every request has at least two members;
2. every answered query has a request between its batch and its answer, of its category, whose largest
   lawful set holds the user and at least `k_reached` members.

All doubts favour the cluster: `t_A` is the arrival of the request at the service, `t_prev` the POST
of the earlier query, and lengths have 1 % and 2 m of slack. A later query without an answer, which an
engine may have accepted, only narrows the reach: it was in reach of the answered one itself. A lawful
cluster passes in every case; a violation that other candidates conceal is not found.
"""
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from privacy_check import SLACK, Recorded

FACTOR, METRES = 1.01, 2.0


@dataclass
class Judgement:
    """Violations, how often a last position was known, and the smallest largest lawful set."""
    violations: list
    with_past: int
    smallest: int


class Attack:
    """Requests and attempts of one run."""

    def __init__(self, city, attempts, horizon):
        self.city, self.horizon = city, horizon
        self.recorded = Recorded(attempts)

    def candidates(self, request):
        """Attempts of each user that a request can be about."""
        found = {}
        for segment in request["segments"]:
            for step in self.recorded.by_segment.get(segment, []):
                if step.earliest <= request["at"] <= step.end + SLACK:
                    found.setdefault(step.user, []).append(step)
        return found

    def hidden_among(self, step, at, candidates):
        """Users of candidates who can be the user of `step` in the eyes of the adversary."""
        if step.previous is None or at - step.previous[0] >= self.horizon - SLACK:
            return set(candidates)  # without a last position, or it may have been forgotten
        start, place = step.previous
        limit = step.speed * (at - start) * FACTOR + METRES
        to = self.city.reach(place, limit)
        return {user for user, steps in candidates.items()
                if user == step.user or any(to(other.place) <= limit for other in steps)}

    def lawful_set(self, request):
        """Users of the largest lawful set of a request."""
        candidates, at = self.candidates(request), request["at"]
        hidden = {user: [(step.k, self.hidden_among(step, at, candidates)) for step in steps]
                  for user, steps in candidates.items()}
        return largest_lawful(hidden)


def largest_lawful(hidden):
    """Removes users without k users in reach, until all are met."""
    members = set(hidden)
    while True:
        kept = {user for user in members if any(len(reach & members) >= k for k, reach in hidden[user])}
        if kept == members:
            return members if len(members) >= 2 else set()
        members = kept


def check(requests, queries, attempts, city, horizon):
    """Judges the requests, which are sorted by arrival."""
    attack, violations = Attack(city, attempts, horizon), []
    lawful = [None if request["everywhere"] else attack.lawful_set(request) for request in requests]
    for request, members in zip(requests, lawful):
        if request["named"] or request["unknown"]:
            violations.append("a request names a user, or a part of a street")
        if members is not None and not members:
            violations.append(f"request below k at {request['at']:.2f} s: {len(request['segments'])} segments")
    times = [request["at"] for request in requests]
    answered = [query for query in queries if query.outcome == "answered"]
    for query in answered:
        step = query.attempts[-1]
        window = range(bisect_left(times, step.earliest), bisect_right(times, step.end))
        if not any(lawful[index] and requests[index]["category"] == query.category and step.user in lawful[index]
                   and len(lawful[index]) >= query.k_reached for index in window):
            violations.append(f"answered query below k = {step.k}: a set of {query.k_reached} at {step.end:.2f} s")
    smallest = min((len(members) for members in lawful if members), default=0)
    return Judgement(violations, sum(query.attempts[-1].previous is not None for query in answered), smallest)


def below_k(attempts, city, horizon):
    """An invented request about the segment of one user, on which no other candidate is."""
    attack = Attack(city, attempts, horizon)
    for step in attempts:
        request = {"at": (step.earliest + step.end) / 2, "segments": [step.segment], "unknown": 0,
                   "everywhere": False, "category": "cafe", "named": False}
        if len(attack.candidates(request)) == 1:
            return request
    raise AssertionError("no user was alone on a segment")
