//! Sums of decimals against caps: as they were written, not as binary numbers hold them.

use budget_estimation::{Advice, AdviceReason, BudgetMonitor, Estimate, RecordedRun};
use proptest::prelude::*;

use crate::common::{interval, runs, turn};

fn capped(cap: f64) -> BudgetMonitor {
    BudgetMonitor::new([("tokens", Some(cap))]).unwrap()
}

fn recorded(cap: f64) -> RecordedRun {
    RecordedRun::new(capped(cap)).unwrap()
}

#[test]
fn cumulative_costs_are_the_decimals_that_their_sums_are() {
    let (rollouts, usd) = runs([([0.1; 3], true)]);
    assert_eq!(rollouts.get(0).unwrap().usage(usd).unwrap().cumulative(), [0.1, 0.2, 0.3]);
}

/// Whether a run of these costs goes over the cap: after the last turn of a monitor, and as a whole.
fn exceeds(costs: &[f64], cap: f64) -> bool {
    let mut monitor = capped(cap);
    let mut stopped = false;
    for &cost in costs {
        // Costs only grow, so that once exceeded the cap stays so.
        let advice = monitor.push(&turn(&[cost], &[Estimate::NoAnswer]), None).unwrap();
        let exceeded = Advice::Stop(AdviceReason::CapExceeded { resource: "tokens".to_owned() });
        assert!(!stopped || advice == exceeded, "{costs:?} under {cap}");
        stopped = advice == exceeded;
    }
    let (mut rollouts, usd) = runs([(costs, true)]);
    rollouts.set_cap(usd, cap).unwrap();
    let rollout = rollouts.get(0).unwrap();
    assert_eq!(rollout.is_feasible().unwrap(), !stopped, "{costs:?} under {cap}");
    let mut run = recorded(cap);
    costs.iter().for_each(|&cost| run.push(&[Some(cost)]).unwrap());
    let (live, whole) = (run.prefix(usd).unwrap().usage(), rollout.usage(usd).unwrap());
    assert_eq!(live, whole);
    assert_eq!(live.left().unwrap() < 0.0, stopped, "{costs:?} under {cap}");
    assert_eq!(monitor.spent(), [live.total()]);
    stopped
}

fn written(units: u64, exponent: i32) -> f64 {
    format!("{units}e{exponent}").parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whole_cents_fit_under_their_sum_and_under_no_cent_less(
        cents in prop::collection::vec(0_u64..10_000, 8),
    ) {
        let costs: Vec<f64> = cents.iter().map(|&cents| cents as f64 / 100.0).collect();
        let sum: u64 = cents.iter().sum();
        prop_assert!(!exceeds(&costs, sum as f64 / 100.0));
        if sum > 0 {
            prop_assert!(exceeds(&costs, (sum - 1) as f64 / 100.0));
        }
    }
}

proptest! {
    /// Whole numbers of a small unit say what is true, of the cap as it is written.
    #[test]
    fn costs_of_mixed_magnitudes_are_held_against_the_cap_as_their_exact_sum_is(
        costs in prop::collection::vec((0_u64..1_000_000_000, -12..6_i32), 1..20),
        turn in 0_usize..20,
        change in -1_i64..2,
    ) {
        let units = |&(digits, exponent): &(u64, i32)| {
            u128::from(digits) * 10_u128.pow((exponent + 12) as u32)
        };
        let sum: u128 = costs.iter().map(units).sum();
        let (_, exponent) = costs[turn % costs.len()];
        // The sum itself, or one more or less of the last place of one of the costs.
        let step = 10_u128.pow((exponent + 12) as u32);
        let cap = sum.saturating_add_signed(i128::from(change) * step as i128);
        let nearest = |units: u128| -> f64 { format!("{units}e-12").parse().unwrap() };
        let costs: Vec<f64> = costs.iter().map(|&(d, e)| written(d, e)).collect();
        // Of 17 digits at most, and from 16 on at least 1000, so that 14 places hold all of them.
        let written_cap = nearest(cap).to_string();
        let (whole, places) = written_cap.split_once('.').unwrap_or((&written_cap, ""));
        let cap_units: u128 = format!("{whole}{places:0<14}").parse().unwrap();
        prop_assert_eq!(exceeds(&costs, nearest(cap)), sum * 100 > cap_units);
    }

    #[test]
    fn what_remains_is_the_exact_sum_of_the_later_turns(
        costs in prop::collection::vec((0_u64..100_000, -6..1_i32), 1..20),
        turn in 0_usize..20,
    ) {
        let all: Vec<f64> = costs.iter().map(|&(d, e)| written(d, e)).collect();
        let (rollouts, usd) = runs([(all, true)]);
        let turn = turn % costs.len();
        let units = |&(d, e): &(u64, i32)| d * 10_u64.pow((e + 6) as u32);
        let later: u64 = costs[turn..].iter().map(units).sum();
        let rollout = rollouts.get(0).unwrap();
        prop_assert_eq!(rollout.remaining(usd, turn).unwrap(), written(later, -6));
    }
}

#[test]
fn an_estimate_that_fits_exactly_under_what_is_left_is_not_impossible() {
    let mut monitor = capped(0.3);
    let tenth = [interval(0.1, 0.1)];
    // In binary 0.3 - 0.2 is less than 0.1.
    assert_eq!(monitor.push(&turn(&[0.2], &tenth), None), Ok(Advice::Continue));
    // Seven tenths of 0.1 is 0.07, of which the binary product falls short.
    let mut monitor = capped(0.1).with_warning_at(0.7).unwrap();
    let none = [Estimate::NoAnswer];
    assert_eq!(monitor.push(&turn(&[0.7 * 0.1], &none), None), Ok(Advice::Continue));
    let near = Advice::Warn(AdviceReason::NearCap { resource: "tokens".to_owned() });
    assert_eq!(monitor.push(&turn(&[0.1 - 0.1 + 1e-17], &none), None), Ok(near));
}

#[test]
fn amounts_too_far_apart_for_exact_decimals_lose_only_their_lowest_digits() {
    assert!(!exceeds(&[1e60, 1e-60], 1e60));
    assert!(exceeds(&[1e60, 1e45], 1e60));
    assert!(exceeds(&[1e-60, 1e60], 9.999e59));
}

#[test]
fn a_cap_is_exceeded_by_what_rounding_takes_away() {
    for (costs, cap, left) in [
        (&[0.1; 3][..], 0.3, 0.0),
        (&[1e16, 1.0], 1e16, -1.0),
        (&[999_999_999_999_999.0, 0.001], 999_999_999_999_999.0, -0.001),
        (&[1e16, 1.0, 1.0], 1e16 + 2.0, 0.0),
        (&[0.1 + 0.2, 1e-20], 0.1 + 0.2, -1e-20),
        (&[0.1 + 0.2, 0.1], 0.4, -4e-17),
        (&[1e16, 1.0], 1e16 + 2.0, 1.0),
    ] {
        assert_eq!(exceeds(costs, cap), left < 0.0, "{costs:?} under {cap}");
        let mut run = recorded(cap);
        let usd = run.rollouts().resource("tokens").unwrap();
        costs.iter().for_each(|&cost| run.push(&[Some(cost)]).unwrap());
        assert_eq!(run.prefix(usd).unwrap().usage().left(), Some(left), "{costs:?} under {cap}");
    }
}
