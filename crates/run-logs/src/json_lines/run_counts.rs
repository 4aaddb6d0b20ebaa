use std::collections::BTreeMap;

use censoring::{StopClass, StopReason};
use memchr::memmem;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use trajectory_metrics::Figure;

use crate::{
    json_lines::{
        fields::YesOrNo,
        parsing::{InputError, parse_line},
    },
    values::account::Account,
};

/// A line of a run that was left out.
#[derive(Deserialize)]
struct LeftOut {
    #[serde(alias = "success", alias = "solved")]
    outcome: Option<YesOrNo>,
    #[serde(alias = "stop_reason")]
    stop: Option<StopReason>,
    left_out: String,
    /// Whether a budget ended the run. Only lines of rollouts have this field.
    cut_off: Option<bool>,
}

/// The counts of all runs of a file by outcome, and of the runs that were left out when the file was made, by reason.
///
/// A run that was left out is a line with the reason instead of the missing part, such as
/// `{"id", "task"?, "outcome": true|false|null, "stop"?, "left_out": "no_confidence"}`. The field of the outcome has the same
/// name as in other lines of the file. Such a line is counted and never scored.
///
/// ```
/// use run_logs::json_lines::{InputError, RunCounts};
///
/// let mut runs = RunCounts::default();
/// runs.add(Some(true), None);
/// let line = br#"{"id": "b", "success": false, "left_out": "no_confidence"}"#;
/// assert!(runs.take_left_out("runs.jsonl", 2, line)?);
/// assert_eq!(runs.left_out(), 1);
/// let text = "2 runs: 1 succeeded, 1 failed; success rate 0.500; left out before: 1 no_confidence";
/// assert_eq!(runs.line(), text);
/// # Ok::<(), InputError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(into = "Shown")]
pub struct RunCounts {
    succeeded: u64,
    failed: u64,
    unknown: u64,
    /// Runs without an outcome that a limit cut off.
    at_limit: u64,
    /// Runs that succeeded in part.
    partial: u64,
    /// Runs with an outcome or a grade that a limit ended.
    at_limit_graded: u64,
    /// Runs that an error ended.
    errors: u64,
    left_out: BTreeMap<String, u64>,
}

/// The counts as reports show them.
#[derive(Serialize)]
struct Shown {
    n_runs: u64,
    n_succeeded: u64,
    n_failed: u64,
    n_unknown: u64,
    n_at_limit: u64,
    #[serde(skip_serializing_if = "is_zero")]
    n_partial: u64,
    success_rate: Figure,
    success_rate_limits_failed: Figure,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    left_out: BTreeMap<String, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands on a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl From<RunCounts> for Shown {
    fn from(counts: RunCounts) -> Self {
        let rate = |others| Figure::from(counts.success_rate(others).unwrap_or(f64::NAN));
        Self {
            n_runs: counts.len(),
            n_succeeded: counts.succeeded,
            n_failed: counts.failed,
            n_unknown: counts.unknown,
            n_at_limit: counts.at_limit,
            n_partial: counts.partial,
            success_rate: rate(0),
            success_rate_limits_failed: rate(counts.at_limit),
            left_out: counts.left_out,
        }
    }
}

impl RunCounts {
    /// Counts a run.
    pub fn add(&mut self, outcome: Option<bool>, stop: Option<&StopReason>) {
        let of_outcome = match outcome {
            Some(true) => &mut self.succeeded,
            Some(false) => &mut self.failed,
            None => &mut self.unknown,
        };
        *of_outcome += 1;
        self.add_stop(outcome.is_some(), stop);
    }

    /// Counts a run that a limit cut off, so that its outcome is not known.
    pub(crate) fn add_cut_off(&mut self) {
        self.unknown += 1;
        self.at_limit += 1;
    }

    /// Counts a run that succeeded in part.
    pub fn add_partial(&mut self, stop: Option<&StopReason>) {
        self.partial += 1;
        self.add_stop(true, stop);
    }

    fn add_stop(&mut self, is_graded: bool, stop: Option<&StopReason>) {
        let Some(stop) = stop else { return };
        let of_limit = if is_graded { &mut self.at_limit_graded } else { &mut self.at_limit };
        *of_limit += u64::from(stop.class() == StopClass::Censored);
        self.errors += u64::from(stop.name() == "error");
    }

