//! Scores runs if a budget ended some of them before their outcome was known.
//!
//! Each column is scored with the log score, clipped at 1e-6, in five ways, [`METRICS`]: excluding the runs that were cut
//! off, counting them as failures, at their probabilities of success, at their true probabilities if these are known, and
//! with complete runs that represent them.
//!
//! The exact mean needs the probability of success of each run that was cut off. It is one number per run, the same in
//! every column, and comes from the first available source: a given probability, the share of successes among its
//! continuations, or a model of the turn, the task and unscored streams. A model is refused unless it passes its checks on
//! runs with a known outcome. The report states the remaining assumptions: given probabilities are correct, continuations
//! behave as the run would have, streams used to fit a model are independent of the scored streams, and a stop carries no
//! information beyond the model.
//!
//! ```
//! use agent_scorecard::{
//!     censoring::StopReason,
//!     cut_off,
//!     cut_off::CutOffOptions,
//!     traces::{TraceFile, TraceRun},
//!     trajectory_metrics::Probability,
//! };
//!
//! // Four runs, of which the last was cut off after two of its four steps.
//! let run = |id: &str, forecast: f64, outcome: Option<bool>| {
//!     let was_cut_off = outcome.is_none();
//!     Ok(TraceRun {
//!         id: id.to_owned(),
//!         forecasts: vec![Probability::HALF, Probability::new(forecast)?],
//!         outcome,
//!         stop: was_cut_off.then_some(StopReason::MaxSteps),
//!         horizon: was_cut_off.then_some(4),
//!         success_chance: was_cut_off.then_some(Probability::new(0.25)?),
//!         ..TraceRun::default()
//!     })
//! };
//! let stream = |file: &str, last: f64| {
//!     let runs = [("a", 0.75, Some(true)), ("b", 0.25, Some(false)), ("c", 0.5, Some(true)), ("d", last, None)];
//!     let runs = runs.map(|(id, forecast, outcome)| run(id, forecast, outcome));
//!     let runs = runs.into_iter().collect::<Result<Vec<_>, agent_scorecard::Error>>()?;
//!     Ok::<_, agent_scorecard::Error>(TraceFile::new(file, runs))
//! };
//! let options = CutOffOptions { resamples: 0, ..CutOffOptions::default() };
//! // The second stream says 0.9 of the run that was cut off, where 0.25 is right.
//! let report = cut_off(&[stream("truth.jsonl", 0.25)?, stream("lie.jsonl", 0.9)?], &options)?;
//! let exact = |at: usize| report.columns[at].block.number("exact_plug_in");
//! assert!(exact(0) > exact(1));
//! let json = serde_json::to_value(&report)?;
//! assert_eq!(json["files"][0]["success_chance"]["source"], "given");
//! assert!(json["pairs"][0]["difference"].as_f64() > Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
//! arXiv:2605.24756, sections 5 and 6, appendix H.

mod chances;
pub(crate) mod comparisons;
mod files;
mod model;
mod sample;
mod settings;

use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

use censoring::{
    IpcwWeights, Probability, RunScore, ScoreComparison, StopClass, StreamDifference, Tps,
    mean_score_bounds,
};
use run_logs::TraceFile;
use scoring_rules::ExactMean;
use trajectory_metrics::{Figure, Interval, LogScore, Metric, Undefined, WeightSchedule};

use crate::{
    cut_off::{
        chances::{Chances, Origin, chances},
        comparisons::{EXACT_MINUS_SIMPLE, HIGH, LOW, bounds, comparisons, order_changes},
        sample::Sample,
    },
    error::{Error, with_causes},
    metrics::metrics,
    report::{
        block::{Block, Column, Field, Position, Report, Value},
        key,
        picture::{Axis, Mark, Picture, Series},
        sentence::{counted, left_out, side_of, size_with_ends},
        tables::shown,
    },
    traces::{settings::Calibration, sureness::ADD},
};

pub use files::{read_chances, read_continuations, read_curve_groups};
pub use settings::{CutOffOptions, Hide};

/// The maximum number of pairs of columns in the conclusion.
const MOST_PAIRS: usize = 3;

/// The scoring rule of the mean scores.
const RULE: &str = "log, clipped at 1e-6";

