//! Plans for pools of problems, executed and scored against the oracle and a random planner.

use std::{collections::BTreeMap, error::Error};

use knapsack_oracle::{
    Alpha, CheapestFirst, Efficiency, FitRule, InOrder, OraclePlanner, Plan, PlanReading, Pool,
    RandomOrder, Regime, Repair, SampledRandom, Seed, UnreadableReason, UnsolvableCounts, execute,
    execute_capped, inject_unsolvable, normalized_regret, repair_plan, triage_efficiency_score,
};
use rayon::prelude::*;
use scoring_rules::Weight;
use trajectory_metrics::{Bootstrap, Level, NoInterval};

use crate::triage::{
    capped_file::CappedRuns,
    figures::{AtAlpha, Estimate, Figures, REGIMES, Report},
    plan_file::PlanFile,
    words::{name_of_reading, name_of_repair, note},
};
use agent_scorecard::no_interval;

/// Shuffles of the sampled random reference, as in the paper.
const SHUFFLES: usize = 1_000;
/// Plans of the random planner for each pool.
const ORDERS: u64 = 1_000;
/// Resamples of pools for intervals.
const RESAMPLES: usize = 10_000;

/// Who plans.
#[derive(Clone, Debug)]
pub(crate) enum Planner {
    /// Everything in the order of the file, an equal share of the budget each.
    AllInOrder,
    /// The cheapest first, by true cost.
    CheapestFirst,
    /// Everything in random order, an equal share each; 1,000 orders a pool.
    Random,
    /// The best there is.
    Oracle,
    /// What a model wrote.
    File(PlanFile),
}

/// Choices of the caller.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Shares of what all problems cost.
    pub alphas: Vec<Alpha>,
    /// Problems in a pool.
    pub pool_size: usize,
    /// Who plans.
    pub planner: Planner,
    /// Outcomes of attempts that were really cut off, for the enforced regime.
    pub capped: Option<CappedRuns>,
    /// Unsolvable problems, and the ratios at which they replace problems of each pool.
    pub unsolvable: Option<(Pool, Vec<f64>)>,
    /// Seed of shuffles, random orders and resamples.
    pub seed: u64,
}

/// Pools that are evaluated together.
#[derive(Clone, Debug)]
pub(crate) struct Pools {
    /// The ratio at which unsolvable problems were injected. `None` if none were.
    pub ratio: Option<f64>,
    /// The pools, each with marks of the problems that were injected, if any were.
    pub pools: Vec<(Pool, Option<Vec<bool>>)>,
}

/// Cuts problems into pools, and injects unsolvable problems at each ratio. The first entry has the
/// pools without injected problems.
///
/// # Errors
///
/// What the crates return.
pub(crate) fn pools(
    problems: &Pool,
    settings: &Settings,
) -> Result<Vec<Pools>, knapsack_oracle::Error> {
    let chunks = problems.chunks(settings.pool_size)?;
    let whole = chunks.iter().map(|pool| (pool.clone(), None)).collect();
    let mut all = vec![Pools { ratio: None, pools: whole }];
    if let Some((unsolvable, ratios)) = &settings.unsolvable {
        for &ratio in ratios {
            let injected =
                inject_unsolvable(&chunks, unsolvable.items(), ratio, Seed::new(settings.seed))?;
            let pools = injected
                .into_iter()
                .map(|injected| (injected.pool().clone(), Some(injected.unsolvable().to_vec())))
                .collect();
            all.push(Pools { ratio: Some(ratio), pools });
        }
    }
    Ok(all)
}

/// Plans, executes and scores every pool at every share of the budget, on all cores. Results are joined
/// in the order of ratios, shares and pools, so that they do not depend on the number of cores.
///
/// # Errors
///
/// What the crates return.
pub(crate) fn evaluate(
    problems: &Pool,
    pools: &[Pools],
    settings: &Settings,
) -> Result<Report, Box<dyn Error>> {
    let informed = matches!(settings.planner, Planner::CheapestFirst | Planner::Oracle);
    let mut notes = Vec::new();
    if informed {
        notes.push(
            "the planner sees true costs or outcomes: it is a reference, not a contestant"
                .to_owned(),
        );
    }
    let cells: Vec<(&Pools, Alpha)> = pools
        .iter()
        .flat_map(|pools| settings.alphas.iter().map(move |&alpha| (pools, alpha)))
        .collect();
    let at = |&(pools, alpha): &(&Pools, Alpha)| at_alpha(problems, pools, alpha, settings);
    let found = cells.par_iter().map(at).collect::<Vec<_>>();
    let mut all = Vec::with_capacity(found.len());
    for at in found {
        let (at, mut of_alpha) = at?;
        all.push(at);
        notes.append(&mut of_alpha);
    }
    let (alphas, injections) = all.into_iter().partition(|at| at.ratio.is_none());
    Ok(Report { alphas, injections, informed, notes })
}

