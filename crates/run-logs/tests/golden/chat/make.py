#!/usr/bin/env python3
"""Writes logs with the packages of the formats themselves, and what those packages read in them.

    python3 -m venv venv && venv/bin/pip install openai==3.54.0 google-genai==3.4.0 ollama==0.6.3
    venv/bin/python crates/run-logs/tests/golden/chat/make.py

Each FORMAT.jsonl holds one response per line, written by the package's own model; FORMAT.expected.jsonl holds, line by
line, what the package reads from that line again. Numbers are written as `repr` writes them, as text, so that the
comparison is exact. Arguments of tool calls are judged by Python's json with strict hooks: a text that is not one JSON
object without repeated keys, NaN, infinities and halves of surrogate pairs is not parsed."""
import json
import math
import pathlib
import random

import google.genai
import google.genai.types as gemini
import ollama
import openai
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

HERE = pathlib.Path(__file__).parent
ORIGIN = f"openai {openai.__version__}, google-genai {google.genai.__version__}, ollama 0.6.3; make.py"
ARGUMENTS = [
    '{"city": "Paris"}', '{"city": "Par', "", "null", "[1, 2]", '{"a": 1} and more', '{"a": 1, "a": 2}', '{"a": NaN}',
    '{"a": "\\ud800"}', '{"a": 1e400}', ' {"nested": {"list": [1, 2.5, null, true, "x"]}} ', '"text"', "3", "{}",
    '{"a": Infinity}', '{"a": "\\ud83d\\ude00 é"}', "{'a': 1}", '{"a": 01}', '{"a": 1,}', '{"deep": ' + "[" * 40 + "]" * 40 + "}",
    '{"a": "line\nbreak"}', "   ", '{"big": 12345678901234567890}', '{"a": -0.5e-3}', "{", "undefined",
]
WORDS = ["The", " answer", " is", " 18", ".", "\n", " Paris", " \"quoted\"", " √", " 😀", "", "<action>", "8", "</action>", " é"]


def strict(text):
    """The arguments in `text`: the value of a JSON object, or None."""
    def pairs(items):
        if len({key for key, _ in items}) != len(items):
            raise ValueError("a key occurs twice")
        return dict(items)

    def constant(word):
        raise ValueError(word)

    def number(digits):
        if math.isinf(float(digits)):
            raise ValueError(digits)
        return float(digits)

    if not text.strip(" \t\n\r"):
        return {}
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=number)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, UnicodeEncodeError):
        return None
    return {} if value is None else value if isinstance(value, dict) else None


def call(id, name, text):
    value = strict(text)
    return {"id": id, "name": name, **({"unparsed": text} if value is None else {"value": value})}


def pieces(rng):
    """Tokens as (text, bytes): some characters are split between two tokens."""
    for word in rng.choices(WORDS, k=rng.randrange(0, 9)):
        raw = word.encode()
        if len(raw) > 2 and raw[-1] > 127 and rng.random() < 0.6:
            cut = len(raw) - 1
            yield "".join(f"\\x{b:02x}" for b in raw[:cut]), raw[:cut]
            yield "".join(f"\\x{b:02x}" for b in raw[cut:]), raw[cut:]
        else:
            yield word, raw


def logprob(rng):
    return rng.choice([0.0, -9999.0, -0.0001 * rng.random(), -rng.random(), -5 * rng.random(), -1e-300, -17.25])


def openai_tokens(rng, tokens, null_bytes):
    def one(text, raw):
        return {"token": text, "logprob": logprob(rng), "bytes": None if null_bytes else list(raw)}

    return [one(*token) | {"top_logprobs": [one(*token)] * (rng.random() < 0.7) + [one(w, w.encode()) for w in rng.sample(WORDS, k=rng.randrange(0, 6))]}
            for token in tokens]


def expected_tokens(tokens):
    def one(t):
        raw = t.token.encode() if getattr(t, "bytes", None) is None else bytes(t.bytes)
        return [raw.hex(), repr(t.logprob)]

    return None if tokens is None else [one(t) + [[one(a) for a in t.top_logprobs or []]] for t in tokens]


