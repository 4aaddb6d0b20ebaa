"""Writes the golden files of BAGEN's released evaluation beside this script.

It makes dialogues and answers in the released format from a fixed seed, and runs the released code on
them: the flattening, the parsers and the metrics of `ragen/env/{token,money}_estimation/env.py`, the
summaries of `scripts/budget-estimation-benchmark/run_*_estimation_env.py`, the reward and the summary of
`scripts/budget-rl/{budget_probe_reward,eval_checkpoint}.py`, and table 1 and the range classes of
`figure/bagen/generate_all_figures.py` (deleted at b3ccaed, taken from its parent).

    git clone https://github.com/mll-lab-nu/BAGEN && cd BAGEN && git checkout 58bef4c
    git show b3ccaed^:figure/bagen/generate_all_figures.py > generate_all_figures.py
    python3 …/tests/golden/bagen/bagen.py .

Packages that the released files import, but that this does not need, are replaced by stand-ins.
"""

import importlib.util
import json
import random
import sys
import tempfile
import types
from pathlib import Path
from unittest.mock import MagicMock

sys.dont_write_bytecode = True  # no __pycache__ beside the golden files
HERE = Path(__file__).resolve().parent
REPO = Path(sys.argv[1]).resolve()
RNG = random.Random(20260605)
CAP = 9_000


def stand_in(name, **attributes):
    module = types.ModuleType(name)
    for key, value in attributes.items():
        setattr(module, key, value)
    sys.modules[name] = module


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, REPO / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


for name in ["numpy", "pandas", "matplotlib", "matplotlib.pyplot", "tqdm", "tqdm.auto", "gymnasium",
             "openai", "datasets"]:
    sys.modules[name] = MagicMock()
sys.modules["numpy"].nan = float("nan")
for package in ["ragen", "ragen.env", "ragen.llm_agent"]:
    stand_in(package, __path__=[str(REPO / package.replace(".", "/"))])
stand_in("ragen.utils", all_seed=None)
stand_in("ragen.llm_agent.base_llm", ConcurrentLLM=None)
load("ragen.env.base", "ragen/env/base.py")
load("ragen.env.token_estimation.config", "ragen/env/token_estimation/config.py")
token_env = load("ragen.env.token_estimation.env", "ragen/env/token_estimation/env.py")
load("ragen.env.money_estimation.config", "ragen/env/money_estimation/config.py")
money_env = load("ragen.env.money_estimation.env", "ragen/env/money_estimation/env.py")
for package, env in [("token", token_env), ("money", money_env)]:
    full = f"ragen.env.{package}_estimation"
    config = sys.modules[f"{full}.config"]
    names = {**vars(config), **vars(env)}
    stand_in(full, **{k: v for k, v in names.items() if not k.startswith("__")})
SCRIPTS = "scripts/budget-estimation-benchmark"
token_run = load("token_run", f"{SCRIPTS}/run_token_estimation_env.py")
money_run = load("money_run", f"{SCRIPTS}/run_money_estimation_env.py")
training = load("budget_probe_reward", "scripts/budget-rl/budget_probe_reward.py")
training._log_sample = lambda info: None
checkpoint = load("eval_checkpoint", "scripts/budget-rl/eval_checkpoint.py")
figures = load("figures", "generate_all_figures.py")


