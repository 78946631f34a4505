"""The attack finds sets below k, and accepts lawful ones. `make cluster-test` runs it first."""
import itertools, json, random, sys, tempfile, unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "gateway/tests/soak"))
import reach_check
from street_network import StreetNetwork
from users import Query
from walkers import Step
from watcher import Watcher, owner_beat, part_round

DEGREE = 111_200  # metres


def street(number, a, b, is_one_way=False):
    coordinates = [[x / DEGREE, y / DEGREE] for x, y in (a, b)]
    return {"geometry": {"type": "LineString", "coordinates": coordinates}, "properties": {"oneway": is_one_way}}


def network():
    """A row of four streets of 200 m at the equator, the last one one-way towards the row."""
    features = [street(0, (0, 0), (200, 0)), street(1, (200, 0), (400, 0)), street(2, (400, 0), (600, 0)),
                street(3, (800, 0), (600, 0), True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "row.geojson"
        path.write_text(json.dumps({"features": features}))
        return StreetNetwork(path)


CITY = network()


def judge(places, lasts, k=2, speed=10.0, elapsed=4.0):
    """Violations of one request about users at these places who were at `lasts` some time ago."""
    steps = [Step(f"u{n}", place[0], k, 10.0, 12.0, 10.5, place=place, speed=speed,
                  previous=last and (11.0 - elapsed, last)) for n, (place, last) in enumerate(zip(places, lasts))]
    queries = [Query("", "cafe", [step], "answered", "", len(steps)) for step in steps]
    request = {"at": 11.0, "segments": [0, 1, 2, 3], "unknown": 0, "everywhere": False, "category": "cafe", "named": False}
    return reach_check.check([request], queries, steps, CITY, 60).violations


class ReachCheck(unittest.TestCase):
    def test_distances_follow_the_streets(self):
        to = CITY.reach((0, 50.0), 1_000)
        self.assertAlmostEqual(to((0, 20.0)), 30, places=3)
        self.assertAlmostEqual(to((2, 100.0)), 450, places=3)
        self.assertEqual(to((3, 100.0)), float("inf"))
        self.assertAlmostEqual(CITY.reach((3, 100.0), 1_000)((2, 100.0)), 200, places=3)
        self.assertEqual(CITY.reach((0, 50.0), 100)((2, 100.0)), float("inf"))

    def test_a_set_in_reach_is_lawful(self):
        self.assertEqual(judge([(0, 100.0), (0, 110.0)], [(0, 95.0), None]), [])
        self.assertEqual(judge([(0, 100.0), (2, 100.0)], [None, None]), [])

    def test_a_member_out_of_reach_hides_nobody(self):
        self.assertTrue(judge([(0, 100.0), (2, 100.0)], [(0, 95.0), None]))
        self.assertEqual(judge([(0, 100.0), (2, 100.0)], [(0, 95.0), None], elapsed=45.0), [])
        self.assertEqual(judge([(0, 100.0), (2, 100.0)], [(0, 95.0), None], elapsed=59.0), [], "forgotten")

    def test_every_member_needs_k_in_reach(self):
        places = [(0, 100.0), (0, 110.0), (2, 100.0)]
        self.assertEqual(judge(places, [(0, 100.0), None, None]), [])
        self.assertTrue(judge(places, [(0, 100.0), None, None], k=3))
        self.assertTrue(judge(places, [None, None, (2, 100.0)]))

    def test_the_largest_lawful_set_equals_that_of_all_subsets(self):
        for seed in range(300):
            chance = random.Random(seed)
            users = range(chance.randint(1, 6))
            hidden = {user: [(chance.randint(1, 4), {user} | {other for other in users if chance.random() < 0.6})]
                      for user in users}
            subsets = (set(some) for size in users for some in itertools.combinations(users, size + 1))
            lawful = [some for some in subsets if len(some) >= 2
                      and all(len(hidden[user][0][1] & some) >= hidden[user][0][0] for user in some)]
            self.assertEqual(reach_check.largest_lawful(hidden), max(lawful, key=len, default=set()), seed)

    def test_the_injected_request_is_found(self):
        steps = [Step("u0", 0, 2, 10.0, 12.0, 10.5, place=(0, 1.0)), Step("u1", 1, 2, 10.0, 12.0, 10.5, place=(1, 1.0))]
        request = reach_check.below_k(steps, CITY, 60)
        self.assertEqual(len(reach_check.check([request], [], steps, CITY, 60).violations), 1)


class Messages(unittest.TestCase):
    def test_city_shard_and_epoch_are_read(self):
        self.assertEqual(owner_beat(b"\x01\x04city\x00\x01\xac\x02\x00"), ("city", 0, 300))
        self.assertEqual(part_round(b"\x01\x00\x04city\x02\xac\x02\x00"), ("city", 2, 300))
        self.assertIsNone(part_round(b"\x01\x01\x04city\x02\xac\x02\x00"))

    def test_messages_of_a_replaced_owner_are_counted(self):
        watcher = Watcher([])
        watcher.beats = [(1.0, 5), (2.0, 5), (3.0, 9)]
        watcher.parts = [(2.5, 5), (3.5, 5), (3.5, 9)]
        self.assertEqual(watcher.stale(), 1)
        self.assertEqual(watcher.longest_silence(0.0, 3.5), 1.0)


if __name__ == "__main__":
    unittest.main()
