#!/usr/bin/env python3
"""Writes traces of agents with the real instrumentations, and what a reader must find in them.

    python3 otlp.py FAMILY FOLDER [RUNS [cut]]
    python3 otlp.py cut FROM TO

A scripted model server on the loopback address answers with random usage, parallel calls and errors; it is the truth about tokens,
texts and calls. Times and failures of tools come from the spans as the SDK holds them. FOLDER gets FAMILY.jsonl and
FAMILY.expected.json: for each run what it must hold. Families: pydantic_ai, openinference, agents_openinference, agents_v2,
agents_native, langfuse, mlflow (each with its packages), gen_ai (only opentelemetry-sdk: older names, layers, sums, copies, events).
With `cut`, requests, definitions of tools and the like are left out, as from any file of OTLP/JSON in the second form.
"""
import base64, json, os, random, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# `agents` is the package of OpenAI, and not the file of this folder.
sys.path.pop(0)

CUT = ("gen_ai.input.messages", "gen_ai.tool.definitions", "logfire.", "model_request_parameters", "pydantic_ai.", "final_result", "server.", "llm.input_messages.",
       "llm.tools.", "llm.invocation_parameters", "tool.parameters", "tool.description", "langfuse.observation.model.parameters", "mlflow.chat.tools", "mlflow.spanLogLevel",
       "mlflow.message.format", "tools", "mlflow.traceRequestId", "logprobs", "top_logprobs", "user.", "organization.", "terminal.", "prompt", "user_prompt", "host.", "os.", "service.instance.id",
       "telemetry.", "gen_ai.agent.description", "gen_ai.usage.details.cache_read_tokens", "event.timestamp", "cost_usd_micros", "ttft_ms", "llm_request.context", "speed")
INPUTS = ("input.value", "langfuse.observation.input", "mlflow.spanInputs")


def cut(o, is_tool=False):
    """Leaves out what makes files long and nobody reads."""
    if isinstance(o, list):
        return [cut(x) for x in o if not (isinstance(x, dict) and "key" in x and x["key"].startswith(CUT) and x["key"] != "prompt.id")]
    if not isinstance(o, dict):
        return o
    attributes = o.get("attributes") or []
    if isinstance(attributes, dict):
        is_tool = '"TOOL"' in attributes.values()
        o = {**o, "attributes": {k: v for k, v in attributes.items() if not k.startswith(CUT) and (is_tool or k not in INPUTS)}}
    elif "spanId" in o:
        is_tool = any(list(a["value"].values())[0] in ("TOOL", "tool") for a in attributes)
        o = {**o, "attributes": [a for a in attributes if is_tool or a["key"] not in INPUTS]}
    return {k: cut(v) for k, v in o.items() if k not in ("trace_metadata", "tags", "flags", "droppedAttributesCount")}


if sys.argv[1] == "cut":
    with open(sys.argv[2]) as source, open(sys.argv[3], "w") as target:
        target.writelines(json.dumps(cut(json.loads(text)), ensure_ascii=False) + "\n" for text in source)
    sys.exit()
FAMILY, FOLDER = sys.argv[1], sys.argv[2]
IS_CUT = sys.argv[4:] == ["cut"]
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
os.makedirs(FOLDER, exist_ok=True)
TRUTH, LOCK = {}, threading.Lock()


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with LOCK:
            answer, status = reply(body, self.path.endswith("/responses"))
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def key_of(body):
    """The run and the agent that a conversation names: `RUN 7 main`."""
    text = json.dumps(body.get("messages") or body.get("input"))
    at = text.index("RUN ")
    words = text[at:].replace('"', " ").replace("\\", " ").split()
    return int(words[1]), words[2]


