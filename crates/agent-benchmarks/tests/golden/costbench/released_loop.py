"""Runs the released loop of CostBench with scripted and with random agents, and writes what its own evaluation says.

COSTBENCH=CHECKOUT python3.12 released_loop.py > released_replies.json
COSTBENCH=CHECKOUT python3.12 released_loop.py random > released_random_agents.json
COSTBENCH=CHECKOUT python3.12 released_loop.py messages

The last call writes the messages of all runs to costbench_messages.json in the checkout, where a test finds them
if COSTBENCH is set; they are not part of this repository.

CHECKOUT is JiayuJeff/CostBench at 6424069, with its requirements and numpy installed. Once, inside it:
  python env/domains/travel/generate_search_space.py --generate_test --seed 42 --reset-id-history \
    --test_config_path env/domains/travel/travel_config.yaml --num-times 5000 --num-time-combinations 5000
  cp env/data/static/search_spaces/test/search_space.json env/data/static/search_spaces/test_search_space.json
"""
import asyncio, contextlib, copy, io, json, os, random, re, sys, tempfile, types

sys.path.insert(0, os.environ["COSTBENCH"])
os.chdir(os.environ["COSTBENCH"])
import env.run as released
from env.utils.eval import evaluate_single_query

QUERIES = {q["query_id"]: q for q in json.load(open("env/data/runtime/queries/queries.json"))}
EVENTS = {"remove_tools": "steplen_change"}
ENDS = {"Category": "category", "Tier": "tier", "Style": "style", "FeaturePackage": "feature_package"}


def settings(level, events):
    mode = EVENTS.get(events[0], events[0]) if events else None
    folder = tempfile.mkdtemp()
    return types.SimpleNamespace(
        tool_creation_seed=42, tool_output_dir=folder, refinement_level=level, changed_tool_output_dir=folder,
        max_tool_steps=20, tool_mode="memory", min_atomic_cost=15, max_atomic_cost=25, noise_std=0.1,
        use_blocker=mode is not None, block_mode=mode, block_num=len(events), ban_longest_tool=True,
        control_tool_length=False, max_tool_length=8, query_path="env/data/runtime/queries/queries.json",
        model_name="scripted", temperature=0.0, max_tokens=16384, start_index=0, end_index=-1, num_threads=1,
        output_dir=folder, require_goal_state=False, print_tool_interface=False, use_example=True,
        provide_composite_concept=True, provide_atomic_tool_sequence=True, use_stimulation=False,
        stimulation_num=1, vis_stimulation=False, greedy=True, vis_agent=False, vis_gt=False)


