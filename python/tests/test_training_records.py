"""Records for training have the shape that verl and TRL expect.

The checks are those of their loaders, written out, because the libraries need several gigabytes: TRL takes a row as a
dialogue if ``messages`` or ``prompt`` is a list of messages with ``role`` and ``content``, and verl reads ``prompt``,
``data_source``, ``ability``, ``reward_model["ground_truth"]`` and ``extra_info``. The records are those of
``crates/budget-estimation/tests/training.rs``.
"""

import json
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[2] / "crates" / "budget-estimation" / "tests" / "records"

pytestmark = pytest.mark.skipif(not RECORDS.is_dir(), reason="needs a checkout")


def rows(name):
    return [json.loads(line) for line in (RECORDS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def check_dialogue(messages, last):
    """A chat template takes it: at most one system message, in front, then user and assistant in turn."""
    assert all(message.keys() == {"role", "content"} for message in messages)
    assert all(isinstance(message["content"], str) and message["content"] for message in messages)
    roles = [message["role"] for message in messages]
    roles = roles[1:] if roles[0] == "system" else roles
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    assert roles[-1] == last


def kinds(value):
    """The types of a row, as a table stores them: a column has one type besides null, and numbers are one type."""
    if isinstance(value, dict):
        return {key: kinds(value[key]) for key in value}
    if isinstance(value, list):
        return [kinds(value[0])]
    if isinstance(value, bool) or isinstance(value, str):
        return type(value).__name__
    return "number"


def one_type(found):
    """Whether rows fit into one table, nulls aside."""
    found = [row for row in found if row is not None]
    if found and isinstance(found[0], dict):
        assert all(row.keys() == found[0].keys() for row in found)
        for key in found[0]:
            one_type([row[key] for row in found])
    else:
        assert all(kinds(row) == kinds(found[0]) for row in found)


def test_supervised_records_are_dialogues_that_end_with_the_target():
    records = rows("supervised")
    assert len(records) == 5
    for record in records:
        check_dialogue(record["messages"], last="assistant")
        assert record["messages"][-1]["content"].startswith("<answer>")
    one_type(records)


def test_records_for_reinforcement_have_a_prompt_without_an_answer_and_what_a_rule_needs():
    records = rows("reinforcement")
    assert len(records) == 5
    for record in records:
        assert record.keys() == {"data_source", "ability", "prompt", "reward_model", "extra_info"}
        check_dialogue(record["prompt"], last="user")
        assert isinstance(record["data_source"], str) and isinstance(record["ability"], str)
        assert record["reward_model"].keys() == {"style", "ground_truth"}
        assert record["reward_model"]["style"] == "rule"
        assert isinstance(record["reward_model"]["ground_truth"], str)
        assert record["extra_info"].keys() == {"id", "turn", "remaining_tokens", "is_possible"}
    one_type(records)
