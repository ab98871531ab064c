"""Writing the report so that no reader ever finds half of one."""

import os
import shutil
import tempfile
from pathlib import Path


def publish(files, folder):
    """Puts `files` ({relative path: bytes}, report.html last) into `folder`, creating it if needed. Everything is
    written to a temporary folder beside it first, so a full disk or an interrupt leaves the old report as it was.
    Other files in `folder` stay; plots/ is replaced as a whole (no stale plots). Raises OSError."""
    folder = Path(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".report-", dir=folder))
    try:
        for name, data in files.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        plots = folder / "plots"
        if plots.is_dir():
            plots.rename(staging / "old-plots")
        for part in dict.fromkeys(Path(name).parts[0] for name in files):
            os.replace(staging / part, folder / part)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
