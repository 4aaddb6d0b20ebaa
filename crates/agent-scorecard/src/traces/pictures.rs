use scoring_rules::{Binning, ExactMean, Level, MurphyCurve, TiedBlocks};
use trajectory_metrics::{
    Error, ReliabilityBin, Seed, Summary, Traces, consistency_band, reliability_curve,
    reliability_diagram, risk_coverage_curve,
};

use crate::{
    options::LEVEL,
    report::picture::{Axis, BAND, BAND_NOTE, Mark, Picture, Pictures, Series, thinned},
};

/// The number of bins of the reliability diagram, all of equal width.
const BINS: usize = 10;
/// The number of bins of the histogram of forecasts.
const HISTOGRAM_BINS: usize = 20;
/// The maximum number of drawn outcomes of a band that are in memory at once: resamples times distinct forecasts.
const MOST_DRAWN: usize = 20_000_000;
/// The minimum number of resamples of a band. With fewer, a band has no meaning.
const FEWEST_RESAMPLES: usize = 100;
/// The maximum number of steps in the picture of mean forecasts.
const MOST_STEPS: usize = 100;

/// Returns the pictures of traces with an outcome, and the bins of the reliability diagram. The pictures are
/// reliability, forecasts, risk against coverage, Murphy diagram and mean forecast by step. None without a trace. A
/// summary reduces the forecasts of a run to a single one. The band has a number of resamples, 0 for no band, and a seed.
///
/// # Errors
///
/// An error of the library, such as for a summary that does not exist for a trace.
pub(crate) fn curves(
    traces: &Traces,
    summary: &Summary,
    band: (usize, Seed),
) -> Result<(Pictures, Vec<ReliabilityBin>), Error> {
    if traces.is_empty() {
        return Ok(Default::default());
    }
    let forecasts = summary.forecasts(traces)?;
    let blocks = TiedBlocks::new(&forecasts, traces.outcomes(), None)?;
    let label = forecast_label(summary);
    let figures = [
        ("reliability", reliability(&[("observed success rate", &blocks)], &label, Some(band))?),
        ("forecasts", histogram(&blocks, &label)),
        ("risk_coverage", risk_coverage(&[("selected by forecast", &blocks)], &label)?),
        ("murphy", murphy(&[("these forecasts", &blocks)], &label)?),
        ("forecast_by_step", forecast_by_step(traces)?),
    ];
    let figures = figures.into_iter().filter(|(_, figure)| !figure.is_empty());
    let pictures = figures.map(|(name, figure)| (name.to_owned(), figure)).collect();
    Ok((pictures, reliability_diagram(&blocks, Binning::EqualWidth { bins: BINS })?))
}

/// Returns the figures of the same runs before and after calibration.
///
/// # Errors
///
/// Errors of [`curves`].
pub(crate) fn before_and_after(
    before: &Traces,
    after: &Traces,
    summary: &Summary,
) -> Result<Pictures, Error> {
    if before.is_empty() {
        return Ok(Pictures::new());
    }
    let blocks = |traces: &Traces| {
        let forecasts = summary.forecasts(traces)?;
        Ok::<_, Error>(TiedBlocks::new(&forecasts, traces.outcomes(), None)?)
    };
    let (before, after) = (blocks(before)?, blocks(after)?);
    let label = forecast_label(summary);
    let both = [("raw", &before), ("calibrated", &after)];
    let figures = [
        ("reliability", reliability(&both, &label, None)?),
        ("risk_coverage", risk_coverage(&both, &label)?),
        ("murphy", murphy(&both, &label)?),
    ];
    Ok(figures.map(|(name, figure)| (name.to_owned(), figure)).into())
}

fn forecast_label(summary: &Summary) -> String {
    match summary {
        Summary::Last => "last forecast of a run".to_owned(),
        Summary::Mean => "mean forecast of a run".to_owned(),
        Summary::Minimum => "lowest forecast of a run".to_owned(),
        other => format!("forecast of a run, {} weights", other.name()),
    }
}

