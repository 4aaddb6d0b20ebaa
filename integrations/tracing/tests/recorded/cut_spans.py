"""Cuts recorded OTLP/JSON spans down to one line per span: names, numbers and structure stay, texts are cut to 60 characters.

python3 cut_spans.py RECORDED.otlp.jsonl > KIND.jsonl
"""

import json
import sys


def value(recorded):
    (kind, content), = recorded.items()
    if kind == "intValue":
        return int(content)
    return content[:60] if kind == "stringValue" else content


for line in open(sys.argv[1]):
    for resource in json.loads(line)["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                attributes = {
                    attribute["key"]: value(attribute["value"])
                    for attribute in span.get("attributes", [])
                    if "arrayValue" not in attribute["value"]
                }
                parent = span.get("parentSpanId")
                start = int(span["startTimeUnixNano"])
                line = {"id": span["spanId"], "parent": parent, "start": start, "attributes": attributes}
                print(json.dumps(line))