class Client:
    """Plays one step of the script for each request, with what the conversation has given so far."""

    def __init__(self, script, query):
        self.script, self.query, self.made = script, query, 0
        self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=self.create))

    def held(self, messages):
        query = self.query
        held, preferences = {"TimeInfo": query["TimeInfo"]}, query["preferences"]
        for message in messages[1:]:
            text = message["content"] or ""
            place = re.search(r"<LocationPreference\d+>", text)
            if message["role"] == "user":
                if place:
                    held["LocationPreference"] = place.group(0)
                for other in QUERIES.values():
                    if other["task"] == query["task"] and other["user_requirements"] in text:
                        preferences = other["preferences"]
                        break
            if message["role"] == "tool" and not text.startswith("[ERROR]"):
                ids, kinds = re.findall(r"<(\w+?)(\d{5})>", text), re.findall(r"Type: (\w+)", text)
                if ids and kinds:
                    held[kinds[-1]] = "<%s%s>" % ids[-1]
        return held, preferences

    async def create(self, **request):
        step = self.script[self.made] if self.made < len(self.script) else {"say": "no more"}
        self.made += 1
        self.tools = request["tools"]
        held, preferences = self.held(request["messages"])
        goal = held.get("Travel" + self.query["task"].capitalize(), "<none>")
        say = step.get("say")
        if say is not None:
            say = say.replace("{goal}", goal).replace("{digits}", re.sub(r"\D", "", goal))
        calls = [self.call(step, request["tools"], held, preferences)] if "call" in step else None
        message = types.SimpleNamespace(content=say, tool_calls=calls)
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    def call(self, step, tools, held, preferences):
        tool = next((t for t in tools if t["function"]["name"] == step["call"]), None)
        arguments = {}
        for name in tool["function"]["parameters"]["required"] if tool else []:
            end = next((key for end, key in ENDS.items() if name.endswith(end)), None)
            arguments[name] = preferences[end] if end else held.get(name, f"<{name}00001>")
        how = step.get("args")
        ids = [name for name, value in arguments.items() if value.startswith("<")]
        if how == "extra": arguments["Weather"] = "sunny"
        if how == "forged_time": arguments["TimeInfo"] = "soon"
        if how == "forged": arguments = {k: f"<{k}00077>" if k in ids else v for k, v in arguments.items()}
        if how == "short": arguments = {k: f"<{k}77>" if k in ids else v for k, v in arguments.items()}
        if how == "number": arguments = {k: 77777 if k in ids else v for k, v in arguments.items()}
        if how == "wrong_word": arguments[min(k for k in arguments if k.endswith("Category"))] = "spaceship"
        if how == "drop": arguments.pop(min(arguments))
        if how == "bare": arguments = {k: v.strip("<>") for k, v in arguments.items()}
        text = json.dumps(arguments)
        if how == "fenced": text = "```json\n" + text + "\n```"
        if how == "twice": text = json.dumps(text)
        if how == "escaped": text = text.replace('"', '\\"')
        if how == "cut": text = text[:-2]
        if how == "list": text = "[" + text + "]"
        function = types.SimpleNamespace(name=step["call"], arguments=text)
        return types.SimpleNamespace(id=f"c{self.made}", type="function", function=function)


class Wanderer(Client):
    """Writes its script on the way: a random tool of those whose inputs it has and that did not fail, then the answer.
    Some make further calls after the goal."""

    def __init__(self, script, query, draw, further):
        super().__init__(script, query)
        self.draw, self.further, self.failed = draw, further, set()

    async def create(self, **request):
        self.script.append(self.step(request["messages"], request["tools"]))
        return await super().create(**request)

    def step(self, messages, tools):
        held, called = set(), None
        for message in messages[1:]:
            text = message["content"] or ""
            if message["role"] == "user":
                held = {"TimeInfo"} | {"LocationPreference" for _ in re.findall(r"<LocationPreference\d+>", text)}
            elif message["role"] == "assistant" and message["tool_calls"]:
                called = message["tool_calls"][0].function.name
            elif message["role"] == "tool" and "[ERROR]" in text:
                self.failed.add(called)
            elif message["role"] == "tool":
                held.add(re.findall(r"Type: (\w+)", text)[-1])
        functions = sorted((tool["function"] for tool in tools), key=lambda it: it["name"])
        if "Travel" + self.query["task"].capitalize() in held:
            if self.further == 0:
                return {"say": "<answer> {goal} </answer>"}
            self.further -= 1
            return {"call": functions[0]["name"]}
        has = lambda name: name in held or any(name.endswith(end) for end in ENDS)
        new = lambda it: re.search(r"output type of this tool is (\w+)\.", it["description"]).group(1) not in held
        open_ = [it["name"] for it in functions if it["name"] not in self.failed and new(it)
                 and all(map(has, it["parameters"]["required"]))]
        return {"call": self.draw.choice(open_)} if open_ else {"say": "I am stuck."}


def random_cases(runs=200, seed=7):
    draw, ids = random.Random(seed), sorted(QUERIES)
    for place in range(runs):
        kind = [None, "ban_tool", "cost_change", "remove_tools", "preference_change"][place % 5]
        events = [kind] * draw.choice([1, 1, 2]) if kind else []
        yield {"name": f"random agent {place}", "query_id": draw.choice(ids), "level": draw.choice([2, 2, 3]),
               "events": events, "script": [], "further": draw.choice([0, 0, 0, 1])}


