//! Where `cut-off` takes the chance of success after a stop from. A stream that misstates the chance
//! of runs that were cut off must never get a better exact mean than one that states it.
#![allow(clippy::unwrap_used)]

mod program;

use std::collections::BTreeMap;

use program::{json_of, refusal, run_other, write};
use serde_json::{Value, json};

/// Numbers in [0, 1) from a seed (splitmix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

struct OneRun {
    id: String,
    steps: usize,
    /// The true chance of success at every step.
    chance: f64,
    /// `None` if it was cut off.
    outcome: Option<bool>,
    /// How ten continuations ended: successes.
    successes: usize,
}

/// 2,000 runs, of which about 850 were cut off. Runs have a state that only a forecaster sees: those that
/// are stuck are cut off most often, and others never.
fn world(seed: u64, stuck: &[f64]) -> Vec<OneRun> {
    let mut draws = Draws(seed);
    let one = |i: usize| {
        let is_stuck = draws.next() < 0.61;
        let chance = if is_stuck { stuck[draws.below(stuck.len())] } else { 0.9 };
        let is_cut_off = draws.next() < 0.7 && is_stuck;
        let succeeded = draws.next() < chance;
        let successes = (0..10).filter(|_| draws.next() < chance).count();
        // Complete runs go on after every step at which runs are cut off.
        let steps = 1 + draws.below(10) + usize::from(!is_cut_off);
        let outcome = (!is_cut_off).then_some(succeeded);
        OneRun { id: format!("run-{i}"), steps, chance, outcome, successes }
    };
    (0..2_000).map(one).collect()
}

/// Writes the runs with a forecast at each step, and with other fields.
fn stream(
    name: &str,
    runs: &[OneRun],
    forecast: impl Fn(usize, &OneRun) -> f64,
    fields: impl Fn(&OneRun) -> Value,
) -> String {
    let line = |(i, run): (usize, &OneRun)| {
        let mut line = json!({
            "id": run.id,
            "task": format!("task-{}", i / 4),
            "forecasts": vec![forecast(i, run); run.steps],
            "outcome": run.outcome,
            "stop": if run.outcome.is_some() { "completed" } else { "max_steps" },
        });
        let Value::Object(more) = fields(run) else { unreachable!() };
        line.as_object_mut().unwrap().extend(more);
        line.to_string()
    };
    let lines: Vec<String> = runs.iter().enumerate().map(line).collect();
    write(name, &lines.join("\n"))
}

const LIARS: [&str; 5] = ["0.9", "0.99", "0.6", "half", "mean"];

/// The stream that says the truth, then some that lie on runs that were cut off, and there only.
fn streams(
    name: &str,
    runs: &[OneRun],
    fields: impl Fn(&OneRun) -> Value + Copy,
) -> (String, Vec<String>) {
    let truth = stream(&format!("{name}-truth.jsonl"), runs, |_, run| run.chance, fields);
    let lying = LIARS.map(|liar| {
        let forecast = |i: usize, run: &OneRun| match liar {
            _ if run.outcome.is_some() => run.chance,
            "half" if i.is_multiple_of(2) => run.chance,
            "half" => 0.9,
            // Right on the average of the runs that were cut off.
            "mean" => 0.2,
            number => number.parse().unwrap(),
        };
        stream(&format!("{name}-{liar}.jsonl"), runs, forecast, fields)
    });
    (truth, lying.into())
}

fn no_fields(_: &OneRun) -> Value {
    json!({})
}

fn lines(name: &str, runs: &[OneRun], line: impl Fn(usize, &OneRun) -> Option<Value>) -> String {
    let cut_off = runs.iter().enumerate().filter(|(_, run)| run.outcome.is_none());
    let lines: Vec<String> =
        cut_off.filter_map(|(i, run)| Some(line(i, run)?.to_string())).collect();
    write(name, &lines.join("\n"))
}

fn continued(run: &OneRun) -> Value {
    json!({"id": run.id, "successes": run.successes, "failures": 10 - run.successes})
}

/// Exact means by file.
fn exact_means(files: &[&str], options: &[&str]) -> Vec<Option<f64>> {
    let report = json_of("cut-off", &[files, options, &["--json", "--resamples", "0"]].concat());
    report["files"].as_array().unwrap().iter().map(|file| file["exact_plug_in"].as_f64()).collect()
}

/// That no other stream has a better exact mean than the first; returns that of the first.
fn truth_wins(files: &[&str], options: &[&str]) -> Option<f64> {
    let means = exact_means(files, options);
    for (file, mean) in files.iter().zip(&means).skip(1) {
        let is_better = mean.is_some() && (means[0].is_none() || *mean > means[0]);
        assert!(
            !is_better || mean == &means[0],
            "{options:?}: {file} {mean:?} beats {:?}",
            means[0]
        );
    }
    means[0]
}

