"""The partition fields with which tables of one workload cost the least together.

A table alone may gain by another field than its partner: its rows are then shuffled whatever the partner has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from spark_iceberg_sql.insight.advise.costs.moves import NONE, Fields, Move
from spark_iceberg_sql.insight.advise.model import SHUFFLE_COST

Options = Mapping[Fields, int]  # by those of a spec's fields that save a shuffle, the least cost of what is read
_MAX_KEYS = 6  # whose buckets are tried for all tables at once, each with and without


def joint_fields(
    options: Mapping[str, Options],
    moves: Sequence[Move],
    keys: Sequence[Mapping[str, Fields]],
    kept: Mapping[str, Fields],
) -> dict[str, Fields]:
    """By table, those of its fields that save a shuffle.

    options: by table. moves: of the workload. keys: the buckets of its joins and groups, by table,
    those that move most first. kept: the fields of the tables that remain as they are.
    """
    moves_of = {name: [move for move in moves if name in move.tables] for name in options}
    largest = keys[:_MAX_KEYS]
    best: tuple[float, dict[str, Fields]] | None = None
    for chosen in product((False, True), repeat=len(largest)):
        wished = [fields for fields, is_chosen in zip(largest, chosen, strict=True) if is_chosen]
        state = {
            name: _nearest(of_table, {field for fields in wished for field in fields.get(name, NONE)})
            for name, of_table in options.items()
        }
        state = _settled(state, options, moves_of, kept)
        cost = sum(options[name][fields] for name, fields in state.items()) + _shuffled(moves, {**kept, **state})
        if best is None or cost < best[0]:
            best = cost, state
    return best[1] if best is not None else {}


def _nearest(options: Options, wished: set[str]) -> Fields:
    """The option with most of some fields; of several the one that costs the least."""
    return min(options, key=lambda fields: (-len(fields & wished), options[fields]))


def _settled(
    state: Mapping[str, Fields],
    options: Mapping[str, Options],
    moves_of: Mapping[str, Sequence[Move]],
    kept: Mapping[str, Fields],
) -> dict[str, Fields]:
    """The state from which no table gains by a change of its own."""
    settled = dict(state)
    is_changed = True
    while is_changed:
        is_changed = False
        for name, of_table in options.items():
            costs = {
                fields: cost + _shuffled(moves_of[name], {**kept, **settled, name: fields})
                for fields, cost in of_table.items()
            }
            cheapest = min(costs, key=costs.__getitem__)
            if costs[cheapest] < costs[settled[name]]:
                settled[name], is_changed = cheapest, True
    return settled


def _shuffled(moves: Iterable[Move], fields: Mapping[str, Fields]) -> float:
    return SHUFFLE_COST * sum(move.total_bytes for move in moves if move.way(fields) is None)
