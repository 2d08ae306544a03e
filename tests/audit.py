"""Looks for known weaknesses in the pinned versions of what the project needs: `make audit`.

Ends with 0 if none is known, with 1 if one is, and with 2 and a word if the database cannot be
reached or does not know a package.
"""

import json
import subprocess
import sys
from pathlib import Path

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"


def main() -> int:
    """Prints what pip-audit finds."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(CONSTRAINTS), "--no-deps", "--disable-pip"]
    ran = subprocess.run(
        [*command, "--format", "json", "--progress-spinner", "off"], capture_output=True, text=True, check=False
    )
    try:
        packages = json.loads(ran.stdout)["dependencies"]
    except ValueError:
        reason = (ran.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"not audited, for the database of weaknesses cannot be reached: {reason[:200]}")
        return 2
    known = [(package, each) for package in packages for each in package.get("vulns", [])]
    for package, each in known:
        print(
            f"{package['name']} {package['version']}: {each['id']}, mended in {', '.join(each['fix_versions']) or '-'}"
        )
    skipped = [package for package in packages if "skip_reason" in package]
    print(f"{len(packages)} packages: {len(known)} known weaknesses, {len(skipped)} packages not audited")
    if skipped:
        print(f"the database says nothing of them, or cannot be reached, as in: {skipped[0]['skip_reason'][:200]}")
    return 1 if known else 2 * bool(skipped)


if __name__ == "__main__":
    sys.exit(main())
