"""Writes two tables of 20,000 runs with 1 to 6 forecasts each, and times `traces --resamples 1000` on them.

    cargo build --release -p agent-scorecard-cli
    python3 benches/trace_tables.py target/release/agent-scorecard FOLDER

In `one.csv` each run has a task of its own, in `four.csv` four runs share one. Prints the lowest and the highest seconds
of three runs for each table, output and number of threads, and checks that the output has the same bytes.
"""

import os
import random
import subprocess
import sys
import time

RUNS, ROUNDS = 20_000, 3


def write(path: str, runs_of_task: int) -> None:
    draw = random.Random(7)
    with open(path, "w") as file:
        file.write("id,task,step,confidence,outcome\n")
        for run in range(RUNS):
            chance = draw.random()
            outcome = int(draw.random() < chance)
            for step in range(draw.randint(1, 6)):
                confidence = min(1, max(0, chance + draw.gauss(0, 0.2)))
                file.write(f"r{run},t{run // runs_of_task},{step},{confidence:.6f},{outcome}\n")


program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for name, runs_of_task in (("one", 1), ("four", 4)):
    table = f"{folder}/{name}.csv"
    write(table, runs_of_task)
    for form in ([], ["--json"]):
        outputs = set()
        for threads in ("1", "2"):
            command = [program, "traces", "--resamples", "1000", *form, table]
            seconds = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                environment = {**os.environ, "RAYON_NUM_THREADS": threads}
                outputs.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
                seconds.append(time.perf_counter() - start)
            print(name, *form, "threads", threads, f"seconds {min(seconds):.2f} to {max(seconds):.2f}")
        assert len(outputs) == 1, "the output depends on the number of threads"