    /// Counts the run of a line that states why the run was left out; returns `false` for any other line.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a line with `left_out` whose other fields are wrong.
    pub fn take_left_out(
        &mut self,
        file: &str,
        number: usize,
        line: &[u8],
    ) -> Result<bool, InputError> {
        #[derive(Deserialize)]
        struct Mark {
            left_out: Option<IgnoredAny>,
        }
        // The key may also be nested, for example in the arguments of a call.
        let has_key = memmem::find(line, b"\"left_out\"").is_some();
        let is_marked = || serde_json::from_slice(line).is_ok_and(|it: Mark| it.left_out.is_some());
        if !has_key || !is_marked() {
            return Ok(false);
        }
        let LeftOut { outcome, stop, left_out, cut_off } = parse_line(file, number, line)?;
        let outcome = outcome.map(|YesOrNo(outcome)| outcome);
        if cut_off == Some(true) && outcome != Some(true) {
            self.add_cut_off();
        } else {
            self.add(outcome, stop.as_ref());
        }
        *self.left_out.entry(left_out).or_default() += 1;
        Ok(true)
    }

    /// Counts a run that was left out for this reason.
    pub fn add_left_out(&mut self, outcome: Option<bool>, stop: Option<&StopReason>, reason: &str) {
        self.add(outcome, stop);
        *self.left_out.entry(reason.to_owned()).or_default() += 1;
    }

    /// Returns whether all runs were left out.
    pub(crate) fn keeps_none(&self) -> bool {
        self.len() == self.left_out()
    }

    /// Adds the counts of other runs.
    pub fn append(&mut self, other: &Self) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.unknown += other.unknown;
        self.at_limit += other.at_limit;
        self.partial += other.partial;
        self.at_limit_graded += other.at_limit_graded;
        self.errors += other.errors;
        for (reason, count) in &other.left_out {
            *self.left_out.entry(reason.clone()).or_default() += count;
        }
    }

    /// Returns the number of runs that were left out when the file was made.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out.values().sum()
    }

    /// Returns the counts of the runs as an account, in which all runs are kept except those that were left out when
    /// the file was made. If the runs come from a log, the account is based on `log`, the account of that log.
    #[must_use]
    pub fn account(&self, log: Option<&Account>) -> Account {
        let of_lines = || Account {
            n_found: self.len(),
            n_kept: self.len(),
            n_at_limit_graded: self.at_limit_graded,
            n_at_limit_ungraded: self.at_limit,
            n_errors: self.errors,
            n_partial: self.partial,
            ..Account::default()
        };
        let account = log.cloned().unwrap_or_else(of_lines);
        account.without(self.left_out.iter().map(|(reason, count)| (reason, *count)))
    }

    fn len(&self) -> u64 {
        self.succeeded + self.failed + self.unknown + self.partial
    }

    /// Returns successes as a share of the runs with a known outcome plus `others` further runs; `None` if some succeeded in
    /// part.
    fn success_rate(&self, others: u64) -> Option<f64> {
        let runs = self.succeeded + self.failed + others;
        // With partial successes, it would be a rate over only the runs with grade 0 or 1.
        (runs > 0 && self.partial == 0).then(|| self.succeeded as f64 / runs as f64)
    }

    /// Returns the counts as one line of text for people.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { succeeded, failed, unknown, at_limit, partial, left_out, .. } = self;
        let runs = if self.len() == 1 { "run" } else { "runs" };
        let mut text = format!("{} {runs}: {succeeded} succeeded, {failed} failed", self.len());
        if *partial > 0 {
            text.push_str(&format!(", {partial} succeeded in part"));
        }
        if *unknown > 0 {
            text.push_str(&format!(", {unknown} unknown ({at_limit} cut off by a limit)"));
        }
        if let Some(rate) = self.success_rate(0) {
            text.push_str(&format!("; success rate {rate:.3}"));
        }
        if let (true, Some(rate)) = (*at_limit > 0, self.success_rate(*at_limit)) {
            text.push_str(&format!(", {rate:.3} if cut-off runs count as failed"));
        }
        if !left_out.is_empty() {
            let reasons = left_out.iter().map(|(reason, count)| format!("{count} {reason}"));
            let reasons = reasons.collect::<Vec<_>>().join(", ");
            text.push_str(&format!("; left out before: {reasons}"));
        }
        text
    }
}
