use std::{borrow::Cow, collections::BTreeMap};

use run_logs::{Account, Missing, TraceRemarks, json_lines::RunCounts};
use trajectory_metrics::{
    Better, CalibrationTest, Figure, Level, Measure, NoInterval, STREAM_MEASURES, StreamFigure,
    Undefined,
};

use crate::{
    confidence::VERDICTS,
    metrics::LEVEL,
    report::block::{Block, Field, Value},
    traces::{settings::TraceOptions, units::RunsDigest},
};

/// The log score over complete and cut-off runs. It rewards low forecasts on runs that were cut off. Neither higher
/// nor lower values are therefore better if there are such runs.
pub const CENSORED: Measure = Measure::new("tps_log_censored_simple", "TPS, log score, cut-off runs as failures", Better::Neither, "Mean trajectory log score in nats over complete and cut-off runs, if no run that was cut off would have succeeded (q_Z = 0).").within(f64::NEG_INFINITY, 0.0);

/// The measures shown next to T-ECE, from a [`CalibrationTest`] by task.
const OF_CALIBRATED: [Measure; 3] = [
    Measure::new("t_ece_calibrated", "T-ECE of calibrated forecasts", Better::Neither, "Mean T-ECE of outcomes drawn with the stated confidences, in [0, 1]: what a calibrated forecaster with these forecasts would have.").within(0.0, 1.0),
    Measure::new("t_ece_excess", "T-ECE minus that of calibrated forecasts", Better::Neither, "T-ECE minus t_ece_calibrated: about 0 for calibrated forecasts whatever the number of runs, the figure to compare columns by; it has no interval.").within(-1.0, 1.0),
    Measure::new("t_ece_p_value", "p-value of calibration", Better::Neither, "Share of these draws with a T-ECE at least as large, in (0, 1]: at most 0.05 says that the forecasts are not calibrated.").within(0.0, 1.0),
];

/// The measures of a column, in the order of a report. All except [`CENSORED`] are over complete runs.
pub const MEASURES: [Measure; 12] = {
    let [log, brier, beta, auroc, average_precision, aurc, t_ece, t_brier] = STREAM_MEASURES;
    let [of_calibrated, excess, p_value] = OF_CALIBRATED;
    [
        log,
        brier,
        beta,
        CENSORED,
        auroc,
        average_precision,
        aurc,
        t_ece,
        of_calibrated,
        excess,
        p_value,
        t_brier,
    ]
};

/// The assumption under which [`CENSORED`] is the score of all runs.
const ASSUMPTION: &str =
    "failure-side approximation: a run that was cut off has no chance of success (q_Z = 0)";

/// The figures of those runs of a column that can be scored.
#[derive(Clone, Debug)]
pub struct TraceFigures {
    /// The results of the column.
    pub block: Block,
    /// The digest of the complete runs and their outcomes.
    pub digest: RunsDigest,
}

impl TraceFigures {
    /// Returns whether both columns have the same complete runs with the same outcomes.
    #[must_use]
    pub fn is_of_same_runs(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// Returns whether there is a run that can be scored.
    #[must_use]
    pub fn has_runs(&self) -> bool {
        self.block.count("n") + self.block.count("n_censored") > 0
    }

    /// Returns the account of the runs that were read, in which runs that cannot be scored are left out.
    #[must_use]
    pub fn account(&self, of_runs: Account) -> Account {
        let excluded = self.block.inner("excluded");
        let count =
            |field: &Field| (field.key.clone(), excluded.map_or(0, |it| it.count(&field.key)));
        of_runs.without(excluded.iter().flat_map(|it| &it.fields).map(count))
    }
}

/// Facts about a column in addition to its scored runs.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The counts of all runs, including runs that an earlier command left out; `None` for a part of the runs of a
    /// column.
    pub runs: Option<RunCounts>,
    /// The treatment of forecasts that are missing or outside [0, 1], if a policy was used.
    pub missing: Option<Missing>,
    /// The counts of a log's runs that are not in its stream of confidence.
    pub left_out: Option<LeftOut>,
    /// Notes, which come last.
    pub notes: Vec<String>,
}

impl From<&TraceRemarks> for Beside {
    fn from(remarks: &TraceRemarks) -> Self {
        let (runs, missing) = (Some(remarks.runs().clone()), Some(remarks.missing()));
        Self { runs, missing, left_out: None, notes: remarks.notes() }
    }
}

/// The figures of complete runs.
pub(super) struct CompleteFigures {
    /// Share of successes.
    pub(super) base_rate: f64,
    /// The figures of [`VERDICTS`].
    pub(super) verdicts: [Result<Figure, Undefined>; 2],
    /// The metrics of [`STREAM_MEASURES`].
    pub(super) estimates: Vec<StreamFigure>,
    /// T-ECE next to its value for calibrated forecasts.
    pub(super) calibration: Result<CalibrationTest, Undefined>,
    /// The metrics of a constant forecast of the base rate.
    pub(super) reference: Vec<StreamFigure>,
    /// The log score of this forecast with cut-off runs.
    pub(super) censored_reference: StreamFigure,
    /// The diagnostics by summary; `None` where one is undefined.
    pub(super) summaries: BTreeMap<String, BTreeMap<&'static str, Option<f64>>>,
    /// Notes on both lists of estimates.
    pub(super) notes: Vec<String>,
}

