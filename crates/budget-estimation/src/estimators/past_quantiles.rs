use scoring_rules::Level;

use crate::{
    checks::least, error::Error, estimates::estimate::Estimate, estimators::estimator::Estimator,
    past_costs::PastCosts, product_limit::PastCost, replay::prefix::Prefix, resource::Resource,
    rollouts::rollout::Rollout, state::Sealed,
};

/// An estimator whose intervals are quantiles of the remaining costs that past runs had after the same number of
/// turns.
///
/// The interval is central: a coverage of 0.8 gives the 10 % and 90 % quantiles. A quantile is the
/// smallest value at or below which at least this share of past runs lies. There is no answer until there
/// are enough past runs for both bounds, `2 / (1 - coverage)`. If too few past runs reached turn k, the
/// latest earlier turn with enough runs is used instead, but never k = 0. Before the first turn, the
/// quantiles of total costs are used. The answer is `impossible` if the lower bound exceeds the amount
/// left under a cap.
///
/// [`PastQuantiles::new`] learns from runs that succeeded within their caps. If a budget cut runs off,
/// the runs that succeeded are the short ones, and these quantiles are too low.
/// [`PastQuantiles::survival_aware`] instead treats the cost of a cut-off run as a lower bound of its
/// full cost (Kaplan-Meier), and ignores runs that failed by themselves. It is unbiased if the cut-off
/// says nothing else about the cost that would have remained. If the largest values are cut-offs, they
/// count as ended there (Efron's convention), so an upper bound may be too low.
///
/// Stores one number per turn of every past run. With n past runs, an estimate takes O(n^(1/3)) if there
/// are cut-offs and otherwise O(log n), plus O(log k) to find the turn; learning from a run of T turns
/// takes O(T n^(1/3)), some microseconds per turn if there are cut-offs and otherwise well under one
/// microsecond, for 10^6 runs.
///
/// ```
/// use budget_estimation::{Error, Estimate, Level, PastQuantiles, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for cost in [10.0, 14.0, 11.0, 13.0, 12.0] {
///     rollouts.push(&[5.0, cost], true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut past = PastQuantiles::new(Level::new(0.5)?);
/// let samples = rollouts.score(tokens, &mut past)?;
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
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PastQuantiles {
    coverage: Level,
    survival_aware: bool,
    past: Sealed<PastRuns>,
}

#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct PastRuns {
    /// For each number of completed turns, from 0, the sorted remaining costs of past runs.
    by_turn: Vec<PastCosts>,
    /// The number of turns of the longest run that was cut off.
    longest_cut_off: usize,
}

impl PastQuantiles {
    /// Creates an estimator that learns only from runs that succeeded within their caps.
    #[must_use]
    pub fn new(coverage: Level) -> Self {
        Self { coverage, survival_aware: false, past: Sealed::default() }
    }

    /// Creates an estimator that learns from successful runs and from cut-off runs.
    #[must_use]
    pub fn survival_aware(coverage: Level) -> Self {
        Self { survival_aware: true, ..Self::new(coverage) }
    }

    /// Returns the past runs after k turns, and whether any of them was cut off; if too few runs reached turn
    /// k, after the latest earlier turn that enough runs reached.
    fn past(&mut self, k: usize) -> Option<(&mut PastCosts, bool)> {
        let PastRuns { by_turn, longest_cut_off } = &mut self.past.0;
        let first = usize::from(k > 0);
        let known = by_turn.get(first..=k.min(by_turn.len().saturating_sub(1)).max(first))?;
        // At least one run beyond each end of the central interval.
        let enough = |n: f64| n - least(self.coverage.get(), n) >= 2.0;
        // Every run that reached turn k reached the earlier turns, so lengths do not rise.
        let reached = known.partition_point(|past| enough(past.len() as f64));
        let past = by_turn.get_mut(first + reached.checked_sub(1)?)?;
        Some((past, first + reached <= *longest_cut_off))
    }
}

impl Estimator for PastQuantiles {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let tail = (1.0 - self.coverage.get()) / 2.0;
        let ends = self.past(prefix.turns()).and_then(|(past, has_cut_offs)| {
            let mut end = |p| past.quantile(p, has_cut_offs);
            Some((end(tail)?, end(1.0 - tail)?))
        });
        let Some((low, high)) = ends else { return Ok(Estimate::NoAnswer) };
        Ok(Estimate::interval(low, high)?.collapsed(prefix.usage().left()))
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        rollout.column(resource)?;
        let cut_off = rollout.is_censored();
        let counts = if self.survival_aware {
            rollout.succeeded() || cut_off
        } else {
            rollout.is_feasible()?
        };
        if !counts {
            return Ok(());
        }
        let (total, usage) = (rollout.run_total(resource)?, rollout.usage(resource)?);
        let PastRuns { by_turn, longest_cut_off } = &mut self.past.0;
        if by_turn.len() < rollout.turns() {
            by_turn.resize_with(rollout.turns(), PastCosts::default);
        }
        if cut_off {
            *longest_cut_off = rollout.turns().max(*longest_cut_off);
        }
        // After 0 turns, and after each turn except the last.
        let spent = std::iter::once(&0.0).chain(usage.cumulative()).take(rollout.turns());
        for (past, &spent) in by_turn.iter_mut().zip(spent) {
            past.insert(PastCost { remaining: total.remaining_after(spent), cut_off });
        }
        Ok(())
    }
}
