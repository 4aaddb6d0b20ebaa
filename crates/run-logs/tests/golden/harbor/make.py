#!/usr/bin/env python3
"""Writes trajectories with the package atif and trials with Harbor, and what these packages say of them.

    python3.13 -m venv venv && venv/bin/pip install atif==1.8.0 pydantic==2.14.3 shortuuid toml tenacity python-dotenv pyyaml
    venv/bin/pip install --no-deps harbor==0.25.0     # its models need no more than that
    venv/bin/python crates/run-logs/tests/golden/harbor/make.py
    venv/bin/python crates/run-logs/tests/golden/harbor/make.py --check FILE…    # do both packages accept these files?

Files beside this script:

    atif.jsonl.gz            240 trajectories of the versions 1.2 to 1.8, one per line, written by atif
    atif.expected.jsonl.gz   one line for each: what atif reads, and Harbor's usage by model
    harbor.jsonl.gz          the files of 220 trials, {"path", "text"}: single and several steps, continued
                             trajectories, subagents in files, trials without a trajectory
    harbor.expected.jsonl.gz one line per trial: Harbor's own totals, rewards and whether they are valid
    policies.json            Harbor's table of exceptions: whether they leave a valid reward, and the cause

The contents are made here from a fixed seed. Numbers are compared exactly."""
import datetime
import gzip
import json
import pathlib
import random
import sys
import tempfile
import uuid

import atif
from harbor.models.agent.context import AgentContext
from harbor.models.task.id import LocalTaskId
from harbor.models.trajectories import Trajectory as HarborTrajectory
from harbor.models.trial.config import TaskConfig, TrialConfig
from harbor.models.trial.error_policy import ERROR_POLICIES
from harbor.models.trial.result import AgentInfo, ExceptionInfo, ModelInfo, StepResult, TrialResult
from harbor.models.verifier.result import VerifierResult
from harbor.utils.trajectory_utils import compute_model_usage, format_trajectory_json

HERE = pathlib.Path(__file__).parent
ORIGIN = "atif 1.8.0, harbor 0.25.0, pydantic 2.14.3; make.py"
VERSIONS = ["ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8"]
TEXTS = ["", "Let me look.", "line\nbreak", "é √ 😀", 'a "quote" \\ and <action>8</action>']
VALUES = ["ls -la", 3, 2.5, True, None, ["a", {"b": 1}], {"path": "/tmp/x"}, 12345678901234567890, "😀"]
WHEN = datetime.datetime(2026, 11, 22, 10, tzinfo=datetime.timezone.utc)


def part(rng, text, versioned):
    if versioned and rng.random() < 0.15:
        image = {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}}
        return [{"type": "text", "text": text}, image, {"type": "text", "text": " and this"}]
    return text


def metrics(rng, minor):
    made = {}
    if rng.random() < 0.85:
        made |= {"prompt_tokens": rng.randrange(0, 9000), "completion_tokens": rng.randrange(0, 900)}
    if rng.random() < 0.5:
        made["cached_tokens"] = rng.randrange(0, 5000)
    if rng.random() < 0.7:
        made["cost_usd"] = rng.choice([0.0, rng.random() / 50, 0.25])
    if rng.random() < 0.4:
        n = rng.randrange(0, 6)
        made["logprobs"] = [rng.choice([0.0, -9999.0, -rng.random(), -17.25, -1e-300]) for _ in range(n)]
        if minor >= 4:
            made |= {"completion_token_ids": list(range(n)), "prompt_token_ids": [1, 2, 3]}
    if rng.random() < 0.3:
        made["extra"] = {"reasoning_tokens": rng.randrange(0, 90), "provider": "x"}
    return made


