use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use scoring_rules::Seed;
use trajectory_metrics::random::{PythonRandom, unit};

use crate::{
    bagen::splits::shuffle,
    checks::{is_amount, positive, same_length, setting},
    error::Error,
    resource::Resource,
    rollouts::storage::Rollouts,
};

/// Target of a reachable probe, as a multiple of the run's achievement.
const REACHABLE_TARGET: (f64, f64) = (0.5, 1.0);
/// Budget of a reachable probe, as a multiple of the run's cost.
const REACHABLE_CAP: (f64, f64) = (1.0, 1.2);
/// Target of an unreachable probe of the released code, which is out of reach.
const RELEASED_TARGET: (f64, f64) = (1.01, 2.0);
/// Target and budgets of an unreachable probe, as multiples, drawn until the run misses one.
const UNREACHABLE: (f64, f64) = (0.5, 2.0);

/// The achievement and the costs of a run whose task defines no success or failure.
struct FinishedRun {
    /// The result that the run achieved, such as its final balance; below 0 for a bankrupt run.
    achieved: f64,
    /// The time that the run took; above 0.
    time: f64,
    /// The cost of the run in each other resource; at least 0.
    spent: Vec<f64>,
}

/// A target for the achievement of a finished run, and budgets for its costs. [`Rollouts::probed`] draws them to decide
/// whether the run counts as a success or a failure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeasibilityProbe {
    /// Whether the run reaches the target within all budgets.
    pub reachable: bool,
    /// The lowest achievement that meets the target.
    pub target: f64,
    /// The most time that the run may take.
    pub time_budget: f64,
    /// The highest cost that the run may have, one per resource.
    pub budgets: Vec<f64>,
}

/// The method by which [`Rollouts::probed`] draws unreachable probes: a target and budgets of which a run misses at
/// least one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProbeMethod {
    /// The method of the paper: the target and all budgets are drawn independently, so that the run can miss any of
    /// them.
    #[default]
    Described,
    /// The method of the released code: only the target is out of reach, at 1.01 to 2 times the run's achievement (a
    /// twentieth more for a bankrupt run). The budgets are drawn as for a reachable probe. Amounts are rounded to whole
    /// numbers. For runs of whole numbers, as in the released evaluation, the draws equal the draws of the released
    /// code to the bit.
    Released,
}

impl FeasibilityProbe {
    fn is_met_by(&self, run: &FinishedRun) -> bool {
        run.achieved >= self.target
            && run.time <= self.time_budget
            && run.spent.iter().zip(&self.budgets).all(|(spent, budget)| spent <= budget)
    }
}

/// Makes one probe per run, of which half are reachable; see [`Rollouts::probed`].
fn half_reachable(
    runs: &[FinishedRun],
    method: ProbeMethod,
    seed: Seed,
) -> Result<Vec<FeasibilityProbe>, Error> {
    if runs.is_empty() {
        return Err(scoring_rules::Error::Empty.into());
    }
    for run in runs {
        let (name, range) = ("achievement of a run", "from -1e100 to 1e100");
        setting(name, run.achieved, is_amount(run.achieved.abs()), range)?;
        positive("time of a run", run.time)?;
        for &value in &run.spent {
            setting("cost of a run", value, is_amount(value), "from 0 to 1e100")?;
        }
    }
    let mut order: Vec<usize> = (0..runs.len()).collect();
    let (mut is_reachable, half) = (vec![false; runs.len()], runs.len() / 2);
    if method == ProbeMethod::Released {
        let mut random = PythonRandom::new(seed.0);
        random.shuffle(&mut order);
        order.iter().skip(half).for_each(|&run| is_reachable[run] = true);
        let probes = runs.iter().zip(is_reachable);
        return Ok(probes.map(|(run, is)| released_probe(run, is, &mut random)).collect());
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed.0);
    shuffle(&mut order, &mut generator);
    order.iter().take(half).for_each(|&run| is_reachable[run] = true);
    let probes = runs.iter().zip(is_reachable).map(|(run, reachable)| match reachable {
        true => reachable_probe(run, &mut generator),
        false => unreachable_probe(run, &mut generator),
    });
    Ok(probes.collect())
}

