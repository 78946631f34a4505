"""Distances along the streets of the built-in city, one-way streets respected."""
import heapq, json
from city import City, distance, fixed


class StreetNetwork(City):
    """The city of the soak test with a graph of its segments. A place is (segment, metres from its
    first end)."""

    def __init__(self, path):
        super().__init__(path)
        self.ends, self.ways = {}, {}
        for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
            if feature["geometry"]["type"] == "LineString":
                coordinates = feature["geometry"]["coordinates"]
                for a, b in zip(coordinates, coordinates[1:]):
                    self.join(a, b, feature["properties"]["oneway"])

    def join(self, a, b, is_one_way):
        low, high = fixed(a), fixed(b)
        number = self.number[(low, high) if low <= high else (high, low)]
        if number not in self.ends:
            self.ends[number] = (a, b, is_one_way)
            self.ways.setdefault(low, []).append((high, self.length[number]))
            if not is_one_way:
                self.ways.setdefault(high, []).append((low, self.length[number]))

    def point(self, place):
        """Longitude and latitude of a place."""
        segment, offset = place
        a, b, _ = self.ends[segment]
        share = offset / self.length[segment]
        return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share

    def reach(self, place, limit):
        """Returns a function: the distance from `place` to another place, infinite beyond `limit`."""
        segment, offset = place
        a, b, is_one_way = self.ends[segment]
        queue = [(self.length[segment] - offset, fixed(b))]
        if not is_one_way:
            queue.append((offset, fixed(a)))
        found = {}
        while queue:
            length, node = heapq.heappop(queue)
            if node in found or length > limit:
                continue
            found[node] = length
            for target, step in self.ways.get(node, []):
                heapq.heappush(queue, (length + step, target))

        def to(other):
            a, b, other_one_way = self.ends[other[0]]
            ways = [found.get(fixed(a), float("inf")) + other[1]]
            if not other_one_way:
                ways.append(found.get(fixed(b), float("inf")) + self.length[other[0]] - other[1])
            if other[0] == segment and (other[1] >= offset or not is_one_way):
                ways.append(abs(other[1] - offset))
            return min(ways)
        return to

    def stops(self, count, apart, shortest=40):
        """Long segments of two-way streets near the centre of the city, `apart` metres from each other."""
        centre = tuple(sorted(middle[axis] for middle in self.middle)[len(self.middle) // 2] for axis in (0, 1))
        found = []
        for segment in sorted(self.ends, key=lambda segment: distance(centre, self.middle[segment])):
            usable = self.length[segment] >= shortest and not self.ends[segment][2]
            if usable and all(distance(self.middle[segment], self.middle[other]) >= apart for other in found):
                found.append(segment)
            if len(found) == count:
                break
        return found
