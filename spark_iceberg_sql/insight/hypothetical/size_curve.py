"""The size of a file as a function of its rows' uncompressed bytes, through files that were written.

Between two files it is interpolated; below the smallest, the footer stays; above the largest, larger files compress
better, but less and less so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

_SIMILAR_SIZE_FACTOR = 1.3  # files whose sizes differ by less than this factor make one point of the curve
_DISTINCT_SIZE_FACTOR = 1.5  # files whose sizes differ by it show how size grows with the rows
_FOOTER_FREE_FACTOR = 10  # files of so many footers: how they grow is hardly that of their footer
_DEFAULT_FOOTER = 4_000  # bytes, if the files written in memory do not show it


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file. raw_bytes: the uncompressed bytes of its rows. size: its bytes."""

    rows: int
    raw_bytes: int
    size: int


class SizeCurve:
    """The curve through files. files: those written; without any, a file has its uncompressed bytes."""

    def __init__(self, files: Iterable[DataFile]) -> None:
        self._points = _points(files)

    @property
    def compressed_share(self) -> float:
        """Of the uncompressed bytes of the largest file, those that it has; 1.0 without files."""
        return self._points[-1][1] if self._points else 1.0

    def predict(self, raw_bytes: float) -> float:
        """The predicted bytes of a file with that many uncompressed bytes."""
        if not self._points or raw_bytes <= 0:
            return raw_bytes
        index = bisect_left(self._points, (raw_bytes, 0.0))
        if index == len(self._points):
            largest_raw, ratio = self._points[-1]
            return largest_raw * ratio * math.pow(raw_bytes / largest_raw, self._growth_exponent())
        if index == 0:
            return self._extrapolate(raw_bytes, *self._points[0])
        (x0, r0), (x1, r1) = self._points[index - 1], self._points[index]
        # The bytes, not their share: the footer of a small file is a multiple of its rows.
        return x0 * r0 + (raw_bytes - x0) / (x1 - x0) * (x1 * r1 - x0 * r0)

    def _growth_exponent(self) -> float:
        """How the size of files larger than all that were written grows with their rows: as this power of them.

        Larger files compress better, but less and less so: half as much as between the largest two written.
        """
        largest_raw, ratio = self._points[-1]
        smaller = [point for point in self._points if point[0] * _DISTINCT_SIZE_FACTOR <= largest_raw]
        if not smaller or smaller[-1][0] * smaller[-1][1] < _DEFAULT_FOOTER * _FOOTER_FREE_FACTOR:
            return 1.0
        smaller_raw, smaller_ratio = smaller[-1]
        exponent = 1 + math.log(ratio / smaller_ratio) / math.log(largest_raw / smaller_raw)
        return (1 + min(1.0, max(0.0, exponent))) / 2

    def _extrapolate(self, raw_bytes: float, smallest_raw: float, ratio: float) -> float:
        """The predicted size below the smallest file written: the same footer, and rows as between the two smallest
        files.
        """
        smallest_size = smallest_raw * ratio
        if len(self._points) == 1:
            footer = min(_DEFAULT_FOOTER, smallest_size / 2)
            return footer + (smallest_size - footer) * raw_bytes / smallest_raw
        next_raw, next_ratio = self._points[1]
        slope = max(0.0, (next_raw * next_ratio - smallest_size) / (next_raw - smallest_raw))
        return max(smallest_size * 0.25, smallest_size - slope * (smallest_raw - raw_bytes))


def _points(files: Iterable[DataFile]) -> list[tuple[float, float]]:
    """Points (uncompressed bytes, compressed share), with files of similar size as one point."""
    groups: list[list[DataFile]] = []
    for file in sorted(files, key=lambda f: f.raw_bytes):
        if groups and file.raw_bytes <= groups[-1][0].raw_bytes * _SIMILAR_SIZE_FACTOR:
            groups[-1].append(file)
        else:
            groups.append([file])
    totals = [(len(group), sum(f.raw_bytes for f in group), sum(f.size for f in group)) for group in groups]
    return [(raw_bytes / count, size / raw_bytes) for count, raw_bytes, size in totals]