/// Returns the CORP reliability curves. With a number of resamples and a seed, a single curve has the band in which
/// curves of calibrated forecasts lie.
pub(crate) fn reliability(
    streams: &[(&str, &TiedBlocks)],
    label: &str,
    band: Option<(usize, Seed)>,
) -> Result<Picture, Error> {
    let mut series = vec![Series::reference("perfect calibration", (0.0, 0.0), (1.0, 1.0))];
    let rate = |blocks: &TiedBlocks| blocks.successes() / (blocks.failures() + blocks.successes());
    let rates: Vec<f64> = streams.iter().map(|(_, blocks)| rate(blocks)).collect();
    let base = |name, rate| Series::reference(name, (0.0, rate), (1.0, rate));
    let is_one_rate = rates.iter().all(|rate| *rate == rates[0]);
    series.extend(
        rates.first().filter(|_| is_one_rate).map(|rate| base("base rate".to_owned(), *rate)),
    );
    let mut note = "The curve is the isotonic fit of success rates (CORP). Below the diagonal, forecasts are higher than success rates; above it, lower.".to_owned();
    if let ([(_, blocks)], Some((resamples, seed))) = (streams, band) {
        let distinct = blocks.as_slice().len();
        let resamples = resamples.min(MOST_DRAWN / distinct.max(1));
        if resamples >= FEWEST_RESAMPLES {
            let band = consistency_band(blocks, LEVEL, resamples, seed)?;
            let points: Vec<[f64; 3]> = (blocks.as_slice().iter().zip(band))
                .map(|(at, ends)| [at.confidence.get(), ends.low(), ends.high()])
                .collect();
            series.push(Series::between(
                BAND,
                if points.len() == 1 { Mark::Spans } else { Mark::Band },
                thinned(&points),
            ));
            note.push_str(BAND_NOTE);
        } else {
            note.push_str(&format!(
                " The band of calibrated forecasts is not drawn: it needs at least {FEWEST_RESAMPLES} resamples, and at most {most} distinct forecasts.",
                most = MOST_DRAWN / FEWEST_RESAMPLES,
            ));
        }
    }
    for ((name, blocks), rate) in streams.iter().zip(rates) {
        let points = reliability_curve(blocks)?;
        let points: Vec<(f64, f64)> =
            points.iter().map(|point| (point.confidence.get(), point.success_rate)).collect();
        let mark = if points.len() == 1 { Mark::Dots } else { Mark::Line };
        series.push(Series::new(*name, mark, thinned(&points)));
        // In the colour of the curve before it.
        series.extend((!is_one_rate).then(|| base(format!("{name}: base rate"), rate)));
    }
    Ok(Picture {
        title: "Reliability: do runs succeed as often as forecast?".to_owned(),
        x: Axis::new(label).with_range(0.0, 1.0),
        y: Axis::new("success rate").with_range(0.0, 1.0),
        series,
        note,
    })
}

/// Returns the number of runs with a forecast in each bin.
fn histogram(blocks: &TiedBlocks, label: &str) -> Picture {
    let bins = HISTOGRAM_BINS as f64;
    let mut counts = [[0.0; HISTOGRAM_BINS]; 2];
    for block in blocks.as_slice() {
        let bin = ((block.confidence.get() * bins) as usize).min(HISTOGRAM_BINS - 1);
        counts[0][bin] += block.failures + block.successes;
        counts[1][bin] += block.successes;
    }
    let bars = |counts: [f64; HISTOGRAM_BINS]| {
        let bar =
            move |(bin, count): (usize, f64)| [bin as f64 / bins, (bin + 1) as f64 / bins, count];
        counts.into_iter().enumerate().map(bar)
    };
    let [all, successes] = counts;
    Picture {
        title: "Forecasts: which values were reported, and how many of these runs succeeded".to_owned(),
        x: Axis::new(label).with_range(0.0, 1.0),
        y: Axis::new("runs"),
        series: vec![Series::bars("all runs", bars(all)), Series::bars("runs that succeeded", bars(successes))],
        note: "Sharp forecasts are near 0 and 1. If forecasts are calibrated, the share of successes in a bin is about the forecast.".to_owned(),
    }
}