/// Returns notes to read before the scores are quoted.
pub(super) fn notes_on_scores(
    n_censored: u64,
    complete: Option<&CompleteFigures>,
    censored: &StreamFigure,
    options: &TraceOptions,
) -> Vec<String> {
    let mut notes = Vec::new();
    if n_censored > 0 {
        notes.extend(assumptions().into_iter().map(|(measure, assumption)| {
            format!(
                "{measure}: {assumption}; it favours low forecasts on such runs, so no column is marked best"
            )
        }));
    }
    if options.resamples == 0 {
        notes.push(
            "no intervals and no T-ECE of calibrated forecasts: no resamples were asked for"
                .to_owned(),
        );
    } else if let Some(Err(why)) = complete.map(|complete| &complete.calibration) {
        notes.push(format!("t_ece_calibrated: {why}"));
    }
    notes.extend(complete.iter().flat_map(|complete| complete.notes.iter().cloned()));
    notes.extend(censored.note());
    match complete {
        None => notes.push("base_rate: undefined without a complete trace".to_owned()),
        Some(complete) => {
            let constant = complete.censored_reference.note();
            notes.extend(constant.map(|note| format!("base_rate_reference.{note}")));
        }
    }
    notes
}

/// Adds the scores of a column, of a constant forecast and of the summaries.
pub(super) fn push_scores(
    block: &mut Block,
    complete: Option<CompleteFigures>,
    censored: StreamFigure,
    is_single: bool,
    options: &TraceOptions,
) {
    let (mut estimates, mut reference) = (vec![censored], Vec::new());
    let none = || Err(Undefined::new("there is no complete run"));
    let (mut verdicts, mut calibration) =
        ([none(), none()], Err(Undefined::new("there is no complete run")));
    let (mut summaries, mut by_summary) = (Block::default(), Block::default());
    if let Some(complete) = complete {
        (verdicts, calibration) = (complete.verdicts, complete.calibration);
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
                let label = if is_single { String::new() } else { summary.clone() };
                let (key, label) = (summary.clone().into(), label.into());
                by_summary.fields.push(Field { key, label, value });
            }
            summaries.fields.push(Field::block(summary.clone(), block));
        }
    }
    // Without resamples of the runs, it was not asked for intervals or there is one cluster.
    let one = Level::new(LEVEL).ok().filter(|_| options.resamples > 0);
    let why_none = one.map_or(NoInterval::NotRequested, |level| NoInterval::too_few(1, level));
    let prepared = |mut field: Field| {
        if let Value::Figure(_, Ok(figure)) = &mut field.value
            && figure.interval == Err(NoInterval::NotRequested)
        {
            figure.interval = Err(why_none);
        }
        field
    };
    let is_cut_off = block.count("n_censored") > 0;
    let fields = |estimates| fields(estimates, is_cut_off, is_single).into_iter().map(prepared);
    let verdicts = VERDICTS.into_iter().zip(verdicts);
    block.fields.extend(verdicts.map(|(measure, found)| prepared(Field::figure(measure, found))));
    let proper = match is_single {
        true => {
            "Every run has one forecast: tps_log and tps_brier are its log score and its Brier score, which are proper"
        }
        false => "tps_log, tps_brier and tps_beta_2_4 are proper",
    };
    block.note = format!(
        "{proper}: no forecast does better on average than the true probability. \
         average_precision and aurc depend on the share of failures: compare them on the same runs only."
    );
    for field in fields(&estimates) {
        let is_t_ece = field.key == "t_ece";
        block.fields.push(field);
        if is_t_ece {
            block.fields.extend(of_calibrated(&calibration));
        }
    }
    let constant = Block {
        title: "base rate: the same of one forecast for all runs, their share of successes"
            .to_owned(),
        fields: fields(&reference).map(of_reference).collect(),
        ..Block::default()
    };
    block.fields.push(Field::block("base_rate_reference", constant));
    block.fields.push(Field::block("summaries", summaries));
    by_summary.title = "auroc by summary of a run (the trajectory scores use none)".to_owned();
    block.fields.push(Field::block("auroc_by_summary", by_summary));
}

/// Returns a table of numbers of runs by category.
pub(super) fn counted(title: &str, counts: BTreeMap<String, u64>) -> Block {
    Block {
        title: title.to_owned(),
        fields: counts.into_iter().map(|(of, n)| Field::shown(of.clone(), of, n)).collect(),
        ..Block::default()
    }
}

/// Returns the figures of all measures with their standard errors. Tables leave out figures that repeat another one:
/// the score with censored runs if no run was cut off, and several scores if each run has a single forecast.
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
    MEASURES.into_iter().filter(|measure| !OF_CALIBRATED.contains(measure)).map(field).collect()
}

/// Returns the figures of [`OF_CALIBRATED`]. Tables leave out undefined ones, for which there is a note.
fn of_calibrated(calibration: &Result<CalibrationTest, Undefined>) -> [Field; 3] {
    let values =
        calibration.as_ref().map(|found| [found.mean_if_calibrated, found.excess, found.p_value]);
    std::array::from_fn(|at| {
        let label = if values.is_ok() { OF_CALIBRATED[at].label } else { "" };
        let figure = values.map(|values| Figure::from(values[at])).map_err(Clone::clone);
        Field::figure(Measure { label, ..OF_CALIBRATED[at] }, figure)
    })
}

/// Hides figures of the reference from tables, except for the scores. The reference is one forecast for all runs, which
/// ranks nothing and is calibrated on them up to rounding.
fn of_reference(field: Field) -> Field {
    match field.key.starts_with("tps_") {
        true => field,
        false => Field { label: Cow::Borrowed(""), ..field },
    }
}

/// Returns the assumptions of each measure.
pub(crate) fn assumptions() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([(CENSORED.key, ASSUMPTION)])
}

/// The runs of a log that are not in a stream of confidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// The number of left-out runs for each reason why the first missing value of a run is missing.
    pub reasons: BTreeMap<&'static str, u64>,
    /// The number of left-out runs that have a value at some model call.
    pub n_partial: u64,
}
