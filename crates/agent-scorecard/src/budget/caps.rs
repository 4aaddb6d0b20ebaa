//! What would a cap on the spending of each run have cost, and what would it have saved?

use budget_estimation::{Resource, Rollout, Rollouts};
use scoring_rules::{ExactSum, Interval, Level};
use trajectory_metrics::{Better, ClusterEstimate, Figure, Measure, NoInterval, Undefined};

use crate::{
    budget::{
        runs::{Input, Options, handle, many},
        spread::clusters,
    },
    compare::side::share,
    error::Error,
    report::{
        block::{Block, Field, Report},
        picture::{Axis, Mark, Picture, Series, thinned},
        sentence::Percent,
    },
};

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;
/// The conclusion is about the lowest cap that keeps this share of the successes.
const ENOUGH: f64 = 0.95;
/// The assumption behind every figure.
const ASSUMPTION: &str = "caps: assumes that agents do not know of the cap and act as before up to it, and that a run that \
                          the cap ends does not succeed";

const KEPT: Measure = Measure {
    key: "kept_share",
    label: "successes kept",
    better: Better::Higher,
    help: "Share of the successes that need at most the cap.",
};
const SAVED: Measure = Measure {
    key: "saved_share",
    label: "saved",
    better: Better::Higher,
    help: "Share of what all runs spent that lies above the cap.",
};
const SAVED_USD: Measure = Measure {
    key: "saved_usd_share",
    label: "money saved",
    better: Better::Higher,
    help: "Share of the money of all runs that turns after that in which the cap is reached cost.",
};

/// The measures of a cap, which each row of `caps` has.
pub const CAP_MEASURES: [Measure; 3] = [KEPT, SAVED, SAVED_USD];

/// What is known of a run.
struct Need {
    success: bool,
    cut_off: bool,
    task: usize,
    /// What it spent.
    total: f64,
    /// After each turn, what it had spent and the money that it had cost, if all of it is known.
    money: Option<Vec<[f64; 2]>>,
}

impl Need {
    fn new(
        run: &Rollout<'_>,
        spent: Resource,
        money: Option<Resource>,
        task: usize,
    ) -> Result<Self, Error> {
        let usage = run.usage(spent)?;
        let money = money.filter(|&money| run.knows(money)).map(|money| run.usage(money));
        let money = money.transpose()?.map(|money| {
            let both = usage.cumulative().iter().zip(money.cumulative());
            both.map(|(&spent, &money)| [spent, money]).collect()
        });
        let (success, cut_off) = (run.succeeded(), run.is_censored());
        Ok(Self { success, cut_off, task, total: usage.total(), money })
    }

    fn is_ended(&self, cap: f64) -> bool {
        self.total > cap
    }

