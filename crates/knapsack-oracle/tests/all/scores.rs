//! Scores compared with the tables of the paper and with SciPy.

use knapsack_oracle::{
    BudgetAware, Efficiency, Error, MeanEfficiency, MeanRegret, PoolValues, ReSolve, kendall_tau_b,
    normalized_regret,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{EMPTY, entry, is_undefined, length, setting};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/triage.json")).unwrap()
}

fn efficiency(achieved: f64, random: f64, oracle: f64) -> Result<Efficiency, Error> {
    Efficiency::new(PoolValues { achieved, random, oracle })
}

#[test]
fn the_three_conventions_of_the_paper_hold() {
    let cases = golden()["eta_convention"].as_array().unwrap().clone();
    let scores: Vec<f64> = cases.iter().map(|case| case["eta"].as_f64().unwrap()).collect();
    let achieved = efficiency(4.0, 4.0, 4.0).unwrap();
    let missed = efficiency(3.0, 4.0, 4.0).unwrap();
    let nothing = efficiency(0.0, 0.0, 0.0).unwrap();
    assert_eq!([achieved, missed, nothing].map(|of_pool| of_pool.score()), scores[..]);
    assert_eq!(achieved, Efficiency::RandomIsOptimal { achieved: true });
    assert_eq!(missed, Efficiency::RandomIsOptimal { achieved: false });
    assert_eq!(nothing, Efficiency::NothingSolvable);
    assert!(is_undefined(&normalized_regret(0.0, 0.0)));
    assert_eq!(cases[2]["normalized_regret"], "undefined");
}

#[test]
fn the_regret_is_the_share_of_the_oracles_value_that_was_not_earned() {
    for (achieved, regret) in [(4.0, 0.0), (3.0, 0.25), (2.0, 0.5), (1.0, 0.75), (0.0, 1.0)] {
        assert_eq!(normalized_regret(achieved, 4.0), Ok(regret));
    }
}

#[test]
fn tau_b_equals_that_of_scipy() {
    let mut rows = 0;
    for line in include_str!("../golden/kendall.csv").lines().skip(2) {
        let mut fields = line.split(',');
        let mut list = || -> Vec<f64> {
            fields.next().unwrap().split(' ').map(|number| number.parse().unwrap()).collect()
        };
        let (a, b) = (list(), list());
        let want: f64 = fields.next().unwrap().parse().unwrap();
        let tau = kendall_tau_b(&a, &b).unwrap();
        assert!((tau - want).abs() < 1e-14, "{line}: {tau}");
        rows += 1;
    }
    assert!(rows > 80);
}

#[test]
fn rankings_of_equal_scores_have_no_tau() {
    for (a, b) in [(vec![], vec![]), (vec![1.0], vec![2.0]), (vec![1.0, 1.0], vec![1.0, 2.0])] {
        assert!(is_undefined(&kendall_tau_b(&a, &b)), "{a:?} {b:?}");
    }
    assert_eq!(kendall_tau_b(&[1.0], &[]), Err(length("second scores", 1, 0)));
    let error = kendall_tau_b(&[1.0, f64::NAN], &[1.0, 2.0]).unwrap_err();
    assert_eq!(error.to_string(), "first score 1 is NaN; it must be a number");
    assert_eq!(entry(kendall_tau_b(&[1.0, 2.0], &[f64::NAN, 1.0])), ("second score", 0));
    assert_eq!(kendall_tau_b(&[0.0, -0.0, 1.0], &[1.0, 1.0, 2.0]), Ok(1.0));
    let tied = kendall_tau_b(&[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0]);
    assert_eq!(kendall_tau_b(&[0.0, -0.0, 1.0], &[1.0, 2.0, 3.0]), tied);
    assert_eq!(kendall_tau_b(&[f64::NEG_INFINITY, 0.0], &[0.0, f64::INFINITY]), Ok(1.0));
}

