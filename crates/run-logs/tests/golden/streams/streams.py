#!/usr/bin/env python3
"""Streams of confidence, computed from recorded exchanges without this crate.

    python3 crates/run-logs/tests/golden/streams/streams.py make           # synthetic.jsonl and synthetic.csv
    python3 crates/run-logs/tests/golden/streams/streams.py FILE > X.csv   # the same figures for FILE

Only the standard library (Python 3.11). A row holds the run's id, the stream, and for each turn the value (`repr` of a
float) or the name of the reason why there is none. Texts are not written. Variants of a stream follow a colon:
`lenient` reads the stated confidence leniently, `refuse` refuses lists of fewer than five, `tool_call` takes the tool
calls as the action."""
import json
import math
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).parent


class Missing(Exception):
    pass


def raw(token):
    return token["token"].encode() if token.get("bytes") is None else bytes(token["bytes"])


def known(x):
    return x is not None and not math.isnan(x) and x > -9999.0


def probability(x):
    return math.exp(min(x, 700))


def mean_probability(tokens, _all):
    values = []
    for token in tokens:
        if not known(token["logprob"]):
            raise Missing("unknown_logprob")
        values.append(probability(token["logprob"]))
        if values[-1] > 1.001:
            raise Missing("probability_above_one")
    return min(1.0, math.fsum(values) / len(values))


def top(token):
    return sorted((a["logprob"] for a in token.get("top_logprobs") or [] if known(a["logprob"])), reverse=True)[:5]


def entropy(renormalise, refuse):
    def of(tokens, everything):
        deep = any(len(top(token)) == 5 for token in everything)
        total = []
        for token in tokens:
            logs = top(token)
            if len(logs) < (1 if deep and not refuse else 5):
                raise Missing("fewer_than_five")
            if math.fsum(map(probability, logs)) > 1.001:
                raise Missing("probability_above_one")
            shift = logs[0] + math.log(math.fsum(math.exp(x - logs[0]) for x in logs)) if renormalise else 0.0
            total.append(math.fsum(-math.exp(x - shift) * (x - shift) for x in logs))
        return min(1.0, max(0.0, 1 - math.fsum(total) / len(total) / math.log(5)))
    return of


def within(tokens, span):
    """The tokens with a byte in the span, and those without bytes between them."""
    start, end = span
    at, inside = 0, []
    for index, token in enumerate(tokens):
        stop = at + len(raw(token))
        if any(start <= place < end for place in range(at, stop)):
            inside.append(index)
        at = stop
    return tokens[inside[0]:inside[-1] + 1] if inside else []


def in_tokens(text, tokens, span):
    """The span of the text in the bytes of the tokens: where these hold the text, or the same last action."""
    spoken, text = b"".join(map(raw, tokens)), text.encode()
    at = spoken.rfind(text)
    if at >= 0:
        return at + span[0], at + span[1]
    before, closed, _ = spoken.rpartition(b"</action>")
    head, opened, inner = before.rpartition(b"<action>")
    if closed and opened and inner == text[span[0]:span[1]]:
        return len(head + opened), len(before)
    raise Missing("alignment")


def action(message, tokens):
    text = message["content"] or ""
    matches = [m for m in re.finditer(r"<action>((?:(?!<action>).)*?)</action>", text, re.S)]
    found = None
    close = text.rfind("</action>")
    if close >= 0 and "<action>" in text[:close]:
        opened = text.rindex("<action>", 0, close) + len("<action>")
        found = len(text[:opened].encode()), len(text[:close].encode())
    assert bool(found) >= bool(matches)
    if found is None:
        raise Missing("no_action")
    return in_tokens(text, tokens, found)


def tool_calls(message, tokens):
    spoken = b"".join(map(raw, tokens))
    match = re.search(rb"<tool_call>(.*)</tool_call>", spoken, re.S)
    if match:
        return match.span(1)
    if b"<tool_call>" in spoken:
        raise Missing("no_action")
    start = end = None
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"].encode()
        at = spoken.find(arguments, end or 0)
        if at < 0:
            raise Missing("no_action")
        start, end = at if start is None else start, at + len(arguments)
    if start is None or start == end:
        raise Missing("no_action")
    return start, end


NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def strict_number(text):
    text = text.strip()
    number, scale = (text[:-1].rstrip(), 100) if text.endswith("%") else (text, 1)
    if not NUMBER.fullmatch(number) or math.isinf(float(number)):
        raise Missing("unreadable_confidence")
    return float(number) / scale


LENIENT = re.compile(r"(?<![\w.,+-])(?>[-+]?(?:[0-9]+[.,]?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?!\w)(?:\s*(?:(?P<percent>%|percent(?!\w))|/\s*(?P<divisor>" + NUMBER.pattern + r")?))?", re.I)


def lenient_number(text):
    found = set()
    for match in LENIENT.finditer(text[:256]):
        number = float(NUMBER.match(match[0].replace(",", "."))[0])
        if "/" in match[0] and (not match["divisor"] or float(match["divisor"]) <= 0):
            raise Missing("unreadable_confidence")
        found.add(number / (100 if match["percent"] else float(match["divisor"] or 1)))
    if len(found) != 1:
        raise Missing("unreadable_confidence")
    return found.pop()


def from_value(value, reader):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Missing("unreadable_confidence")
    return reader(value) if isinstance(value, str) else float(value)


def arguments(message):
    for call in reversed(message.get("tool_calls") or []):
        try:
            value = json.loads(call["function"]["arguments"])
        except ValueError:
            continue
        if isinstance(value, dict) and "confidence" in value:
            return value["confidence"]
    raise Missing("no_confidence")


def spoken(message):
    """The text without thoughts; an opening or a closing tag may be missing."""
    text = re.sub(r"<think>(?:(?!</think>).)*</think>", "", message["content"] or "", flags=re.S)
    return re.sub(r"^.*</think>|<think>.*$", "", text, flags=re.S)


def line(text):
    found = re.findall(r"^\s*confidence\s*[:=](.*)$", text.replace("*", ""), re.M | re.I)
    if len(found) > 1:
        raise Missing("unreadable_confidence")
    return found[0].strip() if found else None


def stated(lenient):
    def strictly(message):
        text = spoken(message)
        found = [part.split("</confidence>")[0] for part in text.split("<confidence>")[1:] if "</confidence>" in part]
        if len(found) > 1:
            raise Missing("unreadable_confidence")
        if found:
            return strict_number(found[0])
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict) and "confidence" in value:
            return from_value(value["confidence"], strict_number)
        if line(text) is not None:
            return strict_number(line(text))
        return from_value(arguments(message), strict_number)

    def leniently(message):
        text = spoken(message)
        found = re.findall(r"<confidence>([^<]*)", text, re.I)
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not found and isinstance(value, dict) and "confidence" in value:
            return from_value(value["confidence"], lenient_number)
        found = found or [quoted or plain for quoted, plain in re.findall(r'"confidence"\s*:\s*(?:"([^"]*)"|([^,}\]\n]*))', text, re.I)]
        if found:
            return lenient_number(found[-1])
        if line(text) is not None:
            return lenient_number(line(text))
        return from_value(arguments(message), lenient_number)

    def of(message):
        value = (leniently if lenient else strictly)(message)
        if not 0 <= value <= 1:
            raise Missing("confidence_out_of_range")
        return value + 0.0
    return of


def from_tokens(measure, span=None):
    def of(choice):
        tokens = (choice.get("logprobs") or {}).get("content")
        message = choice["message"]
        if tokens is None or (not tokens and message["content"]):
            raise Missing("no_logprobs")
        chosen = within(tokens, span(message, tokens)) if span else tokens
        if not chosen:
            raise Missing("no_tokens")
        return measure(chosen, tokens)
    return of


