import importlib.metadata
import re
from pathlib import Path

LOCK = Path(__file__).parents[1] / "Cargo.lock"


def licence(name):
    found = [file for file in importlib.metadata.files("agent-scorecard") if file.parts[-2:] == ("licenses", name)]
    assert len(found) == 1, name
    return found[0].read_text()


def test_the_wheel_has_its_licences():
    assert "Permission is hereby granted" in licence("LICENSE-MIT")
    assert "Apache License" in licence("LICENSE-APACHE")
    assert importlib.metadata.metadata("agent-scorecard")["License-Expression"] == "MIT OR Apache-2.0"


def test_the_wheel_names_each_crate_that_it_is_built_from_with_its_licence():
    notices = licence("THIRD-PARTY-LICENSES")
    stated = set(re.findall(r"^(\S+ \S+): \S+.*; https?://\S+$", notices, flags=re.MULTILINE))
    locked = {
        f"{name} {version}"
        for name, version in re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = ', LOCK.read_text())
    }
    assert locked and stated == locked, "run python/third_party.py after a change of Cargo.lock"
    assert "serde 1" in notices and notices.count("Permission is hereby granted") > 5
