"""Where things are."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def site_packages(python):
    """Return the folders of installed packages that a Python looks into."""
    code = "import sys; print(*[p for p in sys.path if p.endswith('site-packages')], sep='\\n')"
    shown = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return shown.stdout.split()
