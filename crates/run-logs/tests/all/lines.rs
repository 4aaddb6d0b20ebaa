//! Lines of other programs, read by the fields that the caller names.

use run_logs::{
    ConfidenceStream, Error, FactRules, ForecastPolicy, LineFact, LineFields, Problem, ReadOptions,
    Run, read_path_by,
};

use crate::common::{Folder, fault, reply, table};

const LINES: &str = r#"{"run": {"id": 7, "took": 1.5}, "item": "sums", "llm": "m-1", "metadata": {"result": true, "a.b": 3}, "texts": ["no", "<confidence>0.8</confidence>"], "usage": {"prompt_tokens": 10, "completion_tokens": 4}, "cost": 0.25}
{"run": {"id": "b", "took": 2}, "item": "sums", "llm": "m-1", "metadata": {"result": 0.4, "a.b": null}, "texts": [], "end": "timeout"}
{"run": {"id": "c"}, "metadata": {"result": null}}
"#;

fn read(fields: &[&str], text: &str) -> Result<Vec<Run>, Error> {
    LineFields::new(fields)?.read(text.as_bytes(), &ReadOptions::default())?.collect()
}

#[test]
fn named_fields_hold_the_facts_and_others_are_unknown() {
    let fields = [
        "id=run.id",
        "task=item",
        "model=llm",
        "outcome=metadata.result",
        "trial=metadata.a.b",
        "reply=texts.1",
        "input_tokens=usage.prompt_tokens",
        "output_tokens=usage.completion_tokens",
        "cost_usd=cost",
        "seconds=run.took",
        "stop=end",
    ];
    let runs = read(&fields, LINES).unwrap();
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["7", "b", "c"]);
    let [first, second, third] = &runs[..] else { panic!() };
    // The tokens are those of the run, and not of its last reply.
    assert_eq!(reply(first, 0).usage, None);
    assert_eq!((first.outcome, first.trial, first.seconds), (Some(true), Some(3), Some(1.5)));
    assert_eq!((first.usage.total_tokens(), first.usage.cost_usd), (Some(14), Some(0.25)));
    assert_eq!((second.outcome, &second.scores["outcome"].value), (None, &0.4.into()));
    assert_eq!(second.stop, Some(run_logs::StopReason::MaxTime));
    assert_eq!((&third.task, third.outcome, third.usage.total_tokens()), (&None, None, None));
    assert!(third.scores.is_empty() && third.turns.is_empty());
    let table = table(runs, &FactRules::default()).unwrap();
    let stated =
        table.rows()[0].forecasts(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip);
    assert_eq!(stated.unwrap()[0].get(), 0.8);
}

#[test]
fn wrong_names_and_values_are_errors_that_say_where() {
    for text in ["outcome", "outcome=", "result=a"] {
        let (place, problem) = fault(LineFields::new([text]));
        assert_eq!(place.field, "field");
        assert!(matches!(problem, Problem::Value { .. }), "{text}");
    }
    // A field that no line has is a mistake; one that is null is unknown.
    let (place, problem) = fault(read(&["outcome=meta.result"], LINES));
    assert_eq!(place.field, "meta.result");
    assert!(matches!(problem, Problem::Value { .. }), "{problem}");
    assert!(read(&["outcome=metadata.result"], "{\"metadata\": {\"result\": null}}").is_ok());
    let (_, problem) = fault(LineFields::new(["id=a", "id=b"]));
    assert!(matches!(problem, Problem::DuplicateKey { .. }));
    for (field, value) in [
        ("outcome=x.y", "[1]"),
        ("id=x.y", "true"),
        ("trial=x.y", "1.5"),
        ("cost_usd=x.y", "-1"),
        ("input_tokens=x.y", "\"7\""),
        ("seconds=x.y", "NaN"),
        ("reply=x.y", "{}"),
    ] {
        let text = format!("{{\"x\": {{\"y\": null}}}}\n{{\"x\": {{\"y\": {value}}}}}\n");
        let (place, problem) = fault(read(&[field], &text));
        assert_eq!((place.line, place.field.as_str()), (Some(2), "\"x.y\""), "{field}");
        assert!(matches!(problem, Problem::Value { .. }), "{field}: {problem}");
    }
}

#[test]
fn suggestions_name_the_nested_fields_by_name_and_type() {
    let proposed = LineFields::suggest(LINES.as_bytes()).unwrap();
    let found: Vec<(LineFact, &str, usize)> =
        proposed.iter().map(|it| (it.fact, it.path.as_str(), it.n_lines)).collect();
    assert_eq!(
        found,
        [
            (LineFact::Id, "run.id", 3),
            (LineFact::Outcome, "metadata.result", 2),
            (LineFact::InputTokens, "usage.prompt_tokens", 1),
            (LineFact::OutputTokens, "usage.completion_tokens", 1),
            (LineFact::CostUsd, "cost", 1),
        ]
    );
    assert_eq!(proposed[1].example, "true");
    // A list is read as lines are, and a key with a dot is not proposed.
    let list = format!("[{}]", LINES.trim().replace('\n', ","));
    assert_eq!(LineFields::suggest(list.as_bytes()).unwrap(), proposed);
    assert_eq!(LineFields::suggest(&br#"{"a.b": {"cost": 1}}"#[..]).unwrap(), []);
    // What is proposed is accepted.
    let texts = proposed.iter().map(|it| format!("{}={}", it.fact.name(), it.path));
    assert!(!LineFields::new(texts).unwrap().is_empty());
}

#[test]
fn files_of_a_folder_are_read_by_the_same_fields() {
    let folder = Folder::new("lines");
    for file in ["a.jsonl", "b.jsonl"] {
        folder.write(file, LINES);
    }
    let fields = LineFields::new(["id=run.id"]).unwrap();
    let runs = read_path_by(&folder.0, &fields, &ReadOptions::default()).unwrap();
    assert_eq!(runs.map(|run| run.unwrap().log).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
}
