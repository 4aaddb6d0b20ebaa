//! Measures the successes lost and the spending saved by a cap on each run.

use std::collections::BTreeSet;

use budget_estimation::{Resource, Rollout};
use rayon::prelude::*;
use scoring_rules::{ExactSum, Interval};
use serde::Deserialize;
use trajectory_metrics::{Figure, Measure, NoInterval, Undefined, estimates};

use crate::{
    budget::{
        runs::{Input, handle},
        spread::{Clusters, clusters},
    },
    clusters::ClusterBy,
    error::Error,
    metrics::{LEVEL, known, mean, measure},
    options::{self, Caps},
    report::{
        block::{Block, Column, Field, Position, Report},
        key,
        picture::{Axis, Mark, Picture, Series, thinned},
        sentence::{counted, percent, percent_of, sentence},
    },
};

/// The options for comparing caps. The defaults are those of the command.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
#[serde(default, deny_unknown_fields)]
pub struct CapOptions {
    /// Caps to compare, separated by commas. Agents are assumed to act as in the recorded runs, because they do not
    /// know of the cap
    #[cfg_attr(feature = "clap", arg(long, value_name = "N,...", value_parser = options::caps))]
    #[serde(deserialize_with = "options::read::caps")]
    pub at: Option<Caps>,
    /// Resource to cap: output_tokens, fresh_input_tokens (input excluding repeated history), total_tokens (fresh input and
    /// output, or whole requests if the files have no fresh input), input_tokens, cost_usd or any other resource of the
    /// files
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", default_value = "output_tokens", value_parser = options::text))]
    #[serde(deserialize_with = "options::read::text")]
    pub resource: String,
    /// Unit that intervals treat as independent: task for the task of a run, or the run if there is only one task or
    /// none is named; task-only for the task, which every run must name; run for the run, if tasks are only categories
    #[cfg_attr(feature = "clap", arg(long, default_value = "task", value_parser = options::names::<ClusterBy>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub cluster_by: ClusterBy,
    /// Also report on the runs of all files together, in the JSON output only
    #[cfg_attr(feature = "clap", arg(long))]
    pub pool: bool,
    /// Whether pictures are made.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub with_pictures: bool,
}

impl Default for CapOptions {
    fn default() -> Self {
        Self {
            at: None,
            resource: "output_tokens".to_owned(),
            cluster_by: ClusterBy::default(),
            pool: false,
            with_pictures: false,
        }
    }
}

impl CapOptions {
    /// Returns the caps to compare.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] without a cap, or with one that may be a part of a number with commas.
    pub fn caps(&self) -> Result<&[f64], Error> {
        let of = |problem| Err(Error::Options { options: &["at"], problem });
        let Some(Caps { values, may_be_one }) = &self.at else {
            return of("give the caps to compare, such as 500,1000".to_owned());
        };
        if values.contains(&0.0) || *may_be_one && self.resource.ends_with("tokens") {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            return of(format!(
                "a cap of {least} would end every run; write thousands without a comma, as in 2000,4000"
            ));
        }
        Ok(values)
    }
}

/// The minimum share of the successes, in percent, that a harmless cap keeps.
const ENOUGH: usize = 95;
/// The maximum number of columns in a conclusion that names each one. With more, it names only the columns that lose
/// the most and the fewest successes.
const MOST_COLUMNS: usize = 3;
/// The maximum number of caps in a conclusion on several columns.
const MOST_CAPS: usize = 5;
/// The assumption behind every figure.
const ASSUMPTION: &str = "caps: agents are assumed not to know of the cap and to act as in the recorded runs until they reach it; a run that the cap ends is assumed not to succeed";
const MONEY: &str = "cost_usd";

macro_rules! lowest {
    ($key:literal, $share:literal) => {
        measure! { $key, concat!("lowest cap that keeps ", $share), Neither, in [0.0, f64::INFINITY],
            concat!("Lowest cap that would have kept at least ", $share, " of the successes, whatever the successes with unknown spending needed. The interval is for the lowest such cap over all possible runs of this kind.") }
    };
}

