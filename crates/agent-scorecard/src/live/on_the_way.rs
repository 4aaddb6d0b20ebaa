//! Evaluates runs in an environment between their turns: the stops of a monitor of budgets, and estimates compared with the
//! remaining cost that was needed.

use std::collections::HashMap;

use agent_benchmarks::play::PlayRecord;
use budget_estimation::{
    Advice, BudgetMonitor, Estimate, Estimator, Level, Reading, Resource, Rollouts, StopRule,
};
use trajectory_metrics::{Better, Figure, Measure, Undefined};

use crate::{
    budget::runs::By,
    compare::side::measure,
    error::Error,
    metrics::mean,
    report::{
        block::{Block, Field},
        picture::{Axis, Mark, Picture, Series},
        sentence::{counted, percent},
    },
    traces::figures::LEVEL,
};

/// The nominal coverage of the intervals of estimators.
const COVERAGE: f64 = 0.8;
/// The maximum number of consecutive answers in a stop rule.
const MOST_IN_A_ROW: u32 = 3;

pub(super) const WITHIN: Measure = measure(
    "success_within_caps",
    "success within the caps",
    Better::Higher,
    "Share of runs that did their task within the limits and the caps, and were not stopped.",
)
.within(0.0, 1.0);
const SPENT: Measure = measure(
    "mean_spent",
    "spent",
    Better::Lower,
    "Mean of what runs spent of the first resource until they ended or were stopped, without questions.",
).within(0.0, f64::INFINITY);
pub(super) const ASKING: Measure = measure(
    "mean_asking_tokens",
    "tokens of questions",
    Better::Lower,
    "Mean number of tokens that questions on the way and the answers to them took.",
)
.within(0.0, f64::INFINITY);
const HOLDS: Measure = measure(
    "holds_least",
    "intervals that hold the least",
    Better::Higher,
    "Share of the estimates, after turns from which the task could be done within limits and caps, that are an interval with the least that it would have taken.",
).within(0.0, 1.0);
const CALLED: Measure = measure(
    "impossible_called_so",
    "hopeless turns called so",
    Better::Higher,
    "Share of the estimates, after turns from which the task could not be done within limits and caps, that are impossible or an interval above what is left under the cap.",
).within(0.0, 1.0);
const WRONGLY: Measure = measure(
    "possible_called_impossible",
    "others called hopeless",
    Better::Lower,
    "Share of the estimates, after turns from which the task could be done within limits and caps, that are impossible or an interval above what is left under the cap.",
).within(0.0, 1.0);

/// Runs with their rollouts, and the resources that estimates are of.
pub(super) struct Course<'a> {
    rollouts: Rollouts,
    /// The record of each rollout.
    records: Vec<&'a PlayRecord>,
    resources: Vec<Resource>,
    level: Level,
    /// The name of whoever played, if it was asked.
    player: Option<&'a str>,
}

/// Whose estimates stop runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Nobody,
    Player,
    Estimator,
}

/// What happened in a run.
struct Walked {
    /// The estimates of each resource after each turn but the last, until the run was stopped.
    estimates: Vec<Vec<Estimate>>,
    /// The number of its turns, fewer than in the full run if it was stopped.
    turns: usize,
    is_stopped: bool,
}

impl<'a> Course<'a> {
    /// Selects the runs with known spending of each turn. Rollouts have the ids of their records.
    pub(super) fn new(
        rollouts: &Rollouts,
        records: &'a [PlayRecord],
        names: &[String],
        model: &'a str,
    ) -> Result<Self, Error> {
        let resources: Result<Vec<_>, _> =
            names.iter().map(|name| rollouts.resource(name)).collect();
        let resources = resources?;
        let rollouts = rollouts.filter(|run| resources.iter().all(|it| run.knows(*it)));
        let by_id: HashMap<&str, &PlayRecord> =
            records.iter().map(|it| (it.record.run.id.as_str(), it)).collect();
        let of = |id: Option<&str>| by_id.get(id?).copied();
        let records: Vec<_> = rollouts.iter().filter_map(|run| of(run.id())).collect();
        let is_asked = records.iter().flat_map(|it| &it.turns).any(|it| it.answer.is_some());
        let player = is_asked.then_some(model);
        Ok(Self { rollouts, records, resources, level: Level::new(LEVEL)?, player })
    }

