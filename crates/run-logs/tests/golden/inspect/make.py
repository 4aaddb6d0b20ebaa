#!/usr/bin/env python3
"""Writes logs with inspect_ai itself, and what the package's own reader says of them.

    python3 -m venv new && new/bin/pip install inspect-ai==0.3.285
    python3 -m venv old && old/bin/pip install inspect-ai==0.3.110
    new/bin/python make.py          # writes 0.3.285.* beside this script
    old/bin/python make.py          # writes 0.3.110.*

The model is mockllm; its replies are made here from fixed seeds. Files:

    VERSION.eval         81 samples: limits, errors, retries, epochs, models, scorers, cached tokens
    VERSION.json         9 of them as one JSON object
    VERSION.killed.eval  a run that was killed while it ran
    VERSION.edited.eval  a log after an edit of a score and an invalidation (new version)
    VERSION.*.golden     JSON Lines: per sample, what read_eval_log says

    new/bin/python make.py chunked  # writes only the next one, from the log that stands beside this script

    0.3.285.chunked.eval 0.3.285.eval with its samples in chunks, by the converter of the package, whose own reader
                         does not read them: its golden file is that of the log before

Times and random ids differ each time; the golden files hold neither.
"""

import json, math, os, random, shutil, subprocess, sys, tempfile
from importlib.metadata import version

os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
from inspect_ai import Task, eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (ChatCompletionChoice, ChatMessageAssistant, ChatMessageUser, Logprob, Logprobs, ModelOutput, ModelUsage,
                              TopLogprob, execute_tools, get_model)
from inspect_ai.scorer import Score, mean, model_graded_qa, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, ToolError, tool
from inspect_ai.util import LimitExceededError

VERSION = version("inspect_ai")
NEW = VERSION != "0.3.110"
HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["plain", "tools", "limit", "error", "models", "long", "logprobs", "cached", "failed"]
LIMITS = ["context", "message", "token", "time", "working", "operator", "custom"] + (["cost", "turn"] if NEW else [])


@tool
def add():
    async def execute(a: int, b: int) -> str:
        """Adds.

        Args:
            a: One number.
            b: The other number.
        """
        if a == 13:
            raise ToolError("thirteen is not allowed")
        return str(a + b)

    return execute


def usage(r, cached=False):
    fields = dict(input_tokens=r.randint(1, 900), output_tokens=r.randint(1, 90))
    if cached:
        fields |= dict(input_tokens_cache_read=r.randint(0, 500), input_tokens_cache_write=r.randint(0, 50), reasoning_tokens=r.randint(0, 20))
        if NEW:
            fields["total_cost"] = r.randint(1, 999) / 10_000
    total = sum(v for k, v in fields.items() if k in ("input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write"))
    return ModelUsage(total_tokens=total, **fields)


def reply(model, r, text, calls=None, stop="stop", logprobs=None, cached=False):
    message = ChatMessageAssistant(content=text, tool_calls=calls, source="generate")
    choice = ChatCompletionChoice(message=message, stop_reason=stop, logprobs=logprobs)
    return ModelOutput(model=model, choices=[choice], usage=usage(r, cached))


def tokens(r, words):
    content = []
    for word in words:
        top = sorted((-r.randint(1, 50_000) / 10_000 for _ in range(5)), reverse=True)
        content.append(Logprob(token=word, logprob=top[0], bytes=list(word.encode()) if r.random() < 0.5 else None,
                               top_logprobs=[TopLogprob(token=f"{word}{i}", logprob=p, bytes=None) for i, p in enumerate(top)] if r.random() < 0.8 else None))
    return Logprobs(content=content)


