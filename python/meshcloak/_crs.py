"""Whether the coordinates of a graph are degrees or metres, by its coordinate reference system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from meshcloak._arguments import describe
from meshcloak._meshcloak import Error

#: Codes of EPSG in degrees: WGS 84, ETRS89, NAD83, NAD27.
DEGREES = {"4326", "4979", "4258", "4269", "4267"}

#: Codes of EPSG in metres: Web Mercator and the zones of UTM.
METRES = re.compile(r"3857|32[67]\d\d")


def is_in_degrees(crs: Any, points: Sequence[tuple[Any, float, float]]) -> bool:
    """Returns whether `x` and `y` of the points are degrees. Without a reference system they are, if all
    could be; values that could be degrees in a system that is not known are an error."""
    possible = all(abs(x) <= 180 and abs(y) <= 90 for _, x, y in points)
    if crs is None or crs == "":
        return possible
    known = _of_system(crs)
    if known is None and possible:
        raise Error(
            f"`crs` of the graph is {describe(crs)}, which is not known, and all `x` and `y` could be "
            'degrees; expected "EPSG:4326" for degrees, a code of UTM for metres, or an object of pyproj'
        )
    return known or False


def _of_system(crs: Any) -> bool | None:
    """Returns whether a reference system is in degrees; ``None`` if it is not known."""
    if not hasattr(crs, "is_geographic"):
        try:
            from pyproj import CRS

            crs = CRS.from_user_input(crs)
        except (ImportError, RuntimeError):
            return _of_text(str(crs).lower().replace(" ", ""))
    if crs.is_geographic:
        return True
    for axis in crs.axis_info:
        if axis.unit_name != "metre":
            raise Error(
                f"`crs` of the graph is {crs}, whose unit is {axis.unit_name}; expected metres or "
                "degrees, for example by `osmnx.project_graph`"
            )
    return False


def _of_text(text: str) -> bool | None:
    code = text.removeprefix("epsg:")
    if code in DEGREES or text in ("wgs84", "crs84", "ogc:crs84"):
        return True
    if METRES.fullmatch(code):
        return False
    if "+proj=" in text:
        return "+proj=longlat" in text or "+proj=latlong" in text
    return None