def reply(body, is_responses):
    run, agent = key_of(body)
    state = TRUTH.setdefault(run, {"calls": [], "random": random.Random(f"{FAMILY} {run}"), "left": {}, "failed": 0})
    r = state["random"]
    state["left"].setdefault(agent, r.randint(0, 3))
    roll = r.random()
    if roll < 0.06 and agent == "main":
        # The client does not repeat a request after this status.
        state["failed"] += 1
        state["left"][agent] = 0
        return {"error": {"message": "the server refused", "type": "invalid_request_error", "code": "bad"}}, 400
    busy = state.setdefault("busy", {})
    if roll < 0.12 and busy.get(agent, 0) < 2:
        busy[agent] = busy.get(agent, 0) + 1
        # The client repeats a request after this status; nothing is charged.
        return {"error": {"message": "try again", "type": "server_error", "code": "busy"}}, 500
    busy[agent] = 0
    names = [t.get("name") or t.get("function", {}).get("name") for t in body.get("tools") or []]
    calls = []
    if state["left"][agent] > 0 and names:
        state["left"][agent] -= 1
        for _ in range(r.choice([1, 1, 2, 3])):
            name = r.choice(names)
            number = len(state["calls"]) * 10 + len(calls)
            if name == "helper":
                arguments = {"task": f"RUN {run} sub{number}"}
            else:
                arguments = {"command": r.choice([f"ls {number}", f"cat missing {number}"])}
            calls.append({"id": f"call_{run}_{number}", "name": name, "arguments": arguments})
    cached = r.choice([0, 0, r.randint(1, 500)])
    reasoning = r.choice([0, r.randint(1, 30)])
    usage = dict(input=r.randint(500, 2000), cached=cached, output=r.randint(31, 200), reasoning=reasoning)
    text = "" if calls else f"Done {r.randint(0, 999)}. é <confidence>0.{r.randint(10, 99)}</confidence>"
    model, stop = body["model"] + "-2026", "tool_calls" if calls else r.choice(["stop", "stop", "length"])
    number = len(state["calls"])
    ident = f"reply-{FAMILY}-{run}-{number}"
    logprobs = [] if calls or not body.get("logprobs") else [dict(token=w, logprob=-r.random(), bytes=list(w.encode()), top_logprobs=[]) for w in text.split(" ")]
    state["calls"].append(dict(id=ident, agent=agent, text=text, calls=calls, usage=usage, model=model, stop=stop, tokens=len(logprobs)))
    if is_responses:
        output = [{"type": "reasoning", "id": f"rs_{ident}", "summary": []}]
        for call in calls:
            output.append({"type": "function_call", "id": "fc_" + call["id"], "call_id": call["id"], "name": call["name"], "arguments": json.dumps(call["arguments"]), "status": "completed"})
        if not calls:
            output.append({"type": "message", "id": "msg_" + ident, "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]})
        return {"id": ident, "object": "response", "created_at": 1, "status": "completed", "model": model, "output": output, "error": None, "incomplete_details": None,
                "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
                "usage": {"input_tokens": usage["input"], "input_tokens_details": {"cached_tokens": cached}, "output_tokens": usage["output"],
                          "output_tokens_details": {"reasoning_tokens": reasoning}, "total_tokens": usage["input"] + usage["output"]}}, 200
    message = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}} for c in calls]
    return {"id": ident, "object": "chat.completion", "created": 1, "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": {"content": logprobs} if logprobs else None}],
            "usage": {"prompt_tokens": usage["input"], "completion_tokens": usage["output"], "total_tokens": usage["input"] + usage["output"],
                      "prompt_tokens_details": {"cached_tokens": cached}, "completion_tokens_details": {"reasoning_tokens": reasoning}}}, 200


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}"
os.environ.update(OPENAI_API_KEY="dummy", OPENAI_BASE_URL=URL + "/v1", OTEL_SEMCONV_STABILITY_OPT_IN="gen_ai_latest_experimental",
                  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true", LANGFUSE_PUBLIC_KEY="pk-dummy", LANGFUSE_SECRET_KEY="sk-dummy",
                  LANGFUSE_HOST=URL, LANGFUSE_BASE_URL=URL, MLFLOW_TRACKING_URI="file://" + os.path.abspath(FOLDER) + "/mlruns",
                  MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true", OPENAI_AGENTS_DISABLE_TRACING="false")

SPANS = []
if FAMILY != "mlflow":
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
    from google.protobuf.json_format import MessageToDict

    class Keep(SpanExporter):
        def export(self, spans):
            SPANS.extend(spans)
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(Keep()))
    trace.set_tracer_provider(provider)


def line(spans):
    """An OTLP/JSON request, as the collector's file exporter writes it."""
    def fix(o, key=None):
        if isinstance(o, dict):
            return {k: base64.b64decode(v).hex() if k in ("traceId", "spanId", "parentSpanId") else fix(v) for k, v in o.items()}
        return [fix(x) for x in o] if isinstance(o, list) else o
    return json.dumps(fix(MessageToDict(encode_spans(spans), use_integers_for_enums=True)), ensure_ascii=False)


CLIENT_TOOLS = [{"type": "function", "function": {"name": n, "parameters": {"type": "object", "properties": {p: {"type": "string"}}}}} for n, p in (("bash", "command"), ("helper", "task"))]