/// The scores of the runs of one column, with probabilities of success and weights.
#[derive(Clone, Debug)]
pub struct Known {
    /// The score of each run, with a probability of success of 0 after a stop.
    simple: Vec<RunScore>,
    /// The probabilities of success after a stop.
    chances: Result<Arc<[Probability]>, Undefined>,
    /// The true probabilities of success after a stop, if they are known.
    true_chances: Result<Arc<[Probability]>, Undefined>,
    weights: Result<IpcwWeights, Undefined>,
}

impl Known {
    /// Returns the expected mean score at these probabilities.
    fn mean_at(&self, chances: &Result<Arc<[Probability]>, Undefined>) -> Result<f64, Undefined> {
        let at = |(run, &chance): (&RunScore, &Probability)| match *run {
            RunScore::Complete(score) => score,
            RunScore::Censored { if_success, if_failure, .. } => {
                let success_probability = chance;
                RunScore::Censored { success_probability, if_success, if_failure }.expected()
            }
        };
        mean(self.simple.iter().zip(known(chances)?.iter()).map(at))
    }
}

/// The measures that a report shows for each column, in this order. Each mean is a mean of log scores, in nats.
pub const METRICS: [Metric<Known>; 8] = metrics! { Known;
    "complete_only", "mean log score, complete runs only", Higher, in [f64::NEG_INFINITY, 0.0],
        "Mean log score over the runs whose outcome is known.",
        |it| mean(it.simple.iter().filter(|run| is_complete(run)).map(RunScore::expected)), .bar("complete");
    "simple", "mean log score, cut-off runs as failures", Neither, in [f64::NEG_INFINITY, 0.0],
        "Mean log score if every run that was cut off counts as a failure. This favours low forecasts on these runs.",
        |it| mean(it.simple.iter().map(RunScore::expected)), .bar("simple");
    "exact_plug_in",
        "mean log score, estimated chances of success after the stops", Higher, in [f64::NEG_INFINITY, 0.0],
        "Expected mean log score. The chances of success of cut-off runs are given, counted from continuations, or modelled.",
        |it| it.mean_at(&it.chances), .bar("estimated");
    "exact_known", "mean log score, known chances of success", Higher, in [f64::NEG_INFINITY, 0.0],
        "Expected mean log score at the true chances of success of cut-off runs.",
        |it| it.mean_at(&it.true_chances), .bar("known");
    "ipcw", "mean log score, complete runs weighted", Higher, in [f64::NEG_INFINITY, 0.0],
        "Mean log score over complete runs, each with a weight so that it also represents similar runs that were cut off.",
        |it| {
            let scores = it.simple.iter().map(|run| is_complete(run).then(|| run.expected()));
            let mean = known(&it.weights)?.normalized_mean_score(&scores.collect::<Vec<_>>());
            mean.map_err(|error| Undefined::new(with_causes(&error)))
        }, .bar("weighted");
    "ipcw_coverage", "share of runs that the weighted runs represent", Neither, in [0.0, 1.0],
        "Mean weight per run. It is below 1 if some runs are not represented by any complete run.",
        // Only rounding can lead above 1.
        |it| Ok(known(&it.weights)?.coverage().min(1.0));
    "censoring_rate", "share of runs cut off", Neither, in [0.0, 1.0],
        "Share of cut-off runs among the complete and cut-off runs.",
        |it| mean(it.simple.iter().map(|run| f64::from(!is_complete(run))));
    "mean_success_chance", "mean chance of success of cut-off runs", Neither, in [0.0, 1.0],
        "Mean of the chances of success after the stops, as used by exact_plug_in.",
        |it| {
            let runs = it.simple.iter().zip(known(&it.chances)?.iter());
            let cut_off = runs.filter(|(run, _)| !is_complete(run));
            mean(cut_off.map(|(_, chance)| chance.get())).map_err(|_| Undefined::new("no run was cut off"))
        };
};

fn known<T>(value: &Result<T, Undefined>) -> Result<&T, Undefined> {
    value.as_ref().map_err(Undefined::clone)
}

const fn is_complete(run: &RunScore) -> bool {
    matches!(run, RunScore::Complete(_))
}

