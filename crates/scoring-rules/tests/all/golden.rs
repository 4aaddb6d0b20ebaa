//! Every rule against values computed with 400 digits (`golden/*.py`, mpmath).

use scoring_rules::{BetaScore, LogScore, ScoringRule, StepWeights};

use crate::common::{golden, number, prob, rule};

/// Relative error, with the smallest normal number as the floor: below it numbers have no full
/// set of digits.
fn error(value: f64, exact: f64) -> f64 {
    if value == exact { 0.0 } else { (value - exact).abs() / exact.abs().max(f64::MIN_POSITIVE) }
}

#[derive(Default)]
struct Worst {
    error: f64,
    row: String,
}

impl Worst {
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
    let mut worst = Worst::default();
    let mut seen = 0;
    for row in golden(include_str!("../golden/beta_score.csv")) {
        let [alpha, beta, p, success, failure] = row[..] else { panic!("{row:?}") };
        let rule = BetaScore::new(number(alpha), number(beta)).unwrap();
        let p = prob(number(p));
        for (outcome, exact) in [(true, success), (false, failure)] {
            let score = rule.score(p, outcome);
            worst.see(score, number(exact), &row);
            let sum = rule.weighted_sum(&[p; 3], outcome, StepWeights::Falling);
            assert!(error(sum, 6.0 * score) < 1e-12, "{row:?}");
        }
        seen += 1;
    }
    assert!(seen > 1500, "{seen} rows");
    worst.check("beta scores", 1e-12);
}

#[test]
fn expectations_entropies_and_divergences_keep_their_digits() {
    let names = ["expected", "entropy", "divergence"];
    let mut worst = names.map(|_| Worst::default());
    for row in golden(include_str!("../golden/divergence.csv")) {
        let [name, alpha, beta, p, q, ref exact @ ..] = row[..] else { panic!("{row:?}") };
        let rule = rule(name, &[alpha, beta]);
        let (p, q) = (prob(number(p)), prob(number(q)));
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
    let mut worst = Worst::default();
    for row in golden(include_str!("../golden/clipped_divergence.csv")) {
        let [eps, p, q, divergence] = row[..] else { panic!("{row:?}") };
        let rule = LogScore::clipped(number(eps)).unwrap();
        let [p, q] = [p, q].map(|p| prob(number(p)));
        worst.see(rule.divergence(p, q), number(divergence), &row);
    }
    worst.check("clipped divergence", 1e-14);
}

#[test]
fn power_pseudospherical_spherical_and_boosting_scores_keep_their_digits() {
    let names = ["scores", "entropy", "divergence"];
    let mut worst = names.map(|_| Worst::default());
    let mut seen = 0;
    for row in golden(include_str!("../golden/families.csv")) {
        let [name, k, b, p, q, success, failure, entropy, divergence] = row[..] else {
            panic!("{row:?}")
        };
        let has_baseline = name == "power" || name == "pseudospherical";
        let parameters = [k, b];
        let rule = rule(name, if has_baseline { &parameters } else { &[] });
        let (p, q) = (prob(number(p)), prob(number(q)));
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