def shell(command):
    if "missing" in command:
        raise RuntimeError("cat: missing.txt: No such file")
    return "notes.txt"


def loop(client, task, tool, agent, model="gpt-4o-mini", **more):
    """A hand-written agent: calls the model and the tools until it answers."""
    messages = [{"role": "user", "content": task}]
    for _ in range(8):
        said = client.chat.completions.create(model=model, messages=messages, tools=CLIENT_TOOLS if agent == "main" else CLIENT_TOOLS[:1], **more).choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            return said.content
        for call in said.tool_calls:
            arguments = json.loads(call.function.arguments)
            try:
                result = tool(call.function.name, call.id, arguments)
            except RuntimeError as error:
                result = str(error)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def expected(run, **more):
    """What the server knows about a run."""
    state = TRUTH.get(run, {"calls": [], "failed": 0})
    calls = state["calls"]
    total = lambda name: sum(c["usage"][name] for c in calls)
    found = {"n_replies": len(calls), "n_failed": state["failed"], "input": total("input"), "output": total("output"), "cached": total("cached"), "reasoning": total("reasoning"),
             "replies": sorted([c["id"] for c in calls]), "texts": sorted(c["text"] for c in calls if c["text"]), "stops": sorted(c["stop"] for c in calls),
             "n_tokens": sum(c["tokens"] for c in calls),
             "n_subagent_turns": sum(c["agent"] != "main" for c in calls),
             "tools": sorted([c["name"], json.dumps(c["arguments"], sort_keys=True, separators=(",", ":")), c["id"], ok_of(c)] for x in calls for c in x["calls"])}
    found.update(more)
    # What the instrumentation does not write.
    if FAMILY == "pydantic_ai":
        found["stops"] = [stop.replace("tool_calls", "tool_call") for stop in found["stops"]]
    if FAMILY.startswith("agents"):
        found["stops"] = ["completed"] * len(calls)
    if FAMILY in ("agents_v2", "agents_native"):
        found["tools"] = sorted([name, arguments, None, ok] for name, arguments, _, ok in found["tools"])
    for name in LACKS.get(FAMILY, []):
        del found[name]
    return found


LACKS = {"agents_v2": ["cached", "reasoning", "texts", "stops"], "agents_native": ["texts", "stops"], "langfuse": ["replies", "stops"]}


def ok_of(call):
    return "missing" not in json.dumps(call["arguments"])


LINES, EXPECTED = [], {}


def finish(shuffled=True):
    r = random.Random(FAMILY)
    if shuffled:
        r.shuffle(LINES)
    with open(f"{FOLDER}/{FAMILY}.jsonl", "w") as file:
        file.writelines((json.dumps(cut(json.loads(text)), ensure_ascii=False) if IS_CUT else text) + "\n" for text in LINES)
    with open(f"{FOLDER}/{FAMILY}.expected.json", "w") as file:
        json.dump(EXPECTED, file, indent=1, ensure_ascii=False)
    print(FAMILY, len(EXPECTED), "runs", len(LINES), "lines", sum(x.get("n_replies", 0) for x in EXPECTED.values()), "replies", sum(len(x.get("tools", [])) for x in EXPECTED.values()), "calls of tools")


def seconds(spans):
    """The time of a run: of its root, or of all that it has."""
    roots = [s for s in spans if s.parent is None]
    if len(roots) == 1:
        return (roots[0].end_time - roots[0].start_time) / 1e9
    return (max(s.end_time for s in spans) - min(s.start_time for s in spans)) / 1e9


def by_trace():
    traces = {}
    for span in SPANS:
        traces.setdefault(f"{span.context.trace_id:032x}", []).append(span)
    return traces


def close(before, run, **more):
    """Takes the spans of a run, which are one trace."""
    mine = SPANS[before:]
    traces = {f"{s.context.trace_id:032x}" for s in mine}
    assert len(traces) == 1, traces
    at = 0
    r = random.Random(f"lines {run}")
    while at < len(mine):
        n = r.randint(1, 3)
        LINES.append(line(mine[at:at + n]))
        at += n
    EXPECTED[traces.pop()] = expected(run, seconds=seconds(mine), **more)