/// The mean scores of one pool, over the plans for it.
struct Scored {
    score: Option<f64>,
    informative: Option<f64>,
    /// The variance of the mean over informative plans, if there are several.
    order_variance: Option<f64>,
    regret: Option<f64>,
}

/// What is found for one pool at one share of the budget.
struct OfPool {
    oracle: f64,
    random_exact: Result<f64, knapsack_oracle::Error>,
    random_sampled: SampledRandom,
    reading: Option<&'static str>,
    unparseable: Option<(UnreadableReason, usize)>,
    repairs: BTreeMap<&'static str, usize>,
    /// For each regime, and the kind of the first plan's efficiency; none without a plan.
    scored: Option<([Scored; 2], usize)>,
    unsolvable: Option<UnsolvableCounts>,
    /// Attempts with the outcome of a capped run, and without.
    capped: (usize, usize),
    /// Whether a plan earned more than the oracle in the enforced regime.
    above_oracle: bool,
}

fn at_alpha(
    problems: &Pool,
    pools: &Pools,
    alpha: Alpha,
    settings: &Settings,
) -> Result<(AtAlpha, Vec<String>), knapsack_oracle::Error> {
    let of_pool = |number| at_pool(problems, pools, number, alpha, settings);
    let found: Vec<_> = (0..pools.pools.len()).into_par_iter().map(of_pool).collect();
    let mut notes = Vec::new();
    let mut scored: [Vec<Scored>; 2] = [Vec::new(), Vec::new()];
    let (mut oracles, mut exact, mut sampled, mut variance) = (0.0, Some(0.0), 0.0, 0.0);
    let (mut readings, mut repairs) = (BTreeMap::new(), BTreeMap::new());
    let mut kinds = [0; 3];
    let mut without_plan = None;
    let mut unsolvable = Vec::new();
    let (mut used, mut assumed, mut above_oracle) = (0, 0, 0);
    let place = match pools.ratio {
        Some(ratio) => format!("ratio {ratio}, alpha {alpha}"),
        None => format!("alpha {alpha}"),
    };
    for (number, found) in found.into_iter().enumerate() {
        let found = found?;
        match found.random_exact {
            Ok(value) => exact = exact.map(|sum| sum + value),
            Err(error) => {
                if exact.take().is_some() {
                    notes.push(format!(
                        "{place}: random_exact is null and eta takes the sampled reference where \
                         there is no exact one, as in pool {number}: {error}"
                    ));
                }
            }
        }
        oracles += found.oracle;
        sampled += found.random_sampled.value;
        variance += found.random_sampled.standard_error.powi(2);
        if let Some(reading) = found.reading {
            *readings.entry(reading).or_insert(0) += 1;
        }
        for (repair, count) in found.repairs {
            *repairs.entry(repair).or_insert(0) += count;
        }
        unsolvable.extend(found.unsolvable);
        used += found.capped.0;
        assumed += found.capped.1;
        above_oracle += usize::from(found.above_oracle);
        without_plan = without_plan.or(found.unparseable.map(|why| (number, why)));
        if let Some((of_pool, kind)) = found.scored {
            scored.iter_mut().zip(of_pool).for_each(|(all, of_pool)| all.push(of_pool));
            kinds[kind] += 1;
        }
    }
    let n = pools.pools.len() as f64;
    let mut figures = scored.each_ref().map(|scored| figures(scored, settings));
    if above_oracle > 0 {
        figures[1] = Figures { eta: None, informative: None, order_se: None, regret: None };
    }
    let at = AtAlpha {
        alpha: alpha.get(),
        ratio: pools.ratio,
        pools: pools.pools.len(),
        planned: scored[0].len(),
        kinds,
        figures,
        oracle: oracles / n,
        random_exact: exact.map(|sum| sum / n),
        random_sampled: sampled / n,
        random_sampled_se: variance.sqrt() / n,
        readings,
        repairs,
        unsolvable: pools.ratio.map(|_| {
            let mut all = UnsolvableCounts::default();
            unsolvable.iter().for_each(|of_pool| all.merge(of_pool));
            all
        }),
        detection: rate(&unsolvable, settings.seed, |of_pool| {
            (of_pool.detection_rate().ok(), of_pool.unsolvable as f64)
        }),
        waste: rate(&unsolvable, settings.seed, |of_pool| {
            (of_pool.waste_rate().ok(), of_pool.allocated as f64)
        }),
        capped: settings.capped.is_some().then_some((used, assumed)),
        above_oracle,
    };
    note(&at, &mut notes);
    let rates = at.rates().map(|(name, rate)| (name.to_owned(), rate));
    let missing = at.regime_estimates().chain(rates);
    let missing = missing.filter_map(|(name, estimate)| Some((name, estimate?.no_interval?)));
    notes.extend(no_interval::notes(&place, missing));
    if let Some((number, (reason, byte))) = without_plan {
        notes.push(format!(
            "{place}: no plan was found for pool {number}: {reason}, at byte {byte} of its text"
        ));
    }
    Ok((at, notes))
}

