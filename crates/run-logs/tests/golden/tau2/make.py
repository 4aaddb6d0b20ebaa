#!/usr/bin/env python3
"""Writes results with tau2-bench itself, and what the benchmark's own reader says of them.

    git clone https://github.com/sierra-research/tau2-bench && git -C tau2-bench checkout a2c024725189
    python3.12 -m venv venv && venv/bin/pip install pydantic==2.14.3 pandas==3.1.1 loguru deepdiff addict pyyaml toml \
        python-dotenv docstring-parser httpx litellm==1.82.6 tenacity typer rich requests psutil
    PYTHONPATH=tau2-bench/src venv/bin/python crates/run-logs/tests/golden/tau2/make.py

(The package of that name in the registry is another one.) Files beside this script:

    tau2.jsonl.gz           one line per file that the benchmark wrote: {"path", "text"}; `single.json` holds 200
                            simulations, the folder `folder` 60 more, some of them of spoken conversations
    tau2.expected.jsonl.gz  one line per simulation: what `Results.load` reads, in its order

The conversations are made here from a fixed seed. Numbers are compared exactly."""
import gzip
import json
import pathlib
import random
import tempfile

from tau2.data_model.message import AssistantMessage, MultiToolMessage, Tick, ToolCall, ToolMessage, UserMessage
from tau2.data_model.simulation import (ActionCheck, AgentInfo, Info, Results, RewardInfo, SimulationRun, TerminationReason,
                                        UserInfo)
from tau2.data_model.tasks import Action, EvaluationCriteria, RewardType, Task, UserScenario
from tau2.environment.environment import EnvironmentInfo
from tau2.metrics.agent_metrics import is_successful
from tau2.orchestrator.orchestrator import DEFAULT_FIRST_AGENT_MESSAGE

HERE = pathlib.Path(__file__).parent
ORIGIN = "tau2-bench 1.0.1 (a2c024725189), pydantic 2.14.3; make.py"
TOOLS = ["get_user_details", "book_reservation", "cancel_reservation", "toggle_data", "refuel_data"]
VALUES = ["u_1", "é😀", 3, 2.5, True, None, ["a", 1], {"from": "SFO", "bags": 2}, 12345678901234567890, ""]
WHEN = "2026-11-22T10:00:00"


def arguments(rng):
    return {f"k{i}": rng.choice(VALUES) for i in range(rng.randrange(0, 4))}


def usage(rng):
    return rng.choice([None, {"completion_tokens": rng.randrange(1, 300), "prompt_tokens": rng.randrange(50, 9000)}])


def task(rng, number):
    actions = [Action(action_id=f"{number}_{i}", name=rng.choice(TOOLS), arguments=arguments(rng),
                      requestor=rng.choice(["assistant"] * 3 + ["user"]), compare_args=rng.choice([None, None, [], ["k0"]]))
               for i in range(rng.randrange(0, 4))]
    criteria = rng.choice([EvaluationCriteria(actions=actions, reward_basis=[RewardType.DB, RewardType.COMMUNICATE]),
                           EvaluationCriteria(actions=actions), EvaluationCriteria(actions=None), None])
    return Task(id=str(number), user_scenario=UserScenario(instructions="Change the flight."), evaluation_criteria=criteria)


def calls(rng, who, counter):
    made = []
    for _ in range(rng.randrange(1, 4)):
        counter[0] += 1
        id = "" if counter[1] else f"call_{counter[0]}"
        made.append(ToolCall(id=id, name=rng.choice(TOOLS), arguments=arguments(rng), requestor=who))
    return made


def results(rng, made, shuffle):
    found = [ToolMessage(id=call.id, role="tool", content=rng.choice(["ok", "Error: no such user", None]), requestor=call.requestor,
                         error=rng.random() < 0.2, timestamp=WHEN) for call in made]
    if shuffle:
        rng.shuffle(found)
    return [MultiToolMessage(role="tool", tool_messages=found)] if len(found) > 1 and rng.random() < 0.5 else found


