"""The model by which the adversary judges schedules of two writers: it tells lost, doubled and impossible rows."""

from __future__ import annotations

from functools import partial

from adversary.truth.serial import Outcome, Row, State, Statement, canonical, serial, snapshot

START = canonical([(1, 0, 1), (2, 1, 2)])


def update(number: int, amount: int) -> Statement:
    """Adds an amount to v of one row."""

    def effect(state: State) -> tuple[list[Row], list[Row]]:
        old = [row for row in state if row[0] == number]
        return old, [(row[0], row[1], (row[2] or 0) + amount) for row in old]

    return Statement(f"v + {amount}", effect)


def copies_least(to: int) -> Statement:
    """Sets v of one row to the sum of all."""

    def effect(state: State) -> tuple[list[Row], list[Row]]:
        old = [row for row in state if row[0] == to]
        return old, [(row[0], row[1], sum(r[2] or 0 for r in state)) for row in old]

    return Statement("sum", effect)


def at_once(*statements: Statement) -> list[list[Outcome]]:
    return [[Outcome(statement, 0, 1)] for statement in statements]


def test_an_update_that_is_lost_or_done_twice_has_no_order() -> None:
    writers = at_once(update(1, 10), update(1, 100))
    for judge in (partial(serial, START), partial(snapshot, [START], (0, 0))):
        assert judge(writers, canonical([(1, 0, 111), (2, 1, 2)]))
        assert not judge(writers, canonical([(1, 0, 11), (2, 1, 2)]))
        assert not judge(writers, canonical([(1, 0, 101), (2, 1, 2)]))
        assert not judge(writers, canonical([(1, 0, 11), (1, 0, 101), (2, 1, 2)]))
        assert not judge(writers, canonical([(1, 0, 111)]))


def test_write_skew_is_a_snapshot_and_no_order() -> None:
    writers = at_once(copies_least(1), copies_least(2))
    skew = canonical([(1, 0, 3), (2, 1, 3)])
    assert snapshot([START], (0, 0), writers, skew)
    assert not serial(START, writers, skew)
    assert serial(START, writers, canonical([(1, 0, 3), (2, 1, 5)]))


def test_a_statement_that_ended_before_another_began_comes_first() -> None:
    first, second = copies_least(1), update(2, 10)
    apart = [[Outcome(first, 0, 1)], [Outcome(second, 2, 3)]]
    assert serial(START, apart, canonical([(1, 0, 3), (2, 1, 12)]))
    assert not serial(START, apart, canonical([(1, 0, 13), (2, 1, 12)]))
    assert serial(START, at_once(first, second), canonical([(1, 0, 13), (2, 1, 12)]))


def test_a_delete_that_leaves_a_replaced_row_is_no_snapshot_either() -> None:
    delete = Statement("DELETE", lambda state: ([row for row in state if row[0] == 1], []))
    writers = at_once(update(1, 10), delete)
    replaced = canonical([(1, 0, 11), (2, 1, 2)])
    assert not serial(START, writers, replaced)
    assert not snapshot([START], (0, 0), writers, replaced)


def test_a_session_that_holds_an_old_version_may_begin_from_it() -> None:
    delete = Statement("DELETE", lambda state: (list(state), []))
    starts = [START, canonical([*START, (3, 0, 3)])]
    for held, may in ((0, True), (1, False)):
        assert snapshot(starts, (held, 1), [[Outcome(delete, 0, 1)], []], canonical([(3, 0, 3)])) is may
        assert snapshot(starts, (held, 1), [[Outcome(delete, 0, 1)], []], ())
    assert not snapshot(starts, (0, 1), [[Outcome(update(1, 10), 0, 1)], []], canonical([(1, 0, 11), (2, 1, 2)]))


def test_a_delete_may_find_rows_deleted() -> None:
    delete = Statement("DELETE", lambda state: ([row for row in state if row[0] in (1, 3)], []))
    insert = Statement("INSERT", lambda state: ([], [(3, 0, 3)]))
    first, second = [Outcome(delete, 0, 1), Outcome(insert, 2, 3)], [Outcome(delete, 4, 5)]
    assert snapshot([START], (0, 0), [first, second], canonical([(2, 1, 2)]))
    assert snapshot([START], (0, 0), [first, second], canonical([(2, 1, 2), (3, 0, 3)]))
    assert not serial(START, [first, second], canonical([(2, 1, 2), (3, 0, 3)]))
    assert not snapshot([START], (0, 0), [first, second], canonical([(1, 0, 1), (2, 1, 2)]))
    updated = [Outcome(update(1, 10), 0, 1), Outcome(insert, 2, 3)]
    assert not snapshot([START], (0, 0), [updated, second], canonical([(1, 0, 11), (2, 1, 2), (3, 0, 3)]))
