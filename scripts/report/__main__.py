"""Entry of `python3 scripts/report`: scripts/ takes this folder's place on the path, so that report and lib are found
(and none of this folder's files can hide a standard module)."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from report.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
