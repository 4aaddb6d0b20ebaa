//! Compares the tasks that an agent planned to attempt under a budget with the best choice of tasks.
//!
//! Problems are cut into pools, each with a budget of alpha times what its problems cost. A plan allocates
//! parts of it to problems. Its triage efficiency (eta) is 0 for what a random plan earns, and 1 for what the
//! best plan earns.
//!
//! ```
//! use agent_scorecard::{
//!     knapsack_oracle::{Item, Pool},
//!     triage::{Planner, TriageOptions, evaluate, pools},
//! };
//!
//! let problem = |i: u64| Item::new(format!("p{i}"), 1.0, 100 + i, i % 3 == 0);
//! let problems = Pool::new((0..40).map(problem).collect::<Result<_, _>>()?)?;
//! let options = TriageOptions { planner: Planner::Oracle, pool_size: 5, ..TriageOptions::default() };
//! let block = evaluate(&problems, &pools(&problems, &options)?, &options, false)?;
//! let json = serde_json::to_value(&block)?;
//! assert_eq!(json["alphas"][0]["eta_advisory"]["value"], 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reference: TRIAGE (2026), arXiv:2605.13414.

mod plans;
mod pools;
pub(crate) mod re_solved;
pub(crate) mod variants;

use std::cmp::Ordering;

use knapsack_oracle::{Alpha, InjectedPool, Pool, Seed, UnsolvableCounts};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;
use trajectory_metrics::{Figure, Metric, Undefined};

use crate::{
    error::Error,
    metrics::metrics,
    options,
    report::{
        block::{Block, Field, Position},
        key,
        picture::{Axis, Mark, Picture, Series, point},
        sentence::{counted, side_of, with_ends},
    },
};

pub use plans::{Answers, Planner};
pub use pools::PoolScore;
pub use re_solved::{ReSolvedCounts, re_solved, read_re_solved};
pub use run_logs::CappedRuns;
pub use variants::{VariantScore, VariantTable};

/// The metrics of the plans for one pool. A report has the mean of each metric over the pools for which it is defined.
pub const METRICS: [Metric<PoolScore>; 6] = metrics! { PoolScore;
    "eta_advisory", "eta advisory", Higher, in [f64::NEG_INFINITY, 1.0],
        "Efficiency if attempts may exceed their allocations; by convention, 1 or 0 in pools in which the oracle earns no more than a random plan.",
        |pool| pool.advisory.eta();
    "eta_advisory_informative", "eta advisory where it is defined", Higher, in [f64::NEG_INFINITY, 1.0],
        "Efficiency if attempts may exceed their allocations. Counts only pools in which the oracle earns more than a random plan.",
        |pool| pool.advisory.informative();
    "regret_advisory", "regret advisory", Lower,
        "Share of the oracle's value that the plan does not earn if attempts may exceed their allocations.",
        |pool| pool.advisory.regret();
    "eta_enforced", "eta enforced", Higher, in [f64::NEG_INFINITY, 1.0],
        "Efficiency if attempts stop at their allocations; by convention, 1 or 0 in pools in which the oracle earns no more than a random plan.",
        |pool| pool.enforced.eta();
    "eta_enforced_informative", "eta enforced where it is defined", Higher, in [f64::NEG_INFINITY, 1.0],
        "Efficiency if attempts stop at their allocations. Counts only pools in which the oracle earns more than a random plan.",
        |pool| pool.enforced.informative();
    "regret_enforced", "regret enforced", Lower,
        "Share of the oracle's value that the plan does not earn if attempts stop at their allocations.",
        |pool| pool.enforced.regret();
};

/// The rates that describe how the plans for one pool treat unsolvable problems. A report has the rates over all
/// pools.
pub const RATES: [Metric<UnsolvableCounts>; 2] = metrics! { UnsolvableCounts;
    "detection_rate", "detection", Higher, in [0.0, 1.0],
        "Share of the unsolvable problems that the plans leave out.",
        |counts| counts.detection_rate().map_err(undefined);
    "waste_rate", "waste", Lower, in [0.0, 1.0],
        "Share of all allocations that goes to unsolvable problems.",
        |counts| counts.waste_rate().map_err(undefined);
};

fn undefined(error: knapsack_oracle::Error) -> Undefined {
    Undefined::new(error.to_string())
}

