use std::collections::BTreeMap;

use run_logs::{Account, Missing, TraceRemarks, json_lines::RunCounts};
use trajectory_metrics::{
    Better, CalibrationTest, Figure, Measure, STREAM_MEASURES, StreamFigure, Undefined,
};

use crate::{
    metrics::named,
    report::{
        block::{Block, Field},
        key,
    },
};

/// The log score over complete and cut-off runs, with cut-off runs as failures. It rewards low forecasts on cut-off
/// runs, so neither higher nor lower values are better if there are such runs.
pub const CENSORED: Measure = Measure::new("tps_log_censored_simple", "TPS, log score, cut-off runs as failures", Better::Neither, "Mean trajectory log score in nats over complete and cut-off runs, if cut-off runs count as failures (q_Z = 0).").within(f64::NEG_INFINITY, 0.0);

/// The measures shown next to T-ECE, from a [`CalibrationTest`] by task.
pub(super) const OF_CALIBRATED: [Measure; 3] = [
    Measure::new("t_ece_calibrated", "T-ECE of calibrated forecasts", Better::Neither, "T-ECE that these forecasts would have if they were calibrated, in [0, 1]: the mean over outcomes that are drawn with the forecasts as probabilities.").within(0.0, 1.0),
    Measure::new("t_ece_excess", "T-ECE minus that of calibrated forecasts", Better::Neither, "T-ECE minus t_ece_calibrated: about 0 for calibrated forecasts, whatever the number of runs. Compare columns by this figure; it has no interval.").within(-1.0, 1.0),
    Measure::new("t_ece_p_value", "p-value of calibration", Better::Neither, "Share of the draws of t_ece_calibrated whose T-ECE is at least that of the data, in (0, 1]; a share of at most 0.05 says that the forecasts are not calibrated.").within(0.0, 1.0),
];

pub(crate) const TPS_LOG: Measure = named(&STREAM_MEASURES, "tps_log");
const TPS_BRIER: Measure = named(&STREAM_MEASURES, "tps_brier");
const TPS_BETA_2_4: Measure = named(&STREAM_MEASURES, "tps_beta_2_4");
pub(super) const AUROC: Measure = named(&STREAM_MEASURES, "auroc");
pub(super) const AVERAGE_PRECISION: Measure = named(&STREAM_MEASURES, "average_precision");
pub(super) const AURC: Measure = named(&STREAM_MEASURES, "aurc");
pub(super) const T_ECE: Measure = named(&STREAM_MEASURES, "t_ece");
const T_BRIER: Measure = named(&STREAM_MEASURES, "t_brier");

/// The measures of a column, in the order of a report. All except [`CENSORED`] are over complete runs.
pub const MEASURES: [Measure; 12] = {
    let [of_calibrated, excess, p_value] = OF_CALIBRATED;
    [
        TPS_LOG,
        TPS_BRIER,
        TPS_BETA_2_4,
        CENSORED,
        AUROC,
        AVERAGE_PRECISION,
        AURC,
        T_ECE,
        of_calibrated,
        excess,
        p_value,
        T_BRIER,
    ]
};

/// Returns whether it is a trajectory proper score; the other measures are diagnostics of one summary of a run.
pub(super) fn is_score(measure: &Measure) -> bool {
    [TPS_LOG, TPS_BRIER, TPS_BETA_2_4, CENSORED].iter().any(|score| score.key == measure.key)
}

/// The assumption under which [`CENSORED`] is the score of all runs.
pub(super) const ASSUMPTION: &str =
    "failure-side approximation: every run that was cut off counts as a certain failure (q_Z = 0)";

/// Returns whether a block has a run that can be scored.
#[must_use]
pub fn has_runs(block: &Block) -> bool {
    block.count(key::n) + block.count(key::n_censored) > 0
}

/// Moves the runs that cannot be scored from the kept runs of the account `of_runs` to the runs left out, and returns
/// the account. `block` has the number of such runs for each reason.
#[must_use]
pub fn account(block: &Block, of_runs: Account) -> Account {
    let excluded = block.inner(key::excluded);
    let count = |field: &Field| (field.key.clone(), excluded.map_or(0, |it| it.count(&field.key)));
    of_runs.without(excluded.iter().flat_map(|it| &it.fields).map(count))
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

/// Returns a table of numbers of runs by category.
pub(super) fn counted(title: &str, counts: BTreeMap<String, u64>) -> Block {
    Block::titled(title, counts.into_iter().map(|(of, n)| Field::shown(of.clone(), of, n)))
}

/// Returns the figures of all measures with their standard errors. Tables leave out figures that repeat another one:
/// the score with censored runs if no run was cut off, and several scores if each run has a single forecast.
pub(crate) fn fields(estimates: &[StreamFigure], is_cut_off: bool, is_single: bool) -> Vec<Field> {
    let field = |mut measure: Measure| {
        measure.label = match measure.key {
            key if key == CENSORED.key && !is_cut_off => "",
            key if is_single && [TPS_BETA_2_4.key, T_BRIER.key].contains(&key) => "",
            key if is_single && key == TPS_LOG.key => "log score",
            key if is_single && key == TPS_BRIER.key => "Brier score",
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
pub(super) fn of_calibrated(calibration: &Result<CalibrationTest, Undefined>) -> [Field; 3] {
    let values =
        calibration.as_ref().map(|found| [found.mean_if_calibrated, found.excess, found.p_value]);
    std::array::from_fn(|at| {
        let label = if values.is_ok() { OF_CALIBRATED[at].label } else { "" };
        let figure = values.map(|values| Figure::from(values[at])).map_err(Clone::clone);
        Field::figure(Measure { label, ..OF_CALIBRATED[at] }, figure)
    })
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
