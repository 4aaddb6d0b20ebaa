//! Published figures of the TPS paper (arXiv:2605.24756), and diagnostics against scikit-learn.
use scoring_rules::Decomposition;
use serde_json::Value;
use trajectory_metrics::{
    BetaScore, Binning, BrierScore, Error, LogScore, PositiveClass, Probability, ScoringRule,
    Summary, TiedBlocks, Tps, Trace, Traces, WeightSchedule, aurc, auroc, average_precision,
    brier_loss, expected_calibration_error,
};

use crate::common::{json_rows, probability, ps, traces_of, ws};

fn paper() -> Value {
    serde_json::from_str(include_str!("../golden/tps.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// A constant forecast on runs of many lengths.
fn constant(n: usize, successes: usize, forecast: f64) -> Traces {
    traces_of((0..n).map(|i| (vec![forecast; 1 + i % 23], i < successes)))
}

#[test]
fn base_rate_rows_of_tables_2_to_4_come_out_to_the_printed_digits() {
    for row in paper()["base_rate_rows"]["rows"].as_array().unwrap() {
        let whole = |name: &str| row[name].as_u64().unwrap() as usize;
        let (n, successes) = (whole("n"), whole("successes_derived"));
        let traces = constant(n, successes, successes as f64 / n as f64);
        for schedule in WeightSchedule::NAMED {
            let summary = Summary::Weighted(schedule.clone()).forecasts(&traces).unwrap();
            let blocks = TiedBlocks::new(&summary, traces.outcomes(), None).unwrap();
            let log = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule.clone());
            let brier = Tps::new(BrierScore, schedule.clone());
            let beta = Tps::new(BetaScore::new(2.0, 4.0).unwrap(), schedule.clone());
            let ece = expected_calibration_error(&blocks, Binning::Quantile { bins: 10 });
            let (failures, successes) = (blocks.failures(), blocks.successes());
            let columns = [
                ("base_rate", Ok(successes / (failures + successes)), 3),
                ("auroc", auroc(&blocks), 3),
                ("auprc_failure", average_precision(&blocks, PositiveClass::Failure), 3),
                ("aurc", aurc(&blocks), 3),
                ("t_ece", ece, 3),
                ("t_brier", brier_loss(&blocks), 3),
                ("tps_log", log.mean(&traces, None), 3),
                ("tps_brier", brier.mean(&traces, None), 3),
                ("tps_beta_2_4", beta.mean(&traces, None), 5),
            ];
            for (name, value, digits) in columns {
                let printed = format!("{:.digits$}", number(&row[name]));
                let ours = format!("{:.digits$}", value.unwrap());
                assert_eq!(ours, printed, "{name} of {} under {schedule}", row["dataset"]);
            }
        }
    }
}

/// The paper prints the number of runs and not that of successes. The score of a constant base rate is its
/// expected score.
#[test]
fn only_one_number_of_successes_gives_the_printed_base_rate_row() {
    for row in paper()["base_rate_rows"]["rows"].as_array().unwrap() {
        let n = row["n"].as_u64().unwrap();
        let fits = |successes: &u64| {
            let p = *successes as f64 / n as f64;
            let q = probability(p);
            let columns = [
                ("base_rate", p, 3),
                ("auprc_failure", 1.0 - p, 3),
                ("aurc", 1.0 - p, 3),
                ("t_brier", p * (1.0 - p), 3),
                ("tps_log", LogScore::clipped(1e-6).unwrap().expected(q, q), 3),
                ("tps_brier", BrierScore.expected(q, q), 3),
                ("tps_beta_2_4", BetaScore::new(2.0, 4.0).unwrap().expected(q, q), 5),
            ];
            columns.iter().all(|(name, value, digits)| {
                format!("{value:.digits$}") == format!("{:.digits$}", number(&row[name]))
            })
        };
        let found: Vec<u64> = (0..=n).filter(fits).collect();
        assert_eq!(found, [row["successes_derived"].as_u64().unwrap()], "{}", row["dataset"]);
    }
}

#[test]
fn theorem_a_the_constant_ties_the_truth_under_t_ece_and_has_no_resolution() {
    let golden = &paper()["theorem_a"];
    let q: Vec<f64> = golden["q"].as_array().unwrap().iter().map(number).collect();
    let constant = number(&golden["constant"]);
    // The whole population: of ten runs from each history, two and eight succeed.
    let mut outcomes = Vec::new();
    let (mut truthful, mut flat) = (Vec::new(), Vec::new());
    for &q in &q {
        for i in 0..10 {
            truthful.push(probability(q));
            flat.push(probability(constant));
            outcomes.push(f64::from(i) < 10.0 * q - 0.5);
        }
    }
    let ece = |confidence: &[Probability]| {
        let blocks = TiedBlocks::new(confidence, &outcomes, None).unwrap();
        expected_calibration_error(&blocks, Binning::Quantile { bins: 10 }).unwrap()
    };
    assert_eq!(ece(&truthful), number(&golden["t_ece_truthful"]));
    assert_eq!(ece(&flat), number(&golden["t_ece_constant"]));

    // Resolution: how far, on average, the conditional success rate is from the base rate.
    let resolution = |confidence: &[Probability]| {
        let blocks = TiedBlocks::new(confidence, &outcomes, None).unwrap();
        Decomposition::new(&BrierScore, &blocks, Binning::Distinct).unwrap().resolution
    };
    approx::assert_relative_eq!(
        resolution(&truthful),
        number(&golden["resolution_truthful"]),
        epsilon = 1e-15
    );
    assert_eq!(resolution(&flat), number(&golden["resolution_constant"]));
    // The trajectory score tells the two apart.
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let mean = |confidence: &[Probability]| {
        let traces = traces_of(confidence.iter().map(|p| [p.get()]).zip(outcomes.iter().copied()));
        tps.mean(&traces, None).unwrap()
    };
    approx::assert_relative_eq!(mean(&truthful) - mean(&flat), 0.09, epsilon = 1e-15);
}

/// Expected Brier loss of a collapsed two-step stream where the second truth is `q2`.
fn collapsed_loss(summary: &Summary, stream: [f64; 2], q2: f64) -> f64 {
    let steps = stream.map(probability);
    let collapsed = summary.forecast(Trace::new(&steps, true).unwrap()).unwrap();
    -BrierScore.expected(collapsed, probability(q2))
}

fn numbers(value: &Value) -> [f64; 2] {
    [number(&value[0]), number(&value[1])]
}

#[test]
fn corollary_b2_the_average_rewards_a_dishonest_stream() {
    let golden = &paper()["corollary_b2_average"];
    let (q1, g1) = (number(&golden["q1"]), number(&golden["g1"]));
    let (q2, g2) = (numbers(&golden["q2"]), numbers(&golden["g2"]));
    for (q2, g2) in q2.into_iter().zip(g2) {
        let excess = collapsed_loss(&Summary::Mean, [q1, q2], q2)
            - collapsed_loss(&Summary::Mean, [g1, g2], q2);
        approx::assert_relative_eq!(
            excess,
            number(&golden["excess_brier_of_truth"]),
            epsilon = 1e-15
        );
    }
}

#[test]
fn corollary_b3_the_minimum_rewards_an_inflated_first_step() {
    let golden = &paper()["corollary_b3_minimum"];
    let (q1, g1, q2) = (number(&golden["q1"]), number(&golden["g1"]), numbers(&golden["q2"]));
    let difference = q2.map(|q2| {
        collapsed_loss(&Summary::Minimum, [g1, q2], q2)
            - collapsed_loss(&Summary::Minimum, [q1, q2], q2)
    });
    let printed = number(&golden["brier_difference_on_0.7"]);
    approx::assert_relative_eq!(difference[0], printed, epsilon = 1e-15);
    assert_eq!(difference[1], 0.0);
}

/// Trajectory ECE from its definition, row by row: equal confidences share a bin, which is the one that the
/// middle of their weight falls into.
fn quantile_ece(rows: &[(f64, bool, f64)], bins: usize) -> f64 {
    let weight = |of: &dyn Fn(f64) -> bool| -> f64 {
        rows.iter().filter(|row| of(row.0)).map(|row| row.2).sum()
    };
    let total = weight(&|_| true);
    let mut gaps = vec![0.0; bins];
    for &(p, outcome, own) in rows {
        let middle = weight(&|other| other < p) + weight(&|other| other == p) / 2.0;
        let bin = (bins as f64 * middle / total) as usize;
        gaps[bin.min(bins - 1)] += own * (f64::from(outcome) - p);
    }
    gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / total
}

/// Without ties, the quantile bins of a multiple of ten rows are tenths of the sorted rows.
#[test]
fn the_ten_quantile_bins_of_untied_rows_are_tenths_of_the_rows() {
    let rows = (0..70).map(|i| (f64::from(i * 37 % 70) / 70.0, i * i % 7 < 3));
    let (confidence, outcomes): (Vec<f64>, Vec<bool>) = rows.unzip();
    // Squares are not spread evenly, so that bins of equal width would hold other rows.
    let confidence: Vec<f64> = confidence.iter().map(|p| p * p).collect();
    let mut sorted: Vec<(f64, bool)> =
        confidence.iter().copied().zip(outcomes.iter().copied()).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let gap = |tenth: &[(f64, bool)]| tenth.iter().map(|&(p, y)| f64::from(y) - p).sum::<f64>();
    let expected = sorted.chunks(7).map(|tenth| gap(tenth).abs()).sum::<f64>() / 70.0;
    let confidence = ps(&confidence);
    let blocks = TiedBlocks::new(confidence, &outcomes, None).unwrap();
    let ece = |binning| expected_calibration_error(&blocks, binning).unwrap();
    approx::assert_relative_eq!(ece(Binning::Quantile { bins: 10 }), expected, epsilon = 1e-14);
    assert!((ece(Binning::EqualWidth { bins: 10 }) - expected).abs() > 1e-3);
}

#[test]
fn diagnostics_agree_with_scikit_learn() {
    let file: Value = serde_json::from_str(include_str!("../golden/ranking.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 40);
    for case in cases {
        let (confidence, outcomes, weights) = json_rows(case, ["confidence", "outcome"]);
        let confidence = ps(&confidence);
        let blocks = TiedBlocks::new(confidence, &outcomes, weights.as_deref().map(ws)).unwrap();
        let ece = expected_calibration_error(&blocks, Binning::EqualWidth { bins: 10 });
        let ours = [
            ("auroc", auroc(&blocks)),
            ("average_precision", average_precision(&blocks, PositiveClass::Failure)),
            ("aurc", aurc(&blocks)),
            ("brier", brier_loss(&blocks)),
            ("ece_equal_width_10", ece),
        ];
        let rows = confidence.iter().map(|p| p.get()).zip(outcomes.iter().copied());
        let rows: Vec<(f64, bool, f64)> = match &weights {
            None => rows.map(|(p, y)| (p, y, 1.0)).collect(),
            Some(weights) => rows.zip(weights).map(|((p, y), &weight)| (p, y, weight)).collect(),
        };
        for bins in [3, 10] {
            let ours = expected_calibration_error(&blocks, Binning::Quantile { bins }).unwrap();
            let expected = quantile_ece(&rows, bins);
            assert!((ours - expected).abs() <= 1e-12, "{bins} bins of {}: {ours}", case["name"]);
        }
        for (name, value) in ours {
            match (case[name].as_f64(), value) {
                (Some(theirs), Ok(ours)) => {
                    let close = (ours - theirs).abs() <= 1e-12 * theirs.abs().max(1e-3);
                    assert!(close, "{name} of {}: {ours} against {theirs}", case["name"]);
                }
                (None, Err(Error::OneClass { .. })) => {}
                other => panic!("{name} of {}: {other:?}", case["name"]),
            }
        }
    }
}
