//! Pictures as SVG: the labels beside their axes.

use agent_scorecard::{Axis, Mark, Picture, Series};

/// The texts of a picture with points at these places, in order.
fn texts(x: Axis, y: Axis, points: &[(f64, f64)]) -> Vec<String> {
    let series = vec![Series::new("series", Mark::Line, points.iter().copied())];
    let svg = Picture { x, y, series, ..Picture::default() }.to_svg();
    let texts = svg.split("<text").skip(1).filter_map(|text| text.split_once('>'));
    texts.filter_map(|(_, text)| Some(text.split_once("</text>")?.0.to_owned())).collect()
}

#[test]
fn dump() {
    for (low, high) in
        [(0.0, 1.0), (0.0, 0.3), (-0.95, 0.95), (0.0, 200_000.0), (0.0, 1e7), (1_000.0, 2_000.0)]
    {
        println!(
            "{low} {high} {:?}",
            texts(
                Axis::new("x").with_range(0.0, 1.0),
                Axis::new("y").with_range(low, high),
                &[(0.0, low), (1.0, high)]
            )
        );
    }
    let names =
        ["get_user_details", "mcp__hub__create_issue", "mcp__hub__delete_issue", "calculate"]
            .map(str::to_owned);
    for n in [&names[..2], &names[1..], &names[..]] {
        println!(
            "{:?}",
            texts(
                Axis::new("x").with_categories(n.to_vec()),
                Axis::new("y").with_range(0.0, 1.0),
                &[(0.0, 0.0), (1.0, 1.0)]
            )
        );
    }
    for last in [5.0, 16.0, 30.0, 100.0, 900.0] {
        println!(
            "{last} {:?}",
            texts(Axis::new("x"), Axis::new("y").with_range(0.0, 1.0), &[(0.0, 0.0), (last, 1.0)])
        );
    }
}
