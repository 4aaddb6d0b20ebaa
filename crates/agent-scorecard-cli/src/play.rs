//! Plays an environment by a policy, and scores estimates of what its runs still spend: the subcommand `play`.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    agent_benchmarks::{
        Probability,
        play::{Environment, Play, PlayRecord, rollouts},
        sokoban::{self, RoomSettings, Sokoban},
        warehouse::{self, STEPS, Start, Warehouse, probed_rollouts},
    },
    live::{ESTIMATORS, LiveOptions, Played, play, sokoban_runs, warehouse_runs},
};
use budget_estimation::{ProbeMethod, Rollouts, Seed, StopRule};
use run_logs::write_rollouts;
use serde_json::json;

use crate::{
    output::{
        form::Forms,
        program::{self, Written},
        trajectories,
    },
    plain,
    progress::working,
    values::{self, whole},
};

/// Plays an environment of the budget paper by a policy, and scores estimates of what its runs still spend
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// sokoban or warehouse
    #[arg(value_parser = ["sokoban", "warehouse"])]
    environment: String,
    /// Who plays sokoban: solver, greedy or random; warehouse: base-stock, myopic, cautious, lookahead or random
    /// (default: the first one)
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The chance that a step of the solver is drawn at random
    #[arg(long, value_name = "P", default_value = "0", value_parser = values::share)]
    mistakes: f64,
    /// The seed of the first room or demand
    #[arg(long, value_name = "N", default_value = "123")]
    first_seed: u32,
    /// How many seeds; those that give no room are passed over
    #[arg(long, value_name = "N", default_value = "128", value_parser = whole::<u32>(1, 100_000))]
    count: u32,
    /// Which rooms: evaluation (8 x 8, two boxes) or training (6 x 6, one box)
    #[arg(long, default_value = "evaluation", value_parser = values::one_of([("evaluation", RoomSettings::EVALUATION), ("training", RoomSettings::TRAINING)]))]
    preset: RoomSettings,
    /// Start the warehouse with goods in place of money alone
    #[arg(long)]
    stocked: bool,
    /// What is estimated (default: total_tokens for sokoban; time_weeks, warehouse_item_weeks and cumulative_cost_usd
    /// for warehouse); may be given several times
    #[arg(long = "resource", value_name = "NAME")]
    resources: Vec<String>,
    /// The cap of a run on the first resource of sokoban; the paper has 2500 tokens. The warehouse has its own
    #[arg(long, value_name = "N", value_parser = values::cap)]
    cap: Option<f64>,
    /// Ask the policy after each turn what its run will still spend
    #[arg(long)]
    ask: bool,
    /// End a run after so many answers "impossible" in a row
    #[arg(long, value_name = "N", requires = "ask", value_parser = whole::<u32>(1, 1_000))]
    stop_after: Option<u32>,
    /// A folder for the runs: rollouts.jsonl and the answers in estimates.jsonl, which budget reads, and a trajectory (ATIF)
    /// for each run
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Bootstrap resamples of runs behind the 95 % intervals; 0 for none
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    seed: u64,
    #[command(flatten)]
    forms: Forms,
}

const HELP: &str = include_str!("help/play.txt");

