"""Table of the honest users' figures in both phases, and of the promises."""
import statistics
from collections import Counter
from promises import PROMISES, latencies, percentile, share_of


def phase_figures(evidence, phase):
    queries, counted = evidence.phase(phase), evidence.counted(phase)
    outcomes, times = Counter(query.outcome for query in queries), latencies(counted)
    resident = [sample[3] / 1024 for sample in evidence.memory if sample[1] == phase] or [0]
    return {
        "queries": len(queries), "answered %": share_of(queries, "answered"), "expired": outcomes["expired"],
        "failed": outcomes["failed"], "refused": outcomes["refused"], "lost": outcomes["lost"],
        "repeated after lost connection": sum(len(query.attempts) > 1 for query in queries),
        "counted queries": len(counted), "counted: answered %": share_of(counted, "answered"),
        "counted: expired %": share_of(counted, "expired"), "counted: failed %": share_of(counted, "failed"),
        "counted: refused %": share_of(counted, "refused"),
        "p50 ms": 1000 * percentile(times, 0.50), "p99 ms": 1000 * percentile(times, 0.99),
        "RSS median MB": statistics.median(resident), "RSS max MB": max(resident),
    }


def judge(evidence):
    return {name: promise(evidence) for name, promise in PROMISES.items()}


def print_table(figures, promises):
    quiet, hostile = figures["quiet"], figures["hostile"]
    print(f"{'honest users':<32}{'quiet':>10}{'hostile':>10}")
    for name, value in quiet.items():
        decimals = 1 if name.endswith("%") else 0
        print(f"{name:<32}{value:>10.{decimals}f}{hostile[name]:>10.{decimals}f}")
    print("\ncounted: not in flight during a kill -9, nor while the service is lying, huge, dead or stalled\n")
    for name, (holds, details) in promises.items():
        print(f"{'ok    ' if holds else 'BROKEN'}  {name:<24}{details}")
