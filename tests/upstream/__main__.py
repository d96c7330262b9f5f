"""`python -m tests.upstream NAME`: a report as it is sent; without a name, the list of them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from upstream import reports


def main(names: list[str]) -> int:
    by_name = {report.name: report for report in reports()}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        print(f"there is no report `{unknown[0]}`; there are {', '.join(by_name)}", file=sys.stderr)
        return 2
    if not names:
        for report in by_name.values():
            print(f"{report.name}: {report.text.splitlines()[0].lstrip('# ')}")
    for name in names:
        print(by_name[name].with_session())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
