//! Plans in the words of models: where a plan is found in a text, and which numbers and strings are read.

use knapsack_oracle::{DropReason, PlanReading, Repair, UnreadableReason};

use crate::{item, pool};

fn read(text: &str) -> PlanReading {
    let items = ["a", "b", "c", "d", "x", "7"].map(|id| item(id, 1, true));
    PlanReading::new(text, &pool(items), u64::MAX)
}

/// The allocation as it is read, and whether it needed no conversion; `None` if it is refused.
fn allocation(written: &str) -> Option<(u64, bool)> {
    let reading = read(&format!(r#"[{{"id": "a", "allocation": {written}}}]"#));
    let steps = reading.plan().unwrap().steps();
    let converted = |repair: &Repair| matches!(repair, Repair::Allocation { .. });
    let is_plain = !reading.repairs().iter().any(converted);
    let refused = |repair: &Repair| {
        let Repair::EntryDropped { reason, .. } = repair else { return false };
        matches!(reason, DropReason::NotATokenCount { .. })
    };
    assert_eq!(steps.is_empty(), reading.repairs().iter().any(refused), "{written}");
    steps.first().map(|step| (step.allocation, is_plain))
}

/// The number that a text in quotes means.
fn coerced(text: &str) -> Option<u64> {
    allocation(&serde_json::to_string(text).unwrap()).map(|(number, _)| number)
}

/// The ids of the plan in a text.
fn ids(text: &str) -> Option<String> {
    let ids = ["a", "b", "c", "d", "x", "7"];
    let reading = read(text);
    let steps = reading.plan()?.steps().iter();
    Some(steps.map(|step| ids[step.position]).collect())
}

#[test]
fn numbers_are_read_in_every_notation() {
    for text in
        "1200|01200|1,200|1_200|+1200|~1200|1200.0|1200.9|1.2e3|1.2E+3|1.2k|1.2 k|1.2K tokens|\
                 1200 tokens|about 1200|approx. 1,200 Tokens (max)|up to 1200|1200.|1200,|12000e-1"
            .split('|')
    {
        assert_eq!(coerced(text), Some(1200), "{text}");
    }
    assert_eq!(coerced("18446744073709551615"), Some(u64::MAX));
    assert_eq!(coerced("99999999999999999999999"), Some(u64::MAX));
    assert_eq!(coerced("9e99"), Some(u64::MAX));
    assert_eq!(coerced("9007199254740993"), Some(9_007_199_254_740_993));
    assert_eq!(coerced("1,234,567"), Some(1_234_567));
    for text in ["-5", "-.5e3", "-0.5", "\u{2212}7", "0.0", "0e5", "- 0", "about -5 tokens"] {
        assert_eq!(coerced(text), (text != "- 0").then_some(0), "{text}");
    }
    assert_eq!(coerced("1.9"), Some(1));
}

#[test]
fn a_number_between_0_and_1_is_refused_as_a_share_of_the_budget() {
    for text in ["0.3", "0.9", ".9", "5e-9", "0.0005k", "about 0.25 tokens", "1e-400"] {
        assert_eq!(coerced(text), None, "{text}");
    }
    assert_eq!(allocation("0.3"), None);
}

#[test]
fn other_units_and_several_numbers_are_refused() {
    for text in "|NaN|Infinity|many|about 30 %|30%|30 percent|5 euros|$1200|20 minutes|1.2M|\
                 about 1200, maybe 1300|1000-1500|3 of 5|1/2|1,,200|1,5|1,2000|1..2|1.2.3|1.5,900|\
                 1e2e3|1e2k|5e|12 000|1.200|about 12.345 tokens|123.456|true|200-300"
        .split('|')
    {
        assert_eq!(coerced(text), None, "{text}");
    }
}

#[test]
fn only_json_whole_numbers_need_no_conversion() {
    assert_eq!(allocation("0"), Some((0, true)));
    assert_eq!(allocation("1200"), Some((1200, true)));
    assert_eq!(allocation("007"), Some((7, false)));
    assert_eq!(allocation("1200.0"), Some((1200, false)));
    assert_eq!(allocation("18446744073709551616"), Some((u64::MAX, false)));
    assert_eq!(allocation("null"), Some((0, false)));
    assert_eq!(allocation("30 %"), None);
    assert_eq!(allocation(r#""1200""#), Some((1200, false)));
}

#[test]
fn an_allocation_that_is_an_object_or_a_list_is_read_or_dropped_with_what_was_written() {
    for (written, want) in [
        (r#"{"tokens": 120}"#, Some(120)),
        (r#"{"max_tokens": "1,200"}"#, Some(1_200)),
        ("[120]", Some(120)),
        (r#"["~120"]"#, Some(120)),
        (r#"{"tokens": 120, "usd": 3}"#, None),
        (r#"{"usd": 3}"#, None),
        (r#"{"tokens": {"tokens": 120}}"#, None),
        (r#"{"tokens": "30 %"}"#, None),
        ("{}", None),
        ("[]", None),
        ("[120, 5]", None),
        ("[[120]]", None),
        (r#"[{"tokens": 120}]"#, None),
        ("true", None),
        ("NaN", None),
        (r#""200-300""#, None),
        (r#""1.200""#, None),
    ] {
        assert_eq!(allocation(written), want.map(|number| (number, false)), "{written}");
        let reading = read(&format!(r#"[{{"id": "a", "allocation": {written}}}]"#));
        let unquoted = written.trim_matches('"').replace("[\"~120\"]", "[~120]");
        let said = match &reading.repairs() {
            [Repair::Allocation { given, taken, .. }] if Some(*taken) == want => given,
            [Repair::EntryDropped { reason: DropReason::NotATokenCount { given }, .. }] => given,
            other => panic!("{written}: {other:?}"),
        };
        assert_eq!(said, &unquoted, "{written}");
    }
    // A JSON number has a decimal point.
    assert_eq!(allocation("1.200"), Some((1, false)));
    // The rule of the paper takes 0, and the note says of what.
    let text = r#"[{"id": "a", "allocation": {"usd": 3}}]"#;
    let reading = PlanReading::published(text, &pool([item("a", 1, true)]), 9);
    let given = r#"{"usd": 3}"#.to_owned();
    assert_eq!(reading.repairs(), [Repair::Allocation { entry: 0, given, taken: 0 }]);
}

#[test]
fn another_field_counts_before_an_object() {
    for (fields, want) in [
        (r#""tokens": 120, "allocation": {"why": 1}"#, 120),
        (r#""allocation": {"why": 1}, "tokens": 120"#, 120),
        (r#""allocation": {"tokens": 7}, "budget": {"tokens": 120}"#, 7),
        (r#""task": {"id": "b"}, "item": "a", "allocation": 120"#, 120),
    ] {
        let id = if fields.contains("item") { "" } else { r#""id": "a", "# };
        let reading = read(&format!("[{{{id}{fields}}}]"));
        let steps = reading.plan().unwrap().steps();
        assert_eq!(steps.iter().map(|it| it.allocation).collect::<Vec<_>>(), [want], "{fields}");
    }
}

#[test]
fn a_plan_is_found_anywhere_in_a_text() {
    let cases = [
        r#"{"plan": [{"id": "a"}, {"id": "b"}]}"#,
        r#"[{"id": "a"}, {"id": "b"}]"#,
        "Here [1] it is:\n```json\n{\"plan\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}\n```\n[done] {ok}",
        r#"{"notes": {"deep": [[1, {"x": []}]]}, "plan": [{"id": "a"}, {"id": "b"}], "n": 2}"#,
        r#"a 5" screen {B} [see below {"plan": [{"id": "a"}, {"id": "b"}]}"#,
        "{\"why\": \"two\nlines\", \"plan\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
        r#""plan": [{"id": "a"}, {"id": "b"}]"#,
        r#"draft [{"id": "c"}], then {"plan":[{"id":"a"},{"id":"b"}]}, not [{"id": "d"}]"#,
        r#"{"plan":[{"id":"c"}]} no: {"plan":[{"id":"a"},{"problem":"x","id":"b"}]}"#,
        r#"[{"id":"a","parts":[{"id":"c"}]},{"id":"b"}]"#,
        r#"{'plan': [{'id': 'a'}, {"id": 'b'}]}"#,
        r#"['twas {it's so [don't {"plan": [{"id": "a"}, {"id": "b"}]}"#,
        r#"{"plan": [{"id": "a",}, {"id": "b", "tokens": 5,},],}"#,
        r#"{"plan": [{"id": "a"}, {"id": "b"}"#,
        r#"{"plan": [{"id": "a"}, {"id": "b"}, {"id": "c", "parts": [{"id": "d"}, {"#,
        r#"[{"id": "x"}] {"plan": [{"id": "a"}, {"id": "b"}, {"id": "c"#,
        r#"{"plan": [{"id": "a"}, {"id": "b"}]} {"plan": [{"id": "c"}, {"id": "d"#,
        r#"{"plan": [{"id": "a", "parts": [{"id": "c"}]}, {"id": "b"}, "#,
        r#"{{{"[" [[[{"plan": [{"id": "a"}, {"id": "\u0062"}]}"#,
    ];
    for case in cases {
        assert_eq!(ids(case).as_deref(), Some("ab"), "{case}");
    }
    assert_eq!(ids("[]"), Some(String::new()));
    assert_eq!(ids(r#"[{"id":"c"}] {"plan": []}"#), Some(String::new()));
    let named = r#"My "plan" : [{"id": "a"}], rather than [{"id": "b"}]."#;
    assert_eq!(ids(named), Some("a".to_owned()));
}

#[test]
fn keys_without_quotes_are_repaired_and_counted() {
    for (text, plan, keys) in [
        (r#"{plan: [{id: "a", allocation: 100}]}"#, "a100", 3),
        (r#"{"plan": [{id: 'a', tokens: 1,200, why: "x"}, {"id": b, "tokens": 5}]}"#, "a1200b5", 3),
        (r#"[{ id : "a" , allocation : 7 , note_2 : cheap, soon }]"#, "a7", 3),
        (r#"{plan: [{id: "a", allocation: 5}, {id"#, "a5", 3),
        (r#"{note: [see below {plan: [{id: "a", allocation: 5}]}"#, "a5", 3),
        (r#"{a} {x: y} my plan: [{"id": "a", "allocation": 5}]"#, "a5", 0),
        // A key behind an error in the JSON.
        (r#"{x y, plan: [{"id": "a", "allocation": 5}], old: [{"id": "b"}]}"#, "a5", 0),
        (
            "{x y,\n  plan : [{\"id\": \"a\", \"allocation\": 5}],\n old: [{\"id\": \"b\"}]}",
            "a5",
            0,
        ),
        ("{x y\nplan: [{\"id\": \"a\", \"allocation\": 5}],\n old: [{\"id\": \"b\"}]}", "a5", 0),
        (r#"{x y, no_plan: [{"id": "a"}], old: [{"id": "b", "allocation": 5}]}"#, "b5", 0),
        (r#"{x y, my plan: [{"id": "a"}], old: [{"id": "b", "allocation": 5}]}"#, "b5", 0),
    ] {
        let reading = read(text);
        let ids = ["a", "b", "c", "d", "x", "7"];
        let steps = reading.plan().unwrap().steps().iter();
        let found: String =
            steps.map(|step| format!("{}{}", ids[step.position], step.allocation)).collect();
        assert_eq!(found, plan, "{text}");
        let counted = |repair: &Repair| match repair {
            Repair::UnquotedKeys { keys } => Some(*keys),
            _ => None,
        };
        assert_eq!(reading.repairs().iter().find_map(counted).unwrap_or(0), keys, "{text}");
    }
    for text in ["{plan }", "{3a: 1}", "{a b: 1}", "{: 1}"] {
        let reason = UnreadableReason::BrokenJson;
        let reading = read(text);
        assert!(
            matches!(reading, PlanReading::Unparseable { reason: found, .. } if found == reason)
        );
    }
}

#[test]
fn a_plan_of_ids_or_of_allocations_alone_is_unreadable_for_what_is_missing() {
    for text in [r#"{"plan": ["a", "b"]}"#, r#"{plan: [a, b]}"#, r#"So: {"plan": [100, 200]}."#] {
        for read in [PlanReading::new, PlanReading::published] {
            let reading = read(text, &pool([item("a", 1, true), item("b", 1, true)]), u64::MAX);
            let reason = UnreadableReason::BareEntries;
            let at = text.find('{').unwrap();
            assert_eq!(reading, PlanReading::Unparseable { reason, at }, "{text}");
        }
    }
    // A list with ids is a plan, and a list of texts elsewhere is not.
    assert_eq!(ids(r#"{"plan": ["a"], "steps": [{"id": "b"}]}"#).as_deref(), Some("b"));
    let reading = read(r#"{"reasons": ["a", "b"]}"#);
    let reason = UnreadableReason::NoList;
    assert_eq!(reading, PlanReading::Unparseable { reason, at: 0 });
}

#[test]
fn an_unclosed_quote_does_not_hide_the_plan() {
    let text = format!("{{\"a: {}\n{{\"plan\":[{{\"id\":\"a\"}}]}}", "x".repeat(1_000));
    assert_eq!(ids(&text), Some("a".to_owned()));
}

#[test]
fn a_string_in_one_kind_of_quotes_may_contain_the_other_kind() {
    for (text, id) in [(r#"'a"b'"#, "a\"b"), (r#""it's""#, "it's"), (r"'it\'s'", "it's")] {
        let pool = pool([item(id, 1, true)]);
        let reading = PlanReading::new(&format!(r#"[{{"id": {text}}}]"#), &pool, 1);
        assert_eq!(reading.plan().map(|plan| plan.steps().len()), Some(1), "{text}");
    }
}

#[test]
fn invalid_strings_are_refused() {
    for text in [
        r#""a"#,
        r#""\x""#,
        r#""it\'s""#,
        r#""\ud800""#,
        r#""\ud800\ud800""#,
        r#""\ud83d\uffff""#,
        r#""\ud83d\ue000""#,
        r#""\udc00""#,
        r#""\u00g0""#,
        r#""\u00"#,
        "\"\n\"",
    ] {
        assert_eq!(read(&format!(r#"[{{"id": {text}}}]"#)).plan(), None, "{text}");
    }
}
