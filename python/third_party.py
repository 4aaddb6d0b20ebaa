"""Writes THIRD-PARTY-LICENSES: the crates that the wheel is built from, with their licences and notices.

    python third_party.py

Run it after `Cargo.lock` has changed. A test compares the list of crates with `Cargo.lock`.
"""

import json
import subprocess
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def packages():
    """The crates of a registry that Cargo.lock names, for all platforms."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(HERE / "Cargo.toml")]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return sorted((it for it in found["packages"] if it["source"]), key=lambda it: (it["name"], it["version"]))


def texts(package):
    """The texts of the files beside a crate's manifest that state its licence."""
    files = sorted(Path(package["manifest_path"]).parent.iterdir())
    stated = [file for file in files if file.is_file() and file.name.lower().startswith(NAMES)]
    return ["\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines()) for file in stated]


def main():
    users = defaultdict(list)
    first = {}  # The same words with other line breaks are the same text.
    lines = ["Crates in the compiled module, with their licences (SPDX) and where they come from.", ""]
    for package in packages():
        name = f"{package['name']} {package['version']}"
        terms = package["license"] or f"see {package['license_file']}"
        lines.append(f"{name}: {terms}; {package['repository'] or 'https://crates.io/crates/' + package['name']}")
        for text in texts(package):
            users[first.setdefault(" ".join(text.split()), text)].append(name)
    for text, names in sorted(users.items(), key=lambda it: (it[1], it[0])):
        lines += ["", "-" * 80, ", ".join(dict.fromkeys(names)), "", text]
    (HERE / "THIRD-PARTY-LICENSES").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