/// The lowest caps that keep given shares of the successes, in percent.
const LOWEST: [(usize, Measure); 3] = [
    (90, lowest!("cap_keeping_90", "90 %")),
    (ENOUGH, lowest!("cap_keeping_95", "95 %")),
    (99, lowest!("cap_keeping_99", "99 %")),
];
const LOST: Measure = measure! { "n_ended_successes", "successes lost", Lower, in [0.0, f64::INFINITY],
"Number of successful runs that are known to have spent more than the cap." };
const FAILED: Measure = measure! { "n_ended_failures", "failures ended", Neither, in [0.0, f64::INFINITY],
"Number of failed runs that are known to have spent more than the cap, except runs that a limit ended." };
const AT_LIMIT: Measure = measure! { "n_ended_cut_off", "runs ended before their limit", Neither, in [0.0, f64::INFINITY],
"Number of failed runs that are known to have spent more than the cap before a limit ended them." };
const KEPT: Measure = measure! { "kept_share", "successes kept", Higher, in [0.0, 1.0],
"Of the successful runs, the share that is known to have spent at most the cap. The interval and kept_share_highest allow for every possible spending of the successes whose spending is not known." };
const SAVED: Measure = measure! { "saved_share", "share saved", Higher, in [0.0, 1.0],
"Share of the spending that lies above the cap, over the runs whose spending is known. In JSON, saved is the amount above the cap and spent is the rest." };
const SAVED_USD: Measure = measure! { "saved_usd_share", "share of USD saved", Higher, in [0.0, 1.0],
"Share of the money that was spent after the turn in which the cap was reached, over the runs whose cost is known." };

/// The measures in the report on caps: the lowest caps that keep 90 %, 95 % and 99 % of the successes, then the
/// measures in the rows of `caps`.
pub const CAP_MEASURES: [Measure; 9] =
    [LOWEST[0].1, LOWEST[1].1, LOWEST[2].1, KEPT, LOST, FAILED, AT_LIMIT, SAVED, SAVED_USD];

/// The spending of one run.
struct Need {
    success: bool,
    cut_off: bool,
    task: usize,
    /// The total spending, or its known part.
    total: f64,
    is_known: bool,
    /// The cumulative spending and cost after each turn, if all of them are known.
    money: Option<Vec<[f64; 2]>>,
}

impl Need {
    fn new(
        run: &Rollout<'_>,
        spent: Resource,
        money: Option<Resource>,
        task: usize,
    ) -> Result<Self, Error> {
        let (success, cut_off) = (run.succeeded(), run.is_censored());
        let Ok(usage) = run.usage(spent) else {
            let known = (1..=run.turns()).filter_map(|turn| run.cost(spent, turn));
            let total = known.collect::<ExactSum>().value();
            return Ok(Self { success, cut_off, task, total, is_known: false, money: None });
        };
        let money = money.and_then(|money| run.usage(money).ok()).map(|money| {
            let both = usage.cumulative().iter().zip(money.cumulative());
            both.map(|(&spent, &money)| [spent, money]).collect()
        });
        Ok(Self { success, cut_off, task, total: usage.total(), is_known: true, money })
    }

    const fn is_failure(&self) -> bool {
        !self.success && !self.cut_off
    }

    /// Returns whether the cap would surely have ended the run.
    fn is_ended(&self, cap: f64) -> bool {
        self.total > cap
    }

    /// Returns the cost up to the cap, and the total cost. The turn in which the cap is reached counts with its full
    /// cost.
    fn money(&self, cap: f64) -> Option<[f64; 2]> {
        let turns = self.money.as_ref()?;
        let all = turns.last()?[1];
        if !self.is_ended(cap) {
            return Some([all; 2]);
        }
        let until = turns.iter().find(|[spent, _]| *spent >= cap).filter(|_| cap > 0.0);
        Some([until.map_or(0.0, |[_, money]| *money), all])
    }
}

/// The successful runs, sorted by the amount that they needed, or by its known part.
struct Successes {
    totals: Vec<f64>,
    is_known: Vec<bool>,
    tasks: Vec<usize>,
}

impl Successes {
    fn new(needs: &[Need]) -> Self {
        let mut all: Vec<&Need> = needs.iter().filter(|need| need.success).collect();
        all.sort_by(|a, b| a.total.total_cmp(&b.total));
        let is_known = all.iter().map(|need| need.is_known).collect();
        let (totals, tasks) = all.into_iter().map(|need| (need.total, need.task)).unzip();
        Self { totals, is_known, tasks }
    }

    /// Returns the number of successes that a cap keeps, and the number of those that it may have kept or lost.
    fn kept(&self, cap: f64) -> [usize; 2] {
        let up_to = self.totals.partition_point(|total| *total <= cap);
        let kept = self.is_known[..up_to].iter().filter(|is_known| **is_known).count();
        [kept, up_to - kept]
    }

    /// Returns the share that a cap is known to keep. Its interval also allows for the highest possible share.
    fn kept_share(&self, cap: f64) -> Result<Figure, Undefined> {
        if self.totals.is_empty() {
            return Err(Undefined::new("no run succeeded"));
        }
        let share = |is_highest: bool, level| {
            let all = self.totals.iter().zip(&self.is_known);
            let kept = all.map(|(total, known)| *total <= cap && (is_highest || *known));
            mean(&KEPT, &kept.map(f64::from).collect::<Vec<_>>(), &self.tasks, level)
        };
        let least = share(false, LEVEL)?;
        if self.kept(cap)[1] == 0 {
            return Ok(least);
        }
        let ends = estimates::between(|it| share(false, it), |it| share(true, it), LEVEL)?;
        Ok(Figure { interval: ends, ..least })
    }

