"""tests/matrix: its cells, the judgement of answers, and the page; tests/spark/test_matrix.py runs some cells."""

from __future__ import annotations

from collections import Counter
from statistics import mean

import pytest
import yaml
from matrix import page, results
from matrix.cells import AXES, PAIRS, USUAL, Result, chosen, every_cell, pairs, parts_of
from matrix.command import ALWAYS, line, main, share, shared_out
from matrix.parts import ROOT
from matrix.promises import PROMISES, faults, statements
from matrix.reasons import REASONS, reason_of

from spark_iceberg_sql.spark import versions


def test_the_page_shows_the_results() -> None:
    assert page.FILE.read_text("utf-8") == page.page(results.load(results.FILE)), (
        "python -m tests.matrix --no-run --keep"
    )


def test_each_pinned_runtime_is_a_part() -> None:
    assert [(spark.minor, spark.scala) for spark in map(AXES["spark"].__getitem__, parts_of("spark"))] == [
        tuple(key.split("_")) for key in versions.runtimes()
    ]
    assert {int(name) for name in AXES["java"]} == set(versions.JAVA)


def test_the_cells_of_the_page_are_among_all() -> None:
    assert USUAL in every_cell()
    assert len(set(every_cell())) == len(every_cell())
    for first, second in PAIRS:
        columns = [list(AXES).index(axis) for axis in (first, second)]
        combinations = {tuple(cell[column] for column in columns) for cell in pairs()}
        assert len(combinations) == len(parts_of(first)) * len(parts_of(second))
    assert all(parts.keys() <= AXES.keys() for parts in ALWAYS)


def test_answers_are_judged() -> None:
    promise = next(promise for promise in PROMISES if promise.name == "refusal")
    refused = {
        "error": "error[SIS202]: `days` needs a date or a timestamp, but `s` is a string: write `truncate(10, s)`"
    }
    code = {"rows": [["SIS202"]]}
    assert faults((promise,), [refused, code]) == {"refusal": None}
    assert faults((promise,), [{"rows": []}, code]) == {"refusal": "it was not refused"}
    assert faults((promise,), [{"error": "Table not found"}, code]) == {
        "refusal": "the refusal is another one: Table not found"
    }
    assert faults((promise,), [refused, {"rows": []}]) == {"refusal": "it answers [] and not [['SIS202']]"}
    assert faults((promise,), [refused]) == {"refusal": "no answer"}


def test_no_name_is_left_open_in_a_statement() -> None:
    for text in statements(PROMISES, "lake", "/tables", "iceberg('/tables')"):
        assert "{" not in text


def test_each_reason_occurs() -> None:
    """One that no result has any more is taken out."""
    recorded_results = results.load(results.FILE)
    reasons = [reason_of(result, fault) for result, _ in recorded_results for fault in result.faults.values()]
    assert {reason.title for reason in REASONS} == {reason.title for reason in reasons if reason is not None}


def test_a_line_shows_each_fault() -> None:
    result = Result(USUAL, {"functions": None, "pruning": "it answers [] and not [['20']]"}, seconds=12)
    assert line(result).splitlines() == [
        f"{' '.join(USUAL)}: fails in 12 s",
        "  pruning: it answers [] and not [['20']]",
    ]
    assert line(Result(USUAL, reason="no javac")) == f"{' '.join(USUAL)}: cannot be had here: no javac"


@pytest.mark.parametrize("arguments", [["--only", "catalog=oracle"], ["--only", "engine=spark"]])
def test_a_part_that_does_not_exist(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert "only " in capsys.readouterr().err


def test_the_nightly_jobs_run_each_cell_once_within_their_limit() -> None:
    """By the seconds that such cells took, of which a third is left for installations and a slower machine."""
    job = yaml.safe_load((ROOT / ".github/workflows/matrix.yml").read_text("utf-8"))["jobs"]["full"]
    shares = job["strategy"]["matrix"]["share"]
    assert any("${{ matrix.share }}" in step.get("run", "") for step in job["steps"])
    recorded_results = [result for result, _ in results.load(results.FILE) if result.reason is None]
    by_way = {way: [result.seconds for result in recorded_results if result.cell[1] == way] for way in AXES["way"]}
    seconds = {way: mean(durations) for way, durations in by_way.items() if durations}
    runs: Counter[tuple[str, ...]] = Counter()
    for spark in job["strategy"]["matrix"]["spark"]:
        for text in shares:
            cells = shared_out(chosen({"spark": [spark]}, every_cell()), share(text))
            runs.update(cells)
            total_seconds = sum(seconds.get(cell[1], max(seconds.values())) for cell in cells)
            assert total_seconds < job["timeout-minutes"] * 60 * 2 / 3, (spark, text, total_seconds)
    assert runs == dict.fromkeys(every_cell(), 1)


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0"])
def test_a_share_that_is_none(text: str) -> None:
    with pytest.raises(SystemExit):
        main(["--share", text])