def pydantic_ai():
    from pydantic_ai import Agent, ModelRetry, UsageLimits, UsageLimitExceeded
    from pydantic_ai.models.openai import OpenAIChatModel
    Agent.instrument_all()
    sub = Agent(OpenAIChatModel("mock-model"), name="worker")
    main = Agent(OpenAIChatModel("mock-model"), name="lister", retries=9)

    def bash(command: str) -> str:
        try:
            return shell(command)
        except RuntimeError as error:
            raise ModelRetry(str(error))
    for agent in (sub, main):
        agent.tool_plain(name="bash", retries=9)(bash)

    @main.tool_plain(name="helper", retries=9)
    async def helper(task: str) -> str:
        return (await sub.run(task)).output
    for run in range(RUNS):
        before, more = len(SPANS), {}
        limit = 2 if run % 7 == 3 else None
        try:
            main.run_sync(f"RUN {run} main", usage_limits=UsageLimits(request_limit=limit))
        except UsageLimitExceeded:
            more = {"is_limited": True}
        except Exception as error:
            more = {"is_error": True}
        # The tools that the agent did not call before it ended have no result.
        close(before, run, **more)


def openinference():
    from openai import OpenAI
    from openinference.instrumentation import OITracer, TraceConfig
    from openinference.instrumentation.openai import OpenAIInstrumentor
    from openinference.semconv.trace import OpenInferenceSpanKindValues as Kind, SpanAttributes as Name
    from opentelemetry.trace import Status, StatusCode
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    tracer, client = OITracer(provider.get_tracer("app"), TraceConfig()), OpenAI()

    def tool(name, ident, arguments):
        with tracer.start_as_current_span(name, openinference_span_kind=Kind.TOOL) as span:
            span.set_tool(name=name, parameters={}) if hasattr(span, "set_tool") else span.set_attribute(Name.TOOL_NAME, name)
            span.set_input(arguments)
            if name == "helper":
                with tracer.start_as_current_span("worker", openinference_span_kind=Kind.AGENT) as agent:
                    agent.set_attribute(Name.AGENT_NAME, "worker")
                    result = loop(client, arguments["task"], tool, "worker", logprobs=True)
            else:
                result = shell(arguments["command"])
            span.set_output(result or "")
            span.set_status(Status(StatusCode.OK))
            return result
    for run in range(RUNS):
        before, r, more = len(SPANS), random.Random(f"scores {run}"), {}
        try:
            with tracer.start_as_current_span("lister", openinference_span_kind=Kind.AGENT) as root:
                root.set_attribute(Name.AGENT_NAME, "lister")
                if run % 2:
                    score = round(r.random(), 3)
                    root.set_attribute("trace.evaluations.0.evaluation.name", "correct")
                    root.set_attribute("trace.evaluations.0.evaluation.score", score)
                    root.set_attribute("trace.evaluations.1.evaluation.name", "tone")
                    root.set_attribute("trace.evaluations.1.evaluation.label", "polite")
                    more["scores"] = {"correct": score, "tone": "polite"}
                loop(client, f"RUN {run} main", tool, "main", logprobs=True)
        except Exception as error:
            more["is_error"] = True
        close(before, run, **more)


def agents(kind):
    import agents as sdk
    from agents import Agent, Runner, function_tool
    sdk.set_default_openai_api("responses")
    native, taken = [], [0]
    if kind == "agents_openinference":
        from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
        OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    elif kind == "agents_v2":
        from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
        OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
        processors = sdk.tracing.get_trace_provider()._multi_processor._processors
        sdk.tracing.set_trace_processors([p for p in processors if "Batch" not in type(p).__name__])
    else:
        class Keep(sdk.tracing.TracingProcessor):
            on_trace_start = on_span_start = lambda *_: None
            on_trace_end = on_span_end = lambda _, it: native.append(it.export())
            shutdown = force_flush = lambda _: None
        sdk.tracing.set_trace_processors([Keep()])

    def bash(command: str) -> str:
        "Run a command."
        return shell(command)

    async def helper(task: str) -> str:
        "Ask a worker."
        return str((await Runner.run(worker, task)).final_output)
    worker = Agent(name="worker", model="mock-model", tools=[function_tool(bash)])
    main = Agent(name="lister", model="mock-model", tools=[function_tool(bash), function_tool(helper)])
    for run in range(RUNS):
        before, more = len(SPANS), {}
        try:
            Runner.run_sync(main, f"RUN {run} main", max_turns=2 if run % 7 == 3 else 10)
        except sdk.MaxTurnsExceeded:
            more = {"is_limited": True}
        except Exception:
            more = {"is_error": True}
        if kind != "agents_native":
            close(before, run, **more)
            continue
        mine = native[taken[0]:]
        taken[0] = len(native)
        LINES.extend(json.dumps(it, default=str) for it in mine)
        (trace_id,) = {it.get("trace_id") or it["id"] for it in mine}
        EXPECTED[trace_id] = expected(run, **more)