@solver
def act():
    async def solve(state, generate):
        kind = state.metadata["kind"]
        r = random.Random(f"{state.sample_id}/{state.epoch}")
        name = f"mock-{state.metadata['n'] % 3}"

        def model(outputs):
            return get_model(f"mockllm/{name}", custom_outputs=outputs, memoize=False)

        async def say(m, tools=[]):
            state.output = await m.generate(state.messages, tools=tools)
            state.messages.append(state.output.message)
            return state.output.message

        if kind == "tools":
            good = ToolCall(id="c1", function="add", arguments={"a": r.randint(0, 5), "b": [1, {"x": None}] if r.random() < 0.2 else 2}, type="function")
            bad = ToolCall(id="c2", function="add", arguments={"a": 13, "b": 1}, type="function")
            none = ToolCall(id="c3", function="subtract", arguments={}, type="function")
            broken = ToolCall(id="c4", function="add", arguments={"add": '{"a": 1'}, parse_error="cut off", type="function")
            turns = [[good], [bad, good.__class__(id="c5", function="add", arguments={"a": 1, "b": 1}, type="function")], [none], [broken]]
            m = model([reply(name, r, f"turn {i}", calls, "tool_calls") for i, calls in enumerate(turns)] + [reply(name, r, "done")])
            for _ in turns:
                await say(m, [add()])
                result = await execute_tools(state.messages, [add()])
                state.messages.extend(result.messages)
            await say(m, [add()])
        elif kind == "limit":
            await say(model([reply(name, r, "I go on until I am stopped", stop=r.choice(["stop", "max_tokens", "content_filter", "model_length"]))]))
            what = LIMITS[(state.metadata["n"] // len(KINDS) + 3 * state.epoch) % len(LIMITS)]
            raise LimitExceededError(what, value=10, limit=7 if what != "cost" else 0.5, message=f"stopped by {what}")
        elif kind == "error":
            await say(model([reply(name, r, "this goes wrong")]))
            if state.metadata["n"] % 16 < 8 or not SEEN.get((state.sample_id, state.epoch)):
                SEEN[(state.sample_id, state.epoch)] = True
                raise RuntimeError(f"no luck with {state.sample_id} \u2014 at all")
        elif kind == "models":
            first = model([reply(name, r, "the first answer", cached=True)])
            other = get_model("mockllm/other", custom_outputs=[reply("other", r, "the second answer")], memoize=False)
            await say(first)
            state.messages.append(ChatMessageUser(content="and you?"))
            await say(other)
        elif kind == "long":
            text = "word \u00e9\U0001F600 \"quoted\" \\ \n" * 40 + str(r.random())
            call = ToolCall(id="c1", function="add", arguments={"a": 1, "b": "x" * 150 + str(r.random())}, type="function")
            m = model([reply(name, r, text, [call], "tool_calls"), reply(name, r, text + "!")])
            await say(m, [add()])
            state.messages.extend((await execute_tools(state.messages, [add()])).messages)
            await say(m)
        elif kind == "logprobs":
            words = ["The", " answer", " is", " \u00e9", "4", "2"]
            m = model([reply(name, r, "".join(words), logprobs=tokens(r, words)), reply(name, r, "sure", logprobs=tokens(r, ["su", "re"]))])
            await say(m)
            await say(m)
        elif kind == "failed":
            m = model(["not a reply", reply(name, r, "a second attempt")])
            try:
                await say(m)
            except Exception:
                await say(m)
        else:
            await say(model([reply(name, r, f"answer {r.randint(0, 9)}", cached=kind == "cached")]))
        return state

    return solve


# Tracebacks would be most of the files.
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("inspect_ai") and hasattr(module, "truncate_traceback"):
        module.truncate_traceback = lambda *_, **__: ("Traceback", True)

SEEN = {}


@scorer(metrics=[mean()], name="letter")
def letter():
    async def score(state, target):
        r = random.Random(f"letter {state.sample_id}/{state.epoch}")
        value = r.choice(["C", "I", "P", "N"])
        return Score(value=value, answer=state.output.completion[:20], explanation="as drawn", metadata={"seed": 7, "deep": {"x": [1, None, "y"]}})

    return score


@scorer(metrics={"*": [mean()]}, name="several")
def several():
    async def score(state, target):
        r = random.Random(f"several {state.sample_id}/{state.epoch}")
        return Score(value={"style": r.random(), "length": r.randint(0, 9), "passed": r.random() < 0.5})

    return score


@scorer(metrics=[mean()], name="number")
def number():
    async def score(state, target):
        r = random.Random(f"number {state.sample_id}/{state.epoch}")
        if r.random() < 0.2:
            return Score(value=math.nan, explanation="not scored")
        return Score(value=r.choice([r.random(), r.randint(0, 9), True, False]))

    return score


@scorer(metrics=[mean()], name="sometimes")
def sometimes():
    async def score(state, target):
        return Score(value=1.5) if state.metadata["n"] % 2 else None

    return score


def sample_id(n):
    return n if n % 4 == 0 else f"s{n}" if n % 4 == 1 else f"a/b {n}" if n % 4 == 2 else f"\u00e9\u4e2d{n}"


def samples(n):
    return MemoryDataset([Sample(id=sample_id(i + 1), input=f"question {i}", target="x", metadata={"kind": KINDS[i % len(KINDS)], "n": i}) for i in range(n)])


def grader(calls):
    # Two of three letters, and a reply that is no grade.
    def graded(text):
        output = ModelOutput.from_content("grader", text)
        output.usage = ModelUsage(input_tokens=30, output_tokens=3, total_tokens=33)
        return output

    outputs = [graded(text) for text in ("GRADE: C", "GRADE: I", "I cannot say")] * (calls // 3 + 1)
    return get_model("mockllm/grader", custom_outputs=outputs, memoize=False)


def scorers(calls):
    listed = [letter(), several(), number()] + ([model_graded_qa(model=grader(calls))] if calls else [])
    return listed + [sometimes()] if NEW else listed


def run(folder, form, n, epochs, **options):
    task = Task(dataset=samples(n), solver=act(), scorer=scorers(n * epochs + 9 if epochs > 1 else 0), epochs=epochs, name="every case", fail_on_error=False)
    log = run_eval(task, model="mockllm/model", log_dir=folder, log_format=form, display="none", max_samples=1, retry_on_error=1, log_model_api=False, **options)[0]
    return log.location


def as_usage(u):
    if u is None:
        return None
    return dict(input=u.input_tokens + (u.input_tokens_cache_read or 0) + (u.input_tokens_cache_write or 0), cached=u.input_tokens_cache_read,
                cache_write=u.input_tokens_cache_write, output=u.output_tokens, reasoning=u.reasoning_tokens, cost=getattr(u, "total_cost", None))


def plain(value):
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def turn(e):
    choice = e.output.choices[0] if e.output.choices and not e.error else None
    found = dict(model=e.model, role=e.role, error=e.error)
    if choice:
        found |= dict(text=choice.message.text, stop=choice.stop_reason, usage=as_usage(e.output.usage),
                      calls=[dict(id=c.id, name=c.function, arguments=c.arguments, parse_error=c.parse_error) for c in choice.message.tool_calls or []])
        if choice.logprobs:
            found["logprobs"] = [[t.token, t.logprob, t.bytes, [[a.token, a.logprob] for a in t.top_logprobs or []]] for t in choice.logprobs.content]
    return found


def say(log):
    for s in log.samples or []:
        yield dict(
            id=str(s.id), epoch=s.epoch, task=log.eval.task, model=log.eval.model,
            scores={k: dict(value=plain(v.value), answer=v.answer, explanation=v.explanation, metadata=plain(v.metadata)) for k, v in (s.scores or {}).items()},
            limit=s.limit and dict(type=s.limit.type, limit=s.limit.limit, reason=getattr(s.limit, "reason", None)),
            error=s.error and s.error.message, error_retries=[e.message for e in getattr(s, "error_retries", None) or []],
            invalidated=getattr(s, "invalidation", None) is not None,
            usage={k: as_usage(v) for k, v in s.model_usage.items()},
            turns=[turn(e) for e in s.events if e.event == "model"],
            attempts=[turn(e) for a in getattr(s, "error_retries", None) or [] for e in getattr(a, "events", None) or [] if e.event == "model"],
            tools=[dict(id=e.id, name=e.function, error=e.error and e.error.message) for e in s.events if e.event == "tool"],
            intermediate=[dict(value=plain(e.score.value)) for e in s.events if e.event == "score" and getattr(e, "intermediate", False)],
        )


def keep(source, name):
    target = os.path.join(HERE, f"{VERSION}.{name}")
    shutil.copyfile(source, target)
    with open(target + ".golden", "w") as out:
        out.write(f'{{"origin": "read_eval_log of inspect_ai {VERSION}, written by make.py"}}\n')
        for row in say(read_eval_log(target, resolve_attachments=True)):
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    return target


@solver
def dies_at_four():
    async def solve(state, generate):
        await act()(state, generate)
        if state.metadata["n"] == 4:
            os._exit(3)
        return state

    return solve


def killed(folder):
    task = Task(dataset=samples(8), solver=dies_at_four(), scorer=[letter()], name="killed", fail_on_error=False)
    run_eval(task, model="mockllm/model", log_dir=folder, log_format="eval", display="none", max_samples=1, log_buffer=1)


def chunked():
    from inspect_ai.log._recorders.chunked.convert import convert_eval_logs_to_chunked
    with tempfile.TemporaryDirectory() as folder:
        convert_eval_logs_to_chunked(os.path.join(HERE, f"{VERSION}.eval"), folder, chunk_size=4, attachments_chunk_bytes=3000)
        shutil.copyfile(os.path.join(folder, f"{VERSION}.eval"), os.path.join(HERE, f"{VERSION}.chunked.eval"))


def main():
    if sys.argv[1:] == ["chunked"]:
        return chunked()
    if len(sys.argv) > 2 and sys.argv[1] == "killed":
        return killed(sys.argv[2])
    if NEW:
        import inspect_ai._util.zipfile as frames
        frames._MAX_INPUT_PER_FRAME = 16384  # several frames in small entries
    with tempfile.TemporaryDirectory() as folder:
        first = keep(run(folder, "eval", 27, 3), "eval")
        SEEN.clear()
        keep(run(folder, "json", 9, 1), "json")
        dead = os.path.join(folder, "dead")
        subprocess.run([sys.executable, __file__, "killed", dead])
        for name in os.listdir(dead):
            if name.endswith(".eval"):
                keep(os.path.join(dead, name), "killed.eval")
        if NEW:
            from inspect_ai.log import ProvenanceData, edit_score, invalidate_samples
            from inspect_ai.scorer import ScoreEdit
            log = read_eval_log(first)
            some = [s for s in log.samples if s.scores][:3]
            for s in some[:2]:
                edit_score(log, s.id, "letter", ScoreEdit(value="C", provenance=ProvenanceData(author="tester", reason="checked")), epoch=s.epoch)
            log = invalidate_samples(log, [some[2].uuid], ProvenanceData(author="tester", reason="leaked"))
            log.samples = log.samples[:12]
            edited = os.path.join(folder, "edited.eval")
            write_eval_log(log, edited)
            keep(edited, "edited.eval")


main()