def chat(rng, i):
    def choice(index):
        tokens = list(pieces(rng))
        text = b"".join(raw for _, raw in tokens).decode()
        kind = rng.choice(["text", "text", "text", "tools", "tools", "refusal", "filter", "old", "both"])
        message = {"role": "assistant", "content": text}
        logprobs = {"content": openai_tokens(rng, tokens, rng.random() < 0.3), "refusal": None}
        reason = rng.choice(["stop", "stop", "length"])
        if kind in ("tools", "both"):
            message["content"] = None if kind == "tools" else text
            calls = []
            for n in range(rng.randrange(1, 4)):
                if rng.random() < 0.2:
                    calls.append({"id": f"call_{i}_{n}", "type": "custom", "custom": {"name": "code", "input": rng.choice(["print(1)", "", "{", "é√"])}})
                else:
                    text_of = ARGUMENTS[(7 * i + 3 * n + index) % len(ARGUMENTS)]
                    calls.append({"id": f"call_{i}_{n}", "type": "function", "function": {"name": rng.choice(["search", "book"]), "arguments": text_of}})
            message["tool_calls"], reason = calls, "tool_calls"
            logprobs = rng.choice([None, {"content": None, "refusal": None}]) if kind == "tools" else logprobs
        elif kind == "refusal":
            message |= {"content": None, "refusal": text}
            logprobs = {"content": None, "refusal": logprobs["content"]}
        elif kind == "filter":
            message["content"], reason, logprobs = rng.choice([None, ""]), "content_filter", rng.choice([None, {"content": None, "refusal": None}])
        elif kind == "old":
            message["function_call"] = {"name": "search", "arguments": ARGUMENTS[i % len(ARGUMENTS)]}
            message["content"], reason, logprobs = None, "function_call", None
        elif rng.random() < 0.2:
            logprobs = None
        return {"index": index, "message": message, "finish_reason": reason, "logprobs": logprobs}

    data = {"id": f"chatcmpl-{i}", "object": "chat.completion", "created": 1_790_000_000 + i, "model": rng.choice(["gpt-a", "gpt-b"]),
            "choices": [choice(n) for n in range(rng.choice([1, 1, 1, 2, 3]))]}
    if rng.random() < 0.85:
        prompt, completion = rng.randrange(1, 5000), rng.randrange(0, 900)
        data["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        if rng.random() < 0.6:
            data["usage"]["prompt_tokens_details"] = {"cached_tokens": rng.randrange(0, prompt), "audio_tokens": 0}
            data["usage"]["completion_tokens_details"] = {"reasoning_tokens": rng.randrange(0, completion + 1)}
    model = ChatCompletion.model_validate(data)
    line = model.model_dump_json(exclude_unset=rng.random() < 0.5)
    return line, expect_chat(ChatCompletion.model_validate_json(line))


def expect_chat(read):
    def choice(c):
        calls = [{"id": t.id, "name": t.custom.name, "value": t.custom.input} if t.type == "custom" else call(t.id, t.function.name, t.function.arguments)
                 for t in c.message.tool_calls or []] if c.message.tool_calls else []
        if c.message.function_call:
            calls.append(call(None, c.message.function_call.name, c.message.function_call.arguments))
        tokens = c.logprobs.content if c.logprobs else None
        return {"text": c.message.content or "", "refusal": c.message.refusal, "stop": c.finish_reason, "tool_calls": calls,
                "tokens": expected_tokens(tokens or (None if c.message.content else tokens))}

    u = read.usage
    details = (u and u.prompt_tokens_details, u and u.completion_tokens_details)
    return {"id": read.id, "model": read.model, "replies": [choice(c) for c in read.choices],
            "usage": u and {"input": u.prompt_tokens, "output": u.completion_tokens, "cached": details[0] and details[0].cached_tokens,
                            "written": details[0] and details[0].cache_write_tokens, "reasoning": details[1] and details[1].reasoning_tokens}}


def responses(rng, i):
    output, status, more = [], "completed", {}
    for n in range(rng.randrange(0, 4)):
        kind = rng.choice(["message", "message", "call", "custom", "reasoning"])
        if kind == "message":
            parts = []
            for _ in range(rng.choice([1, 1, 2])):
                tokens = list(pieces(rng))
                text = b"".join(raw for _, raw in tokens).decode()
                if rng.random() < 0.15:
                    parts.append({"type": "refusal", "refusal": text})
                else:
                    parts.append({"type": "output_text", "text": text, "annotations": [], "logprobs": openai_tokens(rng, tokens, False) if i % 4 else []})
            output.append({"type": "message", "id": f"msg_{i}_{n}", "role": "assistant", "status": "completed", "content": parts})
        elif kind == "call":
            output.append({"type": "function_call", "id": f"fc_{i}_{n}", "call_id": f"call_{i}_{n}", "name": "search", "arguments": ARGUMENTS[(5 * i + n) % len(ARGUMENTS)]})
        elif kind == "custom":
            output.append({"type": "custom_tool_call", "id": f"ct_{i}_{n}", "call_id": f"call_{i}_{n}", "name": "code", "input": rng.choice(["print(1)", "", "{"])})
        else:
            output.append({"type": "reasoning", "id": f"rs_{i}_{n}", "summary": [{"type": "summary_text", "text": "thinking"}]})
    if i % 7 == 0:
        status, more = "incomplete", {"incomplete_details": {"reason": rng.choice(["max_output_tokens", "content_filter"])}}
    elif i % 11 == 0:
        status, more = "failed", {"error": {"code": "server_error", "message": "the server failed"}}
    used, made = rng.randrange(1, 5000), rng.randrange(0, 900)
    data = {"id": f"resp_{i}", "object": "response", "created_at": 1_790_000_000 + i, "model": "gpt-r", "output": output, "status": status,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], **more}
    if rng.random() < 0.85:
        data["usage"] = {"input_tokens": used, "output_tokens": made, "total_tokens": used + made,
                         "input_tokens_details": {"cached_tokens": rng.randrange(0, used), "cache_write_tokens": rng.randrange(0, 9)},
                         "output_tokens_details": {"reasoning_tokens": rng.randrange(0, made + 1)}}
    line = Response.model_validate(data).model_dump_json(exclude_unset=True)
    return line, expect_responses(Response.model_validate_json(line))


