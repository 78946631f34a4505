"""Schemes by name and in Python, attacks and evaluation."""

import math
import threading

import pyarrow as pa
import pytest

import meshcloak as mc


class Alone(mc.Scheme):
    """Publishes each user with the next ones, and the street of the first: an adversary who runs it
    again knows the user."""

    name = "alone"
    regions = "fixed"

    def cloak(self, state, now):
        users = {query.user: query for query in state.waiting}
        queries = sorted(users.values(), key=lambda query: query.index)
        for number, query in enumerate(queries):
            members = (queries[number:] + queries[:number])[: query.k]
            if len(members) == query.k:
                yield [member.index for member in members], [query.street]


EVERYWHERE = mc.Rectangle(-1e5, -1e5, 1e5, 1e5)


class Town(mc.Scheme):
    """All users whose k the set meets are one set, and the region is the square around all streets."""

    name = "town"
    regions = "fixed"

    def cloak(self, state, now):
        members = list({query.user: query for query in state.waiting}.values())
        while any(query.k > len(members) for query in members):
            members = [query for query in members if query.k <= len(members)]
        return [([query.index for query in members], EVERYWHERE)] if members else []


class Crowd(Town):
    """All users are one set, also those whose k it does not meet. They are not served, so that they do
    not publish the region: in batches of few users it leaves the others fewer candidates than members."""

    name = "crowd"

    def cloak(self, state, now):
        users = {query.user: query.index for query in state.waiting}
        return [(users.values(), EVERYWHERE)] if users else []


class Replay(mc.Scheme):
    """Publishes the sets and regions of recorded outcomes again."""

    name = "replay"
    regions = "mesh"

    def __init__(self, people, outcomes):
        self.asked = {}
        for row in people:
            self.asked.setdefault(row["t"], []).append((row["query"], row["x"], row["y"]))
        self.sets = {}
        for row in outcomes:
            if row["outcome"] == "succeeded":
                self.sets.setdefault(row["at"], {})[tuple(row["set"])] = row["mesh"]

    def query_id(self, query):
        """A scheme sees no ids: the query of this time whose position is nearest."""
        return min(self.asked[query.t], key=lambda row: math.hypot(row[1] - query.x, row[2] - query.y))[0]

    def cloak(self, state, now):
        index = {self.query_id(query): query.index for query in state.waiting}
        sets = self.sets.get(now, {})
        return [([index[member] for member in members], mesh) for members, mesh in sets.items()]


@pytest.mark.parametrize("region", ["reach", "cells", "cell"])
def test_a_python_scheme_equals_the_native_one_when_it_returns_the_same(city, people, region):
    native = city.cloak(people, guarantee="reciprocal", region=region)
    replayed = city.cloak(people, scheme=Replay(people, native))
    assert native.summary["succeeded"] > 500
    assert pa.table(replayed).equals(pa.table(native))
    for metric in ["success_rate", "mesh_length", "relative_k", "mean_delay"]:
        assert replayed.summary[metric] == native.summary[metric], metric


def test_larger_sets_serve_more_users(city, people):
    town = city.cloak(people, scheme=Town())
    assert town.summary["success_rate"] > city.cloak(people, guarantee="paper").summary["success_rate"]
    served = [row for row in town if row["outcome"] == "succeeded"]
    assert all(row["rectangle"] == [-1e5, -1e5, 1e5, 1e5] for row in served)
    assert all(row["query"] in row["set"] and len(row["set"]) >= row["k"] for row in served)
    score = city.score(people, town)
    assert (score["below_k"], score["counted_twice"]) == (0, 0)


def test_an_attack_that_runs_the_scheme_again_finds_the_weak_one(city, people):
    rows = {}
    for scheme in [Alone(), Crowd(), Town(), "meshcloak/reciprocal"]:
        row = city.attack(people, scheme, ["inversion"]).rows()[-1]
        rows[row["scheme"]] = row["below_k"]
    # All members of a set publish its region.
    assert rows["town"] == 0 and rows["meshcloak/reciprocal"] == 0
    assert 0 < rows["crowd"] < rows["alone"]


def test_evaluate_compares_native_and_python_schemes(city):
    table = city.evaluate(
        ["meshcloak/history", "casper", Town()], users=300, attacks=["known-point"], victims=100
    )
    rows = table.rows()
    assert [row["scheme"] for row in rows if row["attack"] == "as shown"] == [
        "meshcloak/history", "casper", "town"]
    known = {row["scheme"]: row["below_k"] for row in rows if row["attack"] == "known-point"}
    assert known["meshcloak/history"] == 0


