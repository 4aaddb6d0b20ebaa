//! One 0-1 knapsack: the subcommand `knapsack`.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{Report, knapsack::solve};

use crate::{
    files::json_lines::read_by,
    output::{form::Forms, program::Written},
};

/// Solves one 0-1 knapsack and says how long that took
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// The knapsack
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard knapsack knapsack.json

A FILE has one JSON object, for example
  {"capacity": 10, "profits": [6, 5, 4], "weights": [6, 5, 5]}
"#;

pub(crate) fn output(Options { file, forms }: Options) -> Result<Written, Box<dyn Error>> {
    let block = read_by(&file, solve)?.block();
    forms.show(Report {
        title: "A 0-1 knapsack".to_owned(),
        lead: "the items of the largest total profit whose total weight is at most the capacity"
            .to_owned(),
        ..Report::of_columns(vec![(file.display().to_string(), None, block)])
    })
}
