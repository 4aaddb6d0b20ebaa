"""Writes large logs of trajectories, trials and tau2 results, and prints MB/s of the Python readers that are installed.

The logs are those of run-logs' tests, repeated: FOLDER/atif.jsonl, FOLDER/tau2.json and FOLDER/harbor. Lowest of 3 runs, in
processor time of one thread. `json` checks no field; the packages' models check fields as run-logs does.

    pip install atif==1.8.0
    pip install --no-deps harbor==0.25.0 && pip install shortuuid toml tenacity python-dotenv pyyaml
    PYTHONPATH=tau2-bench/src python3 rivals_trajectories.py FOLDER    # tau2-bench as in tests/golden/tau2/make.py
    cargo bench --bench log_reading -- FOLDER/atif.jsonl
"""

import gzip
import json
import pathlib
import sys
import time

GOLDEN = pathlib.Path(__file__).parent / "../crates/run-logs/tests/golden"
SIZE = 30_000_000


def packed(name):
    with gzip.open(GOLDEN / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(GOLDEN / "harbor/atif.jsonl.gz", "rt") as file:
        text = file.read()
    (folder / "atif.jsonl").write_text(text * (SIZE // len(text.encode())))
    text = next(file["text"] for file in packed("tau2/tau2.jsonl.gz") if file["path"] == "single.json")
    results = json.loads(text)
    repeats = range(SIZE // len(text.encode()))
    results["simulations"] = [run | {"id": f"{run['id']}-{i}"} for i in repeats for run in results["simulations"]]
    (folder / "tau2.json").write_text(json.dumps(results, indent=2, ensure_ascii=False))
    files = packed("harbor/harbor.jsonl.gz")
    for i in range(SIZE // sum(len(file["text"].encode()) for file in files) + 1):
        for file in files:
            path = folder / "harbor" / str(i) / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["text"])


def show(name, size, read):
    times = []
    for _ in range(3):
        start = time.process_time()
        read()
        times.append(time.process_time() - start)
    print(f"{name}: {size / 1e6:.0f} MB, {size / 1e6 / min(times):.1f} MB/s", flush=True)


def main(folder):
    write(folder)
    lines = (folder / "atif.jsonl").read_bytes().splitlines()
    size = sum(map(len, lines))
    show("atif.jsonl, json", size, lambda: [json.loads(line) for line in lines])
    trials = [path for path in (folder / "harbor").rglob("*.json") if path.name != "config.json"]
    size_of_trials = sum(path.stat().st_size for path in trials)
    show("harbor, json", size_of_trials, lambda: [json.loads(path.read_text()) for path in trials])
    size_of_results = (folder / "tau2.json").stat().st_size
    show("tau2.json, json", size_of_results, lambda: json.loads((folder / "tau2.json").read_text()))
    try:
        import atif
        show("atif.jsonl, atif", size, lambda: [atif.Trajectory.model_validate_json(line) for line in lines])
    except ImportError as error:
        print(error)
    try:
        from harbor.models.trajectories import Trajectory
        from harbor.models.trial.result import TrialResult
        models = [TrialResult if path.name == "result.json" else Trajectory for path in trials]
        read = lambda: [model.model_validate_json(path.read_text()) for model, path in zip(models, trials)]
        show("harbor, harbor", size_of_trials, read)
    except ImportError as error:
        print(error)
    try:
        from tau2.data_model.simulation import Results
        show("tau2.json, tau2", size_of_results, lambda: Results.load(folder / "tau2.json"))
    except ImportError as error:
        print(error)


main(pathlib.Path(sys.argv[1]))
