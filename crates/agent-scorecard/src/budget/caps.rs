//! Measures the successes lost and the spending saved by a cap on each run.

mod conclusion;
mod measures;

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
    metrics::{known, mean},
    options::{self, Caps, LEVEL},
    report::{
        block::{Block, Column, Field, Position, Report},
        key,
        picture::{Axis, Mark, Picture, Series, thinned},
        sentence::counted,
    },
};

use conclusion::{clauses, of_many};
pub use measures::CAP_MEASURES;
use measures::{
    AT_LIMIT, FAILED, HIGHEST, KEPT, LEFT_OUT, LOST, LOWEST, MONEY, SAVED, SAVED_AMOUNT, SAVED_USD,
    SPENT, UNKNOWN, unit,
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

/// The maximum number of columns in a conclusion that names each one. With more, it names only the columns that lose
/// the most and the fewest successes.
const MOST_COLUMNS: usize = 3;
/// The assumption behind every figure.
const ASSUMPTION: &str = "caps: agents are assumed not to know of the cap and to act as in the recorded runs until they reach it; a run that the cap ends is assumed not to succeed";

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
                "the spending of {unknown} of {successes} is not known",
                successes = counted(all, "success"),
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
    let Clusters { clusters, n: n_tasks, what: tasks_or_runs } =
        clusters(&all, options.cluster_by, &mut notes);
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
            "caps: {runs} left out of spending and savings because {resource} is not known",
            runs = runs(left_out),
            resource = options.resource,
        ));
    }
    if cut_off > 0 {
        notes.push(format!(
            "caps: {runs} with success false ended at a limit such as max_steps: counted as neither successes nor failures, because the amount needed is not known, but with their spending",
            runs = runs(cut_off),
        ));
    }
    if (1..known).contains(&priced) {
        notes.push(format!(
            "caps: the share of USD saved covers only the {priced} of {all_runs} whose cost is known",
            all_runs = runs(known),
        ));
    }
    let why = lowest.iter().filter_map(|(_, cap)| cap.as_ref().ok()?.interval.err());
    if why.into_iter().any(|why| matches!(why, NoInterval::TooFewClusters { .. })) {
        let needed =
            LOWEST.map(|(percent, _)| format!("{} for {percent} %", tasks_needed(percent)));
        notes.push(format!(
            "caps: the interval of a lowest cap needs a minimum number of {tasks_or_runs} with a success: {needed}",
            needed = needed.join(", "),
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
        Field::shown("n_clusters", format!("{tasks_or_runs} that intervals are based on"), n_tasks),
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

/// Returns a number of runs of unknown spending, which tables show unless it is 0.
fn of_unknown(key: &'static str, runs: &str, n: usize) -> Field {
    Field::shown_if(key, format!("{runs} whose spending is not known"), n, n > 0)
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
        title: "Caps: successes kept and spending saved".to_owned(),
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
            "Caps: successes kept".clone_into(&mut picture.title);
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
        "caps on {resource}; 95 % intervals {clusters}; agents are assumed not to know of the cap and to act as in the recorded runs",
        resource = options.resource.as_str(),
    );
    report.main_pictures = vec![key::caps];
    if let Some(pooled) = pooled {
        let clauses = pooled.said(Position::Conclusion);
        report.conclusion.extend(clauses.map(|clause| format!("All columns together: {clause}.")));
        report.pool(pooled, "");
    }
    report
}
