"""Regenerates package-lock.json from package.json, without addresses: npm uses the configured registry.

python clients/web/lock.py
"""

import json
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ADDRESSES = ("resolved", "funding")


def main() -> None:
    """Let npm choose the versions, then leave out where it found them."""
    lock = HERE / "package-lock.json"
    lock.unlink(missing_ok=True)
    environment = os.environ | {"npm_config_omit_lockfile_registry_resolved": "false"}
    subprocess.run(["npm", "install", "--package-lock-only"], cwd=HERE, env=environment, check=True)
    fields = json.loads(lock.read_text())
    for package in fields["packages"].values():
        for name in ADDRESSES:
            package.pop(name, None)
    lock.write_text(json.dumps(fields, indent=2) + "\n")


if __name__ == "__main__":
    main()
