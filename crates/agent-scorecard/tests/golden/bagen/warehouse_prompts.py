"""Writes warehouse_prompts.json: what BAGEN's released evaluation tells a model about warehouse_dialogues.json.

The targets and budgets are those of `scripts/evaluation-scripts/eval/warehouse.sh`: half of the runs reachable, seed 42,
the time as it was and 1.2 times the storage and cost at most. The text is our own, with all places of the released one.

    git clone https://github.com/mll-lab-nu/BAGEN && cd BAGEN && git checkout 58bef4c
    python3 …/tests/golden/bagen/warehouse_prompts.py .
"""

import importlib.util
import json
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

sys.dont_write_bytecode = True
HERE, REPO = Path(__file__).resolve().parent, Path(sys.argv[1]).resolve()
TEXT = ("{completed_weeks} {completed_turns} {completed_day} | {current_time_weeks} {current_warehouse_item_weeks} "
        "{current_cost_usd} | {current_cash_usd} {target_cash_usd} | {resource_consumption_text} | "
        "{budget_time_weeks} {budget_warehouse_item_weeks} {budget_cost_usd}")


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, REPO / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sys.modules["gymnasium"] = MagicMock()
for package in ["ragen", "ragen.env", "ragen.env.money_estimation"]:
    module = types.ModuleType(package)
    module.__path__ = [str(REPO / package.replace(".", "/"))]
    sys.modules[package] = module
utils = types.ModuleType("ragen.utils")
utils.all_seed = None
sys.modules["ragen.utils"] = utils
config = load("ragen.env.money_estimation.config", "ragen/env/money_estimation/config.py")
env = load("ragen.env.money_estimation.env", "ragen/env/money_estimation/env.py")
settings = config.MoneyEstimationEnvConfig(
    str(HERE / "warehouse_dialogues.json"), user_prompt_template=TEXT, target_cash_mode="half_reachable",
    time_budget_ratio=1.0, warehouse_budget_ratio=1.2, cost_budget_ratio=1.2)
env = env.MoneyEstimationEnv(settings)
rows = [[it.rollout_index, it.completed_turns, it.actual_can_finish, env.build_user_prompt(it)] for it in env.samples]
lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
(HERE / "warehouse_prompts.json").write_text(f"[{lines}]\n")
