import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
PAGE = Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.parametrize("name", ["score_my_logs", "compare_two_models", "model_in_costbench", "cut_off_runs"])
def test_an_example_prints_what_the_page_shows(name):
    found = subprocess.run([sys.executable, FOLDER / f"{name}.py"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    page = PAGE.read_text(encoding="utf-8")
    block = re.search(rf"<!-- output of {name} -->\n```text\n(.*?)```\n<!-- end of output -->", page, re.DOTALL)
    assert block is not None and found.stdout == block[1]


def test_the_page_prints_what_it_shows():
    pytest.importorskip("gymnasium")
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 1
    for at, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, {}, f"block {at}", str(PAGE), 0)
        assert doctest.DocTestRunner().run(test).failed == 0


def test_every_public_name_is_on_the_page():
    import agent_scorecard as ags

    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in ags.__all__ if f"`{name}`" not in page and name not in ("Traces",)] == []


def test_the_readme_runs():
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102
    assert "ags" in names