    /// Returns the lowest cap that keeps this share of the successes. Its interval consists of the caps for which the
    /// interval of the kept share contains this share (Woodruff 1952, Confidence intervals for medians and other position
    /// measures, Journal of the American Statistical Association 47, 635-646, doi:10.1080/01621459.1952.10483443).
    fn lowest_cap(&self, percent: usize) -> Result<Figure, Undefined> {
        let least = (percent * self.totals.len()).div_ceil(100).checked_sub(1);
        let Some(least) = least else { return Err(Undefined::new("no run succeeded")) };
        let known = self.totals.iter().zip(&self.is_known).filter(|(_, is_known)| **is_known);
        let Some((&cap, _)) = known.clone().nth(least) else {
            let (all, unknown) = (self.totals.len(), self.totals.len() - known.count());
            return Err(Undefined::new(format!(
                "the spending of {unknown} of {} is not known",
                counted(all, "success")
            )));
        };
        let target = percent as f64 / 100.0;
        let mut caps = self.totals.clone();
        caps.dedup();
        let ends = |cap: f64| self.kept_share(cap).ok()?.interval.ok();
        let low = caps.partition_point(|&cap| ends(cap).is_some_and(|it| it.high() < target));
        let high = caps.partition_point(|&cap| ends(cap).is_none_or(|it| it.low() < target));
        let ends = caps.get(low).zip(caps.get(high));
        let interval = ends.and_then(|(low, high)| Interval::new(low.min(cap), high.max(cap)).ok());
        let found = self.tasks.iter().collect::<BTreeSet<_>>().len();
        let (needed, all) = (tasks_needed(percent), self.totals.len());
        let why = match found < needed {
            true => NoInterval::TooFewClusters { found, least: needed, level: LEVEL },
            false => NoInterval::Unknown { unknown: all - known.count(), all },
        };
        Ok(Figure { interval: interval.ok_or(why), ..Figure::from(cap) })
    }
}

/// Returns the minimum number of tasks with a success for the interval of a lowest cap. With fewer, a cap that keeps
/// all of them could still keep less than this share of other successes.
fn tasks_needed(percent: usize) -> usize {
    (((1.0 - LEVEL.get()) / 2.0).ln() / (percent as f64 / 100.0).ln()).ceil() as usize
}