def expect_responses(read):
    texts = [part for item in read.output if item.type == "message" for part in item.content]
    calls = [call(item.call_id, item.name, item.arguments) if item.type == "function_call" else
             {"id": item.call_id, "name": item.name, "value": item.input}
             for item in read.output if item.type in ("function_call", "custom_tool_call")]
    refusals = [part.refusal for part in texts if part.type == "refusal"]
    spoken = [part for part in texts if part.type == "output_text"]
    whole = all(part.logprobs or not part.text for part in spoken) and any(part.logprobs is not None for part in spoken)
    tokens = [t for part in spoken for t in part.logprobs or []] if whole else None
    u = read.usage
    stop = read.incomplete_details.reason if read.incomplete_details else None if read.status == "failed" else "stop"
    return {"id": read.id, "model": read.model, "error": read.error and read.error.message,
            "replies": [{"text": read.output_text, "refusal": "".join(refusals) if refusals else None, "stop": stop, "tool_calls": calls,
                         "tokens": expected_tokens(tokens)}],
            "usage": u and {"input": u.input_tokens, "output": u.output_tokens, "cached": u.input_tokens_details.cached_tokens,
                            "written": u.input_tokens_details.cache_write_tokens, "reasoning": u.output_tokens_details.reasoning_tokens}}


def gemini_response(rng, i):
    def candidate(index):
        tokens = [(w, w.encode()) for w in rng.choices(WORDS, k=rng.randrange(0, 8))]
        text = "".join(w for w, _ in tokens)
        parts = [{"text": "a thought", "thought": True}] * (rng.random() < 0.3) + [{"text": text}]
        for n in range(rng.choice([0, 0, 1, 2])):
            parts.append({"functionCall": {"name": "search", "args": {"city": "Paris", "n": n, "deep": {"list": [1, 2.5, None, True]}}, **({"id": f"c{n}"} if i % 2 else {})}})
        made = {"content": {"role": "model", "parts": parts}, "index": index, "finishReason": rng.choice(["STOP", "STOP", "MAX_TOKENS"])}
        if rng.random() < 0.1:
            made = {"index": index, "finishReason": "SAFETY"}
        elif rng.random() < 0.8:
            def one(word):
                return {"token": word, "tokenId": len(word), "logProbability": logprob(rng)}
            made["logprobsResult"] = {"chosenCandidates": [one(w) for w, _ in tokens]}
            if rng.random() < 0.8:
                made["logprobsResult"]["topCandidates"] = [{"candidates": [one(w) for w in rng.sample(WORDS, k=rng.randrange(0, 6))]} for _ in tokens]
            made["avgLogprobs"] = -0.5
        return made

    data = {"responseId": f"g-{i}", "modelVersion": "gemini-x", "candidates": [candidate(n) for n in range(rng.choice([1, 1, 2]))]}
    if i % 13 == 0:
        data = {"responseId": f"g-{i}", "modelVersion": "gemini-x", "promptFeedback": {"blockReason": "SAFETY"}}
    if rng.random() < 0.85:
        data["usageMetadata"] = {"promptTokenCount": 900 + i, "candidatesTokenCount": i, "totalTokenCount": 900 + 2 * i + 7}
        if i % 2:
            data["usageMetadata"] |= {"cachedContentTokenCount": i, "thoughtsTokenCount": 7}
    line = gemini.GenerateContentResponse.model_validate(data).model_dump_json(by_alias=True, exclude_none=rng.random() < 0.7)
    return line, expect_gemini(gemini.GenerateContentResponse.model_validate_json(line))


