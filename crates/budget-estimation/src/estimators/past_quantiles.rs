use scoring_rules::Level;

use crate::{
    error::Error, estimates::estimate::Estimate, estimators::estimator::Estimator, rank::least,
    replay::prefix::Prefix, resource::Resource, rollouts::rollout::Rollout,
};

/// Quantiles of what past runs still spent after the same number of turns.
///
/// The interval is central: for a coverage of 0.8 from the 10 % to the 90 % quantile, the smallest
/// value at or below which that share of past runs lies. No answer before there are enough past
/// runs for both ends, `2 / (1 - coverage)`. Where fewer than that went on for k turns, those count
/// that are known after the latest turn, from the first, that enough of them went on for. Before
/// the first turn they are quantiles of what whole runs spent. Impossible where there is a cap and
/// already the lower end does not fit under it.
///
/// [`PastQuantiles::new`] learns from runs that succeeded within their caps. Where runs were cut
/// off, those that succeeded are the short ones, and such quantiles are too low; then
/// [`PastQuantiles::survival_aware`] counts a run that was cut off as one that would have spent at
/// least so much (Kaplan-Meier), and one that failed by itself not at all. That is unbiased where
/// being cut off tells nothing else of what would have remained. If the largest were cut off, they
/// count as ended there (Efron's convention): an upper end may then be too low.
///
/// Keeps one number a turn of every past run. An estimate takes O(n) with cut-offs, n being the
/// number of past runs, else O(1), and finds the turn in O(log k); learning from a run of T turns
/// takes O(n T).
///
/// ```
/// use budget_estimation::{Error, Estimate, Level, PastQuantiles, Rollouts, score_rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for cost in [10.0, 14.0, 11.0, 13.0, 12.0] {
///     rollouts.push(&[5.0, cost], true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut past = PastQuantiles::new(Level::new(0.5)?);
/// let samples = score_rollouts(&rollouts, tokens, &mut past)?;
/// assert_eq!(samples[3].estimate(), Estimate::NoAnswer);
/// assert_eq!(samples[4].estimate(), Estimate::interval(10.0, 13.0)?);
/// # Ok::<(), Error>(())
/// ```
///
/// References: Hyndman, Fan (1996), Sample quantiles in statistical packages, doi:10.2307/2684934,
/// type 1; Kaplan, Meier (1958), Nonparametric estimation from incomplete observations,
/// doi:10.1080/01621459.1958.10501452; Efron (1967), The two sample problem with censored data.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct PastQuantiles {
    coverage: Level,
    cut_offs: bool,
    /// For each number of completed turns, from 0, what past runs still spent, sorted.
    by_turn: Vec<Vec<Past>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Past {
    remaining: f64,
    /// At least that much.
    cut_off: bool,
}

impl PastQuantiles {
    /// Learns from runs that succeeded within their caps.
    #[must_use]
    pub const fn new(coverage: Level) -> Self {
        Self { coverage, cut_offs: false, by_turn: Vec::new() }
    }

    /// Learns from runs that succeeded and from those that were cut off.
    #[must_use]
    pub const fn survival_aware(coverage: Level) -> Self {
        Self { coverage, cut_offs: true, by_turn: Vec::new() }
    }

    /// The past after k turns, or after the latest turn before, but the first, that enough runs
    /// reached.
    fn past(&self, k: usize) -> Option<&[Past]> {
        let known = if k == 0 { self.by_turn.get(..1)? } else { self.by_turn.get(1..)? };
        let known = known.get(..k.clamp(1, known.len().max(1)))?;
        // One beyond each end of a central interval.
        let enough = |n: f64| n - least(self.coverage.get(), n) >= 2.0;
        // Whoever went on for k turns went on for fewer, so lengths fall.
        let reached = known.partition_point(|past| enough(past.len() as f64));
        known.get(reached.checked_sub(1)?).map(Vec::as_slice)
    }
}

/// The smallest value up to which at least a share p of the runs had ended, after Kaplan and Meier;
/// without cut-offs that is the share of runs. `past` is sorted, ends before cut-offs, and not
/// empty.
fn quantile(past: &[Past], p: f64, cut_offs: bool) -> Option<f64> {
    let n = past.len();
    if !cut_offs || past.iter().all(|run| !run.cut_off) {
        let rank = least(p, n as f64).ceil().max(1.0) as usize;
        return past.get(rank.min(n) - 1).map(|run| run.remaining);
    }
    let mut surviving = 1.0;
    for (i, run) in past.iter().enumerate() {
        if !run.cut_off {
            let at_risk = (n - i) as f64;
            surviving *= (at_risk - 1.0) / at_risk;
            if 1.0 - surviving >= least(p, 1.0) {
                return Some(run.remaining);
            }
        }
    }
    past.last().map(|run| run.remaining)
}

impl Estimator for PastQuantiles {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let tail = (1.0 - self.coverage.get()) / 2.0;
        let of = |past: &[Past], p| quantile(past, p, self.cut_offs);
        let ends = self
            .past(prefix.turns())
            .and_then(|past| Some((of(past, tail)?, of(past, 1.0 - tail)?)));
        let Some((low, high)) = ends else { return Ok(Estimate::NoAnswer) };
        if prefix.usage().left().is_some_and(|left| low > left) {
            return Ok(Estimate::Impossible);
        }
        Estimate::interval(low, high)
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        let cut_off = rollout.is_censored();
        let counts =
            if self.cut_offs { rollout.succeeded() || cut_off } else { rollout.is_feasible()? };
        if !counts {
            return Ok(());
        }
        let (whole, usage) = (rollout.whole(resource)?, rollout.usage(resource)?);
        if self.by_turn.len() < rollout.turns() {
            self.by_turn.resize_with(rollout.turns(), Vec::new);
        }
        // After 0 turns and after each but the last.
        let spent = std::iter::once(&0.0).chain(usage.cumulative()).take(rollout.turns());
        for (past, &spent) in self.by_turn.iter_mut().zip(spent) {
            let remaining = whole.remaining_after(spent);
            let at =
                past.partition_point(|run| (run.remaining, run.cut_off) <= (remaining, cut_off));
            past.insert(at, Past { remaining, cut_off });
        }
        Ok(())
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    coverage: Level,
    survival_aware: bool,
    by_turn: Vec<Vec<Past>>,
}

#[cfg(feature = "serde")]
impl From<PastQuantiles> for Stored {
    fn from(state: PastQuantiles) -> Self {
        let PastQuantiles { coverage, cut_offs, by_turn } = state;
        Self { coverage, survival_aware: cut_offs, by_turn }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PastQuantiles {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { coverage, survival_aware: cut_offs, by_turn } = stored;
        let key = |run: &Past| (run.remaining, run.cut_off);
        if !by_turn.iter().all(|past| past.is_sorted_by(|a, b| key(a) <= key(b))) {
            return Err(Error::StoredState { problem: "past runs must be sorted" });
        }
        if !by_turn.is_sorted_by(|a, b| a.len() >= b.len()) {
            return Err(Error::StoredState { problem: "no more runs can reach a later turn" });
        }
        let valid = |run: &Past| {
            run.remaining >= 0.0 && run.remaining.is_finite() && (cut_offs || !run.cut_off)
        };
        if !by_turn.iter().flatten().all(valid) {
            return Err(Error::StoredState {
                problem: "what remained must be finite and at least 0",
            });
        }
        Ok(Self { coverage, cut_offs, by_turn })
    }
}