/// The options for planning attempts at problems and scoring the plans. The defaults are those of the paper.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct TriageOptions {
    /// Budget of a pool as a share of the total cost of its problems, above 0 and at most 1. May be given several times
    /// (default: 0.25, 0.5, 0.75 and 1)
    #[cfg_attr(feature = "clap", arg(long = "alpha", value_name = "A", value_parser = options::alpha, default_values_t = Alpha::SWEEP, hide_default_value = true))]
    #[serde(rename = "alpha", deserialize_with = "options::read::alphas")]
    pub alphas: Vec<Alpha>,
    /// Number of problems in a pool; the last pool may have fewer
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "30", value_parser = options::several::<usize>))]
    #[serde(deserialize_with = "options::read::several")]
    pub pool_size: usize,
    /// Seed of all random numbers
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "1", value_parser = options::seed))]
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Number of shuffles per pool. They estimate the value of a random plan if the pool is too large for an exact
    /// value
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = trajectory_metrics::Bootstrap::RESAMPLES, value_parser = options::several_resamples))]
    #[serde(deserialize_with = "options::read::several_resamples")]
    pub shuffles: usize,
    /// Number of random orders per pool that the planner `random` uses
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = trajectory_metrics::Bootstrap::RESAMPLES, value_parser = options::several_resamples))]
    #[serde(deserialize_with = "options::read::several_resamples")]
    pub orders: usize,
    /// With --unsolvable: share of each pool that unsolvable problems replace, from 0 to 1. May be given several times
    /// (default: 0.25, 0.5, 0.75 and 1)
    #[cfg_attr(feature = "clap", arg(long = "ratio", value_name = "R", value_parser = options::share))]
    #[serde(rename = "ratio", deserialize_with = "options::read::shares")]
    pub ratios: Vec<f64>,
    /// The source of the plans.
    #[cfg_attr(feature = "clap", arg(skip = Planner::AllInOrder))]
    #[serde(skip)]
    pub planner: Planner,
    /// Leave out a plan that names a problem twice, and drop an allocation that is not a number of tokens. Without this
    /// option, as in the paper, the first entry of a problem counts, and an allocation that is not a number counts as 0
    #[cfg_attr(feature = "clap", arg(long))]
    pub strict_plans: bool,
    /// In the advisory regime, also attempt problems to which the plan allocates 0 tokens. The paper does not attempt
    /// them
    #[cfg_attr(feature = "clap", arg(long = "attempt-zero"))]
    #[serde(rename = "attempt_zero")]
    pub attempts_zero: bool,
    /// Outcomes of attempts that were actually cut off, for the enforced regime. An attempt without an outcome counts as
    /// solved if its problem was solved at a cost of at most the allocation.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub capped: Option<CappedRuns>,
    /// Unsolvable problems that replace problems of each pool, at every ratio.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub unsolvable: Option<Pool>,
}

/// The default shares of a pool that are replaced.
const RATIOS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

impl Default for TriageOptions {
    fn default() -> Self {
        Self {
            alphas: Alpha::SWEEP.to_vec(),
            pool_size: 30,
            seed: 1,
            shuffles: 1_000,
            orders: 1_000,
            ratios: Vec::new(),
            planner: Planner::AllInOrder,
            strict_plans: false,
            attempts_zero: false,
            capped: None,
            unsolvable: None,
        }
    }
}

/// Pools that are evaluated together.
#[derive(Clone, Debug)]
pub struct Pools {
    /// The share of each pool that unsolvable problems replace. `None` if none were injected.
    pub ratio: Option<f64>,
    /// The pools. Each has marks of the injected problems, if any were injected.
    pub pools: Vec<(Pool, Option<Vec<bool>>)>,
}

impl Pools {
    /// Returns the pools as JSON Lines. The line of a pool has its number, its problems in order, the budget for each
    /// share in `alphas`, and the model if one is given. If unsolvable problems were injected, it also has the ratio
    /// and states which ones they are.
    ///
    /// ```
    /// use agent_scorecard::{
    ///     knapsack_oracle::{Alpha, Item, Pool},
    ///     triage::{TriageOptions, pools},
    /// };
    ///
    /// let problems = Pool::new(vec![Item::new("p", 1.0, 100, true)?])?;
    /// let pools = pools(&problems, &TriageOptions::default())?;
    /// let lines = pools[0].lines(None, &[Alpha::new(0.5)?]);
    /// assert_eq!(lines, "{\"budgets\":[{\"alpha\":0.5,\"budget\":50}],\"pool\":0,\"problems\":[\"p\"]}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lines(&self, model: Option<&str>, alphas: &[Alpha]) -> String {
        let lines = (0..).zip(&self.pools).map(|(number, (pool, marks))| {
            let budget =
                |alpha: &Alpha| json!({ "alpha": alpha.get(), "budget": pool.budget(*alpha) });
            let mut line = json!({
                "pool": number,
                "problems": pool.items().iter().map(|item| item.id()).collect::<Vec<_>>(),
                "budgets": alphas.iter().map(budget).collect::<Vec<_>>(),
            });
            if let Some(model) = model {
                line["model"] = json!(model);
            }
            if let (Some(ratio), Some(marks)) = (self.ratio, marks) {
                line["ratio"] = json!(ratio);
                line["unsolvable"] = json!(marks);
            }
            format!("{line}\n")
        });
        lines.collect()
    }

    /// Describes these pools and a budget, for example in notes.
    fn place(&self, alpha: Alpha) -> String {
        let ratio = self.ratio.map(|ratio| format!("ratio {ratio}, ")).unwrap_or_default();
        format!("{ratio}alpha {alpha}")
    }
}

