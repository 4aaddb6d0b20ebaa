use std::{collections::BTreeMap, fmt};

use crate::{Error, Observation, StopReason, Stopped};

/// Why a run with an unknown outcome cannot be scored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Exclusion {
    /// It stopped for a reason that may be a sign of its outcome, or was never judged.
    Stopped(StopReason),
    /// Nobody says why it stopped.
    NoReason,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(reason) => reason.fmt(f),
            Self::NoReason => f.write_str("no stop reason"),
        }
    }
}

/// Counts of how runs ended: what a report must say about what it leaves out.
///
/// Audits of parts add up by [`TerminationAudit::merge`].
///
/// Reference: Evaluator failure modes in agentic uncertainty quantification, appendix G.1.
///
/// ```
/// use censoring::{Error, Probability, StopReason, Stopped, TerminationAudit};
///
/// let forecasts = [Probability::HALF];
/// let mut audit = TerminationAudit::default();
/// audit.update(&Stopped::new(&forecasts, Some(true), None)?);
/// audit.update(&Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?);
/// audit.update(&Stopped::new(&forecasts, None, Some(StopReason::ParseError))?);
///
/// assert_eq!((audit.complete(), audit.censored(), audit.excluded()), (1, 1, 1));
/// assert_eq!(audit.censoring_rate()?, 0.5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminationAudit {
    complete: u64,
    censored: u64,
    exclusions: BTreeMap<Exclusion, u64>,
}

impl TerminationAudit {
    /// Counts one run.
    pub fn update(&mut self, run: &Stopped<'_>) {
        match run.observation() {
            Observation::Complete(_) => self.complete += 1,
            Observation::Censored => self.censored += 1,
            Observation::Excluded(exclusion) => {
                *self.exclusions.entry(exclusion.clone()).or_default() += 1;
            }
        }
    }

    /// Adds the counts of another audit.
    pub fn merge(&mut self, other: &Self) {
        self.complete += other.complete;
        self.censored += other.censored;
        for (exclusion, count) in &other.exclusions {
            *self.exclusions.entry(exclusion.clone()).or_default() += count;
        }
    }

    /// Runs whose outcome was observed.
    #[must_use]
    pub const fn complete(&self) -> u64 {
        self.complete
    }

    /// Runs that a budget ended before an outcome was observed.
    #[must_use]
    pub const fn censored(&self) -> u64 {
        self.censored
    }

    /// Runs that cannot be scored.
    #[must_use]
    pub fn excluded(&self) -> u64 {
        self.exclusions.values().sum()
    }

    /// Runs that cannot be scored, by reason.
    #[must_use]
    pub const fn exclusions(&self) -> &BTreeMap<Exclusion, u64> {
        &self.exclusions
    }

    /// All runs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.complete + self.censored + self.excluded()
    }

    /// Share of the working sample (complete and censored runs) that was censored.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] where the working sample is.
    pub fn censoring_rate(&self) -> Result<f64, Error> {
        let working = self.complete + self.censored;
        if working == 0 { Err(Error::Empty) } else { Ok(self.censored as f64 / working as f64) }
    }
}

impl<'a, 'b: 'a> Extend<&'a Stopped<'b>> for TerminationAudit {
    fn extend<I: IntoIterator<Item = &'a Stopped<'b>>>(&mut self, runs: I) {
        runs.into_iter().for_each(|run| self.update(run));
    }
}

impl<'a, 'b: 'a> FromIterator<&'a Stopped<'b>> for TerminationAudit {
    fn from_iter<I: IntoIterator<Item = &'a Stopped<'b>>>(runs: I) -> Self {
        let mut audit = Self::default();
        audit.extend(runs);
        audit
    }
}
