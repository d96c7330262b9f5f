"""The files of each candidate spec, without the specs whose files would be too small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from spark_iceberg_sql.insight.advise.layouts.candidate_fields import candidate_specs
from spark_iceberg_sql.insight.advise.layouts.layout import FileSlices, Sample, slice_files
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.quantities import size

# Rows of a partition in a sample; with fewer in most, how small partitions are is not known.
_MIN_PARTITION_ROWS = 2
# Of more fields, all pairs take too long: there are thousands for a fact table whose keys are all joined.
MAX_PAIRED_FIELDS = 24


def median_file_size(sample: Sample, fields: Sequence[PartitionField]) -> float:
    """The bytes of the median file under a spec, from the row counts of the partitions alone.

    0 if most partitions of a sample have one row: each may have far fewer rows than the sampled one stands
    for.
    """
    rows_per_file = max(1, round(sample.size_model.rows_per_file(sample.row_bytes) / sample.weight))
    sampled_row_bytes = sample.row_bytes * sample.weight
    file_rows: list[int] = []
    counts = Counter(sample.partition_numbers(fields)).values()
    if counts and not sample.is_complete and median(counts) < _MIN_PARTITION_ROWS:
        return 0.0
    for rows in counts:
        full_files, last_file_rows = divmod(rows, rows_per_file)
        file_rows += [rows_per_file] * full_files + ([last_file_rows] if last_file_rows else [])
    return sample.size_model.predict(median(file_rows) * sampled_row_bytes) if file_rows else 0.0


@dataclass(frozen=True)
class Candidates:
    """Candidate specs.

    layouts: the files of each. ruled_out: those whose files were not laid out, with the reason. fields: those of which
    the specs consist.
    """

    layouts: Mapping[tuple[PartitionField, ...], FileSlices]
    ruled_out: Mapping[tuple[PartitionField, ...], str]
    fields: Sequence[PartitionField] = ()


def candidates(
    sample: Sample,
    fields: Sequence[PartitionField],
    min_file_size: int,
    variants: Sequence[tuple[PartitionField, ...]] = (),
) -> Candidates:
    """The files of each candidate spec whose median file is not too small.

    Of fields that produce the same partitions, only the first is tried. Of more than MAX_PAIRED_FIELDS, pairs are not.
    variants: specs to try besides those of one and two fields.
    """
    fields_by_codes: dict[tuple[int, ...], PartitionField] = {}
    ruled_out: dict[tuple[PartitionField, ...], str] = {}
    useful_fields = []
    for candidate in fields:
        # Codes are numbered by first occurrence: equal codes are equal partitions, and zeros alone are one
        # partition.
        codes = tuple(sample.codes(candidate.key))
        if not any(codes):
            ruled_out[candidate,] = "all rows would be in one partition"
        elif codes in fields_by_codes:
            ruled_out[candidate,] = f"it has the same partitions as {fields_by_codes[codes].clause}"
        elif reason := _too_small(sample, (candidate,), min_file_size):
            ruled_out[candidate,] = reason
        else:
            useful_fields.append(candidate)
        fields_by_codes.setdefault(codes, candidate)
    longest = 2 if len(useful_fields) <= MAX_PAIRED_FIELDS else 1
    specs = (spec for spec in candidate_specs(useful_fields) if len(spec) <= longest)
    laid_out = of_specs(sample, (*variants, *specs), min_file_size)
    return Candidates(laid_out.layouts, {**ruled_out, **laid_out.ruled_out}, useful_fields)


def paired_fields(fields: Sequence[PartitionField], ranked: Iterable[Sequence[PartitionField]]) -> list[PartitionField]:
    """The MAX_PAIRED_FIELDS of fields to try in pairs: each column's best first, then its second, and so on.

    ranked: specs, the best first.
    """
    places = {spec[0].key: place for place, spec in enumerate(ranked) if len(spec) == 1}
    of_column: Counter[int] = Counter()
    order: list[tuple[int, int, PartitionField]] = []
    for field in sorted(fields, key=lambda f: places.get(f.key, len(places))):
        order.append((of_column[field.source_id], len(order), field))
        of_column[field.source_id] += 1
    return [field for *_, field in sorted(order, key=lambda entry: entry[:2])[:MAX_PAIRED_FIELDS]]


def of_specs(sample: Sample, specs: Iterable[tuple[PartitionField, ...]], min_file_size: int) -> Candidates:
    """The files of specs, without those of several fields whose median file is too small."""
    distinct_specs = {frozenset(f.key for f in spec): spec for spec in specs}.values()
    reasons = {spec: _too_small(sample, spec, min_file_size) for spec in distinct_specs if len(spec) > 1}
    ruled_out = {spec: reason for spec, reason in reasons.items() if reason}
    return Candidates({spec: slice_files(sample, spec) for spec in distinct_specs if spec not in ruled_out}, ruled_out)


def _too_small(sample: Sample, spec: tuple[PartitionField, ...], min_file_size: int) -> str:
    """Why the files of a spec are too small; empty if they are not."""
    median_file = median_file_size(sample, spec)
    if median_file >= min_file_size:
        return ""
    if not median_file:
        return "most of its partitions have one row in the sample, so their size is unknown"
    return f"its median file would have {size(round(median_file))}, less than {size(min_file_size)}"
