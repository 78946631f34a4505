"""Figures of both phases, the promises they must keep, and the table."""
import statistics
from collections import Counter

RECOVERY_SECONDS = 8  # after a bad service or a restart: open circuit breaker and time-outs
MAX_SUCCESS_LOSS = 0.10  # of the honest users' success, hostile against quiet, outside disturbances
LATENCY_FACTOR, LATENCY_SLACK = 3, 2.0  # of the p99 latency in seconds
MEMORY_FACTOR, MEMORY_SLACK = 1.25, 64  # last third against the first, MB
ENDED = ("answered", "expired", "cancelled", "failed", "present", "replaced")
ROUNDING = 9  # metrics round every count down to tens


def is_disturbed(start, end, spans):
    return any(start < last + RECOVERY_SECONDS and end > first for first, last in spans)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def phase_figures(queries, spans, memory):
    """Figures of the honest users of one phase. Calm queries overlap no span of disturbance."""
    calm = [query for query in queries if not is_disturbed(query.start(), query.end(), spans)]
    outcomes = Counter(query.outcome for query in queries)
    latencies = [query.end() - query.start() for query in calm if query.outcome == "answered"]
    resident = [sample[3] / 1024 for sample in memory] or [0]
    answered = sum(query.outcome == "answered" for query in calm)
    return {
        "queries": len(queries), "answered": outcomes["answered"], "expired": outcomes["expired"],
        "failed": outcomes["failed"], "refused": outcomes["refused"], "lost": outcomes["lost"],
        "refused_busy": sum(query.reason == "busy" for query in queries),
        "refused_reasons": Counter(query.reason for query in queries if query.reason),
        "answered_percent": 100 * outcomes["answered"] / max(1, len(queries)),
        "repeated_after_lost_connection": sum(len(query.attempts) > 1 for query in queries),
        "calm_queries": len(calm), "calm_answered_percent": 100 * answered / max(1, len(calm)),
        "p50_ms": 1000 * percentile(latencies, 0.50), "p99_ms": 1000 * percentile(latencies, 0.99),
        "rss_start_mb": resident[0], "rss_median_mb": statistics.median(resident), "rss_max_mb": max(resident),
    }


def memory_promise(memory):
    """Compares the last third with the first third of the last process, after a tenth of warm-up."""
    last = [sample for sample in memory if sample[2] == memory[-1][2]]
    resident = [sample[3] / 1024 for sample in last[len(last) // 10:]]
    third = max(1, len(resident) // 3)
    first, end = statistics.median(resident[:third]), statistics.median(resident[-third:])
    allowed = first * MEMORY_FACTOR + MEMORY_SLACK
    return end <= allowed, f"first third {first:.0f} MB, last third {end:.0f} MB, allowed {allowed:.0f} MB"


def balance_promise(metrics):
    """Accepted queries against ended ones, as exact as the rounding of the metrics allows."""
    accepted = metrics.get("meshcloak_accepted_total", -1)
    rows = [metrics.get(f'meshcloak_ended_total{{outcome="{outcome}"}}') for outcome in ENDED]
    rows = [row for row in rows if row is not None]
    ended, under_way = sum(rows), metrics.get("meshcloak_under_way", -1)
    holds = under_way == 0 and accepted <= ended + ROUNDING * len(rows) and ended <= accepted + ROUNDING
    return holds, f"accepted {accepted:.0f}, ended {ended:.0f} (each count rounded down to tens), in progress {under_way:.0f}"


ATTACKS = ("flood sent", "flood ended", "unread sent", "abandoned posts", "slow-loris closed", "garbage refused")


def attack_promise(counts):
    """Every attack has reached the gateway; otherwise the test would show nothing."""
    last = counts[-1] if counts else {}
    return all(last.get(attack) for attack in ATTACKS), ", ".join(f"{last[name]} {name}" for name in sorted(last))


def service_promises(quiet, hostile):
    """Honest users' success and latency, hostile against quiet, outside disturbances."""
    least = quiet["calm_answered_percent"] - 100 * MAX_SUCCESS_LOSS
    slowest = LATENCY_FACTOR * quiet["p99_ms"] + 1000 * LATENCY_SLACK
    calm = hostile["calm_queries"] > 0
    return {
        "honest success": (calm and hostile["calm_answered_percent"] >= least,
                           f"{hostile['calm_answered_percent']:.1f} %, at least {least:.1f} %"),
        "honest p99": (calm and hostile["p99_ms"] <= slowest,
                       f"{hostile['p99_ms']:.0f} ms, at most {slowest:.0f} ms"),
        "no query lost": (quiet["lost"] + hostile["lost"] == 0,
                          f"{quiet['lost'] + hostile['lost']} honest queries without an outcome"),
    }


ROWS = [("queries", "queries", 0), ("answered %", "answered_percent", 1), ("expired", "expired", 0),
        ("failed", "failed", 0), ("refused", "refused", 0), ("  of them busy", "refused_busy", 0),
        ("lost", "lost", 0), ("repeated after lost connection", "repeated_after_lost_connection", 0),
        ("calm queries", "calm_queries", 0), ("calm answered %", "calm_answered_percent", 1),
        ("calm p50 ms", "p50_ms", 0), ("calm p99 ms", "p99_ms", 0), ("RSS start MB", "rss_start_mb", 0),
        ("RSS median MB", "rss_median_mb", 0), ("RSS max MB", "rss_max_mb", 0)]


def print_table(quiet, hostile, promises):
    print(f"{'honest users':<32}{'quiet':>10}{'hostile':>10}")
    for title, name, decimals in ROWS:
        print(f"{title:<32}{quiet[name]:>10.{decimals}f}{hostile[name]:>10.{decimals}f}")
    print(f"\nrefused, hostile phase: {dict(hostile['refused_reasons'])}")
    print("calm: not overlapping a bad service or a restart, nor the "
          f"{RECOVERY_SECONDS} s after it\n")
    for name, (holds, details) in promises.items():
        print(f"{'ok    ' if holds else 'BROKEN'}  {name:<24}{details}")