#[test]
fn a_stream_that_lies_on_cut_off_runs_never_beats_the_truth_under_any_source_of_chances() {
    // One chance for all runs that are stuck, and two, of which a liar may state the mean.
    for (seed, stuck) in [(1, &[0.2][..]), (2, &[0.2]), (3, &[0.1, 0.3])] {
        let runs = world(seed, stuck);
        let n_cut_off = runs.iter().filter(|run| run.outcome.is_none()).count();
        assert!((800..900).contains(&n_cut_off), "{n_cut_off}");
        let (truth, liars) = streams(&format!("plain-{seed}"), &runs, no_fields);
        let files: Vec<&str> = std::iter::once(&truth).chain(&liars).map(String::as_str).collect();
        // What the chances are is known here.
        let chances = lines(&format!("chances-{seed}"), &runs, |_, run| {
            Some(json!({"id": run.id, "success_chance": run.chance}))
        });
        let known = truth_wins(&files, &["--success-chance", &chances]).unwrap();
        let all = lines(&format!("all-{seed}"), &runs, |_, run| Some(continued(run)));
        let some =
            lines(&format!("some-{seed}"), &runs, |i, run| (i % 8 < 4).then(|| continued(run)));
        let other = stream(
            &format!("other-{seed}.jsonl"),
            &runs,
            |_, run| {
                let log_odds = 0.6 * (run.chance / (1.0 - run.chance)).ln() + 0.3;
                1.0 / (1.0 + (-log_odds).exp())
            },
            no_fields,
        );
        let direct = truth_wins(&files, &["--continuations", &all]).unwrap();
        assert!((direct - known).abs() < 0.03, "{direct} {known}");
        let by_other = truth_wins(&files, &["--chance-from", &other]).unwrap();
        assert!((by_other - known).abs() < 0.03, "{by_other} {known}");
        for options in [
            &[][..],
            &["--calibrate", "platt"],
            &["--continuations", &some],
            &["--continuations", &all, "--calibrate", "isotonic"],
            &["--continuations", &some, "--chance-from", &other],
            &["--continuations", &all, "--schedule", "linear-back", "--assume", "none"],
        ] {
            truth_wins(&files, options);
        }
        // One file per call: what the others say is not known.
        for options in [&[][..], &["--continuations", &some]] {
            let alone = |file: &&str| exact_means(&[file], options)[0];
            let means: Vec<Option<f64>> = files.iter().map(alone).collect();
            for (file, mean) in files.iter().zip(&means).skip(1) {
                assert!(mean.is_none_or(|mean| mean < known + 0.01), "{file} {mean:?} {known}");
                assert!(
                    mean.is_none() || means[0].is_none() || *mean <= means[0],
                    "{file} {means:?}"
                );
            }
        }
    }
}

#[test]
fn with_chances_that_stand_in_the_lines_the_truth_has_the_best_exact_mean() {
    let runs = world(4, &[0.1, 0.3]);
    let chance = |run: &OneRun| json!({"success_chance": run.chance});
    let (truth, liars) = streams("fields", &runs, chance);
    let files: Vec<&str> = std::iter::once(&truth).chain(&liars).map(String::as_str).collect();
    let means = exact_means(&files, &[]);
    assert!(means[1..].iter().all(|mean| mean.unwrap() < means[0].unwrap()), "{means:?}");
    let report = json_of("cut-off", &[&truth, "--json", "--resamples", "0"]);
    let source = &report["files"][0]["success_chance"];
    let n_censored = &report["files"][0]["n_censored"];
    assert_eq!((&source["source"], &source["n_given"]), (&"given".into(), n_censored));
    assert!(source["assumption"].as_str().unwrap().contains("as given"), "{source}");
    // Nothing tells the truth from a copy of the forecasts.
    assert!(report["notes"].to_string().contains("its own last forecasts"), "{report}");
}