/// Computes, for each of these caps on [`CapOptions::resource`], how many runs it would have ended, how many successes
/// it would have kept and how much spending it would have saved. The block starts with the lowest caps that keep 90 %,
/// 95 % and 99 % of the successes. Its list `caps` has a row for each cap in ascending order.
///
/// A run needs the amount that it spent, and a lower cap would have ended it. If some of its spending is unknown, the
/// known part is a lower bound: a cap below this bound would have ended the run, and a higher cap may have. The share
/// of kept successes therefore has a lowest and a highest value, and the lowest caps keep enough in any case. If some
/// spending of successes is unknown, the interval of a share has a coverage of 95 %, but each of its bounds may err in
/// up to 5 % of cases (Imbens and Manski 2004, Confidence intervals for partially identified parameters,
/// doi:10.1111/j.1468-0262.2004.00555.x).
///
/// Failed runs that a budget cut off are counted separately, because the amount that they needed is unknown. The saving
/// is the known spending of all runs, including these, minus the sum of `min(spent, cap)`. The saving of money is the
/// cost of the turns after the one that reaches the cap, over the runs with a known cost. Shares have 95 % intervals by
/// whole tasks ([`trajectory_metrics::estimates`]), for caps that were chosen without looking at these runs. The
/// interval of a lowest cap allows for its choice. In simulations with 40 to 200 tasks of one to three runs, it lies
/// below the cap that keeps the same share in the population of runs in at most 6 % of cases.
///
/// Agents are assumed not to know of the cap and to act as before up to it, and runs ended by the cap are assumed not to
/// succeed.
///
/// # Errors
///
/// An error of budget-estimation, such as for a resource that the runs do not have; [`Error::Options`] for a cap that is
/// negative or not finite.
///
/// ```
/// use agent_scorecard::{
///     Error, RunCounts, Value,
///     budget::{CapOptions, Input, caps},
///     budget_estimation::Rollouts,
/// };
///
/// // 30 successes of two turns need 200 tokens each, 10 failures spend 600.
/// let mut rollouts = Rollouts::new(["output_tokens"])?;
/// for run in 0..40 {
///     let turn = if run < 30 { 100.0 } else { 300.0 };
///     rollouts.push(&[turn, turn], run < 30)?;
/// }
/// let counts = RunCounts::default();
/// let input = Input { rollouts, lengths: vec![40], achieved: Vec::new(), counts };
/// let found = caps(input, &[300.0, 150.0], &CapOptions::default())?;
/// let Some(Value::Rows { rows, .. }) = found.get("caps") else { panic!() };
/// assert_eq!([rows[0].number("kept_share"), rows[1].number("kept_share")], [Some(0.0), Some(1.0)]);
/// // 300 of 600 tokens of each failure.
/// assert_eq!(rows[1].number("saved"), Some(3000.0));
/// assert_eq!(found.number("cap_keeping_95"), Some(200.0));
/// # Ok::<(), Error>(())
/// ```
pub fn caps(input: Input, caps: &[f64], options: &CapOptions) -> Result<Block, Error> {
    if caps.iter().any(|cap| !(*cap >= 0.0 && cap.is_finite())) {
        let problem = "must be finite and at least 0".to_owned();
        return Err(Error::Options { options: &["at"], problem });
    }
    let mut caps = caps.to_vec();
    caps.sort_by(f64::total_cmp);
    caps.dedup();
    let Input { rollouts: mut all, counts, .. } = input;
    let resource = handle(&mut all, options.resource.as_str())?;
    let money = all.resource(MONEY).ok().filter(|_| options.resource.as_str() != MONEY);
    let mut notes = vec![ASSUMPTION.to_owned()];
    let Clusters { clusters, n: n_tasks, what } = clusters(&all, options.cluster_by, &mut notes);
    let needs = all.iter().zip(clusters).map(|(run, task)| Need::new(&run, resource, money, task));
    let needs: Vec<Need> = needs.collect::<Result<_, _>>()?;
    drop(all);
    let successes = Successes::new(&needs);
    let unit = unit(&options.resource);
    let (rows, lowest) = rayon::join(
        || {
            let rows = caps.par_iter().map(|&cap| row(&needs, &successes, &unit, cap));
            rows.collect::<Vec<Block>>()
        },
        || LOWEST.par_iter().map(|it| (it.1, successes.lowest_cap(it.0))).collect::<Vec<_>>(),
    );
    let count = |is: fn(&Need) -> bool| needs.iter().filter(|need| is(need)).count();
    let known = count(|need| need.is_known);
    let (left_out, cut_off) = (needs.len() - known, count(|need| need.is_known && need.cut_off));
    let priced = match options.resource.as_str() {
        // Runs of unknown cost are left out.
        MONEY => known,
        _ => count(|need| need.money.is_some()),
    };
    let runs = |n: usize| counted(n, "run");
    if left_out > 0 {
        notes.push(format!(
            "caps: {} left out of spending and savings because {} is not known",
            runs(left_out),
            options.resource
        ));
    }
    if cut_off > 0 {
        notes.push(format!(
            "caps: {} with success false ended at a limit such as max_steps; because the amount that they needed is not known, they count as neither successes nor failures, but their spending counts",
            runs(cut_off)
        ));
    }
    if (1..known).contains(&priced) {
        notes.push(format!(
            "caps: the share of USD saved covers the {priced} of {} whose cost is known",
            runs(known)
        ));
    }
    let why = lowest.iter().filter_map(|(_, cap)| cap.as_ref().ok()?.interval.err());
    if why.into_iter().any(|why| matches!(why, NoInterval::TooFewClusters { .. })) {
        let needed =
            LOWEST.map(|(percent, _)| format!("{} for {percent} %", tasks_needed(percent)));
        notes.push(format!(
            "caps: the interval of a lowest cap needs a minimum number of {what} with a success: {}",
            needed.join(", ")
        ));
    }
    let mut block =
        Block::default().saying(Position::Line, [counts.line()]).saying(Position::Note, notes);
    block.extend_json(&counts);
    block.fields.extend([
        Field::json("resource", options.resource.as_str()),
        Field::shown(key::n_rollouts, "runs", known),
        of_unknown(key::n_left_out, "runs", left_out),
        of_unknown(LEFT_OUT[0], "successes", count(|need| !need.is_known && need.success)),
        of_unknown(LEFT_OUT[1], "failures", count(|need| !need.is_known && need.is_failure())),
        Field::shown("n_clusters", format!("{what} that intervals are based on"), n_tasks),
        Field::shown("n_successes", "successes", count(|need| need.is_known && need.success)),
        Field::shown("n_failures", "failures", count(|need| need.is_known && need.is_failure())),
        Field::shown("n_cut_off", "failed runs that a limit ended", cut_off),
        Field::shown(key::n_priced, "runs whose cost is known", priced),
    ]);
    block.fields.extend(lowest.into_iter().map(|(it, cap)| Field::figure(it, cap)));
    if options.with_pictures {
        block.draw([(key::caps, picture(&needs, &rows, &unit))]);
    }
    block.fields.push(Field::rows(key::caps, format!("Caps on the {unit} of a run"), rows));
    block.say(Position::Conclusion, clauses(&block, &unit));
    Ok(block)
}

