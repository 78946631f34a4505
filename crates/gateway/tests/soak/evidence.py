"""Everything that a soak run has recorded, on which its promises are judged."""
from dataclasses import dataclass, field


@dataclass
class Evidence:
    queries: list  # honest users' queries of both phases
    attempts: list  # POSTs of honest and hostile users
    requests: list  # what the service saw, in order of time
    memory: list  # (time, phase, generation, resident kB)
    metrics: dict  # of the last process, after all queries have ended
    counts: list  # of the attacks, one entry per second
    killed: list = field(default_factory=list)  # spans from kill -9 until the next process is ready
    bad: list = field(default_factory=list)  # spans in which the service is not as it should be
    repeats: int = 0  # repeated tickets
    changed_repeats: int = 0  # of them with another result
    revocations: int = 0
    failed_revocations: list = field(default_factory=list)
    reloads: int = 0
    log: str = ""
    exit_status: int | str = 0

    def phase(self, name):
        return [query for query in self.queries if query.phase == name]

    def counted(self, phase):
        """Queries on which the gateway is judged: all but those in flight during a kill, and those in
        flight while the service is dead, stalled or hostile."""
        spans = self.disturbances()
        return [query for query in self.phase(phase) if not overlaps(query.start(), query.end(), spans)]

    def disturbances(self):
        return self.killed + self.bad

    def seconds_after_disturbance(self, query):
        """Seconds from the end of the last disturbance to a query; infinite if there was none."""
        return query.start() - last_end(self.disturbances(), query)

    def follows_kill(self, query):
        """Whether the last disturbance before a query was a kill."""
        return last_end(self.killed, query) > last_end(self.bad, query)


def last_end(spans, query):
    return max((end for _, end in spans if end <= query.start()), default=float("-inf"))


def overlaps(start, end, spans):
    return any(start < last and end > first for first, last in spans)