    /// Returns whether an estimated resource at such a position has a cap.
    pub(super) fn is_capped(&self, at: impl Fn(usize) -> bool) -> Result<bool, Error> {
        for run in self.rollouts.iter() {
            for (place, resource) in self.resources.iter().enumerate() {
                if at(place) && run.cap(*resource)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Goes through the runs in order with the player's estimates, or with an estimator that learns from earlier runs up to
    /// their stop. With a rule, a monitor stops runs.
    fn walk(&self, by: Option<&By>, rule: Option<StopRule>) -> Result<Vec<Walked>, Error> {
        let coverage = Level::new(COVERAGE)?;
        let estimators = by.into_iter().flat_map(|by| self.resources.iter().map(move |_| by));
        let mut estimators: Vec<Box<dyn Estimator>> =
            estimators.map(|by| by.estimator(coverage, true)).collect::<Result<_, _>>()?;
        let mut seen = self.rollouts.filter(|_| false);
        let all: Vec<Resource> = self.rollouts.resources().map(|(resource, _)| resource).collect();
        let mut walked = Vec::with_capacity(self.records.len());
        for (run, record) in self.rollouts.iter().zip(&self.records) {
            let caps = self.resources.iter().map(|resource| run.cap(*resource));
            let caps = caps.collect::<Result<Vec<_>, _>>()?;
            let named = caps.iter().enumerate().map(|(at, cap)| (at.to_string(), *cap));
            let mut monitor = BudgetMonitor::new(named)?;
            if let Some(rule) = rule {
                monitor = monitor.with_stop_rule(rule);
            }
            let prefixes = self.resources.iter().map(|resource| run.replay(*resource));
            let mut prefixes = prefixes.collect::<Result<Vec<_>, _>>()?;
            let mut now = Walked { estimates: Vec::new(), turns: run.turns(), is_stopped: false };
            for (turn, known) in (1..run.turns()).zip(&record.turns) {
                let mut estimates = known.estimates.clone();
                estimates.resize(self.resources.len(), Estimate::NoAnswer);
                let shown = prefixes.iter_mut().filter_map(Iterator::next);
                for ((estimate, prefix), by) in estimates.iter_mut().zip(shown).zip(&mut estimators)
                {
                    *estimate = by.estimate(&prefix)?;
                }
                let costs = self.resources.iter().map(|it| run.cost(*it, turn).unwrap_or(0.0));
                let costs: Vec<_> = costs.zip(estimates.iter().copied()).collect();
                now.estimates.push(estimates);
                if rule.is_some() && matches!(monitor.push(&costs, None)?, Advice::Stop(_)) {
                    (now.turns, now.is_stopped) = (turn, true);
                    break;
                }
            }
            let costs = (1..=now.turns).flat_map(|turn| all.iter().map(move |it| (turn, *it)));
            let costs: Vec<_> = costs.map(|(turn, resource)| run.cost(resource, turn)).collect();
            let last = seen.push_partly_known(&costs, run.succeeded() && !now.is_stopped)?;
            for (resource, cap) in self.resources.iter().zip(caps) {
                cap.map_or(Ok(()), |cap| seen.set_cap_of(last, *resource, cap))?;
            }
            if now.is_stopped {
                seen.set_censored(last)?;
            }
            for (by, resource) in estimators.iter_mut().zip(&self.resources) {
                by.learn(&seen.get(last)?, *resource)?;
            }
            walked.push(now);
        }
        Ok(walked)
    }

    /// Returns a row for the runs as they were, and rows for monitors that stop them after one, two and three consecutive
    /// answers "impossible", where an interval above the rest of the budget counts as one. If no monitor stops a run, one
    /// row replaces the three. There are no rows without caps and answers. Rows of estimators have no intervals.
    pub(super) fn stopping(
        &self,
        estimators: &[By],
    ) -> Result<Option<(Vec<Block>, Picture)>, Error> {
        if self.player.is_none() && !self.is_capped(|_| true)? {
            return Ok(None);
        }
        let whole = |turns| Walked { estimates: Vec::new(), turns, is_stopped: false };
        let whole: Vec<_> = self.rollouts.iter().map(|run| whole(run.turns())).collect();
        let mut rows = vec![("nobody", self.stopped("nobody", Asks::Nobody, 0, &whole)?)];
        let players = self.player.map(|name| (name, Asks::Player, None));
        let learning = estimators.iter().map(|by| (by.name(), Asks::Estimator, Some(by)));
        for (name, asks, by) in players.into_iter().chain(learning) {
            for in_a_row in 1..=MOST_IN_A_ROW {
                let rule = StopRule::impossible_in_a_row(in_a_row)?.with_reading(Reading::Cap);
                let walked = self.walk(by, Some(rule))?;
                rows.push((name, self.stopped(name, asks, in_a_row, &walked)?));
                if walked.iter().all(|it| !it.is_stopped) {
                    break;
                }
            }
        }
        let place = |(_, row): &(&str, Block)| {
            let rate = row.figure(WITHIN.key).ok()?;
            let ends = rate.interval.map_or([rate.value; 2], |it| [it.low(), it.high()]);
            Some([row.number(SPENT.key)?, rate.value, ends[0], ends[1]])
        };
        let series = rows.chunk_by(|a, b| a.0 == b.0).map(|rows| {
            Series::with_intervals(rows[0].0, Mark::LineDots, rows.iter().filter_map(place))
        });
        let picture = Picture {
            title: "Success against spending".to_owned(),
            x: Axis::new("mean spent of the first resource, without questions"),
            y: Axis::new("share of runs that did their task within the caps").with_range(0.0, 1.0),
            series: series.collect(),
            note: "Who stops runs after one, two and three answers in a row that say impossible, from left to right. Lines are 95 % intervals, which estimators have none of.".to_owned(),
        };
        Ok(Some((rows.into_iter().map(|(_, row)| row).collect(), picture)))
    }

    fn stopped(
        &self,
        by: &str,
        asks: Asks,
        in_a_row: u32,
        walked: &[Walked],
    ) -> Result<Block, Error> {
        let (mut outcomes, mut spent, mut asking) = (Vec::new(), Vec::new(), Vec::new());
        let mut lost = 0;
        for ((run, record), now) in self.rollouts.iter().zip(&self.records).zip(walked) {
            let can_succeed = run.is_feasible()?;
            lost += usize::from(can_succeed && now.is_stopped);
            outcomes.push(f64::from(can_succeed && !now.is_stopped));
            spent.push(run.cumulative(self.resources[0], now.turns)?);
            let tokens = record.turns[..now.turns].iter().flat_map(|turn| turn.asking);
            asking.extend(tokens.sum::<Option<u64>>().map(|tokens| tokens as f64));
        }
        let own: Vec<usize> = (0..outcomes.len()).collect();
        let of = |measure: Measure, values: &[f64]| {
            mean(&measure, values, &own[..values.len()], self.level)
        };
        // An estimator learns only from the runs that it did not stop, so runs are not independent: in 30 sets of 100
        // rooms, rates varied by up to four times as much as independent runs do.
        let figure_of = |measure, figure: Result<Figure, Undefined>| match asks {
            Asks::Estimator => Field::figure(measure, figure.map(|it| it.value.into())),
            _ => Field::figure(measure, figure),
        };
        let mut row = Block::of([
            Field::shown("by", "who stops", by),
            Field::shown("in_a_row", "answers in a row", in_a_row),
            Field::shown("n_runs", "runs", outcomes.len()),
            Field::shown("n_stopped", "stopped", walked.iter().filter(|it| it.is_stopped).count()),
            Field::shown("n_lost", "of these would have succeeded", lost),
            figure_of(WITHIN, of(WITHIN, &outcomes)),
            figure_of(SPENT, of(SPENT, &spent)),
        ]);
        if self.player.is_some() {
            let tokens = if asks == Asks::Player { of(ASKING, &asking) } else { Ok(0.0.into()) };
            row.fields.push(Field::figure(ASKING, tokens));
        }
        Ok(row)
    }

    /// Compares estimates with the minimum remaining cost in an environment's first resource, which was not disclosed: rows
    /// for the player and for estimators, and a sentence on the player. There are none if the minimum is unknown, or if a
    /// cap on another resource decides whether the task is feasible.
    pub(super) fn needs(
        &self,
        estimators: &[By],
        of: &str,
    ) -> Result<(Vec<Block>, Option<String>), Error> {
        if self.records.iter().flat_map(|it| &it.turns).all(|it| it.need.is_none()) {
            return Ok((Vec::new(), None));
        }
        let place = self.resources.iter().position(|it| self.rollouts.resource(of) == Ok(*it));
        if self.is_capped(|at| Some(at) != place)? {
            return Ok((Vec::new(), None));
        }
        let players = self.player.map(|name| (name, None));
        let all = players.into_iter().chain(estimators.iter().map(|by| (by.name(), Some(by))));
        let mut rows = Vec::new();
        for (name, by) in all {
            // Whether an estimate predicts the task impossible, and contains the needed amount; with the run of each
            // estimate.
            let [mut held, mut wrongly, mut called] = [const { (Vec::new(), Vec::new()) }; 3];
            let walked = self.walk(by, None)?;
            let runs = self.rollouts.iter().zip(&walked).zip(&self.records);
            for (at, ((run, now), record)) in runs.enumerate() {
                let resource = place.map(|place| self.resources[place]);
                let cap = resource.map(|it| run.cap(it)).transpose()?.flatten();
                let turns = now.estimates.iter().zip(&record.turns);
                for (number, (estimates, turn)) in (1..).zip(turns) {
                    let spent = resource.map(|it| run.cumulative(it, number)).transpose()?;
                    let left = cap.zip(spent).map_or(f64::INFINITY, |(cap, spent)| cap - spent);
                    let push = |to: &mut (Vec<f64>, Vec<usize>), is: bool| {
                        to.0.push(f64::from(is));
                        to.1.push(at);
                    };
                    let ends = place.and_then(|place| estimates[place].ends());
                    let says_impossible = estimates.contains(&Estimate::Impossible)
                        || ends.is_some_and(|it| it.low() > left);
                    match turn.need {
                        Some(need) if need.is_infinite() || need > left => {
                            push(&mut called, says_impossible);
                        }
                        Some(need) => {
                            push(&mut wrongly, says_impossible);
                            if place.is_some() {
                                push(&mut held, ends.is_some_and(|it| it.contains(need)));
                            }
                        }
                        None => {}
                    }
                }
            }
            let of =
                |(values, runs): &(Vec<f64>, Vec<usize>)| mean(&CALLED, values, runs, self.level);
            let mut row = Block::of([
                Field::shown("by", "who estimates", name),
                Field::shown("n_possible", "turns not hopeless", wrongly.0.len()),
                Field::shown("n_impossible", "hopeless turns", called.0.len()),
                Field::figure(CALLED, of(&called)),
                Field::figure(WRONGLY, of(&wrongly)),
            ]);
            if place.is_some() {
                row.fields.push(Field::figure(HOLDS, of(&held)));
            }
            rows.push(row);
        }
        let said = self.player.zip(rows.first()).and_then(|(player, row)| {
            let called = row.figure(CALLED.key).ok()?;
            let wrongly = row.figure(WRONGLY.key).ok()?;
            Some(format!(
                "{player} calls the task impossible in {} of {} after which it was, and in {} of {} after which it was not.",
                percent(&called),
                counted(row.count("n_impossible"), "turn"),
                percent(&wrongly),
                counted(row.count("n_possible"), "other"),
            ))
        });
        Ok((rows, said))
    }
}