def conversation(rng):
    counter = [0, rng.random() < 0.1]
    greeting = DEFAULT_FIRST_AGENT_MESSAGE.model_copy(update={"timestamp": WHEN})
    messages = [greeting] if rng.random() < 0.8 else []
    if rng.random() < 0.05:
        return []
    for _ in range(rng.randrange(1, 4)):
        if messages:
            messages.append(UserMessage(role="user", content=rng.choice(["My flight…", "yes", "###STOP###"]), cost=0.001,
                                        usage=usage(rng), timestamp=WHEN))
            if rng.random() < 0.3:
                made = calls(rng, "user", counter)
                messages.append(UserMessage(role="user", tool_calls=made, cost=rng.choice([None, 0.002]), timestamp=WHEN))
                messages += results(rng, made, not counter[1])
        if rng.random() < 0.7:
            made = calls(rng, "assistant", counter)
            messages.append(AssistantMessage(role="assistant", content=rng.choice([None, "Let me see."]), tool_calls=made,
                                             cost=rng.choice([None, 0.01, 0.0025]), usage=usage(rng), timestamp=WHEN))
            # Some calls of the last message have no result.
            messages += results(rng, made if rng.random() < 0.9 or counter[1] else made[:-1], not counter[1])
        messages.append(AssistantMessage(role="assistant", content=rng.choice(["Done. \"é\" 😀", "One moment\nplease"]),
                                         cost=0.005, usage={"completion_tokens": 7, "prompt_tokens": rng.randrange(1, 999)},
                                         timestamp=WHEN))
    return messages


def ticks(rng):
    made = []
    counter = [0, False]
    for number in range(rng.randrange(2, 7)):
        agent_calls = calls(rng, "assistant", counter) if rng.random() < 0.4 else []
        user_calls = calls(rng, "user", counter) if rng.random() < 0.2 else []
        speech = lambda cls, role: rng.choice([None, cls(role=role, content=rng.choice(["", "Hello", "Bye"]), timestamp=WHEN),
                                               cls(role=role, content="UklGRg==", is_audio=True, timestamp=WHEN)])
        made.append(Tick(tick_id=number, timestamp=WHEN, agent_chunk=speech(AssistantMessage, "assistant"),
                         user_chunk=speech(UserMessage, "user"), agent_tool_calls=agent_calls, user_tool_calls=user_calls,
                         agent_tool_results=[m for m in results(rng, agent_calls, False) if isinstance(m, ToolMessage)],
                         user_tool_results=[m for m in results(rng, user_calls, False) if isinstance(m, ToolMessage)]))
    return made


def simulation(rng, number, task, trial, spoken):
    ended = rng.choice(list(TerminationReason)) if rng.random() < 0.5 else TerminationReason.USER_STOP
    reward = None
    if ended != TerminationReason.INFRASTRUCTURE_ERROR or rng.random() < 0.2:
        actions = task.evaluation_criteria.actions if task.evaluation_criteria else None
        checks = [ActionCheck(action=action, action_match=rng.random() < 0.5, action_reward=1.0) for action in actions or []]
        value = rng.choice([1.0, 0.0, 0.5, 1.0 - 1e-7, 1.0 + 1e-7, 1.0 - 2e-6])
        reward = rng.choice([RewardInfo(reward=value, action_checks=checks), RewardInfo(reward=value), None])
    infra = ended == TerminationReason.INFRASTRUCTURE_ERROR
    return SimulationRun(id=f"sim-{number:03}", task_id=task.id, timestamp=WHEN, start_time=WHEN, end_time=WHEN,
                         duration=rng.random(), termination_reason=ended, agent_cost=rng.choice([None, 0.0, 0.25 * rng.random()]),
                         user_cost=0.01, reward_info=reward, messages=None if spoken else [] if infra else conversation(rng),
                         ticks=ticks(rng) if spoken else None, trial=trial, seed=300 + trial,
                         info={"error": "the provider closed the connection", "error_type": "X"} if infra else None)


