use std::collections::{BTreeSet, HashMap};

use agent_benchmarks::{
    play::{End, Environment, Play, PlayConversation, PlayRecord, play as played},
    sokoban::{Room, RoomSettings},
};
use budget_estimation::Rollouts;
use rayon::prelude::*;
use run_logs::json_lines::RunCounts;
use scoring_rules::Seed;
use trajectory_metrics::Measure;

use crate::{
    error::Error,
    live::{LiveOptions, budget},
    metrics::{mean, measure},
    options::LEVEL,
    report::{
        block::{Block, Field, Position, Report, Value},
        key,
        sentence::{counted, percent},
    },
};

/// Runs that a player made in an environment, with the questions asked during the runs.
#[derive(Clone, Debug)]
pub struct Played<'a> {
    /// The runs.
    pub records: &'a [PlayRecord],
    /// The rollouts of these runs, with caps if there are any. A rollout has the id of its run.
    pub rollouts: &'a Rollouts,
    /// The estimated resources. If the player was asked during the runs, these are the resources in the questions.
    pub resources: &'a [String],
    /// Whether runs have a goal, so that the share of runs that reached it is meaningful.
    pub has_goal: bool,
}

const SUCCESS: Measure = measure! { "success_rate", "success rate", Higher, in [0.0, 1.0],
"Share of runs that did their task within the limits of turns, actions and tokens." };

/// A measure of a run, and the function that computes its value.
type OfRun = (Measure, fn(&PlayRecord) -> Option<f64>);

/// The measures for which the report has means over runs.
const MEANS: [OfRun; 4] = [
    (
        measure! { "mean_reward", "reward", Higher, "Mean sum of a run's rewards and penalties." },
        |run| Some(run.reward()),
    ),
    (
        measure! { "mean_turns", "turns", Lower, in [0.0, f64::INFINITY], "Mean number of turns per run." },
        |run| Some(run.turns.len() as f64),
    ),
    (
        measure! { "mean_output_tokens", "output tokens", Lower, in [0.0, f64::INFINITY],
        "Mean number of tokens in a run's replies, except in answers to questions." },
        |run| run.turns.iter().map(|turn| turn.tokens[1].map(|tokens| tokens as f64)).sum(),
    ),
    (
        measure! { "mean_asking_tokens", "tokens of questions", Lower, in [0.0, f64::INFINITY],
        "Mean number of tokens in the questions during a run and in the answers to them." },
        |run| {
            let tokens = run.asking().into_iter().sum::<Option<u64>>()? as f64;
            Some(tokens).filter(|tokens| *tokens > 0.0)
        },
    ),
];

/// Scores runs in an environment and the estimates of their remaining cost. The estimates come from the player, if it
/// was asked, and from estimators that learn from earlier runs. The table is the same as in [`super::budget()`].
///
/// # Errors
///
/// Errors of [`super::budget()`].
///
/// ```
/// use agent_scorecard::{
///     agent_benchmarks::{Probability, play::{Play, rollouts}, sokoban::{RoomSettings, Sokoban, solver}},
///     live::{LiveOptions, Played, play, rooms, runs},
/// };
///
/// let rooms = rooms(&RoomSettings::TRAINING, 1, 12)?.into_iter();
/// let rooms = rooms.map(|(seed, room)| (seed, Sokoban::new(room))).collect();
/// let records = runs(rooms, &Play::new(), |seed| solver(Probability::ZERO, seed))?;
/// let resources = ["steps".to_owned()];
/// let rollouts = rollouts::<Sokoban>(&records)?;
/// let played = Played { records: &records, rollouts: &rollouts, resources: &resources, has_goal: true };
/// let options = LiveOptions { model: "solver".to_owned(), resamples: 0, seed: 1 };
/// let report = play(&played, &options)?;
/// assert!(report.conclusion[0].starts_with("solver did its task in "));
/// assert_eq!(report.columns.len(), 3);
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
pub fn play<'a>(runs: &Played<'a>, options: &LiveOptions) -> Result<Report, Error> {
    let Played { records, rollouts, resources, has_goal } = *runs;
    // The full spending of runs that an answer or a cap ended is unknown.
    let rollouts = &rollouts.filter(|run| !run.is_censored());
    let places = rollouts.iter().filter_map(|run| Some((run.id()?, run.index().to_string())));
    let places: HashMap<&str, String> = places.collect();
    let of_known = |it: &'a PlayRecord| Some((it, places.get(it.record.run.id.as_str())?));
    let answers = records.iter().filter_map(of_known).flat_map(|(record, place)| {
        (1..).zip(&record.turns).flat_map(move |(turn, known)| {
            let each = resources.iter().zip(&known.estimates);
            each.map(move |(name, estimate)| (name, place.clone(), turn, *estimate))
        })
    });
    let unfinished = records.iter().filter(|record| record.end.is_none()).count();
    let model = budget::Answered::new(answers, unfinished, BTreeSet::new());
    let model = Some(model).filter(|model| !model.answers.is_empty());
    let mut counts = RunCounts::default();
    rollouts.iter().for_each(|run| counts.add(Some(run.succeeded()), None));
    let mut report = budget::table(model, resources, rollouts, &counts, options)?;

    let block = of_runs(records, has_goal);
    let finished = records.iter().filter(|it| it.end.is_some()).count();
    let finished_runs = counted(finished, "run");
    let stopped = records.iter().filter(|it| it.is_stopped).count();
    if stopped > 0 {
        // The answers that ended runs are missing, so nothing is concluded from the others.
        report.conclusion.clear();
        report.columns.iter_mut().for_each(|column| drop(column.block.unsay(Position::Conclusion)));
        let runs = counted(stopped, "run");
        report.conclusion.push(format!(
            "An answer \"impossible\" or a cap ended {runs}; the figures on estimates leave out such runs."
        ));
    }
    report.title = "Runs in an environment".to_owned();
    if !has_goal {
        // Of targets and budgets that came later, half are met.
        for field in report.columns.iter_mut().flat_map(|column| &mut column.block.fields) {
            if let Value::Block(block) = &mut field.value {
                block.fields.retain(|field| field.key != SUCCESS.key);
            }
        }
    }
    let mut first = Vec::new();
    if let Ok(rate) = block.figure(SUCCESS.key) {
        let rate = percent(&rate);
        first.push(format!(
            "{model} did its task in {rate} of {finished_runs}.",
            model = options.model
        ));
    } else if let Ok(reward) = block.figure(MEANS[0].0.key) {
        let interval = reward
            .interval
            .map_or(String::new(), |it| format!(" [{:.0}, {:.0}]", it.low(), it.high()));
        let mean = format!(
            "{model} earned {reward:.0}{interval} per run, on average over {finished_runs}.",
            model = options.model,
            reward = reward.value,
        );
        first.push(mean);
    }
    report.together.fields.insert(0, Field::block(key::runs, block));
    report.conclusion.splice(0..0, first);
    Ok(report)
}