fn mean(values: impl Iterator<Item = f64>) -> Result<f64, Undefined> {
    let mut mean = ExactMean::default();
    values.for_each(|value| mean.update(value));
    mean.finish().map_err(|_| Undefined::new("no run counts in this mean"))
}

/// Scores each stream of forecasts with every treatment of cut-off runs. If all streams contain the same runs in the
/// same order, the streams share the probabilities of success after a stop, and are also compared pairwise.
///
/// # Errors
///
/// [`Error::Data`] for a run with two probabilities of success, in one stream or in two; [`Error::Options`] for
/// probabilities or continuations of an id that names different runs, and for a stream of model features that lacks a run
/// or repeats a scored stream; an error of censoring for settings out of range and for calibration of too few runs.
pub fn cut_off(streams: &[TraceFile], options: &CutOffOptions) -> Result<Report, Error> {
    let tps = Tps::new(LogScore::clipped(LogScore::CLIP)?, options.schedule.clone());
    let samples = streams.iter().map(|stream| Sample::new(stream, options));
    let samples: Vec<Sample<'_>> = samples.collect::<Result<_, _>>()?;
    let is_one_set = samples.iter().all(|sample| sample.has_runs_of(&samples[0]));
    let chances = chances(&samples, is_one_set, options)?;
    let mut notes = Vec::new();
    let forecasts = samples.iter().map(|it| {
        let mut own = Vec::new();
        let found = it.calibrated(options, &options.schedule, &mut own);
        notes.extend(own.into_iter().map(|note| format!("{}: {note}", it.file)));
        if options.calibration != Calibration::None
            && it.tasks().iter().collect::<BTreeSet<_>>().len() < it.len()
        {
            notes.push(format!(
                "{file}: calibration: runs of one task may be in different halves",
                file = it.file,
            ));
        }
        found
    });
    let forecasts: Vec<_> = forecasts.collect::<Result<_, _>>()?;
    let scored = samples.iter().zip(&forecasts);
    let scored = scored.map(|(sample, to)| sample.with_forecasts(to.as_deref()));
    let scored: Vec<_> = scored.collect::<Result<_, _>>()?;
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    for (((sample, runs), chances), file) in samples.iter().zip(&scored).zip(&chances).zip(streams)
    {
        let (mut block, of_rules) = column(&tps, sample, runs, chances, options)?;
        let remarks = &file.remarks;
        block.say(Position::Line, [remarks.runs().line()]);
        block.extend_json(remarks.runs());
        block.push_json("missing", &remarks.missing());
        block.say_first(Position::Note, remarks.notes());
        let column = (sample.file.to_owned(), file.model.clone(), block).into();
        columns.push(Column { name: file.name.clone(), ..column });
        rows.extend(of_rules);
    }
    let mut report = Report {
        title: "Runs that a budget cut off".to_owned(),
        lead: format!(
            "Mean scores in nats, {RULE}, {schedule} weights; intervals of 95 % from {resamples} resamples of tasks",
            schedule = options.schedule,
            resamples = options.resamples,
        ),
        list: Some("files"),
        main_pictures: vec!["treatments"],
        ..Report::of_columns(columns)
    };
    let accounts = streams.iter().zip(&report.columns).map(|(stream, column)| {
        stream.account().without([("no_outcome", column.block.count(key::n_excluded))])
    });
    report.set_accounts(accounts.collect::<Vec<_>>());
    let together = &mut report.together;
    together.push_json("schedule", options.schedule.name());
    together.push_json("rule", RULE);
    if options.calibration != Calibration::None {
        together.push_json("calibration", &options.calibration);
        together.push_json("calibrate_on", &options.calibrate_on);
    }
    let named: Vec<(&str, &str)> =
        report.columns.iter().map(|column| (&*column.file, &*column.name)).collect();
    let (mut pairs, mut changes) = (Vec::new(), Vec::new());
    if !is_one_set {
        notes.push(
            "pairs: none, because the files do not contain the same runs in the same order"
                .to_owned(),
        );
    } else if let Some(chances) = chances.first().filter(|_| samples[0].len() > 0) {
        for (i, first) in scored.iter().enumerate() {
            for (j, second) in scored.iter().enumerate().skip(i + 1) {
                let difference = StreamDifference::new(&tps, first, second, None)?;
                pairs.push(pair([named[i], named[j]], &difference, chances, &mut notes)?);
            }
        }
        let streams = named.iter().zip(&rows).map(|(&(file, name), rows)| (file, name, rows));
        changes = order_changes(&streams.collect::<Vec<_>>())?;
    }
    let clauses = pairs.iter().take(MOST_PAIRS).flat_map(|pair| pair.said(Position::Conclusion));
    report.conclusion.splice(0..0, clauses.map(str::to_owned));
    together.fields.push(Field::rows("pairs", "differences of exact means", pairs));
    let title = "streams whose order depends on the treatment of cut-off runs";
    together.fields.push(Field::rows("order_changes", title, changes));
    together.draw([("treatments", picture(&report.columns))]);
    notes.extend([
        "simple counts every cut-off run as a failure (q_Z = 0), which favours low forecasts on such runs; do not compare streams by it"
            .to_owned(),
        format!(
            "assumption of the other estimates: {assumption}; no data can test this assumption, so see sensitivity and bounds",
            assumption = options.assumption,
        ),
        "a run that was cut off is scored on its steps before the stop, with the weights of its whole horizon; ipcw estimates the score of whole runs instead, so the two scores need not agree"
            .to_owned(),
    ]);
    report.together.say(Position::Note, notes);
    // Most notes hold for all columns.
    let notes = report.notes();
    report.columns.iter_mut().for_each(|column| drop(column.block.unsay(Position::Note)));
    report.together.unsay(Position::Note);
    report.together.say(Position::Note, notes);
    Ok(report)
}

