use std::collections::{BTreeMap, BTreeSet, HashMap};

use agent_benchmarks::{
    play::{End, Environment, Play, PlayConversation, PlayRecord, play as played},
    sokoban::{Room, RoomSettings},
};
use budget_estimation::{Estimate, Rollouts};
use rayon::prelude::*;
use run_logs::json_lines::RunCounts;
use scoring_rules::{Level, Seed};
use trajectory_metrics::{Better, Measure};

use crate::{
    budget::runs::{Answers, By, Recorded},
    compare::side::measure,
    error::Error,
    live::{
        LiveOptions, budget,
        on_the_way::{ASKING, Course, WITHIN},
    },
    metrics::mean,
    report::{
        block::{Block, Field, Report, Value},
        sentence::{counted, percent},
    },
    traces::figures::LEVEL,
};

/// Runs in an environment, with the questions asked during them.
#[derive(Clone, Debug)]
pub struct Played<'a> {
    /// The runs.
    pub records: &'a [PlayRecord],
    /// Their rollouts, with caps if there are any. Ids say which run each is of.
    pub rollouts: &'a Rollouts,
    /// The estimated resources; if the player was asked during the runs, the resources in the questions.
    pub resources: &'a [String],
    /// Whether runs have a goal, so that the share of runs that reached it is meaningful.
    pub has_goal: bool,
}

pub(super) const SUCCESS: Measure = measure(
    "success_rate",
    "success rate",
    Better::Higher,
    "Share of runs that did their task within the limits of turns, actions and tokens.",
)
.within(0.0, 1.0);

const DEPENDENT: &str = "stopping: estimators have no intervals, as one that stops runs learns from what it let go on, so that runs hang on each other; other seeds can turn out otherwise";

/// A measure of a run.
type OfRun = (Measure, fn(&PlayRecord) -> Option<f64>);

/// What means over runs are of.
const MEANS: [OfRun; 5] = [
    (
        measure(
            "mean_reward",
            "reward",
            Better::Higher,
            "Mean sum of a run's rewards and penalties.",
        ),
        |run| Some(run.reward()),
    ),
    (
        measure("mean_turns", "turns", Better::Lower, "Mean number of a run's turns.")
            .within(0.0, f64::INFINITY),
        |run| Some(run.turns.len() as f64),
    ),
    (
        measure(
            "mean_output_tokens",
            "output tokens",
            Better::Lower,
            "Mean number of tokens of a run's replies, without answers to questions.",
        )
        .within(0.0, f64::INFINITY),
        |run| run.turns.iter().map(|turn| turn.tokens[1].map(|tokens| tokens as f64)).sum(),
    ),
    (ASKING, |run| {
        let tokens = run.asking().into_iter().sum::<Option<u64>>()? as f64;
        Some(tokens).filter(|tokens| *tokens > 0.0)
    }),
    (
        measure(
            "mean_beyond_least",
            "spent beyond the least",
            Better::Lower,
            "Mean, over runs that did their task, of what the turns after the first spent of the environment's first resource beyond the least that they had to.",
        ),
        |run| {
            let need = run.turns.first()?.need.filter(|_| run.succeeded)?;
            let spent = run.turns.iter().skip(1).filter_map(|turn| turn.spent.first()).sum::<f64>();
            Some(spent - need)
        },
    ),
];