def play(case, client):
    """What the released evaluation says of the run of a client."""
    quiet, seed = io.StringIO(), released._stable_int(f"42:{case['query_id']}")
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        loop = released.run_single_query(client, client.query, settings(case["level"], case["events"]), 0, seed)
        result = asyncio.run(loop)
        for message in result["conversation_history"]:
            calls = message.get("tool_calls")
            if calls:
                message["tool_calls"] = [{"name": c.function.name, "arguments": c.function.arguments} for c in calls]
        found = evaluate_single_query(result)
    case["messages"] = [{"role": m["role"], "content": m["content"] or ""} for m in result["conversation_history"]]
    case["tools"] = client.tools
    # What metrics_queries and path_base_queries of eval.py keep.
    found["counts"] = found["is_valid"] and not found["gt_incomplete"] and found["conversation_length"] != 3
    return found


def run(case):
    query = copy.deepcopy(QUERIES[case["query_id"]])
    client = Client(case["script"], query)
    if "further" in case:
        client = Wanderer(case["script"], query, random.Random(case["name"]), case.pop("further"))
    found = play(case, client)
    if not found["is_valid"]:
        return {"counts": False}
    return {
        "counts": found["counts"],
        "path": found["agent_tool_path"], "reference": found["gt_tool_path"],
        "match": found["tool_path_exact_match"], "edits": found["edit_distance"],
        "share": found["normalized_edit_distance_single"], "cost": round(found["agent_cost"], 2),
        "reference_cost": round(found["gt_cost"], 2), "right": bool(found["final_answer_correct"]),
        "calls": found["total_tool_calls"], "valid_calls": found["valid_tool_calls"]}


FIRST, LAST = "Location_Full_Planning_to_Step1", "Location_Finalize_from_Step2"
ANSWER = {"say": "<answer> {goal} </answer>"}
SINGLE = [{"call": name} for name in ["Decide_Location_Preference", "Search_Location_Candidates", "Location_Refinement_Step1", LAST]]


