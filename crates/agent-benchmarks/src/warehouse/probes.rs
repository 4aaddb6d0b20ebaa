use budget_estimation::{
    Rollouts,
    bagen::{FeasibilityProbe, ProbeMethod},
};
use scoring_rules::Seed;

use crate::{
    error::Error,
    play::record::{PlayRecord, rollouts},
    warehouse::environment::Warehouse,
};

/// Converts runs to rollouts. Half of the runs get a target and budgets that they meet, and half get ones that they miss.
///
/// Runs have no success by themselves, so each gets a probe of appendix B.4: a minimum final cash, the key `target_cash_usd` in
/// whole dollars, and maximum amounts of the three resources, which are caps. [`ProbeMethod`] says how unreachable ones are
/// drawn. The paper's seed is 42.
///
/// Runs that did not reach their end are left out.
///
/// # Errors
///
/// [`Error::ScoringRules`] without a run.
///
/// ```
/// use agent_benchmarks::{Error, Seed, play::{Play, play}};
/// use agent_benchmarks::budget_estimation::bagen::ProbeMethod;
/// use agent_benchmarks::warehouse::{STEPS, Start, Warehouse, base_stock, probed_rollouts};
///
/// let mut records = Vec::new();
/// for seed in 0..4 {
///     let warehouse = Warehouse::new(Start::Empty, Seed::new(seed));
///     let run = Play::new().with_most_turns(STEPS).conversation(&seed.to_string(), warehouse)?;
///     records.push(play(run, base_stock())?);
/// }
/// let (rollouts, probes) = probed_rollouts(&records, ProbeMethod::Described, Seed::new(42))?;
/// assert_eq!(probes.iter().filter(|probe| probe.reachable).count(), 2);
/// for (rollout, probe) in rollouts.iter().zip(&probes) {
///     assert_eq!(rollout.is_feasible()?, probe.reachable);
/// }
/// # Ok::<(), Error>(())
/// ```
pub fn probed_rollouts<'a>(
    records: impl IntoIterator<Item = &'a PlayRecord>,
    method: ProbeMethod,
    seed: Seed,
) -> Result<(Rollouts, Vec<FeasibilityProbe>), Error> {
    let cash_of = |record: &'a PlayRecord| {
        let cash = record.turns.last()?.features.first().copied();
        cash.filter(|_| record.end.is_some()).map(|cash| (record, cash))
    };
    let (records, cash): (Vec<_>, Vec<_>) = records.into_iter().filter_map(cash_of).unzip();
    let rollouts = rollouts::<Warehouse>(records)?.with_keys(["target_cash_usd"])?;
    let [weeks, items, money] = ["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"]
        .map(|name| rollouts.resource(name));
    let (mut probed, probes) = rollouts.probed(&cash, weeks?, &[items?, money?], method, seed)?;
    for (run, probe) in probes.iter().enumerate() {
        probed.set_key(run, "target_cash_usd", format!("{:.0}", probe.target))?;
    }
    Ok((probed, probes))
}
