use trajectory_metrics::tool_calls::Interner;

#[test]
fn a_stored_interner_continues_where_it_was_and_refuses_a_repeated_call() {
    let mut interner = Interner::default();
    let calls = ["search", "look", "book"].map(str::to_owned);
    interner.intern_all(calls.clone()).unwrap();
    let written = serde_json::to_string(&interner).unwrap();
    assert_eq!(written, r#"["search","look","book"]"#);
    let mut read: Interner<String> = serde_json::from_str(&written).unwrap();
    assert_eq!(read.intern_all(calls).unwrap(), [0, 1, 2]);
    assert_eq!(read.intern("pay".to_owned()), Ok(3));
    let twice = serde_json::from_str::<Interner<String>>(r#"["a","b","a"]"#);
    assert_eq!(twice.unwrap_err().to_string(), "call 2 repeats call 0; give each call once");
}
