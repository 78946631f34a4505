"""Checks of arguments: an invalid one is an error that names the argument, its value and the expected one.

A value outside its range raises :class:`meshcloak.Error`, a value of another type :class:`TypeError`.
"""

from __future__ import annotations

import operator
import os
import reprlib
from collections.abc import Iterable
from typing import Any

from meshcloak._meshcloak import Error
from meshcloak._scheme import Scheme

#: Largest values of the native integer types.
U32 = 2**32 - 1
U64 = 2**64 - 1

TABLE = "an Arrow table (an object with `__arrow_c_stream__`) or the path of a file"
SCHEME = "the name of a scheme (`meshcloak.scheme_names()`) or an object of a subclass of `Scheme`"


def describe(value: object) -> str:
    """Returns a short description of a value for error messages."""
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return reprlib.repr(value)
    return f"an object of the type `{type(value).__name__}`"


def whole_number(
    name: str, value: Any, largest: int = U32, expected: str | None = None
) -> int:
    """Returns a whole number from 0 to `largest`; accepts integers of numpy as well."""
    expected = expected or f"a whole number from 0 to {largest}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {describe(value)}; expected {expected}") from None
    if not 0 <= number <= largest:
        raise Error(f"{name} is {describe(number)}; expected {expected}")
    return number


def outcome_number(which: Any) -> int:
    """Returns the number of a succeeded outcome."""
    expected = "a number of a succeeded outcome, from 0, or the id of a query as text"
    return whole_number("which", which, U64, expected)


def k_range(k: Any) -> tuple[int, int]:
    """Returns the smallest and the largest k."""
    try:
        smallest, largest = k
    except (TypeError, ValueError):
        shown = k if isinstance(k, tuple) else describe(k)
        raise TypeError(f"k is {shown}; expected (MIN, MAX) with 2 <= MIN <= MAX") from None
    return whole_number("MIN of k", smallest), whole_number("MAX of k", largest)


def uniform_places(places: Any) -> bool:
    """Returns whether starts and destinations are uniform."""
    if places not in (None, "uniform"):
        raise Error(f'places is {describe(places)}; expected "uniform", or None for those of the profile')
    return places is not None


def real_number(name: str, value: Any, smallest: float, unit: str) -> float:
    """Returns a number from `smallest` to a million; accepts numbers of numpy as well."""
    expected = f"expected {unit} from {smallest} to 1000000"
    try:
        number = float(value) if hasattr(value, "__float__") else float(operator.index(value))
    except TypeError:
        raise TypeError(f"{name} is {describe(value)}; {expected}") from None
    except OverflowError:
        number = float("inf")
    if not smallest <= number <= 1e6:
        raise Error(f"{name} is {value}; {expected}")
    return number


def millis(name: str, seconds: Any) -> int:
    """Returns seconds as milliseconds; a `batch` must be longer than 0."""
    return round(real_number(name, seconds, 0.001 if name == "batch" else 0, "seconds") * 1000)


def lon_lat(origin: Any) -> tuple[float, float]:
    """Returns a pair of degrees."""
    try:
        lon, lat = origin
        return float(lon), float(lat)
    except (TypeError, ValueError):
        shown = origin if isinstance(origin, tuple) else describe(origin)
        raise TypeError(f"origin is {shown}; expected (lon, lat) in degrees") from None


def text(name: str, value: Any) -> str:
    """Returns an argument that is text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {describe(value)}; expected text")
    return value


def file_path(name: str, path: Any) -> str:
    """Returns a path as text."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} is {describe(path)}; expected the path of a file")
    return os.fspath(path)


def table(name: str, value: Any, expected: str = TABLE) -> Any:
    """Returns an argument that is a table or the path of one."""
    is_arrow = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    if isinstance(value, type) or not (is_arrow or isinstance(value, (str, os.PathLike))):
        raise TypeError(f"{name} is {describe(value)}; expected {expected}{_hint(value)}")
    return value


def scheme(name: str, value: Any) -> str | Scheme:
    """Returns an argument that is a scheme or the name of one."""
    if not isinstance(value, (str, Scheme)):
        raise TypeError(f"{name} is {describe(value)}; expected {SCHEME}{_hint(value)}")
    return value


def schemes(value: Any) -> list[str | Scheme]:
    """Returns a list of schemes; one scheme is a list of one."""
    if isinstance(value, (str, Scheme)):
        return [value]
    items = _items("schemes", value, f"a list; each item is {SCHEME}")
    return [scheme(f"schemes[{number}]", item) for number, item in enumerate(items)]


def attacks(value: Any) -> list[str]:
    """Returns a list of names of attacks; one name is a list of one."""
    if isinstance(value, str):
        return [value]
    expected = "a name of an attack (`meshcloak.attack_names()`)"
    names = _items("attacks", value, f"a list; each item is {expected}")
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"attacks[{number}] is {describe(name)}; expected {expected}")
    return names


def _items(name: str, value: Any, expected: str) -> list[Any]:
    if isinstance(value, type) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is {describe(value)}; expected {expected}{_hint(value)}")
    return list(value)


def _hint(value: object) -> str:
    """What to write instead of the class of a scheme."""
    if isinstance(value, type) and issubclass(value, Scheme):
        return f": write `{value.__name__}()`"
    return ""
