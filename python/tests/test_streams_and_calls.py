import json
import subprocess
import sys

import numpy as np
import pytest

import agent_scorecard as ags


def test_traces_of_lists_and_of_offsets_score_the_same():
    y, lists = [1, 0, 1], [[0.5, 0.75], [0.25], [0.5, 0.5, 1.0]]
    flat = ags.traces(y, np.concatenate(lists), offsets=[0, 2, 3, 6])
    tps = ags.TPS(ags.brier_score(), "uniform")
    assert tps.scores(flat).tolist() == tps.scores(ags.traces(y, lists)).tolist()
    assert tps.scores(flat) == pytest.approx([-(0.25 + 0.0625) / 2, -0.0625, -0.5 / 3])
    assert tps.mean(flat) == pytest.approx(tps.scores(flat).mean())
    assert flat.summary("last").tolist() == [0.75, 0.25, 1.0]
    assert flat.y_true.tolist() == [True, False, True]


def test_the_online_scorer_agrees_with_the_whole_trace():
    values = np.random.default_rng(1).random(30)
    for schedule in ("linear-front", "uniform", "exponential_front", "linear-back"):
        tps = ags.TPS(ags.log_score(clip=1e-6), schedule)
        online = tps.online()
        for value in values:
            online.push(value)
        assert len(online) == 30
        assert online.finish(True) == pytest.approx(tps.score(True, values), abs=1e-12)


def test_unknown_schedules_empty_traces_and_bad_offsets_are_refused():
    with pytest.raises(ValueError, match="linear-front"):
        ags.TPS(ags.brier_score(), "falling")
    with pytest.raises(ValueError):
        ags.traces([1], [[]])
    with pytest.raises(ValueError, match="offsets"):
        ags.traces([1], [0.5], offsets=[1, 1])


def test_interval_losses_are_their_formulas():
    assert ags.interval_loss([5.0], [0.0], [2.0], coverage=0.8) == pytest.approx([2 + 2 / 0.2 * 3])
    y, members = np.array([0.3]), np.array([[0.1, 0.5, 0.9]])
    spread = np.abs(members[0][:, None] - members[0]).sum()
    near = np.abs(members - 0.3).mean()
    assert ags.crps_ensemble(y, members) == pytest.approx([near - spread / 18])
    assert ags.crps_ensemble(y, members, fair=True) == pytest.approx([near - spread / 12])
    with pytest.raises(ValueError, match="two dimensions"):
        ags.crps_ensemble([0.3], [0.1])
    with pytest.raises(ValueError):
        ags.interval_loss([5.0], [3.0], [2.0], coverage=0.8)


def test_calls_of_openai_messages_match_plain_calls():
    message = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}},
    ]}
    user = {"role": "user", "content": "hello"}
    expected = [{"name": "add", "args": {"a": 1.0, "b": 2}}]
    assert ags.match_calls([user, message], expected).exact
    wrong = ags.match_calls([user, message], [{"name": "add", "args": {"a": 1}}])
    assert not wrong.exact and wrong.missing == [0] and wrong.extra == [0]
    assert ags.match_calls([message], [{"name": "add", "args": {"a": 9}}], arguments="ignore").exact
    assert ags.match_calls([message], [{"name": "add", "args": {"a": 1, "b": 9}}], arguments=["a"]).exact
    near = [{"name": "add", "args": {"a": 1.01, "b": 2}}]
    assert ags.match_calls([message], near, absolute_tolerance=0.1).exact
    with pytest.raises(ValueError, match="name"):
        ags.match_calls([{"arguments": {}}], [])
    with pytest.raises(ValueError, match="JSON"):
        ags.match_calls([{"name": "f", "arguments": {"a": object()}}], [])


SEARCH = {"name": "search", "arguments": {"q": "rust"}}
USED = {"type": "tool_use", "id": "1", "name": "search", "input": {"q": "rust"}}
SAID, LISTED = {"type": "text", "text": "I look it up."}, {"id": "1", "name": "search", "args": {"q": "rust"}, "type": "tool_call"}


class Client:
    """An object as the clients of OpenAI and Anthropic return them."""

    def __init__(self, **fields):
        self.fields = fields

    def model_dump(self):
        return self.fields


