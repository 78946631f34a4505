"""Attack on the recorded requests with full knowledge of all positions, tickets, times and receipts.

A **candidate** of a request is a user on a street segment of its region for whom the request can have
been sent when it arrived: after the batch that the user's receipt tells (POST + delay) and before the
user's answer. A failed query, or one that lost its connection, is a candidate from POST to end; an
expired, cancelled or refused one never. The **largest lawful set** of a request is found by removing
candidates whose own k exceeds the number of candidates, until all are met: no set that meets the k of
all its members can be larger. A run is lawful only if:

1. the largest lawful set has at least two members, for every request;
2. every answered honest query has a request between its batch and its answer, of its category, whose
   largest lawful set holds the user and at least `k_reached` members;
3. the region consists of whole street segments, and no request names a user or a ticket.

While the service is hostile it may read a request late: the end of a query is then extended by
`SLACK` seconds. Hostile users are elsewhere in the city, and are candidates for the longest time that
the gateway may hold their queries. A lawful gateway passes in every case; a violation that other
candidates conceal is not found.
"""
from bisect import bisect_left, bisect_right
from collections import defaultdict

SLACK = 2.5  # service.timeout and half a second


class Recorded:
    """All waiting times, by street segment."""

    def __init__(self, attempts):
        self.by_segment, self.starts, self.longest = defaultdict(list), {}, 0.0
        for attempt in attempts:
            attempt.earliest = attempt.earliest or attempt.start
            self.longest = max(self.longest, attempt.end - attempt.earliest + SLACK)
            if attempt.publishable:
                self.by_segment[attempt.segment].append(attempt)
        for segment, waiting in self.by_segment.items():
            waiting.sort(key=lambda attempt: attempt.earliest)
            self.starts[segment] = [attempt.earliest for attempt in waiting]

    def candidates(self, request):
        """Candidates of a request with their smallest k."""
        at, found = request["at"], {}
        slack = 0 if request["calm"] else SLACK
        for segment in request["segments"]:
            starts = self.starts.get(segment, [])
            first, last = bisect_left(starts, at - self.longest), bisect_right(starts, at)
            for attempt in self.by_segment.get(segment, [])[first:last]:
                if attempt.end + slack >= at:
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
        members = largest_lawful_set(recorded.candidates(request))
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
    for index in range(bisect_left(times, attempt.earliest), bisect_right(times, attempt.end)):
        members = lawful[index]
        if (members and requests[index]["category"] == query.category
                and attempt.user in members and len(members) >= query.k_reached):
            return True
    return False


def below_k(attempts):
    """An invented request about the segment of one user, on which no other candidate is."""
    recorded = Recorded(attempts)
    for attempt in attempts:
        request = {"at": (attempt.earliest + attempt.end) / 2, "segments": [attempt.segment], "unknown": 0,
                   "everywhere": False, "category": "cafe", "named": False, "calm": True}
        if len(recorded.candidates(request)) == 1:
            return request
    raise AssertionError("no user was alone on a segment")
