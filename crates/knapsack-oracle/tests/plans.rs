//! Plans: what is refused, what is mended, and that no text can hurt.
#![allow(clippy::unwrap_used)]

use knapsack_oracle::{Error, Item, Plan, PlanReading, Pool, Repair, Step, repair_plan};
use proptest::prelude::*;

fn pool() -> Pool {
    let item = |id, cost| Item::new(id, 1.0, cost, true).unwrap();
    Pool::new(vec![item("a", 100), item("b", 200), item("c", 300), item("7", 400)]).unwrap()
}

fn steps(reading: &PlanReading) -> Vec<(usize, u64)> {
    reading.plan().unwrap().steps().iter().map(|step| (step.position, step.allocation)).collect()
}

#[test]
fn a_strict_plan_names_items_of_the_pool_once_within_the_budget() {
    let pool = pool();
    let plan = Plan::new(&[("c", 300), ("a", 0)], &pool, 300).unwrap();
    assert_eq!(plan.steps()[1], Step { position: 0, allocation: 0 });
    assert!(!plan.is_informed());
    assert_eq!(
        Plan::new(&[("a", 1), ("x", 1)], &pool, 300),
        Err(Error::UnknownId { index: 1, id: "x".into() })
    );
    assert_eq!(
        Plan::new(&[("a", 1), ("b", 1), ("a", 1)], &pool, 300),
        Err(Error::DuplicateId { id: "a".into(), first: 0, second: 2 })
    );
    assert_eq!(
        Plan::new(&[("a", u64::MAX), ("b", u64::MAX)], &pool, u64::MAX),
        Err(Error::OverBudget { allocated: 2 * u128::from(u64::MAX), budget: u64::MAX })
    );
    let nothing: [(&str, u64); 0] = [];
    assert_eq!(Plan::new(&nothing, &pool, 0).unwrap().steps(), []);
}

#[test]
fn a_plan_as_asked_for_needs_no_repair() {
    let reading = repair_plan(
        r#"{"plan":[{"id":"b","allocation":5},{"id":"a","allocation":0}]}"#,
        &pool(),
        5,
    );
    assert!(matches!(reading, PlanReading::Plan { .. }), "all of the budget is within it");
    assert_eq!(steps(&reading), [(1, 5), (0, 0)]);
    assert_eq!(reading.repairs(), []);
}

