//! Settings and results can be stored as JSON and read again, and invalid JSON is refused.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;

use knapsack_oracle::{
    Alpha, BudgetAware, BudgetStaircase, CheapestFirst, DropReason, Efficiency, ExactRandom,
    Execution, FitRule, ForecastThreshold, InOrder, InjectedPool, Item, Knapsack, KnapsackItem,
    MeanEfficiency, MeanRegret, MultidimensionalKnapsack, MultidimensionalSolution, Oracle,
    OraclePlanner, OrderedExecution, Plan, PlanReading, Pool, Probability, RandomOrder, ReSolve,
    Regime, Repair, SampledRandom, Seed, Solution, Step, UnreadableReason, UnsolvableCounts,
    ValuePerCost, VariantScores, execute, inject_unsolvable, mean_efficiency_score, mean_regret,
    repair_plan,
};
use serde::{Serialize, de::DeserializeOwned};

fn round_trips<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

/// Checks that the stored text is refused after each of the replacements.
fn refuses<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    value: &T,
    changes: &[(&str, &str, &str)],
) {
    let text = round_trips(value);
    for (from, to, why) in changes {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let error = serde_json::from_str::<T>(&changed).unwrap_err().to_string();
        assert!(error.contains(why), "{changed}: {error}");
    }
}

fn pool() -> Pool {
    let item = |id, cost, solved| Item::new(id, 1.0, cost, solved).unwrap();
    Pool::new(vec![item("a", 5, true), item("b", 3, false), item("c", 4, true)]).unwrap()
}

#[test]
fn settings_and_planners_round_trip() {
    round_trips(&pool());
    round_trips(&Alpha::SWEEP);
    round_trips(&(FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit));
    round_trips(&(Regime::Advisory, Regime::Enforced));
    round_trips(&(
        CheapestFirst,
        ValuePerCost,
        OraclePlanner,
        InOrder,
        RandomOrder::new(Seed::new(7), 3),
    ));
    round_trips(&Step { position: 1, allocation: 2 });
    round_trips(&ReSolve { allocation: 5, cost: 4, solved_before: true, solved_after: false });
    round_trips(&KnapsackItem { profit: 3, weight: 4 });
    let probabilities = vec![Probability::HALF, Probability::ONE];
    let threshold = Probability::new(0.25).unwrap();
    let planner = ForecastThreshold::new(vec![5, 4], probabilities, threshold).unwrap();
    refuses(&planner, &[("0.25", "1.25", "1.25"), ("[5,", "[", "must have the same length")]);
}