@pytest.mark.parametrize("actual", [
    [{"role": "assistant", "content": [USED]}],
    [{"role": "user", "content": "Find it."}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "?"}, SAID, USED]},
     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "found"}]}, {"role": "assistant", "content": "Found."}],
    [SAID, USED], [{"type": "server_tool_use", "id": "1", "name": "search", "input": {"q": "rust"}}],
    [{"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": '{"q": "rust"}'}}],
    [{"role": "assistant", "content": None, "function_call": None, "tool_calls": [{"type": "function", "function": SEARCH}]}],
    [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"q": "rust"}'},
     {"type": "function_call_output", "call_id": "1", "output": "found"}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Found."}]}],
    [{"type": "ai", "content": [SAID, USED], "tool_calls": [LISTED]}], [{"type": "ai", "content": "", "tool_calls": [LISTED]}],
    [Client(role="assistant", content=[SAID, USED])], [{"role": "assistant", "content": [Client(**USED)]}],
    [Client(role="assistant", content=None, function_call=None, tool_calls=[{"id": "1", "function": SEARCH}])],
])
def test_calls_of_messages_of_every_known_form_are_read(actual):
    assert ags.match_calls(actual, [SEARCH]).exact
    assert ags.match_calls([SEARCH], actual).exact


@pytest.mark.parametrize("actual, message", [
    ([{"role": "assistant", "content": [{"type": "hand_off", "to": "b"}]}], "call 0, part 0 .*hand_off"),
    ([{"role": "model", "parts": [{"functionCall": SEARCH}]}], "call 0 .*without content"),
    ([{"role": "assistant", "content": {"type": "tool_use"}}], "content is of type dict"),
    ([{"role": "assistant", "content": [USED], "tool_calls": [{"id": "2", **SEARCH}]}], "different calls"),
    ([{"role": "assistant", "content": None, "function_call": SEARCH, "tool_calls": [{"id": "2", **SEARCH}]}], "different calls"),
    ([{"role": "assistant", "content": None, "tool_calls": [{"type": "custom", "custom": SEARCH}]}], "tool call has no name"),
    ([SEARCH, "search"], "call 1 is of type str"), ({"role": "assistant", "content": [USED]}, "call 0 is of type str"), ([None], "call 0 is of type NoneType"),
    ([{"type": "web_search_call", "id": "1"}], "call 0 has no name"),
])
def test_messages_of_unknown_forms_are_refused(actual, message):
    with pytest.raises(ValueError, match=message):
        ags.match_calls(actual, [])


