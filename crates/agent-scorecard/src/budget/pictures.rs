use std::path::Path;

use budget_estimation::{Estimate, Rollout, Sample};
use trajectory_metrics::Metric;

use crate::{
    budget::{
        metrics::{Known, key_of},
        runs::Runs,
        settings::Options,
    },
    error::Error,
    report::{
        block::Block,
        key,
        picture::{Axis, Mark, Picture, Series},
    },
};

/// The multiple of the largest remaining cost at which intervals are cut off in a picture.
const HIGHEST: f64 = 3.0;

/// Returns the pictures of the results, and the pictures of one run.
pub(super) fn pictures(
    runs: &Runs,
    options: &Options,
    metrics: &[Metric<Known>],
    block: &Block,
) -> Result<Vec<(&'static str, Picture)>, Error> {
    let mut drawn = vec![
        ("coverage_by_progress", coverage_by_progress(block)),
        ("saved_and_lost", saved_and_lost(block, metrics)),
    ];
    if let Some(run) = drawn_run(runs, options)? {
        let label = if run.is_feasible()? { "feasible" } else { "not feasible" };
        let name = format!("{}: {} turns, {label}", run.id().unwrap_or_default(), run.turns());
        let stated = runs.chances.get(run.index());
        drawn.extend(fan(&name, &run, runs, options)?.map(|fan| ("fan", fan)));
        drawn.extend(stated.map(|stated| ("chance", chances(&name, stated))));
    }
    Ok(drawn)
}

/// Returns the requested run, or the first of the longest feasible ones.
fn drawn_run<'a>(runs: &'a Runs, options: &Options) -> Result<Option<Rollout<'a>>, Error> {
    if let Some(id) = &options.drawn_run {
        let found = runs.rollouts.iter().find(|run| run.id() == Some(id));
        return found.map(Some).ok_or_else(|| Error::UnknownRun(id.clone()));
    }
    let feasible = |run: &Rollout<'_>| run.is_feasible().unwrap_or(false);
    let first_longest =
        |best: Rollout<'a>, run: Rollout<'a>| if run.turns() > best.turns() { run } else { best };
    Ok(runs.rollouts.iter().filter(feasible).reduce(first_longest))
}

fn coverage_by_progress(block: &Block) -> Picture {
    let bins = block.rows_of(key::by_progress);
    let curve = |of: &str, name: &str| {
        let points = bins.iter().filter_map(|bin| {
            Some((0.5 * (bin.number(key::from)? + bin.number(key::to)?), bin.number(of)?))
        });
        Series::new(name, Mark::LineDots, points)
    };
    let mut series = Vec::new();
    if let Some(claim) = block.number(key::claimed_coverage) {
        series.push(Series::reference("nominal coverage", (0.0, claim), (1.0, claim)));
    }
    series.extend([
        curve(const { key_of("hit_rate") }, "interval contains the remaining cost (hit rate)"),
        curve(const { key_of("optimistic") }, "interval lies below"),
        curve(const { key_of("conservative") }, "interval lies above"),
    ]);
    Picture {
        title: "Coverage by progress: are late estimates better than early ones?".to_owned(),
        x: Axis::new("share of a run's turns already taken").with_range(0.0, 1.0),
        y: Axis::new("share of feasible prefixes").with_range(0.0, 1.0),
        series,
        note: "Points lie at the middles of bins of progress. The hit rate is a share of all feasible prefixes; below and above are shares of the intervals.".to_owned(),
    }
}

fn saved_and_lost(block: &Block, metrics: &[Metric<Known>]) -> Picture {
    let (names, shares) = block.bars(metrics);
    Picture {
        title: "Saved and lost: the effect of stopping at the first prediction \"impossible\"".to_owned(),
        x: Axis::new("what would happen").with_categories(names),
        y: Axis::new("share").with_range(0.0, 1.0),
        series: vec![Series::bars_of_categories("share", shares)],
        note: "Saved: share of failed runs' spending that came after their first prediction \"impossible\". Detected: share of failed runs with such a prediction. Lost: share of feasible runs with such a prediction. Stopped: share of feasible prefixes with such a prediction. Good estimates have high bars on the left and low bars on the right.".to_owned(),
    }
}

/// Returns the picture of one run: the interval after each turn, the remaining cost, and the rest of the cap; `None`
/// for a run without any remaining cost after its turns.
fn fan(
    name: &str,
    run: &Rollout<'_>,
    runs: &Runs,
    options: &Options,
) -> Result<Option<Picture>, Error> {
    let samples = runs.samples.iter().filter(|sample| sample.rollout() == run.index());
    let samples: Vec<&Sample> = samples.collect();
    let (by, cap) = (Path::new(options.by.name()), run.cap(runs.resource)?);
    let estimator = by.file_stem().unwrap_or_default().to_string_lossy();
    let most = samples.iter().map(|sample| sample.remaining()).fold(0.0, f64::max);
    if most <= 0.0 {
        return Ok(None);
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
        Series::new("remaining cost", Mark::LineDots, truth),
    ];
    if let Some(cap) = cap {
        let left = samples.iter().map(|sample| (turn(sample), cap - sample.used()));
        // A cap that is far away is not shown rather than shown where it is not.
        let left = left.filter(|(_, left)| (0.0..=top).contains(left));
        series.push(Series::new("left under the cap", Mark::Line, left));
    }
    series.push(Series::new("predicted impossible", Mark::Dots, impossible));
    series.retain(|series| !series.is_empty());
    Ok(Some(Picture {
        title: format!("{name}. Do the intervals contain the remaining cost?"),
        x: Axis::new("completed turns"),
        y: Axis::new(format!("{} still to be spent", options.resource().replace('_', " "))),
        series,
        note: format!(
            "Bounds of intervals above {HIGHEST} times the largest remaining cost are drawn at that height."
        ),
    }))
}

/// Returns the picture of one run's stated probabilities of success after each turn; `None` if none was stated.
fn chances(name: &str, stated: &[f64]) -> Picture {
    let points = (1..).zip(stated).map(|(turn, chance)| (f64::from(turn), *chance));
    Picture {
        title: format!("{name}. Does the stated chance of success rise?"),
        x: Axis::new("completed turns"),
        y: Axis::new("chance of success").with_range(0.0, 1.0),
        series: vec![Series::new("chance of success", Mark::LineDots, points)],
        note: "The estimator states the chance that the run succeeds within its cap.".to_owned(),
    }
}