impl Rollouts {
    /// Labels runs whose task defines no success or failure. Makes a probe of each run: a target for its entry in
    /// `achieved`, and budgets for `time` and the resources in `spent`. Returns a copy of the rollouts together with
    /// the probes. In the copy, a rollout succeeds if it meets its target, and its caps are the budgets. A rollout of
    /// the copy is therefore feasible exactly if its probe is reachable; with [`ProbeMethod::Released`], the original
    /// run must have succeeded, too.
    ///
    /// A random half of the runs gets a reachable probe: the run reaches the target within the budgets. Of an odd
    /// number, this is the smaller half, or with [`ProbeMethod::Released`] the larger. The target is 0.5 to 1 times the
    /// run's achievement but no more than it, the time is exactly the run's time, and budgets are 1 to 1.2 times the
    /// run's costs. With [`ProbeMethod::Described`], the other runs get a target and budgets of 0.5 to 2 times their
    /// own, each drawn independently, and drawn again until the run misses at least one (on average 1.1 draws with two
    /// resources). Draws are uniform.
    ///
    /// `achieved` has one entry per rollout. `time` is the resource of its length, and `spent` are the other
    /// resources with a budget.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a rollout; [`scoring_rules::Error::Length`] unless there is one
    /// achievement per rollout; [`scoring_rules::Error::Setting`] for an achievement outside -1e100 to 1e100, a time
    /// that is 0 or above 1e100, or a cost above 1e100; [`Error::UnknownCost`] if a cost is unknown;
    /// [`Error::NoSuchResource`] for a handle from other rollouts.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts, Seed, bagen::ProbeMethod};
    ///
    /// let mut rollouts = Rollouts::new(["weeks", "item_weeks", "usd"])?;
    /// for cash in 0_u32..4 {
    ///     rollouts.push(&[2.0, 50.0, 10.5, 2.0, 80.0, f64::from(cash)], true)?;
    /// }
    /// let [weeks, items, usd] = ["weeks", "item_weeks", "usd"].map(|name| rollouts.resource(name));
    /// let achieved = [500.0, 700.0, 650.0, 420.0];
    /// let (method, budgets) = (ProbeMethod::Described, [items?, usd?]);
    /// let (probed, probes) = rollouts.probed(&achieved, weeks?, &budgets, method, Seed(42))?;
    /// for (rollout, probe) in probed.iter().zip(&probes) {
    ///     assert_eq!(rollout.is_feasible()?, probe.reachable);
    /// }
    /// assert_eq!(probes.iter().filter(|probe| probe.reachable).count(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix B.4.
    pub fn probed(
        &self,
        achieved: &[f64],
        time: Resource,
        spent: &[Resource],
        method: ProbeMethod,
        seed: Seed,
    ) -> Result<(Self, Vec<FeasibilityProbe>), Error> {
        same_length("achieved", self.len(), achieved.len())?;
        let mut runs = Vec::with_capacity(self.len());
        for (rollout, &achieved) in self.iter().zip(achieved) {
            let total = |of| rollout.usage(of).map(|usage| usage.total());
            let totals = spent.iter().map(|&resource| total(resource));
            let (time, spent) = (total(time)?, totals.collect::<Result<_, _>>()?);
            runs.push(FinishedRun { achieved, time, spent });
        }
        let probes = half_reachable(&runs, method, seed)?;
        let mut probed = self.clone();
        for (index, (run, probe)) in runs.iter().zip(&probes).enumerate() {
            let succeeded = method == ProbeMethod::Described || self.get(index)?.succeeded();
            probed.set_outcome(index, succeeded && run.achieved >= probe.target);
            let budgets = std::iter::once(&probe.time_budget).chain(&probe.budgets);
            for (&resource, &budget) in std::iter::once(&time).chain(spent).zip(budgets) {
                probed.set_cap_of(index, resource, budget)?;
                // The exact sum of the costs can be above the rounded sum, which is the budget.
                if probe.reachable && probed.get(index)?.usage(resource)?.is_over() {
                    probed.set_cap_of(index, resource, budget.next_up())?;
                }
            }
        }
        Ok((probed, probes))
    }
}

fn reachable_probe(run: &FinishedRun, generator: &mut ChaCha8Rng) -> FeasibilityProbe {
    FeasibilityProbe {
        reachable: true,
        target: (run.achieved * uniform(REACHABLE_TARGET, generator)).min(run.achieved),
        time_budget: run.time,
        budgets: run
            .spent
            .iter()
            .map(|s| (s * uniform(REACHABLE_CAP, generator)).max(*s))
            .collect(),
    }
}

/// Returns the probe of the released code, `_sample_half_reachable_constraints`, whose evaluation draws no budget of time.
fn released_probe(
    run: &FinishedRun,
    reachable: bool,
    random: &mut PythonRandom,
) -> FeasibilityProbe {
    let mut draw = |(low, high): (f64, f64)| random.uniform(low, high);
    let achieved = run.achieved;
    let target = if reachable {
        let target = (achieved * draw(REACHABLE_TARGET)).round_ties_even().min(achieved);
        // To a share of the achievement and back.
        let share = if achieved == 0.0 { 0.0 } else { target / achieved };
        (achieved * share).round_ties_even().min(achieved)
    } else {
        let target = (achieved * draw(RELEASED_TARGET)).round_ties_even();
        // A twentieth more for a bankrupt run.
        let more = (0.05 * achieved.abs()).round_ties_even().max(1.0);
        if target > achieved { target } else { achieved + more }
    };
    // A budget in whole numbers must not end a run that its share allows.
    let budget = |spent: &f64| (spent * draw(REACHABLE_CAP)).round_ties_even().max(*spent);
    let budgets = run.spent.iter().map(budget).collect();
    FeasibilityProbe { reachable, target, time_budget: run.time, budgets }
}

fn unreachable_probe(run: &FinishedRun, generator: &mut ChaCha8Rng) -> FeasibilityProbe {
    loop {
        let probe = FeasibilityProbe {
            reachable: false,
            target: run.achieved * uniform(UNREACHABLE, generator),
            time_budget: run.time * uniform(UNREACHABLE, generator),
            budgets: run.spent.iter().map(|s| s * uniform(UNREACHABLE, generator)).collect(),
        };
        if !probe.is_met_by(run) {
            return probe;
        }
    }
}

fn uniform((low, high): (f64, f64), generator: &mut ChaCha8Rng) -> f64 {
    low + (high - low) * unit(generator)
}
