"""Schemes of researchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from meshcloak._meshcloak import Disc, Rectangle, State

Region = Iterable[str] | Rectangle | Disc


class Scheme:
    """A cloaking scheme in Python. A subclass sets `name` and `regions` and overrides `cloak`.

    All users on one street hide together, and the service is asked about that street:

    >>> import meshcloak as mc
    >>> class SameStreet(mc.Scheme):
    ...     name = "same-street"
    ...     regions = "fixed"
    ...     def cloak(self, state, now):
    ...         streets = {}
    ...         for query in state.waiting:
    ...             streets.setdefault(query.street, {})[query.user] = query.index
    ...         return [(users.values(), [street]) for street, users in streets.items()]
    >>> city = mc.Map.city(500, seed=1)
    >>> people = city.simulate(2_000, seed=1)
    >>> out = city.cloak(people, scheme=SameStreet())
    >>> out.summary["succeeded"] > 0
    True
    >>> rows = city.attack(people, SameStreet(), ["inversion"]).rows()
    >>> [row["attack"] for row in rows]
    ['as shown', 'inversion']
    """

    #: Name in tables.
    name: ClassVar[str] = "scheme"

    #: What an adversary can conclude from a region, which decides the attacks that apply: ``"mesh"``
    #: (what each member reaches within its dc), ``"cells-METRES"`` (cells of the members),
    #: ``"fixed"`` (independent of the positions within it) or ``"tight"`` (smallest rectangle
    #: around the members). There is no default.
    regions: ClassVar[str | None] = None

    def cloak(
        self, state: State, now: float
    ) -> Iterable[tuple[Iterable[int] | Sequence[int], Region]]:
        """Returns pairs of members and region for one batch.

        Members are indices in ``state.waiting``, of different users; the region is a list of street
        labels, a :class:`Rectangle` or a :class:`Disc`. A member whose k the set meets is served, by
        the first such set. Equal states must give equal results, since attacks run the scheme again.
        Each run has a deep copy of the object, which may keep what it has seen; the object itself stays
        as it is. All users whose k is at most their number, in one square:

        >>> import meshcloak as mc
        >>> class Square(mc.Scheme):
        ...     name, regions = "square", "fixed"
        ...     def cloak(self, state, now):
        ...         users = {query.user: query.index for query in state.waiting}
        ...         return [(users.values(), mc.Rectangle(-9e4, -9e4, 9e4, 9e4))] if users else []
        >>> city = mc.Map.city(500, seed=1)
        >>> city.cloak(city.simulate(200, seed=1), scheme=Square()).summary["success_rate"] > 0.9
        True
        """
        raise NotImplementedError
