"""Promises that a run must keep. Each returns whether it holds, and the figures."""
import statistics
from collections import Counter
from privacy_check import check

MAX_SUCCESS_LOSS = 4  # percentage points, hostile against quiet
MAX_FAILED = 1.0  # percent of the counted queries, those of the recovery included
RECOVERY_SECONDS = 5  # after a disturbance: breakers are open, or a new process has had no response
SLOW_REQUESTS = 2 * 0.6  # seconds that a slow service adds to `nearest`
MAX_P99_RISE = 0.25  # seconds beyond them
MAX_GROWTH = 0.10  # of the resident memory, over the life of the last process
MIN_GROWTH = 16  # MB that are no growth: allocator and map pages
BIN_SECONDS = 5
ENDED = ("answered", "expired", "cancelled", "failed", "present", "replaced")
ROUNDING = 9  # metrics round every count down to tens
ATTACKS = ("flood sent", "flood ended", "unread sent", "abandoned posts", "slow-loris closed", "garbage refused")


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def share_of(queries, outcome):
    return 100 * sum(query.outcome == outcome for query in queries) / max(1, len(queries))


def latencies(queries):
    return [query.end() - query.start() for query in queries if query.outcome == "answered"]


def honest_success(evidence):
    quiet, hostile = evidence.counted("quiet"), evidence.counted("hostile")
    least, reached = share_of(quiet, "answered") - MAX_SUCCESS_LOSS, share_of(hostile, "answered")
    return bool(hostile) and reached >= least, f"{reached:.1f} % of {len(hostile)}, at least {least:.1f} %"


def honest_failures(evidence):
    hostile = evidence.counted("hostile")
    failed, busy = share_of(hostile, "failed"), 100 * sum(q.reason == "busy" for q in hostile) / max(1, len(hostile))
    holds = bool(hostile) and failed + busy <= MAX_FAILED
    unserved = [q for q in hostile if q.outcome == "failed" or q.reason == "busy"]
    recovering = sum(evidence.seconds_after_disturbance(q) < RECOVERY_SECONDS for q in unserved)
    reasons = Counter((q.reason or q.outcome) + (" after a kill" if evidence.follows_kill(q) else "") for q in unserved)
    return holds, (f"{failed:.2f} % failed, {busy:.2f} % refused as busy, together at most {MAX_FAILED} %; {recovering} "
                   f"of {len(unserved)} were asked within {RECOVERY_SECONDS} s after a disturbance"
                   + "".join(f"; {count} {reason}" for reason, count in sorted(reasons.items())))


def honest_latency(evidence):
    before, reached = (percentile(latencies(evidence.counted(phase)), 0.99) for phase in ("quiet", "hostile"))
    most = before + SLOW_REQUESTS + MAX_P99_RISE
    return reached <= most, f"{1000 * reached:.0f} ms, at most {1000 * most:.0f} ms (slow service included)"


def none_lost(evidence):
    lost = sum(query.outcome == "lost" for query in evidence.queries)
    return lost == 0 and bool(evidence.queries), f"{lost} honest queries without an outcome"


def none_below_k(evidence):
    violations, smallest = check(evidence.requests, evidence.queries, evidence.attempts)
    details = f"{len(violations)} violations in {len(evidence.requests)} requests; smallest set {smallest}"
    return not violations and bool(evidence.requests), details + "".join(f"; {text}" for text in violations[:3])


def memory_slope(evidence):
    """Growth of the floor of the memory of the last process, in MB per second (Theil-Sen estimate), and
    the seconds and MB that it spans. The first fifth is warm-up."""
    last = [sample for sample in evidence.memory if sample[2] == evidence.memory[-1][2]]
    last = last[len(last) // 5:]
    bins = {}
    for time, _, _, resident in last:
        number = int((time - last[0][0]) / BIN_SECONDS)
        bins[number] = min(resident / 1024, bins.get(number, float("inf")))
    points = sorted(bins.items())
    slopes = [(b[1] - a[1]) / ((b[0] - a[0]) * BIN_SECONDS) for i, a in enumerate(points) for b in points[i + 1:]]
    slope = statistics.median(slopes) if slopes else 0.0
    return slope, last[-1][0] - last[0][0], statistics.median(resident for _, resident in points)


def memory_flat(evidence):
    slope, seconds, resident = memory_slope(evidence)
    growth, most = slope * seconds, max(MIN_GROWTH, MAX_GROWTH * resident)
    return growth <= most, (f"{60 * slope:+.1f} MB per minute, {growth:+.1f} MB in {seconds:.0f} s at "
                            f"{resident:.0f} MB, at most {most:.0f} MB")


def balance(evidence):
    return balance_of(evidence.metrics, ENDED)


def balance_of(metrics, outcomes):
    """Accepted = answered + expired + cancelled + replaced + failed, as exact as the rounding allows."""
    accepted = metrics.get("meshcloak_accepted_total", -1)
    rows = [metrics.get(f'meshcloak_ended_total{{outcome="{outcome}"}}') for outcome in outcomes]
    rows = [row for row in rows if row is not None]
    ended, under_way = sum(rows), metrics.get("meshcloak_under_way", -1)
    holds = under_way == 0 and accepted <= ended + ROUNDING * len(rows) and ended <= accepted + ROUNDING
    return holds, (f"accepted {accepted:.0f}, ended {ended:.0f} (each count rounded down to tens), "
                   f"in progress {under_way:.0f}")


def one_outcome(evidence):
    holds = evidence.changed_repeats == 0 and evidence.repeats > 0
    return holds, f"{evidence.changed_repeats} of {evidence.repeats} repeated tickets got another result"


def attacks_took_place(evidence):
    """Otherwise the test would show nothing."""
    last = evidence.counts[-1] if evidence.counts else {}
    return all(last.get(attack) for attack in ATTACKS), ", ".join(f"{last[name]} {name}" for name in sorted(last))


def revocations(evidence):
    holds = not evidence.failed_revocations and evidence.revocations > 0
    return holds, (f"{evidence.revocations} held, {len(evidence.failed_revocations)} failed, "
                   f"{evidence.reloads} reloads beside them")


def no_panic(evidence):
    return "panic" not in evidence.log, f"{evidence.log.count('panic')} panics in the log, {len(evidence.killed)} kills"


def no_name_in_the_log(evidence):
    names = evidence.log.count("soak-")
    return names == 0, f"{names} names of users, tickets or accounts"


def guard(evidence):
    suppressed = evidence.metrics.get("meshcloak_suppressed_sets_total", -1)
    return suppressed == 0, f"{suppressed:.0f} sets rejected by the guard"


def orderly_end(evidence):
    return evidence.exit_status == 0, f"exit status {evidence.exit_status} after SIGTERM"


PROMISES = {"honest success": honest_success, "honest failures": honest_failures, "honest p99": honest_latency,
            "no query lost": none_lost, "none below k": none_below_k, "memory flat": memory_flat,
            "accepted = ended": balance, "one outcome a ticket": one_outcome,
            "attacks took place": attacks_took_place, "revocations": revocations, "no panic": no_panic,
            "no name in the log": no_name_in_the_log, "guard": guard, "orderly end": orderly_end}
