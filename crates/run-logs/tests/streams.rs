//! Streams of confidence against an independent computation (`golden/streams/streams.py`): value by
//! value on a log of all cases, and on recorded runs of a small model if `REAL_RUNS` names them.
#![allow(clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use run_logs::{
    ActionSpan, AtLimit, ConfidenceField, ConfidenceReading, ConfidenceStream, ForecastPolicy,
    Format, MissingValue, OutcomePolicy, ReadOptions, Run, RunTable, ShortLists, StreamOptions,
    read, read_path,
};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/streams").join(name)
}

fn runs(path: &Path) -> Vec<Run> {
    let read = read_path(path, Format::Auto, &ReadOptions::default()).unwrap();
    assert_eq!(read.format(), Format::Exchanges);
    read.collect::<Result<_, _>>().unwrap()
}

/// The options that the part of a name after the colon stands for.
fn options(variant: &str) -> StreamOptions<'static> {
    let options = StreamOptions::default();
    match variant {
        "" => options,
        "lenient" => {
            options.with_confidence(ConfidenceField::new("confidence", ConfidenceReading::Lenient))
        }
        "refuse" => options.with_short_lists(ShortLists::Refuse),
        "tool_call" => options.with_action(ActionSpan::ToolCalls("tool_call")),
        _ => panic!("{variant}"),
    }
}

/// Compares all streams of all runs with the figures; returns how often each reason was met.
fn compare(path: &Path, figures: &str) -> BTreeMap<String, usize> {
    let runs = runs(path);
    let runs: BTreeMap<&str, &Run> = runs.iter().map(|run| (run.id.as_str(), run)).collect();
    let text = fs::read_to_string(golden(figures)).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("# origin: streams.py"));
    let (mut met, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for line in lines {
        let mut cells = line.split(',');
        let (id, name) = (cells.next().unwrap(), cells.next().unwrap());
        let (stream, variant) = name.split_once(':').unwrap_or((name, ""));
        let stream: ConfidenceStream = stream.parse().unwrap();
        let (run, options) = (runs[id], options(variant));
        let cells: Vec<&str> = cells.collect();
        assert_eq!(run.turns.len(), cells.len(), "{line}");
        for (turn, cell) in run.turns.iter().zip(cells) {
            let reason = match (stream.value(turn, &options), cell.parse::<f64>()) {
                (Ok(found), Ok(expected)) => {
                    let difference = (found.get() - expected).abs();
                    assert!(difference <= 1e-12, "{line}: {found:?}");
                    "value"
                }
                (Err(missing), Err(_)) => {
                    assert_eq!(missing.name(), cell, "{line}");
                    cell
                }
                (found, _) => panic!("{line}: {found:?}"),
            };
            *met.entry(reason.to_owned()).or_default() += 1;
        }
        seen.insert((id, name));
    }
    assert_eq!(seen.len(), runs.len() * 12);
    met
}

#[test]
fn every_stream_of_a_log_of_all_cases_equals_the_independent_computation() {
    let met = compare(&golden("synthetic.jsonl"), "synthetic.csv");
    // Each reason has its cases.
    let reasons = [
        "value",
        "no_reply",
        "no_logprobs",
        "no_tokens",
        "unknown_logprob",
        "probability_above_one",
        "fewer_than_five",
        "alignment",
        "no_action",
        "no_confidence",
        "unreadable_confidence",
        "confidence_out_of_range",
    ];
    assert_eq!(met.keys().map(String::as_str).collect::<BTreeSet<_>>(), reasons.into());
    assert!(met.values().all(|&count| count >= 4), "{met:?}");
}

