"""Writes apis.json: one dialogue as the official clients send it, and replies in their types.

    pip install openai==3.57.0 anthropic==2.13.0
    python apis.py > apis.json

A transport in place of the network keeps what the clients send. Replies are made by the types of the clients, which
check them."""

import json
import warnings
from datetime import date

import anthropic
import httpx2 as httpx
import openai
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

SCHEMA = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"], "additionalProperties": False}
PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "integer", "description": "The first number."}},
    "required": ["a"],
    "additionalProperties": False,
}
CALLS = [("c1", {"a": 12}), ("c2", {"a": 6})]
RESULTS = [("c1", "12"), ("c2", "There is no such number.")]

sent = []


def answer(request):
    sent.append({"path": request.url.path, "body": json.loads(request.content), "key": key_header(request.headers)})
    return httpx.Response(500, json={"error": {"message": "kept"}})


def key_header(headers):
    return {name: headers[name] for name in ("authorization", "x-api-key", "anthropic-version") if name in headers}


def caught(call, error):
    try:
        call()
    except error:
        return sent.pop()
    raise AssertionError("the transport replies with an error")


http = httpx.Client(transport=httpx.MockTransport(answer))
gpt = openai.OpenAI(api_key="key", base_url="http://server/v1", http_client=http, max_retries=0)
claude = anthropic.Anthropic(api_key="key", base_url="http://server", http_client=http, max_retries=0)

chat = caught(lambda: gpt.chat.completions.create(
    model="m", temperature=0.5, top_p=0.9, max_tokens=64, seed=7, reasoning_effort="low", logprobs=True, top_logprobs=5,
    messages=[
        {"role": "system", "content": "Add."},
        {"role": "user", "content": "What is 12 + 6?"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "add", "arguments": json.dumps(it, separators=(",", ":"))}}
            for id, it in CALLS]},
        *({"role": "tool", "tool_call_id": id, "content": text} for id, text in RESULTS),
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "18"},
        {"role": "user", "content": "Sure?"},
    ],
    tools=[{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": PARAMETERS}}],
    parallel_tool_calls=False,
    response_format={"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}},
), openai.InternalServerError)

responses = caught(lambda: gpt.responses.create(
    model="m", temperature=0.5, top_p=0.9, max_output_tokens=64, reasoning={"effort": "low"}, store=False,
    include=["message.output_text.logprobs"], top_logprobs=5,
    input=[
        {"role": "system", "content": "Add."},
        {"role": "user", "content": "What is 12 + 6?"},
        *({"type": "function_call", "call_id": id, "name": "add", "arguments": json.dumps(it, separators=(",", ":"))}
          for id, it in CALLS),
        *({"type": "function_call_output", "call_id": id, "output": text} for id, text in RESULTS),
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "18"},
        {"role": "user", "content": "Sure?"},
    ],
    tools=[{"type": "function", "name": "add", "description": "Adds.", "parameters": PARAMETERS, "strict": False}],
    parallel_tool_calls=False,
    text={"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA}},
), openai.InternalServerError)

messages = caught(lambda: claude.messages.create(
    model="m", max_tokens=64, system="Add.",
    messages=[
        {"role": "user", "content": [{"type": "text", "text": "What is 12 + 6?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "add", "input": it} for id, it in CALLS]},
        {"role": "user", "content": [
            *({"type": "tool_result", "tool_use_id": id, "content": text} for id, text in RESULTS),
            {"type": "text", "text": "Go on."}]},
        {"role": "assistant", "content": [{"type": "text", "text": "18"}]},
        {"role": "user", "content": [{"type": "text", "text": "Sure?"}]},
    ],
    tools=[{"name": "add", "description": "Adds.", "input_schema": PARAMETERS}],
    tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    output_config={"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
), anthropic.InternalServerError)


def dumped(kind, fields):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return json.loads(kind.model_validate(fields).model_dump_json(exclude_unset=True))


def chat_reply(message, reason, usage):
    return dumped(ChatCompletion, {
        "id": "r", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": reason, "logprobs": None, "message": {"role": "assistant", **message}}],
        "usage": usage})


def response(output, usage, **fields):
    return dumped(Response, {
        "id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
        "tool_choice": "auto", "tools": [], "top_p": 1.0, "output": output, "usage": usage, **fields})


def said(text):
    return {"type": "message", "id": "o", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": text, "annotations": [], "logprobs": [
            {"token": text, "logprob": -0.5, "bytes": [], "top_logprobs": [
                {"token": text, "logprob": -0.5, "bytes": []}, {"token": "?", "logprob": -1.0, "bytes": []}]}]}]}


def message(content, reason, usage):
    return dumped(Message, {
        "id": "r", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": reason,
        "stop_sequence": None, "usage": usage})


CHAT_USAGE = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "prompt_tokens_details": {"cached_tokens": 10}}
RESPONSE_USAGE = {
    "input_tokens": 30, "output_tokens": 5, "total_tokens": 35,
    "input_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 2}}
# Cached tokens are counted beside the input.
MESSAGE_USAGE = {"input_tokens": 20, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 5}
ADD = {"a": 12}

print(json.dumps({
    "origin": f"apis.py with openai {openai.__version__} and anthropic {anthropic.__version__}, {date.today()}",
    "requests": {"openai-chat": chat, "openai-responses": responses, "anthropic": messages},
    "replies": {
        "openai-chat": {
            "text": chat_reply({"content": "18"}, "stop", CHAT_USAGE),
            "call": chat_reply({"content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "add", "arguments": json.dumps(ADD)}}]},
                "tool_calls", CHAT_USAGE),
            "cut off": chat_reply({"content": "1"}, "length", CHAT_USAGE),
        },
        "openai-responses": {
            "text": response([{"type": "reasoning", "id": "t", "summary": []}, said("18")], RESPONSE_USAGE),
            "call": response([{"type": "function_call", "id": "f", "call_id": "c1", "name": "add",
                               "arguments": json.dumps(ADD), "status": "completed"}], RESPONSE_USAGE),
            "cut off": response([said("1")], RESPONSE_USAGE, status="incomplete",
                                incomplete_details={"reason": "max_output_tokens"}),
        },
        "anthropic": {
            "text": message([{"type": "thinking", "thinking": "Carry.", "signature": "s"},
                             {"type": "text", "text": "18", "citations": None}], "end_turn", MESSAGE_USAGE),
            "call": message([{"type": "tool_use", "id": "c1", "name": "add", "input": ADD, "caller": {"type": "direct"}}],
                            "tool_use", MESSAGE_USAGE),
            "cut off": message([{"type": "text", "text": "1", "citations": None}], "max_tokens", MESSAGE_USAGE),
        },
    },
}, indent=1, sort_keys=True))