#[test]
fn each_repair_is_reported() {
    let text = r#"Sure! ```json
        {"plan": [
            {"id": "c", "allocation": 1,200, "why": ["short", {"and": "sure"}]},
            {"id": "x", "allocation": 5},
            {"allocation": 5},
            "b",
            {"id": 7, "allocation": -3},
            {"id": "a"}
        ]} ``` I left out b."#;
    let reading = repair_plan(text, &pool(), 2_000);
    assert_eq!(steps(&reading), [(2, 1_200), (3, 0), (0, 0)]);
    let allocation =
        |entry, given: &str, taken| Repair::Allocation { entry, given: given.into(), taken };
    assert_eq!(
        reading.repairs(),
        [
            Repair::TextStripped { before: 13, after: 17 },
            Repair::ExtraFields { entry: 0, fields: 1 },
            allocation(0, "1,200", 1_200),
            Repair::UnknownId { entry: 1, id: "x".into() },
            Repair::EntryDropped { entry: 2 },
            Repair::EntryDropped { entry: 3 },
            allocation(4, "-3", 0),
            allocation(5, "", 0),
        ]
    );
}

#[test]
fn outcomes_that_no_repair_can_change_have_names() {
    let pool = pool();
    let over = repair_plan(r#"[{"id":"a","tokens":60},{"id":"b","tokens":41}]"#, &pool, 100);
    assert!(
        matches!(&over, PlanReading::OverBudget { allocated: 101, repairs, .. } if repairs.is_empty())
    );
    assert_eq!(steps(&over), [(0, 60), (1, 41)]);

    let twice = repair_plan(r#"[{"id":"a","tokens":6},{"id":"a","tokens":4}]"#, &pool, 100);
    assert!(matches!(&twice, PlanReading::DuplicateId { id, .. } if id == "a"));
    assert_eq!(twice.plan(), None);

    assert_eq!(repair_plan(r#"[{"id":"a","tokens":6}"#, &pool, 100), PlanReading::Unparseable);

    let empty = repair_plan(r#"{"plan": []}"#, &pool, 100);
    assert_eq!(steps(&empty), []);
}

#[test]
fn the_last_plan_counts_and_the_others_are_reported() {
    let text =
        r#"{"plan":[{"id":"a","allocation":1}]} or rather {"plan":[{"id":"b","allocation":2}]}"#;
    let reading = repair_plan(text, &pool(), 100);
    assert_eq!(steps(&reading), [(1, 2)]);
    assert!(reading.repairs().contains(&Repair::SeveralPlans { found: 2 }));
}

#[test]
fn texts_that_would_take_hours_in_quadratic_time_take_none() {
    let pool = pool();
    for part in [
        "[",
        "{",
        "[{",
        "[[{\"a\":",
        "{\"a\":[",
        "[{\"a\":[",
        "{\"",
        "\"",
        "\\",
        "[\"",
        "[{\"id\":\"a\"},",
        "[1,   ",
        "{\"a\":1,   ",
        "{\"a\":1,,",
        "\"plan\":  [",
        "   ",
        "[{\"id\":\"\\u00",
        "[]",
        "{}",
        "[],{",
        "[{\"id\":\"a\",\"tokens\":1}],",
    ] {
        let text = part.repeat(200_000 / part.len());
        let _ = repair_plan(&text, &pool, 10);
        let _ = repair_plan(&format!("{text}\""), &pool, 10);
        let _ = repair_plan(&format!("[{text}]"), &pool, 10);
        let _ = repair_plan(&format!("{{\"plan\":[{{\"id\":{text}}}]}}"), &pool, 10);
    }
}

proptest! {
    #[test]
    fn no_text_panics(characters in prop::collection::vec(any::<char>(), 0..60)) {
        let text: String = characters.into_iter().collect();
        let _ = repair_plan(&text, &pool(), 10);
    }

    #[test]
    fn no_text_of_json_pieces_panics_and_what_is_read_is_a_plan(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "{", "}", "\"", ",", ":", "\"plan\"", "\"id\"", "\"a\"", "\"b\"", "\"tokens\"",
            "1", "-2.5e3", "1,000", "\\", "\\u", "d83d", "\n", " ", "é", "{\"id\":\"a\",\"tokens\":5}", "null",
        ]), 0..40),
    ) {
        let (text, pool) = (pieces.concat(), pool());
        let reading = repair_plan(&text, &pool, 10);
        if let Some(plan) = reading.plan() {
            prop_assert!(plan.steps().len() <= 4);
            let over = matches!(reading, PlanReading::OverBudget { .. });
            prop_assert_eq!(over, plan.allocated() > 10);
        }
    }

    #[test]
    fn a_plan_comes_out_of_any_prose_and_formatting_as_it_went_in(
        order in Just(vec!["a", "b", "c", "7"]).prop_shuffle(),
        take in 0..=4_usize,
        allocations in prop::collection::vec(0..u64::MAX / 4, 4),
        before in "[^\\[{]{0,40}", after in "[^\\[{]{0,40}",
        pretty: bool,
    ) {
        let entries: Vec<serde_json::Value> = order[..take].iter().zip(&allocations)
            .map(|(id, allocation)| serde_json::json!({"id": id, "allocation": allocation})).collect();
        let object = serde_json::json!({ "plan": entries });
        let json = if pretty {
            serde_json::to_string_pretty(&object).unwrap()
        } else {
            object.to_string()
        };
        let pool = pool();
        let reading = repair_plan(&format!("{before}{json}{after}"), &pool, u64::MAX);
        let want: Vec<(usize, u64)> = order[..take].iter().zip(allocations)
            .map(|(id, allocation)| (pool.position(id).unwrap(), allocation)).collect();
        prop_assert_eq!(steps(&reading), want);
        let stripped = [&before, &after].iter().any(|text| !text.trim().is_empty());
        prop_assert_eq!(reading.repairs().len(), usize::from(stripped));
    }

    #[test]
    fn every_json_string_is_read_as_serde_json_reads_it(
        characters in prop::collection::vec(any::<char>(), 0..20),
    ) {
        let id: String = characters.into_iter().collect();
        let pool = Pool::new(vec![Item::new(id.clone(), 1.0, 1, true).unwrap()]).unwrap();
        let text = serde_json::json!([{ "id": id, "tokens": 1 }]).to_string();
        prop_assert_eq!(steps(&repair_plan(&text, &pool, 1)), [(0, 1)]);
    }
}
