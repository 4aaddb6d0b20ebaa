"""Two dozen hard knapsacks of 50 items, two of each class, with their optima.

usage: knapsack_hard.py INSTANCES OPTIMA > knapsack_hard.json
INSTANCES holds {class}_n{n}_R{R}_h{h}.json, one {"capacity", "profits", "weights"} each, made with Python's random
seeded with "class/n/R/h/2005"; OPTIMA is {"rows": [{"file", "optimum"}]} from knapsacksolver. Standard library only.
"""
import json
import os
import sys

CLASSES = ["uncorr", "weak", "strong", "invstrong", "almoststrong", "subsetsum",
           "span_uncorr", "span_weak", "span_strong", "pceil", "circle", "mstr"]
ORIGIN = ("knapsacksolver commit 605153f, primal-dual minknap, 2026-11-22; instances after Pisinger (2005), Where are the "
          "hard knapsack problems?, drawn by Python's random seeded with 'class/n/R/h/2005'; knapsack_hard.py")


def main(instances, optima):
    with open(optima) as f:
        known = {row["file"]: row["optimum"] for row in json.load(f)["rows"]}
    rows = []
    for kind in CLASSES:
        for span, h in [(1000, 33), (1000000, 50)]:
            name = f"{kind}_n50_R{span}_h{h}"
            with open(os.path.join(instances, name + ".json")) as f:
                row = json.load(f)
            rows.append(json.dumps({"name": name, "optimum": known[name + ".json"], **row}))
    print('{"origin": ' + json.dumps(ORIGIN) + ',\n "rows": [\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
