"""Prints MB/s of Python's json, and of the formats' own packages, on the files that log_reading.rs reads.

Lowest of 5 runs, in processor time of one thread. `json` makes dictionaries and lists of each line and checks no field; the packages'
models check fields as run-logs does.

    pip install openai==3.54.0 google-genai==3.4.0 ollama==0.6.3
    python3 rivals_logs.py
"""

import json
import pathlib
import time

import google.genai.types as gemini
import ollama
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

FOLDER = pathlib.Path(__file__).parent / "../crates/run-logs/tests/golden"
PACKAGES = {
    "chat/openai_chat": lambda line: ChatCompletion.model_validate_json(line),
    "chat/openai_responses": lambda line: Response.model_validate_json(line),
    "chat/gemini": lambda line: gemini.GenerateContentResponse.model_validate_json(line),
    "chat/ollama": lambda line: (ollama.ChatResponse if b'"message"' in line else ollama.GenerateResponse).model_validate_json(line),
}


def rate(read, lines):
    times = []
    for _ in range(5):
        start = time.process_time()
        for line in lines:
            read(line)
        times.append(time.process_time() - start)
    return sum(map(len, lines)) / 1e6 / min(times)


for name in ["streams/synthetic", *PACKAGES]:
    once = (FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    lines = once * (30_000_000 // sum(map(len, once)))
    text = f"{name}: json {rate(json.loads, lines):.0f} MB/s"
    if name in PACKAGES:
        text += f", package {rate(PACKAGES[name], once * 5):.0f} MB/s"
    print(text, flush=True)