fn risk_coverage(streams: &[(&str, &TiedBlocks)], label: &str) -> Result<Picture, Error> {
    let mut series = Vec::new();
    if let Some((_, blocks)) = streams.first() {
        let n = blocks.failures() + blocks.successes();
        let risk = blocks.failures() / n;
        series.push(Series::reference("selected at random", (0.0, risk), (1.0, risk)));
    }
    for (name, blocks) in streams {
        let points = risk_coverage_curve(blocks)?;
        let points: Vec<(f64, f64)> =
            points.iter().map(|point| (point.coverage, point.risk)).collect();
        let mark = if points.len() == 1 { Mark::Dots } else { Mark::Line };
        series.push(Series::new(*name, mark, thinned(&points)));
    }
    Ok(Picture {
        title: "Risk and coverage: how many failures remain if the runs with the lowest forecasts are dropped?".to_owned(),
        x: Axis::new("share of runs kept (coverage)").with_range(0.0, 1.0),
        y: Axis::new("failures among them (risk)").with_range(0.0, 1.0),
        series,
        note: format!("Runs are kept in order of the {label}, highest first. A useful ranking lies below the dashed line, and falls towards the left."),
    })
}

fn murphy(streams: &[(&str, &TiedBlocks)], label: &str) -> Result<Picture, Error> {
    let mut series = Vec::new();
    if let Some((_, blocks)) = streams.first() {
        let (successes, failures) = (blocks.successes(), blocks.failures());
        let rate = scoring_rules::Probability::new(successes / (successes + failures))?;
        let weights = scoring_rules::Weight::from_slice(&[successes, failures])?.to_vec();
        let present: Vec<(bool, scoring_rules::Weight)> = [true, false]
            .into_iter()
            .zip(weights)
            .filter(|(_, weight)| weight.get() > 0.0)
            .collect();
        let (outcomes, weights): (Vec<bool>, Vec<_>) = present.into_iter().unzip();
        let constant = TiedBlocks::new(&vec![rate; outcomes.len()], &outcomes, Some(&weights))?;
        let points = elementary(&constant)?;
        series.push(Series::new("base rate for every run", Mark::Reference, points));
    }
    for (name, blocks) in streams {
        series.push(Series::new(*name, Mark::Line, elementary(blocks)?));
    }
    Ok(Picture {
        title: "Murphy diagram: at which decision thresholds do the forecasts help?".to_owned(),
        x: Axis::new("threshold: act if the forecast is higher").with_range(0.0, 1.0),
        y: Axis::new("mean elementary loss"),
        series,
        note: format!(
            "Every proper score is a mixture of these losses over the thresholds. Lower is better: a line below another one at every threshold is better under every proper score. Computed from the {label}."
        ),
    })
}

/// Returns the mean elementary loss at the thresholds 0.01, 0.02, …, 0.99.
fn elementary(blocks: &TiedBlocks) -> Result<Vec<(f64, f64)>, Error> {
    let curve = MurphyCurve::new(blocks)?;
    let at = |percent: u32| {
        let threshold = f64::from(percent) / 100.0;
        Ok((threshold, curve.at(Level::new(threshold)?)))
    };
    (1..100).map(at).collect()
}

fn forecast_by_step(traces: &Traces) -> Result<Picture, Error> {
    let longest = traces.iter().map(|trace| trace.forecasts().len()).max().unwrap_or(0);
    let steps = longest.min(MOST_STEPS);
    let mut means = [vec![ExactMean::default(); steps], vec![ExactMean::default(); steps]];
    for trace in traces.iter() {
        let [failed, succeeded] = &mut means;
        let means = if trace.outcome() { succeeded } else { failed };
        for (mean, forecast) in means.iter_mut().zip(trace.forecasts()) {
            mean.update(forecast.get());
        }
    }
    let [failed, succeeded] = means;
    let series = [("runs that succeeded", succeeded), ("runs that failed", failed)];
    let series = series.into_iter().map(|(name, means)| {
        let points = (1..)
            .zip(&means)
            .filter_map(|(step, mean)| Some((f64::from(step), mean.clone().finish().ok()?)));
        Series::new(name, Mark::LineDots, points)
    });
    let mut note = "Each point is the mean over the runs that took at least this many steps. The earlier the lines part, the earlier forecasts tell success from failure.".to_owned();
    if longest > steps {
        note.push_str(&format!(" The first {steps} of {longest} steps are shown."));
    }
    Ok(Picture {
        title: "Forecasts along the run: when do successes and failures part?".to_owned(),
        x: Axis::new("step of the run"),
        y: Axis::new("mean forecast").with_range(0.0, 1.0),
        series: series.collect(),
        note,
    })
}
