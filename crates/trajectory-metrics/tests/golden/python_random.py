"""Writes python_random.json: what CPython's random.Random draws.

    python python_random.py
"""

import hashlib
import json
import pathlib
import platform
import random
import struct

SEEDS = [0, 1, 42, 624, 815343802, 2**31 - 2, 2**31 - 1, 2**32 - 1, 2**32, 2**32 + 5, 2**53 + 1, 2**63, 2**64 - 1]


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def digest(values):
    return hashlib.sha256(b"".join(struct.pack("<d", v) for v in values)).hexdigest()


def python(seed):
    r = random.Random(seed)
    row = {"seed": seed}
    row["uniform"] = [bits(r.uniform(15, 25)) for _ in range(5)]
    row["choice"] = [r.choice(range(1, 10000)) for _ in range(20)]
    row["randint"] = [r.randint(2, 2 + n) for n in range(20)]
    row["randrange"] = [r.randrange(0, 2**31 + 1) for _ in range(5)]
    later = [r.uniform(-3, 7) for _ in range(10_000)]
    row["uniform_after_10000"] = bits(later[-1])
    items = list(range(20))
    r.shuffle(items)
    row["shuffle"] = items
    return row


rows = [python(seed) for seed in SEEDS]
origin = f"CPython {platform.python_version()}, tests/golden/python_random.py, 2026-11-24; numbers of 64 bits are those of a double"
text = ",\n".join(json.dumps(row) for row in rows)
text = '{\n"origin": ' + json.dumps(origin) + ',\n"rows": [\n' + text + "\n]\n}\n"
pathlib.Path(__file__).with_name("python_random.json").write_text(text)
