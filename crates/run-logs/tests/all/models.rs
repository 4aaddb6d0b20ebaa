//! A file of traces whose lines name several models.

use run_logs::{ForecastPolicy, RolloutFile, TraceFile, json_lines::InputError};

fn read(lines: &str) -> Result<Vec<TraceFile>, InputError> {
    TraceFile::read_all("runs.jsonl", lines.as_bytes(), ForecastPolicy::Refuse)
}

#[test]
fn each_model_is_a_source_with_its_lines_at_their_numbers() {
    let lines = concat!(
        r#"{"id": 1, "model": "b", "forecasts": [0.5], "outcome": 1}"#,
        "\n\n",
        r#"{"id": "a", "model": "a", "forecasts": [0.5], "outcome": 0}"#,
        "\n",
        r#"{"id": 2, "model": "b", "forecasts": [0.25], "outcome": true}"#,
        "\n"
    );
    let models = read(lines).unwrap();
    let names: Vec<_> = models.iter().map(|file| file.model.as_deref().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    let of_b: Vec<_> = models[1].runs.iter().map(|run| (run.id, run.line, run.outcome)).collect();
    let expected = [("1", 1), ("2", 4)].map(|(id, line)| (id.to_owned(), Some(line), Some(true)));
    assert_eq!(of_b, expected);
    let wrong = read(&lines.replace("0.25", "1.25")).unwrap_err();
    assert_eq!((wrong.line, wrong.field.as_deref()), (Some(4), Some("forecasts[0]")));
    let one = read(&lines.replace(r#""a", "forecasts""#, r#""b", "forecasts""#)).unwrap();
    assert_eq!((one.len(), &one[0].model, one[0].runs.len()), (1, &None, 3));
}

#[test]
fn a_model_is_seen_behind_a_long_first_line_and_refused_behind_lines_without_one() {
    let forecasts = ["0.5"; 20_000].join(",");
    let line = |model: &str| {
        format!(r#"{{"id":"a","forecasts":[{forecasts}],"outcome":1,"model":"{model}"}}"#)
    };
    let left_out = "{\"id\":\"z\",\"outcome\":null,\"left_out\":\"no_confidence\"}\n";
    for (start, sources) in [("", 2), ("\n", 2), (left_out, 3)] {
        let text = format!("{start}{}\n{}\n", line("a"), line("b"));
        assert_eq!(read(&text).unwrap().len(), sources, "{start}");
    }
    let plain = "{\"id\":\"x\",\"forecasts\":[0.5],\"outcome\":1}\n".repeat(3_000);
    // The key is also that of an object inside.
    let nested = r#"{"id":"x","forecasts":[0.5],"outcome":1,"meta":{"model":"a"}}"#;
    assert_eq!(read(&format!("{nested}\n{plain}")).unwrap()[0].runs.len(), 3_001);
    let late = r#"{"id":"y","outcome":null,"left_out":"no_confidence","model":"b"}"#;
    for late in [&line("a"), late] {
        let refused = read(&format!("{plain}{late}")).unwrap_err();
        assert_eq!((refused.line, refused.field.as_deref()), (Some(3_001), Some("model")));
    }
}

/// A table with a row per step is recognized by its first row, however long.
#[test]
fn a_table_is_seen_by_a_long_first_row() {
    let row = |id: &str, text: &str| {
        format!(r#"{{"id":"{id}","response":"{text}","confidence":0.5,"outcome":1}}"#)
    };
    let text = format!("{}\n{}\n", row("a", &"x".repeat(100_000)), row("b", ""));
    assert_eq!(read(&text).unwrap()[0].runs.len(), 2);
}

#[test]
fn a_model_that_is_no_name_is_refused() {
    for model in [r#"{"name":"a"}"#, "1.5", "true", r#"["a"]"#, r#"{"name":NaN}"#] {
        let first = r#"{"id":"z","forecasts":[0.5],"outcome":1,"model":"a"}"#;
        let text =
            format!(r#"{first}{}{{"id":"a","forecasts":[0.5],"outcome":1,"model":{model}}}"#, "\n");
        let refused = read(&text).unwrap_err();
        assert_eq!((refused.line, refused.field.as_deref()), (Some(2), Some("model")), "{refused}");
        let text = format!(r#"{{"turns":[{{"tokens":5}}],"success":1,"model":{model}}}"#);
        let refused = RolloutFile::read("f", text.as_bytes()).unwrap_err();
        assert!(refused.to_string().starts_with("f:1: "), "{refused}");
    }
}

/// Every line of a file may name a model of its own.
#[test]
fn many_models_take_memory_in_proportion_to_the_lines() {
    let line = |at| format!(r#"{{"id":"{at}","forecasts":[0.5],"outcome":1,"model":"m{at:06}"}}"#);
    let text = (0..100_000).map(|at| line(at) + "\n").collect::<String>();
    let models = read(&text).unwrap();
    assert_eq!(models.len(), 100_000);
    assert_eq!(models[99_999].runs.iter().next().unwrap().line, Some(100_000));
}

#[test]
fn a_line_with_a_bare_nan_goes_with_its_model() {
    let line = |model: &str| {
        format!(r#"{{"id":{model},"forecasts":[0.5,NaN],"outcome":1,"model":{model}}}"#)
    };
    // A byte-order mark belongs to no line, and a model of NaN is none.
    let text = format!(
        "\u{feff}{}\n{}\n{}\n",
        line(r#""a""#),
        line(r#""b""#),
        r#"{"id":"c","forecasts":[NaN],"outcome":1,"model":NaN}"#
    );
    let policy = ForecastPolicy::CarryForward;
    let models = TraceFile::read_all("runs.jsonl", text.as_bytes(), policy).unwrap();
    let names: Vec<_> = models.iter().map(|file| file.model.as_deref()).collect();
    assert_eq!(names, [Some("unknown model"), Some("a"), Some("b")]);
}
