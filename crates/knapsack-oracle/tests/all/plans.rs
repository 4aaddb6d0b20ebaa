//! Plans: which are refused, which are repaired, and that no text causes a panic.

use knapsack_oracle::{DropReason, Error, Plan, PlanReading, Pool, Repair, Step, UnreadableReason};
use proptest::prelude::*;

use crate::item;

fn pool() -> Pool {
    crate::pool(
        [("a", 100), ("b", 200), ("c", 300), ("7", 400)].map(|(id, cost)| item(id, cost, true)),
    )
}

fn steps(reading: &PlanReading) -> Vec<(usize, u64)> {
    reading.plan().unwrap().steps().iter().map(|step| (step.position, step.allocation)).collect()
}

#[test]
fn a_strict_plan_names_items_of_the_pool_once_within_the_budget() {
    let pool = pool();
    let plan = Plan::new(&[("c", 300), ("a", 0)], &pool, 300).unwrap();
    assert_eq!(plan.steps()[1], Step { position: 0, allocation: 0 });
    let refused = |steps: &[(&str, u64)], budget| Plan::new(steps, &pool, budget).unwrap_err();
    assert!(matches!(
        refused(&[("a", 1), ("x", 1)], 300),
        Error::Step { index: 1, problem, .. }
            if problem == r#"the id "x", which is not in the pool"#
    ));
    assert!(matches!(
        refused(&[("a", 1), ("b", 1), ("a", 1)], 300),
        Error::DuplicateId { id, first: 0, second: 2, .. } if id == "a"
    ));
    assert!(matches!(
        refused(&[("a", u64::MAX), ("b", u64::MAX)], u64::MAX),
        Error::OverBudget { allocated, budget: u64::MAX, .. } if allocated == 2 * u128::from(u64::MAX)
    ));
    let nothing: [(&str, u64); 0] = [];
    assert_eq!(Plan::new(&nothing, &pool, 0).unwrap().steps(), []);
}