def write(name, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (HERE / name).write_text(text.replace('},{"sample_id"', '},\n{"sample_id"').replace(
        '},{"rollout_index"', '},\n{"rollout_index"') + "\n")


# --- Dialogues -----------------------------------------------------------------------------------

def messages(turn):
    return [{"role": "system", "content": "Play."}, {"role": "user", "content": f"Turn {turn}?"}]


def token_dialogue(index):
    """Requests with the whole history, as the released agent sends them, and what goes wrong."""
    turns, history, kind = [], RNG.randint(150, 500), index % 12
    count = RNG.randint(1, 11)
    for t in range(1, count + 1):
        output = RNG.randint(20, 400)
        thought = RNG.randint(0, output // 2)
        turn = {
            "turn_idx": t,
            "messages": messages(t),
            "user_prompt": f"Turn {t}?",
            "parsed_response": f"<answer>step {t}</answer>",
            "raw_response": f"<think>maybe {t}, or not</think><answer>step {t}</answer>",
            "api_input_tokens": history,
            "api_output_tokens": output,
            "api_total_tokens": history + output,
            "actions": ["up"],
            "success": False,
        }
        visible = output
        if kind in (1, 2):  # Reasoning tokens are reported.
            key = "completion_tokens_details" if kind == 1 else "output_tokens_details"
            raw = {"usage": {"raw": {key: {"reasoning_tokens": thought}}}}
            turn["api_interactions"] = [raw, {"usage": None}, {"usage": {"raw": {}}}]
            visible = output - thought
        if kind == 3:  # No parsed response.
            del turn["parsed_response"]
        if kind == 4 and t == 2:  # A turn without an answer.
            turn["parsed_response"] = turn["raw_response"] = " "
        if kind == 5 and t == max(2, count - 1):
            turn["context_token_truncated"] = True
        if kind == 6 and t == max(2, count - 1):
            turn["info"] = {"context_token_truncated": 1}
        if kind == 7 and t == max(2, count):  # Above the cap, without an action.
            turn["api_total_tokens"], turn["actions"] = CAP + 1, []
        if kind == 8:  # Only totals, or only the output.
            del turn["api_input_tokens" if t % 2 else "api_output_tokens"]
        if kind == 9:  # Requests without history.
            turn["api_input_tokens"] = RNG.randint(50, 90)
            turn["api_total_tokens"] = turn["api_input_tokens"] + output
        if kind == 10 and t == 1:
            for key in ["api_input_tokens", "api_output_tokens", "api_total_tokens"]:
                turn[key[4:]] = str(turn.pop(key))
        if kind == 11 and t == 3:  # Nothing is known of this turn.
            for key in ["api_input_tokens", "api_output_tokens", "api_total_tokens"]:
                del turn[key]
        turns.append(turn)
        history += visible + RNG.randint(10, 200) + (2_000 if index % 7 == 5 and t == 3 else 0)
    if kind == 4:
        RNG.shuffle(turns)
    success = RNG.random() < 0.6
    rollout = {"turns": turns, "initial_state": "", "final_state": ""}
    if index % 2:
        rollout["rollout_success"] = success
    elif success:
        turns[-1]["success"] = True
    return rollout


def half_of_the_votes():
    """Of two later requests, one has at least the tokens of the history: still read as whole histories."""
    usage = [(100, 10), (120, 20), (50, 30)]
    turns = [{"turn_idx": t, "raw_response": "go", "api_input_tokens": read, "api_output_tokens": wrote}
             for t, (read, wrote) in enumerate(usage, start=1)]
    return {"turns": turns, "rollout_success": True}


def warehouse_dialogue(index):
    turns, day, items, cost = [], 0, 0.0, 0.0
    count = RNG.randint(1, 11)
    for t in range(1, count + 1):
        items += RNG.randint(0, 4_000) / 4
        cost += RNG.randint(0, 90_000) / 8
        finances = {"cash": 20_000.0 + RNG.randint(-9_000, 60_000) / 2, "cumulative_cost": cost,
                    "cumulative_inventory_weeks": items}
        if index % 9 == 4 and t == 2:
            finances = None
        turn = {"turn_idx": t, "messages": messages(t), "parsed_response": "pass",
                "user_prompt": f"Day {day}\nCash: $12,345.50", "financials": finances}
        if index % 9 == 5:
            turn["user_prompt"] = "What now?"
        if index % 9 == 6 and t == 2:
            turn["parsed_response"] = ""
        turns.append(turn)
        day += 14
    rollout = {"initial_state": "Day 0", "final_state": f"Day {day} Cash: $9,999.4", "turns": turns}
    if index % 3:
        rollout["success"] = [True, "yes", 0, True, 1][index % 5]
    else:
        turns[-1]["success"] = RNG.random() < 0.7
    return rollout


# --- Answers -------------------------------------------------------------------------------------

def token_answer(rng, remaining):
    around = max(1, int((remaining or 800) * rng.uniform(0.5, 1.6)))
    low, high = int(around * rng.uniform(0.4, 1.0)), int(around * rng.uniform(1.0, 1.7))
    return rng.choice([
        *[f"<think>hm</think><answer>[{low}, {high}]</answer>"] * 8,
        f"<answer>[{high}, {low}]</answer>",
        f"<ANSWER>\n[{low},{high}]\n</Answer>",
        f"<answer>[{low:,}, {high:,}]</answer>",
        f"<answer>{low} to {high} tokens</answer>",
        f"<answer>about [{low}, {high}], I think</answer>",
        f"<answer>[-{low}, {high}]</answer>",
        f"<answer>[{low}.5, {high}.25]</answer>",
        f"<answer>{around}</answer>",
        f"<answer> {around}\t</answer>",
        "<answer>impossible</answer>", "<answer>impossible</answer>", "<answer>impossible</answer>",
        "<answer> Impossible \n</answer>", "<ANSWER>IMPOSSIBLE</ANSWER>",
        "<answer>It is impossible.</answer>",
        f"<answer>[{low}, {high}]</answer> or <answer>impossible</answer>",
        f"<answer>impossible</answer><answer>[{low}, {high}]</answer>",
        f"<answer>[{low}, {high}]", f"[{low}, {high}]", "", "no idea</answer>",
        f"<answer><answer>[{low}, {high}]</answer></answer>",
        f"<think><answer>impossible</answer></think><answer>[{low}, {high}]</answer>",
        f"<answer>[ {low} , {high} ]</answer>", f"<answer>[{low}; {high}]</answer>",
        f"<answer>[{low},{high},{high}]</answer>", f"<answer>({low}, {high})</answer>",
        "<answer></answer>", f"<answer>[{low}]</answer>", f"<answer>[{low}, {high}] [1, 2]</answer>",
        f"<answer>\u00a0[{low},\u2003{high}]\u3000</answer>",
        f"<answer>[0, {around * 3}]</answer>", f"<answer>[{remaining or 5}, {remaining or 5}]</answer>",
        "<answer>[0, 0]</answer>",
    ])


def warehouse_answer(rng, totals):
    def pair(total, form):
        middle = max(1.0, total * rng.uniform(0.2, 1.2))
        low, high = middle * rng.uniform(0.5, 1.0), middle * rng.uniform(1.0, 1.9)
        return f"[{low:{form}}, {high:{form}}]", f"[{high:{form}}, {low:{form}}]"

    form = rng.choice([".0f", ".2f", ".1f"])
    (t, t2), (w, w2), (c, c2) = [pair(total, form) for total in totals]
    return rng.choice([
        *[f"<answer>time_weeks:{t}, warehouse_item_weeks:{w}, cumulative_cost_usd:{c}</answer>"] * 8,
        f"<answer>time:{t}; warehouse:{w}\ncost:{c}</answer>",
        f"<ANSWER>Time_Weeks : {t2} Warehouse_item_weeks： {w2} cumulative_cost:{c2}</ANSWER>",
        f"<answer>{t}, {w}, {c}</answer>", f"<answer>{t}{w}</answer>",
        f"<answer>cost:{c}, time:{t}, warehouse:{w}</answer>",
        f"<answer>lead_time:[1, 2] time_weeks:{t} warehouse:{w} cost:{c}</answer>",
        f"<answer>time:[-1.5, 3], warehouse:{w}, cost:{c}</answer>",
        f"<answer>weeks:{t}, items:{w}, usd:{c} {t}</answer>",
        f"<answer>time:[1., 3], warehouse:{w}, cost:{c}, {t}, {t2}</answer>",
        f"<answer>time:[1, 3, 4], warehouse:{w}, cost:{c}</answer>",
        f"<answer>time {t}, warehouse:{w}, cost:{c}</answer>",
        f"<answer>time:[ {t} , warehouse:{w}, cost:{c}</answer>",
        "<answer>impossible</answer>", "<answer>impossible</answer>", "<answer>Impossible</answer>",
        f"<answer>time:[{int(totals[0])}, {int(totals[0]) + 1}]</answer>", "", "<answer></answer>",
        "<answer>time_weeks:[0, 9999999], warehouse:[0, 9999999], cost:[0, 99999999]</answer>",
        "<answer>time:[0, 9999999], warehouse:[0, 9999999], cost:[5, 6]</answer>",
    ])


# --- What the released code says -----------------------------------------------------------------

def estimates(env, keys, answer_of):
    results = []
    for index, sample in enumerate(env.samples):
        env.reset(index=index)
        answer = answer_of(sample)
        _, _, _, info = env.step(answer)
        truth = {to: getattr(sample, to) for to in keys}
        results.append({
            "sample_id": sample.sample_id, "rollout_index": sample.rollout_index,
            "turn_idx": sample.turn_idx, "ground_truth": truth, "prediction": info["prediction"],
            "metrics": info["metrics"], "api_result": {"success": True, "usage": None},
        })
    return results


def table(results, row, rollouts):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "rollouts.json", Path(folder) / "estimates.json"]
        paths[0].write_text(json.dumps(rollouts))
        paths[1].write_text(json.dumps({"results": results}))
        config = types.SimpleNamespace(rollout_path=paths[0], estimation_path=paths[1], slug="",
                                       task_display="", model_display="")
        found = row(config)
    return {key: value for key, value in found.items() if not isinstance(value, str)}


def range_classes(results):
    """`write_summary`: intervals on prefixes of runs that succeeded."""
    counts = {"Hit": 0, "Overly optimistic": 0, "Overly conservative": 0}
    for result in results:
        truth, prediction = result["ground_truth"], result["prediction"]
        interval = prediction.get("remaining_token_interval")
        if truth["rollout_success"] and prediction.get("can_finish") and interval is not None:
            remaining = truth["actual_remaining_total_tokens"]
            row = {"contains_actual": result["metrics"]["remaining_token_interval_contains_actual"],
                   "pred_low": interval[0], "pred_high": interval[1],
                   "actual_remaining_total_tokens": float("nan") if remaining is None else remaining}
            name = figures.classify_range_direction(row)
            if name in counts:
                counts[name] += 1
    return counts


def checkpoint_summary(results):
    """`eval_checkpoint.main` with a server that gives the recorded answers."""
    rows = []
    for result in results:
        truth = result["ground_truth"]
        possible, remaining = truth["actual_can_finish"], truth["actual_remaining_total_tokens"]
        rows.append({
            "prompt": result["prediction"]["raw_response"],
            "reward_model": {"ground_truth": "possible" if possible else "impossible"},
            "extra_info": {"remaining_tokens": remaining or 0, "is_possible": possible},
        })

    class Completions:
        def create(self, messages, **_):
            message = types.SimpleNamespace(content=messages)
            return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=Completions()))
    checkpoint.openai.OpenAI = lambda **_: client
    checkpoint.datasets.load_dataset = lambda *_, **__: {"train": rows}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.json"
        sys.argv = ["eval", "--vllm-url", "x", "--model-name", "x", "--test-parquet", "x",
                    "--output", str(path), "--max-concurrency", "1"]
        checkpoint.main()
        found = json.loads(path.read_text())
    summary = found["summary"]
    names = ["model_name", "test_parquet", "wallclock_seconds"]
    return {k: v for k, v in summary.items() if k not in names}, [
        {"predicted": row["predicted"], "reward": row["reward"], "covered": row["covered"]}
        for row in found["results"]
    ]


