use std::collections::BTreeMap;

use knapsack_oracle::{
    Alpha, Efficiency, EqualShares, FitRule, Plan, PlanReading, Pool, PoolValues, ReferencePlanner,
    Regime, Repair, SampledRandom, Seed, UnreadableReason, UnsolvableCounts, normalized_regret,
};
use rayon::prelude::*;
use trajectory_metrics::{Better, Figure, Measure, Undefined};

use crate::{
    error::Error,
    metrics::mean_figure,
    report::{
        block::{Block, Field, Position},
        key,
    },
    triage::{
        METRICS, Pools, RATES, REGIMES, TriageOptions,
        plans::{Answers, Planner, name_of_reading, name_of_repair},
    },
};

/// The scores of the plans for one pool, with advisory and with enforced allocations.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolScore {
    pub(super) advisory: RegimeScore,
    pub(super) enforced: RegimeScore,
}

/// The mean scores of the plans for one pool in one regime.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RegimeScore {
    /// The efficiency of the first plan.
    first: Option<Efficiency>,
    eta: Option<f64>,
    informative: Option<f64>,
    /// The variance of the mean over informative plans, if there are several plans.
    order_variance: Option<f64>,
    regret: Option<f64>,
}

impl RegimeScore {
    fn new(efficiencies: &[Efficiency], regrets: &[f64]) -> Self {
        let informative: Vec<f64> =
            efficiencies.iter().filter_map(Efficiency::informative).collect();
        let order_variance = (informative.len() > 1).then(|| {
            let n = informative.len() as f64;
            let centre = informative.iter().sum::<f64>() / n;
            informative.iter().map(|score| (score - centre).powi(2)).sum::<f64>() / (n - 1.0) / n
        });
        Self {
            first: efficiencies.first().copied(),
            eta: mean(&efficiencies.iter().map(Efficiency::score).collect::<Vec<_>>()),
            informative: mean(&informative),
            order_variance,
            regret: mean(regrets),
        }
    }

    pub(super) fn eta(&self) -> Result<f64, Undefined> {
        self.eta.ok_or(Undefined::new("there is no plan that can be scored"))
    }

    pub(super) fn informative(&self) -> Result<f64, Undefined> {
        self.informative.ok_or(Undefined::new(match self.first {
            Some(Efficiency::NothingSolvable) => NOTHING_SOLVABLE,
            _ => "a random plan earns as much as the oracle",
        }))
    }

    pub(super) fn regret(&self) -> Result<f64, Undefined> {
        self.regret.ok_or(Undefined::new(NOTHING_SOLVABLE))
    }
}

/// Selects one regime of a pool's score.
type OfRegime = fn(&PoolScore) -> &RegimeScore;

/// Selects the sum over pools that is the denominator of a rate.
type Count = fn(&UnsolvableCounts) -> f64;

/// The unit over which figures are means.
const POOL: &str = "pool with a plan";

const NOTHING_SOLVABLE: &str = "no problem is solvable within the budget";

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The results for one pool with one budget.
struct OfPool {
    oracle: f64,
    random_exact: Result<f64, knapsack_oracle::Error>,
    random_sampled: SampledRandom,
    reading: Option<&'static str>,
    unparseable: Option<(UnreadableReason, usize)>,
    repairs: BTreeMap<String, usize>,
    /// The scores of the plans; `None` without a plan.
    score: Option<PoolScore>,
    unsolvable: Option<UnsolvableCounts>,
    /// The number of attempts with the outcome of a capped run, and the number without.
    capped: [usize; 2],
    /// Whether a plan earned more than the oracle in the enforced regime.
    above_oracle: bool,
}