fn at_pool(
    problems: &Pool,
    pools: &Pools,
    number: usize,
    alpha: Alpha,
    settings: &Settings,
) -> Result<OfPool, knapsack_oracle::Error> {
    let (pool, marks) = &pools.pools[number];
    let budget = pool.budget(alpha);
    let oracle = pool.oracle(budget)?.value;
    // Shuffles of one pool say nothing of those of another.
    let seed = settings.seed.wrapping_add(number as u64);
    let random_sampled =
        pool.random_sampled(budget, FitRule::StopAtFirst, SHUFFLES, Seed::new(seed))?;
    let random_exact = pool.random_exact(budget).map(|random| random.value);
    let random = *random_exact.as_ref().unwrap_or(&random_sampled.value);
    let (mut reading, mut unparseable, mut repairs) = (None, None, BTreeMap::new());
    let plans = match &settings.planner {
        Planner::AllInOrder => vec![Plan::prospective(&InOrder, pool, budget)?],
        Planner::CheapestFirst => vec![Plan::informed(&CheapestFirst, pool, budget)?],
        Planner::Oracle => vec![Plan::informed(&OraclePlanner, pool, budget)?],
        Planner::Random => (0..ORDERS)
            .map(|order| {
                let stream = number as u64 * ORDERS + order;
                Plan::prospective(&RandomOrder::new(Seed::new(settings.seed), stream), pool, budget)
            })
            .collect::<Result<_, _>>()?,
        Planner::File(file) => {
            let text = file.answer(number, pools.ratio.unwrap_or(0.0), alpha.get());
            let read = text.map(|text| repair_plan(text, pool, budget));
            reading = Some(name_of_reading(read.as_ref()));
            let found = read.as_ref().map_or(&[][..], PlanReading::repairs);
            let known = |id: &str| {
                let injected = settings.unsolvable.as_ref();
                problems.position(id).is_some()
                    || injected.is_some_and(|(pool, _)| pool.position(id).is_some())
            };
            for repair in found.iter().filter(|repair| !of_other_pool(repair, known, file)) {
                *repairs.entry(name_of_repair(repair)).or_insert(0) += 1;
            }
            if let Some(PlanReading::Unparseable { reason, at }) = read {
                unparseable = Some((reason, at));
            }
            read.as_ref().and_then(PlanReading::plan).cloned().into_iter().collect()
        }
    };
    let mut capped = (0, 0);
    let mut above_oracle = false;
    let mut of_regime = |regime| {
        let (mut efficiencies, mut regrets) = (Vec::new(), Vec::new());
        for plan in &plans {
            let run = match &settings.capped {
                Some(runs) if regime == Regime::Enforced => {
                    execute_capped(plan, pool, budget, |step| {
                        let item = &pool.items()[step.position];
                        let outcome = runs.outcome(item.id(), step.allocation);
                        let count = if outcome.is_some() { &mut capped.0 } else { &mut capped.1 };
                        *count += 1;
                        let assumed = item.is_solved() && item.cost() <= step.allocation;
                        Ok::<_, knapsack_oracle::Error>(outcome.unwrap_or(assumed))
                    })?
                }
                _ => execute(plan, pool, budget, regime)?,
            };
            if regime == Regime::Enforced && settings.capped.is_some() && run.earned > oracle {
                above_oracle = true;
                continue;
            }
            efficiencies.push(triage_efficiency_score(run.earned, random, oracle)?);
            regrets.extend(normalized_regret(run.earned, oracle));
        }
        let kind = match efficiencies.first() {
            Some(Efficiency::NothingSolvable) => 1,
            Some(Efficiency::RandomIsOptimal { .. }) => 2,
            _ => 0,
        };
        Ok((Scored::new(&efficiencies, &regrets), kind))
    };
    let scored = if plans.is_empty() {
        None
    } else {
        let [(advisory, _), (enforced, _)] = REGIMES;
        let ((advisory, kind), (enforced, _)) = (of_regime(advisory)?, of_regime(enforced)?);
        Some(([advisory, enforced], kind))
    };
    let mut unsolvable = None;
    if let Some(marks) = marks {
        let mut counts = UnsolvableCounts::default();
        for plan in &plans {
            counts.update(plan, marks)?;
        }
        unsolvable = Some(counts);
    }
    Ok(OfPool {
        oracle,
        random_exact,
        random_sampled,
        reading,
        unparseable,
        repairs,
        scored,
        unsolvable,
        capped,
        above_oracle,
    })
}

