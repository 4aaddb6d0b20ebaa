"""Writes every text that the released CostBench sends, as costbench_texts.json in the checkout.

  cd CHECKOUT && python3.12 PATH/costbench_texts.py
  agent-scorecard run costbench --published CHECKOUT ...

CHECKOUT is github.com/JiayuJeff/CostBench, with its requirements and numpy installed. The texts are taken from
what its own functions return and its own loop sends; numbers, costs and wishes become places in braces.
"""
import asyncio, contextlib, copy, io, json, os, re, sys, tempfile, types

sys.path.insert(0, os.getcwd())
import env.run as released
from env.core.base_types import create_tool_from_dict
from env.domains.travel.tool_registry import tools_ready_in_memory

QUERIES = json.load(open("env/data/runtime/queries/queries.json"))
COST = re.compile(r"(?<=Cost: )\d+\.\d+")


def settings(level, mode):
    folder = tempfile.mkdtemp()
    return types.SimpleNamespace(
        tool_creation_seed=42, tool_output_dir=folder, refinement_level=level, changed_tool_output_dir=folder,
        max_tool_steps=20, tool_mode="memory", min_atomic_cost=15, max_atomic_cost=25, noise_std=0.1,
        use_blocker=mode is not None, block_mode=mode, block_num=1, ban_longest_tool=True, control_tool_length=False,
        max_tool_length=8, query_path="env/data/runtime/queries/queries.json", model_name="scripted", temperature=0.0,
        max_tokens=16384, start_index=0, end_index=-1, num_threads=1, output_dir=folder, require_goal_state=False,
        print_tool_interface=False, use_example=True, provide_composite_concept=True,
        provide_atomic_tool_sequence=True, use_stimulation=False, stimulation_num=1, vis_stimulation=False,
        greedy=True, vis_agent=False, vis_gt=False)


def sent(query, level, calls=(), mode=None):
    """The requests of the released loop to an agent that makes these calls and then says nothing more."""
    requests = []

    async def create(**request):
        requests.append(copy.deepcopy(request))
        made = [calls[len(requests) - 1]] if len(requests) <= len(calls) else []
        made = made[0] if made and isinstance(made[0], list) else made
        tool_calls = [types.SimpleNamespace(id=f"c{i}", type="function", function=types.SimpleNamespace(name=n, arguments=a))
                      for i, (n, a) in enumerate(made)]
        message = types.SimpleNamespace(content=None if tool_calls else "done", tool_calls=tool_calls or None)
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=types.SimpleNamespace(create=create)))
    seed = released._stable_int(f"42:{query['query_id']}")
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        asyncio.run(released.run_single_query(client, copy.deepcopy(query), settings(level, mode), 0, seed))
    return requests


def tool_texts(level):
    tools = tools_ready_in_memory(refinement_level=level, min_atomic_cost=15, max_atomic_cost=25, noise_std=0.1,
                                  random_seed=42, control_tool_length=False, max_tool_length=8, ban_longest_tool=True)
    tools = {name: create_tool_from_dict({**tool, "name": name}) for name, tool in tools["tools"].items()}
    texts = {}
    for name, tool in tools.items():
        shown = tool.generate_interface(provide_composite_concept=True)["function"]
        result = tool.process_output(f"<{name.split('_')[0]}Preference00000>" if "Decide" not in name else
                                     f"<{name.split('_')[1]}Preference00000>", level, tools)
        texts[name] = {
            "description": shown["description"].replace(f"cost of {tool.cost} units", "cost of {cost} units"),
            "parameters": {key: {"description": it["description"], "values": it.get("enum")}
                           for key, it in shown["parameters"]["properties"].items()},
            "result": result.replace("00000", "{number}") + " Cost: {cost}"}
    return texts


def last(requests, role):
    return [m for m in requests[-1]["messages"] if m["role"] == role][-1]["content"]


def main():
    first = {}
    for query in QUERIES:
        first.setdefault(query["task"], query)
    levels = {}
    for level in range(6):
        system = {task: sent(query, level)[0]["messages"][0]["content"] for task, query in first.items()}
        levels[str(level)] = {"system": system, "tools": tool_texts(level)}
    place = first["location"]
    plan, pick = "Location_Full_Planning_to_Step1", "Select_Final_Location"
    words = {f"Location{key}": place["preferences"][name] for key, name in
             [("Category", "category"), ("Tier", "tier"), ("Style", "style"), ("FeaturePackage", "feature_package")]}
    right = {**words, "TimeInfo": place["TimeInfo"]}
    without = {key: value for key, value in right.items() if key != "LocationTier"}
    answer = lambda *calls: COST.sub("{cost}", last(sent(place, 2, list(calls)), "tool"))
    missing = answer([(pick, "{}")]).replace(pick, "{tool}")
    lists = re.findall(r"\[[^\[\]]*'[^\[\]]*\]", missing)
    faults = {
        "missing_input": missing.replace(lists[0], "{required}").replace(lists[1], "{current}"),
        "unknown_tool": answer([("No_Tool", "{}")]).replace("No_Tool", "{tool}"),
        "missing_parameter": answer([(plan, json.dumps(without))]).replace("LocationTier", "{argument}"),
        "wrong_value": answer([(plan, json.dumps({**right, "LocationTier": "no_tier"}))])
            .replace("LocationTier", "{argument}").replace("no_tier", "{value}"),
        "unreadable": answer([(plan, "no object")]),
        "several_calls": last(sent(place, 2, [[(plan, json.dumps(right)), (pick, "{}")]]), "tool")}
    wishes = {}
    for task, query in first.items():
        text = last(sent(query, 2, [[("No_Tool", "{}")]] * 4, "preference_change"), "user")
        own = next(q for q in QUERIES if q["task"] == task and q["user_requirements"] in text)
        text = text.replace(own["user_requirements"], "{requirement}")
        text = text.replace(own.get("location_preference") or "no place", "{place}")
        for start in released.PREFERENCE_CHANGE_USER_MESSAGE_TEMPLATES:
            text = text.removeprefix(start.replace("{new_user_message}", ""))
        wishes[task] = text
    changes = [start.replace("{new_user_message}", "{wishes}") for start in released.PREFERENCE_CHANGE_USER_MESSAGE_TEMPLATES]
    texts = {"levels": levels, "banned": list(released.BAN_TOOL_RETURN_SENTENCES), "faults": faults,
             "changed": changes, "wishes": wishes}
    with open("costbench_texts.json", "w") as file:
        json.dump(texts, file, indent=1)


if __name__ == "__main__":
    main()