/// The keys of the numbers of successes and failures whose spending is not known.
const LEFT_OUT: [&str; 2] = ["n_left_out_successes", "n_left_out_failures"];
/// The keys of the number of successes that a cap may have kept, and of the highest possible share that it kept.
const UNKNOWN: &str = "n_unknown_successes";
const HIGHEST: &str = "kept_share_highest";

/// Returns a number of runs of unknown spending, which tables show unless it is 0.
fn of_unknown(key: &'static str, what: &str, n: usize) -> Field {
    Field::shown_if(key, format!("{what} whose spending is not known"), n, n > 0)
}

/// The keys of the spending up to a cap and of the saving.
const SPENT: &str = "spent";
const SAVED_AMOUNT: &str = "saved";

/// Returns the name of a resource's unit.
fn unit(resource: &str) -> String {
    if resource == MONEY { "USD".to_owned() } else { resource.replace('_', " ") }
}

fn row(needs: &[Need], successes: &Successes, unit: &str, cap: f64) -> Block {
    let ended =
        |is: fn(&Need) -> bool| needs.iter().filter(|need| is(need) && need.is_ended(cap)).count();
    let count = |Measure { key, label, .. }: Measure, n: usize| Field::shown(key, label, n);
    let cut_off = count(AT_LIMIT, ended(|need| need.cut_off));
    let has_cut_off = needs.iter().any(|need| need.cut_off);
    let cut_off = if has_cut_off { cut_off } else { cut_off.unshown() };
    let [kept, unknown] = successes.kept(cap);
    let all = successes.totals.len();
    let highest = (all > 0).then(|| (kept + unknown) as f64 / all as f64);
    let is_partial = successes.is_known.contains(&false);
    let mut fields = vec![
        Field::shown(key::cap, "cap", cap),
        Field::json(key::n_kept, kept),
        Field::figure(KEPT, successes.kept_share(cap)),
        Field::shown_if(HIGHEST, "kept at most", highest, is_partial),
        Field::shown_if(UNKNOWN, "kept or lost", unknown, is_partial),
        count(LOST, ended(|need| need.success)),
        count(FAILED, ended(Need::is_failure)),
        cut_off,
    ];
    let known = needs.iter().filter(|need| need.is_known);
    let up_to = known.map(|need| ([need.total.min(cap), need.total], need.task));
    fields.extend(amounts(up_to, [SPENT, SAVED_AMOUNT], &format!("{unit} saved"), SAVED));
    let money = needs.iter().filter_map(|need| Some((need.money(cap)?, need.task)));
    if needs.iter().any(|need| need.money.is_some()) {
        fields.extend(amounts(money, ["spent_usd", "saved_usd"], "USD saved", SAVED_USD));
    }
    Block::of(fields)
}

