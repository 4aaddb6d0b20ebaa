//! Corollary B1 and section B.3 of the TPS paper (arXiv:2605.24756), as laws, and the formulas of its
//! appendix I.
use proptest::prelude::*;
use trajectory_metrics::{
    BetaScore, BrierScore, LogScore, ScoringRule, Summary, Tps, Trace, WeightSchedule,
};

use crate::common::{probability, ps, ws};

/// Two histories, one as likely as the number says; success has the given chance after each. So the
/// true forecast of the first step is their mean.
#[derive(Clone, Copy, Debug)]
struct Process {
    first: f64,
    success: [f64; 2],
}

impl Process {
    fn true_first_step(self) -> f64 {
        self.first * self.success[0] + (1.0 - self.first) * self.success[1]
    }

    /// Expectation of `score` over both histories and both outcomes, for the forecaster who says `g1`,
    /// and `g2` after each history.
    fn expected(self, g1: f64, g2: [f64; 2], score: impl Fn(Trace<'_>) -> f64) -> f64 {
        let reach = [self.first, 1.0 - self.first];
        (0..2)
            .map(|history| {
                let stream = [g1, g2[history]];
                let stream = ps(&stream);
                let score = |outcome| score(Trace::new(stream, outcome).unwrap());
                let q = self.success[history];
                reach[history] * (q * score(true) + (1.0 - q) * score(false))
            })
            .sum()
    }
}

fn the_last_forecast_alone<R: ScoringRule>(rule: &R, trace: Trace<'_>) -> f64 {
    rule.score(Summary::Last.forecast(trace).unwrap(), trace.outcome())
}

fn holds<R: ScoringRule + Clone>(
    rule: R,
    process: Process,
    g1: f64,
    g2: [f64; 2],
) -> Result<(), TestCaseError> {
    let (q1, q2) = (process.true_first_step(), process.success);
    let p = |value| probability(value);
    let last = |g1, g2| process.expected(g1, g2, |trace| the_last_forecast_alone(&rule, trace));
    // Not strict for the stream: what was said before does not change a bit.
    prop_assert_eq!(last(g1, q2).to_bits(), last(q1, q2).to_bits());
    // Proper for the last forecast: another one costs its divergence from the truth.
    let cost = process.first * rule.divergence(p(g2[0]), p(q2[0]))
        + (1.0 - process.first) * rule.divergence(p(g2[1]), p(q2[1]));
    prop_assert!(cost > 0.0);
    approx::assert_relative_eq!(last(q1, q2) - last(g1, g2), cost, epsilon = 1e-13);

    // The trajectory score asks for the first step too, by its weight.
    for schedule in WeightSchedule::NAMED {
        let weight = schedule.weights(2).unwrap()[0];
        let tps = Tps::new(rule.clone(), schedule);
        let whole = |g1| process.expected(g1, q2, |trace| tps.score(trace).unwrap());
        let cost = weight * rule.divergence(p(g1), p(q1));
        prop_assert!(cost > 0.0);
        approx::assert_relative_eq!(whole(q1) - whole(g1), cost, epsilon = 1e-13);
    }
    Ok(())
}

/// The construction of section B.3: two forecasts move against each other so that their weighted mean stays.
/// The score of the mean stays with it, and the trajectory score charges for both steps.
fn the_weighted_mean_is_blind<R: ScoringRule + Clone>(
    rule: R,
    process: Process,
    schedule: &WeightSchedule,
    shift: f64,
) -> Result<(), TestCaseError> {
    let (q1, q2) = (process.true_first_step(), process.success);
    let weights = schedule.weights(2).unwrap();
    let (w1, w2) = (weights[0], weights[1]);
    // The given share of the largest shift of the first step that keeps every forecast within (0, 1).
    let room = |q: f64| q.min(1.0 - q);
    let c = shift * room(q1).min(room(q2[0]) * w2 / w1).min(room(q2[1]) * w2 / w1);
    let (g1, g2) = (q1 + c, q2.map(|q2| q2 - w1 / w2 * c));
    // A summary is rounded to twelve decimals, and a score near 0 or 1 multiplies that by up to 100.
    let summary = Summary::Weighted(schedule.clone());
    let scalar = |g1, g2| {
        let score =
            |trace: Trace<'_>| rule.score(summary.forecast(trace).unwrap(), trace.outcome());
        process.expected(g1, g2, score)
    };
    approx::assert_relative_eq!(scalar(g1, g2), scalar(q1, q2), epsilon = 1e-10);

    let p = |value| probability(value);
    let cost_of_last = |g2: [f64; 2]| {
        process.first * rule.divergence(p(g2[0]), p(q2[0]))
            + (1.0 - process.first) * rule.divergence(p(g2[1]), p(q2[1]))
    };
    let tps = Tps::new(rule.clone(), schedule.clone());
    let whole = |g1, g2| process.expected(g1, g2, |trace| tps.score(trace).unwrap());
    let cost = w1 * rule.divergence(p(g1), p(q1)) + w2 * cost_of_last(g2);
    prop_assert!(cost > 0.0);
    approx::assert_relative_eq!(whole(q1, q2) - whole(g1, g2), cost, epsilon = 1e-13);

    // Where the last step can make up for the first, a dishonest stream reaches the last truth, and the
    // truthful one scores worse by the divergence of its mean from that truth.
    let made_up = q2.map(|q2| (q2 - w1 * q1) / w2);
    if made_up.iter().all(|g| (0.01..0.99).contains(g)) {
        let lost = cost_of_last(q2.map(|q2| w1 * q1 + w2 * q2));
        prop_assert!(lost >= 0.0);
        approx::assert_relative_eq!(scalar(q1, made_up) - scalar(q1, q2), lost, epsilon = 1e-10);
    }
    Ok(())
}

proptest! {
    #[test]
    fn section_b_3_a_weighted_mean_does_not_see_two_steps_that_move_against_each_other(
        first in 0.05..0.95_f64,
        success in prop::array::uniform2(0.02..0.98_f64),
        shift in prop_oneof![-0.9..-0.1_f64, 0.1..0.9_f64],
        weight in 0.05..0.95_f64,
    ) {
        let process = Process { first, success };
        let custom = WeightSchedule::custom(ws(&[weight, 1.0 - weight])).unwrap();
        for schedule in WeightSchedule::NAMED.into_iter().chain([custom]) {
            the_weighted_mean_is_blind(LogScore::exact(), process, &schedule, shift)?;
            the_weighted_mean_is_blind(BrierScore, process, &schedule, shift)?;
            let beta = BetaScore::new(2.0, 4.0).unwrap();
            the_weighted_mean_is_blind(beta, process, &schedule, shift)?;
        }
    }

    #[test]
    fn corollary_b1_the_last_forecast_alone_leaves_all_before_it_free_and_the_trajectory_score_does_not(
        first in 0.05..0.95_f64,
        success in prop::array::uniform2(0.02..0.98_f64),
        shift in 0.01..0.5_f64,
    ) {
        let process = Process { first, success };
        let other = |q: f64| if q < 0.5 { q + shift } else { q - shift };
        let (g1, g2) = (other(process.true_first_step()), success.map(other));
        holds(LogScore::exact(), process, g1, g2)?;
        holds(BrierScore, process, g1, g2)?;
        holds(BetaScore::new(2.0, 4.0).unwrap(), process, g1, g2)?;
    }
}

#[test]
fn weights_of_every_named_schedule_are_those_of_the_printed_formulas() {
    let mut compared = 0;
    for row in include_str!("../golden/schedules.csv").lines().skip(2) {
        let [name, horizon, step, weight] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let schedule: WeightSchedule = name.parse().unwrap();
        let (horizon, step): (usize, usize) = (horizon.parse().unwrap(), step.parse().unwrap());
        let weight: f64 = weight.parse().unwrap();
        let found = schedule.weights(horizon).unwrap();
        assert_eq!(found.len(), horizon);
        assert!((found[step - 1] / weight - 1.0).abs() < 1e-15, "{row}: {}", found[step - 1]);
        compared += 1;
    }
    assert_eq!(compared, 4 * (1 + 2 + 3 + 5 + 10 + 30));
}
