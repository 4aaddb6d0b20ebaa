"""Writes table_1_counts.csv: the counts behind six rows of BAGEN's table 1, beside what the paper prints.

The counts follow from the shares in the authors' table1.csv, which they deleted in b3ccaed:

    git -C BAGEN show b3ccaed~1:figure/bagen/overall/table1.csv > table1.csv
    python3 table_1_counts.py table1.csv > table_1_counts.csv
"""

import csv
import datetime
import sys

# Table 1 of the paper: macro-F1 of all turns, Fail-F1 and hit rate in per cent, reward.
PRINTED = {
    ("SearchR1", "GPT"): "38.3,0.0,21.4,0.031",
    ("SearchR1", "Opus"): "40.5,5.6,23.1,0.114",
    ("SearchR1", "Sonnet"): "33.3,0.0,36.5,0.154",
    ("Sokoban", "GPT"): "40.6,32.8,36.0,0.167",
    ("Sokoban", "Opus"): "45.6,16.0,46.4,0.112",
    ("Sokoban", "Sonnet"): "53.6,33.9,45.1,0.148",
}


def right_and_readable(share, n):
    """The share is of the answers that could be read, which are nearly all."""
    for readable in range(n, n - 5, -1):
        right = round(share * readable)
        if abs(right / readable - share) < 1e-12:
            return right, readable
    raise ValueError(share)


print(f"# origin: mll-lab-nu/BAGEN, b3ccaed~1:figure/bagen/overall/table1.csv, this directory's table_1_counts.py, {datetime.date.today()}; "
      "printed values: arXiv:2606.00198, table 1")
print("benchmark,model,feasible,feasible_readable,feasible_right,infeasible,infeasible_readable,infeasible_right,"
      "hits,reward,printed_macro_f1,printed_fail_f1,printed_hit_rate,printed_reward")
for row in csv.DictReader(open(sys.argv[1])):
    model = next(word for word in ["GPT", "Opus", "Sonnet"] if word in row["model"])
    cells = [row["benchmark"], model]
    for label, right in [("success", "success"), ("fail", "fail")]:
        n = int(row[f"estimation_{label}_rollouts"])
        good, readable = right_and_readable(float(row[f"pred_hit_{right}_rollouts"]), n)
        cells += [n, readable, good]
    hits = float(row["success_rollout_interval_hit_rate"]) * int(row["estimation_success_rollouts"])
    cells += [round(hits), row["success_rollout_custom_reward"], PRINTED[row["benchmark"], model]]
    print(",".join(map(str, cells)))
