use std::{borrow::Cow, collections::BTreeMap};

use run_logs::{Missing, TraceRemarks, json_lines::RunCounts};
use trajectory_metrics::{
    Better, Figure, Level, Measure, NoInterval, ReliabilityBin, STREAM_MEASURES, StreamFigure,
    Summary, Undefined,
};

use crate::{
    confidence::{AVERAGED, CALIBRATED, STATED, VERDICTS},
    report::{
        block::{Block, Field, Value},
        picture::Pictures,
    },
    traces::{
        conclusion,
        settings::{Calibration, TraceOptions},
        units::RunsDigest,
    },
};

/// The log score over complete and cut-off runs. It rewards low forecasts on runs that were cut off, so that
/// neither higher nor lower values are better where there are such runs.
pub const CENSORED: Measure = Measure::new("tps_log_censored_simple", "TPS, log score, cut-off runs as failures", Better::Neither, "Mean trajectory log score in nats over complete and cut-off runs, if no run that was cut off would have succeeded (q_Z = 0).").within(f64::NEG_INFINITY, 0.0);

/// What is measured of a column, in the order of a report. All but [`CENSORED`] are over complete runs.
pub const MEASURES: [Measure; 9] = {
    let [log, brier, beta, auroc, average_precision, aurc, t_ece, t_brier] = STREAM_MEASURES;
    [log, brier, beta, CENSORED, auroc, average_precision, aurc, t_ece, t_brier]
};

/// What must hold for [`CENSORED`] to mean what its name says.
const ASSUMPTION: &str =
    "failure-side approximation: a run that was cut off has no chance of success (q_Z = 0)";

/// Share of resampled values inside an interval.
pub const LEVEL: f64 = 0.95;

/// What is known of the runs of a column that can be scored, however it was worked out.
#[derive(Clone, Debug)]
pub struct TraceFigures {
    /// All runs, also those that were left out before; `None` for a part of the runs of a column.
    pub runs: Option<RunCounts>,
    /// Complete runs, which all metrics but [`CENSORED`] are over.
    pub n: u64,
    /// Those of them that succeeded in part: then the scores are the expectation over an outcome that is a success with
    /// a probability equal to the grade.
    pub n_partial: u64,
    /// Runs that a budget cut off.
    pub n_censored: u64,
    /// Runs without an outcome that cannot be scored, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Different tasks among complete and cut-off runs.
    pub n_tasks: usize,
    /// Different ids among them.
    pub n_ids: usize,
    /// Whether every run that is scored has one forecast, so that trajectory scores are those of this forecast.
    pub is_of_single_forecasts: bool,
    /// Whether whole tasks were resampled.
    pub clustered_by_task: bool,
    /// Which complete runs these are.
    pub digest: RunsDigest,
    /// Notes that come before those on figures.
    pub notes: Vec<String>,
    /// What is known of complete runs; `None` without one.
    pub complete: Option<CompleteFigures>,
    /// The log score with cut-off runs.
    pub censored: StreamFigure,
    /// What was done about forecasts that are missing or outside [0, 1], if they were read by a policy.
    pub missing: Option<Missing>,
    /// Runs of a log that are not in its stream of confidence.
    pub left_out: Option<LeftOut>,
    /// Notes that come last.
    pub last_notes: Vec<String>,
    /// How runs ended, if pictures were asked for.
    pub stops: BTreeMap<String, u64>,
    /// Pictures and the bins of the reliability diagram, if they were asked for.
    pub curves: Option<(Pictures, Vec<ReliabilityBin>)>,
}

/// What is known of complete runs.
#[derive(Clone, Debug)]
pub struct CompleteFigures {
    /// Share of successes.
    pub base_rate: f64,
    /// The figures of [`VERDICTS`].
    pub verdicts: [Result<Figure, Undefined>; 2],
    /// The metrics of [`STREAM_MEASURES`].
    pub estimates: Vec<StreamFigure>,
    /// The metrics of a constant forecast of the base rate.
    pub reference: Vec<StreamFigure>,
    /// The log score of this forecast with cut-off runs.
    pub censored_reference: StreamFigure,
    /// The diagnostics by summary; `None` where one is undefined.
    pub summaries: BTreeMap<String, BTreeMap<&'static str, Option<f64>>>,
    /// Notes on both lists of estimates.
    pub notes: Vec<String>,
}

impl TraceFigures {
    /// The figures with what there is to say of the file that the runs were read from.
    #[must_use]
    pub fn with_remarks(mut self, remarks: &TraceRemarks) -> Self {
        self.runs = Some(remarks.runs().clone());
        self.missing = Some(remarks.missing());
        self.last_notes.extend(remarks.notes());
        self
    }

