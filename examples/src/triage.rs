//! Plans for pools of problems, executed and scored against the oracle and a random planner.

use std::{collections::BTreeMap, error::Error};

use knapsack_oracle::{
    Alpha, CheapestFirst, Efficiency, FitRule, InOrder, OraclePlanner, Plan, PlanReading, Pool,
    RandomOrder, Regime, Repair, execute, normalized_regret, repair_plan, triage_efficiency_score,
};
use trajectory_metrics::{Bootstrap, Level, Weight};

use crate::{
    plan_file::PlanFile,
    triage_words::{name_of_reading, name_of_repair, note},
};

/// Shuffles of the sampled random reference, as in the paper.
const SHUFFLES: usize = 1_000;
/// Plans of the random planner for each pool.
const ORDERS: u64 = 1_000;
/// Resamples of pools for intervals.
const RESAMPLES: usize = 10_000;

/// The two regimes and their names.
pub const REGIMES: [(Regime, &str); 2] =
    [(Regime::Advisory, "advisory"), (Regime::Enforced, "enforced")];

/// Who plans.
#[derive(Clone, Debug)]
pub enum Planner {
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
pub struct Settings {
    /// Shares of what all problems cost.
    pub alphas: Vec<Alpha>,
    /// Problems in a pool.
    pub pool_size: usize,
    /// Who plans.
    pub planner: Planner,
    /// Seed of shuffles, random orders and resamples.
    pub seed: u64,
}

/// A mean over pools. The interval has a level of 95 %.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error, from resampled pools; none for a single pool, as the interval.
    pub se: Option<f64>,
    /// The lower end of the interval.
    pub ci_low: Option<f64>,
    /// The upper end.
    pub ci_high: Option<f64>,
}