def cases():
    def case(name, script, events=(), query_id="<Query00001>", level=2):
        return {"name": name, "query_id": query_id, "level": level, "events": list(events), "script": script}

    good, goal = [{"call": FIRST}, {"call": LAST}], {"call": LAST}
    yield case("plain", [*good, ANSWER])
    for how in ["extra", "forged_time", "bare", "fenced", "twice", "escaped"]:
        yield case(f"arguments: {how}", [{"call": FIRST, "args": how}, goal, ANSWER])
    yield case("arguments: bare, twice", [{"call": FIRST, "args": "bare"}, {"call": LAST, "args": "bare"}, ANSWER])
    for how in ["wrong_word", "drop", "cut", "list"]:
        yield case(f"arguments: {how}, then right", [{"call": FIRST, "args": how}, *good, ANSWER])
    for how in ["forged", "short", "number"]:
        yield case(f"arguments: {how}", [{"call": FIRST}, {"call": LAST, "args": how}, ANSWER])
    yield case("unknown tool, then right", [{"call": "Book_It"}, *good, ANSWER])
    yield case("inaccessible, then right", [{"call": "Select_Final_Location"}, *good, ANSWER])
    yield case("text in the middle", [{"call": FIRST}, {"say": "Let me think."}, goal, ANSWER])
    for text in ["The result is {goal}.", "<answer> <LocationCandidate{{digits}}> </answer>",
                 "<answer> <LocationCandidate{Candidate_ID: {digits}}> </answer>", "<answer>{digits}</answer>",
                 "<answer>My final choice is {goal}, which fits.</answer>", "<answer>{goal} for 3 nights</answer>",
                 "<answer>none</answer> or <answer>{goal}</answer>", "<answer><LocationCandidate99999></answer>",
                 "<think>maybe <answer>{goal}</answer></think> I do not know.", "<ANSWER>{goal}</ANSWER>",
                 "<answer>LocationCandidate {digits}", "<answer>Location {digits}</answer>"]:
        yield case(f"answer: {text}", [*good, {"say": text}, ANSWER])
    yield case("answer beside a call", [{"call": FIRST}, {"call": LAST, "say": "<answer><LocationCandidate00001></answer>"}])
    yield case("answer without digits beside a call", [{"call": FIRST}, {"call": LAST, "say": "<answer>soon</answer>"}, ANSWER])
    yield case("no call at all", [{"say": "I cannot do that."}])
    yield case("a guess at once", [{"say": "<answer><LocationCandidate00001></answer>"}])
    yield case("repeated call", [{"call": FIRST}, *good, ANSWER])
    yield case("call after the goal", [*good, {"call": "Select_Final_Location"}, ANSWER])
    junk = {"call": "Select_Final_Location"}
    yield case("18 failed calls, then the goal", [*[junk] * 18, *good, ANSWER])
    yield case("17 failed calls, then the goal", [*[junk] * 17, *good, ANSWER])
    for how in ["plain", "bare", "forged"]:
        first = {"call": "Decide_Dining_Preference", "args": how}
        rest = [{"call": name} for name in ["Search_Dining_Candidates", "Dining_Refinement_Step1", "Dining_Refinement_Step2", "Select_Final_Dining"]]
        yield case(f"dining, first call: {how}", [first, *rest, ANSWER], query_id="<Query00822>")
    ban, cost, wish = ["ban_tool"], ["cost_change"], ["preference_change"]
    yield case("ban of an unknown tool", [{"call": "Book_It"}, *SINGLE, ANSWER], ban)
    yield case("ban of an unknown tool, called again", [{"call": "Book_It"}, {"call": "Book_It"}, *SINGLE, ANSWER], ban)
    yield case("ban at an inaccessible tool", [{"call": "Select_Final_Location"}, *SINGLE, ANSWER], ban)
    yield case("ban at wrong parameters", [{"call": FIRST, "args": "drop"}, *SINGLE, ANSWER], ban)
    yield case("two bans of an unknown tool", [{"call": "Book_It"}, {"call": "Book_It"}, *SINGLE, ANSWER], ban * 2)
    yield case("cost change, two calls", [*good, ANSWER], cost)
    yield case("cost change, gives up", [{"call": FIRST}, {"say": "I give up."}], cost)
    yield case("cost change and no call", [{"say": "no"}], cost)
    yield case("two cost changes, a call after the goal", [*good, {"call": "Decide_Location_Preference"}, ANSWER], cost * 2)
    yield case("preference change, answers at once", [{"call": FIRST}, {"say": "<answer> <LocationCandidate00001> </answer>"}], wish)
    yield case("preference change, goes on as before", [*good, ANSWER], wish)
    yield case("preference change, starts again", [{"call": FIRST}, *good, ANSWER], wish)


def messages():
    done = [case for case in [*cases(), *random_cases()] if run(case)]
    with open("costbench_messages.json", "w") as file:
        json.dump([{key: case[key] for key in ("name", "messages", "tools")} for case in done], file)


if __name__ == "__main__":
    if "messages" in sys.argv:
        sys.exit(messages())
    version = ".".join(map(str, sys.version_info[:3]))
    print('{"origin": "JiayuJeff/CostBench at 6424069, run_single_query and evaluate_single_query, by released_loop.py with CPython %s, 2026-11-24",' % version)
    print('"runs": [')
    found = [(case, run(case)) for case in (random_cases() if "random" in sys.argv else cases())]
    keys = ["name", "query_id", "level", "events", "script"]
    print(",\n".join(json.dumps({key: case[key] for key in keys} | facts) for case, facts in found))
    print("]}")
