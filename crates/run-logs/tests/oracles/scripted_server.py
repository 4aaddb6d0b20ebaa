"""A model server on the loopback address whose replies follow from a seed in the prompt, such as SEED:17.

Each conversation has a random number of steps with one to three tool calls, commands that fail, cached tokens, refused requests
(429, 500), malformed calls and empty replies. It speaks OpenAI's chat completions and Responses, and Gemini's generateContent,
each with and without a stream, and writes down what it served: `served[seed]` is a list of usages and replies.
"""

import gzip, json, random, re, threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMANDS = ["ls", "cat missing.txt", "echo one; echo two", "false", "printf 'é\\n'"]
AGENTS = {
    "task": lambda prompt: {"description": "look", "prompt": prompt, "subagent_type": "general"},
    "invoke_agent": lambda prompt: {"agent_name": "generalist", "prompt": prompt},
}
FINAL = "There is one file.\n<confidence>0.83</confidence>"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, submits=False, faults=0.1, malformed=0.1, agents=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.served, self.refused, self.lock = defaultdict(list), defaultdict(int), threading.Lock()
        self.submits, self.faults, self.malformed, self.agents, self.n = submits, faults, malformed, agents, 0
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def step(self, seed, tools, is_helper):
        """The next reply of a conversation: usage and parts, or a status that refuses the request."""
        with self.lock:
            at, tries = len(self.served[seed]), self.refused[seed]
            rng = random.Random(f"{seed} {at} {tries}")
            self.n += 1
            if rng.random() < self.faults and not is_helper:
                self.refused[seed] += 1
                return rng.choice([429, 500, 503])
            n_calls = sum(1 for one in self.served[seed] if not one["is_helper"])
            steps = random.Random(str(seed)).randint(0, 5)
            prompt = rng.randint(50, 3000)
            usage = dict(input=prompt, cached=rng.choice([0, 0, rng.randint(1, prompt)]), output=rng.randint(20, 90), reasoning=rng.choice([0, rng.randint(1, 15)]))
            calls, text, is_bad = [], "", False
            if is_helper or not tools:
                text = "A short title"
            elif n_calls < steps:
                text = rng.choice(["", "I look.", "Then <confidence>0.4</confidence>"])
                is_bad = rng.random() < self.malformed
                commands = [rng.choice(COMMANDS) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
                calls = [(f"call_{seed}_{at}_{i}", {"command": command}) for i, command in enumerate(commands)]
                agent = next((AGENTS[name] for name in tools if name in AGENTS), None)
                if agent and rng.random() < self.agents and "s" not in seed:
                    # A subagent has a seed of its own.
                    calls[-1] = (calls[-1][0], agent(f"SEED:{seed}s{at} Look"))
                    is_bad = False
            elif "complete_task" in tools:
                calls = [(f"call_{seed}_{at}_0", {"result": {"response": FINAL}})]
            elif self.submits:
                text, calls = FINAL, [(f"call_{seed}_{at}_0", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo ok"})]
            else:
                text = FINAL
            finish = "tool_calls" if calls else rng.choice(["stop", "stop", "stop", "length"]) if not is_helper else "stop"
            one = dict(usage=usage, text=text, calls=calls, is_bad=is_bad, finish=finish, is_helper=is_helper, id=f"r{self.n}", served=self.n)
            self.served[seed].append(one)
            return one


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if "chunked" in (self.headers.get("transfer-encoding") or ""):
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "gzip" in (self.headers.get("content-encoding") or ""):
            raw = gzip.decompress(raw)
        try:
            return json.loads(raw or b"{}")
        except ValueError:
            return {}

    def send(self, value, status=200):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def stream(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def do_GET(self):
        self.send({"object": "list", "data": [{"id": "mock-model", "object": "model"}], "models": []})

    def do_POST(self):
        body, path = self.body(), self.path.split("?")[0]
        if "countTokens" in path:
            return self.send({"totalTokens": 100})
        found = re.findall(r"SEED:(\w+)", json.dumps(body))
        seed = found[0] if found else "none"
        if "enerateContent" in path:
            names = [f["name"] for t in body.get("tools") or [] for f in t.get("functionDeclarations", [])]
        else:
            names = [(t.get("function") or t).get("name") for t in body.get("tools") or []]
        is_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
        is_helper = not names or is_json
        one = self.server.step(seed, names, is_helper)
        if isinstance(one, int):
            return self.send({"error": {"message": "refused", "code": one, "status": "UNAVAILABLE", "type": "server_error"}}, one)
        tool = next((name for name in names if name in ("bash", "run_shell_command", "shell")), names[0] if names else None)
        if is_json:
            one["text"] = json.dumps({"reasoning": "x", "next_speaker": "user", "model_choice": "flash", "complexity_score": 10, "complexity_reasoning": "x"})
        of = lambda given: tool if "command" in given else "complete_task" if "result" in given else next(name for name in names if name in AGENTS)
        arguments = [(call, of(given), json.dumps(given) if not one["is_bad"] else '{"command": ') for call, given in one["calls"]]
        one["names"] = [of(given) for _, given in one["calls"]]
        if "enerateContent" in path:
            return self.gemini(one, "stream" in path)
        if path.endswith("/responses"):
            return self.openai_responses(one, arguments, body)
        return self.chat(one, arguments, body)

    def chat(self, one, arguments, body):
        used = one["usage"]
        usage = {"prompt_tokens": used["input"], "completion_tokens": used["output"], "total_tokens": used["input"] + used["output"],
                 "prompt_tokens_details": {"cached_tokens": used["cached"]}, "completion_tokens_details": {"reasoning_tokens": used["reasoning"]}}
        message = {"role": "assistant", "content": one["text"] or None}
        if arguments:
            message["tool_calls"] = [{"id": call, "type": "function", "function": {"name": name, "arguments": text}} for call, name, text in arguments]
        base = {"id": one["id"], "created": 1, "model": body.get("model")}
        if not body.get("stream"):
            words = re.findall(r"\S+\s*", one["text"]) if body.get("logprobs") else []
            tokens = [{"token": word, "logprob": -0.1 * at, "bytes": list(word.encode()), "top_logprobs": []} for at, word in enumerate(words)]
            choice = {"index": 0, "message": message, "finish_reason": one["finish"], "logprobs": {"content": tokens} if tokens else None}
            return self.send({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        for at, call in enumerate(message.get("tool_calls", [])):
            call["index"] = at
        base["object"] = "chat.completion.chunk"
        self.stream([(None, {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
                     (None, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": one["finish"]}]}),
                     (None, {**base, "choices": [], "usage": usage}), (None, "[DONE]")])

    def openai_responses(self, one, arguments, body):
        used = one["usage"]
        usage = {"input_tokens": used["input"], "input_tokens_details": {"cached_tokens": used["cached"]}, "output_tokens": used["output"],
                 "output_tokens_details": {"reasoning_tokens": used["reasoning"]}, "total_tokens": used["input"] + used["output"]}
        output = []
        if one["text"]:
            part = {"type": "output_text", "text": one["text"], "annotations": []}
            output.append({"type": "message", "id": f"m_{one['id']}", "role": "assistant", "status": "completed", "content": [part]})
        for call, name, text in arguments:
            output.append({"type": "function_call", "id": f"f_{call}", "call_id": call, "name": name, "arguments": text, "status": "completed"})
        self.send({"id": one["id"], "object": "response", "created_at": 1, "status": "completed", "model": body.get("model"), "output": output, "usage": usage,
                   "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
                   "tool_choice": "auto", "tools": [], "top_p": 1.0})

    def gemini(self, one, is_stream):
        used = one["usage"]
        parts = [{"text": one["text"]}] if one["text"] else []
        if used["reasoning"]:
            parts.insert(0, {"text": "**Plan** I think.", "thought": True})
        for (call, given), name in zip(one["calls"], one["names"]):
            parts.append({"functionCall": {"name": name if not one["is_bad"] else "no_such_tool", "args": given, "id": call}})
        finish = "MAX_TOKENS" if one["finish"] == "length" else "STOP"
        usage = {"promptTokenCount": used["input"], "candidatesTokenCount": used["output"], "totalTokenCount": used["input"] + used["output"] + used["reasoning"]}
        usage.update({"cachedContentTokenCount": used["cached"]} if used["cached"] else {})
        usage.update({"thoughtsTokenCount": used["reasoning"]} if used["reasoning"] else {})
        reply = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}], "usageMetadata": usage,
                 "modelVersion": "mock-model", "responseId": one["id"]}
        self.stream([(None, reply)]) if is_stream else self.send(reply)


if __name__ == "__main__":
    import sys
    server = Server()
    print(server.url, flush=True)
    threading.Event().wait()