def step(rng, number, minor, files):
    source = rng.choice(["agent"] * 4 + ["user", "system"]) if number > 1 else "user"
    made = {"step_id": number, "source": source, "message": part(rng, rng.choice(TEXTS), minor >= 6),
            "timestamp": "2026-11-22T10:00:00Z"}
    if source != "agent":
        return made
    if rng.random() < 0.3:
        made["model_name"] = rng.choice(["gpt-5.4", "claude-opus-4-6"])
    if rng.random() < 0.3:
        made["extra"] = rng.choice([{"a": 1}, {"run_logs": "not ours"}, {}])
    count = rng.choice([None, None, 0, 1, 3]) if minor >= 7 else None
    if count is not None:
        made["llm_call_count"] = count
    if count != 0:
        if rng.random() < 0.8:
            made["metrics"] = metrics(rng, minor)
        if rng.random() < 0.3:
            made["reasoning_content"] = "I think."
            made["reasoning_effort"] = rng.choice(["high", 0.5])
    if minor >= 5 and rng.random() < 0.15:
        made["is_copied_context"] = rng.random() < 0.8
    if rng.random() < 0.6:
        calls = [{"tool_call_id": f"call_{number}_{i}", "function_name": rng.choice(["bash", "edit", "finish"]),
                  "arguments": {f"k{j}": rng.choice(VALUES) for j in range(rng.randrange(0, 3))}} for i in range(rng.randrange(1, 4))]
        made["tool_calls"] = calls
        results = [{"source_call_id": call["tool_call_id"], "content": part(rng, rng.choice(TEXTS), minor >= 6)} for call in calls]
        rng.shuffle(results)
        results = results[: rng.randrange(0, len(results) + 1)]
        for result in results:
            if rng.random() < 0.2:
                del result["source_call_id"]
            if files and rng.random() < 0.3:
                result["subagent_trajectory_ref"] = [{"trajectory_path": files.pop(), "session_id": "s"}]
        if results or rng.random() < 0.5:
            made["observation"] = {"results": results}
    return made


def totals(rng, steps):
    """The sum of the steps, or something else: agents count differently."""
    charged = [s["metrics"] for s in steps if s.get("metrics") and not s.get("is_copied_context")]
    plus = rng.choice([0, 0, 17])
    made = {"total_prompt_tokens": sum(m.get("prompt_tokens", 0) for m in charged) + plus,
            "total_completion_tokens": sum(m.get("completion_tokens", 0) for m in charged),
            "total_cached_tokens": sum(m.get("cached_tokens", 0) for m in charged), "total_cost_usd": rng.random(),
            "total_steps": len(steps)}
    return rng.choice([None, {}, made, made, {k: v for k, v in made.items() if rng.random() < 0.5}])


def trajectory(rng, name, version=None, depth=0, files=()):
    version = version or rng.choice(VERSIONS)
    minor = int(version.rsplit(".", 1)[1])
    files = list(files)
    steps = [step(rng, n, minor, files) for n in range(1, rng.randrange(2, 7))]
    made = {"schema_version": version, "session_id": name, "steps": steps,
            "agent": {"name": rng.choice(["terminus-2", "claude-code"]), "version": "2.0.0"}}
    if rng.random() < 0.8:
        made["agent"]["model_name"] = rng.choice(["gpt-5.4", "gemini-3-pro"])
    final = totals(rng, steps)
    if final is not None:
        made["final_metrics"] = final
    if rng.random() < 0.3:
        made |= {"notes": "a note", "extra": {"any": ["thing"], "scores": {"judge": 0.5}}}
    if minor >= 7:
        if rng.random() < 0.4:
            made["trajectory_id"] = f"{name}-t"
        if depth < 2 and rng.random() < 0.35:
            subagents = [trajectory(rng, f"{name}-{i}", version, depth + 1) for i in range(rng.randrange(1, 3))]
            for i, subagent in enumerate(subagents):
                subagent["trajectory_id"] = f"sub-{i}"
            made["subagent_trajectories"] = subagents
            for s in steps:
                if "tool_calls" in s and rng.random() < 0.5:
                    ref = {"trajectory_id": f"sub-{rng.randrange(len(subagents))}"}
                    s["observation"] = {"results": [{"source_call_id": s["tool_calls"][0]["tool_call_id"],
                                                     "subagent_trajectory_ref": [ref]}]}
    return made


def plain(content):
    return content if isinstance(content, str) else "".join(p.text or "" for p in content or [])


def read_turns(read, depth=0):
    """The turns of a trajectory: those of a subagent stand behind the turn that refers to it first."""
    subagents = {sub.trajectory_id: sub for sub in read.subagent_trajectories or []}
    for s in read.steps:
        if s.source != "agent" or s.is_copied_context:
            continue
        m = s.metrics
        yield {"subagent": read.agent.name if depth else None, "model": s.model_name or read.agent.model_name, "text": plain(s.message),
               "model_calls": s.llm_call_count,
               "calls": [{"id": c.tool_call_id, "name": c.function_name, "arguments": c.arguments} for c in s.tool_calls or []],
               "usage": m and {"input": m.prompt_tokens, "output": m.completion_tokens, "cached": m.cached_tokens,
                               "cost": m.cost_usd, "reasoning": (m.extra or {}).get("reasoning_tokens")},
               "logprobs": m and m.logprobs}
        for result in (s.observation.results if s.observation else []):
            for ref in result.subagent_trajectory_ref or []:
                if ref.trajectory_path is None and ref.trajectory_id in subagents:
                    yield from read_turns(subagents.pop(ref.trajectory_id), depth + 1)
    for sub in subagents.values():
        yield from read_turns(sub, depth + 1)


