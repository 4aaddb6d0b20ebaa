"""Environments pass Gymnasium's own checks, are the same for the same seed, and can be learnt."""

import copy
import json
import math
import os
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import agent_scorecard as ags

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from agent_scorecard import environments  # noqa: E402
from agent_scorecard.environments import Sokoban, Warehouse, play, rollouts  # noqa: E402

CORRIDOR = "#######\n#@$ . #\n#######"


def corridor(**settings):
    room = Sokoban((3, 7), boxes=1, **settings)
    return room, *room.reset(options={"room": CORRIDOR})


def saying(*texts):
    texts = iter(texts)

    def model(request):
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return {"choices": [{"message": {"role": "assistant", "content": next(texts)}}], "usage": usage}

    return model


@pytest.mark.parametrize("name", ["Sokoban", "Warehouse"])
@pytest.mark.parametrize("settings", [{}, {"render_mode": "ansi"}])
def test_gymnasium_finds_nothing_wrong(name, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(f"agent_scorecard/{name}-v0", **settings).unwrapped)


@pytest.mark.parametrize("name", ["Sokoban", "Warehouse"])
def test_the_same_seed_and_actions_give_the_same_bits(name):
    def episode():
        environment = gymnasium.make(f"agent_scorecard/{name}-v0")
        environment.action_space.seed(5)
        shown = [environment.reset(seed=123)]
        for _ in range(11):
            shown.append(environment.step(environment.action_space.sample()))
        # Without a seed, the next episode is drawn from the generator of the environment.
        shown.append(environment.reset())
        return repr(shown)

    assert episode() == episode()


def test_rooms_are_those_of_the_command():
    command = os.path.join(os.path.dirname(sys.executable), "agent-scorecard")
    arguments = ["play", "sokoban", "--print-rooms", "--first-seed", "230", "--count", "14"]
    printed = subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout
    rooms = [room.splitlines() for room in printed.strip().split("\n\n")]
    grids = {int(re.search(r"seed (\d+)", first)[1]): "\n".join(grid) or None for first, *grid in rooms}
    assert [seed for seed, grid in grids.items() if grid is None] == [242]
    room = Sokoban(render_mode="ansi")
    for seed, grid in grids.items():
        cells, information = room.reset(seed=seed)
        # A seed without a room gives that of the next one, and says so.
        assert information["seed"] == (243 if grid is None else seed)
        shown = grids[information["seed"]]
        assert room.render() == information["text"] and information["text"].endswith(f"Grid Map: \n{shown}")
        assert "\n".join("".join("#_O√XPS"[cell] for cell in row) for row in cells) == shown


def test_a_room_is_solved_or_its_steps_are_used_up():
    room, cells, information = corridor(tells_least_steps=True)
    assert cells[1].tolist() == [0, 5, 4, 1, 2, 1, 0] and information["least_steps"] == 2
    *_, truncated, information = room.step(2)
    assert not truncated and information["least_steps"] == 2
    before = copy.deepcopy(room)
    cells, reward, terminated, truncated, information = room.step(3)
    assert (round(reward, 9), terminated, truncated, information["least_steps"]) == (-0.1, False, False, 1)
    cells, reward, terminated, truncated, information = room.step(np.int64(3))
    assert (round(reward, 9), terminated, truncated) == (10.9, True, False)
    with pytest.raises(gymnasium.error.ResetNeeded, match="ended"):
        room.step(3)
    # A copy goes its own way.
    assert [before.step(3)[2] for _ in range(2)] == [False, True]

    # A box that was pushed against the wall stays there, and steps against a wall count.
    room, *_ = corridor(tells_least_steps=True)
    room.reset(options={"room": "#######\n#@ .$ #\n#######"})
    *_, information = room.step(3)
    assert information["least_steps"] == math.inf
    for step in range(2, 101):
        *_, terminated, truncated, _ = room.step(0)
        assert (terminated, truncated) == (False, step == 100)


