"""Writes rooms.json: rooms that the released generator makes, by seed, each as one text; null where it gives up.

    git clone https://github.com/mll-lab-nu/BAGEN && git -C BAGEN checkout 58bef4c
    pip install numpy==2.4.6
    BAGEN=BAGEN python3 rooms.py > rooms.json
"""

import json
import os
import random
import sys
import types
import warnings

import numpy as np

for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.animation"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
sys.modules["matplotlib"].animation = sys.modules["matplotlib.animation"]
sys.path.insert(0, os.environ["BAGEN"] + "/ragen/env/sokoban")
import utils  # noqa: E402

SIGNS = "#_O√XPS"


def room(seed, dim, boxes, depth):
    random.seed(seed)
    np.random.seed(seed)
    steps = int(1.7 * sum(dim))
    try:
        fixed, state, _, _ = utils.generate_room(
            dim=dim, num_steps=steps, num_boxes=boxes, search_depth=depth
        )
    except (RuntimeError, RuntimeWarning):
        return None
    cells = np.where((state == 5) & (fixed == 2), 6, state)
    return "\n".join("".join(SIGNS[int(cell)] for cell in row) for row in cells)


def main():
    sets = [
        ("evaluation", range(123, 251), (8, 8), 2, 30),
        ("training", range(64), (6, 6), 1, 30),
        ("other", range(1000, 1010), (10, 7), 3, 20),
    ]
    report = {
        "origin": f"mll-lab-nu/BAGEN at 58bef4c, numpy {np.__version__}, Python "
        f"{sys.version.split()[0]}, made by rooms.py"
    }
    for name, seeds, dim, boxes, depth in sets:
        rooms = {str(seed): room(seed, dim, boxes, depth) for seed in seeds}
        report[name] = {"size": dim, "boxes": boxes, "depth": depth, "rooms": rooms}
    print(json.dumps(report, ensure_ascii=False))


main()