/// Returns the row of a table for pools with one budget.
pub(super) fn row(
    problems: &Pool,
    pools: &Pools,
    alpha: Alpha,
    options: &TriageOptions,
) -> Result<Block, Error> {
    let of_pool = |number| of_pool(problems, pools, number, alpha, options);
    let found: Result<Vec<OfPool>, _> =
        (0..pools.pools.len()).into_par_iter().map(of_pool).collect();
    let found = found?;
    let n = found.len();
    let mut notes = Vec::new();
    let scores: Vec<&PoolScore> =
        found.iter().filter_map(|of_pool| of_pool.score.as_ref()).collect();
    let planned = scores.len();
    let count = |is: fn(Efficiency) -> bool| {
        scores.iter().filter(|score| score.advisory.first.is_some_and(is)).count()
    };
    let informative = count(|it| matches!(it, Efficiency::Informative(_)));
    let nothing = count(|it| it == Efficiency::NothingSolvable);
    let optimal = count(|it| matches!(it, Efficiency::RandomIsOptimal { .. }));
    if planned < n {
        notes.push(format!(
            "{unplanned} of {n} pools have no plan that can be executed; eta and regret leave them out",
            unplanned = n - planned,
        ));
    }
    if nothing > 0 {
        notes.push(format!(
            "{NOTHING_SOLVABLE} in {nothing} of {planned} pools; there, eta is 1 by convention and regret is undefined"
        ));
    }
    if optimal > 0 {
        notes.push(format!(
            "a random plan earns as much as the oracle in {optimal} of {planned} pools; there, by convention, eta is 1 if the scored plan also earns as much, and 0 otherwise"
        ));
    }

    let mut row = Block::default();
    // Fields of every table, and of the table without unsolvable problems.
    let plain = |label: &'static str| if pools.ratio.is_none() { label } else { "" };
    row.fields.extend(pools.ratio.map(|ratio| Field::shown("ratio", "ratio", ratio)));
    row.fields.push(Field::shown(key::alpha, "alpha", alpha.get()));
    row.fields.push(Field::shown("pools", "pools", n));
    row.fields.push(Field::shown("planned_pools", "with a plan", planned));
    row.push_json("informative_pools", &informative);
    row.push_json("nothing_solvable_pools", &nothing);
    row.push_json("random_is_optimal_pools", &optimal);
    push_references(&mut row, &found, plain);
    if pools.ratio.is_some() {
        let counts: Vec<&UnsolvableCounts> =
            found.iter().filter_map(|of_pool| of_pool.unsolvable.as_ref()).collect();
        let sum =
            |count: fn(&UnsolvableCounts) -> u64| counts.iter().map(|it| count(it)).sum::<u64>();
        row.fields.push(Field::shown("unsolvable", "unsolvable", sum(|it| it.unsolvable)));
        row.push_json("left_out", &sum(|it| it.left_out));
        let rates: [(_, Count); 2] =
            [(RATES[0], |it| it.unsolvable as f64), (RATES[1], |it| it.allocated as f64)];
        for (metric, denominator) in rates {
            let figure = mean_figure(&metric, &counts, Some(denominator), None, POOL);
            row.fields.push(Field::figure(metric.measure, figure));
        }
    }
    let above_oracle = found.iter().filter(|of_pool| of_pool.above_oracle).count();
    for metric in &METRICS {
        let is_enforced = metric.measure.key.contains("enforced");
        let figure = match !is_enforced || above_oracle == 0 {
            true => mean_figure(metric, &scores, None, None, POOL),
            false => Err(Undefined::new(format!(
                "in {above_oracle} of {n} pools, the attempts that were cut off earned more than the oracle, which knows only the baseline attempts"
            ))),
        };
        row.fields.push(Field::figure(metric.measure, figure));
    }
    for field in &mut row.fields {
        let is_detail = field.key.ends_with("_informative")
            || field.key.starts_with("regret_") && pools.ratio.is_some();
        if is_detail {
            field.label = "".into();
        }
    }
    if options.planner == Planner::Random {
        let of_regime: [(_, _, OfRegime); 2] = [
            (REGIMES[0].1, "eta_advisory_informative_over_orders", |it| &it.advisory),
            (REGIMES[1].1, "eta_enforced_informative_over_orders", |it| &it.enforced),
        ];
        let known = if above_oracle > 0 { &of_regime[..1] } else { &of_regime };
        for (of, key, of_regime) in known {
            let variances = scores.iter().filter_map(|score| of_regime(score).order_variance);
            let variances: Vec<f64> = variances.collect();
            if !variances.is_empty() {
                let standard_error =
                    Some(variances.iter().sum::<f64>().sqrt() / variances.len() as f64);
                let figure = row.figure(of);
                let figure = figure.map(|eta| Figure { standard_error, ..Figure::from(eta.value) });
                let help = "Efficiency where it is defined, with a standard error that covers only the random choice of orders.";
                let measure = Measure::new(key, "", Better::Higher, help);
                row.fields.push(Field::figure(measure, figure));
            }
        }
    }
    if options.capped.is_some() {
        let [used, assumed] = [0, 1].map(|at| found.iter().map(|it| it.capped[at]).sum::<usize>());
        row.push_json("capped_attempts", &used);
        row.push_json("assumed_attempts", &assumed);
        if assumed > 0 {
            notes.push(format!(
                "{used} attempts of the enforced regime have the outcome of a capped run; the other {assumed} count as solved if the baseline attempt solved the problem within the allocation"
            ));
        }
    }
    let place = pools.place(alpha);
    push_readings(&mut row, &found, &place, &mut notes);
    row.say(Position::Note, notes);
    let notes = row.take_notes(&place);
    Ok(row.saying(Position::Note, notes))
}