def usage_by_model(read):
    """Harbor's count, without the steps that were copied: these were charged before."""
    def without_copies(t):
        steps = [s for s in t.steps if not s.is_copied_context]
        subs = [without_copies(sub) for sub in t.subagent_trajectories or []]
        return t.model_copy(update={"steps": steps, "subagent_trajectories": subs or None})
    return {model: u.model_dump() for model, u in compute_model_usage(without_copies(read)).items()}


def own_steps(read):
    charged = [s.metrics for s in read.steps if s.metrics and s.source == "agent" and not s.is_copied_context]
    known = lambda name: [getattr(m, name) for m in charged if getattr(m, name) is not None]
    return {name: sum(known(name)) if known(name) else None for name in ("prompt_tokens", "completion_tokens", "cached_tokens")}


def read_atif(text):
    read = atif.Trajectory.model_validate_json(text)
    final = read.final_metrics
    return {"version": read.schema_version, "session": read.session_id, "model": read.agent.model_name, "agent": read.agent.name,
            "final": final and {"input": final.total_prompt_tokens, "output": final.total_completion_tokens,
                                "cached": final.total_cached_tokens, "cost": final.total_cost_usd},
            "steps": own_steps(read), "turns": list(read_turns(read)), "by_model": usage_by_model(read),
            "copied": sum(bool(s.is_copied_context) for s in read.steps), "alone": not read.subagent_trajectories}


def agent_context(rng):
    made = AgentContext(n_input_tokens=rng.choice([None, rng.randrange(9000)]), n_cache_tokens=rng.choice([None, 0, rng.randrange(900)]),
                        n_output_tokens=rng.choice([None, rng.randrange(900)]), cost_usd=rng.choice([None, 0.5 * rng.random()]))
    if rng.random() < 0.3:
        made.rollout_details = [{"completion_token_ids": [[1, 2], [3]], "logprobs": [[-0.5, -0.25], [-1.5]]}, {"logprobs": [[-9.0]]}]
    return rng.choice([made, made, None])


def exception(rng):
    if rng.random() < 0.5:
        return None
    kind = rng.choice([*ERROR_POLICIES, "SomeOtherError", "AgentTimeoutError", "AgentTimeoutError", "ContextWindowExceededError"])
    return ExceptionInfo(exception_type=kind, exception_message=rng.choice(["", "timed out after 900 seconds"]),
                         exception_traceback="…", occurred_at=WHEN)


def rewards(rng):
    return rng.choice([None, VerifierResult(rewards=None), VerifierResult(rewards={}), VerifierResult(rewards={"reward": 1}),
                       VerifierResult(rewards={"reward": 0.0}), VerifierResult(rewards={"reward": 0.5, "style": 2})])


def write_trajectories(rng, folder, name):
    """Writes what an agent leaves; returns the trajectories that belong to the trial, in order."""
    if rng.random() < 0.2:
        return []
    folder.mkdir(parents=True)
    version = rng.choice(VERSIONS)
    files = [f"trajectory.sub-{i}.json" for i in range(rng.choice([0, 0, 2]))]
    parts = [trajectory(rng, name, version, files=files) for _ in range(rng.choice([1, 1, 2]))]
    for i, made in enumerate(parts[:-1]):
        made["continued_trajectory_ref"] = f"trajectory.cont-{i + 1}.json"
    for i, made in enumerate(parts):
        made = HarborTrajectory.model_validate(made)
        path = folder / (f"trajectory.cont-{i}.json" if i else "trajectory.json")
        path.write_text(format_trajectory_json(made.to_json_dict()))
    for path in files[:1]:
        made = HarborTrajectory.model_validate(trajectory(rng, name, version, depth=2))
        (folder / path).write_text(format_trajectory_json(made.to_json_dict()))
    return [path for path in ["trajectory.json", "trajectory.cont-1.json"] if (folder / path).exists()]