#[test]
fn with_the_right_continuations_the_interval_holds_the_exact_mean_at_the_true_chances() {
    let mut held = 0;
    for seed in 10..14 {
        let runs = world(seed, &[0.1, 0.3]);
        let truth = stream(&format!("held-{seed}.jsonl"), &runs, |_, run| run.chance, no_fields);
        let chances = lines(&format!("held-chances-{seed}"), &runs, |_, run| {
            Some(json!({"id": run.id, "success_chance": run.chance}))
        });
        let all = lines(&format!("held-all-{seed}"), &runs, |_, run| Some(continued(run)));
        let known = exact_means(&[&truth], &["--success-chance", &chances])[0].unwrap();
        let report =
            json_of("cut-off", &[&truth, "--continuations", &all, "--json", "--resamples", "200"]);
        let rows = &report["files"][0]["report"]["comparisons"];
        assert_eq!(
            (&rows[0]["rule"], &rows[0]["schedule"]),
            (&"log".into(), &"linear-front".into())
        );
        let exact = &rows[0]["exact"];
        let [low, high] = ["ci_low", "ci_high"].map(|end| exact[end].as_f64().unwrap());
        held += usize::from(low <= known && known <= high);
        let source = &report["files"][0]["success_chance"];
        assert_eq!(source["source"], "continuations");
    }
    assert_eq!(held, 4);
}

/// Runs whose chance of success is the same whatever they show, cut off at random: the turn says all.
fn plain_world(seed: u64) -> Vec<OneRun> {
    let mut draws = Draws(seed);
    let one = |i: usize| {
        let is_cut_off = draws.next() < 0.4;
        let steps = 1 + draws.below(10) + usize::from(!is_cut_off);
        let succeeded = draws.next() < 0.2;
        let outcome = (!is_cut_off).then_some(succeeded);
        OneRun { id: format!("run-{i}"), steps, chance: 0.2, outcome, successes: 2 }
    };
    (0..2_000).map(one).collect()
}

#[test]
fn a_model_of_turn_and_task_is_used_where_no_stream_knows_more_and_says_so() {
    let runs = plain_world(20);
    let (truth, liars) = streams("by-turn", &runs, no_fields);
    let files = [&truth, &liars[0], &liars[1], &liars[2], &liars[3]].map(String::as_str);
    let means = exact_means(&files, &[]);
    assert!(means[1..].iter().all(|mean| mean.unwrap() < means[0].unwrap()), "{means:?}");
    let report = json_of("cut-off", &[&truth, "--json", "--resamples", "0"]);
    let file = &report["files"][0];
    assert!((file["mean_success_chance"].as_f64().unwrap() - 0.2).abs() < 0.03, "{file}");
    let source = &file["success_chance"];
    assert_eq!((&source["source"], &source["n_model"]), (&"model".into(), &file["n_censored"]));
    assert_eq!(source["model"]["features"][0], "turn");
    assert_eq!(source["model"]["taught_by"], "complete runs");
    let text =
        String::from_utf8(run_other("cut-off", &[&truth, "--resamples", "0"]).stdout).unwrap();
    let note = text.lines().find(|line| line.starts_with("note: success chance: ")).unwrap();
    for words in ["by a model of turn", "complete runs of other tasks", "fixed in resamples"] {
        assert!(note.contains(words), "{words}: {note}");
    }
}

#[test]
fn without_a_credible_source_the_exact_mean_is_null_and_says_what_would_be_one() {
    // All runs that were cut off had the longest length.
    let mut runs = plain_world(21);
    runs.iter_mut().filter(|run| run.outcome.is_none()).for_each(|run| run.steps = 11);
    let one_budget = stream("one-budget.jsonl", &runs, |_, _| 0.2, no_fields);
    let hidden = world(22, &[0.2]);
    let hidden = stream("hidden.jsonl", &hidden, |_, run| run.chance, no_fields);
    for (file, why) in [(one_budget, "went further"), (hidden, "predict outcomes beyond")] {
        let report = json_of("cut-off", &[&file, "--json", "--resamples", "0"]);
        let read = &report["files"][0];
        assert_eq!(read["exact_plug_in"], Value::Null, "{file}");
        assert_eq!(read["success_chance"]["source"], "undefined");
        assert_eq!(read["success_chance"]["n_unknown"], read["n_censored"]);
        let notes = report["notes"].as_array().unwrap();
        let is_why = |note: &&Value| {
            let note = note.as_str().unwrap();
            note.starts_with("exact_plug_in: undefined") && note.contains(why)
        };
        let note = notes.iter().find(is_why).unwrap_or_else(|| panic!("{why}: {notes:?}"));
        assert!(note.as_str().unwrap().contains("--continuations"), "{note}");
    }
}

