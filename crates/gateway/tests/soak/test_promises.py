"""Every promise holds on lawful evidence, and each falsification breaks exactly its own promise."""
import unittest
from evidence import Evidence
from injections import INJECTIONS
from promises import PROMISES
from report import judge
from users import Attempt, Query


def lawful():
    """Pairs of users of two segments who are answered after a second, in both phases."""
    queries, requests = [], []
    for number in range(2_000):
        start, phase = 2.0 * number, "quiet" if number < 1_000 else "hostile"
        pair = [Attempt(f"u{n}", 2 * number + n, 2, start, start + 1.2, start + 0.9) for n in (0, 1)]
        queries += [Query(phase, "cafe", [attempt], "answered", "", 2) for attempt in pair]
        requests.append({"at": start + 1, "segments": [2 * number, 2 * number + 1], "unknown": 0,
                         "everywhere": False, "category": "cafe", "named": False, "calm": True})
    metrics = {"meshcloak_accepted_total": 4_000, 'meshcloak_ended_total{outcome="answered"}': 4_000,
               "meshcloak_under_way": 0, "meshcloak_suppressed_sets_total": 0}
    memory = [(0.5 * n, "hostile", 1, (200 << 10) + n % 7 * 1_000) for n in range(600)]
    attacks = dict.fromkeys(["flood sent", "flood ended", "unread sent", "abandoned posts", "slow-loris closed",
                             "garbage refused"], 1)
    attempts = [query.attempts[0] for query in queries]
    return Evidence(queries, attempts, requests, memory, metrics, [attacks], repeats=1, revocations=1)


class Promises(unittest.TestCase):
    def test_lawful_evidence_keeps_all_promises(self):
        self.assertEqual([name for name, (holds, _) in judge(lawful()).items() if not holds], [])

    def test_each_injection_breaks_its_promise(self):
        self.assertEqual({promise for promise, _ in INJECTIONS.values()}, set(PROMISES), "a promise without injection")
        for name, (promise, falsify) in INJECTIONS.items():
            with self.subTest(name):
                self.assertFalse(PROMISES[promise](falsify(lawful()))[0])

    def test_queries_in_flight_during_a_disturbance_are_not_counted(self):
        evidence = lawful()
        evidence.bad, evidence.killed = [(2_000.0, 3_000.0)], [(3_500.0, 3_500.1)]
        for query in evidence.phase("hostile"):
            if query.start() < 3_000 or query.start() == 3_500 or query.start() == 3_499:
                query.outcome = "failed"
        self.assertTrue(PROMISES["honest failures"](evidence)[0])
        self.assertEqual(len(evidence.counted("hostile")), 2_000 - 1_000 - 2)


if __name__ == "__main__":
    unittest.main()
