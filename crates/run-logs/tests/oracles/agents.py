#!/usr/bin/env python3
"""Logs that agents write, made with the programs and packages themselves, and what these say of their runs.

    python3 agents.py FOLDER [--package NAME] [--runs N] [--seed S]
    AGENT_LOGS=FOLDER cargo test -p run-logs --all-features agent_logs

writes logs into FOLDER and `expected.jsonl`: for each log its runs by the objects of the packages, or by what the model
server served. The test reads the logs and compares. With --golden, few and small logs are written, without the prompts of the
programs: the files in ../golden/agents were made so.

Packages (2026-11): mini-swe-agent 2.4.6, langchain-core 1.7.2, lm-eval 0.4.13 by pip; @google/gemini-cli 0.61.0 and
opencode-ai 1.18.33 by npm in the folder --node. All of them talk to `scripted_server.py` on the loopback address.
"""

import argparse, importlib.metadata, json, os, random, re, shutil, subprocess, sys, threading, time, urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scripted_server import Server


def call(name, arguments, ok):
    return {"name": name, "arguments": arguments, "ok": ok}


def total(turns, key):
    """A sum that is known if each part is."""
    values = [turn[key] for turn in turns if not turn.get("failed")]
    if not values:
        return 0 if key in ("input", "output") else None
    return None if any(value is None for value in values) else sum(values)


def cut(value, long=60):
    """The value with the texts of the programs cut."""
    if isinstance(value, str):
        return value[:long]
    if isinstance(value, list):
        return [cut(one, long) for one in value]
    return {key: cut(one, long) for key, one in value.items()} if isinstance(value, dict) else value


class Maker:
    def __init__(self, folder, options):
        self.folder, self.options, self.lines, self.counts = folder, options, [], {}

    def expect(self, path, name, runs):
        self.lines.append({"path": str(Path(path).relative_to(self.folder)), "format": name, "runs": runs})


# mini-SWE-agent -----------------------------------------------------------------------------------------------------------


