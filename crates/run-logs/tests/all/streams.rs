//! Streams of confidence against an independent computation (`golden/streams/streams.py`): value by
//! value on a log of all cases, and on recorded runs of a small model if `REAL_RUNS` names them.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use run_logs::{
    ActionSpan, ConfidenceField, ConfidenceReading, ConfidenceScale, ConfidenceStream, FactRules,
    ForecastPolicy, Format, MissingValue, Reply, Run, ShortLists, StreamOptions,
};

use crate::common::{self, golden, reply, table_at};

fn runs(path: &Path) -> Vec<Run> {
    common::runs_at(path, Format::Exchanges)
}

/// The options that the part of a name after the colon stands for.
fn options(variant: &str) -> StreamOptions<'static> {
    let options = StreamOptions::default();
    match variant {
        "" => options,
        "lenient" => {
            let confidence = ConfidenceField::new("confidence", ConfidenceReading::Lenient);
            StreamOptions { confidence, ..options }
        }
        "refuse" => StreamOptions { short_lists: ShortLists::Refuse, ..options },
        "tool_call" => StreamOptions { action: ActionSpan::ToolCalls("tool_call"), ..options },
        _ => panic!("{variant}"),
    }
}

/// Compares all streams of all runs with the figures; returns how often each reason was met.
fn compare(path: &Path, figures: &str) -> BTreeMap<String, usize> {
    let runs = runs(path);
    let runs: BTreeMap<&str, &Run> = runs.iter().map(|run| (run.id.as_str(), run)).collect();
    let text = fs::read_to_string(golden("streams").join(figures)).unwrap();
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
    let met = compare(&golden("streams/synthetic.jsonl"), "synthetic.csv");
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
    // Of four stated numbers, three are above 1.
    let rules = FactRules { percent: ConfidenceScale::Share, ..FactRules::default() };
    let table = table_at(&path, &rules);
    let successes = table.rows().iter().filter(|run| run.outcome == Some(true)).count();
    assert_eq!((table.rows().len(), successes), (90, 21));

    let of = |stream, policy| table.stream(stream, policy).unwrap();
    for stream in ConfidenceStream::ALL {
        let runs = of(stream, ForecastPolicy::LeaveOut);
        let left_out: u64 = runs.left_out().values().sum();
        assert_eq!(runs.runs().len() as u64 + left_out, 90, "{stream}");
        // An action and a confidence are stated in some turns.
        let whole = stream < ConfidenceStream::ActionTokenProbability;
        assert_eq!(runs.runs().len(), if whole { 90 } else { 0 }, "{stream}");
        assert_eq!(runs.traces().unwrap().len(), runs.runs().len(), "{stream}");
    }
    let stated = of(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip);
    assert_eq!(stated.runs().len(), 1);
    let reasons = [("confidence_out_of_range", 3), ("no_confidence", 86)];
    assert_eq!(stated.left_out(), &reasons.into());
    let acted = of(ConfidenceStream::ActionEntropy, ForecastPolicy::Skip);
    assert_eq!((acted.runs().len(), acted.left_out()), (3, &[("no_action", 87)].into()));
}

#[test]
fn recorded_runs_are_rollouts_with_their_costs() {
    let Some(path) = recorded() else { return };
    let rollouts = table_at(&path, &FactRules::default()).rollouts().unwrap();
    assert_eq!(rollouts.len(), 90);
    let output = rollouts.resource("output_tokens").unwrap();
    let tokens: f64 = rollouts.iter().map(|rollout| rollout.usage(output).unwrap().total()).sum();
    assert_eq!(tokens, 5_792.0);
}