/// Scores runs in an environment and the estimates of their remaining cost: by the player, if it was asked, and by
/// `estimators` that learn from earlier runs. The table is the one of [`super::budget()`].
///
/// # Errors
///
/// Errors of [`super::budget()`].
///
/// ```
/// use agent_scorecard::{
///     agent_benchmarks::{play::{Play, rollouts}, sokoban::{Policy, RoomSettings, Sokoban}},
///     live::{ESTIMATORS, LiveOptions, Played, play, rooms, runs},
/// };
///
/// let rooms = rooms(&RoomSettings::TRAINING, 1, 12)?.into_iter();
/// let rooms = rooms.map(|(seed, room)| (seed, Sokoban::new(room))).collect();
/// let records = runs(rooms, &Play::new(), |seed| Policy::Greedy.player(seed))?;
/// let resources = ["steps".to_owned()];
/// let rollouts = rollouts::<Sokoban>(&records)?;
/// let played = Played { records: &records, rollouts: &rollouts, resources: &resources, has_goal: true };
/// let options = LiveOptions { model: "greedy".to_owned(), resamples: 0, seed: 1 };
/// let report = play::<Sokoban>(&played, &ESTIMATORS, &options)?;
/// assert!(report.conclusion[0].starts_with("greedy did its task in "));
/// assert_eq!(report.columns.len(), 3);
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
pub fn play<E: Environment>(
    runs: &Played<'_>,
    estimators: &[By],
    options: &LiveOptions,
) -> Result<Report, Error> {
    let Played { records, rollouts, resources, has_goal } = *runs;
    // The full spending of runs that an answer or a cap ended is unknown.
    let rollouts = &rollouts.filter(|run| !run.is_censored());
    let places = rollouts.iter().filter_map(|run| Some((run.id()?, run.index().to_string())));
    let places: HashMap<&str, String> = places.collect();
    let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
    for record in records {
        let Some(place) = places.get(record.record.run.id.as_str()) else { continue };
        for (turn, known) in (1..).zip(&record.turns) {
            for (name, &estimate) in resources.iter().zip(&known.estimates) {
                let problem = (estimate == Estimate::NoAnswer).then(|| "unreadable".to_owned());
                let of_run = answers.entry(name.clone()).or_default().entry(place.clone());
                of_run.or_default().insert(turn, Recorded { estimate, problem });
            }
        }
    }
    let unfinished = records.iter().filter(|record| record.end.is_none()).count();
    let left_out = BTreeSet::new();
    let model = (!answers.is_empty()).then_some(budget::Answered { answers, unfinished, left_out });
    let mut counts = RunCounts::default();
    rollouts.iter().for_each(|run| counts.add(Some(run.succeeded()), None));
    let mut report = budget::table(model, resources, rollouts, &counts, estimators, options)?;

    let block = of_runs(records, has_goal)?;
    let finished = records.iter().filter(|it| it.end.is_some()).count();
    let n = counted(finished, "run");
    let stopped = records.iter().filter(|it| it.is_stopped).count();
    if stopped > 0 {
        // The answers that ended runs are missing, so nothing is concluded from the others.
        report.conclusion.clear();
        report.columns.iter_mut().for_each(|column| column.block.conclusion.clear());
        let runs = counted(stopped, "run");
        report
            .conclusion
            .push(format!("An answer or a cap ended {runs}, which are left out of the estimates."));
    }
    report.title = "Runs in an environment".to_owned();
    if !has_goal {
        // Of targets and budgets that came later, half are met.
        for column in &mut report.columns {
            let metrics = column.block.fields.iter_mut().filter(|field| field.key == "metrics");
            for Field { value, .. } in metrics {
                if let Value::Block(block) = value {
                    block.fields.retain(|field| field.key != SUCCESS.key);
                }
            }
        }
    }
    let mut first = Vec::new();
    if let Ok(rate) = block.figure(SUCCESS.key) {
        let rate = percent(&rate);
        first.push(format!("{} did its task in {rate} of {n}.", options.model));
    } else if let Ok(reward) = block.figure("mean_reward") {
        let ends = reward
            .interval
            .map_or(String::new(), |it| format!(" [{:.0}, {:.0}]", it.low(), it.high()));
        let mean = format!(
            "{} earned {:.0}{ends} in a run, as a mean over {n}.",
            options.model, reward.value
        );
        first.push(mean);
    }
    report.together.fields.insert(0, Field::block("runs", block));
    if stopped > 0 {
        report.conclusion.splice(0..0, first);
        return Ok(report);
    }
    let course = Course::new(rollouts, records, resources, &options.model)?;
    if let Some((rows, picture)) = course.stopping(estimators)? {
        if course.is_capped(|_| true)?
            && has_goal
            && let Some(Ok(rate)) = rows.first().map(|row| row.figure(WITHIN.key))
        {
            let rate = percent(&rate);
            first.push(format!("Within the caps, it did so in {rate} of these."));
        }
        let title = "What monitors of answers would come to".to_owned();
        report.together.fields.push(Field::rows("stopping", title, rows));
        report.together.notes.get_or_insert_default().push(DEPENDENT.to_owned());
        report.together.pictures.insert("stopping".to_owned(), picture);
    }
    report.conclusion.splice(0..0, first);
    let least = E::RESOURCES.first().map(|of| (of, course.needs(estimators, of)));
    if let Some((of, found)) = least {
        let (rows, said) = found?;
        if !rows.is_empty() {
            let title = format!("Estimates against the least {of} that were left");
            report.together.fields.push(Field::rows("need", title, rows));
        }
        report.conclusion.extend(said);
    }
    Ok(report)
}

/// Returns counts of runs, and means over them. Each run has a different room or demand, so runs are independent.
fn of_runs(records: &[PlayRecord], has_goal: bool) -> Result<Block, Error> {
    let level = Level::new(LEVEL)?;
    let of = |measure: Measure, values: Vec<f64>| {
        let own: Vec<usize> = (0..values.len()).collect();
        Field::figure(measure, mean(&measure, &values, &own, level))
    };
    let count = |which: fn(&PlayRecord) -> bool| records.iter().filter(|it| which(it)).count();
    let stopped = count(|it| it.is_stopped);
    let mut block = Block::of([
        Field::shown("n_runs", "runs", records.len()),
        Field::shown("n_at_limit", "ended at a limit", count(|it| it.end == Some(End::AtLimit))),
        Field::shown("n_truncated", "of these with too long a turn", count(|it| it.is_truncated)),
        Field::shown("n_stopped", "of these stopped by an answer or a cap", stopped),
    ]);
    block.title = "What the runs came to".to_owned();
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
    Ok(block)
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

/// Plays environments by a policy: `player` makes of the seed of each what writes the replies. Runs have the seeds as ids.
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
        played(run, player(Seed::new(u64::from(seed))))
    };
    let runs: Result<_, agent_benchmarks::Error> = environments.into_par_iter().map(run).collect();
    Ok(runs?)
}