def trial(rng, root, number):
    name = f"task-{number % 40}__{number:04}"
    folder = root / name
    folder.mkdir(parents=True)
    several = rng.random() < 0.3
    steps = None
    if several:
        steps = [StepResult(step_name=f"step-{i}", agent_result=agent_context(rng), verifier_result=rewards(rng),
                            exception_info=exception(rng) if rng.random() < 0.4 else None) for i in range(rng.randrange(1, 4))]
    config = TrialConfig(task=TaskConfig(path=pathlib.Path("tasks/x")), trial_name=name, trials_dir=pathlib.Path("jobs"))
    result = TrialResult(id=uuid.UUID(int=number), task_name=f"task-{number % 40}", trial_name=name, trial_uri=f"file:///jobs/{name}",
                         task_id=LocalTaskId(path=pathlib.Path("tasks/x")), source="set", task_checksum="0", config=config,
                         agent_info=AgentInfo(name="terminus-2", version="2.0.0",
                                              model_info=rng.choice([None, ModelInfo(name="claude-opus-4-6", provider="anthropic")])),
                         agent_result=None if several else agent_context(rng), verifier_result=rewards(rng),
                         exception_info=exception(rng), started_at=WHEN, finished_at=WHEN, step_results=steps)
    (folder / "result.json").write_text(result.model_dump_json(indent=4))
    (folder / "config.json").write_text(config.model_dump_json(indent=4))
    folders = [folder / "steps" / s.step_name / "agent" for s in steps] if several else [folder / "agent"]
    return folder, [(agent, write_trajectories(rng, agent, name)) for agent in folders]


def read_trial(folder, agents):
    read = TrialResult.model_validate_json((folder / "result.json").read_text())
    exceptions = read._recorded_exceptions()
    totals = read.compute_token_cost_totals()
    contexts = [step.agent_result for step in read.step_results] if read.step_results else [read.agent_result]
    turns = []
    for (agent, paths), context in zip(agents, contexts):
        made = []
        for path in paths:
            whole = HarborTrajectory.model_validate_json((agent / path).read_text())
            made += read_turns(whole)
            refs = [ref.trajectory_path for s in whole.steps if s.source == "agent" and not s.is_copied_context and s.observation
                    for result in s.observation.results for ref in result.subagent_trajectory_ref or []]
            for ref in refs:
                if ref is not None and (agent / ref).exists():
                    made += read_turns(HarborTrajectory.model_validate_json((agent / ref).read_text()), 1)
        # The agent reports log-probabilities by reply, too.
        logprobs = context.rollout_details[0]["logprobs"] if context and context.rollout_details else []
        if not made:
            made = [{"subagent": None, "model": None, "text": "", "calls": [], "usage": None, "model_calls": None, "logprobs": None}
                    for _ in logprobs]
        own = [turn for turn in made if turn["subagent"] is None and turn["model_calls"] != 0]
        if len(own) == len(logprobs):
            for turn, found in zip(own, logprobs):
                turn["logprobs"] = found if turn["logprobs"] is None else turn["logprobs"]
        turns += made
    names = ["n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"]
    complete = [all(context is not None and getattr(context, name) is not None for context in contexts) for name in names]
    model = read.agent_info.model_info
    return {"name": read.trial_name, "task": read.task_name, "model": model and model.name, "reward_valid": read.reward_valid,
            "rewards": (read.verifier_result and read.verifier_result.rewards) or {}, "totals": totals,
            "exceptions": [[e.exception_type, e.policy.reward_valid, e.policy.cause.value] for e in exceptions],
            "complete": complete, "turns": turns}


def write(name, lines):
    with open(HERE / name, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for line in lines:
            packed.write(((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n").encode())


def check(paths):
    for path in paths:
        for number, line in enumerate(open(path), 1):
            for package in (atif.Trajectory, HarborTrajectory):
                package.model_validate_json(line)
        print(f"{path}: {number} trajectories are valid")


def main():
    rng = random.Random(20)
    texts = []
    for number in range(240):
        made = atif.Trajectory.model_validate(trajectory(rng, f"run-{number:03}", VERSIONS[number % len(VERSIONS)]))
        texts.append(made.model_dump_json(exclude_none=rng.random() < 0.5))
    write("atif.jsonl.gz", texts)
    write("atif.expected.jsonl.gz", [{"origin": ORIGIN}, *map(read_atif, texts)])
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        trials = [trial(rng, root / "job", number) for number in range(220)]
        paths = sorted(path for path in root.rglob("*.json"))
        write("harbor.jsonl.gz", [{"path": str(path.relative_to(root)), "text": path.read_text()} for path in paths])
        write("harbor.expected.jsonl.gz", [{"origin": ORIGIN}, *(read_trial(*made) for made in trials)])
    policies = {name: [policy.reward_valid, policy.cause.value] for name, policy in sorted(ERROR_POLICIES.items())}
    (HERE / "policies.json").write_text(json.dumps({"origin": ORIGIN, "policies": policies}, indent=1) + "\n")


if __name__ == "__main__":
    check(sys.argv[2:]) if sys.argv[1:2] == ["--check"] else main()