#[test]
fn a_stream_that_would_teach_its_own_chances_is_refused() {
    let runs = world(5, &[0.2]);
    let (truth, liars) = streams("teacher", &runs, no_fields);
    let lie = &liars[0];
    let copy = stream(
        "copy.jsonl",
        &runs,
        |_, run| if run.outcome.is_none() { 0.9 } else { 0.5 },
        no_fields,
    );
    // A copy with a little noise, and one of another level in the same order.
    let nearly = stream(
        "nearly.jsonl",
        &runs,
        |i, run| {
            let noise = 1e-6 * (i % 7) as f64;
            if run.outcome.is_none() { 0.9 - noise } else { 0.5 }
        },
        no_fields,
    );
    for (files, teacher) in [
        (&[&truth, lie][..], lie),
        (&[lie], lie),
        (&[&truth, lie], &copy),
        (&[&truth, lie], &nearly),
    ] {
        let files: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
        let output = run_other("cut-off", &[&files[..], &["--chance-from", teacher]].concat());
        let error = refusal(&output, teacher);
        assert!(error.contains(teacher.as_str()) && error.contains("its own chance"), "{error}");
    }
    // Runs that the other stream does not have.
    let short = stream("short.jsonl", &runs[..100], |_, _| 0.5, no_fields);
    let error = refusal(&run_other("cut-off", &[&truth, "--chance-from", &short]), "short");
    assert!(error.contains("short.jsonl") && error.contains("run-100"), "{error}");
}

#[test]
fn chances_are_checked_with_file_line_and_field() {
    let line = |chance: &str| {
        format!(
            "{{\"id\":\"a\",\"forecasts\":[0.5],\"outcome\":true}}\n{{\"id\":\"c\",\"forecasts\":[0.8],\"outcome\":null,\"stop\":\"max_steps\",\"success_chance\":{chance}}}"
        )
    };
    for (chance, expected) in [("1.2", "1.2"), ("-0.1", "-0.1"), ("\"high\"", "f64")] {
        let path = write("bad_chance.jsonl", &line(chance));
        let error = refusal(&run_other("cut-off", &[&path]), chance);
        assert!(error.starts_with(&format!("error: {path}:2: field success_chance: ")), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    let good = write("good_chance.jsonl", &line("0.25"));
    let report = json_of("cut-off", &[&good, "--json"]);
    assert_eq!(report["files"][0]["mean_success_chance"], 0.25);
    let file = write(
        "chances.jsonl",
        "{\"id\":\"c\",\"success_chance\":0.25}\n{\"id\":\"c\",\"success_chance\":2}",
    );
    let error = refusal(&run_other("cut-off", &[&good, "--success-chance", &file]), "file");
    assert!(error.starts_with(&format!("error: {file}:2: field success_chance: ")), "{error}");
    // Two chances of one run.
    let other = write("other_chance.jsonl", &line("0.5"));
    let error = refusal(&run_other("cut-off", &[&good, &other]), "two chances");
    assert!(error.starts_with(&format!("error: {other}:2: field success_chance: ")), "{error}");
}

#[test]
fn continuations_of_an_id_that_names_different_runs_are_refused() {
    let line = |steps: usize| {
        let forecasts = vec![0.5; steps];
        json!({"id": "c", "forecasts": forecasts, "outcome": null, "stop": "max_steps"}).to_string()
    };
    let complete = r#"{"id":"a","forecasts":[0.5],"outcome":true}"#;
    let [first, second] =
        [1, 2].map(|n| write(&format!("of_{n}.jsonl"), &format!("{complete}\n{}", line(n))));
    let ends = write("ends.jsonl", r#"{"id":"c","successes":3,"failures":3}"#);
    let error = refusal(
        &run_other("cut-off", &[&first, &second, "--continuations", &ends]),
        "different runs",
    );
    assert!(error.contains("ends.jsonl") && error.contains("\"c\""), "{error}");
}

#[test]
fn counts_by_source_are_stated_where_sources_are_mixed() {
    let runs = world(6, &[0.2]);
    let truth = stream("mixed.jsonl", &runs, |_, run| run.chance, no_fields);
    let chances = lines("mixed-chances.jsonl", &runs, |i, run| {
        (i % 5 == 0).then(|| json!({"id": run.id, "success_chance": run.chance}))
    });
    let some = lines("mixed-some.jsonl", &runs, |i, run| (i % 5 < 3).then(|| continued(run)));
    let report = json_of(
        "cut-off",
        &[
            &truth,
            "--success-chance",
            &chances,
            "--continuations",
            &some,
            "--json",
            "--resamples",
            "0",
        ],
    );
    let file = &report["files"][0];
    let source = &file["success_chance"];
    let counts: BTreeMap<&str, u64> = ["n_given", "n_continuations", "n_model", "n_unknown"]
        .map(|name| (name, source[name].as_u64().unwrap()))
        .into();
    assert_eq!(counts.values().sum::<u64>(), file["n_censored"].as_u64().unwrap());
    assert!(counts["n_given"] > 100 && counts["n_continuations"] > 200 && counts["n_model"] > 200);
    assert_eq!(source["source"], "hybrid");
    assert_eq!(source["model"]["taught_by"], "continuations");
}
