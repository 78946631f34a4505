"""Native part of the package."""

from typing import Any, final

from meshcloak._progress import Report

__all__ = [
    "Disc",
    "Error",
    "Map",
    "Query",
    "Rectangle",
    "State",
    "Table",
    "__version__",
    "attack_names",
    "meshcloak_name",
    "scheme_names",
]

__version__: str

class Error(ValueError):
    """Input that MeshCloak cannot work with."""

@final
class Table:
    column_names: list[str]
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def write_parquet(self, path: str) -> None: ...

@final
class Map:
    source: str
    street_count: int
    terminal_count: int
    metres: float
    @staticmethod
    def open(
        source: str,
        whole_map: bool,
        all_highways: bool,
        origin: tuple[float, float] | None,
        pois: str | None,
        progress: Report | None,
    ) -> Map: ...
    def streets(self) -> list[tuple[str, str, str, float, bool]]: ...
    def simulate(
        self,
        users: int,
        profile: str,
        k: tuple[int, int],
        dt: int,
        seed: int,
        ask_share: int | None,
        uniform_places: bool,
        out: str | None,
        progress: Report | None,
    ) -> Table | None: ...
    def cloak(
        self,
        queries: Any,
        scheme: Any,
        batch: int,
        snap: float,
        strict: bool,
        unique_ids: bool,
        out: str | None,
        progress: Report | None,
    ) -> tuple[Table | None, str]: ...
    def score(
        self,
        queries: Any,
        outcomes: Any,
        batch: int,
        unique_ids: bool,
        progress: Report | None,
    ) -> str: ...
    def attack_outcomes(
        self,
        queries: Any,
        outcomes: Any,
        attacks: list[str],
        regions: str,
        victims: int,
        progress: Report | None,
    ) -> Table: ...
    def attack_schemes(
        self,
        queries: Any,
        schemes: list[Any],
        attacks: list[str],
        victims: int,
        batch: int,
        progress: Report | None,
    ) -> Table: ...
    def draw(self, outcomes: Any, which: int | str, queries: Any, width: int) -> bytes: ...

@final
class Query:
    """A waiting query, as a scheme sees it."""

    index: int
    user: int
    street: str
    offset: float
    x: float
    y: float
    k: int
    t: float
    dt: float
    dc: float
    speed: float | None
    asks: bool

@final
class State:
    """What a scheme sees of a batch."""

    waiting: list[Query]
    arrived: int

@final
class Rectangle:
    """A rectangle in metres, boundary included."""

    x0: float
    y0: float
    x1: float
    y1: float
    def __new__(cls, x0: float, y0: float, x1: float, y1: float) -> Rectangle: ...

@final
class Disc:
    """A disc in metres, boundary included."""

    x: float
    y: float
    radius: float
    def __new__(cls, x: float, y: float, radius: float) -> Disc: ...

def scheme_names() -> list[str]:
    """Returns the names of all schemes."""

def attack_names() -> list[tuple[str, str, str]]:
    """Returns name, letter and level of all attacks."""

def meshcloak_name(guarantee: str, region: str, cell_length: float | None) -> str: ...