#[test]
fn plans_that_cannot_be_repaired_are_named() {
    let pool = pool();
    let text = r#"[{"id":"a","allocation":60},{"id":"b","allocation":41}]"#;
    let over = PlanReading::new(text, &pool, 100);
    assert!(
        matches!(&over, PlanReading::OverBudget { allocated: 101, repairs, .. } if repairs.is_empty())
    );
    assert_eq!(steps(&over), [(0, 60), (1, 41)]);
    assert!(matches!(PlanReading::new(text, &pool, 101), PlanReading::Plan { .. }));

    let twice = PlanReading::new(r#"[{"id":"a","tokens":6},{"id":"a","tokens":4}]"#, &pool, 100);
    assert!(matches!(&twice, PlanReading::DuplicateId { id, .. } if id == "a"));
    assert_eq!(twice.plan(), None);

    let empty = PlanReading::new(r#"{"plan": []}"#, &pool, 100);
    assert_eq!(steps(&empty), []);
}

#[test]
fn a_text_without_a_plan_is_unparseable_for_a_reason_at_a_byte() {
    for (text, reason, at) in [
        ("", UnreadableReason::NoJson, 0),
        ("I give up", UnreadableReason::NoJson, 9),
        ("{}", UnreadableReason::NoList, 0),
        (r#"{"id": "a", "allocation": 5}"#, UnreadableReason::NoList, 0),
        (r#"{"plan": {"a": 5}}"#, UnreadableReason::NoList, 0),
        (r#"{"reasons": []}"#, UnreadableReason::NoList, 0),
        (r#"[,{"id": "a"}]"#, UnreadableReason::NoList, 2),
        (r#"Well: {"a": 5}. [1]"#, UnreadableReason::NoList, 6),
        (r#"{"plan": [{"id": "a", "allocation": 5"#, UnreadableReason::CutOff, 37),
        (r#"{"plan": ["#, UnreadableReason::CutOff, 10),
        (r#"{"plan": [{"id": "a"} {"id": "b"}]}"#, UnreadableReason::BrokenJson, 22),
        (r#"[1] {"plan": [{"id": "a"},,]} {}"#, UnreadableReason::BrokenJson, 26),
        (r#"[{"id": "\x"}]"#, UnreadableReason::BrokenJson, 10),
        (r#"[{"id": "\ud800"}]"#, UnreadableReason::BrokenJson, 15),
        (r#"[{"id": "a"},,]"#, UnreadableReason::BrokenJson, 13),
        (r#"[{"id": }]"#, UnreadableReason::BrokenJson, 8),
        ("[[[[[[[[[[", UnreadableReason::CutOff, 10),
    ] {
        let reading = PlanReading::new(text, &pool(), 10);
        assert_eq!(reading, PlanReading::Unparseable { reason, at }, "{text}");
        assert!((reading.plan(), reading.repairs()) == (None, &[]));
    }
}

#[test]
fn each_repair_is_reported_and_a_plan_in_the_requested_form_needs_none() {
    let dropped = |entry, reason| Repair::EntryDropped { entry, reason };
    let repeated = |field: &str| DropReason::RepeatedField { field: field.into() };
    let not_a_count = |given: &str| DropReason::NotATokenCount { given: given.into() };
    let name = |entry, given: &str| Repair::OtherName { entry, given: given.into() };
    let taken =
        |entry, given: &str, taken| Repair::Allocation { entry, given: given.into(), taken };
    for (text, want, repairs) in [
        (
            r#"{"plan":[{"id":"b","allocation":5},{"id":"a","allocation":0}]}"#,
            &[(1, 5), (0, 0)][..],
            vec![],
        ),
        (
            r#"Sure! ```json
            {"plan": [
                {"id": "c", "allocation": 1,200, "why": ["short", {"and": "sure"}]},
                {"id": "x", "allocation": 5},
                {"allocation": 5},
                "b",
                {"id": 7, "allocation": -3},
                {"id": "a"}
            ]} ``` I left out b."#,
            &[(2, 1_200), (3, 0), (0, 0)],
            vec![
                Repair::TextStripped { before: 13, after: 17 },
                Repair::ExtraFields { entry: 0, fields: 1 },
                taken(0, "1,200", 1_200),
                Repair::UnknownId { entry: 1, id: "x".into() },
                dropped(2, DropReason::NoId),
                dropped(3, DropReason::NotAnObject),
                taken(4, "-3", 0),
                taken(5, "", 0),
            ],
        ),
        (
            r#"[{"id": 7, "tokens": 1,200, "x": 1}, {"id": "b", "tokens": ~5 k }, 3, {}]"#,
            &[(3, 1_200), (1, 5_000)],
            vec![
                name(0, "tokens"),
                Repair::ExtraFields { entry: 0, fields: 1 },
                taken(0, "1,200", 1_200),
                name(1, "tokens"),
                taken(1, "~5 k", 5_000),
                dropped(2, DropReason::NotAnObject),
                dropped(3, DropReason::NoId),
            ],
        ),
        // The last plan is used.
        (
            r#"{"plan":[{"id":"a","allocation":1}]} rather: {"plan":[{"id":"b","allocation":2}]}"#,
            &[(1, 2)],
            vec![Repair::TextStripped { before: 44, after: 0 }, Repair::SeveralPlans { found: 2 }],
        ),
        (
            r#"{"plan": [{"id": "a", "allocation": 5,}, {"id": "b", "allocation": 6},],}"#,
            &[(0, 5), (1, 6)],
            vec![Repair::TrailingCommas { commas: 3 }],
        ),
        (
            r#"{"plan": [{"id": "a", "allocation": 5}, {"id": "b", "alloca"#,
            &[(0, 5)],
            vec![Repair::CutOff { at: 38 }],
        ),
        (r#"{"plan": [{"id": "a", "allocation": 5}"#, &[(0, 5)], vec![Repair::CutOff { at: 38 }]),
        (
            "{'plan': [{'id': 'a', 'allocation': 5}]}",
            &[(0, 5)],
            vec![Repair::SingleQuotes { strings: 4 }],
        ),
        (
            r#"[{"id": " b\n", "allocation": 5}]"#,
            &[(1, 5)],
            vec![Repair::PaddedId { entry: 0, given: " b\n".into() }],
        ),
        (
            r#"[{"task_id": "a", "tokens": 5}, {"problem": "b", "id": "c", "allocation": 6}]"#,
            &[(0, 5), (2, 6)],
            vec![
                name(0, "task_id"),
                name(0, "tokens"),
                Repair::ExtraFields { entry: 1, fields: 1 },
            ],
        ),
        (
            r#"[{"id": "a", "allocation": "about 30 %"}, {"id": "b", "allocation": "~30 tokens"}]"#,
            &[(1, 30)],
            vec![dropped(0, not_a_count("about 30 %")), taken(1, "~30 tokens", 30)],
        ),
        (
            r#"[{"id": "a", "allocation": 5, "allocation": 500}, {"id": "b", "id": "c"}, 7]"#,
            &[],
            vec![
                dropped(0, repeated("allocation")),
                dropped(1, repeated("id")),
                dropped(2, DropReason::NotAnObject),
            ],
        ),
    ] {
        let reading = PlanReading::new(text, &pool(), 100);
        assert_eq!(steps(&reading), want, "{text}");
        assert_eq!(reading.repairs(), repairs, "{text}");
    }
}

#[test]
fn a_padded_id_of_the_pool_itself_needs_no_repair() {
    let pool = crate::pool(["a", " a "].map(|id| item(id, 5, true)));
    let reading = PlanReading::new(r#"[{"id": " a ", "allocation": 5}]"#, &pool, 100);
    assert_eq!((steps(&reading), reading.repairs()), (vec![(1, 5)], &[][..]));
}

#[test]
fn adversarial_texts_are_read_in_linear_time() {
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
        "'",
        "['",
        "['a', ",
        "['\n",
        "['\\'",
        "{'a':[',",
        "{'plan':[{'id':'a'},",
        "[{\"id\":\"a\"}, [",
        "[,",
        "[1,]",
    ] {
        let text = part.repeat(200_000 / part.len());
        let _ = PlanReading::new(&text, &pool, 10);
        let _ = PlanReading::new(&format!("{text}\""), &pool, 10);
        let _ = PlanReading::new(&format!("[{text}]"), &pool, 10);
        let _ = PlanReading::new(&format!("{{\"plan\":[{{\"id\":{text}}}]}}"), &pool, 10);
    }
}

/// A plan in the form that the prompt asks for.
fn written(plan: &Plan, pool: &Pool) -> String {
    let step = |step: &Step| {
        let id = pool.items()[step.position].id();
        serde_json::json!({ "id": id, "allocation": step.allocation })
    };
    let steps: Vec<_> = plan.steps().iter().map(step).collect();
    serde_json::json!({ "plan": steps }).to_string()
}

proptest! {
    #[test]
    fn no_text_panics(characters in prop::collection::vec(any::<char>(), 0..60)) {
        let text: String = characters.into_iter().collect();
        let _ = PlanReading::new(&text, &pool(), 10);
    }

    #[test]
    fn no_text_of_json_pieces_panics_and_the_result_is_a_plan(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "{", "}", "\"", ",", ":", "\"plan\"", "\"id\"", "\"a\"", "\"b\"", "\"tokens\"",
            "1", "-2.5e3", "1,000", "\\", "\\u", "d83d", "\n", " ", "é", "{\"id\":\"a\",\"tokens\":5}", "null",
            "'", "'id'", "'b'", "\" a \"", "30 %", "5 tokens", "[{'id':'b','allocation':3},", "{\"plan\":[",
        ]), 0..40),
    ) {
        let (text, pool) = (pieces.concat(), pool());
        let reading = PlanReading::new(&text, &pool, 10);
        if let Some(plan) = reading.plan() {
            prop_assert!(plan.steps().len() <= 4);
            let over = matches!(reading, PlanReading::OverBudget { .. });
            prop_assert_eq!(over, plan.allocated() > 10);
            let again = PlanReading::new(&written(plan, &pool), &pool, 10);
            prop_assert_eq!((again.plan(), again.repairs()), (Some(plan), &[][..]));
        }
    }

    #[test]
    fn a_plan_cut_off_anywhere_keeps_its_complete_entries_and_reads_the_same_when_written_again(
        order in Just(vec!["a", "b", "c", "7"]).prop_shuffle(), cut in 0.0..1.0_f64, single: bool,
        comma: bool, padded: bool, name in prop::sample::select(vec!["id", "task_id", "problem"]),
    ) {
        let pad = if padded { " " } else { "" };
        let entries: Vec<String> = order.iter().enumerate()
            .map(|(i, id)| format!("{{\"{name}\": \"{pad}{id}\", \"allocation\": {i}}}")).collect();
        let mut text = format!("{{\"plan\": [{}{}]}}", entries.join(", "), if comma { "," } else { "" });
        if single {
            text = text.replace('"', "'");
        }
        let length = (cut * text.len() as f64) as usize;
        let kept = entries.iter().enumerate()
            .filter(|(i, _)| 10 + entries[..=*i].iter().map(String::len).sum::<usize>() + 2 * i <= length).count();
        let pool = pool();
        let reading = PlanReading::new(&text[..length], &pool, 100);
        if kept == 0 {
            prop_assert!(matches!(reading, PlanReading::Unparseable { .. }), "{}", &text[..length]);
            return Ok(());
        }
        let want: Vec<(usize, u64)> = order[..kept].iter().enumerate()
            .map(|(i, id)| (pool.position(id).unwrap(), i as u64)).collect();
        prop_assert_eq!(steps(&reading), want, "{}", &text[..length]);
        let is = |wanted: fn(&Repair) -> bool| reading.repairs().iter().any(wanted);
        prop_assert_eq!(is(|repair| matches!(repair, Repair::SingleQuotes { .. })), single);
        prop_assert_eq!(is(|repair| matches!(repair, Repair::PaddedId { .. })), padded);
        prop_assert_eq!(is(|repair| matches!(repair, Repair::OtherName { .. })), name != "id");
        let plan = reading.plan().unwrap();
        let again = PlanReading::new(&written(plan, &pool), &pool, 100);
        prop_assert_eq!((again.plan(), again.repairs()), (Some(plan), &[][..]));
    }

    #[test]
    fn a_plan_is_read_from_any_prose_and_formatting(
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
        let reading = PlanReading::new(&format!("{before}{json}{after}"), &pool, u64::MAX);
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
        let pool = crate::pool([item(id.clone(), 1, true)]);
        let text = serde_json::json!([{ "id": id, "allocation": 1 }]).to_string();
        let reading = PlanReading::new(&text, &pool, 1);
        prop_assert_eq!(steps(&reading), [(0, 1)]);
        prop_assert_eq!(reading.repairs(), []);
    }
}
