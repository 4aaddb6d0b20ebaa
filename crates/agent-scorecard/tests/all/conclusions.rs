//! Conclusions of reports without a file of runs: no sentence says what its figures or intervals contradict.

use agent_scorecard::{
    Block, Report, Value,
    agent_benchmarks::{
        Reply, Request, converse,
        costbench::{CostBench, Split, queries},
    },
    knapsack_oracle::{Alpha, BudgetAware, ReSolve},
    live::{self, LiveOptions},
    triage::{ReSolvedCounts, VariantScore, VariantTable, re_solved},
};
use proptest::prelude::*;

fn report(block: Block) -> Report {
    Report::of_columns(vec![(String::new(), None, block)])
}

fn rows<'a>(block: &'a Block, key: &str) -> &'a [Block] {
    match block.get(key) {
        Some(Value::Rows { rows, .. }) => rows,
        other => unreachable!("{other:?}"),
    }
}

fn ends(block: &Block, key: &str) -> Option<[f64; 2]> {
    block.figure(key).ok()?.interval.ok().map(|ends| [ends.low(), ends.high()])
}

/// Attempts as solved before, solved after.
fn counts(attempts: &[(bool, bool)]) -> ReSolvedCounts {
    let mut counts = BudgetAware::default();
    for &(solved_before, solved_after) in attempts {
        let cost = if solved_after { 5 } else { 20 };
        counts.update(ReSolve { allocation: 10, cost, solved_before, solved_after }).unwrap();
    }
    [("m".to_owned(), [("d".to_owned(), counts)].into())].into()
}

#[test]
fn a_clear_gain_of_disclosed_budgets_is_called_so_with_its_interval() {
    let attempts =
        [vec![(false, true); 30], vec![(true, true); 30], vec![(false, false); 40]].concat();
    let report = report(re_solved(&counts(&attempts)));
    assert_eq!(
        report.conclusion,
        [
            "Of 100 problems, m solved 30 % [22, 40] without a disclosed budget and 60 % [50, 69] with one; \
          the gain of 30 points [20, 39] is beyond noise; 60 % [50, 69] of the attempts with a disclosed budget stayed within it."
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn of_problems_solved_again(attempts in prop::collection::vec(any::<(bool, bool)>(), 1..80), bias in any::<bool>()) {
        let attempts: Vec<(bool, bool)> = attempts.into_iter().map(|(a, b)| (a, b || bias)).collect();
        let report = report(re_solved(&counts(&attempts)));
        let row = &rows(&report.columns[0].block, "models")[0];
        let said = report.conclusion.join(" ");
        let change = row.number("accuracy_change").unwrap();
        let solved = |is: fn(&(bool, bool)) -> bool| attempts.iter().filter(|it| is(it)).count() as f64;
        let expected = (solved(|it| it.1) - solved(|it| it.0)) / attempts.len() as f64;
        prop_assert!((change - expected).abs() < 1e-12);
        let ends = ends(row, "accuracy_change");
        let is = ends.map_or([false, false, false, true], |[low, high]| {
            [low > 0.0, high < 0.0, low <= 0.0 && high >= 0.0, false]
        });
        let texts = ["the gain of", "the loss of", "may be noise", "without an interval"];
        prop_assert_eq!(texts.map(|text| said.contains(text)), is, "{} {:?}", said, ends);
        if let Some([low, high]) = ends {
            prop_assert!(low <= change && change <= high);
        }
    }

    #[test]
    fn of_prompts(etas in prop::collection::vec(-1.0..1.0_f64, 1..30)) {
        // Three variants for each of two models at up to five budgets.
        let mut table = VariantTable::default();
        let mut means = std::collections::BTreeMap::<(usize, usize), Vec<f64>>::new();
        for (at, &eta) in etas.iter().enumerate() {
            let (variant, model, alpha) = (at % 3, at / 3 % 2, at / 6);
            means.entry((model, alpha)).or_default().push(eta);
            table.insert(VariantScore {
                model: format!("m{model}"), mode: String::new(), dataset: String::new(), variant: format!("v{variant}"),
                alpha: Alpha::new(0.1 * (alpha + 1) as f64).unwrap(), eta_advisory: Some(eta), eta_enforced: None,
            }).unwrap();
        }
        let n_variants = etas.len().min(3);
        let ranges = means.values().filter(|of| of.len() == n_variants).map(|of| {
            of.iter().copied().fold(f64::MIN, f64::max) - of.iter().copied().fold(f64::MAX, f64::min)
        });
        let ranges: Vec<f64> = ranges.collect();
        let report = report(table.block().unwrap());
        prop_assert_eq!(report.conclusion.is_empty(), n_variants == 1);
        if n_variants > 1 {
            let said = report.conclusion.join(" ");
            let most = ranges.iter().copied().fold(0.0, f64::max);
            let most = format!("at most {}, over {} pair", agent_scorecard::shown(most), ranges.len());
            prop_assert!(said.contains(&most), "{} {}", said, most);
            prop_assert!(said.contains("no intervals"));
        }
    }
}

#[test]
fn a_live_model_is_described_with_its_runs_beside_the_greedy_policy() {
    let bench = CostBench::new(0).unwrap();
    let silent = || |_: &Request| Ok(Reply::default());
    let queries = queries(Split::Test, 42);
    let records = queries[..12].iter();
    let records =
        records.map(|query| converse(bench.instance(query).conversation(), silent()).unwrap());
    let records: Vec<_> = records.collect();
    let options = LiveOptions { model: "silent".to_owned(), resamples: 50, seed: 1 };
    let report = live::costbench(&records, &options).unwrap();
    assert_eq!(report.conclusion, ["Left out: 12 runs without a call."]);
}
