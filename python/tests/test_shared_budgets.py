"""Budgets that threads and tasks share."""

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import agent_scorecard as ags


def test_a_block_settles_or_gives_back():
    budget = ags.Budget({"tokens": 100, "usd": None})
    with budget.reserve({"tokens": 60}) as call:
        assert budget.held == {"tokens": 60.0, "usd": 0.0} and budget.left["tokens"] == 40.0
        call.settle({"tokens": 25, "usd": 0.1})
    assert budget.spent == {"tokens": 25.0, "usd": 0.1}
    assert budget.caps == {"tokens": 100.0, "usd": None} and budget.left == {"tokens": 75.0, "usd": None}
    # A block that does not settle counts as used in full; one that fails gives back.
    with budget.reserve({"tokens": 5}):
        pass
    with pytest.raises(RuntimeError), budget.reserve({"tokens": 50}):
        raise RuntimeError
    assert budget.spent["tokens"] == 30.0 and budget.held["tokens"] == 0.0
    with pytest.raises(ValueError, match="the reservation has ended"):
        call.settle()
    unused = budget.reserve({"tokens": 70})
    unused.give_back()
    budget.reserve({"tokens": 10}).settle({"tokens": 15})
    assert budget.excess["tokens"] == 5.0


def test_a_refusal_has_its_reason_and_wrong_amounts_are_value_errors():
    budget = ags.Budget({"tokens": 100}, notice_at=0.5)
    with pytest.raises(ags.BudgetRefused, match="cannot reserve 101 tokens: 100 left") as refused:
        budget.reserve({"tokens": 101})
    assert refused.value.stop_reason == "max_tokens"
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    for wrong in ({"tokens": -1}, {"tokens": float("nan")}, {"usd": 1}):
        with pytest.raises(ValueError):
            budget.reserve(wrong)
    with pytest.raises(ValueError):
        budget.child({"tokens": 101})
    assert budget.notice() is None
    budget.spend({"tokens": 50})
    assert [budget.notice(), budget.notice()] == ["tokens", None]
    child = budget.child({"tokens": 10})
    budget.stop("user_stop")
    with pytest.raises(ags.BudgetRefused, match="this budget takes no further reservation, because it was stopped: user_stop"):
        child.reserve({"tokens": 1})
    assert child.stop_reason == "user_stop"


def test_tasks_that_are_cancelled_give_back():
    budget = ags.Budget({"tokens": 1000})

    async def agent(name, own):
        spent = 0
        while True:
            try:
                async with own.reserve({"tokens": 40}) as call:
                    await asyncio.sleep(0.0005 * (1 + name))
                    call.settle({"tokens": 30})
                    spent += 30
            except ags.BudgetRefused:
                return spent

    async def run():
        agents = [asyncio.ensure_future(agent(name, budget.child({"tokens": 400}))) for name in range(4)]
        await asyncio.sleep(0.002)
        agents[3].cancel()
        return await asyncio.gather(*agents, return_exceptions=True)

    found = asyncio.run(run())
    assert isinstance(found[3], asyncio.CancelledError)
    assert budget.held == {"tokens": 0.0} and sum(found[:3]) <= budget.spent["tokens"] <= 1000.0
    assert budget.spent["tokens"] > 900.0 and max(found[:3]) <= 400


def test_threads_spend_no_more_than_the_cap():
    budget = ags.Budget({"calls": 1000, "usd": 0.5})

    def agent(_):
        made = 0
        while True:
            try:
                with budget.reserve({"calls": 1, "usd": 0.001}) as call:
                    call.settle({"usd": 0.0007})
                    made += 1
            except ags.BudgetRefused:
                return made

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(agent, range(8)))
    assert budget.spent["calls"] == made and budget.spent["usd"] == pytest.approx(0.0007 * made, abs=1e-12)
    assert 0.499 <= budget.spent["usd"] <= 0.5


def test_a_stored_tree_goes_on():
    budget = ags.Budget({"tokens": 100})
    child = budget.child({"tokens": 50})
    child.reserve({"tokens": 20}).settle()
    under_way = child.reserve({"tokens": 10})
    texts = budget.to_json(), child.to_json()
    under_way.give_back()
    again = ags.Budget.from_json(texts[0])
    own = again.adopt(texts[1])
    assert (str(again), str(own)) == ("70 of 100 tokens left", "20 of 50 tokens left")
    own.spend({"tokens": 5})
    assert again.spent == {"tokens": 35.0}
    for wrong in ("{}", texts[0].replace("100", "1"), "no JSON"):
        with pytest.raises(ValueError, match="stored budget"):
            ags.Budget.from_json(wrong)


def test_the_costs_of_calls_are_pickled_and_checked():
    costs = ags.CallCosts(0.05, window=500)
    costs.learn(range(1000))
    costs.learn(7.5)
    again = pickle.loads(pickle.dumps(costs))
    assert again.amount(2000) == costs.amount(2000) < 2000 and again.mean == costs.mean
    for wrong in (lambda: ags.CallCosts(1.5), lambda: ags.CallCosts(0.1, window=0), lambda: costs.learn(-1)):
        with pytest.raises(ValueError):
            wrong()