/// Adds the values of the oracle and of a random plan, as means over all pools.
fn push_references(
    row: &mut Block,
    found: &[OfPool],
    plain: impl Fn(&'static str) -> &'static str,
) {
    let n = found.len() as f64;
    let (mut oracle, mut exact, mut sampled, mut variance) = (0.0, Ok(0.0), 0.0, 0.0);
    for (number, of_pool) in found.iter().enumerate() {
        oracle += of_pool.oracle;
        sampled += of_pool.random_sampled.value;
        variance += of_pool.random_sampled.standard_error.powi(2);
        exact = exact.and_then(|sum: f64| match &of_pool.random_exact {
            Ok(value) => Ok(sum + value),
            Err(error) => Err(Undefined::new(format!(
                "pool {number} has no exact value, so eta uses the sampled random plan there: {error}"
            ))),
        });
    }
    let random = if exact.is_ok() { ["random value", ""] } else { ["", "random value, sampled"] };
    let [random_exact, random_sampled] = random;
    let value = |key, label, help, figure| {
        let measure = Measure::new(key, plain(label), Better::Neither, help);
        Field::figure(measure, figure)
    };
    let sampled = Figure { standard_error: Some(variance.sqrt() / n), ..(sampled / n).into() };
    let (oracle, exact) = (Ok((oracle / n).into()), exact.map(|sum| (sum / n).into()));
    row.fields.extend([
        value("oracle", "oracle value", "Mean value of the best plan.", oracle),
        value("random_exact", random_exact, "Mean value of a random plan, over all its orders.", exact),
        value("random_sampled", random_sampled, "Mean value of a random plan, over sampled orders. The standard error covers only the random choice of orders.", Ok(sampled)),
    ]);
}

/// Adds counts of how the answers of a model were read.
fn push_readings(row: &mut Block, found: &[OfPool], place: &str, notes: &mut Vec<String>) {
    let (mut readings, mut repairs) = (BTreeMap::new(), BTreeMap::new());
    for of_pool in found {
        if let Some(reading) = of_pool.reading {
            *readings.entry(reading).or_insert(0) += 1;
        }
        for (repair, count) in &of_pool.repairs {
            *repairs.entry(repair.as_str()).or_insert(0) += count;
        }
    }
    if !readings.is_empty() {
        row.push_json("plans", &readings);
        row.push_json("repairs", &repairs);
    }
    for (what, counts) in [("plans", readings), ("repairs", repairs)] {
        if !counts.is_empty() {
            let counts = counts.iter().map(|(name, n)| format!("{n} {}", name.replace('_', " ")));
            let counts = counts.collect::<Vec<_>>().join(", ");
            row.say(Position::Line, [format!("{place}: {what}: {counts}")]);
        }
    }
    let unparseable = found.iter().enumerate();
    let mut unparseable = unparseable.filter_map(|(at, it)| Some((at, it.unparseable.as_ref()?)));
    if let Some((number, (reason, byte))) = unparseable.next() {
        notes.push(format!(
            "no plan was found for pool {number}: {reason}, at byte {byte} of the answer"
        ));
    }
}

fn of_pool(
    problems: &Pool,
    pools: &Pools,
    number: usize,
    alpha: Alpha,
    options: &TriageOptions,
) -> Result<OfPool, Error> {
    let (pool, marks) = &pools.pools[number];
    let budget = pool.budget(alpha);
    let oracle = pool.oracle(budget)?.value;
    // Shuffles of one pool say nothing of those of another.
    let seed = options.seed.wrapping_add(number as u64);
    let random_sampled =
        pool.random_sampled(budget, FitRule::StopAtFirst, options.shuffles, Seed(seed))?;
    let random_exact = pool.random_exact(budget).map(|random| random.value);
    let random = *random_exact.as_ref().unwrap_or(&random_sampled.value);
    let (mut reading, mut unparseable, mut repairs) = (None, None, BTreeMap::new());
    let plans = match &options.planner {
        Planner::AllInOrder => vec![Plan::prospective(&EqualShares::InOrder, pool, budget)?],
        Planner::CheapestFirst => {
            vec![Plan::informed(&ReferencePlanner::CheapestFirst, pool, budget)?]
        }
        Planner::Oracle => vec![Plan::informed(&ReferencePlanner::Oracle, pool, budget)?],
        Planner::Random => (0..options.orders)
            .map(|order| {
                let stream = (number * options.orders + order) as u64;
                let planner = EqualShares::Random { seed: Seed(options.seed), stream };
                Plan::prospective(&planner, pool, budget)
            })
            .collect::<Result<_, _>>()?,
        Planner::Model { answers, .. } => {
            let text = answers.get(number, pools.ratio.unwrap_or(0.0), alpha);
            let read_plan =
                if options.strict_plans { PlanReading::new } else { PlanReading::published };
            let read = text.map(|text| read_plan(text, pool, budget));
            reading = Some(name_of_reading(read.as_ref()));
            let found = read.as_ref().map_or(&[][..], PlanReading::repairs);
            let known = |id: &str| {
                let injected = options.unsolvable.as_ref();
                problems.position(id).is_some()
                    || injected.is_some_and(|pool| pool.position(id).is_some())
            };
            for repair in found.iter().filter(|repair| !of_other_pool(repair, known, answers)) {
                *repairs.entry(name_of_repair(repair)).or_insert(0) += 1;
            }
            if let Some(PlanReading::Unparseable { reason, at }) = read {
                unparseable = Some((reason, at));
            }
            let plan = read.as_ref().and_then(PlanReading::plan);
            let planned = |plan: &Plan| match options.attempts_zero {
                true => plan.clone(),
                false => plan.without_zero_allocations(),
            };
            plan.map(planned).into_iter().collect()
        }
    };
    let mut capped = [0; 2];
    let mut above_oracle = false;
    let mut of_regime = |regime| {
        let (mut efficiencies, mut regrets) = (Vec::new(), Vec::new());
        for plan in &plans {
            let run = match &options.capped {
                Some(runs) if regime == Regime::Enforced => {
                    plan.execute_capped(pool, budget, |step| {
                        let item = &pool.items()[step.position];
                        let outcome = runs.get(item.id()).and_then(|of| of.get(&step.allocation));
                        capped[usize::from(outcome.is_none())] += 1;
                        let assumed = item.is_solved() && item.cost() <= step.allocation;
                        Ok::<_, knapsack_oracle::Error>(outcome.copied().unwrap_or(assumed))
                    })?
                }
                _ => plan.execute(pool, budget, regime)?,
            };
            if regime == Regime::Enforced && options.capped.is_some() && run.earned > oracle {
                above_oracle = true;
                continue;
            }
            let values = PoolValues { achieved: run.earned, random, oracle };
            efficiencies.push(Efficiency::new(values)?);
            regrets.extend(normalized_regret(run.earned, oracle));
        }
        Ok::<_, Error>(RegimeScore::new(&efficiencies, &regrets))
    };
    let score = match plans.is_empty() {
        true => None,
        false => Some(PoolScore {
            advisory: of_regime(Regime::Advisory)?,
            enforced: of_regime(Regime::Enforced)?,
        }),
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
        score,
        unsolvable,
        capped,
        above_oracle,
    })
}

/// Returns whether an id was dropped only because one text is read for every pool.
fn of_other_pool(repair: &Repair, known: impl Fn(&str) -> bool, answers: &Answers) -> bool {
    matches!((repair, answers), (Repair::UnknownId { id, .. }, Answers::One(_)) if known(id))
}