/// The seed of targets and budgets of the warehouse, as in the paper.
const PROBES: Seed = Seed::new(42);

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let is_sokoban = options.environment == "sokoban";
    let mistakes = Probability::new(options.mistakes)?;
    let named = |known: &[&str]| match options.policy.as_deref() {
        None => Ok(0),
        Some(name) => known.iter().position(|it| *it == name).ok_or_else(|| {
            format!(
                "--policy: {name} does not play {}; known: {}",
                options.environment,
                known.join(", ")
            )
        }),
    };
    let problem = match (is_sokoban, options.policy.as_deref().unwrap_or("solver")) {
        _ if options.first_seed.checked_add(options.count - 1).is_none() => {
            "--count: seeds end at 4294967295"
        }
        (true, _) if options.stocked => "--stocked: is of the warehouse",
        (false, _) if options.cap.is_some() || options.mistakes > 0.0 => {
            "--cap, --mistakes: are of sokoban"
        }
        (true, policy) if policy != "solver" && options.mistakes > 0.0 => {
            "--mistakes: are of the solver"
        }
        _ => "",
    };
    if !problem.is_empty() {
        return Err(problem.into());
    }
    let seeds = (options.first_seed, options.count);
    if is_sokoban {
        let policies = [
            ("solver", sokoban::Policy::Solver { mistakes }),
            ("greedy", sokoban::Policy::Greedy),
            ("random", sokoban::Policy::Random),
        ];
        let (name, policy) = policies[named(&policies.map(|(name, _)| name))?];
        let play = settings(&options, &["total_tokens"], Play::new())?;
        let records =
            working("playing", || sokoban_runs(policy, options.preset, &play.0, seeds.0, seeds.1))?;
        let mut runs = rollouts::<Sokoban>(&records)?;
        if let (Some(cap), Some(first)) = (options.cap, play.1.first()) {
            runs.set_cap(runs.resource(first)?, cap)?;
        }
        return show::<Sokoban>(&options, name, &records, &runs, &play.1, true);
    }
    let policies = [
        ("base-stock", warehouse::Policy::BaseStock),
        ("myopic", warehouse::Policy::Myopic),
        ("cautious", warehouse::Policy::Cautious),
        ("lookahead", warehouse::Policy::Lookahead),
        ("random", warehouse::Policy::Random),
    ];
    let (name, policy) = policies[named(&policies.map(|(name, _)| name))?];
    let start = if options.stocked { Start::Stocked } else { Start::Empty };
    let play = settings(&options, Warehouse::RESOURCES, Play::new().with_most_turns(STEPS))?;
    let records = working("playing", || warehouse_runs(policy, start, &play.0, seeds.0, seeds.1))?;
    let (runs, _) = probed_rollouts(&records, ProbeMethod::Described, PROBES)?;
    show::<Warehouse>(&options, name, &records, &runs, &play.1, false)
}

/// How runs are played, and what is estimated.
fn settings(
    options: &Options,
    usual: &[&str],
    play: Play,
) -> Result<(Play, Vec<String>), Box<dyn Error>> {
    let resources = match &options.resources[..] {
        [] => usual.iter().map(|&name| name.to_owned()).collect(),
        own => own.to_vec(),
    };
    if !options.ask {
        return Ok((play, resources));
    }
    let caps = std::iter::once(options.cap).chain(std::iter::repeat(None));
    let asks: Vec<(&str, Option<f64>)> = resources.iter().map(String::as_str).zip(caps).collect();
    let rule = options.stop_after.map(StopRule::impossible_in_a_row).transpose()?;
    Ok((play.with_questions(&asks, false).with_stop_rule(rule), resources))
}

fn show<E: Environment>(
    options: &Options,
    name: &str,
    records: &[PlayRecord],
    rollouts: &Rollouts,
    resources: &[String],
    has_goal: bool,
) -> Result<Written, Box<dyn Error>> {
    if records.is_empty() {
        return Err("--first-seed: none of these seeds gives a room".into());
    }
    let played = Played { records, rollouts, resources, has_goal };
    let live =
        LiveOptions { model: name.to_owned(), resamples: options.resamples, seed: options.seed };
    let mut report = working("estimating", || play::<E>(&played, &ESTIMATORS, &live))?;
    let passed_over = options.count as usize - records.len();
    if passed_over > 0 {
        let note = format!("seeds that give no room and are passed over: {passed_over}");
        report.together.notes.get_or_insert_default().push(note);
    }
    if let Some(folder) = &options.output {
        let texts =
            records.iter().map(|it| (it.record.run.id.clone(), plain::json(it.record.to_atif())));
        trajectories::write(folder, texts)?;
        let mut lines = Vec::new();
        write_rollouts(rollouts, &mut lines)?;
        program::write_file(&folder.join("rollouts.jsonl"), &lines)?;
        let answers = records.iter().flat_map(|it| {
            let id = &it.record.run.id;
            // After the last turn nothing was left to estimate.
            let turns = (1..it.turns.len()).zip(&it.turns);
            turns.filter_map(move |(turn, it)| {
                Some(json!({"id": id, "turn": turn, "answer": it.answer.as_ref()?}))
            })
        });
        let answers: String = answers.map(|answer| format!("{answer}\n")).collect();
        program::write_file(&folder.join("estimates.jsonl"), answers.as_bytes())?;
    }
    options.forms.show(report)
}
