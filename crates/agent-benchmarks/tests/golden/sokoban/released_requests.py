"""Writes the requests of the released managers in runs of scripted replies, as bagen_requests.json in the checkout.

    cd CHECKOUT && PYTHONPATH=REPOSITORY/docs/published python3 REPOSITORY/crates/agent-benchmarks/tests/golden/sokoban/released_requests.py
    BAGEN=CHECKOUT cargo test -p agent-benchmarks --features sokoban,warehouse --test all sokoban_published

CHECKOUT is what bagen_texts.py says, at 58bef4c, where that script was run too. The file is not part of this repository.
"""

import json
import types

from bagen_texts import context, settings

from ragen.llm_agent.es_manager import EnvStateManager  # noqa: E402


def answer(actions):
    return f"<think>Well.</think><answer>{actions}</answer>"


REPLIES = [
    [answer("Up || Left"), answer("Down"), answer("Right || Right || Up"), answer("Up")],
    [answer("fly"), answer("left || UP"), answer(""), answer("Down || fly")],
    ["<think>No answer.", answer("Left || Right"), "<think>", "Up"],
    [answer("Down || Down || Down"), answer("Up || Up || Up"), answer("Left"), answer("Left || Left || Left || Left")],
    # Replies that are repeated in another form.
    ["<think> I go. </think> <answer> Up || Down </answer> done", "Up", "So.</think><answer>Left||Right||Up||Down</answer>", "."],
    ["<answer>Up</answer> <think>late</think>", "a <think>b</think>c<answer>Down <think>||</answer>", "\n <think>x", "."],
    ["<think><answer>no</answer></think>\n<answer>Left || || Right</answer>", "", "<think></think><answer></answer>", "."],
]


def runs(kind):
    config = settings(kind, len(REPLIES))
    managers = EnvStateManager(config, mode="val"), context(config)
    outputs = managers[0].reset()
    rooms = [entry["env"].render(mode="grid") for entry in managers[0].envs]
    requests = [[] for _ in REPLIES]
    for turn in range(len(REPLIES[0])):
        inputs = managers[1].get_lm_inputs(outputs, prepare_for_update=False)
        going = [output["env_id"] for output in outputs]
        for run, messages in zip(going, inputs.non_tensor_batch["messages_list"].tolist()):
            requests[run].append(messages)
        replies = [REPLIES[run][turn] for run in going]
        said = types.SimpleNamespace(batch=None, non_tensor_batch={"response_texts": replies, "env_ids": going})
        outputs = managers[0].step(managers[1].get_env_inputs(said))
    return [
        {"kind": kind, "room": room, "replies": replies, "requests": of_run}
        for room, replies, of_run in zip(rooms, REPLIES, requests)
    ]


with open("bagen_requests.json", "w") as file:
    json.dump(runs("evaluation") + runs("training"), file, indent=1)
