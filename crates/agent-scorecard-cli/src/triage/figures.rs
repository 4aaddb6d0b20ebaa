//! What is found about plans at a share of the budget.

use std::collections::BTreeMap;

use knapsack_oracle::{Regime, UnsolvableCounts};
use trajectory_metrics::NoInterval;

/// The two regimes and their names.
pub(crate) const REGIMES: [(Regime, &str); 2] =
    [(Regime::Advisory, "advisory"), (Regime::Enforced, "enforced")];

/// A mean over pools. The interval has a level of 95 %.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error, from resampled pools; none for a single pool and for a mean that does not vary.
    pub se: Option<f64>,
    /// The lower end of the interval.
    pub ci_low: Option<f64>,
    /// The upper end.
    pub ci_high: Option<f64>,
    /// Why there is no interval; `None` if there is one.
    pub no_interval: Option<NoInterval>,
}

/// Figures of one regime.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// Mean efficiency over all pools with a plan, by the paper's convention where it is undefined.
    pub eta: Option<Estimate>,
    /// Mean efficiency over pools in which it is defined.
    pub informative: Option<Estimate>,
    /// Standard error of the latter from the draw of orders alone, pools given; random planner only.
    pub order_se: Option<f64>,
    /// Mean normalised regret over pools in which something is solvable.
    pub regret: Option<Estimate>,
}

/// What is found at one share of the budget.
#[derive(Clone, Debug)]
pub(crate) struct AtAlpha {
    /// The share.
    pub alpha: f64,
    /// The ratio at which unsolvable problems were injected. `None` if none were.
    pub ratio: Option<f64>,
    /// All pools.
    pub pools: usize,
    /// Pools with a plan.
    pub planned: usize,
    /// Of these: pools in which the ratio is defined, nothing is solvable, and a random planner earns as
    /// much as the oracle.
    pub kinds: [usize; 3],
    /// For the regimes in the order of [`REGIMES`].
    pub figures: [Figures; 2],
    /// Mean value of the oracle over all pools.
    pub oracle: f64,
    /// Mean expected value of a random planner, by enumeration; none where a pool is too large.
    pub random_exact: Option<f64>,
    /// The same from shuffles.
    pub random_sampled: f64,
    /// Standard error of the latter.
    pub random_sampled_se: f64,
    /// How many texts were read as what; plan files only.
    pub readings: BTreeMap<&'static str, usize>,
    /// How many repairs of each kind.
    pub repairs: BTreeMap<&'static str, usize>,
    /// What the plans do with injected problems, added up over plans and pools. `None` if none were
    /// injected.
    pub unsolvable: Option<UnsolvableCounts>,
    /// The detection rate over all pools. `None` without an injected problem or a plan.
    pub detection: Option<Estimate>,
    /// The waste rate over all pools. `None` if nothing was injected or allocated.
    pub waste: Option<Estimate>,
    /// The attempts of the enforced regime with the outcome of a capped run, and those without such a
    /// run. `None` without a file of capped runs.
    pub capped: Option<(usize, usize)>,
    /// Pools in which attempts that were really cut off earned more than the oracle.
    pub above_oracle: usize,
}

impl AtAlpha {
    /// The means of both regimes by name.
    pub(crate) fn regime_estimates(&self) -> impl Iterator<Item = (String, Option<Estimate>)> {
        self.figures.iter().zip(REGIMES).flat_map(|(figures, (_, regime))| {
            [
                (format!("eta_{regime}"), figures.eta),
                (format!("eta_{regime}_informative"), figures.informative),
                (format!("regret_{regime}"), figures.regret),
            ]
        })
    }

    /// The rates of injected problems by name.
    pub(crate) fn rates(&self) -> [(&'static str, Option<Estimate>); 2] {
        [("detection_rate", self.detection), ("waste_rate", self.waste)]
    }

    /// The share, and the ratio if there is one, in words.
    #[must_use]
    pub(crate) fn place(&self) -> String {
        match self.ratio {
            Some(ratio) => format!("ratio {ratio}, alpha {}", self.alpha),
            None => format!("alpha {}", self.alpha),
        }
    }
}

/// What is found in all.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// One entry for each share, without injected problems.
    pub alphas: Vec<AtAlpha>,
    /// One entry for each ratio of injected problems and each share.
    pub injections: Vec<AtAlpha>,
    /// Whether the planner sees costs or outcomes.
    pub informed: bool,
    /// What should be known about the figures.
    pub notes: Vec<String>,
}