@pytest.fixture
def log(tmp_path):
    def turn(text, logprob):
        choice = {"message": {"content": text}, "logprobs": {"content": [{"token": text, "logprob": logprob}]}}
        return {"response": {"choices": [choice]}}
    runs = [
        {"id": "a", "task": "x", "outcome": True, "turns": [turn("Yes", -0.1), turn("Yes", -0.2)]},
        {"id": "b", "task": "y", "outcome": False, "turns": [turn("No", -1.5)]},
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return path


def test_streams_of_a_log_become_traces(log):
    logs = ags.read_logs(log)
    assert logs.table()["id"] == ["a", "b"]
    assert logs.table()["outcome"] == [True, False]
    stream = logs.streams["token_probability"]
    assert stream.offsets.tolist() == [0, 2, 3]
    assert stream.values == pytest.approx(np.exp([-0.1, -0.2, -1.5]))
    assert len(logs.traces("token_probability")) == 2
    with pytest.raises(ValueError, match="token_probability"):
        logs.traces("entropy")


def test_a_missing_file_and_an_unknown_format_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ags.read_logs(tmp_path / "nowhere.jsonl")
    with pytest.raises(ValueError, match="yaml"):
        ags.read_logs(tmp_path, format="yaml")


def test_the_command_prints_its_report_and_refuses_unknown_subcommands(log):
    program = [sys.executable, "-c", "import sys; from agent_scorecard.command import main; sys.exit(main())"]
    found = subprocess.run([*program, "logs", str(log), "--json"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["n_runs"] == 2
    wrong = subprocess.run([*program, "nonsense"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stdout == "" and "nonsense" in wrong.stderr


def test_documentation_examples_print_what_they_show():
    import doctest
    import importlib.util
    import pkgutil

    for module in pkgutil.iter_modules(ags.__path__):
        is_there = module.name != "environments" or importlib.util.find_spec("gymnasium")
        if not module.name.startswith("_") and is_there:
            assert doctest.testmod(importlib.import_module(f"agent_scorecard.{module.name}")).failed == 0

    run = 0
    for native in (ags.ScoringRule, ags.Traces, ags.TPS, ags.OnlineTPS):
        names = {native.__name__: native.__doc__}
        names |= {name: method.__doc__ for name, method in vars(native).items() if not name.startswith("_")}
        for name, text in names.items():
            assert text, name
            test = doctest.DocTestParser().get_doctest(text, vars(ags), f"{native.__name__}.{name}", None, 0)
            results = doctest.DocTestRunner().run(test)
            assert results.failed == 0
            run += results.attempted
    assert run > 20


def test_every_public_function_has_an_example():
    functions = [getattr(ags, name) for name in ags.__all__ if name != "read_logs"]
    functions = [function for function in functions if type(function).__name__ == "function"]
    assert [function.__name__ for function in functions if ">>>" not in function.__doc__] == []
    assert len(functions) > 30


def test_lists_of_arrow_and_tables_of_pandas_and_polars(log):
    arrow = pytest.importorskip("pyarrow")
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    lists = [[0.5], [0.25, 0.75], [0.5, 0.5, 1.0]]
    whole = ags.traces([1, 0, 1], lists)
    part = arrow.array([[0.1], *lists])[1:]  # a slice, whose offsets do not begin with 0
    tps = ags.TPS(ags.brier_score(), "uniform")
    for column in (part, arrow.chunked_array([part[:1], part[1:]]), polars.Series(lists)):
        assert tps.scores(ags.traces([1, 0, 1], column)).tolist() == tps.scores(whole).tolist()
    table = ags.read_logs(log).table()
    assert pandas.DataFrame(table)["outcome"].tolist() == [True, False]
    assert polars.DataFrame(table)["id"].to_list() == ["a", "b"]


def test_a_tool_may_have_a_rule_and_tolerances_of_its_own():
    def paid(amount, note):
        return {"name": "pay", "arguments": {"amount": amount, "note": note}}

    summary = [{"name": "hand_over", "arguments": {"summary": text}} for text in ("mine", "reference")]
    actual, expected = [paid(10.01, "rent"), summary[0]], [paid(10, "RENT"), summary[1]]

    def matches(**settings):
        return len(ags.match_calls(actual, expected, **settings).matched)

    assert matches() == 0
    assert matches(tools={"hand_over": "ignore"}) == 1
    amount = {"arguments": ["amount"], "absolute_tolerance": 0.05}
    assert matches(tools={"hand_over": "ignore", "pay": ["amount"]}) == 1
    assert matches(tools={"hand_over": "ignore", "pay": amount}) == 2
    assert matches(tools={"hand_over": "ignore", "pay": ["amount"]}, absolute_tolerance=0.05) == 2
    with pytest.raises(ValueError, match="pay.*tolerance"):
        matches(tools={"pay": {"tolerance": 1.0}})
    with pytest.raises(ValueError, match="exact, ignore, subset or superset"):
        matches(tools={"pay": "exakt"})


def reference_distances(pairs):
    def distance(a, b):
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            before, row[0] = row[0], i
            for j, y in enumerate(b, 1):
                before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
        return row[-1]

    found = [(distance(a, b), max(len(a), len(b), 1)) for a, b in pairs]
    n = len(found)
    return sum(d for d, _ in found) / n, sum(d / m for d, m in found) / n, sum(d == 0 for d, _ in found) / n


@pytest.mark.parametrize("kinds", [20, 5000])
def test_paths_of_any_hashable_calls_have_the_same_distances(kinds):
    generator = np.random.default_rng(kinds)

    def path():
        return generator.integers(0, kinds, generator.integers(0, 90)).tolist()

    pairs = [(path(), path()) for _ in range(60)]
    pairs += [(a, a[1:]) for a, _ in pairs]
    expected = reference_distances(pairs)
    forms = {
        "int": lambda p: p, "far int": lambda p: [10**9 + i for i in p], "huge int": lambda p: [2**70 + i for i in p],
        "str": lambda p: [f"tool_{i}" for i in p], "tuple": lambda p: tuple((i, "x") for i in p),
        "array": lambda p: np.array(p, dtype=np.int64), "strided": lambda p: np.repeat(p, 2).astype(np.int64)[::2],
        "iterator": lambda p: iter([float(i) for i in p]),
    }
    for name, form in forms.items():
        found = ags.path_distances((form(a), form(b)) for a, b in pairs)
        assert found == pytest.approx(expected, abs=1e-12), name


def test_calls_are_equal_if_python_says_so():
    class Name(str):
        pass

    surrogate = "\ud800"
    same = ags.path_distances([([1, "a", surrogate, True], [1.0, Name("a"), surrogate, np.int64(1)])])
    assert same.exact_match_rate == 1.0
    # Equal hashes are not enough.
    assert hash(2**61 - 1) == hash(0) and ags.path_distances([([2**61 - 1], [0])]).exact_match_rate == 0.0
    assert ags.path_distances([["ab", ["a", "b"]]]).exact_match_rate == 1.0
    with pytest.raises(TypeError, match="hash"):
        ags.path_distances([([[]], [])])
    with pytest.raises(ValueError, match="pairs"):
        ags.path_distances([(["a"], ["b"], ["c"])])
    with pytest.raises(ags.UndefinedError):
        ags.path_distances([])