    /// The money up to the cap, and all of it. The turn in which the cap is reached costs all that it did.
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

/// What each of these caps on [`Options::resource`] would have ended, kept and saved: the list `caps`, with a row for each
/// cap in rising order.
///
/// A run needs what it spent, and a cap below that would have ended it. Runs that a budget cut off are counted apart, as
/// nobody knows what they needed; what all runs spent, these included, is compared with the sum of
/// `min(spent, cap)`. Money is that of all turns up to the one in which the cap is reached, which counts in whole, over
/// the runs whose cost is known. Shares have intervals of 95 % by whole tasks ([`ClusterEstimate`]).
///
/// This assumes that agents do not know of the cap and act as before up to it, and that a run that the cap ends does
/// not succeed.
///
/// # Errors
///
/// An error of budget-estimation, such as for a resource that the runs do not have; [`Error::Options`] for a cap that is
/// negative or not finite.
///
/// ```
/// use agent_scorecard::{
///     Error, RunCounts, Value,
///     budget::{By, Input, Options, caps},
///     budget_estimation::{Level, Rollouts},
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
/// let options = Options {
///     caps: vec![300.0, 150.0],
///     ..Options::new("output_tokens", By::Linear, Level::new(0.8)?)
/// };
/// let found = caps(input, &options)?;
/// let Some(Value::Rows { rows, .. }) = found.get("caps") else { panic!() };
/// assert_eq!([rows[0].number("kept_share"), rows[1].number("kept_share")], [Some(0.0), Some(1.0)]);
/// // 300 of 600 tokens of each failure.
/// assert_eq!(rows[1].number("saved"), Some(3000.0));
/// # Ok::<(), Error>(())
/// ```
pub fn caps(input: Input, options: &Options) -> Result<Block, Error> {
    let Input { rollouts: mut all, counts, .. } = input;
    let resource = handle(&mut all, &options.resource)?;
    let known = all.filter(|run| run.knows(resource));
    let mut notes = vec![ASSUMPTION.to_owned()];
    let needs = needs(&known, resource, options, &mut notes)?;
    let left_out = all.len() - known.len();
    if left_out > 0 {
        let runs = many(left_out, "run", "runs");
        notes.push(format!("caps: {runs} left out, as {} is not known", options.resource));
    }
    let mut caps = options.caps.clone();
    if caps.iter().any(|cap| !(*cap >= 0.0 && cap.is_finite())) {
        let problem = "must be finite and at least 0".to_owned();
        return Err(Error::Options { options: &["caps"], problem });
    }
    caps.sort_by(f64::total_cmp);
    caps.dedup();
    let rows: Vec<Block> =
        caps.iter().map(|&cap| row(&needs, cap)).collect::<Result<_, Error>>()?;
    let priced = needs.iter().filter(|need| need.money.is_some()).count();
    if priced > 0 && priced < needs.len() {
        let runs = many(needs.len() - priced, "run", "runs");
        notes.push(format!("caps: the money is without {runs} whose cost is not known"));
    }
    let unit = unit(&options.resource);
    let title = format!("Caps on the {unit} of a run");
    let mut block = Block { lines: vec![counts.line()], notes: Some(notes), ..Block::default() };
    block.extend_json(&counts);
    let count = |is: fn(&Need) -> bool| needs.iter().filter(|need| is(need)).count();
    block.fields.extend([
        Field::json("resource", options.resource.as_str()),
        Field::json("n_rollouts", needs.len()),
        Field::json("n_left_out", left_out),
        Field::json("n_successes", count(|need| need.success)),
        Field::json("n_cut_off", count(|need| need.cut_off)),
        Field::json("n_priced", priced),
    ]);
    if options.with_pictures {
        block.draw([("caps", picture(&needs, &rows, &unit))]);
    }
    block.conclusion.extend(clause(&rows, &unit));
    block.fields.push(Field::rows("caps", title, rows));
    Ok(block)
}

fn needs(
    runs: &Rollouts,
    resource: Resource,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Vec<Need>, Error> {
    let is_money = options.resource == MONEY;
    let money = runs.resource(MONEY).ok().filter(|_| !is_money);
    let tasks = clusters(runs, options.cluster_by, notes).clusters;
    runs.iter().zip(tasks).map(|(run, task)| Need::new(&run, resource, money, task)).collect()
}

const MONEY: &str = "cost_usd";

/// The words for an amount of a resource.
fn unit(resource: &str) -> String {
    if resource == MONEY { "USD".to_owned() } else { resource.replace('_', " ") }
}

fn row(needs: &[Need], cap: f64) -> Result<Block, Error> {
    let level = Level::new(LEVEL)?;
    let ended =
        |is: fn(&Need) -> bool| needs.iter().filter(|need| is(need) && need.is_ended(cap)).count();
    let successes = || needs.iter().filter(|need| need.success);
    let kept: Vec<f64> = successes().map(|need| f64::from(!need.is_ended(cap))).collect();
    let tasks: Vec<usize> = successes().map(|need| need.task).collect();
    let kept_share = match kept.as_slice() {
        [] => Err(Undefined::new("no run succeeded")),
        kept => share(kept, ClusterEstimate::mean(kept, None, &tasks), level),
    };
    let mut fields = vec![
        Field::shown("cap", "cap", cap),
        Field::shown("n_ended", "runs ended", ended(|need| !need.cut_off)),
        Field::json("n_ended_successes", ended(|need| need.success)),
        Field::shown("n_ended_cut_off", "ended of those cut off", ended(|need| need.cut_off)),
        Field::json("n_kept", kept.iter().filter(|kept| **kept > 0.0).count()),
        Field::figure(KEPT, kept_share),
    ];
    let up_to = needs.iter().map(|need| ([need.total.min(cap), need.total], need.task));
    fields.extend(amounts(up_to, level, ["spent", "saved"], SAVED));
    let money = needs.iter().filter_map(|need| Some((need.money(cap)?, need.task)));
    if needs.iter().any(|need| need.money.is_some()) {
        fields.extend(amounts(money, level, ["spent_usd", "saved_usd"], SAVED_USD));
    }
    Ok(Block::of(fields))
}

/// What is spent up to a cap, what is saved, and the share of it, given both what is spent up to the cap and in all.
fn amounts(
    runs: impl Iterator<Item = ([f64; 2], usize)>,
    level: Level,
    keys: [&'static str; 2],
    measure: Measure,
) -> [Field; 3] {
    let (amounts, tasks): (Vec<[f64; 2]>, Vec<usize>) = runs.unzip();
    let saved: Vec<f64> = amounts.iter().map(|[up_to, all]| all - up_to).collect();
    let all: Vec<f64> = amounts.iter().map(|[_, all]| *all).collect();
    let sum = |values: &[f64]| values.iter().copied().collect::<ExactSum>().value();
    let (total, total_saved) = (sum(&all), sum(&saved));
    let share = || match ClusterEstimate::ratio(&saved, &all, None, &tasks) {
        Ok(found) => {
            let Figure { value, interval, standard_error } = found.figure(level);
            let within = |ends: Interval| Interval::new(ends.low().max(0.0), ends.high().min(1.0));
            let ends = interval.and_then(|it| within(it).map_err(|_| NoInterval::Constant));
            Figure { value, interval: ends, standard_error }
        }
        Err(_) => Figure::from(total_saved / total),
    };
    let share = if total > 0.0 { Ok(share()) } else { Err(Undefined::new("nothing was spent")) };
    let spent: ExactSum = amounts.iter().map(|[up_to, _]| *up_to).collect();
    let [spent_key, saved_key] = keys;
    [
        Field::shown(spent_key, spent_key.replace("_usd", " in USD"), spent.value()),
        Field::json(saved_key, total_saved),
        Field::figure(measure, share),
    ]
}

/// Successes kept and spending saved at every cap, with the caps that were asked for.
fn picture(needs: &[Need], rows: &[Block], unit: &str) -> Picture {
    let mut totals: Vec<(f64, bool)> =
        needs.iter().map(|need| (need.total, need.success)).collect();
    totals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let most = totals.last().map_or(0.0, |(most, _)| *most);
    let sum: f64 = totals.iter().map(|(total, _)| total).sum();
    let successes = totals.iter().filter(|(_, success)| *success).count() as f64;
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
        let points = rows.iter().filter_map(|row| row.point(key, row.number("cap")?));
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
    let end = rows.iter().filter_map(|row| row.number("cap")).fold(most, f64::max);
    Picture {
        title: "Caps: what would each have kept and saved?".to_owned(),
        x: Axis::new(format!("cap on the {unit} of a run")).with_range(0.0, end),
        y: Axis::new("share").with_range(0.0, 1.0),
        series,
        note: "A good cap is where the successes are nearly all kept and much is saved. Agents are assumed not to know of the cap.".to_owned(),
    }
}

/// The report of these files on caps alone, without an estimator.
#[must_use]
pub fn caps_report(columns: Vec<(String, Block)>, options: &Options) -> Report {
    let columns = columns.into_iter().map(|(file, block)| (file, None, block)).collect();
    Report {
        title: "What would a cap have cost?".to_owned(),
        lead: format!(
            "caps on {}, 95 % intervals by task; agents are assumed not to know of the cap and to act as before",
            options.resource
        ),
        main_pictures: vec!["caps"],
        ..Report::of_columns(columns)
    }
}

/// The clause on the lowest cap that keeps nearly all successes, and on the highest if none does.
fn clause(rows: &[Block], unit: &str) -> Option<String> {
    let keeps = |row: &&Block| row.number(KEPT.key).is_some_and(|kept| kept >= ENOUGH);
    let row = rows.iter().find(keeps).or(rows.last())?;
    let share = |key| row.figure(key).map(|figure| Percent::of(&figure));
    let kept = match share(KEPT.key) {
        Ok(Percent { value, interval }) => {
            let n = row.number("n_kept")? + row.number("n_ended_successes")?;
            let successes = if n == 1.0 { "success" } else { "successes" };
            format!("kept {value} % of {n} {successes}{interval}")
        }
        Err(_) => "lost no success, as no run succeeded,".to_owned(),
    };
    let saved = |key, of: &str| {
        let Percent { value, interval } = share(key).ok()?;
        Some(format!("{value} %{interval} of the {of}"))
    };
    let of = if unit == "USD" { "money" } else { unit };
    let saved: Vec<String> =
        [saved(SAVED.key, of), saved(SAVED_USD.key, "money")].into_iter().flatten().collect();
    let saved = if saved.is_empty() {
        "nothing, as nothing was spent".to_owned()
    } else {
        saved.join(" and ")
    };
    Some(format!("a cap of {} {unit} would have {kept} and saved {saved}", row.number("cap")?))
}