def langfuse():
    from langfuse import Langfuse, observe
    langfuse = Langfuse(tracer_provider=provider)
    from langfuse.openai import OpenAI
    client = OpenAI()

    @observe(as_type="tool", name="bash")
    def bash(command):
        return shell(command)

    @observe(as_type="tool", name="helper")
    def helper(task):
        return worker(task)

    @observe(as_type="agent")
    def worker(task):
        return loop(client, task, tool, "worker")

    def tool(name, ident, arguments):
        return {"bash": bash, "helper": helper}[name](**arguments)

    @observe(as_type="agent")
    def lister(task):
        return loop(client, task, tool, "main")
    for run in range(RUNS):
        before, more = len(SPANS), {}
        try:
            lister(f"RUN {run} main")
        except Exception:
            more["is_error"] = True
        close(before, run, **more)


def mlflow():
    import mlflow
    mlflow.set_experiment("x")
    mlflow.openai.autolog()
    from openai import OpenAI
    client = OpenAI()
    bash = mlflow.trace(span_type="TOOL", name="bash")(shell)

    @mlflow.trace(span_type="TOOL", name="helper")
    def helper(task):
        return worker(task)

    @mlflow.trace(span_type="AGENT", name="worker")
    def worker(task):
        return loop(client, task, tool, "worker", logprobs=True)

    def tool(name, ident, arguments):
        return {"bash": bash, "helper": helper}[name](**arguments)

    @mlflow.trace(span_type="AGENT", name="lister")
    def lister(task):
        return loop(client, task, tool, "main", logprobs=True)
    for run in range(RUNS):
        more, r = {}, random.Random(f"scores {run}")
        try:
            lister(f"RUN {run} main")
        except Exception:
            more["is_error"] = True
        mlflow.flush_trace_async_logging()
        ident = mlflow.get_last_active_trace_id()
        if run % 2:
            value = r.choice([True, False, 0.5, "good"])
            first = mlflow.log_feedback(trace_id=ident, name="correct", value=0.25)
            if run % 4 == 1:
                mlflow.override_feedback(trace_id=ident, assessment_id=first.assessment_id, value=value)
                more["scores"] = {"correct": value}
            else:
                more["scores"] = {"correct": 0.25}
            mlflow.log_expectation(trace_id=ident, name="truth", value="x")
        trace = mlflow.get_trace(ident)
        LINES.append(json.dumps(json.loads(trace.to_json())))
        usage = trace.info.token_usage or {}
        spans = trace.data.spans
        root = next(s for s in spans if s.parent_id is None)
        EXPECTED[ident] = expected(run, seconds=(root.end_time_ns - root.start_time_ns) / 1e9, **more)
        own = [EXPECTED[ident]["input"], EXPECTED[ident]["output"]]
        assert [usage.get("input_tokens", 0), usage.get("output_tokens", 0)] == own, (usage, own)


