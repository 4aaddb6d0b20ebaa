//! Plays an environment by a policy, and scores estimates of what its runs still spend: the subcommand `play`.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    agent_benchmarks::{Probability, play::PlayConversation, sokoban, warehouse},
    live::{LiveOptions, runs},
};
use budget_estimation::Seed;

use crate::{
    games::{Game, Market, Rooms},
    output::{form::Forms, program::Written, trajectories},
    plain,
    progress::working,
    values,
};

/// Plays an environment of the budget paper by a policy, and scores estimates of what its runs still spend
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    #[command(subcommand)]
    environment: Environment,
}

#[derive(Debug, clap::Subcommand)]
enum Environment {
    /// Rooms of Sokoban by a solver, greedily or at random
    Sokoban(OfSokoban),
    /// A warehouse by rules of ordering, by looking ahead or at random
    Warehouse(OfWarehouse),
}

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
struct OfSokoban {
    #[command(flatten)]
    rooms: Rooms,
    /// Who plays
    #[arg(long, value_name = "NAME", default_value = "solver", value_parser = ["solver", "greedy", "random"])]
    policy: String,
    /// The chance that a step of the solver is drawn at random
    #[arg(long, value_name = "P", default_value = "0", value_parser = values::share)]
    mistakes: f64,
    #[command(flatten)]
    shown: Shown,
}

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
struct OfWarehouse {
    #[command(flatten)]
    market: Market,
    /// Who plays
    #[arg(long, value_name = "NAME", default_value = "base-stock", value_parser = policies())]
    policy: (&'static str, warehouse::Policy),
    #[command(flatten)]
    shown: Shown,
}

fn policies() -> impl clap::builder::TypedValueParser<Value = (&'static str, warehouse::Policy)> {
    use warehouse::Policy;
    let known = [
        ("base-stock", Policy::BaseStock),
        ("myopic", Policy::Myopic),
        ("cautious", Policy::Cautious),
        ("lookahead", Policy::Lookahead),
        ("random", Policy::Random),
    ];
    values::one_of(known.map(|(name, policy)| (name, (name, policy))))
}

/// Where runs go, and how the report looks.
#[derive(Debug, clap::Args)]
struct Shown {
    /// A folder for the runs: rollouts.jsonl and the answers in estimates.jsonl, which budget reads, and in runs a
    /// trajectory (ATIF) of each
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

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    match options.environment {
        Environment::Sokoban(OfSokoban { rooms, policy, mistakes, shown }) => {
            if policy != "solver" && mistakes > 0.0 {
                return Err("--mistakes: are of the solver".into());
            }
            let mistakes = Probability::new(mistakes)?;
            let policy_of = match policy.as_str() {
                "greedy" => sokoban::Policy::Greedy,
                "random" => sokoban::Policy::Random,
                _ => sokoban::Policy::Solver { mistakes },
            };
            played(&rooms, &policy, shown, |seed| {
                let mut player = sokoban::Player::new(policy_of, seed);
                move |run: &PlayConversation<_>| player.reply(run)
            })
        }
        Environment::Warehouse(OfWarehouse { market, policy: (name, policy), shown }) => {
            played(&market, name, shown, |seed| {
                let mut player = warehouse::Player::new(policy, seed);
                move |run: &PlayConversation<_>| player.reply(run)
            })
        }
    }
}

fn played<G: Game, P: FnMut(&PlayConversation<G::Environment>) -> String>(
    game: &G,
    policy: &str,
    shown: Shown,
    player: impl Fn(Seed) -> P + Sync,
) -> Result<Written, Box<dyn Error>> {
    let Shown { output, resamples, seed, forms } = shown;
    let (environments, settings) = (game.environments()?, game.settings()?);
    let records = working("playing", || runs(environments, &settings, player))?;
    if let Some(folder) = &output {
        let texts =
            records.iter().map(|it| (it.record.run.id.clone(), plain::json(it.record.to_atif())));
        trajectories::write(&folder.join("runs"), texts)?;
    }
    let options = LiveOptions { model: policy.to_owned(), resamples, seed };
    let mut report = game.report(&records, &options, output.as_deref())?;
    report.lead = format!("{} by {policy}: {}, {}", G::NAME, game.setting(), game.asks());
    forms.show(report)
}