/// Returns the spending up to a cap, the saving and its share, from pairs of the spending up to the cap and in total.
fn amounts(
    runs: impl Iterator<Item = ([f64; 2], usize)>,
    [spent_key, saved_key]: [&'static str; 2],
    label: &str,
    measure: Measure,
) -> [Field; 3] {
    let (amounts, tasks): (Vec<[f64; 2]>, Vec<usize>) = runs.unzip();
    let saved: Vec<f64> = amounts.iter().map(|[up_to, all]| all - up_to).collect();
    let all: Vec<f64> = amounts.iter().map(|[_, all]| *all).collect();
    let sum = |values: &[f64]| values.iter().copied().collect::<ExactSum>().value();
    let (total, total_saved) = (sum(&all), sum(&saved));
    let share = match total > 0.0 {
        true => known(estimates::ratio(&saved, &all, &tasks, measure.range, LEVEL)),
        false => Err(Undefined::new("nothing was spent")),
    };
    let spent: ExactSum = amounts.iter().map(|[up_to, _]| *up_to).collect();
    [
        Field::json(spent_key, spent.value()),
        Field::shown(saved_key, label.to_owned(), total_saved),
        Field::figure(measure, share),
    ]
}

/// Creates the picture of the successes kept and the spending saved at every cap, with the given caps marked.
fn picture(needs: &[Need], rows: &[Block], unit: &str) -> Picture {
    let known = needs.iter().filter(|need| need.is_known);
    let mut totals: Vec<(f64, bool)> = known.map(|need| (need.total, need.success)).collect();
    totals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let most = totals.last().map_or(0.0, |(most, _)| *most);
    let sum: f64 = totals.iter().map(|(total, _)| total).sum();
    let successes = needs.iter().filter(|need| need.success).count() as f64;
    let (mut kept, mut saved) = (vec![(0.0, 0.0)], vec![(0.0, 1.0)]);
    let (mut below, mut n_kept) = (0.0, 0.0);
    for (at, &(total, success)) in totals.iter().enumerate() {
        below += total;
        n_kept += f64::from(success);
        let above = (totals.len() - at - 1) as f64;
        kept.push((total, n_kept / successes));
        saved.push((total, 1.0 - (below + above * total) / sum));
    }
    let points = |key: &str| {
        let points = rows.iter().filter_map(|row| row.point(key, row.number(key::cap)?));
        points.collect::<Vec<_>>()
    };
    let saves = format!("{unit} saved");
    let mut series = vec![
        Series::new("successes kept", Mark::Step, thinned(&kept)),
        Series::new(saves.as_str(), Mark::Line, thinned(&saved)),
        Series::with_intervals("successes kept by these caps", Mark::Dots, points(KEPT.key)),
        Series::with_intervals(format!("{saves} by these caps"), Mark::Dots, points(SAVED.key)),
    ];
    series.retain(|series| !series.is_empty());
    let end = rows.iter().filter_map(|row| row.number(key::cap)).fold(most, f64::max);
    Picture {
        title: "Caps: successes kept and cost saved".to_owned(),
        x: Axis::new(format!("cap on the {unit} of a run")).with_range(0.0, end),
        y: Axis::new("share").with_range(0.0, 1.0),
        series,
        note: "A good cap keeps nearly all successes and saves much of the spending. Agents are assumed not to know of the cap.".to_owned(),
    }
}

/// Returns the report on caps, with a column for each file, or for each model if a file names several. `pooled` adds
/// the results for all runs together.
#[must_use]
pub fn caps_report(
    mut columns: Vec<Column>,
    pooled: Option<Block>,
    options: &CapOptions,
) -> Report {
    let is_many = columns.len() > MOST_COLUMNS;
    let pictures = || columns.iter().filter_map(|column| column.block.pictures.get(key::caps));
    let end = pictures().filter_map(|picture| picture.x.range).fold(0.0, |end, it| it[1].max(end));
    let is_alone = columns.len() == 1;
    for Column { block, .. } in &mut columns {
        if is_many {
            block.unsay(Position::Conclusion);
        }
        if let Some(picture) = block.pictures.get_mut(key::caps).filter(|_| !is_alone) {
            // One curve of each column can be read side by side.
            picture.x.range = Some([0.0, end]);
            picture.series.retain(|series| series.name == KEPT.label);
        }
    }
    let mut report = Report::of_columns(columns);
    if is_many {
        report.conclusion.splice(0..0, of_many(&report.columns, &unit(&options.resource)));
    }
    report.title = "Spending saved and successes lost by caps".to_owned();
    let clusters = match options.cluster_by {
        ClusterBy::Run => "treat runs as independent",
        _ => "treat the runs of a task as one cluster",
    };
    report.lead = format!(
        "caps on {}; 95 % intervals {clusters}; agents are assumed not to know of the cap and to act as in the recorded runs",
        options.resource.as_str()
    );
    report.main_pictures = vec![key::caps];
    if let Some(pooled) = pooled {
        let clauses = pooled.said(Position::Conclusion);
        report.conclusion.extend(clauses.map(|clause| format!("All columns together: {clause}.")));
        report.pool(pooled, "");
    }
    report
}

/// Formats a share of successes for a sentence: "96 % of 77 successes [89, 99]", or "from 83 % to 100 % of 30 successes
/// [66, 100]".
fn of_successes(row: &Block, figure: &Figure) -> String {
    let unknown = row.count(UNKNOWN);
    let n = row.count(key::n_kept) + unknown + row.count(LOST.key);
    let of = format!(" of {}", counted(n, "success"));
    let shown = |figure, of: &str| percent_of(&figure, of, ENOUGH as f64 / 100.0);
    match row.number(HIGHEST).filter(|_| unknown > 0) {
        Some(highest) => format!(
            "from {} to {}",
            shown(Figure::from(figure.value), ""),
            shown(Figure { value: highest, ..*figure }, &of)
        ),
        None => shown(*figure, &of),
    }
}

/// Returns whether a row keeps enough of the successes, if it keeps this many whose spending is not known.
fn is_enough(row: &Block, unknown: u64) -> bool {
    let [kept, lost, all_unknown] = [key::n_kept, LOST.key, UNKNOWN].map(|key| row.count(key));
    100 * (kept + unknown) >= ENOUGH as u64 * (kept + lost + all_unknown)
}

/// Returns the clause on the runs whose spending is not known, with their numbers in all columns.
fn on_left_out<'a>(blocks: impl Iterator<Item = &'a Block> + Clone, unit: &str) -> Option<String> {
    let [successes, failures]: [u64; 2] =
        LEFT_OUT.map(|key| blocks.clone().map(|it| it.count(key)).sum());
    let all: u64 = blocks.map(|block| block.count(key::n_left_out)).sum();
    (all > 0).then(|| {
        format!(
            "the {unit} of {} ({}, {}) are not known in full; a cap may have ended such a run or not, but has surely ended it if the known part is above the cap",
            counted(all, "run"),
            counted(successes, "success"),
            counted(failures, "failure")
        )
    })
}

