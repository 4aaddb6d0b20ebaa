"""Writes streams.json: what NumPy's default_rng draws, round(x, 2), and the seeds of queries and events.

    pip install numpy==2.4.6
    python streams.py
"""

import hashlib
import json
import math
import pathlib
import platform
import random
import struct

import numpy

SEEDS = [0, 1, 42, 624, 815343802, 2**31 - 2, 2**31 - 1, 2**32 - 1, 2**32, 2**32 + 5, 2**53 + 1, 2**63, 2**64 - 1]
EDGE = 3.6541528853610088


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def digest(values):
    return hashlib.sha256(b"".join(struct.pack("<d", v) for v in values)).hexdigest()


def numpy_normal(seed):
    # Values of the tail go through log1p, whose last bit is the system's; they are compared apart.
    drawn = numpy.random.default_rng(seed).standard_normal(100_000).tolist()
    tail = [(i, bits(x)) for i, x in enumerate(drawn) if abs(x) > EDGE]
    scaled = [numpy.random.default_rng(seed).normal(0, 0.1 * math.sqrt(k)) for k in range(2, 9)]
    return {
        "seed": seed,
        "first": [bits(x) for x in drawn[:5]],
        "scaled": [bits(x) for x in scaled],
        "tail": tail,
        "digest_without_tail": digest(x for x in drawn if abs(x) <= EDGE),
    }


def rounding():
    values = [0.0, -0.0, 0.005, 0.015, 0.125, 0.375, 0.625, 0.875, 1.005, 1.015, 1.025, 2.675, 2.685, 0.285]
    values += [-0.125, -2.675, 1e-300, 5e-324, 4503599627370496.5, 4503599627370497.5, 1e15 + 0.125, 1e15 + 0.375]
    values += [1e16, 1e22, 1e300, -1e300, 123456789.125, 123456789.375, 70368744177664.125, 9e12 + 0.005]
    values += [k / 8 + n for k in range(1, 8, 2) for n in (16, 1023, 65537, 2**30 + 1)]
    near = [n + 0.005 + c / 100 for n in (1, 15, 24, 40, 168) for c in (0, 1, 12, 57, 99)]
    for x in near:
        values += [math.nextafter(x, 0), x, math.nextafter(x, math.inf)]
    r = random.Random(7)
    drawn = [r.uniform(0, 200) for _ in range(50_000)]
    halves = [(r.randrange(0, 2**20) * 10 + 5) / 1000 for _ in range(50_000)]
    return {
        "values": [[bits(x), bits(round(x, 2))] for x in values],
        "seed": 7,
        "digest_of_uniform_0_200": digest(round(x, 2) for x in drawn),
        "digest_of_halves": digest(round(x, 2) for x in halves),
    }


def hashes():
    texts = ["", "42:<Query00001>", "815343802:Location_Preference_and_Search", "42:Zürich", "a" * 55, "a" * 56, "a" * 200]
    return [[t, int(hashlib.sha256(t.encode()).hexdigest(), 16) % (2**31 - 1)] for t in texts]


def several(q, level, n):
    """Ranges of n removals: after 100 draws that overlap one before it, the next draw is kept."""
    longest, r, ranges = 3 + level, random.Random(q), []
    for _ in range(n):
        for _ in range(101):
            low = r.randint(2, longest - longest // 2)
            drawn = [low, r.randint(low + longest // 2, longest)]
            overlap_allowed = longest - 1 < 2 * n
            if overlap_allowed or not any(drawn[0] <= b and a <= drawn[1] for a, b in ranges):
                break
        ranges.append(drawn)
    return ranges


def events():
    rows = []
    for q in [0, 1, 98780976, 815343802, 2**31 - 2]:
        changed = [random.Random(q + 100 * i).choice(range(1, 10000)) for i in range(6)]
        first = []
        for level in range(1, 9):
            longest, r = 3 + level, random.Random(q)
            low = r.randint(2, longest - longest // 2)
            first.append([low, r.randint(low + longest // 2, longest)])
        # Level and number: overlap forbidden, forbidden, allowed, allowed.
        numbers = [[level, n, several(q, level, n)] for level, n in ((2, 2), (5, 3), (1, 2), (5, 4))]
        rows.append({"query_seed": q, "several": numbers, "changed_seeds": changed, "removed_lengths_of_levels": first})
    return rows


result = {
    "origin": f"CPython {platform.python_version()}, NumPy {numpy.__version__}, tests/golden/costbench/streams.py, 2026-11-22; numbers of 64 bits are those of a double",
    "numpy": [numpy_normal(seed) for seed in SEEDS],
    "rounding": rounding(),
    "hashes": hashes(),
    "events": events(),
}


def compact(value, depth=0):
    if depth < 2 and isinstance(value, dict):
        inner = ",\n".join(f"{json.dumps(k)}: {compact(v, depth + 1)}" for k, v in value.items())
        return "{\n" + inner + "\n}"
    if depth < 2 and isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(v) for v in value) + "\n]"
    return json.dumps(value)


pathlib.Path(__file__).with_name("streams.json").write_text(compact(result) + "\n")