/// Returns counts of runs, and means over them. Runs are independent, because each has a different room or demand.
fn of_runs(records: &[PlayRecord], has_goal: bool) -> Block {
    let of = |measure: Measure, values: Vec<f64>| {
        let own: Vec<usize> = (0..values.len()).collect();
        Field::figure(measure, mean(&measure, &values, &own, LEVEL))
    };
    let count = |which: fn(&PlayRecord) -> bool| records.iter().filter(|it| which(it)).count();
    let stopped = count(|it| it.is_stopped);
    let mut block = Block::of([
        Field::shown("n_runs", "runs", records.len()),
        Field::shown("n_at_limit", "ended at a limit", count(|it| it.end == Some(End::AtLimit))),
        Field::shown(
            "n_truncated",
            "ended at a limit because a turn was too long",
            count(|it| it.is_truncated),
        ),
        Field::shown("n_stopped", "ended at a limit because of \"impossible\" or a cap", stopped),
    ]);
    block.title = "Results of the runs".to_owned();
    if has_goal {
        let ended = records.iter().filter(|it| it.end.is_some());
        let outcomes = ended.map(|it| f64::from(it.succeeded)).collect();
        block.fields.push(of(SUCCESS, outcomes));
    }
    for (measure, value) in MEANS {
        let values: Vec<f64> = records.iter().filter_map(value).collect();
        if !values.is_empty() {
            block.fields.push(of(measure, values));
        }
    }
    block.push_reasons();
    block
}

/// Generates rooms from `count` consecutive seeds, and returns each with its seed. Seeds without a valid room are skipped.
///
/// # Errors
///
/// An error of agent-benchmarks for settings of rooms out of range.
pub fn rooms(
    settings: &RoomSettings,
    first_seed: u32,
    count: u32,
) -> Result<Vec<(u32, Room)>, Error> {
    let room = |seed: u32| match Room::generate(settings, seed) {
        Err(agent_benchmarks::Error::NoRoom { .. }) => Ok(None),
        room => Ok(Some((seed, room?))),
    };
    let seeds = first_seed..first_seed.saturating_add(count);
    let rooms: Result<Vec<_>, agent_benchmarks::Error> = seeds.into_par_iter().map(room).collect();
    Ok(rooms?.into_iter().flatten().collect())
}

/// Plays one run in each environment. `player` returns the policy that plays the environment of a seed. The ids of the
/// runs are the seeds.
///
/// # Errors
///
/// An error of agent-benchmarks, such as for questions about an unknown resource.
pub fn runs<E, P>(
    environments: Vec<(u32, E)>,
    settings: &Play,
    player: impl Fn(Seed) -> P + Sync,
) -> Result<Vec<PlayRecord>, Error>
where
    E: Environment + Send,
    P: FnMut(&PlayConversation<E>) -> String,
{
    let run = |(seed, environment): (u32, E)| {
        let run = settings.conversation(&seed.to_string(), environment)?;
        played(run, player(Seed(u64::from(seed))))
    };
    let runs: Result<_, agent_benchmarks::Error> = environments.into_par_iter().map(run).collect();
    Ok(runs?)
}
