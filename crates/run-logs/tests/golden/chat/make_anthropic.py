#!/usr/bin/env python3
"""Writes replies of Anthropic's Messages API with the package's own types, and what the package reads in them.

    python3 -m venv venv && venv/bin/pip install anthropic==2.12.0
    venv/bin/python crates/run-logs/tests/golden/chat/make_anthropic.py

anthropic.jsonl holds one reply per line; anthropic.expected.jsonl holds, line by line, what the package reads from that
line again, in the form of make.py. The package's `input_tokens` is without cached tokens; the expected input has them."""
import json
import pathlib
import random

import anthropic
from anthropic.types import Message

HERE = pathlib.Path(__file__).parent
WORDS = ["The", " answer", " is", " 18", ".", "\n", " Paris", " \"quoted\"", " √", " 😀", "", "<confidence>0.8</confidence>"]
INPUTS = [{}, {"city": "Paris"}, {"nested": {"list": [1, 2.5, None, True, "x"]}}, {"text": "é\n\"q\""}, {"big": 12345678901234567890}]
REASONS = ["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded", None]


def block(rng, i, n):
    kind = rng.choice(["text", "text", "text", "thinking", "redacted", "tool", "tool", "server"])
    if kind == "text":
        return [{"type": "text", "text": "".join(rng.choices(WORDS, k=rng.randrange(0, 8))), "citations": None}]
    if kind == "thinking":
        return [{"type": "thinking", "thinking": "<confidence>0.1</confidence>", "signature": "s"}]
    if kind == "redacted":
        return [{"type": "redacted_thinking", "data": "x"}]
    if kind == "tool":
        return [{"type": "tool_use", "id": f"toolu_{i}_{n}", "name": rng.choice(["search", "book"]), "input": rng.choice(INPUTS)}]
    found = {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "e", "page_age": None}
    content = rng.choice([[found], {"type": "web_search_tool_result_error", "error_code": "unavailable"}])
    return [{"type": "server_tool_use", "id": f"srvtoolu_{i}_{n}", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": f"srvtoolu_{i}_{n}", "content": content}]


def reply(rng, i):
    usage = {"input_tokens": rng.randrange(0, 3000), "output_tokens": rng.randrange(0, 900)}
    if rng.random() < 0.7:
        usage["cache_creation_input_tokens"] = rng.choice([None, 0, rng.randrange(1, 5000)])
        usage["cache_read_input_tokens"] = rng.choice([None, 0, rng.randrange(1, 50_000)])
    if rng.random() < 0.3:
        usage["output_tokens_details"] = {"thinking_tokens": rng.randrange(0, usage["output_tokens"] + 1)}
        usage["server_tool_use"] = {"web_search_requests": 1, "web_fetch_requests": 0}
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}
    content = [b for n in range(rng.randrange(0, 5)) for b in block(rng, i, n)]
    data = {"id": f"msg_{i}", "type": "message", "role": "assistant", "model": rng.choice(["claude-a", "claude-b"]), "content": content,
            "stop_reason": rng.choice(REASONS), "stop_sequence": None, "usage": usage}
    # The order of fields has no meaning.
    keys = list(data)
    rng.shuffle(keys)
    shuffled = Message.model_validate(data).model_dump(mode="json", exclude_unset=rng.random() < 0.5)
    line = json.dumps({key: shuffled[key] for key in keys} | shuffled, ensure_ascii=False)
    return line, expect(Message.model_validate_json(line))


def expect(read):
    text = "".join(b.text for b in read.content if b.type == "text")
    calls = [{"id": b.id, "name": b.name, "value": b.input} for b in read.content if b.type in ("tool_use", "server_tool_use")]
    u = read.usage
    whole = u.input_tokens + (u.cache_creation_input_tokens or 0) + (u.cache_read_input_tokens or 0)
    return {"id": read.id, "model": read.model, "error": None,
            "replies": [{"text": text, "refusal": None, "stop": read.stop_reason, "tool_calls": calls, "tokens": None}],
            "usage": {"input": whole, "output": u.output_tokens, "cached": u.cache_read_input_tokens, "written": u.cache_creation_input_tokens,
                      "reasoning": u.output_tokens_details and u.output_tokens_details.thinking_tokens}}


rng = random.Random("anthropic")
lines, facts = zip(*(reply(rng, i) for i in range(240)))
(HERE / "anthropic.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
facts = [json.dumps({"origin": f"anthropic {anthropic.__version__}; make_anthropic.py"})] + [json.dumps(fact) for fact in facts]
(HERE / "anthropic.expected.jsonl").write_text("\n".join(facts) + "\n", encoding="utf-8")
