//! The estimates along one run, against what remained.

use budget_estimation::{Estimate, Sample};

use crate::report::figure::{Axis, Figure, Mark, Series};

/// Intervals are cut off where they go beyond so many times the largest amount that remained.
const HIGHEST: f64 = 3.0;

/// One run and what was estimated along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FanOfRun<'a> {
    /// Name and outcome of the run, for the title.
    pub(crate) run: &'a str,
    /// Who estimated.
    pub(crate) estimator: &'a str,
    /// What was estimated.
    pub(crate) resource: &'a str,
    /// The prefixes of the run, by turn.
    pub(crate) samples: &'a [&'a Sample],
    /// The cap on the resource.
    pub(crate) cap: Option<f64>,
}

/// The interval after each turn, what remained, and what was left of the cap; `None` for a run after
/// whose turns nothing remained.
pub(crate) fn fan(of: FanOfRun<'_>) -> Option<Figure> {
    let FanOfRun { run, estimator, resource, samples, cap } = of;
    let most = samples.iter().map(|sample| sample.remaining()).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let top = HIGHEST * most;
    let turn = |sample: &Sample| sample.turn() as f64;
    let spans = samples.iter().filter_map(|sample| {
        let ends = sample.estimate().ends()?;
        Some([turn(sample), ends.low().min(top), ends.high().min(top)])
    });
    let impossible = samples
        .iter()
        .filter(|sample| matches!(sample.estimate(), Estimate::Impossible))
        .map(|sample| (turn(sample), 0.0));
    let truth = samples.iter().map(|sample| (turn(sample), sample.remaining()));
    let mut series = vec![
        Series::between(format!("interval by {estimator}"), Mark::Spans, spans),
        Series::new("what remained", Mark::LineDots, truth),
    ];
    if let Some(cap) = cap {
        let left = samples.iter().map(|sample| (turn(sample), cap - sample.used()));
        // A cap that is far away is not shown rather than shown where it is not.
        let left = left.filter(|(_, left)| (0.0..=top).contains(left));
        series.push(Series::new("left of the cap", Mark::Line, left));
    }
    series.push(Series::new("estimated to be impossible", Mark::Dots, impossible));
    series.retain(|series| !series.is_empty());
    Some(Figure {
        title: format!("{run}. Do the intervals hold what remained?"),
        x: Axis::new("completed turns"),
        y: Axis::new(format!("{} still to be spent", resource.replace('_', " "))),
        series,
        note: format!(
            "Ends of intervals above {HIGHEST} times the largest amount that remained are drawn there."
        ),
    })
}

/// The chance of success that was stated after each turn of one run; `None` if none was.
pub(crate) fn chances(run: &str, stated: &[f64]) -> Option<Figure> {
    if stated.is_empty() {
        return None;
    }
    let points = (1..).zip(stated).map(|(turn, chance)| (f64::from(turn), *chance));
    Some(Figure {
        title: format!("{run}. Does the stated chance of success rise?"),
        x: Axis::new("completed turns"),
        y: Axis::new("chance of success").with_range(0.0, 1.0),
        series: vec![Series::new("chance of success", Mark::LineDots, points)],
        note: "The estimator states the chance that the run succeeds within its cap.".to_owned(),
    })
}