def main():
    tokens = [token_dialogue(index) for index in range(84)] + [half_of_the_votes()]
    write("token_dialogues.json", tokens)
    config = token_env.TokenEstimationEnvConfig(str(HERE / "token_dialogues.json"), CAP)
    env = token_env.TokenEstimationEnv(config)
    keys = ["actual_tokens_used_so_far", "actual_can_finish", "actual_remaining_total_tokens",
            "relative_progress", "completed_turns", "total_turns", "completed_turn_token_usage",
            "rollout_success"]
    answer = lambda sample: token_answer(RNG, sample.actual_remaining_total_tokens)
    results = estimates(env, keys, answer)
    write("token_estimates.json", {
        "config": {"max_context_window_tokens": CAP, "model": "none"}, "selection": {},
        "summary": token_run._build_summary(results), "results": results,
    })
    summary, rows = checkpoint_summary(results)
    write("training.json", {"summary": summary, "results": rows})
    aggregates = {"tokens": {**table(results, figures.compute_token_table1_row, tokens),
                             **range_classes(results)}}

    warehouses = [warehouse_dialogue(index) for index in range(60)]
    write("warehouse_dialogues.json", warehouses)
    config = money_env.MoneyEstimationEnvConfig(
        str(HERE / "warehouse_dialogues.json"), target_cash_mode="half_reachable",
        time_budget_ratio=1.5, warehouse_budget_ratio=1.5, cost_budget_ratio=1.5)
    env = money_env.MoneyEstimationEnv(config)
    keys = ["completed_turns", "completed_weeks", "current_cash_usd", "target_cash_usd",
            "budget_time_weeks", "budget_warehouse_item_weeks", "budget_cost_usd",
            "actual_can_finish", "actual_remaining_time_weeks",
            "actual_remaining_warehouse_item_weeks", "actual_remaining_cost_usd",
            "actual_total_time_weeks", "actual_total_warehouse_item_weeks",
            "actual_total_cost_usd", "rollout_success"]
    answer = lambda sample: warehouse_answer(RNG, [
        sample.actual_total_time_weeks, sample.actual_total_warehouse_item_weeks,
        sample.actual_total_cost_usd])
    results = estimates(env, keys, answer)
    write("warehouse_estimates.json", {
        "config": {"target_cash_mode": "half_reachable"}, "selection": {},
        "summary": money_run._build_summary(results), "results": results,
    })
    aggregates["warehouse"] = table(results, figures.compute_warehouse_table1_row, warehouses)
    write("aggregates.json", aggregates)


main()