def gen_ai():
    """Spans by hand: what conventions and programs write, in all the ways that count twice if they are added."""
    from opentelemetry.trace import Status, StatusCode, set_span_in_context
    tracer = provider.get_tracer("app")
    for run in range(RUNS):
        r, before = random.Random(f"gen_ai {run}"), len(SPANS)
        style = ["new", "old", "adk", "rig"][run % 4]
        total = dict(input=0, output=0, cached=0, reasoning=0)
        tools, replies, sub_turns, scores, n_failed = [], [], 0, {}, 0
        clock = [10**18 + run * 10**12]

        def start(name, parent, **attributes):
            clock[0] += r.randint(1, 10**9)
            span = tracer.start_span(name, context=set_span_in_context(parent) if parent else None, start_time=clock[0])
            for key, value in attributes.items():
                span.set_attribute(key.replace("__", "."), value)
            return span

        def end(span):
            clock[0] += r.randint(1, 10**9)
            span.end(end_time=clock[0])

        def call(parent, depth):
            nonlocal sub_turns, n_failed
            if r.random() < 0.1:
                span = start("chat m", parent, gen_ai__operation__name="chat", gen_ai__request__model="m")
                span.set_status(Status(StatusCode.ERROR, "overloaded"))
                end(span)
                n_failed += 1
            ident = f"r-{run}-{len(replies)}"
            usage = dict(input=r.randint(100, 900), output=r.randint(10, 90), cached=r.choice([0, 50]), reasoning=r.choice([0, 7]))
            for key, value in usage.items():
                total[key] += value
            replies.append(ident)
            sub_turns += depth > 0
            span = start("chat m", parent)
            layer = start("openai.chat", span) if r.random() < 0.3 else None
            for one in (span, layer):
                if one is None:
                    continue
                if style == "adk":
                    names = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read_tokens", "gen_ai.usage.thinking_tokens")
                elif style == "old":
                    names = ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.reasoning_tokens")
                else:
                    names = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.reasoning.output_tokens")
                if style != "adk":
                    one.set_attribute("gen_ai.operation.name", "chat")
                one.set_attribute("gen_ai.request.model", "m")
                one.set_attribute("gen_ai.response.id", ident)
                for name, value in zip(names, usage.values()):
                    one.set_attribute(name, value)
            n = r.choice([0, 1, 2]) if depth < 2 else 0
            made = [dict(id=f"c-{run}-{len(tools)}-{k}", name="search", arguments={"q": k, "n": len(tools)}) for k in range(n)]
            if style == "new":
                parts = [{"type": "text", "content": f"say {ident}"}] + [{"type": "tool_call", **c} for c in made]
                span.set_attribute("gen_ai.output.messages", json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "stop"}]))
            elif style == "old":
                message = {"role": "assistant", "content": f"say {ident}", "tool_calls": [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}} for c in made]}
                span.add_event("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": json.dumps(message)})
            span.set_attribute("gen_ai.response.finish_reasons", '["stop"]' if style == "rig" else ["stop"])
            if layer:
                end(layer)
            end(span)
            for c in made:
                if style == "adk":
                    tool = start("tool.execute", parent, tool__name=c["name"])
                    tool.set_attribute("gen_ai.tool.call.id", c["id"])
                else:
                    tool = start("execute_tool search", parent, gen_ai__operation__name="execute_tool", gen_ai__tool__name=c["name"])
                    tool.set_attribute("gen_ai.tool.call.id", c["id"])
                tool.set_attribute("gen_ai.tool.call.arguments", json.dumps(c["arguments"]))
                ok = r.random() < 0.8
                tools.append([c["name"], json.dumps(c["arguments"], sort_keys=True, separators=(",", ":")), c["id"], ok])
                if depth < 1 and r.random() < 0.4:
                    agent(tool, depth + 1)
                if not ok:
                    tool.set_status(Status(StatusCode.ERROR, "no such page"))
                end(tool)

        def agent(parent, depth):
            span = start("invoke_agent", parent, gen_ai__operation__name="invoke_agent", gen_ai__agent__name=f"agent{depth}")
            at = dict(total)
            for _ in range(r.randint(1, 3)):
                call(span, depth)
            name = "gen_ai.aggregated_usage" if run % 3 else "gen_ai.usage"
            span.set_attribute(name + ".input_tokens", total["input"] - at["input"])
            span.set_attribute(name + ".output_tokens", total["output"] - at["output"])
            if depth == 0:
                score = round(r.random(), 3)
                if run % 2:
                    span.add_event("gen_ai.evaluation.result", {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": score, "gen_ai.evaluation.score.label": "pass"}, timestamp=clock[0])
                    scores["relevance"] = score
                if run % 5 == 0:
                    span.set_attribute("eval.correct.label", "incorrect")
                    scores["correct"] = "incorrect"
                if run % 6 == 0:
                    span.set_attribute("gen_ai.agent.finish_reason", "max_iterations")
            end(span)
        root = start("http", None) if run % 5 == 4 else None
        agent(root, 0)
        if root:
            end(root)
        mine = SPANS[before:]
        if run % 8 == 7:
            # The process was killed before the outermost span ended.
            mine = mine[:-1]
            scores = scores if root else {}
        (trace_id,) = {f"{s.context.trace_id:032x}" for s in mine}
        LINES.extend(line([s]) for s in mine)
        LINES.extend(line([s]) for s in mine[:2])
        texts = sorted(f"say {i}" for i in replies) if style in ("new", "old") else []
        EXPECTED[trace_id] = {"n_replies": len(replies), "n_failed": n_failed, **total, "replies": sorted(replies), "texts": texts, "tools": sorted(tools),
                              "stops": ["stop"] * len(replies), "n_subagent_turns": sub_turns, "scores": scores,
                              "seconds": seconds(mine), "is_limited": run % 6 == 0}


if FAMILY.startswith("agents"):
    agents(FAMILY)
else:
    globals()[FAMILY]()
finish()
