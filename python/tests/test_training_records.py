"""Records for training have the shape that verl and TRL expect.

The checks are those of their loaders, written out, because the libraries need several gigabytes: TRL takes a row as a
dialogue if ``messages`` or ``prompt`` is a list of messages with ``role`` and ``content``, and verl reads ``prompt``,
``data_source``, ``ability``, ``reward_model["ground_truth"]`` and ``extra_info``. The records are those of
``crates/budget-estimation/tests/all/training.rs``.
"""

import json
from pathlib import Path

import pytest

import agent_scorecard as ags
from agent_scorecard import training

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


def recorded_runs():
    rollouts = ags.Rollouts("tokens", caps={"tokens": 200})
    rollouts.append([50, 20, 80], succeeded=True, id="a", contents=["Sort.", "One.", "Two.", "Three."])
    rollouts.append([90, 90, 90], succeeded=True, id="b")
    return rollouts


def test_records_made_in_python_have_the_same_shape_and_show_no_future():
    shown = []

    def prompt(prefix):
        shown.append((prefix.spent.tolist(), prefix.left, prefix.contents))
        return [{"role": "system", "content": "Judge."}, {"role": "user", "content": f"{prefix.spent.sum():g}?"}]

    supervised = training.records(recorded_runs(), prompt, share=0.2)
    assert len(supervised) == 6 and shown[1] == ([50.0], 150.0, ["Sort.", "One."])
    assert [record["messages"][-1]["content"] for record in supervised[1:4]] == [
        "<answer>[80, 120]</answer>",
        "<answer>[64, 96]</answer>",
        "<answer>impossible</answer>",
    ]
    for record in supervised:
        check_dialogue(record["messages"], last="assistant")
        assert [message["role"] for message in record["messages"]] == ["system", "user", "assistant"]
    one_type(supervised)
    reinforcement = training.records(recorded_runs(), lambda _: "Well?", form="reinforcement", prefixes=[(0, 2), (1, 0)])
    assert [record["extra_info"]["remaining_tokens"] for record in reinforcement] == [80, 270]
    for record in reinforcement:
        check_dialogue(record["prompt"], last="user")
        # What the record holds is what the rewards need.
        extra = record["extra_info"]
        remaining = extra["remaining_tokens"] if extra["is_possible"] else None
        answer = training.parse_answer(f"<answer>{record['reward_model']['ground_truth']}</answer>")
        assert training.rule_reward(answer, remaining) == pytest.approx(1.8 * (1 - 16 / 80) if remaining else 0.2)


def test_prompts_that_fail_raise_their_own_exception_and_are_asked_no_more():
    asked = []

    def broken(prefix):
        asked.append(prefix)
        raise LookupError("no template")

    with pytest.raises(LookupError, match="no template"):
        training.records(recorded_runs(), broken)
    assert len(asked) == 1
    with pytest.raises(ValueError, match="role is \"tool\""):
        training.records(recorded_runs(), lambda _: [{"role": "tool", "content": ""}])
    with pytest.raises(ValueError, match="form"):
        training.records(recorded_runs(), lambda _: "", form="sft")


def test_the_proper_reward_pays_for_the_honest_answer_and_the_papers_for_a_narrow_one():
    """Means over what may remain: an honest interval, one that is too narrow, and one that is too wide."""
    remaining = [10.0 * step for step in range(1, 101)]
    answers = {"honest": (105, 905), "narrow": (405, 605), "wide": (1, 1000)}

    def best(reward):
        means = {name: sum(reward(answer, r) for r in remaining) / len(remaining) for name, answer in answers.items()}
        return max(means, key=means.get)

    assert best(lambda answer, r: training.proper_reward(answer, r, scale=300)) == "honest"
    assert best(training.rule_reward) == "narrow"

    def expected(stated, truth):
        reward = [training.proper_reward((105, 905), r, scale=300, success_probability=stated) for r in (400.0, None)]
        return truth * reward[0] + (1 - truth) * reward[1]

    for truth in (0.1, 0.5, 0.9):
        assert max((stated / 10 for stated in range(11)), key=lambda stated: expected(stated, truth)) == truth
    for arguments, problem in [({"scale": 0}, "scale"), ({"scale": 1, "coverage": 1.5}, "1.5"), ({"scale": 1, "success_probability": 2}, "2")]:
        with pytest.raises(ValueError, match=problem):
            training.proper_reward((1, 2), 3, **arguments)
