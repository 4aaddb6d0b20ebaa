//! Settings, plans and counts can be stored as JSON and read again, and invalid JSON is refused.
//! Results can be stored.

use std::fmt::Debug;

use knapsack_oracle::{
    Alpha, BudgetAware, DropReason, EqualShares, FitRule, Item, KnapsackItem, Plan, PlanReading,
    Pool, ReSolve, ReferencePlanner, Regime, Repair, Seed, Step, UnreadableReason,
    UnsolvableCounts, VariantScores,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::item;

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
    crate::pool([item("a", 5, true), item("b", 3, false), item("c", 4, true)])
}

#[test]
fn settings_and_planners_round_trip() {
    round_trips(&pool());
    round_trips(&Alpha::SWEEP);
    round_trips(&(FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit));
    round_trips(&(Regime::Advisory, Regime::Enforced));
    round_trips(&(
        [ReferencePlanner::CheapestFirst, ReferencePlanner::ValuePerCost, ReferencePlanner::Oracle],
        EqualShares::InOrder,
        EqualShares::Random { seed: Seed(7), stream: 3 },
    ));
    round_trips(&Step { position: 1, allocation: 2 });
    round_trips(&ReSolve { allocation: 5, cost: 4, solved_before: true, solved_after: false });
    round_trips(&KnapsackItem { profit: 3, weight: 4 });
}

#[test]
fn plans_round_trip_through_checks() {
    let pool = pool();
    let plan = Plan::new(&[("a", 5), ("b", 2), ("c", 4)], &pool, 11).unwrap();
    refuses(&plan, &[(r#""position":1"#, r#""position":0"#, "twice")]);
}

#[test]
fn results_are_written() {
    let pool = pool();
    let unparseable: PlanReading =
        PlanReading::Unparseable { reason: UnreadableReason::NoJson, at: 0 };
    assert_eq!(
        serde_json::to_string(&unparseable).unwrap(),
        r#"{"unparseable":{"reason":"no_json","at":0}}"#
    );
    let reason = DropReason::NotATokenCount { given: "5 %".to_owned() };
    let repair: Repair = Repair::EntryDropped { entry: 0, reason };
    assert_eq!(
        serde_json::to_string(&repair).unwrap(),
        r#"{"entry_dropped":{"entry":0,"reason":{"not_a_token_count":{"given":"5 %"}}}}"#
    );
    let oracle = pool.oracle(9).unwrap();
    assert_eq!(
        serde_json::to_string(&oracle).unwrap(),
        r#"{"value":2.0,"chosen":[0,2],"upper_bound":2.0,"proof":"bound"}"#
    );
    let plan = Plan::new(&[("a", 9)], &pool, 9).unwrap();
    let run = plan.execute(&pool, 9, Regime::Advisory).unwrap();
    assert_eq!(
        serde_json::to_string(&run).unwrap(),
        r#"{"regime":"advisory","attempts":[{"position":0,"spent":5,"earned":1.0}],"stopped_by":null,"earned":1.0,"spent":5,"informed":false}"#
    );
}

#[test]
fn errors_are_written_as_their_text() {
    let error = Plan::new(&[("a", 5)], &pool(), 4).unwrap_err();
    let text = serde_json::to_value(&error).unwrap();
    assert_eq!(text, "the plan allocates 5, which is more than the budget of 4");
}

#[test]
fn counts_and_variants_round_trip_through_checks() {
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
}

#[test]
fn an_item_is_read_from_json_through_the_same_checks() {
    let item = Item::new("a", 0.1, 7, true).unwrap();
    let text = round_trips(&item);
    assert_eq!(text, r#"{"id":"a","value":0.1,"cost":7,"solved":true}"#);
    let refused = [("7", "0", "costs nothing"), ("0.1", "0", "1e-100"), ("0.1", "-1", "1e-100")];
    refuses(&item, &refused);
}