#[test]
fn tokens_that_are_sent_again_are_counted_once() {
    let turn = |input: u64, output: u64| {
        format!(
            r#"{{"response": {{"choices": [{{"message": {{"content": "a"}}}}], "usage": {{"prompt_tokens": {input}, "completion_tokens": {output}}}}}}}"#
        )
    };
    let turns = [turn(300, 50), turn(400, 100), turn(500, 100)].join(",");
    let log = format!(r#"{{"id": "a", "outcome": false, "turns": [{turns}]}}"#);
    let table = common::table(common::runs(log), &FactRules::default()).unwrap();
    assert_eq!(table.rows()[0].fresh_input_tokens(), [Some(300), Some(50), Some(0)]);
    let rollouts = table.rollouts().unwrap();
    let total = |name| {
        let resource = rollouts.resource(name).unwrap();
        rollouts.get(0).unwrap().usage(resource).unwrap().total()
    };
    assert_eq!(total("fresh_input_tokens"), 350.0);
    assert_eq!((total("total_tokens"), total("input_tokens")), (600.0, 1_200.0));
}

#[test]
fn a_rollout_has_a_task_only_if_its_run_has_one() {
    let run = r#"{"outcome": true, "turns": [{"response": {"choices": [{"message": {"content": "a"}}]}}], "id": "#;
    let log = format!("{run} \"a\"}}\n{run} \"b\", \"task\": \"t\"}}");
    let table = common::table(common::runs(log), &FactRules::default()).unwrap();
    let rollouts = table.rollouts().unwrap();
    let names: Vec<_> =
        rollouts.iter().map(|rollout| (rollout.id(), rollout.key("task"))).collect();
    assert_eq!(names, [(Some("a"), None), (Some("b"), Some("t"))]);
}

#[test]
fn tokens_of_reasoning_count_and_the_action_is_found_in_their_bytes() {
    let runs = runs(&golden("streams/synthetic.jsonl"));
    let mut offsets = Vec::new();
    for turn in runs.iter().flat_map(|run| &run.turns) {
        let [whole, action] = [ConfidenceStream::Entropy, ConfidenceStream::ActionEntropy]
            .map(|stream| stream.value(turn, &StreamOptions::default()));
        assert!(!matches!(whole, Err(MissingValue::Alignment { .. })), "{whole:?}");
        if let Err(MissingValue::Alignment { offset }) = action {
            let reply = turn.reply.as_ref().unwrap();
            let tokens = reply.tokens.as_ref().unwrap().bytes();
            assert_ne!(reply.text.as_bytes().get(offset), tokens.get(offset));
            assert_eq!(&reply.text.as_bytes()[..offset], &tokens[..offset]);
            offsets.push(offset);
        }
    }
    // Tokens that lack the action of the text.
    assert!(offsets.len() >= 2, "{offsets:?}");
    let apart = runs.iter().find(|run| run.id == "reasoning-apart-0").unwrap();
    let reply = reply(apart, 0);
    assert_eq!(reply.text, "<action>8</action>");
    // The element is in the tokens, too.
    let span = ActionSpan::default().locate(reply).unwrap();
    assert_eq!(&reply.tokens.as_ref().unwrap().bytes()[span], b"8");
}

#[test]
fn a_reply_with_tool_calls_has_streams_although_its_text_leaves_out_the_calls() {
    let runs = runs(&golden("streams/synthetic.jsonl"));
    let turn = &runs.iter().find(|run| run.id == "tool-element").unwrap().turns[0];
    assert_eq!(turn.reply.as_ref().unwrap().text, "");
    assert!(ConfidenceStream::Entropy.value(turn, &StreamOptions::default()).is_ok());
}

#[test]
fn no_reading_makes_a_number_that_is_not_stated() {
    let value = |text: &str, reading| {
        let reply = Reply { text: text.to_owned(), ..Reply::default() };
        let found = ConfidenceField::new("confidence", reading).value(&reply);
        found.map(|found| found.get()).map_err(|missing| missing.name())
    };
    let (strict, lenient) = (ConfidenceReading::Strict, ConfidenceReading::Lenient);
    let element = |text: &str| format!("<confidence>{text}</confidence>");
    for text in ["0.XX", "0.8x", "step 2: 0.9", "0.5 or 0.6", "3 of 4", "p0.9"] {
        assert_eq!(value(&element(text), lenient), Err("unreadable_confidence"), "{text}");
        assert_eq!(value(&element(text), strict), Err("unreadable_confidence"), "{text}");
    }
    for text in ["85", "150%", "1.5", "-0.5", "5e400"] {
        assert_eq!(value(&element(text), lenient), Err("confidence_out_of_range"), "{text}");
    }
    assert_eq!(value(&element("0.9 (90%)"), lenient), Ok(0.9));
    for reading in [strict, lenient] {
        for (text, expected) in [
            ("Answer: 4\nConfidence: 85%", 0.85),
            ("confidence = 0.85\nDone.", 0.85),
            ("**Confidence:** 0.85", 0.85),
            ("<think><confidence>0.1</confidence></think><confidence>0.85</confidence>", 0.85),
            ("I would say <confidence>0.1</confidence></think>\nConfidence: 0.85", 0.85),
        ] {
            assert_eq!(value(text, reading), Ok(expected), "{text}");
        }
        assert_eq!(value("Confidence: 85", reading), Err("confidence_out_of_range"));
        assert_eq!(value("<think>Confidence: 0.2", reading), Err("no_confidence"));
        let twice = "Confidence: 0.2\nConfidence: 0.3";
        assert_eq!(value(twice, reading), Err("unreadable_confidence"));
        let within = "My confidence: 0.3";
        assert_eq!(value(within, reading), Err("no_confidence"));
    }
}

#[test]
fn a_pattern_says_where_the_confidence_stands() {
    let field = ConfidenceField::default().with_pattern(r"(?i)i am (\S+) sure").unwrap();
    let value = |text: &str| {
        let reply = Reply { text: text.to_owned(), ..Reply::default() };
        field.value(&reply).map(|found| found.get()).map_err(|missing| missing.name())
    };
    assert_eq!(value("I am 85% sure."), Ok(0.85));
    assert_eq!(value("I am 85% sure. i am 85% sure"), Ok(0.85));
    assert_eq!(value("I am 85% sure. I am 80% sure."), Err("unreadable_confidence"));
    assert_eq!(value("I am very sure."), Err("unreadable_confidence"));
    assert_eq!(value("I am 85 sure."), Err("confidence_out_of_range"));
    assert_eq!(value("<confidence>0.5</confidence>"), Err("no_confidence"));
}

#[test]
fn log_probabilities_without_texts_of_tokens_have_streams_of_the_whole_reply_only() {
    let log = r#"{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"n"},"steps":[{"step_id":1,
        "source":"agent","message":"<action>8</action>","metrics":{"logprobs":[-0.5,-0.5]}}]}"#;
    let turn = &common::runs(log)[0].turns[0];
    let value = |stream: ConfidenceStream| stream.value(turn, &StreamOptions::default());
    let whole = value(ConfidenceStream::TokenProbability).unwrap().get();
    assert!((whole - (-0.5_f64).exp()).abs() < 1e-15, "{whole}");
    let action = value(ConfidenceStream::ActionTokenProbability);
    assert_eq!(action, Err(MissingValue::Alignment { offset: 0 }));
}