def test_an_exception_of_a_scheme_reaches_the_caller(city, people):
    class Broken(mc.Scheme):
        name, regions = "broken", "fixed"

        def cloak(self, state, now):
            raise LookupError(f"at {now}")

    with pytest.raises(LookupError, match=r"^'?at \d"):
        city.cloak(people, scheme=Broken())
    with pytest.raises(LookupError):
        city.attack(people, Broken(), ["inversion"])


@pytest.mark.parametrize(
    "returned, message",
    [
        (lambda state: 7, "expected an iterable of"),
        (lambda state: [7], "expected an iterable of"),
        (lambda state: [([10**6], [])], "member 1000000 of"),
        (lambda state: [([-1], [])], "member -1 of"),
        (lambda state: [([10**30], [])], f"member {10**30} of"),
        (lambda state: [(["a"], [])], "member 'a'; expected an index in `state.waiting`"),
        (lambda state: [([0], ["nowhere"])], "`nowhere` is not a street of the map"),
    ],
)
def test_a_wrong_result_is_named(city, people, returned, message):
    class Wrong(mc.Scheme):
        name, regions = "wrong", "fixed"

        def cloak(self, state, now):
            return returned(state)

    with pytest.raises((TypeError, ValueError, IndexError), match=message):
        city.cloak(people, scheme=Wrong())


def test_a_scheme_may_hold_the_map_and_keeps_its_state_within_a_run(city, people):
    class Remembers(Town):
        def __init__(self, city, people):
            self.city, self.people, self.batches = city, people, 0

        def cloak(self, state, now):
            self.batches += 1
            seen.append((self.batches, self.city is city, self.people is people))
            return super().cloak(state, now)

    seen, scheme = [], Remembers(city, people)
    first = city.cloak(people, scheme=scheme)
    count = len(seen)
    assert seen == [(batch, True, True) for batch in range(1, count + 1)] and count > 10
    # The next run begins with the object as it was.
    assert pa.table(city.cloak(people, scheme=scheme)).equals(pa.table(first))
    assert seen[count:] == seen[:count] and scheme.batches == 0
    assert city.attack(people, scheme, ["inversion"]).rows()[-1]["below_k"] == 0


def test_a_scheme_that_cannot_be_copied_says_why_it_must_be(city, people):
    class Locked(Town):
        def __init__(self):
            self.lock = threading.Lock()

    for call in [lambda: city.cloak(people, scheme=Locked()), lambda: city.evaluate([Locked()], users=50)]:
        with pytest.raises(TypeError, match="lock") as raised:
            call()
        assert "each run of a scheme uses a deep copy" in "".join(raised.value.__notes__)


def test_a_set_with_one_user_twice_is_refused(city, people):
    class Twice(mc.Scheme):
        name, regions = "twice", "fixed"

        def cloak(self, state, now):
            seen = {}
            for query in state.waiting:
                if query.user in seen:
                    return [([seen[query.user], query.index], [query.street])]
                seen[query.user] = query.index
            return []

    table = pa.table(people)
    first = table.slice(0, 1)
    again = first.set_column(0, first.schema.field(0), pa.array(["again"]))
    with pytest.raises(ValueError, match="a set contains a user twice"):
        city.cloak(pa.concat_tables([first, again]), scheme=Twice())


def test_a_scheme_without_regions_is_refused(city, people):
    class Silent(mc.Scheme):
        name = "silent"

    with pytest.raises(ValueError, match="scheme `silent` has no `regions`; expected"):
        city.cloak(people, scheme=Silent())


def test_names_are_checked(city, people, outcomes):
    class Numbered(Town):
        name = 5

    with pytest.raises(TypeError, match="the `name` of the scheme is 5; expected text"):
        city.cloak(people, scheme=Numbered())
    for missing in ["nowhere.parquet", "nowhere.ndjson"]:
        with pytest.raises(mc.Error, match=f"^{missing}: .*o such file"):
            city.attack(people, missing, ["inversion"])
    with pytest.raises(mc.Error, match="unknown scheme `magic`; expected meshcloak"):
        city.cloak(people, scheme="magic")
    with pytest.raises(mc.Error, match="unknown attack `magic`; expected reachability"):
        city.attack(people, outcomes, ["magic"])
    with pytest.raises(mc.Error, match="settings of MeshCloak"):
        city.cloak(people, scheme="casper", region="cells")
    assert "casper" in mc.scheme_names()
    assert ("inversion", "D", "L3") in mc.attack_names()