    /// Whether both columns are of the same complete runs with the same outcomes.
    #[must_use]
    pub fn is_of_same_runs(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// Whether there is a run that can be scored.
    #[must_use]
    pub fn has_runs(&self) -> bool {
        self.n + self.n_censored > 0
    }

    fn all_notes(&mut self, options: &TraceOptions) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        let Self { n_censored, n_tasks, n_ids, complete, censored, .. } = self;
        let scored = self.n + *n_censored;
        let share_tasks = *n_tasks > 0 && (*n_tasks as u64) < scored;
        if options.calibration != Calibration::None && share_tasks {
            notes.push("calibration: traces of one task may be in different halves".to_owned());
        }
        if (*n_ids as u64) < scored && !self.clustered_by_task {
            notes.push(format!(
                "{scored} traces have {n_ids} different ids; those of one id are resampled together",
            ));
        }
        if *n_censored > 0 {
            notes.extend(assumptions().into_iter().map(|(measure, assumption)| {
                format!(
                    "{measure}: {assumption}; it favours low forecasts on such runs, so no column is marked best"
                )
            }));
        }
        notes.push(match options.resamples {
            0 => "no intervals: no resamples were asked for".to_owned(),
            _ => "t_ece is biased upwards; its interval tends to lie above its value".to_owned(),
        });
        notes.extend(complete.iter().flat_map(|complete| complete.notes.iter().cloned()));
        notes.extend(censored.note());
        match complete {
            None => notes.push("base_rate: undefined without a complete trace".to_owned()),
            Some(complete) => {
                let constant = complete.censored_reference.note();
                notes.extend(constant.map(|note| format!("base_rate_reference.{note}")));
            }
        }
        notes.append(&mut self.last_notes);
        notes
    }