def expect_gemini(read):
    def candidate(c):
        parts = (c.content and c.content.parts) or []
        text = "".join(p.text for p in parts if p.text and not p.thought)
        calls = [{"id": p.function_call.id, "name": p.function_call.name, "value": p.function_call.args or {}} for p in parts if p.function_call]
        tokens = None
        if c.logprobs_result and (c.logprobs_result.chosen_candidates or not text):
            def one(t):
                return [t.token.encode().hex(), repr(t.log_probability)]
            chosen, tops = c.logprobs_result.chosen_candidates, c.logprobs_result.top_candidates or []
            tokens = [one(t) + [[one(a) for a in tops[n].candidates] if n < len(tops) else []] for n, t in enumerate(chosen)]
        return {"text": text, "refusal": None, "stop": c.finish_reason.value, "tool_calls": calls, "tokens": tokens}

    u = read.usage_metadata
    return {"id": read.response_id, "model": read.model_version, "replies": [candidate(c) for c in read.candidates or []],
            "usage": u and {"input": u.prompt_token_count, "output": u.candidates_token_count + (u.thoughts_token_count or 0),
                            "cached": u.cached_content_token_count, "written": None, "reasoning": u.thoughts_token_count}}


def ollama_response(rng, i):
    tokens = [(w, w.encode()) for w in rng.choices(WORDS, k=rng.randrange(0, 8))]
    text = "".join(w for w, _ in tokens)
    data = {"model": "llama-x", "created_at": "2026-11-22T00:00:00Z", "done": True, "done_reason": rng.choice(["stop", "length"]),
            "prompt_eval_count": 100 + i, "eval_count": len(tokens), "eval_duration": 5}
    if rng.random() < 0.8:
        data["logprobs"] = [{"token": w, "logprob": logprob(rng), "top_logprobs": [{"token": a, "logprob": logprob(rng)} for a in rng.sample(WORDS, k=rng.randrange(0, 6))]} for w, _ in tokens]
    if i % 3:
        data["message"] = {"role": "assistant", "content": text, "thinking": rng.choice([None, "a thought"])}
        if rng.random() < 0.4:
            data["message"]["tool_calls"] = [{"function": {"name": "search", "arguments": {"city": "Paris", "n": n, "list": [1, 2.5, None]}}} for n in range(rng.choice([1, 2]))]
        model = ollama.ChatResponse
    else:
        data["response"], model = text, ollama.GenerateResponse
    line = model.model_validate(data).model_dump_json(exclude_none=rng.random() < 0.7)
    return line, expect_ollama(model.model_validate_json(line))


def expect_ollama(read):
    message = getattr(read, "message", None)
    text = (message.content if message else read.response) or ""
    calls = [{"id": None, "name": t.function.name, "value": dict(t.function.arguments)} for t in (message and message.tool_calls) or []]
    return {"id": None, "model": read.model,
            "replies": [{"text": text, "refusal": None, "stop": read.done_reason, "tool_calls": calls,
                         "tokens": expected_tokens(read.logprobs if read.logprobs or not text else None)}],
            "usage": {"input": read.prompt_eval_count, "output": read.eval_count, "cached": None, "written": None, "reasoning": None}}


for name, make in [("openai_chat", chat), ("openai_responses", responses), ("gemini", gemini_response), ("ollama", ollama_response)]:
    rng = random.Random(name)
    lines, facts = zip(*(make(rng, i) for i in range(240)))
    (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    facts = [json.dumps({"origin": ORIGIN})] + [json.dumps(fact) for fact in facts]
    (HERE / f"{name}.expected.jsonl").write_text("\n".join(facts) + "\n", encoding="utf-8")