STREAMS = {
    "token_probability": from_tokens(mean_probability),
    "entropy": from_tokens(entropy(False, False)),
    "entropy_renormalised": from_tokens(entropy(True, False)),
    "action_token_probability": from_tokens(mean_probability, action),
    "action_entropy": from_tokens(entropy(False, False), action),
    "action_entropy_renormalised": from_tokens(entropy(True, False), action),
    "stated_confidence": lambda choice: stated(False)(choice["message"]),
    "stated_confidence:lenient": lambda choice: stated(True)(choice["message"]),
    "entropy:refuse": from_tokens(entropy(False, True)),
    "entropy_renormalised:refuse": from_tokens(entropy(True, True)),
    "action_token_probability:tool_call": from_tokens(mean_probability, tool_calls),
    "action_entropy:tool_call": from_tokens(entropy(False, False), tool_calls),
}


def compute(path, out):
    for line in open(path, encoding="utf-8"):
        run = json.loads(line)
        for name, stream in STREAMS.items():
            cells = []
            for turn in run["turns"]:
                try:
                    if turn["response"] is None:
                        raise Missing("no_reply")
                    cells.append(repr(stream(turn["response"]["choices"][0])))
                except Missing as missing:
                    cells.append(str(missing))
            print(run["id"], name, *cells, sep=",", file=out)


# ---- A log of all cases ----

STATED = ["0.5", " 0.85 ", "85%", "85 %", "1", "0", "1.0", "2", "-0.1", "150%", "high", "", "0.5 or 0.6", "about 0.7", "8/10", "8 / 10", "8/0", "0,8", "1e-1",
          ".5", "1.", "NaN", "inf", "0x1", "5e400", "+0.3", "85 percent", "~ .25!", "100%", "-5%", "0.9\n", "1/", "3 of 4", "0.5</b>", "12,345", "50 Percent", "\t0.125"]


def token(rng, text, raw_bytes=None, logprob=None, count=5):
    lp = round(-rng.expovariate(1.0), 4) if logprob is None else logprob
    first = [lp] if known(lp) and lp <= 0 else []
    mass, others = 1 - (math.exp(lp) if first else 0), []
    for _ in range(count - len(first)):
        share = mass * rng.random()
        mass -= share
        others.append(round(math.log(share), 4) if share > 0 else -800.0)
    tops = [{"token": text, "logprob": x, "bytes": raw_bytes} for x in first[:count]] + [{"token": "·", "logprob": x, "bytes": None} for x in others]
    rng.shuffle(tops)
    return {"token": text, "logprob": lp, "bytes": raw_bytes, "top_logprobs": tops}


def split(rng, text):
    """Tokens of one to five characters; one character in three between two tokens if it has several bytes."""
    tokens, at = [], 0
    while at < len(text):
        piece = text[at:at + rng.randrange(1, 6)]
        at += len(piece)
        data = piece.encode()
        if data[-1] > 127 and rng.random() < 0.5:
            tokens += [token(rng, "\N{REPLACEMENT CHARACTER}", list(data[:-1])), token(rng, "\N{REPLACEMENT CHARACTER}", list(data[-1:]))]
        else:
            tokens.append(token(rng, piece, list(data) if rng.random() < 0.5 else None))
        if rng.random() < 0.1:
            tokens.append(token(rng, ""))
    return tokens


def turn(rng, text, tokens=None, **message):
    tokens = split(rng, text or "") if tokens is None else tokens
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop", "logprobs": {"content": tokens}}
    return {"request": {}, "response": {"model": "synthetic", "choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": len(tokens)}}}


