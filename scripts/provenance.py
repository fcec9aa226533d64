"""Where figures come from: what every file in results/ says of the run that made it."""

import datetime
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def provenance():
    """Commit, date and machine. Ends the script where the source is not what was committed."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.check_output([*git, "rev-parse", "--short=12", "HEAD"], text=True).strip()
    if subprocess.check_output([*git, "status", "--porcelain", "--", "src", "Cargo.toml"], text=True):
        sys.exit("src differs from the commit: figures are measured from committed code only")
    return {
        "commit": commit,
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') >> 30} GiB",
    }
