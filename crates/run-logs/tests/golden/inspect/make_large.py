#!/usr/bin/env python3
"""Writes large archives and logs for measurements: python make_large.py FOLDER (inspect-ai as for make.py).

    large.eval   500 MB: 300 samples of 1.6 MB and one of 300 MB in two frames, with text that hardly packs
    busy.eval    2,430 samples: those of 0.3.285.eval, 30 times under other ids
    busy.json    the same as one JSON object, as the package writes it
"""

import base64, json, os, random, sys, zipfile
import inspect_ai._util.zipfile  # zstd for zipfile
from inspect_ai.log import read_eval_log, write_eval_log

here, folder = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
small = os.path.join(here, "0.3.285.eval")
os.makedirs(folder, exist_ok=True)


def write(name, samples):
    source = zipfile.ZipFile(small)
    with zipfile.ZipFile(os.path.join(folder, name), "w", compression=zipfile.ZIP_ZSTANDARD) as out:
        out.writestr("header.json", source.read("header.json"))
        summaries = []
        for id, text in samples(source):
            out.writestr(f"samples/{id}_epoch_1.json", text)
            summaries.append({"id": id, "epoch": 1, "input": "", "target": ""})
        out.writestr("summaries.json", json.dumps(summaries))


def large(source):
    r = random.Random(7)
    template = json.loads(source.read("samples/4_epoch_1.json"))
    for i in range(301):
        size = 300_000_000 if i == 300 else 1_600_000
        text = base64.b64encode(r.randbytes(size * 3 // 4)).decode()
        # A conversation of messages of 100 kB.
        parts = [{"role": "user", "content": text[at:at + 100_000]} for at in range(0, len(text), 100_000)]
        yield i, json.dumps(template | {"id": i, "epoch": 1, "messages": parts})


def busy(source):
    names = [name for name in source.namelist() if name.startswith("samples/")]
    for copy in range(30):
        for n, name in enumerate(names):
            sample = json.loads(source.read(name))
            yield f"{copy}-{n}", json.dumps(sample | {"id": f"{copy}-{n}", "epoch": 1})


write("large.eval", large)
write("busy.eval", busy)
write_eval_log(read_eval_log(os.path.join(folder, "busy.eval")), os.path.join(folder, "busy.json"))
