"""Writes the sessions of the recipe: 20 tasks solved by two coding agents, as Claude Code and Codex record them, and the result of
the tests after each session. The sessions are invented; their form is that of Claude Code 2.1.197 and Codex 0.171.0.

    python docs/sessions/make.py
"""

import json
import pathlib
import random

HERE = pathlib.Path(__file__).parent


def clock(at):
    """Returns a time of one day."""
    return f"2026-11-20T{int(at) // 3600:02}:{int(at) // 60 % 60:02}:{at % 60:06.3f}Z"


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def claude(draw, task, at, solved, replies):
    """Writes a session of Claude Code: a line per block of a reply, each with the usage of the whole reply."""
    name = f"{0x10000000 + task:08x}-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
    lines, parent = [], None

    def add(kind, **fields):
        nonlocal parent
        own = f"{name[:8]}-0000-4000-8000-{len(lines):012x}"
        lines.append({"parentUuid": parent, "isSidechain": False, "type": kind, "uuid": own, "timestamp": clock(at),
                      "sessionId": name, "version": "2.1.197", **fields})
        parent = own

    add("user", message={"role": "user", "content": f"Make the tests of task {task} pass."})
    for reply in range(replies):
        last = reply + 1 == replies
        at += draw.uniform(3, 12)
        message = {"id": f"msg_{task:03}_{reply}", "type": "message", "role": "assistant", "model": "model-a",
                   "stop_reason": "end_turn" if last else "tool_use",
                   "usage": {"input_tokens": 4, "cache_creation_input_tokens": 400 + draw.randrange(300),
                             "cache_read_input_tokens": 9_000 + 700 * reply, "output_tokens": draw.randrange(80, 400)}}
        said = "I run the tests."
        if last:
            said = f"All tests pass. <confidence>{draw.choice([0.8, 0.85, 0.9] if solved else [0.6, 0.7, 0.85])}</confidence>"
        add("assistant", message={**message, "content": [{"type": "text", "text": said}]})
        if not last:
            call, tool = f"toolu_{task:03}_{reply}", ["Bash", "Read", "Edit"][reply % 3]
            add("assistant", message={**message, "content": [{"type": "tool_use", "id": call, "name": tool, "input": {"step": reply}}]})
            at += draw.uniform(1, 5)
            failed = draw.random() < (0.30 if tool == "Edit" else 0.04)
            add("user", message={"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "is_error": failed, "content": "no match" if failed else "ok"}]})
    write(HERE / "claude" / f"{name}.jsonl", lines)
    return name


def codex(draw, task, at, solved, replies):
    """Writes a rollout of Codex: items, one record of usage per reply, and events."""
    name = f"01a21f00-{task:04x}-7000-8000-bbbbbbbbbbbb"
    lines = []

    def add(kind, payload):
        lines.append({"timestamp": clock(at), "ordinal": len(lines), "type": kind, "payload": payload})

    add("session_meta", {"id": name, "session_id": name, "cli_version": "0.171.0", "timestamp": clock(at), "source": "exec"})
    add("event_msg", {"type": "task_started", "turn_id": "t-1"})
    add("turn_context", {"turn_id": "t-1", "model": "model-b"})
    add("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"Make the tests of task {task} pass."}]})
    total = [0, 0, 0]
    for reply in range(replies):
        last = reply + 1 == replies
        at += draw.uniform(3, 12)
        call, failed = f"call_{task:03}_{reply}", draw.random() < 0.05
        tool = ["exec_command", "apply_patch"][reply % 2]
        if last:
            said = f"All tests pass. <confidence>{draw.choice([0.7, 0.75, 0.9] if solved else [0.3, 0.5, 0.6])}</confidence>"
            add("response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]})
        else:
            add("response_item", {"type": "function_call", "name": tool, "arguments": json.dumps({"step": reply}), "call_id": call})
        used = [6_000 + 500 * reply, 5_500 + 450 * reply, draw.randrange(60, 300)]
        total = [a + b for a, b in zip(total, used)]

        def usage(counts):
            return {"input_tokens": counts[0], "cached_input_tokens": counts[1], "output_tokens": counts[2],
                    "reasoning_output_tokens": 0, "total_tokens": counts[0] + counts[2]}

        add("token_usage_record", {"thread_id": name, "turn_id": "t-1", "response_id": f"resp_{task:03}_{reply}", "usage": usage(used),
                                   "turn_token_usage": usage(total), "thread_token_usage": usage(total)})
        if not last:
            at += draw.uniform(1, 5)
            add("event_msg", {"type": "item_completed", "turn_id": "t-1", "item": {
                "type": "CommandExecution", "id": call, "status": "failed" if failed else "completed", "exit_code": int(failed)}})
            add("response_item", {"type": "function_call_output", "call_id": call, "output": "no match" if failed else "ok"})
    add("event_msg", {"type": "task_complete", "turn_id": "t-1"})
    write(HERE / "codex" / f"rollout-2026-11-20T00-00-00-{name}.jsonl", lines)
    return name


def main():
    draw = random.Random(20261120)
    outcomes = ["id,task,outcome"]
    for task in range(1, 21):
        for agent, rate in [(claude, 0.8), (codex, 0.55)]:
            solved = draw.random() < rate
            replies = draw.randrange(3, 5) + (0 if solved else 2)
            name = agent(draw, task, 60.0 * 20 * task, solved, replies)
            outcomes.append(f"{name},task-{task:02},{int(solved)}")
    (HERE / "outcomes.csv").write_text("\n".join(outcomes) + "\n")


if __name__ == "__main__":
    main()
