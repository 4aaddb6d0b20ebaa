//! Triage scores under several variants of a prompt: the subcommand `triage-variants`.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Report,
    knapsack_oracle::Alpha,
    triage::{VariantScore, VariantTable},
};
use serde::Deserialize;

use crate::{
    files::json_lines::{self, InputError},
    output::{form::Forms, program::Written},
};

/// Compares triage scores under several variants of a prompt: their ranges and the agreement of rankings
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Scores by model, mode, data set, variant and alpha
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard triage-variants variants.jsonl

A FILE has JSON Lines, one score or two per line, for example
  {"model": "M", "mode": "think", "dataset": "AIME", "variant": "A", "alpha": 0.5, "eta_advisory": 0.61, "eta_enforced": -0.2}
mode, dataset and variant are optional, and so is one of the scores. Scores are averaged over data sets,
and each model, mode and alpha needs the same data sets under every variant.
"#;

#[derive(Deserialize)]
struct Row {
    model: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    dataset: String,
    #[serde(default)]
    variant: String,
    alpha: f64,
    eta_advisory: Option<f64>,
    eta_enforced: Option<f64>,
}

pub(crate) fn output(Options { file, forms }: Options) -> Result<Written, Box<dyn Error>> {
    let wrong = |line: Option<usize>, field: Option<&str>, problem: String| InputError {
        file: file.display().to_string(),
        line,
        field: field.map(str::to_owned),
        problem,
    };
    let mut scores = VariantTable::default();
    for line in json_lines::read::<Row>(&file)? {
        let at = |field, problem| wrong(Some(line.number), Some(field), problem);
        let Row { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced } = line.value;
        let alpha = Alpha::new(alpha).map_err(|error| at("alpha", error.to_string()))?;
        let score =
            VariantScore { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced };
        scores.insert(score).map_err(|error| at("dataset", error.to_string()))?;
    }
    let block = scores.block().map_err(|error| wrong(None, None, error.to_string()))?;
    forms.show(Report {
        title: "Triage under variants of a prompt".to_owned(),
        lead: "efficiency (eta) as means over data sets; a range is the largest of a model's means under the variants minus the smallest"
            .to_owned(),
        ..Report::of_columns(vec![(file.display().to_string(), None, block)])
    })
}
