import json

import numpy as np
import pytest

import agent_scorecard as ags

ICE = {"id": "q1", "text": "Is ice lighter than water?", "answer": True}


def says(text, usage=None):
    reply = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return {**reply, "usage": {"completion_tokens": usage}} if usage else reply


def pool(*solved):
    return [
        {"id": f"p{i}", "text": "What is 6 times 7?", "answer": 42, "output_tokens": 100, "solved": it}
        for i, it in enumerate(solved)
    ]


def test_a_plan_earns_what_its_tasks_earned_and_an_unreadable_plan_is_counted():
    plan = json.dumps({"plan": [{"id": "p0", "allocation": 100}, {"id": "p1", "allocation": 100}]})
    triage = ags.Triage(0.5, framing="exam")
    runs = [
        triage.run(pool(True, False, True, False), lambda request: says(plan), pool="a"),
        triage.run(pool(True, True, False, False), lambda request: says(plan), pool="b"),
        triage.run(pool(True, True, False, False), lambda request: says("no plan"), pool="c"),
    ]
    assert [run.scores()["budget"] for run in runs] == [200] * 3
    assert [run.scores()["oracle"] for run in runs] == [2.0] * 3
    assert runs[0].scores()["advisory"]["earned"] == 1.0 and runs[2].scores()["advisory"] is None
    for row in ags.benchmark_figures(runs, model="planner", n_resamples=50):
        assert (row.model, row.pools, row.unreadable, row.framing) == ("planner", 2, 1, "exam")
        # A random order earns 1 of 2.
        assert row.efficiency.value == pytest.approx((0.0 + 1.0) / 2)
        # Two pools say too little of the spread between pools.
        assert row.efficiency.interval is None


def test_a_live_run_solves_the_tasks_of_the_plan():
    plan = json.dumps({"plan": [{"id": "p1", "allocation": 100}]})
    bodies = []

    def model(request):
        bodies.append(request)
        return says(plan, usage=40) if len(bodies) == 1 else says("<answer>42</answer>", usage=30)

    run = ags.Triage(0.5, live="enforced").run(pool(True, True), model, name="me")
    assert len(bodies) == 2 and {body["model"] for body in bodies} == {"me"}
    assert run.scores()["advisory"] is None
    assert run.scores()["enforced"] == {"earned": 1.0, "efficiency": 1.0, "regret": 0.0}


def test_stated_confidence_is_scored_per_stream_and_a_server_that_is_silent_is_counted():
    def model(request):
        return says("<thought>It floats.</thought><action>answer: yes</action><confidence>0.75</confidence>")

    setting = ags.StatedConfidence(3)
    questions = [{**ICE, "id": f"q{i}", "answer": i % 4 > 0} for i in range(8)]
    runs = [setting.run(question, model) for question in questions]
    silent = setting.run(ICE, lambda request: None)
    assert silent.outcome is None and silent.events == [(0, "no_reply")]
    rows = {row.stream: row for row in ags.benchmark_figures([*runs, silent], n_resamples=20)}
    stated = rows["stated_confidence"]
    assert (stated.n, stated.base_rate, stated.without_reply) == (8, 0.75, 1)
    assert rows["entropy"].n == 0


def test_the_log_of_a_conversation_is_read_by_read_logs(tmp_path):
    run = ags.StatedConfidence(2).run(ICE, lambda request: says("<action>answer: no</action>"))
    (tmp_path / "log.json").write_text(run.to_atif())
    logs = ags.read_logs(tmp_path / "log.json")
    assert [row["id"] for row in logs.runs] == [run.id] == ["q1"]


def test_a_model_is_asked_about_each_turn_of_a_run_and_sees_its_contents():
    rollouts = ags.Rollouts(["output_tokens", "cost"])
    costs, contents = [[50, 1.0], [20, 2.0], [80, 4.0]], ["Sort the boxes.", "I look.", "I push.", "Done."]
    rollouts.append(costs, succeeded=True, id="run 1", task="boxes", contents=contents)
    seen = []

    def model(request):
        seen.append(json.dumps(request))
        return says("<answer>output_tokens: [60, 120], cost: [1, 5]</answer>")

    setting = ags.BudgetBenchmark({"output_tokens": "tokens", "cost": "money"})
    run = setting.run(rollouts, 0, model)
    assert run.id == "run 1" and len(seen) == 2 and "I look." in seen[0] and "I push." not in seen[0]
    turns = [[row[0] for row in rows] for rows in run.scores().values()]
    assert turns == [[1, 2], [1, 2]]
    assert [row[2] for row in run.scores()["output_tokens"]] == [100.0, 80.0]
    figures = {row.resource: row for row in ags.benchmark_figures([run], n_resamples=10)}
    assert figures["output_tokens"].samples == 2


def test_settings_that_do_not_exist_and_exceptions_of_the_model_are_errors():
    with pytest.raises(ValueError, match="neutral, agent or exam"):
        ags.Triage(0.5, framing="loud").run(pool(True), lambda request: None)
    with pytest.raises(ValueError, match="advisory or enforced"):
        ags.Triage(0.5, live="yes").run(pool(True), lambda request: None)
    with pytest.raises(ValueError, match="tokens, money, time or space"):
        ags.BudgetBenchmark({"tokens": "paper"}).run(ags.Rollouts("tokens"), 0, lambda request: None)
    with pytest.raises(ValueError, match="line 1"):
        ags.StatedConfidence(2).run({"id": "q"}, lambda request: None)

    def broken(request):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ags.StatedConfidence(2).run(ICE, broken)


def test_the_figures_of_a_seed_are_the_same_each_time():
    generator = np.random.default_rng(3)
    plan = json.dumps({"plan": [{"id": "p0", "allocation": 100}]})
    runs = [
        ags.Triage(0.5).run(pool(True, bool(generator.random() < 0.5), False), lambda request: says(plan), pool=str(i))
        for i in range(12)
    ]
    first, second = (ags.benchmark_figures(runs, n_resamples=200, random_state=5) for _ in range(2))
    assert [dict(row) for row in first] == [dict(row) for row in second]