/// The recorded runs; `None` with a printed reason if `REAL_RUNS` is not set.
fn recorded() -> Option<PathBuf> {
    let Some(folder) = env::var_os("REAL_RUNS") else {
        eprintln!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    Some(PathBuf::from(folder).join("data/llm_logs/smollm2.jsonl"))
}

#[test]
fn every_stream_of_the_recorded_runs_equals_the_independent_computation() {
    let Some(path) = recorded() else { return };
    let met = compare(&path, "smollm2.csv");
    assert!(met["value"] > 90 * 3 * 5, "{met:?}");
}

#[test]
fn one_call_turns_the_recorded_runs_into_streams() {
    let Some(path) = recorded() else { return };
    let (limits, options) = (ReadOptions::default(), StreamOptions::default());
    let policy = OutcomePolicy::new(AtLimit::Censored);
    let table = RunTable::read_path(&path, Format::Auto, &limits, &policy, &options).unwrap();
    let successes = table.rows().iter().filter(|run| run.outcome == Some(true)).count();
    assert_eq!((table.rows().len(), successes), (90, 21));

    let of = |stream, policy| table.stream(stream, policy).unwrap();
    for stream in ConfidenceStream::ALL {
        let runs = of(stream, ForecastPolicy::LeaveOut);
        let left_out: u64 = runs.left_out().values().sum();
        assert_eq!(runs.runs().len() as u64 + left_out, 90, "{stream}");
        // In two runs the tokens lack parts of characters; an action and a confidence are stated in
        // some turns.
        let whole = stream < ConfidenceStream::ActionTokenProbability;
        assert_eq!(runs.runs().len(), if whole { 88 } else { 0 }, "{stream}");
        assert_eq!(runs.left_out().get("alignment"), whole.then_some(&2), "{stream}");
        assert_eq!(runs.traces(&table).unwrap().len(), runs.runs().len(), "{stream}");
    }
    let stated = of(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip);
    assert_eq!(stated.runs().len(), 1);
    let reasons = [("confidence_out_of_range", 3), ("no_confidence", 86)];
    assert_eq!(stated.left_out(), &reasons.into());
    let acted = of(ConfidenceStream::ActionEntropy, ForecastPolicy::Skip);
    assert_eq!((acted.runs().len(), acted.left_out()), (3, &[("no_action", 87)].into()));
}

#[cfg(feature = "rollouts")]
#[test]
fn recorded_runs_are_rollouts_with_their_costs() {
    let Some(path) = recorded() else { return };
    let (limits, options) = (ReadOptions::default(), StreamOptions::default());
    let policy = OutcomePolicy::new(AtLimit::Censored);
    let table = RunTable::read_path(&path, Format::Auto, &limits, &policy, &options).unwrap();
    let rollouts = table.rollouts().unwrap();
    assert_eq!(rollouts.len(), 90);
    let output = rollouts.resource("output_tokens").unwrap();
    let tokens: f64 = rollouts.iter().map(|rollout| rollout.total(output).unwrap()).sum();
    assert_eq!(tokens, 5_792.0);
}

#[test]
fn tokens_that_differ_from_the_text_have_no_streams_and_say_where() {
    let runs = runs(&golden("synthetic.jsonl"));
    let mut offsets = Vec::new();
    for turn in runs.iter().flat_map(|run| &run.turns) {
        let [whole, action] = [ConfidenceStream::Entropy, ConfidenceStream::ActionEntropy]
            .map(|stream| stream.value(turn, &StreamOptions::default()));
        if matches!(action, Err(MissingValue::Alignment { .. })) {
            assert_eq!(whole, action);
        }
        if let Err(MissingValue::Alignment { offset }) = whole {
            let reply = turn.reply.as_ref().unwrap();
            let tokens = reply.tokens.as_ref().unwrap().bytes();
            assert_ne!(reply.text.as_bytes().get(offset), tokens.get(offset));
            assert_eq!(&reply.text.as_bytes()[..offset], &tokens[..offset]);
            offsets.push(offset);
        }
    }
    assert!(offsets.len() >= 5, "{offsets:?}");
}

#[test]
fn a_reply_with_tool_calls_has_streams_although_its_text_leaves_out_the_calls() {
    let runs = runs(&golden("synthetic.jsonl"));
    let mut turn = runs.iter().find(|run| run.id == "tool-element").unwrap().turns[0].clone();
    let value = |turn: &_| ConfidenceStream::Entropy.value(turn, &StreamOptions::default());
    assert_eq!(turn.reply.as_ref().unwrap().text, "");
    assert!(value(&turn).is_ok());
    turn.reply.as_mut().unwrap().tool_calls.clear();
    assert_eq!(value(&turn), Err(MissingValue::Alignment { offset: 0 }));
}

#[test]
fn log_probabilities_without_texts_of_tokens_have_streams_of_the_whole_reply_only() {
    let log = r#"{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"n"},"steps":[{"step_id":1,
        "source":"agent","message":"<action>8</action>","metrics":{"logprobs":[-0.5,-0.5]}}]}"#;
    let mut runs = read(Cursor::new(log), Format::Atif, &ReadOptions::default()).unwrap();
    let turn = &runs.next().unwrap().unwrap().turns[0];
    let value = |stream: ConfidenceStream| stream.value(turn, &StreamOptions::default());
    let whole = value(ConfidenceStream::TokenProbability).unwrap().get();
    assert!((whole - (-0.5_f64).exp()).abs() < 1e-15, "{whole}");
    let action = value(ConfidenceStream::ActionTokenProbability);
    assert_eq!(action, Err(MissingValue::Alignment { offset: 0 }));
}

#[test]
fn the_caller_can_give_the_action_span() {
    let runs = runs(&golden("synthetic.jsonl"));
    let first = runs[0].turns[0].clone();
    let whole = |reply: &run_logs::Reply| Some(0..reply.text.len());
    let none = |_: &run_logs::Reply| None;
    let value = |stream: ConfidenceStream, action| {
        stream.value(&first, &StreamOptions::default().with_action(action))
    };
    let given = value(ConfidenceStream::ActionEntropy, ActionSpan::Given(&whole));
    assert_eq!(given, value(ConfidenceStream::Entropy, ActionSpan::default()));
    let missing = value(ConfidenceStream::ActionEntropy, ActionSpan::Given(&none));
    assert_eq!(missing, Err(MissingValue::NoAction));
}
