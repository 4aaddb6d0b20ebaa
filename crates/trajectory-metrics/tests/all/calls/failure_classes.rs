use trajectory_metrics::tool_calls::{FailureClass, FailureCounts};

#[test]
fn classes_and_counts_are_read_back_and_counts_that_do_not_add_up_are_refused() {
    let classes = [Some(FailureClass::Inaccessible), Some(FailureClass::Extra)];
    assert_eq!(serde_json::to_string(&classes).unwrap(), r#"["inaccessible","extra"]"#);
    let counts: FailureCounts = classes.into_iter().collect();
    let written = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<FailureCounts>(&written).unwrap(), counts);
    for (calls, repeated, extra) in [(1, 1, 1), (usize::MAX, usize::MAX, 1)] {
        let text = format!(
            r#"{{"calls":{calls},"repeated":{repeated},"extra":{extra},"wrong_parameters":0,"inaccessible":0}}"#
        );
        let error = serde_json::from_str::<FailureCounts>(&text).unwrap_err().to_string();
        assert!(error.starts_with("number of redundant and failed calls is"), "{error}");
    }
}

#[test]
fn counts_saturate() {
    let mut most = FailureCounts::default();
    (most.calls, most.repeated, most.extra) = (usize::MAX, usize::MAX, usize::MAX);
    (most.wrong_parameters, most.inaccessible) = (usize::MAX, usize::MAX);
    assert_eq!((most.redundant(), most.invalid()), (usize::MAX, usize::MAX));
    let mut counts = most;
    counts.merge(&most);
    counts.extend([
        None,
        Some(FailureClass::Repeated),
        Some(FailureClass::Extra),
        Some(FailureClass::WrongParameters),
        Some(FailureClass::Inaccessible),
    ]);
    assert_eq!(counts, most);
}
