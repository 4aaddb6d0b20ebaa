//! The graph of one task's tool calls, with the optimal plan and an agent's path in it.

use crate::report::figure::{Axis, Figure, Mark, Series};

/// Points of an arc between its ends.
const ARC_POINTS: usize = 12;

/// Draws two paths along the steps of one task. Each path lists how many atomic steps each of its calls
/// covers: an atomic tool covers one, a composite tool several.
pub(crate) fn plan_graph(query: &str, optimal: &[usize], agent: &[usize]) -> Figure {
    let length = |path: &[usize]| path.iter().sum::<usize>();
    let last = length(optimal).max(length(agent));
    let states = (0..=last).map(|state| (state as f64, 0.0));
    Figure {
        title: format!("One plan ({query}): which steps does each call cover?"),
        x: Axis::new("state: atomic steps completed").with_range(-0.3, last as f64 + 0.3),
        y: Axis { is_mirrored: true, ..Axis::new("steps covered by a call") },
        series: vec![
            Series::new("optimal plan, above", Mark::Line, arcs(optimal, 1.0)),
            Series::new("agent's path, below", Mark::Line, arcs(agent, -1.0)),
            Series::new("states", Mark::Dots, states),
        ],
        note: "Each arc is one call, from the state before it to the state after it. Arcs over several steps are composite tools.".to_owned(),
    }
}

/// Half ellipses from state to state, as high as they are long.
fn arcs(path: &[usize], side: f64) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0)];
    let mut from = 0.0;
    for &steps in path {
        let width = steps as f64;
        for i in 1..=ARC_POINTS {
            let angle = std::f64::consts::PI * i as f64 / ARC_POINTS as f64;
            let height = if i == ARC_POINTS { 0.0 } else { side * width * angle.sin() };
            points.push((from + 0.5 * width * (1.0 - angle.cos()), height));
        }
        from += width;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::picture::svg_file;

    #[test]
    fn both_paths_start_and_end_at_states_of_the_task() {
        let figure = plan_graph("query-001", &[1, 2, 1], &[4]);
        for series in &figure.series[..2] {
            let first = (series.x.first(), series.y.first());
            let last = (series.x.last(), series.y.last());
            assert_eq!(first, (Some(&0.0), Some(&0.0)));
            assert_eq!(last, (Some(&4.0), Some(&0.0)));
        }
        let top = figure.series[0].y.iter().copied().fold(0.0, f64::max);
        assert!((top - 2.0).abs() < 1e-12, "{top}");
        assert_eq!(figure.series[2].x.len(), 5);
        // The lower side counts upwards too.
        let picture = svg_file(&figure);
        assert!(picture.contains(">2</text>") && !picture.contains(">-2</text>"), "{picture}");
    }
}
