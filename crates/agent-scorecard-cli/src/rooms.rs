//! Prints rooms of Sokoban: the subcommand `rooms`.

use std::error::Error;

use agent_scorecard::agent_benchmarks::sokoban::{Room, RoomSettings};
use serde_json::json;

use crate::{games::presets, output::program::Written, plain, values};

/// Prints the rooms of Sokoban that the released code of BAGEN makes from seeds, to the cell
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// The first seed
    #[arg(long, value_name = "N", default_value = "123")]
    first_seed: u32,
    /// How many seeds
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::whole::<u32>(1, 100_000))]
    count: u32,
    /// Which rooms: evaluation (8 x 8, two boxes) or training (6 x 6, one box)
    #[arg(long, default_value = "evaluation", value_parser = presets())]
    preset: RoomSettings,
    /// Write XSB, the usual form of files of levels, in place of the released alphabet
    #[arg(long)]
    xsb: bool,
    /// Print a line {"seed", "grid"} per seed; the grid of a seed that gives no room is null
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Example: agent-scorecard rooms --first-seed 123 --count 3

Cells of the released alphabet: # wall, _ floor, O target, X box, \u{221a} box on target, P player, S player on target. The
evaluation has the seeds 123 to 250, of which 242 gives no room.
";

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { first_seed, count, preset, xsb, json } = options;
    let last = first_seed.checked_add(count - 1).ok_or("--count: seeds end at 4294967295")?;
    let mut text = String::new();
    for seed in first_seed..=last {
        let room = Room::generate(&preset, seed);
        let grid = room.map(|room| if xsb { room.to_xsb() } else { room.to_string() });
        text.push_str(&match (json, grid) {
            (true, grid) => format!("{}\n", json!({"seed": seed, "grid": grid.ok()})),
            (false, Ok(grid)) => format!("; seed {seed}\n{grid}\n\n"),
            (false, Err(error)) => format!("; {error}\n\n"),
        });
    }
    Ok(plain::lines(text).into())
}
