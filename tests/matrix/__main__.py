"""The command: `python -m tests.matrix`."""

from __future__ import annotations

from matrix.command import main

raise SystemExit(main())