def test_a_table_learns_a_room_that_random_steps_do_not_solve():
    room = Sokoban((6, 6), boxes=1, tells_least_steps=True)
    least = room.reset(seed=2)[1]["least_steps"]
    room, random, values = Sokoban((6, 6), boxes=1), np.random.default_rng(1), {}

    def episode(learns):
        cells, _ = room.reset(seed=2)
        total, done = 0.0, False
        while not done:
            known = values.setdefault(cells.tobytes(), np.zeros(4))
            action = int(known.argmax()) if learns else int(random.integers(4))
            cells, reward, terminated, truncated, _ = room.step(action)
            if learns:
                # Unknown states promise 0, and a step costs 0.1, so that all actions are tried.
                follow = 0.0 if terminated else values.setdefault(cells.tobytes(), np.zeros(4)).max()
                known[action] += 0.5 * (reward + follow - known[action])
            total, done = total + reward, terminated or truncated
        return total

    at_random = [episode(learns=False) for _ in range(50)]
    for _ in range(400):
        episode(learns=True)
    learnt = episode(learns=True)
    # The shortest solution earns this, and nothing earns more.
    assert least == 9 and learnt == pytest.approx(11 - 0.1 * least)
    assert max(at_random) < learnt and np.mean(at_random) < 0


def test_the_warehouse_takes_actions_and_says_what_it_refused():
    warehouse = Warehouse(target=1e9)
    state, _ = warehouse.reset(seed=4)
    action = np.zeros(32, int)
    assert warehouse.orders(action) == "pass" and state["cash"].item() == 500_000
    # The whole credit line, ten lots of docking stations by ship, and trucks without goods.
    action[0], action[3], action[7], action[-1] = 4, 3, 3, 2
    state, reward, terminated, truncated, information = warehouse.step(action)
    assert information["orders"].startswith("draw_credit 200000.00; produce JCD612 3 ocean; replenish MegaMart JCD543 3")
    assert len(information["problems"]) == 2 and "no JCD543 in stock" in information["problems"][0]
    assert state["credit"].item() == 200_000 and state["in_production"][1] == 900 and reward < 0
    repaid = warehouse.orders(np.zeros(32, int))
    assert repaid == "repay_credit 200000.00"
    for step in range(2, 12):
        *_, terminated, truncated, information = warehouse.step(np.zeros(32, int))
        assert (terminated, truncated) == (step == 11, False)
    assert information["succeeded"] is False
    with pytest.raises(gymnasium.error.ResetNeeded, match="ended"):
        warehouse.step(action)


def test_a_plan_for_the_warehouse_is_learnt_by_trying_changes():
    warehouse = Warehouse()
    choices = warehouse.action_space.nvec

    def reward(plan, seeds):
        total = 0.0
        for seed in seeds:
            warehouse.reset(seed=seed)
            for action in plan:
                _, earned, is_over, _, _ = warehouse.step(action)
                total += earned
                if is_over:
                    break
        return total / len(seeds)

    random = np.random.default_rng(0)
    at_random = [random.integers(choices, size=(11, 32)) for _ in range(20)]
    plan = np.zeros((11, 32), int)
    best = reward(plan, range(3))
    for _ in range(300):
        tried = plan.copy()
        for step, entry in zip(random.integers(11, size=3), random.integers(32, size=3)):
            tried[step, entry] = random.integers(choices[entry])
        if (found := reward(tried, range(3))) > best:
            plan, best = tried, found
    # In games that it has not seen.
    unseen = range(100, 110)
    assert reward(plan, unseen) > 1.2 * np.mean([reward(tried, unseen) for tried in at_random])


