//! Pictures as data.

use agent_scorecard::{Axis, Mark, Picture, Series, thinned};

#[test]
fn a_long_curve_keeps_its_ends_and_at_most_200_points() {
    let points: Vec<usize> = (0..12_345).collect();
    let kept = thinned(&points);
    assert_eq!((kept.len(), kept.first(), kept.last()), (200, Some(&0), Some(&12_344)));
    assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(thinned(&points[..200]), points[..200]);
}

#[test]
fn points_that_are_not_finite_are_left_out_of_every_column() {
    let points = [[0.0, 1.0, 0.5, 1.5], [1.0, f64::NAN, 0.0, 1.0], [2.0, 3.0, 2.0, f64::INFINITY]];
    let series = Series::with_intervals("a", Mark::LineDots, points);
    assert_eq!(series.columns().map(|(_, column)| column.len()).collect::<Vec<_>>(), [1; 4]);
}

#[test]
fn a_figure_comes_back_from_json() {
    let picture = Picture {
        title: "t".to_owned(),
        x: Axis::new("x").with_range(0.0, 1.0),
        y: Axis::new("y").with_categories(vec!["a".to_owned()]),
        series: vec![Series::between("band", Mark::Band, [[0.0, 0.1, 0.2]])],
        note: String::new(),
    };
    let text = serde_json::to_string(&picture).unwrap();
    assert!(!text.contains("\"y\":[]"), "{text}");
    assert_eq!(serde_json::from_str::<Picture>(&text).unwrap(), picture);
}
