//! Published figures of the TPS paper (arXiv:2605.24756) on runs that were cut off.

use censoring::{
    Exclusion, Probability, StopClass, StopReason, Stopped, TerminationAudit, Tps, Weight,
    WeightSchedule, exact_mean_score, simple_mean_score,
};
use serde_json::Value;
use trajectory_metrics::LogScore;

use crate::{censored, p};

fn paper() -> Value {
    serde_json::from_str(include_str!("../golden/tps.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_verbal_margin_of_table_14_is_the_difference_of_the_printed_scores() {
    let paper = paper();
    let golden = &paper["webshop_base_rate"];
    let count = |name: &str| golden[name].as_u64().unwrap() as usize;
    let (complete, censored) = (count("completed"), count("administratively_censored"));
    let successes = count("successes_derived");
    let base_rate = [p(successes as f64 / (complete + censored) as f64)];
    let runs: Vec<_> = (0..complete)
        .map(|i| Stopped::new(&base_rate, Some(i < successes), None).unwrap())
        .collect();
    let log = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
    let margin = number(&golden["verbal_confidence_complete_only_log"])
        - simple_mean_score(&log, &runs, None).unwrap();
    let printed = number(&golden["verbal_minus_base_complete_only_log"]);
    assert_eq!(format!("{margin:.4}"), format!("{printed:.4}"));
}

#[test]
fn the_termination_audit_of_table_6_adds_up() {
    let paper = paper();
    let forecasts = [Probability::HALF];
    let mut all = TerminationAudit::default();
    for row in paper["termination_audit_table_6"].as_array().unwrap() {
        let count = |name: &str| row[name].as_u64().unwrap();
        let mut audit = TerminationAudit::default();
        let endings = [
            ("clean", Some(true), StopReason::Completed),
            ("max_steps", None, StopReason::MaxSteps),
            ("parse_error", None, StopReason::ParseError),
            ("other", None, StopReason::ToolError),
        ];
        for (name, outcome, reason) in endings {
            for _ in 0..count(name) {
                audit.update(
                    &Stopped::new(&forecasts, outcome, Some(reason.clone())).unwrap(),
                    Weight::ONE,
                );
            }
        }
        assert_eq!(audit.total(), count("total"));
        assert_eq!(audit.count(StopClass::Complete), count("clean"));
        assert_eq!(audit.count(StopClass::Censored), count("max_steps"));
        assert_eq!(audit.count(StopClass::Excluded), count("parse_error") + count("other"));
        let exclusions = audit.exclusions();
        let parse_errors = exclusions.get(&Exclusion::Stopped(StopReason::ParseError));
        assert_eq!(parse_errors.copied().unwrap_or_default(), count("parse_error"));
        if row["dataset"] == "WebShop" {
            let rate = audit.censoring_rate().unwrap();
            assert_eq!(format!("{:.2} %", 100.0 * rate), "47.08 %");
            let printed = number(&paper["webshop_base_rate"]["censoring_rate"]);
            assert_eq!(format!("{rate:.4}"), format!("{printed:.4}"));
        }
        all.merge(&audit);
    }
    assert_eq!(all.total(), 2_290 + 278 + 2_000 + 500);
}

/// Chances of success of 87 prefixes with all figures of table 7: the mean, the share of zeros and the
/// share above one half. A constant forecast depends on nothing but the mean.
fn chances() -> Vec<Probability> {
    let (mean, zeros, low, high) = (0.240, 59, 8, 20);
    let total = mean * f64::from(zeros + low + high);
    let above = (total - 0.5 * f64::from(low)) / f64::from(high);
    let parts = [(zeros, 0.0), (low, 0.5), (high, above)];
    parts.iter().flat_map(|&(count, q)| (0..count).map(move |_| p(q))).collect()
}

#[test]
fn the_base_rate_row_of_table_9_comes_out_to_the_printed_digits() {
    let chances = chances();
    let share = |some: &dyn Fn(f64) -> bool| {
        let count = chances.iter().filter(|q| some(q.get())).count();
        format!("{:.1} %", 100.0 * count as f64 / chances.len() as f64)
    };
    assert_eq!(chances.len(), 87);
    assert_eq!(share(&|q| q == 0.0), "67.8 %");
    assert_eq!(share(&|q| q > 0.5), "23.0 %");

    // Successes among complete runs, over complete runs and those at the budget of 7 steps: table 6.
    // The paper prints no number of successes; 892 gives the base-rate rows of tables 2 to 4.
    let forecasts = [p(892.0 / (1529.0 + 458.0)); 7];
    let run = censored(&forecasts);
    let runs = vec![run; chances.len()];
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule);
        let simple = simple_mean_score(&tps, &runs, None).unwrap();
        let exact = exact_mean_score(&tps, &runs, &chances, None).unwrap();
        let row = [simple, exact, exact - simple].map(|score| format!("{score:.3}"));
        assert_eq!(row, ["-0.596", "-0.645", "-0.049"]);
    }
}