/// Splits problems into pools in their order, and injects unsolvable problems at each ratio. The first entry has the
/// pools without injected problems.
///
/// # Errors
///
/// [`Error::ScoringRules`] for a pool size of 0, for ratios out of range, and for too few unsolvable problems;
/// [`Error::KnapsackOracle`] for an unsolvable problem that is solved or has the id of another problem; [`Error::Options`]
/// for ratios without unsolvable problems.
pub fn pools(problems: &Pool, options: &TriageOptions) -> Result<Vec<Pools>, Error> {
    let chunks = problems.chunks(options.pool_size)?;
    let whole = chunks.iter().map(|pool| (pool.clone(), None)).collect();
    let mut all = vec![Pools { ratio: None, pools: whole }];
    if let (None, false) = (&options.unsolvable, options.ratios.is_empty()) {
        let problem = "sets the share of unsolvable problems, but none are given".to_owned();
        return Err(Error::Options { options: &["ratio"], problem });
    }
    if let Some(unsolvable) = &options.unsolvable {
        let given = &options.ratios;
        for &ratio in if given.is_empty() { &RATIOS[..] } else { given } {
            let seed = Seed(options.seed);
            let injected = InjectedPool::inject(&chunks, unsolvable.items(), ratio, seed)?;
            let marked = injected.into_iter();
            let marked = marked.map(|it| (it.pool, Some(it.unsolvable)));
            all.push(Pools { ratio: Some(ratio), pools: marked.collect() });
        }
    }
    Ok(all)
}

/// Plans, executes and scores every pool with every budget, on all cores. The result does not depend on the number of
/// cores. The argument `pools` is the result of the function [`pools`] for the problems.
///
/// # Errors
///
/// [`Error::ScoringRules`] for options out of range.
pub fn evaluate(
    problems: &Pool,
    pools: &[Pools],
    options: &TriageOptions,
    with_pictures: bool,
) -> Result<Block, Error> {
    let solved = problems.items().iter().filter(|item| item.is_solved()).count();
    let (n, planner) = (problems.items().len(), options.planner.name());
    let informed = options.planner.is_informed();
    let reference = if informed { " (informed reference)" } else { "" };
    let mut lines = vec![format!(
        "{n} problems, {solved} of them solved, in pools of {size}; planner {planner}{reference}",
        size = options.pool_size,
    )];
    let mut notes = Vec::new();
    if informed {
        notes.push("the planner sees true costs or outcomes, so it is only a reference".to_owned());
    }
    let cells: Vec<(&Pools, Alpha)> = pools
        .iter()
        .flat_map(|pools| options.alphas.iter().map(move |&alpha| (pools, alpha)))
        .collect();
    let at = |&(pools, alpha): &(&Pools, Alpha)| pools::row(problems, pools, alpha, options);
    let found: Vec<_> = cells.par_iter().map(at).collect();
    let (mut alphas, mut injections) = (Vec::new(), Vec::new());
    for ((pools, _), row) in cells.iter().zip(found) {
        let mut row = row?;
        notes.extend(row.unsay(Position::Note));
        lines.append(&mut row.unsay(Position::Line));
        if pools.ratio.is_none() { &mut alphas } else { &mut injections }.push(row);
    }
    let mut block = Block::default().saying(Position::Line, lines).saying(Position::Note, notes);
    if with_pictures {
        let picture = planned_efficiency(&alphas, &format!("{planner}{reference}"));
        block.draw([("efficiency", picture)]);
    }
    block.push_json("problems", &n);
    block.push_json("solved", &solved);
    block.push_json("pool_size", &options.pool_size);
    block.push_json("planner", planner);
    block.push_json("informed", &informed);
    block.push_json("seed", &options.seed);
    let clauses = REGIMES.iter().filter_map(|(regime, key)| {
        let pools = alphas.first().map_or(0, |row| row.count(key::pools));
        conclusion(regime, pools, &by_alpha(&alphas, key))
    });
    block.say(Position::Conclusion, clauses.collect::<Vec<_>>());
    block.fields.push(Field::rows("alphas", "Plans by budget (alpha)", alphas));
    if options.unsolvable.is_some() {
        let title = "Pools in which unsolvable problems replace a share (ratio) of the problems";
        block.fields.push(Field::rows("injections", title, injections));
    }
    Ok(block)
}