/// Returns the clauses of the conclusion. The first is on the lowest given cap that keeps nearly all successes, or on the
/// highest given cap if none does. The next are on the lowest of all caps that keep nearly all successes, and on the runs
/// whose spending is not known.
fn clauses(block: &Block, unit: &str) -> Vec<String> {
    let rows = block.rows_of(key::caps);
    let Some(row) = rows.iter().find(|row| is_enough(row, 0)).or(rows.last()) else {
        return Vec::new();
    };
    let left_out = on_left_out(std::iter::once(block), unit);
    if block.count(key::n_rollouts) == 0 && left_out.is_none() {
        return vec![format!("no run states its spending of {unit}")];
    }
    let cap = row.number(key::cap).unwrap_or_default();
    let saved = |of: Measure, what: &str| {
        Some(format!("{} of the {what}", percent(&row.figure(of.key).ok()?)))
    };
    let runs = block.count(key::n_rollouts);
    let of = |what: &str, n: u64, known: &str| match n == runs && left_out.is_none() {
        true => what.to_owned(),
        false => format!("{what} of the {} whose {known} is known", counted(n, "run")),
    };
    let of_known = of(if unit == "USD" { "money" } else { unit }, runs, "spending");
    let of_money = of("money", block.count(key::n_priced), "cost");
    let saved = [saved(SAVED, &of_known), saved(SAVED_USD, &of_money)];
    let saved: Vec<String> = saved.into_iter().flatten().collect();
    let saved = match saved.is_empty() {
        true if runs == 0 => "an amount that is not known".to_owned(),
        true => "nothing, because nothing was spent".to_owned(),
        false => saved.join(" and "),
    };
    let kept = match row.figure(KEPT.key) {
        Ok(kept) => kept,
        Err(reason) => {
            let on_caps = format!(
                "a cap of {cap} {unit} would have saved {saved}; it would have lost no success, because {reason}"
            );
            return std::iter::once(on_caps).chain(left_out).collect();
        }
    };
    let (is_sure, is_possible) = (is_enough(row, 0), is_enough(row, row.count(UNKNOWN)));
    let target = ENOUGH as f64 / 100.0;
    let would = would_have(block.count(LEFT_OUT[0]));
    let subject = match is_sure || rows.len() == 1 {
        true => format!("a cap of {cap} {unit}"),
        false => {
            let would = if is_possible { would } else { "would have" };
            format!(
                "none of these caps {would} kept {ENOUGH} % of the successes; the highest, {cap} {unit},"
            )
        }
    };
    let verdict = match kept.interval {
        _ if is_possible && !is_sure => {
            format!(
                "; whether this cap keeps at least {ENOUGH} % of the successes depends on those whose spending is not known"
            )
        }
        Err(_) => String::new(),
        Ok(ends) => format!(
            "; that this cap keeps {} {ENOUGH} % of the successes {}",
            if is_sure { "at least" } else { "fewer than" },
            match if is_sure { ends.low() >= target } else { ends.high() < target } {
                true => "is beyond noise",
                false => "may be due to chance",
            }
        ),
    };
    let of_kept = of_successes(row, &kept);
    let on_caps = format!("{subject} would have kept {of_kept} and saved {saved}{verdict}");
    let on_lowest = match block.figure(LOWEST[1].1.key) {
        Ok(lowest) => format!(
            "the lowest cap that {would} kept {ENOUGH} % of the successes is {} {unit}{}",
            lowest.value,
            ends_of_cap(&lowest)
        ),
        Err(reason) => {
            format!("no cap {would} kept {ENOUGH} % of the successes, because {reason}")
        }
    };
    [on_caps, on_lowest].into_iter().chain(left_out).collect()
}