#[test]
fn plans_and_their_results_round_trip_through_checks() {
    let pool = pool();
    let plan = Plan::new(&[("a", 5), ("b", 2), ("c", 4)], &pool, 11).unwrap();
    refuses(&plan, &[(r#""position":1"#, r#""position":0"#, "twice")]);
    let execution = execute(&plan, &pool, 9, Regime::Advisory).unwrap();
    assert_eq!(execution.stopped_by, Some(2));
    refuses::<Execution>(
        &execution,
        &[
            (r#""spent":5"#, r#""spent":6"#, "`spent` must be the sum"),
            (r#""earned":1.0}"#, r#""earned":0.0}"#, "`earned` must be the sum"),
            (r#""earned":1.0}"#, r#""earned":-1.0}"#, "at least 0"),
            (r#""stopped_by":2"#, r#""stopped_by":0"#, "twice"),
        ],
    );
    let several = Pool::new(vec![Item::with_costs("a", 1.0, [5, 2], true).unwrap()]).unwrap();
    let run = several.execute_in_order(&[0], &[9, 9]).unwrap();
    refuses::<OrderedExecution<2>>(&run, &[("[5,2]", "[5]", "found 1 numbers for 2")]);
}

#[test]
fn readings_of_texts_round_trip() {
    let pool = pool();
    for text in [
        "",
        r#"{"plan": [{"id": "a", "allocation": 5}]}"#,
        r#"So: {'plan': [{'task_id': ' a', 'allocation': '5', 'x': 1}, {'id': 'a'}, {'id': 'z'},]}"#,
        r#"[{"id": "a", "allocation": 18446744073709551615}, {"id": "c", "allocation": 9}"#,
        r#"[{"id": "b", "allocation": "5 %"}, {"id": "a", "id": "a"}, {}, 5] [{"id": "a"}]"#,
        r#"[{"id": "b", "allocation": "5 %"}, {"id": "a", "id": "a"}, {}, 5]"#,
    ] {
        round_trips(&repair_plan(text, &pool, 100));
    }
    let unparseable = PlanReading::Unparseable { reason: UnreadableReason::NoJson, at: 0 };
    assert_eq!(round_trips(&unparseable), r#"{"unparseable":{"reason":"no_json","at":0}}"#);
    let reason = DropReason::NotATokenCount { given: "5 %".to_owned() };
    assert_eq!(
        round_trips(&Repair::EntryDropped { entry: 0, reason }),
        r#"{"entry_dropped":{"entry":0,"reason":{"not_a_token_count":{"given":"5 %"}}}}"#
    );
}

#[test]
fn references_round_trip_through_checks() {
    let pool = pool();
    refuses::<Oracle>(
        &pool.oracle(9).unwrap(),
        &[("[0,2]", "[2,0]", "ascending"), ("2.0", "-2.0", "at least 0")],
    );
    let exact: ExactRandom = pool.random_exact(5).unwrap();
    refuses(&exact, &[(r#"probabilities":["#, r#"probabilities":[1.5,"#, "from 0 to 1")]);
    let sampled: SampledRandom =
        pool.random_sampled(5, FitRule::StopAtFirst, 128, Seed::new(1)).unwrap();
    refuses(&sampled, &[(r#""shuffles":128"#, r#""shuffles":1"#, "from 2")]);
    let items = [(1, 4), (2, 5), (3, 6)].map(|(profit, weight)| KnapsackItem { profit, weight });
    let solution: Solution = Knapsack::new(9, &items).unwrap().solve();
    refuses(&solution, &[(r#""value":"#, r#""value":9"#, "at most `upper_bound`")]);
    let items = [(1, [4, 4]), (2, [5, 5])].map(|(profit, weight)| KnapsackItem { profit, weight });
    let several = MultidimensionalKnapsack::new([9, 9], &items).unwrap();
    let solution: MultidimensionalSolution<2> = several.solve();
    refuses(&solution, &[("[0,1]", "[1,0]", "ascending"), ("[9,9]", "[9]", "2 resources")]);
    let items = [(4, 3), (5, 4)].map(|(profit, weight)| KnapsackItem { profit, weight });
    let stairs = BudgetStaircase::new(&items).unwrap();
    refuses(&stairs, &[("[4,5]", "[3,5]", "go up"), ("[0,0]", "[1,0]", "budget of 0")]);
}

#[test]
fn scores_round_trip_through_checks() {
    let pools = [
        Efficiency::Informative(0.5),
        Efficiency::NothingSolvable,
        Efficiency::RandomIsOptimal { achieved: true },
        Efficiency::Informative(-2.0),
    ];
    round_trips(&pools);
    refuses(&pools[0], &[("0.5", "1.5", "at most 1")]);
    let mean: MeanEfficiency = mean_efficiency_score(&pools).unwrap();
    refuses(
        &mean,
        &[
            (r#""pools":4"#, r#""pools":1"#, "more undefined pools"),
            (r#""pools":4"#, r#""pools":2"#, "`informative_score` must be present"),
            (r#""score":"#, r#""score":7"#, "at most 1"),
        ],
    );
    let regret: MeanRegret = mean_regret(&[Some(0.5), None, Some(0.25)]).unwrap();
    refuses(
        &regret,
        &[(r#""pools":2"#, r#""pools":1"#, "`standard_error`"), ("0.375", "3.75", "0 to 1")],
    );
    let item = ReSolve { allocation: 5, cost: 4, solved_before: true, solved_after: false };
    let mut counts = BudgetAware::default();
    counts.update(item).unwrap();
    refuses(&counts, &[(r#""compliant":1"#, r#""compliant":2"#, "at most the number")]);
    let plan = Plan::new(&[("a", 2), ("b", 2)], &pool(), 9).unwrap();
    let mut counts = UnsolvableCounts::default();
    counts.update(&plan, &[false, true, true]).unwrap();
    refuses(
        &counts,
        &[
            (r#""left_out":1"#, r#""left_out":3"#, "at most `unsolvable`"),
            (r#""wasted":2"#, r#""wasted":5"#, "at most `allocated`"),
        ],
    );
    let variants = VariantScores::new(&[[0.5, 0.25], [0.75, 0.5]]).unwrap();
    refuses(&variants, &[("0.25]", "0.25,1.0]", "expected 3, found 2")]);
    let pair = variants.rank_correlations()[0];
    refuses(&pair, &[("1.0", "1.5", "-1 to 1"), (r#""first":0"#, r#""first":1"#, "below")]);
}

#[test]
fn an_injected_pool_round_trips_through_checks() {
    let item = |id, solved| Item::new(id, 1.0, 5, solved).unwrap();
    let unsolvable = [item("x", false), item("y", false), item("z", false)];
    let injected = inject_unsolvable(&[pool()], &unsolvable, 1.0, Seed::new(1)).unwrap().remove(0);
    refuses::<InjectedPool>(
        &injected,
        &[
            ("[true,true,true]", "[true,true]", "one mark per item"),
            (r#""solved":false"#, r#""solved":true"#, "must not be solved"),
        ],
    );
}