def make(path):
    rng = random.Random(20)
    cases = []

    def case(name, *turns):
        cases.append({"id": name, "task": f"task-{len(cases) % 7}", "turns": list(turns), "outcome": rng.random() < 0.5})

    def call(text):
        return [{"id": "c", "type": "function", "function": {"name": "act", "arguments": text}}]

    t = lambda text, **more: token(rng, text, **more)  # noqa: E731
    action_tokens = [t("<"), t("action"), t(">"), t("8"), t("</"), t("action"), t(">")]
    case("whole", turn(rng, "<action>8</action>", action_tokens), turn(rng, "plain"))
    case("failed-call", turn(rng, "first"), {"request": {}, "response": None})
    case("no-logprobs", {"response": turn(rng, "text")["response"] | {"choices": [{"message": {"content": "text"}, "logprobs": None}]}})
    case("null-content", {"response": {"choices": [{"message": {"content": "text"}, "logprobs": {"content": None}}]}})
    case("empty-list", turn(rng, "text", []))
    case("empty-reply", turn(rng, "", []))
    case("null-text", turn(rng, None, [], refusal="No."))
    for count in range(8):
        case(f"all-list-{count}", turn(rng, "ab", [t("a", count=count), t("b", count=count)]))
        case(f"one-lists-{count}", turn(rng, "ab", [t("a"), t("b", count=count)]))
    for value in (-9999.0, math.nan, None, 1e-9, 9e-4, 2e-3, 0.0, -800.0, -1e-300, -12345.0):
        case(f"logprob-{value}", turn(rng, "ab", [t("a"), t("b", logprob=value) if value is not None else t("b") | {"logprob": None}]))
    for value in (-9999.0, math.nan, -20000.0, math.log(0.2), math.log(0.2002), math.log(0.5)):
        same = t("b") | {"top_logprobs": [{"token": str(n), "logprob": value} for n in range(5)]}
        case(f"top-{value}", turn(rng, "ab", [t("a"), same]))
        case(f"sixth-{value}", turn(rng, "b", [t("b") | {"top_logprobs": t("b")["top_logprobs"] + [{"token": "6", "logprob": min(value, -9.0)}]}]))
    case("tiny", turn(rng, "b", [t("b") | {"top_logprobs": [{"token": str(n), "logprob": -900.0 - n} for n in range(5)]}]))
    for text in ("<action></action>", "<action>8", "8</action>", "<action>8</action> or <action>9</action>", "</action><action>8</action>", "<action>√9 é</action>",
                 "<action>a<action>b</action>c</action>", "<Action>8</Action>", "x<action>  </action>y", "<think>a</think><action>Search[x]</action><confidence>0.4</confidence>"):
        case(f"action-{len(cases)}", turn(rng, text))
        case(f"action-misaligned-{len(cases)}", turn(rng, text, split(rng, text) + [t("!")]))
    case("overlap", turn(rng, "x<action>8</action>y", [t("x<action"), t(">8"), t(""), t("</act"), t("ion>y")]))
    case("overlap-one", turn(rng, "<action>8</action>", [t("<action>8</action>")]))
    case("empty-inside", turn(rng, "<action>89</action>", [t("<action>"), t(""), t("8"), t(""), t("9"), t(""), t("</action>")]))
    spoken = '<tool_call>{"name": "act", "arguments": {"x": 1, "confidence": 0.3}}</tool_call>'
    case("tool-element", turn(rng, None, split(rng, spoken), tool_calls=call('{"x": 1, "confidence": 0.3}')))
    case("tool-element-open", turn(rng, None, split(rng, spoken[:-4]), tool_calls=call('{"x": 1}')))
    case("tool-two-elements", turn(rng, None, split(rng, spoken + "\n" + spoken), tool_calls=call('{"x": 1}') * 2))
    case("tool-arguments", turn(rng, None, split(rng, 'act {"x": 1} and {"y": 2}.'), tool_calls=call('{"x": 1}') + call('{"y": 2}')))
    case("tool-arguments-elsewhere", turn(rng, None, split(rng, 'act {"x":1}'), tool_calls=call('{"x": 1}')))
    case("tool-cut-off", turn(rng, None, split(rng, 'act {"x": '), tool_calls=call('{"x": ')))
    case("tool-empty", turn(rng, "", split(rng, "act"), tool_calls=call("")))
    for number, text in enumerate(STATED):
        case(f"stated-{number}", turn(rng, f"I think.\n<confidence>{text}</confidence>.", []))
        case(f"stated-upper-open-{number}", turn(rng, f"I think.\n<CONFIDENCE>{text}", []))
        case(f"stated-json-text-{number}", turn(rng, json.dumps({"answer": "x", "confidence": text}), []))
    case("stated-twice", turn(rng, "<confidence>0.4</confidence> or <confidence>0.6</confidence>"))
    case("stated-open-then-closed", turn(rng, "<confidence>0.4 <confidence>0.6</confidence>"))
    for number, text in enumerate(['{"confidence": 0.25}', '{"confidence": 1}', '{"confidence": 7}', '{"confidence": null}', '{"confidence": [0.5]}', '{"confidence": true}',
                                   'Sure: {"confidence": 0.75, "a": 1}', '```json\n{"Confidence" : "90%"}\n```', '{"confidence": 0.2', '[{"confidence": 0.5}]',
                                   '{"a": {"confidence": 0.5}}', ' {"confidence": 5e-1}\n', '"confidence": 0.1\n"confidence": 0.9', 'the "confidence" is 0.3']):
        case(f"stated-json-{number}", turn(rng, text, []))
    for number, text in enumerate(['{"confidence": 0.25}', '{"confidence": "60%"}', '{"confidence": 3}', '{"conf": 1}', '{"confidence": 0.', "[]"]):
        case(f"stated-argument-{number}", turn(rng, None, [], tool_calls=call('{"confidence": 0.125}') * (number == 3) + call(text)))
    for number in range(40):
        turns = []
        for _ in range(rng.randrange(1, 5)):
            said = "".join(rng.choices(["I think ", "so. ", "√", "😀", "é", "18", "\n"], k=rng.randrange(0, 9)))
            said += rng.choice(["", "", f"<action>{rng.choice(['8', 'Search[é√]', 'go'])}</action>"])
            said += rng.choice(["", "", f"<confidence>{rng.choice(STATED)}</confidence>", f"<confidence>{rng.random():.2f}</confidence>"])
            turns.append(turn(rng, said))
        case(f"random-{number}", *turns)
    thought = "<think>is it <action>7</action>? <confidence>0.1</confidence></think>"
    for number, text in enumerate(["<action>8</action>", "8, <confidence>0.7</confidence>", "no action", "<action>7</action>"]):
        reasoned = split(rng, thought + "\n\n" + text + "<|im_end|>")
        case(f"reasoning-apart-{number}", turn(rng, text, reasoned))
        case(f"reasoning-inside-{number}", turn(rng, thought + text, reasoned))
        case(f"lost-tokens-{number}", turn(rng, "So: " + text, split(rng, "So: <action>9</action>")))
        case(f"lost-text-{number}", turn(rng, "so " + text, split(rng, "So " + text)))
    for number, text in enumerate(["Confidence: 85%", "x\nconfidence = 0.85\ny", "**Confidence:** 0.4", "- Confidence: 0.4", "Confidence: 85", "Confidence: high", "My confidence: 0.3",
                                   "Confidence: 0.3\nConfidence: 0.4", "confidence: about 0.3", "Answer: 4\nConfidence : 90 %\n", "<think>Confidence: 0.2</think>\nConfidence: 0.6",
                                   "Confidence: 0.2</think>0.9", "<think>Confidence: 0.2", "0.9</think><confidence>0.3</confidence><think>"]):
        case(f"stated-line-{number}", turn(rng, text, []))
    for number, text in enumerate(["0.XX", "0.8x", "step 2: 0.9", "85", "p0.9", "0.9 (90%)", "0.9 (80%)", "80 percentile", "-0.5", "1.5", "10.XX", "of 0.7."]):
        case(f"stated-word-{number}", turn(rng, f"<confidence>{text}</confidence>", []))
    with open(path, "w", encoding="utf-8") as out:
        for made in cases:
            print(json.dumps(made, ensure_ascii=False, separators=(",", ":")), file=out)


if sys.argv[1] == "make":
    make(HERE / "synthetic.jsonl")
    with open(HERE / "synthetic.csv", "w", encoding="utf-8") as out:
        print(f"# origin: streams.py make, Python {sys.version.split()[0]}", file=out)
        compute(HERE / "synthetic.jsonl", out)
else:
    print(f"# origin: streams.py FILE, Python {sys.version.split()[0]}, on {pathlib.Path(sys.argv[1]).name}")
    compute(sys.argv[1], sys.stdout)
