"""Attack on the recorded requests with full knowledge of all positions, tickets and times.

A **candidate** of a request is a user who waits when it arrives and whose street segment is in its
region. The **largest lawful set** of a request is found by removing candidates whose own k exceeds
the number of candidates until none is left to remove: no set that meets the k of all its members can
be larger. The published set is lawful only if:

1. the largest lawful set has at least two members, for every request;
2. every answered honest query has a request between its POST and its answer, of its category, whose
   largest lawful set holds the user and at least `k_reached` members;
3. the region consists of whole street segments, and no request names a user or a ticket.

The waiting time of an honest user is exact on the left (before the POST) and ends `SLACK` seconds
after the answer, because the service may read a request late. Hostile users wait elsewhere in the
city, for the longest time the gateway may hold their queries.
"""
from bisect import bisect_left, bisect_right
from collections import defaultdict

SLACK = 1.0


class Recorded:
    """All waiting times, by street segment."""

    def __init__(self, attempts):
        self.by_segment = defaultdict(list)
        for attempt in attempts:
            self.by_segment[attempt.segment].append(attempt)
        self.starts, self.longest = {}, 0.0
        for segment, waiting in self.by_segment.items():
            waiting.sort(key=lambda attempt: attempt.start)
            self.starts[segment] = [attempt.start for attempt in waiting]
        for attempt in attempts:
            self.longest = max(self.longest, attempt.end - attempt.start + SLACK)

    def candidates(self, segments, at):
        """Users who wait at a time on one of the segments, with their smallest k."""
        found = {}
        for segment in segments:
            starts = self.starts.get(segment, [])
            first, last = bisect_left(starts, at - self.longest), bisect_right(starts, at)
            for attempt in self.by_segment.get(segment, [])[first:last]:
                if attempt.end + SLACK >= at:
                    found[attempt.user] = min(attempt.k, found.get(attempt.user, attempt.k))
        return found


def largest_lawful_set(candidates):
    """Members of the largest set of candidates in which every member's k is met."""
    members = dict(candidates)
    while True:
        kept = {user: k for user, k in members.items() if k <= len(members)}
        if len(kept) == len(members):
            return kept if len(kept) >= 2 else {}
        members = kept


def check(requests, queries, attempts):
    """Returns (violations, smallest largest lawful set). The violations name no user."""
    recorded, violations, lawful = Recorded(attempts), [], []
    for request in requests:
        if request["named"]:
            violations.append("a request names a user or a ticket")
        if request["everywhere"]:
            lawful.append(None)
            continue
        if request["unknown"]:
            violations.append(f"{request['unknown']} segments of a region are of no street")
        members = largest_lawful_set(recorded.candidates(request["segments"], request["at"]))
        lawful.append(members)
        if not members:
            violations.append(f"request below k: {len(request['segments'])} segments, no lawful set")
    times = [request["at"] for request in requests]
    for query in queries:
        if query.outcome == "answered" and not has_lawful_request(query, requests, times, lawful):
            violations.append(f"answered query without a set of {query.k_reached}")
    return violations, min((len(members) for members in lawful if members), default=0)


def has_lawful_request(query, requests, times, lawful):
    """Whether a request of the last attempt of a query can be that of a lawful set with the user."""
    attempt = query.attempts[-1]
    for index in range(bisect_left(times, attempt.start), bisect_right(times, attempt.end)):
        members = lawful[index]
        if (members and requests[index]["category"] == query.category
                and attempt.user in members and len(members) >= query.k_reached):
            return True
    return False


def below_k(requests, attempts):
    """An invented request about the segment of one waiting user, with nobody else on it."""
    recorded = Recorded(attempts)
    for attempt in attempts:
        at = (attempt.start + attempt.end) / 2
        if len(recorded.candidates([attempt.segment], at)) == 1:
            return {"at": at, "segments": [attempt.segment], "unknown": 0, "everywhere": False,
                    "category": "cafe", "named": False}
    raise AssertionError("no user was alone on a segment")
