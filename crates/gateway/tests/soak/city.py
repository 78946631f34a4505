"""Streets and points of interest of the built-in city, and where the users of the soak test are."""
import json, math

METRES_PER_DEGREE = 111_200
MIN_SEGMENT = 20  # metres; the middle of a longer segment snaps to its own street


def fixed(point):
    """Coordinates as integers of 1e-7 degrees, as in requests."""
    return tuple(round(value * 1e7) for value in point)


def segment_key(a, b):
    a, b = fixed(a), fixed(b)
    return (a, b) if a <= b else (b, a)


def distance(a, b):
    """Approximate distance in metres."""
    east = (b[0] - a[0]) * math.cos(math.radians(a[1]))
    return math.hypot(east, b[1] - a[1]) * METRES_PER_DEGREE


class City:
    """All segments of the street shapes, numbered, and the points of interest by category."""

    def __init__(self, path):
        features = json.loads(path.read_text(encoding="utf-8"))["features"]
        self.number, self.middle, self.length, self.pois = {}, [], [], {}
        for feature in features:
            coordinates = feature["geometry"]["coordinates"]
            if feature["geometry"]["type"] == "LineString":
                for a, b in zip(coordinates, coordinates[1:]):
                    self.add_segment(a, b)
            else:
                self.pois.setdefault(feature["properties"]["category"], []).append(feature)

    def add_segment(self, a, b):
        key = segment_key(a, b)
        if key not in self.number:
            self.number[key] = len(self.middle)
            self.middle.append(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
            self.length.append(distance(a, b))

    def segments_of(self, lines):
        """Numbers of the segments of lines, and how many segments are of no street."""
        keys = {segment_key(a, b) for line in lines for a, b in zip(line, line[1:])}
        return sorted(self.number[key] for key in keys if key in self.number), \
            sum(key not in self.number for key in keys)

    def neighbourhoods(self, side, count, radius=150, apart=1500):
        """Groups of segments within `radius` metres, in the western or eastern 40 % of the city."""
        longitudes = sorted(middle[0] for middle in self.middle)
        west, east = longitudes[len(longitudes) * 4 // 10], longitudes[len(longitudes) * 7 // 10]
        usable = [n for n, length in enumerate(self.length) if length >= MIN_SEGMENT
                  and (self.middle[n][0] < west if side == "west" else self.middle[n][0] > east)]
        groups, centres = [], []
        for n in usable[::37] + usable:
            centre = self.middle[n]
            if any(distance(centre, other) < apart for other in centres):
                continue
            group = [m for m in usable if distance(centre, self.middle[m]) <= radius]
            if len(group) >= 8:
                groups.append(group)
                centres.append(centre)
            if len(groups) == count:
                break
        return groups