/// Returns the figures under a key by budget.
fn by_alpha(rows: &[Block], key: &str) -> Vec<(f64, Figure)> {
    let of_row = |row: &Block| Some((row.number(key::alpha)?, row.figure(key).ok()?));
    rows.iter().filter_map(of_row).collect()
}

/// The description of each regime, and the key of its efficiency.
pub(crate) const REGIMES: [(&str, &str); 2] = [
    ("if attempts may exceed their allocations", "eta_advisory_informative"),
    ("if attempts stop at their allocations", "eta_enforced_informative"),
];

/// Returns the conclusions on the efficiencies of one regime, over the pools in which they are defined, by budget.
pub(crate) fn conclusion(regime: &str, pools: u64, found: &[(f64, Figure)]) -> Option<String> {
    let said = |(alpha, eta): &(f64, Figure)| format!("{} at alpha {alpha}", with_ends(eta));
    let range = match found {
        [] => return None,
        [single] => said(single),
        [first, .., last] => format!("{} and {}", said(first), said(last)),
    };
    let parts = [
        (Ordering::Greater, "better than random ones"),
        (Ordering::Less, "worse than random ones"),
        (Ordering::Equal, "not distinguishable from random ones"),
    ];
    let parts = parts.into_iter().filter_map(|(side, verdict)| {
        let n = found.iter().filter(|(_, eta)| side_of(eta, 0.0) == Some(side)).count();
        (n > 0).then(|| format!("{verdict} at {}", counted(n, "budget")))
    });
    let verdict = match parts.collect::<Vec<_>>() {
        parts if parts.is_empty() => {
            "without an interval, it is not known whether this is noise".to_owned()
        }
        parts => format!("these plans are {}", parts.join(", ")),
    };
    Some(format!(
        "{regime}, the efficiency (0 random, 1 best) of plans for {pools} is {range}; {verdict}",
        pools = counted(pools, "pool"),
    ))
}

fn planned_efficiency(alphas: &[Block], planner: &str) -> Picture {
    let names = [
        "advisory: attempts may exceed their allocations",
        "enforced: attempts stop at their allocations",
    ];
    let curves = REGIMES.into_iter().zip(names);
    let curves = curves.map(|((_, key), name)| (name.to_owned(), by_alpha(alphas, key)));
    let picture = efficiency_picture(curves, planner);
    let note = format!(
        "{note} Pools in which every order of attempts earns the same are left out.",
        note = picture.note,
    );
    Picture { note, ..picture }
}

/// Returns the picture of efficiencies by budget, with a curve for each name.
pub(crate) fn efficiency_picture(
    curves: impl IntoIterator<Item = (String, Vec<(f64, Figure)>)>,
    planner: &str,
) -> Picture {
    let curves: Vec<_> = curves.into_iter().collect();
    let alphas = curves.iter().flat_map(|(_, points)| points).map(|(alpha, _)| *alpha);
    let last = alphas.fold(0.0, f64::max);
    let mut series = vec![
        Series::reference("random plan", (0.0, 0.0), (last, 0.0)),
        Series::reference("best plan", (0.0, 1.0), (last, 1.0)),
    ];
    for (name, points) in curves {
        let points = points.iter().map(|(alpha, figure)| point(*alpha, figure));
        let mut points: Vec<[f64; 4]> = points.collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        series.push(Series::with_intervals(name, Mark::LineDots, points));
    }
    Picture {
        title: format!("Efficiency by budget: how near is {planner} to the best plan?"),
        x: Axis::new("alpha: budget / cost of all problems")
            .with_range(0.0, 1.05_f64.max(1.05 * last)),
        y: Axis::new("triage efficiency"),
        series,
        note: "0 is a random plan, 1 the best one. Bars are 95 % intervals over pools.".to_owned(),
    }
}
