//! Every rule against values computed with 400 digits (`golden/*.py`, mpmath).
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use scoring_rules::{
    BetaScore, BoostingScore, BrierScore, Level, LogScore, PowerScore, Probability,
    PseudosphericalScore, ScoringRule, SphericalScore,
};

/// The rows of a golden file, without its origin line and its header.
fn rows(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

fn number(field: &str) -> f64 {
    field.parse().unwrap()
}

/// Relative error, with the smallest normal number as the floor: below it numbers have no full
/// set of digits.
fn error(value: f64, exact: f64) -> f64 {
    if value == exact { 0.0 } else { (value - exact).abs() / exact.abs().max(f64::MIN_POSITIVE) }
}

struct Worst {
    error: f64,
    row: String,
}

impl Worst {
    fn new() -> Self {
        Self { error: 0.0, row: String::new() }
    }

    fn see(&mut self, value: f64, exact: f64, row: &[&str]) {
        let error = error(value, exact);
        if error.is_nan() || error > self.error {
            self.error = error;
            self.row = format!("{row:?} gave {value:e}");
        }
    }

    fn check(self, what: &str, limit: f64) {
        println!("{what}: largest relative error {:.1e} at {}", self.error, self.row);
        assert!(self.error <= limit, "{what}: {:e} at {}", self.error, self.row);
    }
}

#[test]
fn beta_scores_equal_their_integrals_to_1e_12() {
    let mut worst = Worst::new();
    let mut seen = 0;
    for row in rows(include_str!("golden/beta_score.csv")) {
        let [alpha, beta, p, success, failure] = row[..] else { panic!("{row:?}") };
        let rule = BetaScore::new(number(alpha), number(beta)).unwrap();
        let p = Probability::new(number(p)).unwrap();
        worst.see(rule.score(p, true), number(success), &row);
        worst.see(rule.score(p, false), number(failure), &row);
        seen += 1;
    }
    assert!(seen > 1500, "{seen} rows");
    worst.check("beta scores", 1e-12);
}

#[test]
fn a_run_of_equal_forecasts_sums_to_that_many_scores() {
    use scoring_rules::runs::{StepWeights, weighted_sum};

    for row in rows(include_str!("golden/beta_score.csv")) {
        let rule = BetaScore::new(number(row[0]), number(row[1])).unwrap();
        let p = Probability::new(number(row[2])).unwrap();
        for outcome in [false, true] {
            let sum = weighted_sum(&rule, &[p; 3], outcome, StepWeights::Falling);
            assert!(error(sum, 6.0 * rule.score(p, outcome)) < 1e-12, "{row:?}");
        }
    }
}

#[test]
fn expectations_entropies_and_divergences_keep_their_digits() {
    let names = ["expected", "entropy", "divergence"];
    let mut worst = names.map(|_| Worst::new());
    for row in rows(include_str!("golden/divergence.csv")) {
        let [name, alpha, beta, p, q, ref exact @ ..] = row[..] else { panic!("{row:?}") };
        let beta_rule;
        let rule: &dyn ScoringRule = match name {
            "log" => &LogScore::exact(),
            "brier" => &BrierScore,
            _ => {
                beta_rule = BetaScore::new(number(alpha), number(beta)).unwrap();
                &beta_rule
            }
        };
        let (p, q) = (Probability::new(number(p)).unwrap(), Probability::new(number(q)).unwrap());
        let values = [rule.expected(p, q), rule.entropy(q), rule.divergence(p, q)];
        for ((worst, value), exact) in worst.iter_mut().zip(values).zip(exact) {
            worst.see(value, number(exact), &row);
        }
    }
    for (worst, name) in worst.into_iter().zip(names) {
        worst.check(name, 1e-12);
    }
}

#[test]
fn a_clipped_divergence_keeps_its_digits_if_the_clip_is_rounded_away() {
    let mut worst = Worst::new();
    for row in rows(include_str!("golden/clipped_divergence.csv")) {
        let [eps, p, q, divergence] = row[..] else { panic!("{row:?}") };
        let rule = LogScore::clipped(number(eps)).unwrap();
        let [p, q] = [p, q].map(|p| Probability::new(number(p)).unwrap());
        worst.see(rule.divergence(p, q), number(divergence), &row);
    }
    worst.check("clipped divergence", 1e-14);
}

#[test]
fn power_pseudospherical_spherical_and_boosting_scores_keep_their_digits() {
    let names = ["scores", "entropy", "divergence"];
    let mut worst = names.map(|_| Worst::new());
    let mut seen = 0;
    for row in rows(include_str!("golden/families.csv")) {
        let [name, k, b, p, q, success, failure, entropy, divergence] = row[..] else {
            panic!("{row:?}")
        };
        let (k, b) = (number(k), Level::new(number(b)).unwrap());
        let rule: Box<dyn ScoringRule> = match name {
            "power" => Box::new(PowerScore::new(k, b).unwrap()),
            "pseudospherical" => Box::new(PseudosphericalScore::new(k, b).unwrap()),
            "spherical" => Box::new(SphericalScore),
            _ => Box::new(BoostingScore),
        };
        let (p, q) = (Probability::new(number(p)).unwrap(), Probability::new(number(q)).unwrap());
        worst[0].see(rule.score(p, true), number(success), &row);
        worst[0].see(rule.score(p, false), number(failure), &row);
        worst[1].see(rule.entropy(q), number(entropy), &row);
        worst[2].see(rule.divergence(p, q), number(divergence), &row);
        seen += 1;
    }
    assert!(seen > 400, "{seen} rows");
    for (worst, name) in worst.into_iter().zip(names) {
        worst.check(name, 1e-12);
    }
}