def made(rng, n, n_tasks, spoken):
    tasks = [task(rng, number) for number in range(n_tasks)]
    info = Info(git_commit="0", num_trials=4, max_steps=200, max_errors=10,
                user_info=UserInfo(implementation="user_simulator", llm="gpt-4.1"),
                agent_info=AgentInfo(implementation="llm_agent", llm="claude-sonnet-4-5"),
                environment_info=EnvironmentInfo(domain_name="airline", policy="Be kind."))
    runs = [simulation(rng, number, tasks[number % n_tasks], number // n_tasks, spoken and number % 3 == 0) for number in range(n)]
    return Results(timestamp=WHEN, info=info, tasks=tasks, simulations=runs)


def read_call(call, answers):
    answer = answers.get(id(call))
    return {"id": call.id or None, "name": call.name, "arguments": call.arguments,
            "ok": None if answer is None else not answer.error,
            "error": (answer.content or "") if answer is not None and answer.error else None}


def answered(messages):
    """The result of each call: by id, or in the order of the calls without an id."""
    waiting, found = [], {}
    for message in messages:
        waiting += [call for call in getattr(message, "tool_calls", None) or []]
        several = getattr(message, "tool_messages", None) or ([message] if message.role == "tool" else [])
        for result in several:
            of = [c for c in waiting if c.requestor == result.requestor and c.id == result.id]
            if of:
                waiting.remove(next(c for c in waiting if c is of[0]))
                found[id(of[0])] = result
    return found


def read(results):
    for run in results.simulations:
        messages = run.get_messages()
        answers = answered(messages)
        turns = []
        for position, message in enumerate(messages):
            if message.role not in ("assistant", "user"):
                continue
            if message.content == DEFAULT_FIRST_AGENT_MESSAGE.content:
                continue
            text = "" if message.is_audio else message.content or ""
            if run.messages is None and not text and not message.tool_calls:
                continue
            used = message.usage
            turns.append({"role": message.role, "text": text,
                          "calls": [read_call(call, answers) for call in message.tool_calls or []],
                          "input": used and used["prompt_tokens"], "output": used and used["completion_tokens"], "cost": message.cost})
        task = next(task for task in results.tasks if task.id == run.task_id)
        actions = task.evaluation_criteria.actions if task.evaluation_criteria else None
        checks = {check.action.action_id: check.action_match for check in (run.reward_info and run.reward_info.action_checks) or []}
        infra = run.termination_reason == TerminationReason.INFRASTRUCTURE_ERROR
        reward = run.reward_info.reward if run.reward_info else None
        yield {"id": run.id, "task": run.task_id, "trial": run.trial, "model": results.info.agent_info.llm,
               "reward": reward, "success": None if infra or reward is None else is_successful(reward), "excluded": infra,
               "ended": run.termination_reason.value, "cost": run.agent_cost, "turns": turns,
               "error": (run.info or {}).get("error"), "max_steps": results.info.max_steps,
               "expected": [{"name": a.name, "arguments": a.arguments, "user": a.requestor == "user", "compared": a.compare_args,
                             "matched": checks.get(a.action_id)} for a in actions or []]}


def write(name, lines):
    with open(HERE / name, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for line in lines:
            packed.write((json.dumps(line, ensure_ascii=False) + "\n").encode())


def main():
    rng = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "folder").mkdir()
        made(rng, 200, 50, False).save(folder / "single.json")
        made(rng, 60, 20, True).save(folder / "folder", format="dir")
        paths = sorted(path for path in folder.rglob("*.json"))
        write("tau2.jsonl.gz", [{"path": str(path.relative_to(folder)), "text": path.read_text()} for path in paths])
        expected = [{"origin": ORIGIN}, *read(Results.load(folder / "single.json")), *read(Results.load(folder / "folder"))]
        write("tau2.expected.jsonl.gz", expected)


if __name__ == "__main__":
    main()