impl Scored {
    fn new(efficiencies: &[Efficiency], regrets: &[f64]) -> Self {
        let informative: Vec<f64> =
            efficiencies.iter().filter_map(Efficiency::informative).collect();
        let order_variance = (informative.len() > 1).then(|| {
            let n = informative.len() as f64;
            let centre = informative.iter().sum::<f64>() / n;
            informative.iter().map(|score| (score - centre).powi(2)).sum::<f64>() / (n - 1.0) / n
        });
        Self {
            score: mean(&efficiencies.iter().map(Efficiency::score).collect::<Vec<_>>()),
            informative: mean(&informative),
            order_variance,
            regret: mean(regrets),
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn figures(pools: &[Scored], settings: &Settings) -> Figures {
    let over_pools = |of_pool: fn(&Scored) -> Option<f64>| {
        let values: Vec<f64> = pools.iter().filter_map(of_pool).collect();
        estimate(&values, None, settings.seed)
    };
    let variances: Vec<f64> = pools.iter().filter_map(|pool| pool.order_variance).collect();
    let random = matches!(settings.planner, Planner::Random) && !variances.is_empty();
    Figures {
        eta: over_pools(|pool| pool.score),
        informative: over_pools(|pool| pool.informative),
        order_se: random.then(|| variances.iter().sum::<f64>().sqrt() / variances.len() as f64),
        regret: over_pools(|pool| pool.regret),
    }
}

/// Mean, standard error and interval over pools; none without a pool.
fn estimate(values: &[f64], weights: Option<&[Weight]>, seed: u64) -> Option<Estimate> {
    let level = Level::new(0.95).ok()?;
    if let &[value] = values {
        let no_interval = NoInterval::check_clusters(1, level).err();
        return Some(Estimate { value, se: None, ci_low: None, ci_high: None, no_interval });
    }
    let bootstrap = Bootstrap::rows(values.len(), Seed::new(seed)).ok()?;
    let replicates = bootstrap.mean(values, weights, RESAMPLES).ok()?;
    let found = replicates.confidence_interval(level);
    let interval = found.ok().map(|estimate| estimate.interval);
    Some(Estimate {
        value: replicates.estimate(),
        se: replicates.standard_error().filter(|error| *error > 0.0),
        ci_low: interval.map(|interval| interval.low()),
        ci_high: interval.map(|interval| interval.high()),
        no_interval: found.err(),
    })
}

/// A rate over all pools, from the rate of each pool and its denominator. Pools without a rate are left
/// out: they add nothing to numerator or denominator.
fn rate(
    pools: &[UnsolvableCounts],
    seed: u64,
    of_pool: impl Fn(&UnsolvableCounts) -> (Option<f64>, f64),
) -> Option<Estimate> {
    let rates = pools.iter().map(of_pool);
    let (rates, weights): (Vec<f64>, Vec<f64>) =
        rates.filter_map(|(rate, weight)| Some((rate?, weight))).unzip();
    estimate(&rates, Some(Weight::from_slice(&weights).ok()?), seed)
}

/// Whether an id was dropped only because one text is read for every pool.
fn of_other_pool(repair: &Repair, known: impl Fn(&str) -> bool, file: &PlanFile) -> bool {
    matches!((repair, file), (Repair::UnknownId { id, .. }, PlanFile::One(_)) if known(id))
}
