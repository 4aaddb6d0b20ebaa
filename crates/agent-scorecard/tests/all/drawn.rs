//! Pictures as SVG: the labels beside their axes.

use agent_scorecard::{Axis, Mark, Picture, Series};

/// The labels of the ticks of both axes of a picture with a line between these points, in order.
fn labels(x: Axis, y: Axis, points: [(f64, f64); 2]) -> Vec<String> {
    let series = vec![Series::new("series", Mark::Line, points)];
    let svg = Picture { x, y, series, ..Picture::default() }.to_svg();
    let texts = svg.split("<text").skip(1).filter_map(|text| text.split_once('>'));
    let texts = texts.filter_map(|(_, text)| Some(text.split_once("</text>")?.0.to_owned()));
    // The names of the axes, the title and the legend follow.
    texts.take_while(|text| !["x", "y", ""].contains(&text.as_str())).collect()
}

/// The shares beside a vertical axis from 0 to 1.
const SHARES: [&str; 6] = ["0", "0.2", "0.4", "0.6", "0.8", "1"];

#[test]
fn numbers_beside_an_axis_are_short_and_differ() {
    let beside = |low, high| {
        let (x, y) = (Axis::new("x").with_range(0.0, 1.0), Axis::new("y").with_range(low, high));
        let labels = labels(x, y, [(0.0, low), (1.0, high)]);
        assert_eq!(labels[..6], SHARES);
        labels[6..].to_vec()
    };
    assert_eq!(beside(0.0, 1.0), SHARES);
    assert_eq!(beside(0.0, 0.3), ["0", "0.05", "0.1", "0.15", "0.2", "0.25"]);
    assert_eq!(beside(-0.95, 0.95), ["-0.75", "-0.5", "-0.25", "0", "0.25", "0.5", "0.75"]);
    assert_eq!(beside(0.0, 200_000.0)[..4], ["0", "25k", "50k", "75k"]);
    assert_eq!(beside(0.0, 2e7)[..3], ["0", "2.5M", "5M"]);
    assert_eq!(beside(1_000.0, 2_000.0)[..3], ["1000", "1200", "1400"]);
}

#[test]
fn names_at_a_slant_are_short_and_differ() {
    let below = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (n, x) = (names.len(), Axis::new("x").with_categories(names));
        let labels = labels(x, Axis::new("y").with_range(0.0, 1.0), [(0.0, 0.0), (1.0, 1.0)]);
        assert_eq!(labels[n..], SHARES);
        labels[..n].to_vec()
    };
    let names =
        ["get_user_details", "calculate", "mcp__hub__create_issue", "mcp__hub__delete_issue"];
    assert_eq!(below(&names[..2]), names[..2]);
    assert_eq!(below(&names[..3]), ["get_us…etails", "calculate", "mcp__h…_issue"]);
    assert_eq!(below(&names[1..]), ["calculate", "…create_issue", "…delete_issue"]);
}

#[test]
fn ticks_of_whole_numbers_are_whole_and_not_too_many() {
    for (last, step) in [(5, 1), (16, 2), (30, 5), (100, 20), (900, 200)] {
        let y = Axis::new("y").with_range(0.0, 1.0);
        let labels = labels(Axis::new("x"), y, [(0.0, 0.0), (f64::from(last), 1.0)]);
        let ticks: Vec<String> = (0..=last).step_by(step).map(|tick| tick.to_string()).collect();
        assert_eq!(labels[..ticks.len()], ticks, "{last}");
        assert_eq!(labels[ticks.len()..], SHARES, "{last}");
    }
}