def mini_swe_agent(maker, n, rng):
    settings = dict(MSWEA_SILENT_STARTUP="1", MSWEA_CONFIGURED="true", MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT="1", LITELLM_LOCAL_MODEL_COST_MAP="True", OPENAI_API_KEY="x")
    os.environ.update(settings)
    import litellm
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.agents.interactive import InteractiveAgent
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import LitellmModel
    from minisweagent.models.litellm_response_model import LitellmResponseModel
    from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel
    from minisweagent.models.test_models import DeterministicModel, make_output
    litellm.suppress_debug_info = True
    price = dict(litellm_provider="openai", mode="chat", input_cost_per_token=1e-5, output_cost_per_token=3e-5, cache_read_input_token_cost=1e-6)
    litellm.register_model({"openai/mock-model": price})
    folder = maker.folder / "mini_swe_agent"
    work = folder / ".work"
    work.mkdir(parents=True)
    (work / "notes.txt").write_text("notes\n")

    for number in range(1, n + 1):
        server = Server(submits=True, faults=rng.choice([0, 0.1]), malformed=rng.choice([0, 0.2, 0.6]))
        kind = rng.choice(["chat", "chat", "responses", "deterministic", "free"])
        interactive, interrupted = rng.random() < 0.25, rng.random() < 0.1
        turns, seed = [], f"{maker.options.seed}m{number}"

        def served(model, response):
            """One charged call by the object of litellm."""
            used = response.usage
            of = lambda *names: next((getattr(used, name) for name in names if getattr(used, name, None) is not None), None)
            details = of("prompt_tokens_details", "input_tokens_details"), of("completion_tokens_details", "output_tokens_details")
            turns.append(dict(input=of("prompt_tokens", "input_tokens"), output=of("completion_tokens", "output_tokens"), cached=details[0].cached_tokens,
                              reasoning=details[1].reasoning_tokens, cost=model._calculate_cost(response)["cost"] or None, calls=[], model=response.model))
            if hasattr(response, "choices"):
                found = [(one.function.name, one.function.arguments) for one in response.choices[0].message.tool_calls or []]
                turns[-1]["text"] = response.choices[0].message.content or ""
            else:
                found = [(one.name, one.arguments) for one in response.output if one.type == "function_call"]
                turns[-1]["text"] = "".join(part.text for item in response.output if item.type == "message" for part in item.content)
            for name, text in found:
                try:
                    turns[-1]["calls"].append(call(name, json.loads(text), False))
                except ValueError:
                    turns[-1]["calls"].append(call(name, text, False))

        class Environment(LocalEnvironment):
            def execute(self, action, *args, **kwargs):
                at = self.at
                self.at += 1
                output = super().execute(action, *args, **kwargs)
                turns[-1]["calls"][at]["ok"] = output["returncode"] == 0
                return output

        class Watched:
            def query(self):
                message = super().query()
                if kind == "deterministic":
                    turns.append(dict(input=None, output=None, cached=None, reasoning=None, cost=message["extra"]["cost"], text=message["content"],
                                      calls=[call("bash", action, None) for action in message["extra"]["actions"]], model="deterministic"))
                for one in turns[-1]["calls"]:
                    one["ok"] = None
                return message

            def execute_actions(self, message):
                self.env.at = 0
                try:
                    return super().execute_actions(message)
                except Exception:
                    # The agent drops what the commands before the submission returned.
                    if not interactive:
                        for one in turns[-1]["calls"]:
                            one["ok"] = None
                    raise

            def _prompt_and_handle_slash_commands(self, prompt, **_):
                return rng.choice(["", "", "", "not that"]) if "action(s)" in prompt else ""

            def _stdin_is_interactive(self):
                return False

        agent_class = type("Agent", (Watched, InteractiveAgent if interactive else DefaultAgent), {})
        if kind == "deterministic":
            outs = [make_output(f"step {i}", [{"command": rng.choice(["ls", "false", "sleep 5", "cat notes.txt"])} for _ in range(rng.choice([1, 1, 2]))], cost=0.25) for i in range(rng.randint(0, 3))]
            outs.append(make_output("done <confidence>0.7</confidence>", [{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo ok"}], cost=0.25))
            model = DeterministicModel(outputs=outs)
        else:
            base = {"chat": LitellmModel, "free": LitellmModel, "responses": LitellmResponseModel}[kind]

            class Model(base):
                def _query(self, *args, **kwargs):
                    if interrupted and turns and rng.random() < 0.5:
                        raise KeyboardInterrupt
                    response = super()._query(*args, **kwargs)
                    served(self, response)
                    return response

            name = "openai/unpriced" if kind == "free" else "openai/mock-model"
            model = Model(model_name=name, model_kwargs=dict(api_base=server.url + "/v1", max_retries=0), cost_tracking="ignore_errors" if kind == "free" else "default")
        limits = dict(step_limit=rng.choice([0, 0, 2, 20]), cost_limit=rng.choice([0, 0, 0.05, 0.3]), wall_time_limit_seconds=rng.choice([0] * 6 + [1]))
        path = folder / f"{number}.traj.json"
        agent = agent_class(model, Environment(cwd=str(work), timeout=1), system_template="You help.", instance_template="{{task}}", output_path=path,
                            **(dict(mode=rng.choice(["yolo", "confirm"]), confirm_exit=False) if interactive else {}), **limits)
        if limits["wall_time_limit_seconds"]:
            agent._start_time -= rng.choice([0, 2])
        failure = None
        try:
            exit_status = agent.run(f"SEED:{seed} List the files")["exit_status"]
        except KeyboardInterrupt:
            exit_status = None
        except Exception as error:
            failure, exit_status = error, type(error).__name__
        task = None
        if rng.random() < 0.5:
            # As the batch of SWE-bench saves it.
            task = f"org__repo-{number}"
            extra = dict(exit_status=exit_status, submission="") | (dict(exception_str=str(failure)) if failure else {})
            agent.save(path, {"info": extra, "instance_id": task})
        by_steps = 0 < limits["step_limit"] <= agent.n_calls
        kinds = {"LimitsExceeded": ("step", "max_steps") if by_steps else ("cost", "max_cost"), "TimeExceeded": ("time", "max_time")}
        limit, stop = kinds.get(exit_status, (None, None))
        stop = stop or {"Submitted": "completed", "RepeatedFormatError": "parse_error", "ContextWindowExceededError": "max_tokens"}.get(exit_status, exit_status)
        if failure and agent.n_calls > len(turns):
            turns.append(dict(failed=True))
        run = dict(id=task or "1", task=task, model=model.config.model_name, stop=stop, limit=limit, error=bool(failure), turns=turns)
        run |= {key: total(turns, key) for key in ("input", "output", "cached", "reasoning")}
        run["cost"] = agent.cost or None
        maker.expect(path, "mini_swe_agent", [run])
        if maker.options.golden:
            log = json.loads(path.read_text())
            for message in log["messages"]:
                message.get("extra", {}).pop("traceback", None)
            log["info"]["config"]["model"].pop("outputs", None)
            log["info"]["config"]["model"]["observation_template"] = "cut"
            path.write_text(json.dumps(log))
        server.shutdown()
    shutil.rmtree(work)


# Gemini CLI ---------------------------------------------------------------------------------------------------------------


def gemini_cli(maker, n, rng):
    folder, home = maker.folder / "gemini_cli", maker.folder / "gemini_cli" / ".home"
    (home / ".gemini").mkdir(parents=True)
    config = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(config))
    server = Server(faults=0.03, malformed=0.1, agents=0.3)
    settings = {**os.environ, "HOME": str(home), "GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": server.url}
    command = [str(maker.options.node.resolve() / ".bin" / "gemini"), "--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-o", "json"]
    for number in range(1, n + 1):
        work = home / f"w{number}"
        work.mkdir()
        seed = f"{maker.options.seed}g{number}"
        is_killed, n_prompts, own = rng.random() < 0.15, rng.choice([1, 1, 1, 2]), []
        for prompt in range(n_prompts):
            words = ["-p", f"SEED:{seed} List the files"] if not prompt else ["--resume", "latest", "-p", "Once more"]
            program = subprocess.Popen([*command, *words], cwd=work, env=settings, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                out, _ = program.communicate(timeout=rng.choice([3.5, 4.5, 6]) if is_killed else 180)
                own.append(json.loads(out[out.index("{"):])["stats"])
            except subprocess.TimeoutExpired:
                program.kill()
                program.communicate()
                break
            except ValueError:
                own.append(None)
        chats = next((home / ".gemini" / "tmp").glob(f"w{number}/chats"), None)
        paths = sorted(chats.glob("session-*.jsonl")) if chats else []
        if len(paths) != 1:
            continue
        shutil.move(chats, folder / str(number))
        path = folder / str(number) / paths[0].name
        if is_killed and rng.random() < 0.5:
            # As if the program was killed while it wrote.
            text = path.read_bytes()
            path.write_bytes(text[:-rng.randint(2, 30)])
        if maker.options.golden:
            for file in (folder / str(number)).rglob("*.jsonl"):
                lines = file.read_text().split("\n")
                file.write_text("\n".join(json.dumps(cut(json.loads(line), 120)) if line.endswith("}") else line for line in lines))
        maker.expect(path, "gemini_cli", [gemini_run(server, seed, own, path, is_killed)])
    server.shutdown()
    shutil.rmtree(home)


def gemini_run(server, seed, own, path, is_killed):
    """The calls by what was served, the sums by the program's own statistics. A subagent's call of an unknown tool is not in its file."""
    head = json.loads(path.read_text().split("\n")[0])
    run = dict(id=head["sessionId"], task=None, stop=None, error=False)

    def of(seed, caller):
        for one in server.served[seed]:
            if one["is_helper"]:
                continue
            used, calls, inner = one["usage"], [], []
            for (given, arguments), name in zip(one["calls"], one["names"]):
                ok = {"cat missing.txt": False, "false": False}.get(arguments.get("command"), True)
                if one["is_bad"]:
                    name, ok = "no_such_tool", False
                calls.append(call(name, arguments, ok))
                if not one["is_bad"] and "prompt" in arguments:
                    inner.append(re.findall(r"SEED:(\w+)", arguments["prompt"])[0])
            yield dict(model="gemini-2.5-pro", text=one["text"], input=used["input"], cached=used["cached"], output=used["output"] + used["reasoning"],
                       reasoning=used["reasoning"], stop=None, cost=None, **({} if caller and one["is_bad"] else {"calls": calls}))
            for one in inner:
                yield from of(one, one)

    if is_killed:
        return run
    turns = list(of(seed, None))
    run |= dict(turns=turns, model="gemini-2.5-pro", cost=None) | {key: total(turns, key) for key in ("input", "cached", "output", "reasoning")}
    served = [one for key, some in server.served.items() if re.fullmatch(seed + r"(s\d+)?", key) for one in some]
    if len(own) == 1 and own[0]:
        stated = [model["tokens"] for model in own[0]["models"].values()]
        helpers = sum(one["usage"]["input"] for one in served if one["is_helper"])
        mine = sum(one["prompt"] for one in stated) - helpers
        if mine != run["input"]:
            print(f"  {seed}: input {run['input']} by what was served, {mine} by the statistics")
    return run


# opencode -----------------------------------------------------------------------------------------------------------------


def opencode(maker, n, rng):
    home, work = maker.folder / "opencode" / ".home", maker.folder / "opencode" / ".work"
    home.mkdir(parents=True)
    work.mkdir()
    server = Server(faults=0.05, malformed=0.1, agents=0.25)
    price = {"input": 10, "output": 30, "cache_read": 1}
    model = {"name": "Mock", "cost": price, "limit": {"context": 100000, "output": 4000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Mock", "options": {"baseURL": f"{server.url}/v1", "apiKey": "x"}, "models": {"mock-model": model}}
    config = {"model": "mock/mock-model", "autoupdate": False, "share": "disabled", "provider": {"mock": provider}}
    (work / "opencode.json").write_text(json.dumps(config))
    settings = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "OPENCODE_DISABLE_AUTOUPDATE": "1"}
    command = [str(maker.options.node.resolve() / ".bin" / "opencode")]
    port = random.randint(20000, 40000)
    program = subprocess.Popen([*command, "serve", "--port", str(port)], cwd=work, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(path, body=None, wait=60):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", None if body is None else json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=wait) as reply:
            return json.loads(reply.read() or b"null")

    try:
        for _ in range(100):
            try:
                ask("/session")
                break
            except OSError:
                time.sleep(0.3)
        for number in range(1, n + 1):
            seed = f"{maker.options.seed}o{number}"
            session = ask("/session", {})["id"]
            stops = rng.random() < 0.15
            if stops:
                threading.Timer(rng.choice([0.3, 0.8, 1.5]), lambda: ask(f"/session/{session}/abort", {})).start()
            for prompt in range(rng.choice([1, 1, 1, 2])):
                parts = [{"type": "text", "text": f"SEED:{seed} List the files" if not prompt else "Once more"}]
                try:
                    ask(f"/session/{session}/message", {"model": {"providerID": "mock", "modelID": "mock-model"}, "parts": parts})
                except (OSError, ValueError) as error:
                    print(f"  {session}: {error}")
            children = [child["id"] for child in ask(f"/session/{session}/children")]
            for one, of in [(session, seed), *((child, None) for child in children)]:
                path = maker.folder / "opencode" / f"{number}{'' if of else '-' + str(children.index(one) + 1)}.json"
                with open(path, "w") as file:
                    subprocess.run([*command, "export", one], cwd=work, env=settings, stdout=file, stderr=subprocess.DEVNULL, check=True)
                log = json.loads(path.read_text())
                maker.expect(path, "opencode", [opencode_run(log, server, of)])
                if maker.options.golden:
                    path.write_text(json.dumps(cut(log, 80)))
    finally:
        program.terminate()
        program.wait()
        server.shutdown()
    shutil.rmtree(home)
    shutil.rmtree(work)


def opencode_run(log, server, seed):
    """A session by its own totals, and its calls by what was served."""
    if seed is None:
        text = json.dumps(log["messages"][0])
        seed = re.findall(r"SEED:(\w+)", text)[0]
    served = [one for one in server.served[seed] if not one["is_helper"]]
    is_awaited = lambda message: not (message["parts"] or message["info"].get("error"))
    replies = [message for message in log["messages"] if message["info"]["role"] == "assistant" and not is_awaited(message)]
    own = log["info"]["tokens"]
    run = dict(id=log["info"]["id"], task=None, model="mock-model", turns=[])
    is_whole = not any(message["info"].get("error") for message in replies)
    if is_whole:
        # The totals of the program itself.
        run |= dict(input=own["input"] + own["cache"]["read"] + own["cache"]["write"], output=own["output"] + own["reasoning"],
                    cached=own["cache"]["read"], reasoning=own["reasoning"], cost=log["info"]["cost"])
        if not all(message["info"]["time"].get("completed") for message in replies):
            # The program counts a reply when it ends; what one that goes on used is not known.
            return {key: value for key, value in run.items() if key != "turns"} | dict(input=None, output=None, cached=None, reasoning=None, cost=None)
    else:
        run.pop("turns")
        run["error"] = bool((replies[-1]["info"].get("error") or {}).get("name", "MessageAbortedError") != "MessageAbortedError")
        return run
    for one, message in zip(served, replies, strict=True):
        used = one["usage"]
        uncached = used["input"] - used["cached"]
        cost = (uncached * 10 + used["cached"] + used["output"] * 30) / 1e6
        calls = []
        parts = {part["callID"]: part for part in message["parts"] if part["type"] == "tool"}
        for (given, arguments), name in zip(one["calls"], one["names"]):
            ok = {"ls": True, "cat missing.txt": False, "false": False}.get(arguments.get("command"), True)
            calls.append({"name": name, "ok": False} if one["is_bad"] else call(name, arguments, ok))
            if "prompt" in arguments:
                calls[-1]["ok"] = parts[given]["state"]["status"] == "completed"
        run["turns"].append(dict(model="mock-model", text=one["text"], input=used["input"], output=used["output"], cached=used["cached"],
                                 reasoning=used["reasoning"], cost=cost, calls=calls, stop={"length": "max_tokens", "stop": "completed"}.get(one["finish"], "tool-calls")))
    return run


# LangChain ----------------------------------------------------------------------------------------------------------------


def langchain(maker, n, rng):
    import logging
    logging.disable(logging.WARNING)
    from anthropic.types import Usage
    from langchain_anthropic.chat_models import _create_usage_metadata
    from langchain_core.load import dumps
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict
    from langchain_core.tools import ToolException, tool
    from langchain_openai import ChatOpenAI
    from langgraph.errors import GraphRecursionError
    from langgraph.prebuilt import ToolNode, create_react_agent

    @tool
    def bash(command: str) -> str:
        """Runs a command."""
        if command in ("false", "cat missing.txt"):
            raise ToolException("it failed")
        return "fine"

    folder = maker.folder / "langchain"
    folder.mkdir(parents=True)
    stops = {"stop": "completed", "end_turn": "completed", "length": "max_tokens", "tool_calls": "tool_calls", "tool_use": "tool_use"}
    conversations = []
    for number in range(1, n + 1):
        seed, conversation = f"{maker.options.seed}l{number}", []
        if rng.random() < 0.25:
            # As langchain-anthropic makes them.
            conversation = [SystemMessage("You help."), HumanMessage("List the files")]
            for at in range(rng.randint(1, 3)):
                write = rng.choice([None, {"ephemeral_5m_input_tokens": rng.randint(0, 90), "ephemeral_1h_input_tokens": rng.choice([0, 20])}])
                used = Usage(input_tokens=rng.randint(1, 99), output_tokens=rng.randint(1, 99), cache_read_input_tokens=rng.choice([None, 0, 700]),
                             cache_creation_input_tokens=sum(write.values()) if write else rng.choice([None, 0, 60]), cache_creation=write)
                blocks = [{"type": "text", "text": f"step {at}"}, {"type": "tool_use", "id": f"t{at}", "name": "bash", "input": {"command": "ls"}}]
                conversation.append(AIMessage(blocks, tool_calls=[dict(name="bash", args={"command": "ls"}, id=f"t{at}")], usage_metadata=_create_usage_metadata(used),
                                              response_metadata={"id": f"msg_{number}_{at}", "model_name": "claude", "stop_reason": "tool_use"}))
                conversation.append(ToolMessage("fine", tool_call_id=f"t{at}"))
        else:
            server = Server(faults=rng.choice([0, 0.1]), malformed=rng.choice([0, 0.3]))
            model = ChatOpenAI(model="mock-model", base_url=server.url + "/v1", api_key="x", max_retries=rng.choice([0, 3]), logprobs=rng.choice([None, True]))
            agent = create_react_agent(model, ToolNode([bash], handle_tool_errors=True))
            try:
                # The messages so far, also of a run that does not end.
                for state in agent.stream({"messages": [("user", f"SEED:{seed} List the files")]}, {"recursion_limit": rng.choice([3, 8, 50])}, stream_mode="values"):
                    conversation = state["messages"]
            except GraphRecursionError:
                pass
            except Exception as error:
                print(f"  {seed}: {type(error).__name__}")
            server.shutdown()
        conversations.append(conversation)

    def expected(conversation, number):
        results = {message.tool_call_id: message.status == "success" for message in conversation if isinstance(message, ToolMessage)}
        turns = []
        for message in conversation:
            if not isinstance(message, AIMessage):
                continue
            used, about = message.usage_metadata or {}, message.response_metadata
            calls = [call(one["name"], one["args"], results.get(one["id"])) for one in message.tool_calls]
            calls += [call(one["name"], one["args"], False) for one in message.invalid_tool_calls]
            inside, outside = used.get("input_token_details", {}), used.get("output_token_details", {})
            written = [inside[key] for key in ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens") if inside.get(key) is not None]
            logprobs = (about.get("logprobs") or {}).get("content")
            tokens = logprobs and [{"text": one["token"], "logprob": one["logprob"], "others": []} for one in logprobs]
            turns.append(dict(model=about.get("model_name"), text=message.text, calls=calls, input=used.get("input_tokens"), output=used.get("output_tokens"), cost=None, tokens=tokens,
                              cached=inside.get("cache_read"), written=sum(written) if written else None, reasoning=outside.get("reasoning"),
                              stop=stops.get(about.get("finish_reason") or about.get("stop_reason"))))
        run = dict(id=str(number), task=None, model=turns[0]["model"] if turns else None, stop=None, turns=turns)
        # What a conversation without a reply used is not known.
        return run | {key: total(turns, key) if turns else None for key in ("input", "output", "cached", "reasoning", "written")}

    forms = {
        "dumps": lambda some: [dumps(one) for one in some],
        "model_dump": lambda some: [json.dumps([message.model_dump() for message in one]) for one in some],
        "state": lambda some: [dumps({"messages": one}) for one in some],
        "messages": lambda some: [json.dumps({"messages": [message.model_dump() for message in one]}) for one in some],
        "history": lambda some: [json.dumps(messages_to_dict(one)) for one in some],
        "list": lambda some: [json.dumps([{"messages": [message.model_dump() for message in one]} for one in some], indent=1)],
        "single": lambda some: [dumps(some[0], pretty=True)],
    }
    for at, form in enumerate(forms):
        some = conversations[at::len(forms)]
        if form == "single":
            some = some[:1]
        path = folder / f"{form}.jsonl"
        path.write_text("\n".join(forms[form](some)) + "\n")
        maker.expect(path, "langchain", [expected(one, number) for number, one in enumerate(some, 1)])


# The evaluation harness ---------------------------------------------------------------------------------------------------


def lm_eval(maker, n, rng):
    import logging, math
    logging.disable(logging.WARNING)
    os.environ["HF_HOME"] = str(maker.folder / "lm_eval" / ".cache")
    os.environ["TQDM_DISABLE"] = "1"
    from lm_eval.api.model import LM
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    folder = maker.folder / "lm_eval"
    folder.mkdir(parents=True)

    class Model(LM):
        def loglikelihood(self, requests, **_):
            return [(rng.choice([-rng.random() * 9, -3.0]), rng.random() < 0.5) for _ in requests]

        def loglikelihood_rolling(self, requests, **_):
            return [-rng.random() * 99 for _ in requests]

        def generate_until(self, requests, **_):
            return [rng.choice(["The answer is 4.", "It is 5", "4"]) for _ in requests]

    docs = [dict(question=f"What is {i} + {i}? {'é' * (i % 3)}", choices=["four", "five", "six", "a seven"][:2 + i % 3], answer=i % 2, number="4") for i in range(n)]
    data = folder / ".docs.jsonl"
    data.write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    base = dict(dataset_path="json", dataset_kwargs={"data_files": {"test": str(data)}}, test_split="test", doc_to_text="{{question}}")
    metric = lambda name, **more: dict(metric=name, aggregation="mean", higher_is_better=True, **more)
    regex = lambda name, pattern: dict(name=name, filter=[dict(function="regex", regex_pattern=pattern), dict(function="take_first")])
    tasks = [
        dict(base, task="choices", output_type="multiple_choice", doc_to_choice="{{choices}}", doc_to_target="{{answer}}", metric_list=[metric("acc"), metric("acc_norm"), metric("acc_bytes")]),
        dict(base, task="mutual", output_type="multiple_choice", doc_to_choice="{{choices}}", doc_to_target="{{answer}}", metric_list=[metric("acc"), metric("acc_mutual_info")]),
        dict(base, task="words", output_type="generate_until", doc_to_target="{{number}}", metric_list=[metric("exact_match")], generation_kwargs=dict(until=["\n"]),
             filter_list=[regex("strict", r"answer is (\d)"), regex("loose", r"(\d)")]),
        dict(base, task="repeats", output_type="generate_until", doc_to_target="{{number}}", metric_list=[metric("exact_match")], generation_kwargs=dict(until=["\n"]), repeats=3,
             filter_list=[regex("loose", r"(\d)")]),
        dict(base, task="last_word", output_type="loglikelihood", doc_to_target=" four", metric_list=[metric("acc"), dict(metric="perplexity", aggregation="perplexity", higher_is_better=False)]),
    ]
    results = simple_evaluate(model=Model(), tasks=tasks, log_samples=True, bootstrap_iters=0)
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.model_name_sanitized = "model"
    tracker.date_id = "2026"
    for task, samples in results["samples"].items():
        runs = []
        for sample in samples:
            name = sample["filter"]
            run = dict(id=str(sample["doc_id"]), task=f"{sample['doc_id']} {sample['doc_hash'][:12]}", model=None, outcome=None, turns=[],
                       scores={f"{key},{name}": sample[key] for key in sample["metrics"]})
            if task in ("choices", "mutual"):
                texts = [arguments[1] for arguments in sample["arguments"]]
                logs = [resp[0][0] for resp in sample["resps"]]
                if task == "mutual":
                    logs = logs[:len(logs) // 2]
                chosen = max(range(len(logs)), key=lambda at: (logs[at], -at))
                log_sum = math.log(sum(math.exp(log) for log in logs))
                token = dict(text=texts[chosen], logprob=logs[chosen] - log_sum, others=[log - log_sum for log in logs])
                run["turns"] = [dict(text=texts[chosen], tokens=[token], n_other=0)]
                assert sample["acc"] == (chosen == sample["target"])
            elif task in ("words", "repeats"):
                texts = sample["resps"][0]
                run["turns"] = [dict(text=texts[0], others=texts[1:], tokens=None)]
            # The samples of one filter come after those of another one: one run has the scores of all.
            first = next((it for it in runs if it["task"] == run["task"]), None)
            if first:
                first["scores"] |= run["scores"]
            else:
                runs.append(run)
        tracker.save_results_samples(task, samples)
        path = next((folder / "model").glob(f"samples_{task}_*.jsonl"))
        # The means of the package itself.
        for key in {key for run in runs for key in run["scores"]}:
            own = results["results"][task].get(key)
            if own is not None and "perplexity" not in key:
                values = [run["scores"][key] for run in runs if key in run["scores"]]
                assert abs(sum(values) / len(values) - own) < 1e-9, key
        maker.expect(path, "lm_eval", runs)
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    data.unlink()


def installed(name):
    return lambda: f"{name} {importlib.metadata.version(name)}"


VERSIONS = {"mini_swe_agent": installed("mini-swe-agent"), "gemini_cli": lambda: "@google/gemini-cli 0.61.0", "opencode": lambda: "opencode-ai 1.18.33", "langchain": installed("langchain-core"), "lm_eval": installed("lm-eval")}
PACKAGES = {"mini_swe_agent": (mini_swe_agent, 80), "gemini_cli": (gemini_cli, 60), "opencode": (opencode, 60), "langchain": (langchain, 84), "lm_eval": (lm_eval, 40)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--package", choices=list(PACKAGES), action="append")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--node", type=Path, default=Path("node_modules"))
    parser.add_argument("--golden", action="store_true")
    options = parser.parse_args()
    maker = Maker(options.folder.resolve(), options)
    for name in options.package or PACKAGES:
        make, n = PACKAGES[name]
        before = len(maker.lines)
        shutil.rmtree(maker.folder / name, ignore_errors=True)
        make(maker, options.runs or n, random.Random(options.seed))
        runs = [run for line in maker.lines[before:] for run in line["runs"]]
        print(f"{name}: {len(maker.lines) - before} logs, {len(runs)} runs, {sum(len(run.get('turns', [])) for run in runs)} calls of models", flush=True)
        if options.golden:
            for path in (path for path in (maker.folder / name).rglob("*.json*") if path.is_file()):
                own = str(maker.folder)
                path.write_text(path.read_text().replace(own, "/home/user").replace(own[1:], "home/user"))
        with open(maker.folder / name / "expected.jsonl", "w") as file:
            file.write(f"# origin: tests/oracles/agents.py --golden --runs {options.runs or n} --seed {options.seed}, {VERSIONS[name]()}\n")
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in maker.lines[before:])


if __name__ == "__main__":
    main()
