#!/usr/bin/env python3
"""Compares agent-scorecard with the programs that write logs: with inspect_ai, Harbor and tau2-bench by their own API.

    python3 packages.py --command target/debug/agent-scorecard

Each package that the interpreter can import writes logs of random designs, reads them again, and says how many runs there
are, how well they did and what they spent. `compare --json` and `logs --json` must say the same to 1e-9, or refuse the log
with the reason, or state the difference in `account`. How the packages are installed is in ../golden/*/make.py
(tau2-bench computes its metrics with pandas 2); --package NAME takes one of them, --seed S other designs, --keep FOLDER leaves the logs there.
"""

import argparse, contextlib, importlib.util, json, math, os, random, shutil, signal, subprocess, sys, tempfile, traceback, uuid
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).parent
TOLERANCE = 1e-9


class Command:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def run(self, *arguments):
        """The JSON object, or the message of an error."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 2):
            raise AssertionError(f"exit code {done.returncode}: {done.stderr[-500:]}")
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr


class Check:
    """Collects what differs."""

    def __init__(self):
        self.wrong, self.counts = [], Counter()

    def same(self, what, found, expected):
        self.counts[what] += 1
        near = lambda a, b: a is not None and b is not None and abs(a - b) <= TOLERANCE * max(1, abs(b))
        if not (near(found, expected) if isinstance(expected, float) else found == expected):
            self.wrong.append(f"{what}: {found}, but {expected} by the package")

    def true(self, what, is_true, detail=""):
        self.counts[what] += 1
        if not is_true:
            self.wrong.append(f"{what}: {detail}")


# inspect_ai ---------------------------------------------------------------------------------------------------------------

KINDS = ["letters", "binary", "share", "boolean", "words", "parts", "more parts", "marks", "gaps", "digits", "list", "own words"]


def designs(rng, number):
    """What an evaluation is like."""
    n, epochs = rng.randint(2, 9), rng.choice([1, 1, 2, 3, 4])
    reducers = ["mean", "mode", "max", "median", f"at_least_{rng.randint(1, epochs)}", f"pass_at_{rng.randint(1, epochs)}"]
    reducer = rng.choice([None, None, None, [rng.choice(reducers)], [rng.choice(reducers)], rng.sample(reducers, 2), []])
    scorers = rng.sample(KINDS[:10], rng.choice([1, 1, 1, 2, 3])) if number % 20 else [KINDS[10 + number // 20 % 2]]
    if "parts" in scorers or "more parts" in scorers or "gaps" in scorers:
        reducer = reducer and [name for name in reducer if name in ("mean", "max", "median", "mode")]
    return dict(
        n=n, epochs=epochs, reducer=reducer if epochs > 1 else None, scorers=scorers, ids=rng.choice(["none", "int", "text", "mixed"]),
        metrics=rng.choice(["accuracy", "mean", "source", "sample"]), grader=rng.choice([None, None, "role", "model"]),
        error=rng.choice([0, 0, 0.2, 0.6]), limit=rng.choice([0, 0, 0.4]), unscored=rng.choice([0, 0, 0, 0.3]),
        fail=rng.choice([False, False, False, True, 0.9]), score_on_error=rng.random() < 0.3, retries=rng.choice([0, 0, 1]),
        slice=rng.choice([None, None, None, "limit", "range", "ids"]), form=rng.choice(["eval", "eval", "json"]),
        end=rng.choice([None] * 8 + ["cancelled", "killed"]), edit=rng.choice([None] * 6 + ["score", "invalid", "again"]),
        cache=rng.random() < 0.3, score=rng.random() > 0.05, seed=rng.random(), name=rng.choice(["sums", "sums", "words/of all"]))


class Inspect:
    def __init__(self, folder):
        os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
        os.environ["XDG_CACHE_HOME"] = os.environ["INSPECT_CACHE_DIR"] = str(folder / "cache")
        import inspect_ai
        from inspect_ai import log, model, scorer, solver, dataset, util
        self.ai, self.log, self.model, self.scorer, self.solver, self.dataset, self.util = inspect_ai, log, model, scorer, solver, dataset, util
        self.folder, self.retried = folder, set()

    def reply(self, name, text, r, is_rich):
        output = self.model.ModelOutput.from_content(name, text)
        read, write, thought = (r.randint(0, 80), r.randint(0, 30), r.randint(0, 9)) if is_rich else (None, None, None)
        fields = dict(input_tokens=r.randint(1, 500), output_tokens=r.randint(10, 60), input_tokens_cache_read=read,
                      input_tokens_cache_write=write, reasoning_tokens=thought)
        output.usage = self.model.ModelUsage(total_tokens=sum(fields[k] or 0 for k in list(fields)[:4]), **fields)
        return output

    def task_solver(self, design):
        model, util = self.model, self.util

        @self.solver.solver(name="act")
        def act():
            async def solve(state, generate):
                r = random.Random(f"{design['seed']} {state.sample_id} {state.epoch}")
                key = (design["seed"], str(state.sample_id), state.epoch)
                turns = r.randint(1, 3)
                name = "mockllm/model"
                own = model.get_model(name, custom_outputs=[self.reply(name, f"turn {i}", r, r.random() < 0.5) for i in range(turns)], memoize=False)
                for _ in range(turns):
                    state.output = await own.generate(state.messages, cache=design["cache"])
                    state.messages.append(state.output.message)
                if design["end"] == "cancelled" and r.random() < 0.3:
                    os.kill(os.getpid(), signal.SIGINT)
                    import anyio
                    await anyio.sleep(1)
                if design["end"] == "killed" and r.random() < 0.3:
                    os._exit(3)
                if r.random() < design["error"]:
                    # A failed sample may pass at a second attempt, in the same evaluation or in a retry of it.
                    if key not in self.retried or r.random() < 0.5:
                        self.retried.add(key)
                        raise RuntimeError("no luck")
                if r.random() < design["limit"]:
                    kinds = ["context", "message", "token", "time", "working", "operator", "custom", "cost", "turn"]
                    raise util.LimitExceededError(r.choice(kinds), value=10, limit=7, message="stopped")
                return state

            return solve

        return act()

    def task_scorer(self, kind, design):
        sc = self.scorer
        metrics = {"accuracy": [sc.accuracy(), sc.stderr()], "mean": [sc.mean(), sc.stderr()],
                   "source": [sc.mean(), sc.stderr(cluster="source")], "sample": [sc.accuracy(), sc.stderr(cluster="sample")]}[design["metrics"]]
        if kind == "parts":
            metrics = {"style": metrics, "facts": metrics}
        if kind == "more parts":
            metrics = {"*": metrics}
        if kind == "own words":
            to_float = sc.value_to_float(correct="good", incorrect="bad")
            metrics = [sc.accuracy(to_float=to_float), sc.stderr(to_float=to_float)]
        draws = {
            "letters": lambda r: r.choice("CCIPN"), "binary": lambda r: r.choice([0, 1]), "share": lambda r: r.choice([r.random(), 0.0, 1.0]),
            "boolean": lambda r: r.random() < 0.6, "words": lambda r: r.choice(["yes", "No", "TRUE", "false"]),
            "parts": lambda r: {"facts": r.choice("CI"), "style": r.random()},
            "more parts": lambda r: {"b/long": r.choice([0, 1]), "v1.0": r.choice([0, 0.5, 1])}, "marks": lambda r: r.randint(1, 10),
            "gaps": lambda r: r.choice([0, 1, 0.5, math.nan]), "digits": lambda r: r.choice(["0", "1", "0.25", "1e0"]),
            "list": lambda r: [r.choice([0, 1]), 1], "own words": lambda r: r.choice(["good", "bad"])}

        @sc.scorer(metrics=metrics, name=kind.replace(" ", "_"))
        def made():
            async def score(state, target):
                r = random.Random(f"{kind} {design['seed']} {state.sample_id} {state.epoch}")
                if r.random() < design["unscored"]:
                    return None
                return sc.Score(value=draws[kind](r), answer="x")

            return score

        return made()

    def write(self, number, design, folder, model="mockllm/model"):
        """Runs an evaluation; the log, also of one that did not end."""
        ai, sc = self.ai, self.scorer
        name = lambda i: {"none": None, "int": i + 1, "text": f"s-{i}/é", "mixed": i + 1 if i % 2 else f"s-{i}"}[design["ids"]]
        samples = [self.dataset.Sample(id=name(i), input=f"question {i}", target="x", metadata={"source": i // 2, "sample": i}) for i in range(design["n"])]
        scorers = [self.task_scorer(kind, design) for kind in design["scorers"]]
        roles = {}
        if design["grader"]:
            r = random.Random(design["seed"])
            replies = [self.reply("mockllm/grader", f"GRADE: {r.choice('CIP')}", r, False) for _ in range(200)]
            grader = self.model.get_model("mockllm/grader", custom_outputs=replies, memoize=False)
            if design["grader"] == "role":
                roles = {"model_roles": {"grader": grader}}
            scorers.append(sc.model_graded_qa(partial_credit=True, model=None if roles else grader))
        epochs = ai.Epochs(design["epochs"], design["reducer"]) if design["reducer"] is not None else design["epochs"]
        task = ai.Task(dataset=self.dataset.MemoryDataset(samples), solver=self.task_solver(design), scorer=scorers, epochs=epochs, name=design["name"])
        chosen = {"limit": dict(limit=max(1, design["n"] - 2)), "range": dict(limit=(1, design["n"])),
                  "ids": dict(sample_id=[s.id if s.id is not None else i + 1 for i, s in enumerate(samples)][:2])}.get(design["slice"], {})
        options = dict(model=model, log_dir=str(folder), log_format=design["form"], display="none", log_model_api=False, fail_on_error=design["fail"],
                       score_on_error=design["score_on_error"], retry_on_error=design["retries"], score=design["score"], log_buffer=1, max_samples=4, **chosen, **roles)
        before = set(folder.iterdir())
        if design["end"] == "killed":
            child = os.fork()
            if child == 0:
                with contextlib.suppress(BaseException):
                    ai.eval(task, **options)
                os._exit(0)
            os.waitpid(child, 0)
        else:
            with contextlib.suppress(KeyboardInterrupt):
                ai.eval(task, **options)
        made = sorted(path for path in set(folder.iterdir()) - before if path.suffix in (".eval", ".json"))
        if made and design["edit"]:
            self.edit(made[0], design)
        return made[0] if made else None

    def edit(self, path, design):
        log = self.log.read_eval_log(str(path))
        if not log.samples or log.status != "success" or not log.samples[0].scores:
            return
        sample, provenance = log.samples[0], self.log.ProvenanceData(author="a reader", reason="a second look")
        name = next(iter(sample.scores))
        if design["edit"] == "score" and not isinstance(sample.scores[name].value, (dict, list)):
            self.log.edit_score(log, sample.id, name, self.scorer.ScoreEdit(value=1, provenance=provenance), epoch=sample.epoch)
        elif design["edit"] == "invalid":
            log = self.log.invalidate_samples(log, [sample.uuid], provenance)
        elif design["edit"] == "again":
            # A scorer that is added later.
            log = self.ai.score(log, [self.task_scorer("binary", design)], action="append", display="none")
        self.log.write_eval_log(log, str(path))

    def graded(self, log):
        """The scorer that the log has first, the grades of its samples, and the package's own mean and standard error."""
        scores = log.results.scores if log.results else []
        if scores:
            first = scores[0]
            scorer, part = first.scorer, None if first.name == first.scorer else first.name
        elif log.eval.scorers:
            first, scorer, part = None, log.eval.scorers[0].name.split("/")[-1], None
        else:
            return None, [], None
        found = []
        for sample in log.samples or []:
            score = (sample.scores or {}).get(scorer)
            value = score and score.value
            if isinstance(value, dict):
                part = part or sorted(value)[0]
                value = value.get(part)
            is_missing = value is None or isinstance(value, float) and math.isnan(value)
            found.append((sample, None if is_missing else value))
        return f"{scorer}.{part}" if part else scorer, found, first

    def check(self, command, path, check, label=""):
        log = self.log.read_eval_log(str(path))
        scorer, found, first = self.graded(log)
        found = [(sample, value) for sample, value in found if not sample.invalidation]
        to_float = self.scorer.value_to_float()
        values = [(sample, value) for sample, value in found if value is not None]
        report = command.run("compare", path, "--json")
        is_word = lambda value: isinstance(value, list) or isinstance(value, str) and value.lower() not in ("c", "p", "i", "n", "yes", "no", "true", "false") and not value[0].isdigit()
        low, high = 0.0, 1.0
        if any(is_word(value) for _, value in values):
            return check.true("refused words", isinstance(report, str) and "does not stand for a number" in report, str(report)[:300])
        numbers = [to_float(value) for _, value in values]
        if numbers and not (min(numbers) >= 0 and max(numbers) <= 1):
            text = f"run from {min(numbers):g} to {max(numbers):g}"
            check.true("refused range", isinstance(report, str) and text in report and "--score-range" in report, f"{text}, found {str(report)[:300]}")
            low, high = 1.0, 10.0
            if min(numbers) < low:
                return
            report = command.run("compare", path, "--json", "--score-range", "1..10")
        if isinstance(report, str):
            return check.true("an answer", False, report)
        account, column = report["account"], report["files"][0]
        results, samples = log.results, log.samples or []
        check.same("runs found", account["n_found"], len(samples))
        check.same("runs with a grade", column["n_runs"], len(values))
        check.same("errors", account["n_errors"], sum(1 for sample in samples if sample.error))
        check.same("at a limit", column["n_at_limit"], sum(1 for sample in samples if sample.limit))
        check.same("invalid", account["left_out"].get("excluded", 0), sum(1 for sample in samples if sample.invalidation))
        check.same("status", [e["status"] for e in account["evaluations"]], [log.status])
        planned = results.total_samples if results else len(log.eval.dataset.sample_ids) * (log.eval.config.epochs or 1)
        check.same("planned", account["n_planned"], planned)
        check.same("missing", account["n_missing"], planned - len({(str(s.id), s.epoch) for s in samples}))
        if values:
            check.same("scorer", account["scorers"], {scorer: len(values)})
            # The figures over runs, by the metrics of the package.
            scaled = [self.scorer.SampleScore(score=self.scorer.Score(value=(to_float(value) - low) / (high - low)), sample_id=sample.id, sample_metadata={"sample": str(sample.id)})
                      for sample, value in values]
            mean, error = self.scorer.accuracy()(scaled), float(self.scorer.stderr(cluster="sample")(scaled))
            figure = column.get("mean_score") or column["success_rate"]
            check.same("mean over runs", figure["value"], float(mean))
            if len({sample.id for sample, _ in values}) > 1:
                # Samples whose means are all equal have no interval.
                check.same("standard error by sample", figure.get("standard_error") or 0.0, error)
            if first:
                self.own(check, account, first, (low, high), figure)
        elif not any(e for e in account["left_out"]) and samples:
            check.true("why no run counts", False, account)
        self.tokens(command, path, log, check, report)

    def own(self, check, account, first, ends, figure):
        """The log's own figures are those of the report, or in the account."""
        low, high = ends
        size = high - low
        text = " ".join(sentence.split(", its runs")[0] for sentence in account["unlike_log"])
        for names, found, scale in [(("accuracy", "mean"), figure["value"], lambda x: (x - low) / size), (("stderr",), figure.get("standard_error"), lambda x: x / size)]:
            for name in names:
                metric = first.metrics.get(name)
                if metric is None or math.isnan(metric.value):
                    continue
                value = scale(metric.value)
                is_same = found is not None and abs(found - value) <= TOLERANCE
                is_same = is_same or name == "stderr" and found is None and value == 0
                check.counts[f"own {name}, the same" if is_same else f"own {name}, stated"] += 1
                said = f"{'standard error' if name == 'stderr' else 'mean score'} of {value:.4f}"
                if not is_same and said not in text:
                    check.wrong.append(f"own {name}: {value} by {first.scorer} {first.reducer} {metric.params}, {found} here, and the account does not say so: {text!r}")

    def tokens(self, command, path, log, check, report):
        total = lambda usage: usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        logs = command.run("logs", path, "--json")
        if isinstance(logs, str):
            return check.true("logs", False, logs)
        rows = {(row["id"], row["epoch"]): row for row in logs["runs"]}
        for sample in log.samples or []:
            usages = dict(sample.model_usage)
            graders = [name for name in usages if "grader" in name]
            expected = [[total(usages[name]), usages[name].output_tokens] for name in usages if name not in graders]
            row = rows.get((str(sample.id), sample.epoch))
            if row is None:
                check.true("row", False, (sample.id, sample.epoch))
                continue
            sums = [sum(part) for part in zip(*expected)] or [0, 0]
            check.same("tokens of the agent", [row["usage"]["input_tokens"], row["usage"]["output_tokens"]], sums)
            roles = {role: [total(usage), usage.output_tokens] for role, usage in (sample.role_usage or {}).items()}
            if not roles and graders:
                roles = {"grader": [sum(part) for part in zip(*([total(usages[name]), usages[name].output_tokens] for name in graders))]}
            others = {role: [usage["input_tokens"], usage["output_tokens"]] for role, usage in (row.get("other_usage") or {}).items()}
            check.same("tokens of other roles", others, roles)

    def folder_check(self, command, folder, check, designs_of):
        """A folder with retries and copies: the newest complete record of each sample counts."""
        best, planned = {}, {}
        for path in sorted(path for path in folder.iterdir() if path.suffix in (".eval", ".json")):
            log = self.log.read_eval_log(str(path))
            planned[log.eval.task_id, log.eval.model] = len(log.eval.dataset.sample_ids) * (log.eval.config.epochs or 1)
            scorer, found, _ = self.graded(log)
            for sample, value in found:
                key = (log.eval.task_id, log.eval.model, str(sample.id), sample.epoch)
                rank = (value is not None and not sample.invalidation, not sample.error, log.eval.created)
                best.setdefault(key, []).append((rank, value))
        report = command.run("compare", folder, "--json")
        if isinstance(report, str):
            return check.true("an answer", False, report)
        account = report["account"]
        n = sum(map(len, best.values()))
        check.same("folder: runs found", account["n_found"], n)
        check.same("folder: repeats", account["n_repeats"], n - len(best))
        check.same("folder: planned", account["n_planned"], sum(planned.values()))
        check.same("folder: missing", account["n_missing"], sum(planned.values()) - len(best))
        to_float = self.scorer.value_to_float()
        models = defaultdict(list)
        for (_, model, _, _), records in best.items():
            rank, value = max(records, key=lambda record: record[0])
            if rank[0]:
                models[model].append(to_float(value))
        for column in report["files"]:
            model = column.get("model") or next(iter(models), None)
            if models.get(model):
                figure = column.get("mean_score") or column["success_rate"]
                check.same("folder: mean over runs", figure["value"], sum(models[model]) / len(models[model]))
                check.same("folder: runs with a grade", column["n_runs"], len(models[model]))

    def retry(self, path, folder):
        before = set(folder.iterdir())
        with contextlib.suppress(Exception, KeyboardInterrupt):
            self.ai.eval_retry(str(path), log_dir=str(folder), display="none", log_format=path.suffix[1:])
        return set(folder.iterdir()) - before

    def all(self, command, n, rng, check):
        done = 0
        number = 0
        while done < n:
            design = designs(rng, number)
            if number == 0:
                design |= dict(end=None, score=True)
            number += 1
            folder = self.folder / f"{number:03}"
            folder.mkdir()
            path = self.write(number, design, folder)
            if path is None:
                continue
            done += 1
            with case(check, path, design):
                self.check(command, path, check)
        for number in range(max(1, n // 5)):
            design = designs(rng, 1) | dict(end=None, edit=None, slice=None, error=0.4, fail=True, score=True, limit=0, scorers=[rng.choice(["letters", "binary", "share"])],
                                            grader=None, reducer=None, retries=0, form="eval")
            folder = self.folder / f"folder-{number:02}"
            folder.mkdir()
            path = self.write(number, design, folder)
            copies = rng.choice(["retry", "copy", "both", "model"])
            if copies in ("retry", "both"):
                for made in self.retry(path, folder):
                    self.retry(made, folder)
            if copies in ("copy", "both"):
                shutil.copy(path, folder / "copy.eval")
            if copies == "model":
                self.write(number, design | dict(fail=False), folder, model="mockllm/other")
            with case(check, folder, design | {"folder": copies}):
                self.folder_check(command, folder, check, design)


# Harbor -------------------------------------------------------------------------------------------------------------------


def golden(name):
    """The script that writes the golden files of a package."""
    spec = importlib.util.spec_from_file_location(f"make_{name}", HERE.parent / "golden" / name / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Harbor:
    def __init__(self, folder):
        from harbor.metrics.mean import Mean
        from harbor.models.job.result import JobResult, JobStats
        from harbor.models.trial.result import TrialResult
        from harbor.models.verifier.result import VerifierResult
        from harbor.utils.pass_at_k import compute_pass_at_k_by_evals
        self.make, self.folder = golden("harbor"), folder
        self.Mean, self.JobResult, self.JobStats, self.TrialResult, self.VerifierResult = Mean, JobResult, JobStats, TrialResult, VerifierResult
        self.pass_at_k = compute_pass_at_k_by_evals

    def write(self, number, design, rng):
        folder = self.folder / f"job-{number:02}"
        values = {"binary": [0, 1, 1.0], "share": [0, 0.25, 1, 0.5], "marks": [2, 5, 10], "several": [0, 1]}[design["rewards"]]

        def rewards(rng):
            if rng.random() < design["unrewarded"]:
                return rng.choice([None, self.VerifierResult(rewards=None), self.VerifierResult(rewards={})])
            made = {"reward": rng.choice(values)}
            return self.VerifierResult(rewards=made | ({"style": 0.5} if design["rewards"] == "several" else {}))

        self.make.rewards = rewards
        own = self.make.exception
        self.make.exception = lambda rng: own(rng) if rng.random() < design["errors"] else None
        config = self.make.TrialConfig
        if design["job"] == "named":
            self.make.TrialConfig = lambda **fields: config(job_id=uuid.UUID(int=number), **fields)
        for at in range(design["n"]):
            # Of few tasks each is tried several times.
            self.make.trial(rng, folder, number * 4000 + (at % 4 + 40 * (at // 4) if design["few"] else at))
        self.make.exception, self.make.TrialConfig = own, config
        results = self.results(folder)
        job = self.JobResult(id=uuid.UUID(int=number), started_at=self.make.WHEN, finished_at=self.make.WHEN, n_total_trials=design["n"] + design["missing"],
                             stats=self.JobStats.from_trial_results(results, n_total_trials=design["n"] + design["missing"]))
        if design["job"]:
            (folder / "result.json").write_text(job.model_dump_json(indent=4, exclude={"trial_results"}))
        if design["copy"]:
            shutil.copytree(next(path for path in sorted(folder.iterdir()) if path.is_dir()), folder / "copy")
        return folder

    def results(self, folder):
        paths = sorted(path for path in folder.glob("*/result.json"))
        return [self.TrialResult.model_validate_json(path.read_text()) for path in paths]

    def check(self, command, folder, check, design):
        results = {result.id: result for result in self.results(folder)}.values()
        report = command.run("compare", folder, "--json")
        valid = [result for result in results if result.reward_valid and result.verifier_result and result.verifier_result.rewards]
        if design["rewards"] == "several" and valid:
            check.true("refused rewards", isinstance(report, str) and "reward, style; name one with --scorer" in report, str(report)[:300])
            report = command.run("compare", folder, "--json", "--scorer", "reward")
        scale = lambda value: value
        if design["rewards"] == "marks" and valid:
            check.true("refused range", isinstance(report, str) and "--score-range" in report, str(report)[:300])
            report = command.run("compare", folder, "--json", "--score-range", "0..10")
            scale = lambda value: value / 10
        if isinstance(report, str):
            return check.true("an answer", False, report)
        logs = command.run("logs", folder, "--json")
        rows = {row["id"]: row for row in logs["runs"]}
        account = report["account"]
        check.same("runs found", account["n_found"], len(results) + design["copy"])
        check.same("repeats", account["n_repeats"], int(design["copy"]))
        check.same("excluded", account["left_out"].get("excluded", 0), sum(1 for result in results if not all(e.policy.reward_valid for e in result._recorded_exceptions())))
        if design["job"] == "named":
            check.same("planned", account["n_planned"], design["n"] + design["missing"])
            check.same("missing", account["n_missing"], design["missing"])
        else:
            check.same("planned, unknown", account["n_planned"], None)
        columns = {column.get("model"): column for column in report["files"]}
        grouped = defaultdict(list)
        for result in results:
            row, model = rows[result.trial_name], result.agent_info.model_info
            check.same("task", row["task"], result.task_name)
            if model:
                check.same("model", row["model"], model.name)
            grouped[row["model"] or "unknown model"].append(result)
            names = ["n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"]
            contexts = [step.agent_result for step in result.step_results] if result.step_results else [result.agent_result]
            for name, key, total in zip(names, ["input_tokens", "cached_tokens", "output_tokens", "cost_usd"], result.compute_token_cost_totals()):
                if all(context is not None and getattr(context, name) is not None for context in contexts):
                    check.same(f"total {key}", row["usage"][key], total)
        for model, of in (grouped if len(columns) > 1 else {None: results}).items():
            column = columns[model]
            found = [result for result in of if result in valid]
            check.same("runs with a grade", column["n_runs"], len(found))
            rewards = [{"reward": scale(result.verifier_result.rewards["reward"])} for result in found]
            figure = column.get("mean_score") or column["success_rate"]
            if not rewards:
                continue
            mean = float(self.Mean().compute(rewards)["mean"])
            check.same("mean of valid rewards", figure["value"], mean)
            whole = self.Mean().compute([result.verifier_result.rewards if result.verifier_result else None for result in of])
            if len(whole) == 1 and abs(scale(next(iter(whole.values()))) - mean) > TOLERANCE:
                # Harbor takes trials without a reward for 0, and counts those whose exception leaves no valid one.
                check.true("own mean, stated", sum(account["left_out"].get(why, 0) for why in ("excluded", "no_score", "at_limit")) > 0, account["left_out"])
            passes = {row["k"]: row for row in column["passes"]}
            for k, value in next(iter(self.pass_at_k(found).values()), {}).items():
                if k in passes:
                    check.same("pass@k", passes[k]["pass_at_k"]["value"], float(value))

    def all(self, command, n, rng, check):
        for number in range(1, n + 1):
            design = dict(n=rng.choice([1, 3, 12, 60, 90]), rewards=rng.choice(["binary", "binary", "share", "marks", "several"]), unrewarded=rng.choice([0, 0.2]),
                          errors=rng.choice([0, 0.3, 1]), few=rng.random() < 0.5, copy=rng.random() < 0.3, job=rng.choice([None, "unnamed", "named", "named"]), missing=rng.choice([0, 0, 2]))
            folder = self.write(number, design, rng)
            with case(check, folder, design):
                self.check(command, folder, check, design)


# tau2-bench ---------------------------------------------------------------------------------------------------------------


class Tau2:
    def __init__(self, folder):
        from loguru import logger
        logger.remove()
        from tau2.data_model.simulation import Results, RewardInfo, TerminationReason
        from tau2.data_model.tasks import EvaluationCriteria
        from tau2.metrics.agent_metrics import compute_metrics, is_successful
        self.make, self.folder, self.Criteria = golden("tau2"), folder, EvaluationCriteria
        self.Results, self.RewardInfo, self.Reason, self.compute_metrics, self.is_successful = Results, RewardInfo, TerminationReason, compute_metrics, is_successful

    def write(self, number, design, rng):
        results = self.make.made(rng, design["n_tasks"] * 4, design["n_tasks"], design["spoken"])
        for task in results.tasks:
            # The metrics of the benchmark need a list of actions.
            if task.evaluation_criteria is None or task.evaluation_criteria.actions is None:
                task.evaluation_criteria = self.Criteria(actions=[])
        for at, run in enumerate(results.simulations):
            run.id = str(uuid.UUID(int=number * 1000 + at))
            infra = run.termination_reason == self.Reason.INFRASTRUCTURE_ERROR
            if not infra and not (design["unscored"] and rng.random() < 0.2):
                value = rng.choice({"binary": [0.0, 1.0], "near": [0.0, 1.0, 1 - 1e-7, 1 + 1e-7], "share": [0.0, 1.0, 0.5, 1 - 2e-6]}[design["rewards"]])
                run.reward_info = self.RewardInfo(reward=value)
            elif not infra:
                run.reward_info = None
        for _ in range(design["missing"]):
            results.simulations.pop(rng.randrange(len(results.simulations)))
        if design["form"] == "dir":
            path = self.folder / f"{number:02}"
            path.mkdir()
            results.save(path, format="dir")
        else:
            path = self.folder / f"{number:02}.json"
            results.save(path)
        return path

    def check(self, command, path, check, design):
        results = self.Results.load(path)
        metrics = self.compute_metrics(results)
        report, logs = command.run("compare", path, "--json"), command.run("logs", path, "--json")
        if isinstance(report, str):
            return check.true("an answer", False, report)
        account, column = report["account"], report["files"][0]
        runs = [run for run in results.simulations if run.termination_reason != self.Reason.INFRASTRUCTURE_ERROR]
        graded = [run for run in runs if run.reward_info is not None]
        check.same("runs found", account["n_found"], len(results.simulations))
        check.same("excluded", account["left_out"].get("excluded", 0), metrics.infra_error_count)
        check.same("runs with a grade", column["n_runs"], len(graded))
        check.same("planned", account["n_planned"], len(results.tasks) * results.info.num_trials)
        check.same("missing", account["n_missing"], design["missing"])
        rows = {row["id"]: row for row in logs["runs"]}
        for run in results.simulations:
            row = rows[run.id]
            reward = run.reward_info.reward if run.reward_info and run in runs else None
            if reward is None or self.is_successful(reward) or reward == 0:
                check.same("outcome", row["outcome"], None if reward is None else self.is_successful(reward))
            check.same("cost of the agent", row["usage"]["cost_usd"], run.agent_cost)
            used = [message.usage for message in run.get_messages() if message.role == "assistant" and message.content != self.make.DEFAULT_FIRST_AGENT_MESSAGE.content]
            if used and all(used) and run.messages is not None:
                sums = [sum(usage[name] for usage in used) for name in ("prompt_tokens", "completion_tokens")]
                check.same("tokens of the agent", [row["usage"]["input_tokens"], row["usage"]["output_tokens"]], sums)
        if graded:
            figure = column.get("mean_score") or column["success_rate"]
            # A reward within 1e-6 of 1 is 1, as is_successful takes it.
            check.true("average reward", abs(figure["value"] - metrics.avg_reward) < (1e-6 if design["rewards"] != "binary" else TOLERANCE), f"{figure}, {metrics.avg_reward}")
        if graded and len(graded) == len(runs) and design["rewards"] != "share":
            passes = {row["k"]: row for row in column["passes"]}
            for k, value in metrics.pass_hat_ks.items():
                if k in passes:
                    check.same("pass^k", passes[k]["pass_hat_k"]["value"], float(value))
        elif len(graded) < len(runs):
            check.same("no reward, stated", sum(account["left_out"].get(why, 0) for why in ("no_score", "at_limit", "error")), len(runs) - len(graded))

    def all(self, command, n, rng, check):
        for number in range(1, n + 1):
            design = dict(n_tasks=rng.choice([1, 3, 8, 20]), spoken=rng.random() < 0.3, rewards=rng.choice(["binary", "binary", "near", "share"]),
                          unscored=rng.random() < 0.3, missing=rng.choice([0, 0, 3]), form=rng.choice(["json", "dir"]))
            path = self.write(number, design, rng)
            with case(check, path, design):
                self.check(command, path, check, design)


@contextlib.contextmanager
def case(check, path, design):
    """Says of what log a difference is."""
    before = len(check.wrong)
    try:
        yield
    except Exception:
        check.wrong.append(traceback.format_exc())
    if check.wrong[before:]:
        texts = Counter(text.split(":")[0] for text in check.wrong[before:])
        shown = [next(text for text in check.wrong[before:] if text.startswith(name)) + (f" (and {n - 1} more)" if n > 1 else "") for name, n in texts.items()]
        print("\n  ".join([str(path), *shown, json.dumps(design, ensure_ascii=False, default=str)]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True)
    parser.add_argument("--package", choices=["inspect", "harbor", "tau2"], action="append")
    parser.add_argument("--logs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    command, failed = Command(options.command), 0
    packages = {"inspect": (Inspect, 80), "harbor": (Harbor, 40), "tau2": (Tau2, 40)}
    for name in options.package or packages:
        of, n = packages[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = (options.keep or Path(temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                package = of(folder)
            except ImportError as error:
                print(f"{name}: not compared, as {error}")
                failed += bool(options.package)
                continue
            check = Check()
            package.all(command, options.logs or n, random.Random(options.seed), check)
            print(f"{name}: {sum(check.counts.values())} comparisons, {len(check.wrong)} wrong: {dict(sorted(check.counts.items()))}")
            failed += len(check.wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
