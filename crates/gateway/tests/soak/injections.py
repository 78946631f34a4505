"""Falsified evidence, to show that every promise can fail. Each is what a regression would leave."""
from copy import copy
from dataclasses import replace
from privacy_check import below_k


def change_queries(evidence, share, **changes):
    """Changes every n-th counted query of the hostile phase that was answered."""
    queries = list(evidence.queries)
    chosen = {id(query) for query in evidence.counted("hostile") if query.outcome == "answered"}
    numbers = [number for number, query in enumerate(queries) if id(query) in chosen]
    for number in numbers[::round(1 / share)]:
        queries[number] = replace(queries[number], **changes)
    return replace(evidence, queries=queries)


def delayed(evidence):
    """Five percent of the queries take nine seconds longer; some of them then end in a disturbance."""
    queries, chosen = list(evidence.queries), {id(query) for query in evidence.counted("hostile")}
    for number in [n for n, query in enumerate(queries) if id(query) in chosen][::20]:
        attempts = [copy(attempt) for attempt in queries[number].attempts]
        attempts[-1].end += 9
        queries[number] = replace(queries[number], attempts=attempts, outcome="answered")
    return replace(evidence, queries=queries)


def lost(evidence):
    return replace(evidence, queries=[replace(evidence.queries[0], outcome="lost"), *evidence.queries[1:]])


def too_small(evidence):
    requests = [*evidence.requests, below_k(evidence.attempts)]
    return replace(evidence, requests=sorted(requests, key=lambda request: request["at"]))


def named(evidence):
    return replace(evidence, requests=[{**evidence.requests[0], "named": True}, *evidence.requests[1:]])


def leak(evidence):
    """Steady growth by a quarter, at least 30 MB, over the life of the last process."""
    last = [sample for sample in evidence.memory if sample[2] == evidence.memory[-1][2]]
    start, seconds = last[0][0], max(1, last[-1][0] - last[0][0])
    rate = max(30 << 10, 0.25 * last[-1][3]) / seconds  # kB per second
    grown = [(time, phase, generation, last[0][3] + (time - start) * rate if generation == last[0][2] else resident)
             for time, phase, generation, resident in evidence.memory]
    return replace(evidence, memory=grown)


def metric(name, change):
    return lambda evidence: replace(evidence, metrics={**evidence.metrics, name: evidence.metrics.get(name, 0) + change})


# Name of the injection: the promise that must break, and the falsification.
INJECTIONS = {
    "expired": ("honest success", lambda evidence: change_queries(evidence, 1 / 12, outcome="expired")),
    "failed": ("honest failures", lambda evidence: change_queries(evidence, 1 / 50, outcome="failed")),
    "busy": ("honest failures", lambda evidence: change_queries(evidence, 1 / 50, outcome="refused", reason="busy")),
    "delayed": ("honest p99", delayed),
    "lost": ("no query lost", lost),
    "below-k": ("none below k", too_small),
    "named": ("none below k", named),
    "leak": ("memory flat", leak),
    "unbalanced": ("accepted = ended", metric("meshcloak_accepted_total", 100)),
    "left-over": ("accepted = ended", metric("meshcloak_under_way", 10)),
    "repeat": ("one outcome a ticket", lambda evidence: replace(evidence, changed_repeats=1)),
    "no-attack": ("attacks took place", lambda evidence: replace(evidence, counts=[])),
    "revocation": ("revocations", lambda evidence: replace(evidence, failed_revocations=["injected"])),
    "panic": ("no panic", lambda evidence: replace(evidence, log=evidence.log + "a panic")),
    "log": ("no name in the log", lambda evidence: replace(evidence, log=evidence.log + "soak-1")),
    "guard": ("guard", metric("meshcloak_suppressed_sets_total", 1)),
    "status": ("orderly end", lambda evidence: replace(evidence, exit_status=1)),
}