    /// What is said of the column.
    #[must_use]
    pub fn into_block(mut self, options: &TraceOptions) -> Block {
        let notes = Some(self.all_notes(options));
        let mut block = Block { notes, ..Block::default() };
        if let Some(runs) = &self.runs {
            block.lines.push(runs.line());
            block.extend_json(runs);
        }
        let counts = [
            ("n", "complete runs", self.n),
            ("n_partly_successful", "of these partial successes", self.n_partial),
            ("n_censored", "runs cut off by a budget", self.n_censored),
            ("n_excluded", "runs excluded", self.excluded.values().sum()),
            ("n_tasks", "different tasks", self.n_tasks as u64),
        ];
        block.fields.extend(counts.map(|(key, label, count)| match count {
            0 if key != "n" => Field::json(key, count),
            _ => Field::shown(key, label, count),
        }));
        let base_rate = self.complete.as_ref().map(|complete| complete.base_rate);
        block.fields.push(Field::shown("base_rate", "share of successes", base_rate));
        block.push_json("schedule", options.schedule.name());
        let summary = options.summary.as_ref().map_or(options.schedule.name(), Summary::name);
        block.push_json("summary", summary);
        block.push_json("calibration", &options.calibration);
        if options.calibration != Calibration::None {
            block.push_json("calibrate_on", &options.calibrate_on);
        }
        block.push_json("resamples", &options.resamples);
        block.push_json("seed", &options.seed);
        block.push_json("clustered_by_task", &self.clustered_by_task);
        let (mut estimates, mut reference) = (vec![self.censored], Vec::new());
        let none = || Err(Undefined::new("there is no complete run"));
        let mut verdicts = [none(), none()];
        let (mut summaries, mut by_summary) = (Block::default(), Block::default());
        if let Some(complete) = self.complete {
            verdicts = complete.verdicts;
            estimates.extend(complete.estimates);
            reference = complete.reference;
            reference.push(complete.censored_reference);
            for (summary, diagnostics) in &complete.summaries {
                let of_summary = STREAM_MEASURES.iter().filter_map(|measure| {
                    let value = diagnostics.get(measure.key)?;
                    let none = || Undefined::new("all runs have one outcome");
                    let figure = value.map(Figure::from).ok_or_else(none);
                    Some(Field::figure(Measure { label: "", ..*measure }, figure))
                });
                let block = Block::of(of_summary);
                if let Some(value) = block.get("auroc").cloned() {
                    let (key, label) = (summary.clone().into(), summary.clone().into());
                    by_summary.fields.push(Field { key, label, value });
                }
                summaries.fields.push(Field::block(summary.clone(), block));
            }
        }
        let (is_cut_off, is_single) = (self.n_censored > 0, self.is_of_single_forecasts);
        // Without resamples of the runs, it was not asked for intervals or there is one cluster.
        let one = Level::new(LEVEL).ok().and_then(|it| NoInterval::check_clusters(1, it).err());
        let why_none = one.filter(|_| options.resamples > 0).unwrap_or(NoInterval::NotRequested);
        let prepared = |mut field: Field| {
            if let Value::Figure(_, Ok(figure)) = &mut field.value
                && figure.interval == Err(NoInterval::NotRequested)
            {
                figure.interval = Err(why_none);
            }
            field
        };
        let fields = |estimates| fields(estimates, is_cut_off, is_single).into_iter().map(prepared);
        let verdicts = VERDICTS.into_iter().zip(verdicts);
        let verdicts = verdicts.map(|(measure, found)| prepared(Field::figure(measure, found)));
        block.fields.extend(verdicts);
        let proper = match is_single {
            true => {
                "Every run has one forecast: tps_log and tps_brier are its log score and its Brier score"
            }
            false => "tps_log, tps_brier and tps_beta_2_4",
        };
        let verb = if is_single { ", which are proper" } else { " are proper" };
        block.note = format!(
            "{proper}{verb}: no forecast does better on average than the true probability. \
             average_precision and aurc depend on the share of failures: compare them on the same runs only."
        );
        block.fields.extend(fields(&estimates));
        let constant = Block {
            title: "base rate: the same of one forecast for all runs, their share of successes"
                .to_owned(),
            fields: fields(&reference).map(of_reference).collect(),
            ..Block::default()
        };
        block.fields.push(Field::block("base_rate_reference", constant));
        block.fields.push(Field::block("summaries", summaries));
        by_summary.title = "auroc by summary of a run (the trajectory scores use none)".to_owned();
        if is_single {
            by_summary.fields.iter_mut().for_each(|field| field.label = Cow::Borrowed(""));
        }
        block.fields.push(Field::block("auroc_by_summary", by_summary));
        block.push_json("assumptions", &assumptions());
        let counted = |title: &str, counts: BTreeMap<String, u64>| Block {
            title: title.to_owned(),
            fields: counts.into_iter().map(|(of, n)| Field::shown(of.clone(), of, n)).collect(),
            ..Block::default()
        };
        block
            .fields
            .push(Field::block("excluded", counted("why runs are excluded", self.excluded)));
        if let Some(LeftOut { reasons, n_partial }) = self.left_out {
            let n: u64 = reasons.values().sum();
            block.fields.push(Field::shown("n_left_out", "runs left out", n));
            block.push_json("n_partial", &n_partial);
            let reasons = reasons.into_iter().map(|(reason, n)| (reason.to_owned(), n));
            let reasons = counted("why runs are left out", reasons.collect());
            block.fields.push(Field::block("left_out", reasons));
        }
        if !self.stops.is_empty() {
            block.fields.push(Field::block("stops", counted("how runs ended", self.stops)));
        }
        if let Some(missing) = &self.missing {
            block.push_json("missing", missing);
        }
        if let Some((pictures, bins)) = self.curves {
            block.push_json("bins", &bins);
            block.pictures = pictures;
        }
        let how = match options.calibration {
            Calibration::None if is_single => STATED,
            Calibration::None => AVERAGED,
            _ => CALIBRATED,
        };
        block.conclusion = conclusion::of_column(&block, how);
        block
    }
}

/// The figures of all measures with their standard errors. Tables have none that says what another one says: of
/// runs of which none was cut off, and of runs that have one forecast each.
pub(crate) fn fields(estimates: &[StreamFigure], is_cut_off: bool, is_single: bool) -> Vec<Field> {
    let field = |mut measure: Measure| {
        measure.label = match measure.key {
            key if key == CENSORED.key && !is_cut_off => "",
            "tps_beta_2_4" | "t_brier" if is_single => "",
            "tps_log" if is_single => "log score",
            "tps_brier" if is_single => "Brier score",
            _ => measure.label,
        };
        if measure.key == CENSORED.key && !is_cut_off {
            measure.better = Better::Higher;
        }
        let found = estimates.iter().find(|found| found.measure.key == measure.key);
        let none = || Err(Undefined::new("there is no complete run"));
        Field::figure(measure, found.map_or_else(none, |found| found.figure.clone()))
    };
    MEASURES.into_iter().map(field).collect()
}

/// One forecast for all runs has nothing to rank, and is calibrated on them but for rounding.
fn of_reference(field: Field) -> Field {
    match field.key.starts_with("tps_") {
        true => field,
        false => Field { label: Cow::Borrowed(""), ..field },
    }
}

/// What must hold for a measure to mean what its name says, by measure.
pub(crate) fn assumptions() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([(CENSORED.key, ASSUMPTION)])
}

/// Runs of a log that are not in a stream of confidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Their number by the reason why their first missing value is missing.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Those of them that have a value at some model call.
    pub n_partial: u64,
}
