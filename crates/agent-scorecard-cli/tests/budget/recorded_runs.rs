use std::fs;

use serde_json::Value;

use super::{
    number,
    program::{bundled_or_recorded, plain as json, pooled, recorded},
};

#[test]
fn figures_agree_with_the_shortest_python() {
    let golden = include_str!("../golden/budget.csv");
    let cases: Vec<Vec<&str>> = golden
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("file,"))
        .map(|line| line.split(',').collect())
        .collect();
    let mut compared = 0;
    for case in cases.chunk_by(|a, b| a[..4] == b[..4]) {
        let [stem, resource, cap, estimator] = case[0][..4] else { unreachable!() };
        let Some(path) = bundled_or_recorded("data/rollouts", stem) else { continue };
        let path = pooled(&path);
        let mut arguments = vec![&path, "--json", "--resamples", "0"];
        arguments.extend(["--resource", resource, "--estimator", estimator]);
        if !cap.is_empty() {
            arguments.extend(["--cap", cap]);
        }
        let found = json(&arguments);
        for row in case {
            let (figure, value) = (row[4], row[5]);
            if value == "None" {
                assert_eq!(found[figure], Value::Null, "{row:?}");
                continue;
            }
            let value: f64 = value.parse().unwrap();
            let ours = number(&found[figure]);
            let off = (ours - value).abs() / value.abs().max(1.0);
            assert!(off < 1e-9, "{row:?}: {ours}");
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared}");
}

/// The median of what successful runs spent of output tokens.
const MEDIAN: &str = "8417";

#[test]
fn on_recorded_runs_the_cap_is_the_median_of_the_successes() {
    let Some(path) = recorded("data/rollouts/swebench_gemini3pro.jsonl") else { return };
    let mut totals: Vec<u64> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["success"] == 1)
        .map(|row| {
            let turns = row["turns"].as_array().unwrap();
            turns.iter().map(|turn| turn["output_tokens"].as_u64().unwrap()).sum()
        })
        .collect();
    totals.sort_unstable();
    assert_eq!((totals.len() % 2, totals[totals.len() / 2].to_string()), (1, MEDIAN.to_owned()));
}

#[test]
fn on_recorded_runs_calibrated_intervals_cover_what_they_claim() {
    let Some(path) = recorded("data/rollouts/swebench_gemini3pro.jsonl") else { return };
    for cap in [None, Some(MEDIAN)] {
        for warm_up in ["50", "100", "150"] {
            let mut arguments = vec![path.as_str(), "--estimator", "conformal", "--json"];
            arguments.extend(["--warm-up", warm_up, "--resamples", "0"]);
            arguments.extend(cap.iter().flat_map(|cap| ["--cap", cap]));
            let report = json(&arguments);
            let (coverage, hit_rate) = (number(&report["coverage"]), number(&report["hit_rate"]));
            println!(
                "cap {cap:?}, after {warm_up} runs: coverage {coverage:.4}, {hit_rate:.4} of all"
            );
            assert!((0.77..=0.83).contains(&coverage), "{cap:?} {warm_up}: {coverage}");
            assert!((0.77..=0.83).contains(&hit_rate), "{cap:?} {warm_up}: {hit_rate}");
        }
    }
}

#[test]
fn calibrated_intervals_keep_their_claim_where_models_and_domains_follow_one_another() {
    let Some(path) = recorded("data/rollouts/tau2.jsonl") else { return };
    let path = pooled(&path);
    for resource in ["output_tokens", "input_tokens", "cost_usd"] {
        let coverage = |estimator: &str| {
            let arguments = [&path, "--resource", resource, "--estimator", estimator];
            let found = json(&[&arguments[..], &["--warm-up", "50", "--resamples", "0"]].concat());
            number(&found["coverage"])
        };
        let (quantile, conformal) = (coverage("quantile"), coverage("conformal"));
        println!("{resource}: quantile {quantile:.4}, conformal {conformal:.4}");
        assert!((0.77..=0.83).contains(&conformal), "{resource}: {conformal}");
        assert!(quantile < 0.77, "{resource}: {quantile}");
    }
}
