use scoring_rules::Error as Shared;
use trajectory_metrics::Error;
use trajectory_metrics::tool_calls::{PartialOrder, call_matcher_from_fn};

#[test]
fn cycles_unknown_calls_and_too_many_calls_are_refused() {
    let refused = |calls, pairs: &[_]| PartialOrder::new(calls, pairs).unwrap_err();
    assert_eq!(refused(3, &[(0, 1), (1, 2), (2, 1)]), Error::OrderCycle { call: 1 });
    assert_eq!(refused(1, &[(0, 0)]), Error::OrderCycle { call: 0 });
    assert_eq!(refused(2, &[(0, 1), (2, 0)]), Error::OrderedCall { index: 1, call: 2, calls: 2 });
    assert!(matches!(
        refused(65, &[]),
        Error::ScoringRules(Shared::Setting { name: "expected calls", .. })
    ));
    assert!(PartialOrder::new(64, &[(63, 0), (0, 1)]).is_ok());
    let order = PartialOrder::new(2, &[]).unwrap();
    let same = call_matcher_from_fn(|a: &u8, e: &u8| a == e);
    let error = order.match_calls(&[1, 2], &[1], &same);
    assert_eq!(error, Err(Shared::Length { what: "expected calls", expected: 2, found: 1 }.into()));
}

#[cfg(feature = "serde")]
#[test]
fn an_order_is_read_back_as_written_and_a_cycle_is_refused() {
    for order in [
        PartialOrder::new(4, &[(0, 1), (1, 3), (2, 3)]).unwrap(),
        PartialOrder::new(64, &[(63, 0)]).unwrap(),
        PartialOrder::new(0, &[]).unwrap(),
    ] {
        let written = serde_json::to_string(&order).unwrap();
        assert_eq!(serde_json::from_str::<PartialOrder>(&written).unwrap(), order, "{written}");
    }
    for (text, problem) in [
        (r#"{"calls":2,"pairs":[[0,1],[1,0]]}"#, "before itself"),
        (r#"{"calls":2,"pairs":[[0,2]]}"#, "names expected call 2"),
        (r#"{"calls":18446744073709551615,"pairs":[]}"#, "at most 64"),
    ] {
        let error = serde_json::from_str::<PartialOrder>(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{text}: {error}");
    }
}