/// Returns the block of one column, and its scores by rule and weight schedule if it has a run.
fn column(
    tps: &Tps<LogScore>,
    sample: &Sample<'_>,
    runs: &[censoring::Stopped<'_>],
    chances: &Chances,
    options: &CutOffOptions,
) -> Result<(Block, Option<Vec<ScoreComparison>>), Error> {
    let weights = sample.weights(options).map_err(|error| Undefined::new(with_causes(&error)));
    let mut simple = Vec::with_capacity(runs.len());
    for run in runs {
        simple.push(RunScore::new(tps, run, Probability::ZERO)?);
    }
    let true_chances = options.known.as_ref().and_then(|known| {
        let chances = sample.ids().into_iter().map(|id| known.get(id).copied());
        chances.collect::<Option<Arc<[Probability]>>>()
    });
    let none = || Undefined::new("the true chances are known for the bundled runs only");
    let true_chances = true_chances.ok_or_else(none);
    let known = Known { simple, chances: chances.of_runs.clone(), true_chances, weights };
    let mut block = Block::default().saying(Position::Note, []);
    block.push_metrics(&METRICS, &known, |_, value| Figure::from(value));
    let mut notes = block.unsay(Position::Note);
    let counts = [
        (key::n_complete, "complete runs", sample.audit.count(StopClass::Complete)),
        (key::n_censored, "runs cut off by a budget", sample.audit.count(StopClass::Censored)),
        (key::n_excluded, "runs excluded", sample.audit.count(StopClass::Excluded)),
    ];
    block.fields.extend(counts.map(|(key, label, count)| Field::shown(key, label, count)));
    let excluded = sample.audit.exclusions();
    let excluded = excluded.into_iter().map(|(reason, runs)| (reason.to_string(), runs.into()));
    block.push_json("excluded", &excluded.collect::<serde_json::Map<_, _>>());
    let origin = chances.origin.as_ref();
    block.fields.push(Field::block("success_chance", origin.map(Origin::block)));
    if let (Some(origin), Ok(of_runs)) = (origin, &chances.of_runs) {
        notes.push(origin.note());
        if options.known.is_none() && origin.n_given > 0 && sample.says(of_runs) {
            notes.push(
                "success chance: on all runs that were cut off, the given chances equal the last forecasts of the scored stream; if they were copied from the stream, the exact mean confirms its forecasts even if these are wrong"
                    .to_owned(),
            );
        }
    }
    if let Ok(weights) = &known.weights
        && weights.coverage() < 1.0 - 1e-9
    {
        let uniform = "; all complete runs have the same weight, so ipcw corrects nothing and equals complete_only";
        let reason = match options.curve_groups.is_some() {
            true => {
                "in some group, every run that had not ended by the last step of the group's longest complete run was cut off"
                    .to_owned()
            }
            false => {
                format!(
                    "every run that had not ended by step {step} was cut off",
                    step = sample.last_end(),
                )
            }
        };
        notes.push(format!(
            "ipcw: {reason}, so the estimate represents only the {percent:.1} % of runs whose end could be observed{uniform}",
            percent = 100.0 * weights.coverage(),
            uniform = if weights.are_uniform() { uniform } else { "" },
        ));
    }
    if options.curve_groups.is_none() && sample.audit.count(StopClass::Censored) > 0 {
        notes.push(
            "ipcw: all runs share one censoring curve. If hard runs are cut off more often, the \
             result is biased even if coverage is high; with --curve-groups, each group of runs \
             has its own curve"
                .to_owned(),
        );
    }
    if sample.len() == 0 {
        let runs = counted(sample.audit.count(StopClass::Excluded), "run");
        block.say(
            Position::Conclusion,
            [format!("of {runs}, none has an outcome and none was cut off by a budget: {ADD}")],
        );
        notes.push("bounds: undefined, because there is no run to score".to_owned());
        block.fields.extend([key::bounds, "report"].map(|key| Field::json(key, ())));
        block.say(Position::Note, notes);
        return Ok((block, None));
    }
    drop(known);
    let within = mean_score_bounds(tps, runs, None, None)?;
    let title = "bounds of the exact mean, whatever the chances of success are".to_owned();
    let within = Block { title, ..bounds(within, ["least", "most"]) };
    block.fields.push(Field::block(key::bounds, within));
    let (of_rules, rows) =
        comparisons(sample, chances.of_runs.as_deref().ok(), options, &mut notes)?;
    block.say(Position::Conclusion, conclusion(&block, &of_rules, &options.schedule));
    block.fields.push(Field::block("report", of_rules));
    block.say(Position::Note, notes);
    Ok((block, Some(rows)))
}

/// Returns the conclusions on one column: the number of cut-off runs, and the effect of counting them as failures.
fn conclusion(block: &Block, of_rules: &Block, schedule: &WeightSchedule) -> Vec<String> {
    let (cut_off, complete) = (block.count(key::n_censored), block.count(key::n_complete));
    if cut_off == 0 {
        return vec![format!(
            "none of {runs} was cut off by a budget",
            runs = counted(complete, "run"),
        )];
    }
    let is = |row: &Block, key, text: &str| row.get(key) == Some(&Value::Json(text.into()));
    let mut rows = of_rules.rows_of(key::comparisons).iter();
    let row = rows.find(|row| is(row, key::rule, "log") && is(row, key::schedule, schedule.name()));
    let found = row.and_then(|row| row.figure(EXACT_MINUS_SIMPLE).ok());
    let range =
        block.inner(key::bounds).and_then(|ends| Some([ends.number(LOW)?, ends.number(HIGH)?]));
    let clause = match (found, range) {
        (Some(found), _) => {
            let lowers_or_raises = if found.value > 0.0 { "lowers" } else { "raises" };
            let noise = match side_of(&found, 0.0) {
                Some(Ordering::Equal) => ", which may be noise",
                Some(_) => "",
                None => "; without an interval, it is not known whether this is noise",
            };
            let size = size_with_ends(&found);
            Some(format!(
                "counting cut-off runs as failures {lowers_or_raises} the log score by {size}, compared with scoring them at their chances of success{noise}"
            ))
        }
        (None, Some([low, high])) => Some(format!(
            "the chances of success of the runs that were cut off are not known: the log score lies between {low} and {high}, whatever these chances are",
            low = shown(low),
            high = shown(high),
        )),
        (None, None) => None,
    };
    let mut counts =
        format!("a budget cut off {cut_off} of {runs}", runs = counted(cut_off + complete, "run"));
    if complete == 0 {
        counts.push_str(&format!("; no run has an outcome, so forecasts cannot be scored: {ADD}"));
    }
    let excluded = [(block.count(key::n_excluded), "without an outcome that counts")];
    clause.into_iter().chain([counts]).chain(left_out(excluded)).collect()
}

/// Returns the conclusion on two columns of the same runs, from the bounds of their difference.
fn of_pair(first: &str, second: &str, bounds: Interval) -> String {
    let (low, high) = (bounds.low(), bounds.high());
    let ahead = |ahead: &str, behind: &str, least: f64, most: f64| {
        let [least, most] = [least, most].map(shown);
        format!(
            "On these runs, the mean log score of {ahead} is {least} to {most} higher than that of {behind}, whatever the outcomes of the runs that were cut off."
        )
    };
    match (low > 0.0, high < 0.0) {
        (true, _) => ahead(first, second, low, high),
        (_, true) => ahead(second, first, -high, -low),
        _ => {
            let [low, high] = [low, high].map(shown);
            format!(
                "On these runs, the mean log score of {first} minus that of {second} lies between {low} and {high}: which one is higher depends on the outcomes of the runs that were cut off."
            )
        }
    }
}

/// Returns the difference of two columns, each given by its file and its name.
fn pair(
    [(first, first_name), (second, second_name)]: [(&str, &str); 2],
    difference: &StreamDifference,
    chances: &Chances,
    notes: &mut Vec<String>,
) -> Result<Block, Error> {
    let streams = format!("{first_name} - {second_name}");
    let chances = chances.of_runs.as_ref();
    let width = chances.ok().map(|chances| difference.largest_width(chances)).transpose()?;
    let width = width.flatten();
    if width.is_none() {
        let why = match difference.keeps_sign() {
            true => {
                "there is none, because the same stream is ahead whatever the chances of success are"
            }
            false => "undefined, because the chances of success are not known",
        };
        notes.push(format!("largest_width: {streams}: {why}"));
    }
    if chances.is_err() {
        notes.push(format!(
            "difference: {streams}: undefined, because the chance of success of some run is not known"
        ));
    }
    let at = chances.ok().map(|chances| difference.at(chances)).transpose()?;
    let block = Block::of([
        Field::json("first", first),
        Field::json("second", second),
        Field::shown("streams", "streams", streams),
        Field::shown("difference", "at the chances", at),
        Field::block(key::bounds, bounds(difference.bounds(), ["least", "most"])),
        Field::shown("keeps_sign", "sign kept", difference.keeps_sign()),
        Field::shown("largest_width", "largest width", width),
    ]);
    Ok(block.saying(Position::Conclusion, [of_pair(first_name, second_name, difference.bounds())]))
}

/// Returns the mean scores of all columns by treatment.
fn picture(columns: &[Column]) -> Picture {
    let ways: Vec<&Metric<Known>> = METRICS.iter().filter(|it| it.bar.is_some()).collect();
    let names = ways.iter().filter_map(|way| way.bar).map(str::to_owned).collect();
    // Side by side, so that columns do not hide each other.
    let width = 0.5 / columns.len().max(1) as f64;
    let series = columns.iter().enumerate().map(|(at, Column { name, block, .. })| {
        let shift = (at as f64 - 0.5 * (columns.len() as f64 - 1.0)) * width;
        let bounds = block.inner(key::bounds);
        let bounds = [LOW, HIGH].map(|end| bounds.and_then(|bounds| bounds.number(end)));
        let points = ways.iter().enumerate().filter_map(|(at, way)| {
            let value = block.number(way.measure.key)?;
            // The bounds belong to the mean over all runs.
            let is_of_all = way.measure.key.starts_with("exact");
            let [low, high] = bounds.map(|end| end.filter(|_| is_of_all).unwrap_or(value));
            Some([at as f64 + shift, value, low, high])
        });
        Series::with_intervals(name.clone(), Mark::Dots, points)
    });
    Picture {
        title: "Scores by treatment of cut-off runs".to_owned(),
        x: Axis::new("treatment").with_categories(names),
        y: Axis::new("mean log score in nats"),
        series: series.collect(),
        note: "Higher is better. The bars span all possible means over all runs, whatever the outcomes of cut-off runs. Complete: only complete runs. Simple: cut-off runs count as failures. Estimated: each cut-off run counts with an estimated probability of success. Known: each cut-off run counts with its true probability of success. Weighted: complete runs get larger weights to represent similar cut-off runs."
            .to_owned(),
    }
}
