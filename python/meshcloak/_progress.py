"""Progress of long calls through tqdm, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Report = Callable[[str, int, int], None]


class ProgressBar:
    """Shows the stage that a call is in. The bar appears with the first report, which comes after
    50 ms; without tqdm nothing is shown and `report` is `None`."""

    def __init__(self, wanted: bool) -> None:
        self.report: Report | None = None
        self._bar: Any = None
        self._stage = ""
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._tqdm = tqdm
            self.report = self._show

    def _show(self, stage: str, total: int, done: int) -> None:
        if not stage:
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
        if self._bar is None:
            self._bar = self._tqdm(desc=stage, total=total or None, leave=False)
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Report | None:
        return self.report

    def __exit__(self, *_: object) -> None:
        self.close()
