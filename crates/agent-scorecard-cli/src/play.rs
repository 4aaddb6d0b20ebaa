//! Plays an environment by a policy, and scores estimates of the remaining cost of its runs: the subcommand `play`.

use std::error::Error;

use agent_scorecard::{
    agent_benchmarks::{
        Probability, play::PlayConversation, sokoban::solver, warehouse::base_stock,
    },
    live::{LiveOptions, runs},
};
use budget_estimation::Seed;

use crate::{
    games::{Game, Market, Rooms},
    output::{options::Forms, overwrites::Output, program::Written, trajectories},
    plain,
    progress::working,
    values,
};

/// Plays an environment of the BAGEN paper without a language model, and scores estimates of the remaining cost
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    #[command(subcommand)]
    environment: Environment,
}

#[derive(Debug, clap::Subcommand)]
enum Environment {
    /// Lets a solver play rooms of Sokoban
    #[command(after_help = HELP)]
    Sokoban {
        #[command(flatten)]
        rooms: Rooms,
        /// Probability that a step is random instead of the step of the solver
        #[arg(long, value_name = "P", default_value = "0", value_parser = values::share)]
        mistakes: f64,
        /// Print the rooms instead of playing them: # wall, _ floor, O target, X box, \u{221a} box on target, P player, S
        /// player on target
        #[arg(long)]
        print_rooms: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Lets a base-stock rule run a warehouse
    #[command(after_help = HELP)]
    Warehouse {
        #[command(flatten)]
        market: Market,
        #[command(flatten)]
        shown: Shown,
    },
}

/// The options of output and of the report.
#[derive(Debug, clap::Args)]
struct Shown {
    /// Folder for the output: rollouts.jsonl and estimates.jsonl, which the subcommand budget reads, and a trajectory
    /// (ATIF) of each run in the subfolder runs
    #[arg(long, value_name = "FOLDER")]
    output: Option<Output>,
    /// Number of bootstrap resamples of runs for the 95 % intervals; 0 gives no intervals
    #[arg(long, value_name = "N", default_value_t = trajectory_metrics::Bootstrap::RESAMPLES, value_parser = values::resamples)]
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
        Environment::Sokoban { rooms, print_rooms: true, .. } => {
            Ok(plain::lines(rooms.drawn()?).into())
        }
        Environment::Sokoban { rooms, mistakes, shown, .. } => {
            let mistakes = Probability::new(mistakes)?;
            played(&rooms, "solver", shown, |seed| solver(mistakes, seed))
        }
        Environment::Warehouse { market, shown } => {
            played(&market, "base-stock", shown, |_| base_stock())
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
    let (settings, environments) = game.runs(None)?;
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
