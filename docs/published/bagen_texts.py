"""Writes the texts that the released BAGEN sends in Sokoban, as bagen_texts.json in the checkout.

  cd CHECKOUT && python3 PATH/bagen_texts.py
  agent-scorecard run sokoban --published CHECKOUT ...

CHECKOUT is github.com/mll-lab-nu/BAGEN, with `pip install hydra-core numpy matplotlib gym gym_sokoban 'setuptools<70'`;
no model is run, and its libraries are not needed. Settings are those of the checkout's own scripts, for the
evaluation and for the runs to train on; texts are what its own context manager returns, with places in braces for
the numbers of a run. A clone with its history has the prompt of the warehouse, too.
"""
import json, os, re, subprocess, sys, tempfile
from unittest.mock import MagicMock

sys.path.insert(0, os.getcwd())
HEAVY = ["tensordict", "torch", "transformers", "verl", "verl.utils", "verl.utils.dataset", "verl.utils.dataset.rl_dataset"]
sys.modules.update({name: MagicMock() for name in HEAVY})
from omegaconf import OmegaConf
from ragen.llm_agent.ctx_manager import ContextManager
from ragen.wrapper.es_manager_wrapper import EsManagerWrapper

SCRIPTS = {
    "evaluation": ("scripts/evaluation-scripts/origin/sokoban.sh", ["envs", "evaluate_api_llm"]),
    "training": ("scripts/budget-rl/run_model_rollout.sh", ["envs", "base", "eval"]),
}
# Numbers that stand nowhere else, in place of those of a run.
PLACES = {"most_actions_of_a_turn": 70001, "most_actions": 70002, "actions_left": 70003, "reward": 70004.5}


def settings(kind, groups=1):
    """The configuration with which a script of the checkout starts the released program."""
    script, configs = SCRIPTS[kind]
    with tempfile.TemporaryDirectory() as folder:
        said = f"{folder}/arguments"
        shell = f"""conda() {{ :; }}; python() {{ printf '%s\\n' "$@" > {said}; }}; source {script}"""
        given = {"VAL_GROUPS": str(groups), "OUTPUT_DIR": folder, "SKIP_ENV_ACTIVATE": "1", "ANTHROPIC_API_KEY": "none"}
        subprocess.run(["bash", "-c", shell], env={"PATH": os.environ["PATH"], **given}, capture_output=True)
        changes = [line.lstrip("+") for line in open(said).read().splitlines() if "=" in line]
    files = [OmegaConf.load(f"config/{name}.yaml") for name in configs]
    config = OmegaConf.merge(*files, OmegaConf.from_dotlist(changes))
    config.agent_proxy.ctx_log = False
    return config


def context(config):
    return ContextManager(config, MagicMock(), mode="val")


def texts(kind):
    config = settings(kind)
    config.agent_proxy.max_actions_per_turn = PLACES["most_actions_of_a_turn"]
    config.custom_envs.CoordSokoban.max_actions_per_traj = PLACES["most_actions"]
    states = [{"state": "STATE", "actions_left": PLACES["actions_left"]} for _ in range(2)]
    first = {**states[0], "llm_response": "", "reward": PLACES["reward"]}

    def sent(second):
        run = {"env_id": 0, "group_id": 0, "history": [dict(first), second]}
        inputs = context(config).get_lm_inputs(EsManagerWrapper(config).intercept([run]), False)
        messages = inputs.non_tensor_batch["messages_list"].tolist()[0]
        found = [message["content"] for message in messages]
        for name, number in PLACES.items():
            found = [text.replace(str(number), f"{{{name}}}") for text in found]
        return found[0], *re.fullmatch(r"(.*)\n\n(?:Turn 2:\n)?State:\nSTATE\n(.*)\n", found[3], re.DOTALL).groups()

    instruction, reward, sentence = sent(states[1])
    warned = sent({**states[1], "manager_invalid_action": True})[2]
    warning = warned.removesuffix("\n" + sentence)
    return {"instruction": instruction, "reward": reward, "warning": warning, "sentence": sentence}


def warehouse():
    """The agent's prompt in a note of an earlier state of the repository; None without its history."""
    note = subprocess.run(["git", "show", "1d2fe1c:parameter_explanation.md"], capture_output=True, text=True).stdout
    starts = re.finditer(r'"role": "system",\s*"content": ', note)
    prompts = [json.JSONDecoder().raw_decode(note, start.end())[0] for start in starts]
    return next((prompt for prompt in prompts if "replenish" in prompt), None)


if __name__ == "__main__":
    with open("bagen_texts.json", "w") as file:
        json.dump({**{kind: texts(kind) for kind in SCRIPTS}, "warehouse": warehouse()}, file, indent=1)
