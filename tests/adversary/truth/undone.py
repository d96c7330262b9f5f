"""Statements that are undone: many DELETEs on one table, of which each finds all its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adversary.truth.live import Live
from adversary.truth.trials import Changed


def undone(trial: Changed, live: Live, run: Callable[[str], Any]) -> str | None:
    """What Changed.apply returns; after it the table and the copy are as they were."""
    before, steps, evolved = live.now, len(live.history), live.evolved
    snapshots = f"SELECT snapshot_id FROM {live.name}.refs WHERE name = 'main'"
    current = live.harness.sql(snapshots).collect()
    if not current:
        return "unknown"
    live.others.append(before)  # so that its copy is kept
    try:
        return trial.apply(live, run)
    finally:
        live.others.remove(before)
        if live.view != before.view:
            live.copies.drop(live.view)
        live.rows, live.view, live.evolved = before.rows, before.view, evolved
        del live.history[steps:]
        if live.harness.sql(snapshots).collect() != current:
            catalog, _, table = live.name.partition(".")
            live.harness.sql(f"CALL {catalog}.system.rollback_to_snapshot('{table}', {current[0][0]})").collect()