#[test]
fn impossible_values_are_refused() {
    for (achieved, random, oracle) in [
        (f64::NAN, 0.0, 1.0),
        (0.0, f64::NAN, 1.0),
        (0.0, 0.0, f64::NAN),
        (0.0, 0.0, f64::INFINITY),
        (1.1, 0.0, 1.0),
        (0.0, 1.1, 1.0),
        (-0.1, 0.0, 1.0),
        (0.1, 0.0, 0.0),
    ] {
        setting(efficiency(achieved, random, oracle));
    }
    assert_eq!(setting(normalized_regret(2.0, 1.0)), "achieved value");
}

#[test]
fn means_leave_out_undefined_pools_and_count_them() {
    let pools = [
        Efficiency::Informative(-2.0),
        Efficiency::Informative(1.0),
        Efficiency::NothingSolvable,
        Efficiency::RandomIsOptimal { achieved: false },
    ];
    let mean = MeanEfficiency::new(&pools).unwrap();
    assert_eq!((mean.score, mean.informative_score), (0.0, Some(-0.5)));
    assert_eq!((mean.pools, mean.nothing_solvable, mean.random_is_optimal), (4, 1, 1));
    assert!((mean.standard_error.unwrap() - (6.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
    assert_eq!(MeanEfficiency::new(&[]), Err(EMPTY));
    assert_eq!(MeanEfficiency::new(&pools[2..3]).unwrap().standard_error, None);
    assert_eq!(MeanEfficiency::new(&pools[2..3]).unwrap().informative_score, None);
    assert_eq!(MeanRegret::new(&[None, None]), Err(EMPTY));
    let mean = MeanRegret::new(&[None, Some(0.5), None, None]).unwrap();
    assert_eq!((mean.pools, mean.left_out, mean.standard_error), (1, 3, None));
}

#[test]
fn re_solving_refuses_an_item_without_an_allocation() {
    let item = ReSolve { allocation: 0, cost: 1, solved_before: true, solved_after: true };
    let mut counts = BudgetAware::default();
    let refused = counts.update(item);
    assert_eq!(setting(refused), "allocation");
    assert_eq!(counts.compliance_rate(), Err(EMPTY));
}

/// Computes tau-b by counting all pairs.
fn tau_b_by_definition(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mut agree, mut disagree, mut apart_a, mut apart_b) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..a.len() {
        for j in 0..i {
            let (da, db) = (a[i] - a[j], b[i] - b[j]);
            apart_a += f64::from(da != 0.0);
            apart_b += f64::from(db != 0.0);
            agree += f64::from(da * db > 0.0);
            disagree += f64::from(da * db < 0.0);
        }
    }
    (apart_a * apart_b > 0.0).then(|| (agree - disagree) / f64::sqrt(apart_a * apart_b))
}

fn counts(items: &[ReSolve]) -> BudgetAware {
    let mut counts = BudgetAware::default();
    items.iter().for_each(|&item| counts.update(item).unwrap());
    counts
}

fn rates(counts: &BudgetAware) -> [f64; 3] {
    [counts.compliance_rate(), counts.baseline_accuracy(), counts.budget_aware_accuracy()]
        .map(Result::unwrap)
}

fn re_solves(most: usize) -> impl Strategy<Value = Vec<ReSolve>> {
    let item = (1..257_u64, 0..256_u64, any::<bool>(), any::<bool>()).prop_map(
        |(allocation, cost, solved_before, solved_after)| ReSolve {
            allocation,
            cost,
            solved_before,
            solved_after,
        },
    );
    prop::collection::vec(item, 1..most)
}

proptest! {
    #[test]
    fn rates_of_merged_counts_are_means_weighted_by_the_number_of_items(
        data_sets in prop::collection::vec(re_solves(20), 1..6),
    ) {
        let mut merged = BudgetAware::default();
        let (mut items, mut sums) = (0.0, [0.0; 3]);
        for data_set in &data_sets {
            let counts = counts(data_set);
            merged.merge(&counts);
            let n = counts.items() as f64;
            items += n;
            sums.iter_mut().zip(rates(&counts)).for_each(|(sum, rate)| *sum += n * rate);
        }
        prop_assert_eq!(merged, counts(&data_sets.concat()));
        for (rate, sum) in rates(&merged).into_iter().zip(sums) {
            prop_assert!((rate - sum / items).abs() < 1e-12);
        }
    }

    #[test]
    fn tau_b_equals_its_definition(
        rows in prop::collection::vec((0..6_i32, 0..6_i32), 0..40),
    ) {
        let a: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let b: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        match (kendall_tau_b(&a, &b), tau_b_by_definition(&a, &b)) {
            (Ok(tau), Some(want)) => {
                prop_assert!((tau - want).abs() < 1e-14);
                prop_assert_eq!(kendall_tau_b(&b, &a), Ok(tau));
                let turned: Vec<f64> = b.iter().map(|b| -b).collect();
                prop_assert_eq!(kendall_tau_b(&a, &turned), Ok(-tau));
            }
            (tau, None) if is_undefined(&tau) => {}
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn efficiency_is_at_most_1_and_1_only_for_the_oracle(
        oracle in 1..=30_u32, part in 0..=30_u32, random_share in 0.0..0.999_f64,
    ) {
        let (achieved, random) = (part.min(oracle), random_share * f64::from(oracle));
        let score = efficiency(achieved.into(), random, oracle.into()).unwrap().score();
        prop_assert!(score <= 1.0);
        prop_assert_eq!(score == 1.0, achieved == oracle);
        let regret = normalized_regret(achieved.into(), oracle.into()).unwrap();
        prop_assert!((0.0..=1.0).contains(&regret));
        prop_assert_eq!(regret == 0.0, achieved == oracle);
    }

    #[test]
    fn the_four_counts_add_up(items in re_solves(50)) {
        let counts = counts(&items);
        prop_assert_eq!(counts.items(), items.len() as u64);
        let [compliance, before, after] = rates(&counts);
        let net = counts.newly_correct as f64 - counts.lost_correct as f64;
        prop_assert!((after - before - net / items.len() as f64).abs() < 1e-14);
        let count = |is: &dyn Fn(&ReSolve) -> bool| items.iter().filter(|item| is(item)).count() as u64;
        prop_assert_eq!(counts.kept_correct, count(&|item| item.solved_before && item.solved_after));
        prop_assert_eq!(counts.lost_correct, count(&|item| item.solved_before && !item.solved_after));
        prop_assert_eq!(counts.newly_correct, count(&|item| !item.solved_before && item.solved_after));
        prop_assert_eq!(counts.still_wrong, count(&|item| !item.solved_before && !item.solved_after));
        let compliant = count(&|item| item.cost <= item.allocation) as f64 / items.len() as f64;
        prop_assert_eq!(compliance, compliant);
    }
}

#[test]
fn invalid_scores_have_no_mean() {
    for wrong in [f64::NAN, f64::NEG_INFINITY, 1.1] {
        let pools = [Efficiency::Informative(0.5), Efficiency::Informative(wrong)];
        assert_eq!(entry(MeanEfficiency::new(&pools)), ("efficiency", 1));
        let regrets = [None, Some(0.5), Some(wrong)];
        assert_eq!(entry(MeanRegret::new(&regrets)), ("regret", 2));
    }
}

#[test]
fn rounding_is_relative_to_the_size_of_the_values() {
    for size in [1e-6, 1.0, 1e6] {
        let score = efficiency(size, size * (1.0 - 1e-11), size).unwrap();
        assert_eq!(score, Efficiency::RandomIsOptimal { achieved: true });
        let score = efficiency(size, size * (1.0 - 1e-3), size).unwrap();
        assert_eq!(score, Efficiency::Informative(1.0));
    }
    // It never lifts an efficiency above 1.
    let score = efficiency(1.0 + 5e-10, 1.0 - 2e-9, 1.0).unwrap();
    assert_eq!(score, Efficiency::Informative(1.0));
}
