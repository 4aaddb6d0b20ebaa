use serde_json::json;
use trajectory_metrics::ExactMean;
use trajectory_metrics::tool_calls::PathDistances;

#[test]
fn distances_are_read_back_and_continued_and_impossible_ones_are_refused() {
    let mut paths = PathDistances::default();
    let read = |text: &str| serde_json::from_str::<PathDistances>(text);
    let empty = serde_json::to_string(&paths).unwrap();
    assert_eq!(read(&empty).unwrap(), paths);

    paths.update(&["look", "book"], &["look", "pay", "book"]);
    paths.update(&["look"], &["look"]);
    let mut again = read(&serde_json::to_string(&paths).unwrap()).unwrap();
    assert_eq!((&again, again.weight()), (&paths, 2.0));
    for all in [&mut paths, &mut again] {
        all.update(&["book"], &["pay"]);
    }
    assert_eq!(again, paths);

    let mean = |values: &[f64]| values.iter().copied().collect::<ExactMean>();
    for (edit, normalized, exact, rule) in [
        (mean(&[1.0]), mean(&[1.0]), mean(&[0.0, 0.0]), "over the same weight"),
        (mean(&[-1.0]), mean(&[0.5]), mean(&[0.0]), "at least 0"),
        (mean(&[1.0]), mean(&[1.5]), mean(&[0.0]), "from 0 to 1"),
        (mean(&[1.0]), mean(&[0.5]), mean(&[2.0]), "from 0 to 1"),
    ] {
        let broken = json!({ "edit": edit, "normalized": normalized, "exact": exact });
        let error = read(&broken.to_string()).unwrap_err().to_string();
        assert!(error.contains(rule), "{error}");
    }
    let error = read(&empty.replacen('{', r#"{"more":0,"#, 1)).unwrap_err().to_string();
    assert!(error.contains("unknown field `more`"), "{error}");
}