/// Returns the words for what a cap would have done, if the spending of so many successes is not known.
const fn would_have(unknown: u64) -> &'static str {
    if unknown > 0 { "is known to have" } else { "would have" }
}

/// Returns the interval of a lowest cap, or the reason why there is none.
fn ends_of_cap(lowest: &Figure) -> String {
    match lowest.interval {
        Ok(ends) => format!(" [{}, {}]", ends.low(), ends.high()),
        Err(NoInterval::TooFewClusters { .. }) => " (too few tasks for an interval)".to_owned(),
        Err(_) => " (no interval, because the spending of some successes is not known)".to_owned(),
    }
}

/// States for each cap the number of columns in which it loses successes, the column in which it loses most, and its
/// saving. Adds the range of the lowest caps that keep nearly all successes.
fn of_many(columns: &[Column], unit: &str) -> Vec<String> {
    let rows = columns.iter().map(|column| (column.name.as_str(), column.block.rows_of(key::caps)));
    let rows: Vec<(&str, &[Block])> = rows.collect();
    let n_caps = rows.first().map_or(0, |(_, rows)| rows.len());
    let mut sentences: Vec<String> =
        (0..n_caps.min(MOST_CAPS)).filter_map(|at| of_cap(&rows, at, unit)).collect();
    let blocks = columns.iter().map(|column| &column.block);
    let would = would_have(blocks.clone().map(|block| block.count(LEFT_OUT[0])).sum());
    let lowest = columns.iter().filter_map(|column| {
        Some((column.block.figure(LOWEST[1].1.key).ok()?, column.name.as_str()))
    });
    let mut lowest: Vec<(Figure, &str)> = lowest.collect();
    lowest.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    if let [(least, first), .., (most, last)] = &lowest[..] {
        sentences.push(format!(
            "The lowest cap that {would} kept {ENOUGH} % of the successes ranges from {} {unit}{} for {first} to {}{} for {last}.",
            least.value,
            ends_of_cap(least),
            most.value,
            ends_of_cap(most)
        ));
    }
    let is_unsure =
        |block: &&Block| block.count(LEFT_OUT[0]) > 0 && block.figure(LOWEST[1].1.key).is_err();
    match blocks.clone().filter(is_unsure).count() {
        0 => {}
        n => sentences.push(format!(
            "In {}, no cap {would} kept {ENOUGH} % of the successes.",
            counted(n, "column")
        )),
    }
    sentences.extend(on_left_out(blocks, unit).map(|clause| sentence(&clause)));
    sentences
}

fn of_cap(columns: &[(&str, &[Block])], at: usize, unit: &str) -> Option<String> {
    let kept = columns.iter().filter_map(|(name, rows)| {
        let row = rows.get(at)?;
        Some((*name, row, row.figure(KEPT.key).ok()?))
    });
    let mut kept: Vec<(&str, &Block, Figure)> = kept.collect();
    // If shares are equal, the one of more successes counts.
    kept.sort_by(|(_, a, x), (_, b, y)| {
        x.value.total_cmp(&y.value).then(b.count(key::n_kept).cmp(&a.count(key::n_kept)))
    });
    let (worst, row, least) = kept.first()?;
    let (cap, n) = (row.number(key::cap)?, kept.len());
    let sum = |key| kept.iter().filter_map(|(_, row, _)| row.number(key)).sum::<f64>();
    let (spent, saved) = (sum(SPENT), sum(SAVED_AMOUNT));
    let saved = match spent + saved {
        0.0 => String::new(),
        all => format!(
            "; the cap would have saved {:.0} % of the {unit} of these columns",
            100.0 * saved / all
        ),
    };
    let losing = kept.iter().filter(|(_, row, _)| row.count(LOST.key) > 0).count();
    if losing == 0 {
        let known = if sum(UNKNOWN) > 0.0 { " whose spending is known" } else { "" };
        return Some(format!(
            "A cap of {cap} {unit} would have lost no success{known} in any of {n} columns{saved}."
        ));
    }
    let second = kept.get(1).and_then(|(.., it)| it.interval.ok());
    let is_clear = least.interval.ok().zip(second).is_some_and(|(a, b)| a.high() < b.low());
    let noise =
        if is_clear || n == 1 { "" } else { " (the order of the columns may be due to chance)" };
    let is = if sum(UNKNOWN) > 0.0 { "may be" } else { "is" };
    Some(format!(
        "A cap of {cap} {unit} would have lost successes in {losing} of {n} columns. The largest share {is} lost in {worst}, which would have kept {}{noise}{saved}.",
        of_successes(row, least)
    ))
}
