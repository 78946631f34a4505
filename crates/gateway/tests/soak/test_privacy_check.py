"""The check of recorded requests finds sets below k, and accepts lawful ones. `make soak` runs it first."""
import unittest
from privacy_check import below_k, check
from users import Attempt, Query


def run(ks, reached, **changes):
    """Violations of one request about users with these k, all answered with these `k_reached`."""
    attempts = [Attempt(f"u{n}", n, k, 10.0, 12.0, 11.0) for n, k in enumerate(ks)]
    queries = [Query("quiet", "cafe", [attempt], "answered", "", size) for attempt, size in zip(attempts, reached)]
    request = {"at": 11.5, "segments": list(range(len(ks))), "unknown": 0, "everywhere": False,
               "category": "cafe", "named": False, "calm": True}
    return check([{**request, **changes}], queries, attempts)[0]


class PrivacyCheck(unittest.TestCase):
    def test_lawful_sets_are_accepted(self):
        self.assertEqual(run([2, 2], [2, 2]), [])
        self.assertEqual(run([3, 2, 3], [3, 3, 3]), [])

    def test_a_set_below_a_members_k_is_found(self):
        self.assertIn("request below k: 2 segments, no lawful set", run([2, 3], [2, 2]))
        self.assertEqual(run([2, 2, 4], [2, 2, 3]), ["answered query without a set of 3"])

    def test_a_receipt_above_the_set_is_found(self):
        self.assertEqual(run([2, 2], [2, 3]), ["answered query without a set of 3"])

    def test_users_of_another_batch_or_street_do_not_count(self):
        for changes in ({"at": 10.5}, {"at": 12.5}, {"segments": [0]}):
            self.assertIn("no lawful set", " ".join(run([2, 2], [2, 2], **changes)))

    def test_names_and_parts_of_streets_are_found(self):
        self.assertEqual(len(run([2, 2], [2, 2], named=True)), 1)
        self.assertEqual(len(run([2, 2], [2, 2], unknown=1)), 1)

    def test_the_injected_request_is_found(self):
        attempts = [Attempt("u0", 0, 2, 10.0, 12.0), Attempt("u1", 1, 2, 10.0, 12.0)]
        self.assertEqual(len(check([below_k(attempts)], [], attempts)[0]), 1)


if __name__ == "__main__":
    unittest.main()
