//! Triage scores under several variants of a prompt: the subcommand `triage-variants`.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Report,
    knapsack_oracle::Alpha,
    triage::{VariantScore, VariantTable},
};
use run_logs::json_lines::{self, InputError};
use serde::Deserialize;

use crate::{
    files::source::Source,
    output::{form::Forms, program::Written},
};

/// Compares triage scores under several variants of a prompt: their ranges and the agreement of rankings
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Scores by model, mode, data set, variant and alpha, or folders of run triage, which have them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    forms: Forms,
}

/// The scores in a folder of `run triage`.
pub(crate) const SCORES: &str = "scores.jsonl";

const FORMAT: &str = include_str!("help/triage_variants.txt");

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

pub(crate) fn output(Options { mut files, forms }: Options) -> Result<Written, Box<dyn Error>> {
    files.iter_mut().filter(|file| file.is_dir()).for_each(|folder| folder.push(SCORES));
    forms.show(report(&Source::all(files))?)
}

/// The report on these sources.
///
/// # Errors
///
/// Those of reading and comparing.
pub fn report(sources: &[Source]) -> Result<Report, Box<dyn Error>> {
    let names: Vec<String> = sources.iter().map(Source::name).collect();
    let names = names.join(", ");
    let mut scores = VariantTable::default();
    for source in sources {
        for line in json_lines::parse::<Row>(&source.name(), &source.bytes()?)? {
            let (file, number) = (source.name(), line.number);
            let at = |field, problem: String| InputError::of_field(&file, number, field, problem);
            let Row { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced } =
                line.value;
            let alpha = Alpha::new(alpha).map_err(|error| at("alpha", error.to_string()))?;
            let score =
                VariantScore { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced };
            scores.insert(score).map_err(|error| at("dataset", error.to_string()))?;
        }
    }
    let block = scores.block().map_err(|it| InputError::of_file(&names, it.to_string()))?;
    Ok(Report {
        title: "Triage under variants of a prompt".to_owned(),
        lead: "efficiency (eta) as means over data sets; a range is the largest of a model's means under the variants minus the smallest"
            .to_owned(),
        ..Report::of_columns(vec![(names, None, block)])
    })
}