/// Figures of one regime.
#[derive(Clone, Debug)]
pub struct Figures {
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
pub struct AtAlpha {
    /// The share.
    pub alpha: f64,
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
}

/// What is found in all.
#[derive(Clone, Debug)]
pub struct Report {
    /// One entry for each share.
    pub alphas: Vec<AtAlpha>,
    /// Whether the planner sees costs or outcomes.
    pub informed: bool,
    /// What should be known about the figures.
    pub notes: Vec<String>,
}

/// Plans, executes and scores every pool at every share of the budget.
///
/// # Errors
///
/// What the crates return.
pub fn evaluate(problems: &Pool, settings: &Settings) -> Result<Report, Box<dyn Error>> {
    let pools = problems.chunks(settings.pool_size)?;
    let informed = matches!(settings.planner, Planner::CheapestFirst | Planner::Oracle);
    let mut notes = Vec::new();
    if informed {
        notes.push(
            "the planner sees true costs or outcomes: it is a reference, not a contestant"
                .to_owned(),
        );
    }
    let at = |&alpha: &Alpha| at_alpha(problems, &pools, alpha, settings, &mut notes);
    let alphas = settings.alphas.iter().map(at).collect::<Result<_, _>>()?;
    Ok(Report { alphas, informed, notes })
}

/// The scores of one pool, over the plans for it.
struct Scored {
    efficiencies: Vec<Efficiency>,
    regrets: Vec<f64>,
}

fn at_alpha(
    problems: &Pool,
    pools: &[Pool],
    alpha: Alpha,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<AtAlpha, Box<dyn Error>> {
    let mut scored: [Vec<Scored>; 2] = [Vec::new(), Vec::new()];
    let (mut oracles, mut exact, mut sampled, mut variance) = (0.0, Some(0.0), 0.0, 0.0);
    let (mut readings, mut repairs) = (BTreeMap::new(), BTreeMap::new());
    let mut kinds = [0; 3];
    for (number, pool) in pools.iter().enumerate() {
        let budget = pool.budget(alpha);
        let oracle = pool.oracle(budget)?.value;
        // Shuffles of one pool say nothing of those of another.
        let seed = settings.seed.wrapping_add(number as u64);
        let shuffled = pool.random_sampled(budget, FitRule::StopAtFirst, SHUFFLES, seed)?;
        let random = match pool.random_exact(budget) {
            Ok(random) => {
                exact = exact.map(|sum| sum + random.value);
                random.value
            }
            Err(error) => {
                let note = format!(
                    "alpha {}: random_exact is null and eta takes the sampled reference where there \
                     is no exact one, as in pool {number}: {error}",
                    alpha.get()
                );
                if exact.take().is_some() {
                    notes.push(note);
                }
                shuffled.value
            }
        };
        oracles += oracle;
        sampled += shuffled.value;
        variance += shuffled.standard_error.powi(2);
        let plans = match &settings.planner {
            Planner::AllInOrder => vec![Plan::prospective(&InOrder, pool, budget)?],
            Planner::CheapestFirst => vec![Plan::informed(&CheapestFirst, pool, budget)?],
            Planner::Oracle => vec![Plan::informed(&OraclePlanner, pool, budget)?],
            Planner::Random => (0..ORDERS)
                .map(|order| {
                    let stream = number as u64 * ORDERS + order;
                    Plan::prospective(&RandomOrder::new(settings.seed, stream), pool, budget)
                })
                .collect::<Result<_, _>>()?,
            Planner::File(file) => {
                let text = file.answer(number, alpha.get());
                let reading = text.map(|text| repair_plan(text, pool, budget));
                *readings.entry(name_of_reading(reading.as_ref())).or_insert(0) += 1;
                let found = reading.as_ref().map_or(&[][..], PlanReading::repairs);
                for repair in found.iter().filter(|repair| !of_other_pool(repair, problems, file)) {
                    *repairs.entry(name_of_repair(repair)).or_insert(0) += 1;
                }
                reading.as_ref().and_then(PlanReading::plan).cloned().into_iter().collect()
            }
        };
        if plans.is_empty() {
            continue;
        }
        for (scored, (regime, _)) in scored.iter_mut().zip(REGIMES) {
            let mut of_pool = Scored { efficiencies: Vec::new(), regrets: Vec::new() };
            for plan in &plans {
                let earned = execute(plan, pool, budget, regime)?.earned;
                of_pool.efficiencies.push(triage_efficiency_score(earned, random, oracle)?);
                of_pool.regrets.extend(normalized_regret(earned, oracle));
            }
            scored.push(of_pool);
        }
        kinds[match scored[0].last().and_then(|pool| pool.efficiencies.first()) {
            Some(Efficiency::NothingSolvable) => 1,
            Some(Efficiency::RandomIsOptimal { .. }) => 2,
            _ => 0,
        }] += 1;
    }
    let n = pools.len() as f64;
    let at = AtAlpha {
        alpha: alpha.get(),
        pools: pools.len(),
        planned: scored[0].len(),
        kinds,
        figures: scored.map(|scored| figures(&scored, settings)),
        oracle: oracles / n,
        random_exact: exact.map(|sum| sum / n),
        random_sampled: sampled / n,
        random_sampled_se: variance.sqrt() / n,
        readings,
        repairs,
    };
    note(&at, notes);
    Ok(at)
}

fn figures(pools: &[Scored], settings: &Settings) -> Figures {
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let informative = |pool: &Scored| -> Vec<f64> {
        pool.efficiencies.iter().filter_map(Efficiency::informative).collect()
    };
    let over_pools = |of_pool: &dyn Fn(&Scored) -> Option<f64>| {
        let values: Vec<f64> = pools.iter().filter_map(of_pool).collect();
        estimate(&values, settings.seed)
    };
    let score =
        |pool: &Scored| mean(&pool.efficiencies.iter().map(Efficiency::score).collect::<Vec<_>>());
    // The variance of each pool's mean over orders.
    let variances: Vec<f64> = pools
        .iter()
        .map(informative)
        .filter(|scores| scores.len() > 1)
        .map(|scores| {
            let n = scores.len() as f64;
            let centre = scores.iter().sum::<f64>() / n;
            scores.iter().map(|score| (score - centre).powi(2)).sum::<f64>() / (n - 1.0) / n
        })
        .collect();
    let random = matches!(settings.planner, Planner::Random) && !variances.is_empty();
    Figures {
        eta: over_pools(&score),
        informative: over_pools(&|pool| mean(&informative(pool))),
        order_se: random.then(|| variances.iter().sum::<f64>().sqrt() / variances.len() as f64),
        regret: over_pools(&|pool| mean(&pool.regrets)),
    }
}

/// Mean, standard error and interval over pools; none without a pool.
fn estimate(values: &[f64], seed: u64) -> Option<Estimate> {
    if let &[value] = values {
        return Some(Estimate { value, se: None, ci_low: None, ci_high: None });
    }
    let replicates =
        Bootstrap::rows(values.len(), seed).ok()?.mean(values, None, RESAMPLES).ok()?;
    let interval = Level::new(0.95).ok().map(|level| replicates.percentile(level));
    Some(Estimate {
        value: replicates.estimate(),
        se: replicates.standard_error(),
        ci_low: interval.map(|interval| interval.interval.low()),
        ci_high: interval.map(|interval| interval.interval.high()),
    })
}

/// Whether an id was dropped only because one text is read for every pool.
fn of_other_pool(repair: &Repair, problems: &Pool, file: &PlanFile) -> bool {
    matches!((repair, file), (Repair::UnknownId { id, .. }, PlanFile::One(_)) if problems.position(id).is_some())
}