def test_wrong_arguments_are_named():
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        Sokoban().step(0)
    for make, problem in [
        (lambda: Sokoban((2, 8)), "size"),
        (lambda: Sokoban((8,)), "size"),  # type: ignore[arg-type]
        (lambda: Sokoban(8), "size"),  # type: ignore[arg-type]
        (lambda: Sokoban(render_mode="human"), "render_mode"),
        (lambda: Sokoban((4, 4)).reset(seed=1), "rows"),
        (lambda: Sokoban().reset(seed=2**32), "seed"),
        (lambda: Sokoban().reset(options={"map": ""}), "'map' is unknown; there is room"),
        (lambda: Sokoban().reset(options={"room": CORRIDOR}), r"size \(3, 7\)"),
        (lambda: Sokoban((3, 7)).reset(options={"room": "###"}), "players"),
        (lambda: corridor()[0].step(4), "action"),
        (lambda: corridor()[0].step(-1), "action"),
        (lambda: Warehouse("full"), "start"),
        (lambda: Warehouse(target=math.nan), "target"),
        (lambda: Warehouse().reset(options={"room": ""}), "there are none"),
        (lambda: Warehouse().orders(np.full(32, 9)), "action"),
        (lambda: play(corridor()[0], saying(), questions={"weeks": None}), "weeks"),
        (lambda: rollouts([play(corridor()[0], lambda _: None)], "weeks"), "weeks"),
        (lambda: ags.benchmark_figures([play(corridor()[0], lambda _: None)]), "rollouts"),
    ]:
        with pytest.raises(ValueError, match=problem):
            make()
    with pytest.raises(TypeError, match="CartPole"):
        play(gymnasium.make("CartPole-v1"), saying())


def test_a_model_plays_and_is_asked_what_it_will_still_spend():
    left, two = "<answer>Left</answer>", "<answer>[2, 2]</answer>"
    room = gymnasium.make("agent_scorecard/Sokoban-v0", size=(3, 7), boxes=1)
    room.reset(options={"room": CORRIDOR})
    run = play(room, saying(left, two, "<answer>Right || Right</answer>"), id="a", questions={"steps": 10})
    scores = run.scores()
    assert (run.id, run.outcome, scores["succeeded"], scores["end"]) == ("a", True, True, "succeeded")
    spent = scores["spent"]
    assert (spent["output_tokens"], spent["total_tokens"][0], spent["steps"]) == ([10.0, 10.0], 110.0, [1.0, 2.0])
    assert scores["turns"][0]["estimates"] == [(2.0, 2.0)]
    assert scores["question_tokens"] == (100, 10) and scores["reward"] == pytest.approx(10.7)
    # The environment is where it was.
    assert room.step(2)[4]["text"].count("Boxes: (1, 2)") == 1

    # The model gives up, and the run ends.
    lost = play(room, saying(left, "<answer>impossible</answer>"), id="b", questions={"steps": None}, impossible_in_a_row=1)
    assert lost.outcome is None and len(lost.scores()["turns"]) == 1
    assert lost.scores()["turns"][0]["estimates"] == ["impossible"] and lost.scores()["end"] == "at_limit"

    found = rollouts([run, lost], ["steps", "output_tokens"])
    assert len(found) == 2
    samples = ags.score_rollouts(found, lambda spent, left: (2, 2)).rows()
    assert [(sample.remaining, sample.feasible) for sample in samples] == [(2.0, True)]
    assert json.loads(run.to_atif())["steps"]

    warehouse = Warehouse()
    warehouse.reset(seed=1)
    warehouse.step(np.zeros(32, int))
    run = play(warehouse, saying(*["<answer>produce JCA374 1 air</answer>"] * 10))
    assert len(run.scores()["turns"]) == 10 and run.scores()["spent"]["time_weeks"] == [2.0] * 10


def test_without_gymnasium_the_extra_is_named():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import agent_scorecard\n"
        "try: import agent_scorecard.environments\n"
        "except ImportError as error: print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'agent-scorecard[gymnasium]'" in printed


def test_a_module_of_its_own_is_not_imported_with_the_package():
    code = "import sys, agent_scorecard; print('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
    assert environments.__doc__ and "Gymnasium" in environments.__doc__


def test_a_cap_ends_a_run_unless_it_is_only_told():
    runs = []
    for enforces in (True, False):
        room, *_ = corridor()
        texts = ["<answer>Left || Left</answer>", "<answer>[9, 9]</answer>"] * 10
        runs.append(play(room, saying(*texts), questions={"steps": 3}, enforces_caps=enforces))
    ended, told = (run.scores() for run in runs)
    assert (sum(ended["spent"]["steps"]), sum(told["spent"]["steps"])) == (4, 20)
    assert runs[1].outcome is False and runs[0].outcome is None
