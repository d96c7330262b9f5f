"""Runs cells of the matrix, prints a line for each, and writes the page of the documentation.

python -m tests.matrix                                  a part, in two to three minutes
python -m tests.matrix --pairs                          each part of an axis with each part of each other one
python -m tests.matrix --all                            all cells, for hours
python -m tests.matrix --only catalog=rest,spark=3.5    these parts, and the usual ones of the other axes
python -m tests.matrix --all --only spark=4.0           of all cells those with this part
python -m tests.matrix --all --share 2/3                of these cells the second of three shares
python -m tests.matrix --list                           the parts of each axis

With `--keep`, the results go into tests/matrix/results.json, beside those of cells that were not run now, and
docs/matrix.md is written from that file. The exit code is 1 if a promise does not hold for which
tests/matrix/reasons.py has no reason.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from matrix import page, results
from matrix.cells import AXES, USUAL, Names, Result, chosen, every_cell, pairs, run
from matrix.pythons import CURRENT
from matrix.reasons import reason_of

# All ways, catalogs, stores and versions of Spark that run without a download of their own, in few cells.
ALWAYS: tuple[dict[str, str], ...] = (
    {},
    {"way": "connect-jvm", "catalog": "jdbc"},
    {"way": "beeline", "catalog": "hive"},
    {"way": "jar", "master": "standalone"},
    {"catalog": "rest", "store": "s3"},
    {"catalog": "nessie", "store": "hdfs", "spark": "4.0"},
    {"spark": "3.5", "catalog": "jdbc", "store": "hdfs"},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    args = _parser().parse_args(arguments)
    if args.list:
        for axis, parts in AXES.items():
            print(f"{axis}: {', '.join(f'{name} ({part.title})' for name, part in parts.items())}")
        return 0
    unexplained = 0
    if not args.no_run:
        for result in run(shared_out(_selection(args), args.share)):
            print(line(result), flush=True)
            unexplained += any(reason_of(result, fault) is None for fault in result.faults.values())
            if args.keep or args.results:
                results.store(args.results or results.FILE, result)
    if args.keep or args.page:
        (args.page or page.FILE).write_text(page.page(results.load(args.results or results.FILE)), "utf-8")
    return int(bool(unexplained))


def line(result: Result) -> str:
    """A result in one line, and one more for each promise that does not hold."""
    names = " ".join(result.cell)
    if result.reason is not None:
        return f"{names}: cannot be had here: {result.reason}"
    lines = [f"{names}: {'works' if result.holds else 'fails'} in {result.seconds:.0f} s"]
    for name, fault in result.faults.items():
        reason = reason_of(result, fault)
        lines.append(f"  {name}: {fault[:500]}{f' ({reason.title})' if reason else ''}")
    return "\n".join(lines)


def _selection(args: argparse.Namespace) -> list[Names]:
    everything = every_cell() if args.all else pairs() if args.pairs else None
    if everything is not None:
        return list(dict.fromkeys(cell for only in args.only or [{}] for cell in chosen(only, everything)))
    if args.only:
        return list(dict.fromkeys(cell for only in args.only for cell in _with_usual(only)))
    return [cell for parts in ALWAYS for cell in _with_usual({axis: [part] for axis, part in parts.items()})]


def shared_out(cells: list[Names], part: tuple[int, int]) -> list[Names]:
    """A share of the cells: every third one for 2/3, so that each share has some of each kind."""
    number, shares = part
    return cells[number - 1 :: shares]


def _with_usual(only: Mapping[str, Sequence[str]]) -> list[Names]:
    """The cells of these parts and of the usual ones of the other axes, with the Python that runs this."""
    usual_parts = {**dict(zip(AXES, USUAL, strict=True)), "python": CURRENT}
    choices = [only.get(axis, [usual]) for axis, usual in usual_parts.items()]
    return list(itertools.product(*choices))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.matrix", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="all cells")
    parser.add_argument("--pairs", action="store_true", help="each part with each part of each other axis")
    parser.add_argument(
        "--only",
        type=_parts,
        action="append",
        metavar="AXIS=PART,...",
        help="cells of these parts; an axis may be repeated",
    )
    parser.add_argument("--share", type=share, default=(1, 1), metavar="N/SHARES", help="a share of the cells")
    parser.add_argument("--list", action="store_true", help="the parts of each axis")
    parser.add_argument("--keep", action="store_true", help="remember the results, and write docs/matrix.md")
    parser.add_argument("--results", type=Path, metavar="FILE", help="remember the results in this file")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page into this file")
    parser.add_argument("--no-run", action="store_true", help="only write the page, from the remembered results")
    return parser


def _parts(text: str) -> dict[str, list[str]]:
    only: dict[str, list[str]] = defaultdict(list)
    for item in text.split(","):
        axis, _, part = item.partition("=")
        if axis not in AXES:
            raise argparse.ArgumentTypeError(f"there is no axis `{axis}`, only {', '.join(AXES)}")
        if part not in AXES[axis]:
            raise argparse.ArgumentTypeError(f"`{axis}` has no part `{part}`, only {', '.join(AXES[axis])}")
        only[axis].append(part)
    return only


def share(text: str) -> tuple[int, int]:
    """The number of a share and of all, (2, 3) of `2/3`. Raises ArgumentTypeError."""
    number, _, shares = text.partition("/")
    if not (number.isdecimal() and shares.isdecimal() and 1 <= int(number) <= int(shares)):
        raise argparse.ArgumentTypeError(f"`{text}` is no share such as 2/3")
    return int(number), int(shares)


if __name__ == "__main__":
    sys.exit(main())
