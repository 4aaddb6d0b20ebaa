//! Draws the graph of one task's tool calls, with the optimal plan and an agent's path in it.

use tool_graph::{GreedyRule, Scenario, Transcript};

use crate::{
    error::Error,
    report::picture::{Axis, Mark, Picture, Series},
};

/// The number of points of an arc between its ends.
const ARC_POINTS: usize = 12;

/// Draws the optimal plan and the greedy policy's path through the steps of one query.
pub(super) fn plan_graph(query: &str, scenario: &Scenario) -> Result<Picture, Error> {
    let graph = scenario.graph();
    let steps = |run: &Transcript| -> Result<Vec<usize>, Error> {
        let covered = |&tool: &usize| Ok(graph.components(tool)?.len().max(1));
        run.path().iter().map(covered).collect()
    };
    let (optimal, greedy) = (scenario.optimal_run(), scenario.greedy_run(GreedyRule::Chain));
    let words = |transcript: &Transcript| -> Result<String, Error> {
        let path = transcript.path();
        let (tools, cost) = (graph.tool_names(&path), graph.total_cost(&path)?);
        Ok(format!("{}, cost {cost:.2}", tools.join(", then ")))
    };
    let mut picture = picture(query, &steps(&optimal)?, &steps(&greedy)?);
    picture.note.push_str(&format!(
        " Optimal plan: {}. Agent's path: {}.",
        words(&optimal)?,
        words(&greedy)?
    ));
    Ok(picture)
}

/// Draws two paths through the steps of one task. Each path lists the number of atomic steps that each of its calls
/// covers: an atomic tool covers one, a composite tool several.
fn picture(query: &str, optimal: &[usize], agent: &[usize]) -> Picture {
    let length = |path: &[usize]| path.iter().sum::<usize>();
    let last = length(optimal).max(length(agent));
    let states = (0..=last).map(|state| (state as f64, 0.0));
    Picture {
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

/// Returns the points of a half ellipse for each call, as high as it is long.
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
